; Finite multisets of {E}.
;
; Everything but sizes is reduced to counts. Of the size of an intersection nothing is said but how
; it relates to differences, as in Viper's other verifiers.
(declare-sort Multiset<{N}> 0)
(declare-fun Multiset.empty<{N}> () Multiset<{N}>)
(declare-fun Multiset.singleton<{N}> ({E}) Multiset<{N}>)
(declare-fun Multiset.union<{N}> (Multiset<{N}> Multiset<{N}>) Multiset<{N}>)
(declare-fun Multiset.intersection<{N}> (Multiset<{N}> Multiset<{N}>) Multiset<{N}>)
(declare-fun Multiset.difference<{N}> (Multiset<{N}> Multiset<{N}>) Multiset<{N}>)
(declare-fun Multiset.count<{N}> (Multiset<{N}> {E}) Int)
(declare-fun Multiset.subset<{N}> (Multiset<{N}> Multiset<{N}>) Bool)
(declare-fun Multiset.equal<{N}> (Multiset<{N}> Multiset<{N}>) Bool)
(declare-fun Multiset.card<{N}> (Multiset<{N}>) Int)
; An element, if there is one; one that the first has more often; one that they have not as often.
(declare-fun Multiset.some<{N}> (Multiset<{N}>) {E})
(declare-fun Multiset.extra<{N}> (Multiset<{N}> Multiset<{N}>) {E})
(declare-fun Multiset.differ<{N}> (Multiset<{N}> Multiset<{N}>) {E})

; Counts
(assert (forall ((m Multiset<{N}>) (e {E})) (!
  (<= 0 (Multiset.count<{N}> m e))
  :pattern ((Multiset.count<{N}> m e))
  :qid multiset.count)))
(assert (forall ((e {E})) (!
  (= (Multiset.count<{N}> Multiset.empty<{N}> e) 0)
  :pattern ((Multiset.count<{N}> Multiset.empty<{N}> e))
  :qid multiset.empty)))
(assert (forall ((x {E})) (!
  (= (Multiset.count<{N}> (Multiset.singleton<{N}> x) x) 1)
  :pattern ((Multiset.singleton<{N}> x))
  :qid multiset.singleton)))
(assert (forall ((x {E}) (e {E})) (!
  (= (Multiset.count<{N}> (Multiset.singleton<{N}> x) e) (ite ({=} x e) 1 0))
  :pattern ((Multiset.count<{N}> (Multiset.singleton<{N}> x) e))
  :qid multiset.singleton.count)))
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>) (e {E})) (!
  (= (Multiset.count<{N}> (Multiset.union<{N}> a b) e)
     (+ (Multiset.count<{N}> a e) (Multiset.count<{N}> b e)))
  :pattern ((Multiset.count<{N}> (Multiset.union<{N}> a b) e))
  :pattern ((Multiset.union<{N}> a b) (Multiset.count<{N}> a e))
  :pattern ((Multiset.union<{N}> a b) (Multiset.count<{N}> b e))
  :qid multiset.union.count)))
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>) (e {E})) (!
  (= (Multiset.count<{N}> (Multiset.intersection<{N}> a b) e)
     (ite (<= (Multiset.count<{N}> a e) (Multiset.count<{N}> b e))
          (Multiset.count<{N}> a e)
          (Multiset.count<{N}> b e)))
  :pattern ((Multiset.count<{N}> (Multiset.intersection<{N}> a b) e))
  :pattern ((Multiset.intersection<{N}> a b) (Multiset.count<{N}> a e))
  :pattern ((Multiset.intersection<{N}> a b) (Multiset.count<{N}> b e))
  :qid multiset.intersection.count)))
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>) (e {E})) (!
  (= (Multiset.count<{N}> (Multiset.difference<{N}> a b) e)
     (ite (<= (Multiset.count<{N}> a e) (Multiset.count<{N}> b e))
          0
          (- (Multiset.count<{N}> a e) (Multiset.count<{N}> b e))))
  :pattern ((Multiset.count<{N}> (Multiset.difference<{N}> a b) e))
  :pattern ((Multiset.difference<{N}> a b) (Multiset.count<{N}> a e))
  :pattern ((Multiset.difference<{N}> a b) (Multiset.count<{N}> b e))
  :qid multiset.difference.count)))

; Comparisons
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>)) (!
  (or (Multiset.subset<{N}> a b)
      (< (Multiset.count<{N}> b (Multiset.extra<{N}> a b))
         (Multiset.count<{N}> a (Multiset.extra<{N}> a b))))
  :pattern ((Multiset.subset<{N}> a b))
  :qid multiset.subset)))
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>) (e {E})) (!
  (=> (Multiset.subset<{N}> a b) (<= (Multiset.count<{N}> a e) (Multiset.count<{N}> b e)))
  :pattern ((Multiset.subset<{N}> a b) (Multiset.count<{N}> a e))
  :pattern ((Multiset.subset<{N}> a b) (Multiset.count<{N}> b e))
  :qid multiset.subset.count)))
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>)) (!
  (ite (Multiset.equal<{N}> a b)
       (= a b)
       (not (= (Multiset.count<{N}> a (Multiset.differ<{N}> a b))
               (Multiset.count<{N}> b (Multiset.differ<{N}> a b)))))
  :pattern ((Multiset.equal<{N}> a b))
  :qid multiset.equal)))

; Sizes
(assert (= (Multiset.card<{N}> Multiset.empty<{N}>) 0))
(assert (forall ((m Multiset<{N}>)) (!
  (or (= m Multiset.empty<{N}>)
      (and (< 0 (Multiset.card<{N}> m))
           (< 0 (Multiset.count<{N}> m (Multiset.some<{N}> m)))))
  :pattern ((Multiset.card<{N}> m))
  :qid multiset.card)))
(assert (forall ((m Multiset<{N}>) (e {E})) (!
  (<= (Multiset.count<{N}> m e) (Multiset.card<{N}> m))
  :pattern ((Multiset.card<{N}> m) (Multiset.count<{N}> m e))
  :qid multiset.card.count)))
(assert (forall ((x {E})) (!
  (= (Multiset.card<{N}> (Multiset.singleton<{N}> x)) 1)
  :pattern ((Multiset.card<{N}> (Multiset.singleton<{N}> x)))
  :qid multiset.card.singleton)))
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>)) (!
  (= (Multiset.card<{N}> (Multiset.union<{N}> a b))
     (+ (Multiset.card<{N}> a) (Multiset.card<{N}> b)))
  :pattern ((Multiset.card<{N}> (Multiset.union<{N}> a b)))
  :pattern ((Multiset.union<{N}> a b) (Multiset.card<{N}> a))
  :pattern ((Multiset.union<{N}> a b) (Multiset.card<{N}> b))
  :qid multiset.card.union)))
(assert (forall ((m Multiset<{N}>)) (!
  (= (Multiset.difference<{N}> m Multiset.empty<{N}>) m)
  :pattern ((Multiset.difference<{N}> m Multiset.empty<{N}>))
  :qid multiset.difference.empty)))
(assert (forall ((m Multiset<{N}>) (x {E})) (!
  (= (Multiset.card<{N}> (Multiset.difference<{N}> m (Multiset.singleton<{N}> x)))
     (- (Multiset.card<{N}> m) (ite (< 0 (Multiset.count<{N}> m x)) 1 0)))
  :pattern ((Multiset.card<{N}> (Multiset.difference<{N}> m (Multiset.singleton<{N}> x))))
  :qid multiset.card.difference.singleton)))
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>)) (!
  (and (= (Multiset.card<{N}> (Multiset.difference<{N}> a b))
          (- (Multiset.card<{N}> a) (Multiset.card<{N}> (Multiset.intersection<{N}> a b))))
       (= (Multiset.card<{N}> (Multiset.difference<{N}> b a))
          (- (Multiset.card<{N}> b) (Multiset.card<{N}> (Multiset.intersection<{N}> a b)))))
  :pattern ((Multiset.card<{N}> (Multiset.difference<{N}> a b)))
  :qid multiset.card.difference)))
(assert (forall ((a Multiset<{N}>) (b Multiset<{N}>)) (!
  (=> (Multiset.subset<{N}> a b)
      (and (<= (Multiset.card<{N}> a) (Multiset.card<{N}> b))
           (=> (= (Multiset.card<{N}> a) (Multiset.card<{N}> b)) (= a b))))
  :pattern ((Multiset.subset<{N}> a b) (Multiset.card<{N}> a))
  :pattern ((Multiset.subset<{N}> a b) (Multiset.card<{N}> b))
  :qid multiset.card.subset)))
