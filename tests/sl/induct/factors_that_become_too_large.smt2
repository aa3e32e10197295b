; by induct
; Three large factors of the same variable: their sum has no place in 128 bits.
(declare-sort Ref 0)
(declare-heap (Ref Ref))
(define-fun-rec p ((a Int) (b Int) (c Int) (d Int)) Bool
  (and (= (+ (* (* 9223372036854775807 9223372036854775807) a) (* (* 9223372036854775807 9223372036854775807) b) (* (* 9223372036854775807 9223372036854775807) c)) (* (* 9223372036854775807 9223372036854775807) d)) (_ emp Ref Ref)))
(declare-const n Int)
(declare-const m Int)

(push 1)
; expect not unsat
(assert (and (= n 1) (p n n n m)))
(check-sat)
(pop 1)
