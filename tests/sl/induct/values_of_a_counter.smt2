; by induct
; Definitions that only say what is `nil`: a counter of three digits, each `nil` or not, that goes up by one.
(declare-sort Ref 0) (declare-heap (Ref Ref))
(declare-const x Ref) (declare-const y Ref) (declare-const z Ref)
(define-fun-rec no ((a Ref)) Bool (and (= a (as nil Ref)) (_ emp Ref Ref)))
(define-fun-rec yes ((a Ref)) Bool (and (distinct a (as nil Ref)) (_ emp Ref Ref)))
(define-fun-rec flip ((a Ref) (b Ref)) Bool (or (sep (no a) (yes b)) (sep (yes a) (no b))))
(define-fun-rec next2 ((a Ref) (b Ref) (c Ref) (d Ref)) Bool
  (or (and (= a c) (sep (no b) (yes d))) (sep (no a) (yes c) (yes b) (no d))))
(define-fun-rec next3 ((a Ref) (b Ref) (c Ref) (d Ref) (e Ref) (f Ref)) Bool
  (or (and (= a d) (= b e) (sep (no c) (yes f))) (sep (next2 a b d e) (yes c) (no f))))
(define-fun-rec reached ((a Ref) (b Ref) (c Ref)) Bool
  (or (and (= a b) (sep (no b) (yes c)))
      (exists ((d Ref) (e Ref) (f Ref)) (sep (reached d e f) (next3 d e f a b c)))))

(push 1)
(set-info :status sat)
(assert (reached x y z))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (sep (reached x y z) (yes x) (no y) (yes z)))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (sep (reached x x x) (yes x)))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (sep (reached x y z) (flip x y) (flip y z) (no z)))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (sep (reached x x z) (flip y x) (no z) (yes y)))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (sep (reached x x x) (no x)))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (sep (reached x x z) (reached y z z) (flip x y) (flip x z)))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (= x y) (sep (flip x y) (reached x y z))))
(check-sat)
(pop 1)
