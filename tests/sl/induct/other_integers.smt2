; by induct
(declare-sort Ref 0)
(declare-datatypes ((Node 0)) (((node (next Ref) (data Int)))))
(declare-heap (Ref Node))
(define-fun-rec rising ((x Ref) (y Ref) (a Int) (b Int)) Bool
  (or (and (= a b) (pto x (node y a)))
      (exists ((u Ref) (c Int))
        (and (<= a c) (<= c b) (sep (pto x (node u a)) (rising u y c b))))))
(define-fun-rec climb ((x Ref) (a Int) (m Int) (y Ref) (b Int) (n Int)) Bool
  (or (and (= x y) (= a b) (= m n) (_ emp Ref Node))
      (exists ((u Ref) (c Int) (k Int))
        (and (< a c) (= m (+ k 1)) (sep (pto x (node u a)) (climb u c k y b n))))))

(declare-const x Ref) (declare-const y Ref) (declare-const z Ref) (declare-const w Ref)
(declare-const v Ref)
(declare-const k Int) (declare-const m Int) (declare-const n Int) (declare-const o Int)
(declare-const i Int) (declare-const j Int) (declare-const p Int) (declare-const q Int)

(push 1)
(set-info :status sat)
(assert (and (<= i n) (sep (rising x y i j) (rising y z m n))))
(assert (not (rising x z i n)))
(check-sat)
(pop 1)

(push 1)
(set-info :status sat)
(assert (and (<= k m) (rising x y m n)))
(assert (not (and (<= 0 k) (rising x y m n))))
(check-sat)
(pop 1)
