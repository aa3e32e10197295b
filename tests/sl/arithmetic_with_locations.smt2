; What is bound cannot be both a location and a number to count with.
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(declare-const n Int)
(define-fun-rec ls ((a Int) (b Int)) Bool
  (or (and (= a b) (_ emp Int Int))
      (exists ((u Int)) (and (distinct a b) (sep (pto a u) (ls u b))))))
(define-fun-rec arr ((a Int) (b Int)) Bool
  (or (and (= a b) (_ emp Int Int))
      (exists ((u Int)) (sep (pto a u) (arr (+ a 1) b)))))

(push 1)
; expect out of fragment: arithmetic with a location
(assert (arr x y))
(check-sat)
(pop 1)
