; by induct
(declare-sort Ref 0)
(declare-datatypes ((Node 0)) (((node (next Ref) (prev Ref) (data Int)))))
(declare-heap (Ref Node))
(define-fun-rec ls ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((u Ref) (d Int))
        (and (distinct x y) (sep (pto x (node u (as nil Ref) d)) (ls u y))))))
(define-fun-rec loose ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((u Ref) (d Int)) (sep (pto x (node u (as nil Ref) d)) (loose u y)))))
(define-fun-rec back ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((u Ref) (d Int)) (sep (back x u) (pto u (node y (as nil Ref) d))))))
(define-funs-rec ((even ((x Ref) (y Ref)) Bool) (odd ((x Ref) (y Ref)) Bool))
  ((or (and (= x y) (_ emp Ref Node))
       (exists ((u Ref) (d Int)) (sep (pto x (node u (as nil Ref) d)) (odd u y))))
   (exists ((u Ref) (d Int)) (sep (pto x (node u (as nil Ref) d)) (even u y)))))
(define-fun-rec dll ((x Ref) (p Ref) (l Ref) (n Ref)) Bool
  (or (exists ((d Int)) (and (= x l) (pto x (node n p d))))
      (exists ((u Ref) (d Int)) (sep (pto x (node u p d)) (dll u x l n)))))
(define-fun-rec rev ((x Ref) (p Ref) (l Ref) (n Ref)) Bool
  (or (exists ((d Int)) (and (= x l) (pto x (node n p d))))
      (exists ((u Ref) (d Int)) (sep (pto l (node n u d)) (rev x p u l)))))
(define-fun-rec tree ((x Ref)) Bool
  (or (and (= x (as nil Ref)) (_ emp Ref Node))
      (exists ((l Ref) (r Ref) (d Int)) (sep (pto x (node l r d)) (tree l) (tree r)))))
(define-fun-rec tseg ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((l Ref) (r Ref) (d Int)) (sep (pto x (node l r d)) (tree l) (tseg r y)))
      (exists ((l Ref) (r Ref) (d Int)) (sep (pto x (node l r d)) (tseg l y) (tree r)))))
(define-fun-rec skip ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((u Ref) (v Ref) (d Int))
        (and (distinct x y) (sep (pto x (node u v d)) (ls v u) (skip u y))))))
(define-fun-rec len ((x Ref) (y Ref) (n Int)) Bool
  (or (and (= x y) (= n 0) (_ emp Ref Node))
      (exists ((u Ref) (m Int) (d Int))
        (and (= n (+ m 1)) (<= 0 m) (sep (pto x (node u (as nil Ref) d)) (len u y m))))))
(define-fun-rec sorted ((x Ref) (y Ref) (a Int) (b Int)) Bool
  (or (and (= a b) (pto x (node y (as nil Ref) a)))
      (exists ((u Ref) (c Int))
        (and (<= a c) (<= c b) (sep (pto x (node u (as nil Ref) a)) (sorted u y c b))))))
(define-fun-rec one ((x Ref) (y Ref)) Bool (exists ((u Ref)) (sep (loose x u) (loose u y))))
(declare-const x Ref) (declare-const y Ref) (declare-const z Ref) (declare-const w Ref)
(declare-const k Int) (declare-const m Int) (declare-const n Int) (declare-const o Int)

(push 1)
(set-info :status unsat)
(assert (dll x y z w))
(assert (not (rev x y z w)))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (rev x (as nil Ref) y (as nil Ref)))
(assert (not (dll x (as nil Ref) y (as nil Ref))))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (exists ((u Ref) (v Ref)) (sep (dll x y u v) (dll v u z w))))
(assert (not (dll x y z w)))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (exists ((u Ref) (v Ref)) (sep (rev x y u v) (dll v u z w))))
(assert (not (rev x y z w)))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (dll x y z w))
(assert (not (rev x y w z)))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (exists ((u Ref) (v Ref)) (sep (dll x y u v) (dll v v z w))))
(assert (not (dll x y z w)))
(check-sat)
(pop 1)
