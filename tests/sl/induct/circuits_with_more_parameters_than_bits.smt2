; by induct
; More parameters than bits, all of them equal.
(declare-sort Ref 0)
(declare-heap (Ref Ref))
(declare-const x Ref)
(define-fun-rec wide ((v0 Ref) (v1 Ref) (v2 Ref) (v3 Ref) (v4 Ref) (v5 Ref) (v6 Ref) (v7 Ref) (v8 Ref) (v9 Ref) (v10 Ref) (v11 Ref) (v12 Ref) (v13 Ref) (v14 Ref) (v15 Ref) (v16 Ref) (v17 Ref) (v18 Ref) (v19 Ref) (v20 Ref) (v21 Ref) (v22 Ref) (v23 Ref) (v24 Ref) (v25 Ref) (v26 Ref) (v27 Ref) (v28 Ref) (v29 Ref) (v30 Ref) (v31 Ref) (v32 Ref) (v33 Ref) (v34 Ref) (v35 Ref) (v36 Ref) (v37 Ref) (v38 Ref) (v39 Ref) (v40 Ref) (v41 Ref) (v42 Ref) (v43 Ref) (v44 Ref) (v45 Ref) (v46 Ref) (v47 Ref) (v48 Ref) (v49 Ref) (v50 Ref) (v51 Ref) (v52 Ref) (v53 Ref) (v54 Ref) (v55 Ref) (v56 Ref) (v57 Ref) (v58 Ref) (v59 Ref) (v60 Ref) (v61 Ref) (v62 Ref) (v63 Ref) (v64 Ref) (v65 Ref)) Bool
  (and (= v1 v0) (= v2 v0) (= v3 v0) (= v4 v0) (= v5 v0) (= v6 v0) (= v7 v0) (= v8 v0) (= v9 v0) (= v10 v0) (= v11 v0) (= v12 v0) (= v13 v0) (= v14 v0) (= v15 v0) (= v16 v0) (= v17 v0) (= v18 v0) (= v19 v0) (= v20 v0) (= v21 v0) (= v22 v0) (= v23 v0) (= v24 v0) (= v25 v0) (= v26 v0) (= v27 v0) (= v28 v0) (= v29 v0) (= v30 v0) (= v31 v0) (= v32 v0) (= v33 v0) (= v34 v0) (= v35 v0) (= v36 v0) (= v37 v0) (= v38 v0) (= v39 v0) (= v40 v0) (= v41 v0) (= v42 v0) (= v43 v0) (= v44 v0) (= v45 v0) (= v46 v0) (= v47 v0) (= v48 v0) (= v49 v0) (= v50 v0) (= v51 v0) (= v52 v0) (= v53 v0) (= v54 v0) (= v55 v0) (= v56 v0) (= v57 v0) (= v58 v0) (= v59 v0) (= v60 v0) (= v61 v0) (= v62 v0) (= v63 v0) (= v64 v0) (= v65 v0) (distinct v0 (as nil Ref)) (_ emp Ref Ref)))

(push 1)
(set-info :status sat)
(assert (wide x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x))
(check-sat)
(pop 1)
