; by induct
; Where locations and integers have to be looked at together.
(declare-sort Ref 0)
(declare-datatypes ((Node 0)) (((node (next Ref) (prev Ref)))))
(declare-heap (Ref Node))
(define-fun-rec len ((x Ref) (n Int) (y Ref) (m Int)) Bool
  (or (and (= x y) (= n m) (_ emp Ref Node))
      (exists ((u Ref) (k Int))
        (and (= n (+ k 1)) (sep (pto x (node u u)) (len u k y m))))))
(define-fun-rec dll ((x Ref) (p Ref) (n Int) (y Ref) (l Ref) (m Int)) Bool
  (or (and (= x y) (= p l) (= n m) (_ emp Ref Node))
      (exists ((u Ref) (k Int))
        (and (= n (+ k 1)) (sep (pto x (node u p)) (dll u x k y l m))))))
(define-fun-rec falls ((x Ref) (a Int) (y Ref) (b Int)) Bool
  (or (and (= x y) (= a b) (_ emp Ref Node))
      (exists ((u Ref) (k Int))
        (and (> a (+ k 1)) (sep (pto x (node u x)) (falls u k y b))))))
(define-fun-rec tree ((x Ref) (n Int)) Bool
  (or (and (= x (as nil Ref)) (= n 0) (_ emp Ref Node))
      (exists ((l Ref) (r Ref) (a Int) (b Int))
        (and (= n (+ a b 1)) (sep (pto x (node l r)) (tree l a) (tree r b))))))
(define-fun-rec pairs ((x Ref) (n Int)) Bool
  (or (and (= x (as nil Ref)) (= n 0) (_ emp Ref Node))
      (exists ((u Ref) (v Ref) (k Int))
        (and (= n (+ k 2)) (sep (pto x (node u u)) (pto u (node v v)) (pairs v k))))))
(define-fun-rec wide ((x Ref) (n Int)) Bool
  (or (and (= x (as nil Ref)) (= n 3) (_ emp Ref Node))
      (exists ((l Ref) (r Ref) (a Int) (b Int))
        (and (= n (+ a b 2)) (sep (pto x (node l r)) (wide l a) (wide r b))))))
(define-fun-rec both ((x Ref) (n Int) (m Int)) Bool
  (or (and (= x (as nil Ref)) (= n 1) (= m 0) (_ emp Ref Node))
      (exists ((u Ref) (k Int) (j Int))
        (and (= n (+ k 2)) (= m (- j 1)) (sep (pto x (node u u)) (both u k j))))))
(define-fun-rec mixed ((x Ref) (y Ref) (n Int) (m Int)) Bool
  (or (and (= x y) (= n m) (_ emp Ref Node))
      (exists ((u Ref) (k Int))
        (and (= n (+ k 4)) (sep (pto x (node u u)) (mixed u y k m))))
      (exists ((u Ref) (k Int))
        (and (= n (- k 6)) (sep (pto x (node u x)) (mixed u y k m))))))
(define-fun-rec steep ((x Ref) (a Int) (n Int) (y Ref) (b Int) (m Int)) Bool
  (or (and (= x y) (= a b) (= n m) (_ emp Ref Node))
      (exists ((u Ref) (c Int) (k Int))
        (and (< a c) (= n (+ k 1)) (sep (pto x (node u u)) (steep u c k y b m))))))
(declare-const x Ref) (declare-const y Ref) (declare-const z Ref)
(declare-const n Int) (declare-const m Int) (declare-const k Int)

(push 1)
(set-info :status unsat)
(assert (and (> n m) (sep (pto x (node y y)) (len x n z m))))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (distinct n m) (= k (+ n 3)) (sep (len x n y m) (len x k z n))))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (= x y) (> n (+ m 1)) (dll x z n z y m)))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (and (= x y) (> n m) (dll x z n z y m)))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (and (= x y) (= n (+ m 3)) (len x n y m)))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (distinct x y) (= n m) (len x n y m)))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (distinct x y) (< n (+ m 2)) (falls x n y m)))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (= x z) (= n (+ m 1)) (sep (falls x n y m) (pto y (node z z)))))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (> n m) (> m k) (sep (dll x y n x y m) (dll x z m y z k))))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (< n 2) (distinct x (as nil Ref)) (pairs x n)))
(check-sat)
(pop 1)
