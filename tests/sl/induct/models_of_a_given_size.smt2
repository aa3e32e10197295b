; by induct
; The only models are large.
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
; expect sat with 800 cells
(assert (and (= n 800) (len x n y 0)))
(check-sat)
(pop 1)

(push 1)
; expect sat with 1000 cells
(assert (and (> n 999) (pairs x n)))
(check-sat)
(pop 1)

(push 1)
; expect unsat without proof
(assert (and (= n 2001) (pairs x n)))
(check-sat)
(pop 1)

(push 1)
; expect sat with 901 cells
(assert (and (= n 901) (tree x n)))
(check-sat)
(pop 1)

(push 1)
; expect sat with 906 cells
(assert (and (= n (+ m m)) (> m 300) (sep (tree x n) (pairs y m))))
(check-sat)
(pop 1)

(push 1)
; expect sat with 700 cells
(assert (and (= n (+ m 700)) (= x z) (dll x y n z y m)))
(check-sat)
(pop 1)

(push 1)
; expect sat with 500 cells
(assert (and (= n 1001) (both x n m)))
(check-sat)
(pop 1)

(push 1)
; expect sat with 201 cells
(assert (and (> n (+ m 200)) (= k (+ n 201)) (steep x m k y n n)))
(check-sat)
(pop 1)
