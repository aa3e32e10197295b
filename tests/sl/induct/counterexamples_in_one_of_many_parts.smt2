; by induct
; The counterexample is a cycle in the last part; the others are in no relation to it, and there are too many
; ways to make them larger to try them all.
(declare-sort Ref 0)
(declare-datatypes ((Node 0)) (((node (next Ref) (prev Ref) (data Int)))))
(declare-heap (Ref Node))
(define-fun-rec ls ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((u Ref) (d Int))
        (and (distinct x y) (sep (pto x (node u (as nil Ref) d)) (ls u y))))))
(define-fun-rec skip ((x Ref) (y Ref)) Bool
  (or (and (= x y) (_ emp Ref Node))
      (exists ((u Ref) (v Ref) (d Int))
        (and (distinct x y) (sep (pto x (node u v d)) (ls v u) (skip u y))))))
(declare-const v0 Ref) (declare-const v1 Ref) (declare-const v2 Ref) (declare-const v3 Ref) (declare-const v4 Ref) (declare-const v5 Ref) (declare-const v6 Ref) (declare-const v7 Ref) (declare-const v8 Ref) (declare-const v9 Ref)
(declare-const x Ref) (declare-const y Ref) (declare-const z Ref)

(set-info :status sat)
(assert (sep (skip v0 v1) (skip v1 v2) (skip v2 v3) (skip v3 v4) (skip v4 v5) (skip v5 v6) (skip v6 v7) (skip v7 v8) (skip v8 v9) (skip v9 (as nil Ref)) (skip x y) (skip y z)))
(assert (not (sep (skip v0 (as nil Ref)) (skip x z))))
(check-sat)
