; by induct
(declare-sort Ref 0)
(declare-datatypes ((Node 0)) (((node (fst Ref) (snd Ref)))))
(declare-heap (Ref Node))
(define-fun-rec chain ((x Ref) (y Ref) (n Int)) Bool
  (or (and (= x y) (= n 0) (_ emp Ref Node))
      (exists ((u Ref) (m Int))
        (and (= m (- n 1)) (<= 0 m) (sep (pto x (node u (as nil Ref))) (chain u y m))))))
(define-fun-rec there ((x Ref) (p Ref) (l Ref) (e Ref) (n Int)) Bool
  (or (and (= x l) (= n 1) (pto x (node e p)))
      (exists ((u Ref) (m Int))
        (and (= m (- n 1)) (<= 1 m) (sep (pto x (node u p)) (there u x l e m))))))
(define-fun-rec back ((x Ref) (p Ref) (l Ref) (e Ref) (n Int)) Bool
  (or (and (= x l) (= n 1) (pto x (node e p)))
      (exists ((u Ref) (m Int))
        (and (= m (- n 1)) (<= 1 m) (sep (pto l (node e u)) (back x p u l m))))))
(define-fun-rec ending ((x Ref) (p Ref) (n Int)) Bool
  (or (and (= n 1) (pto x (node (as nil Ref) p)))
      (exists ((u Ref) (m Int))
        (and (= m (- n 1)) (<= 1 m) (sep (pto x (node u p)) (ending u x m))))))
(define-fun-rec middle ((x Ref) (p Ref) (l Ref) (e Ref)) Bool
  (or (exists ((n Int)) (and (<= n 2) (there x p l e n)))
      (exists ((u Ref) (v Ref) (w Ref) (m Int) (n Int))
        (sep (pto u (node v w)) (there v u l e m) (back x p w u n)))))
(define-fun-rec tree ((x Ref) (n Int)) Bool
  (or (and (= x (as nil Ref)) (= n 0) (_ emp Ref Node))
      (exists ((l Ref) (r Ref) (i Int) (j Int))
        (and (= n (+ i j 1)) (<= 0 i) (<= 0 j)
          (sep (pto x (node l r)) (tree l i) (tree r j))))))
(define-fun-rec limb ((x Ref) (y Ref) (n Int)) Bool
  (or (and (= x y) (= n 0) (_ emp Ref Node))
      (exists ((l Ref) (r Ref) (i Int) (j Int))
        (and (= n (+ i j 1)) (sep (pto x (node l r)) (tree l i) (limb r y j))))
      (exists ((l Ref) (r Ref) (i Int) (j Int))
        (and (= n (+ i j 1)) (sep (pto x (node l r)) (limb l y i) (tree r j))))))

(declare-const x Ref) (declare-const y Ref) (declare-const z Ref) (declare-const w Ref)
(declare-const v Ref)
(declare-const k Int) (declare-const m Int) (declare-const n Int) (declare-const o Int)
(declare-const i Int) (declare-const j Int) (declare-const p Int) (declare-const q Int)

(push 1)
(set-info :status unsat)
(assert (and (<= 1000 n) (chain x y n)))
(assert (not (exists ((a Ref) (b Ref) (c Ref) (d Ref) (e Ref) (k Int)) (and (= k (- n 5)) (sep (pto c (node d (as nil Ref))) (pto a (node b (as nil Ref))) (pto b (node c (as nil Ref))) (pto d (node e (as nil Ref))) (pto e (node y (as nil Ref))) (chain x a k))))))
(check-sat)
(pop 1)

(push 1)
(set-info :status unsat)
(assert (and (= n 1000) (= k 995) (there x y z w n)))
(assert (not (exists ((a Ref) (b Ref) (c Ref) (d Ref) (e Ref)) (sep (pto b (node c a)) (pto c (node d b)) (pto d (node e c)) (pto e (node z d)) (pto z (node w e)) (there x y a b k)))))
(check-sat)
(pop 1)

(push 1)
(set-info :status unknown)
(assert (and (= n 1000) (= k 998) (chain x y n)))
(assert (not (exists ((u Ref)) (sep (pto u (node y (as nil Ref))) (chain x u k)))))
(check-sat)
(pop 1)
