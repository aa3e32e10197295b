; by induct
; Bounds of two lists and of bounds of those: there are very many of them.
(declare-sort Ref 0)
(declare-heap (Ref Ref))
(define-fun-rec p ((x Ref) (y Ref) (n Int)) Bool
  (or (and (= x y) (distinct n n) (_ emp Ref Ref))
      (and (= x y) (= n (- 1)) (pto x x))
      (exists ((u Ref) (k Int)) (and (= n (+ k 1)) (sep (pto x u) (p u y k))))
      (exists ((u Ref) (v Ref) (k Int) (m Int))
        (and (= n (+ k m 3)) (sep (pto x u) (p u y k) (p v y m))))))
(declare-const x Ref)
(declare-const n Int)

(push 1)
(set-info :status unsat)
(assert (p x (as nil Ref) n))
(check-sat)
(pop 1)
