; Finite sets of {E}.
;
; Everything but sizes is reduced to membership, which is followed from a compound set to its parts
; and, where the compound set is at hand, from a part to it. No rule makes new elements but for a
; witness of a difference.
(declare-sort Set<{N}> 0)
(declare-fun Set.empty<{N}> () Set<{N}>)
(declare-fun Set.singleton<{N}> ({E}) Set<{N}>)
(declare-fun Set.insert<{N}> (Set<{N}> {E}) Set<{N}>)
(declare-fun Set.union<{N}> (Set<{N}> Set<{N}>) Set<{N}>)
(declare-fun Set.intersection<{N}> (Set<{N}> Set<{N}>) Set<{N}>)
(declare-fun Set.difference<{N}> (Set<{N}> Set<{N}>) Set<{N}>)
(declare-fun Set.in<{N}> ({E} Set<{N}>) Bool)
(declare-fun Set.subset<{N}> (Set<{N}> Set<{N}>) Bool)
(declare-fun Set.disjoint<{N}> (Set<{N}> Set<{N}>) Bool)
(declare-fun Set.equal<{N}> (Set<{N}> Set<{N}>) Bool)
(declare-fun Set.card<{N}> (Set<{N}>) Int)
; An element, if there is one; one of the first set only; one of either set only; one of both.
(declare-fun Set.some<{N}> (Set<{N}>) {E})
(declare-fun Set.extra<{N}> (Set<{N}> Set<{N}>) {E})
(declare-fun Set.differ<{N}> (Set<{N}> Set<{N}>) {E})
(declare-fun Set.common<{N}> (Set<{N}> Set<{N}>) {E})

; Membership
(assert (forall ((e {E})) (!
  (not (Set.in<{N}> e Set.empty<{N}>))
  :pattern ((Set.in<{N}> e Set.empty<{N}>))
  :qid set.empty)))
(assert (forall ((x {E})) (!
  (Set.in<{N}> x (Set.singleton<{N}> x))
  :pattern ((Set.singleton<{N}> x))
  :qid set.singleton)))
(assert (forall ((x {E}) (e {E})) (!
  (= (Set.in<{N}> e (Set.singleton<{N}> x)) ({=} e x))
  :pattern ((Set.in<{N}> e (Set.singleton<{N}> x)))
  :qid set.singleton.in)))
(assert (forall ((s Set<{N}>) (x {E})) (!
  (Set.in<{N}> x (Set.insert<{N}> s x))
  :pattern ((Set.insert<{N}> s x))
  :qid set.insert)))
(assert (forall ((s Set<{N}>) (x {E}) (e {E})) (!
  (= (Set.in<{N}> e (Set.insert<{N}> s x)) (or ({=} e x) (Set.in<{N}> e s)))
  :pattern ((Set.in<{N}> e (Set.insert<{N}> s x)))
  :pattern ((Set.insert<{N}> s x) (Set.in<{N}> e s))
  :qid set.insert.in)))
(assert (forall ((a Set<{N}>) (b Set<{N}>) (e {E})) (!
  (= (Set.in<{N}> e (Set.union<{N}> a b)) (or (Set.in<{N}> e a) (Set.in<{N}> e b)))
  :pattern ((Set.in<{N}> e (Set.union<{N}> a b)))
  :pattern ((Set.union<{N}> a b) (Set.in<{N}> e a))
  :pattern ((Set.union<{N}> a b) (Set.in<{N}> e b))
  :qid set.union.in)))
(assert (forall ((a Set<{N}>) (b Set<{N}>) (e {E})) (!
  (= (Set.in<{N}> e (Set.intersection<{N}> a b)) (and (Set.in<{N}> e a) (Set.in<{N}> e b)))
  :pattern ((Set.in<{N}> e (Set.intersection<{N}> a b)))
  :pattern ((Set.intersection<{N}> a b) (Set.in<{N}> e a))
  :pattern ((Set.intersection<{N}> a b) (Set.in<{N}> e b))
  :qid set.intersection.in)))
(assert (forall ((a Set<{N}>) (b Set<{N}>) (e {E})) (!
  (= (Set.in<{N}> e (Set.difference<{N}> a b)) (and (Set.in<{N}> e a) (not (Set.in<{N}> e b))))
  :pattern ((Set.in<{N}> e (Set.difference<{N}> a b)))
  :pattern ((Set.difference<{N}> a b) (Set.in<{N}> e a))
  :pattern ((Set.difference<{N}> a b) (Set.in<{N}> e b))
  :qid set.difference.in)))

; Comparisons
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (or (Set.subset<{N}> a b)
      (and (Set.in<{N}> (Set.extra<{N}> a b) a) (not (Set.in<{N}> (Set.extra<{N}> a b) b))))
  :pattern ((Set.subset<{N}> a b))
  :qid set.subset)))
(assert (forall ((a Set<{N}>) (b Set<{N}>) (e {E})) (!
  (=> (and (Set.subset<{N}> a b) (Set.in<{N}> e a)) (Set.in<{N}> e b))
  :pattern ((Set.subset<{N}> a b) (Set.in<{N}> e a))
  :pattern ((Set.subset<{N}> a b) (Set.in<{N}> e b))
  :qid set.subset.in)))
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (or (Set.disjoint<{N}> a b)
      (and (Set.in<{N}> (Set.common<{N}> a b) a) (Set.in<{N}> (Set.common<{N}> a b) b)))
  :pattern ((Set.disjoint<{N}> a b))
  :qid set.disjoint)))
(assert (forall ((a Set<{N}>) (b Set<{N}>) (e {E})) (!
  (not (and (Set.disjoint<{N}> a b) (Set.in<{N}> e a) (Set.in<{N}> e b)))
  :pattern ((Set.disjoint<{N}> a b) (Set.in<{N}> e a))
  :pattern ((Set.disjoint<{N}> a b) (Set.in<{N}> e b))
  :qid set.disjoint.in)))
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (ite (Set.equal<{N}> a b)
       (= a b)
       (not (= (Set.in<{N}> (Set.differ<{N}> a b) a) (Set.in<{N}> (Set.differ<{N}> a b) b))))
  :pattern ((Set.equal<{N}> a b))
  :qid set.equal)))

; Laws that spare a proof by extensionality
(assert (forall ((s Set<{N}>)) (!
  (= (Set.union<{N}> s s) s)
  :pattern ((Set.union<{N}> s s))
  :qid set.union.same)))
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (= (Set.union<{N}> (Set.union<{N}> a b) b) (Set.union<{N}> a b))
  :pattern ((Set.union<{N}> (Set.union<{N}> a b) b))
  :qid set.union.again.right)))
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (= (Set.union<{N}> a (Set.union<{N}> a b)) (Set.union<{N}> a b))
  :pattern ((Set.union<{N}> a (Set.union<{N}> a b)))
  :qid set.union.again.left)))
(assert (forall ((s Set<{N}>)) (!
  (= (Set.union<{N}> s Set.empty<{N}>) s)
  :pattern ((Set.union<{N}> s Set.empty<{N}>))
  :qid set.union.empty.right)))
(assert (forall ((s Set<{N}>)) (!
  (= (Set.union<{N}> Set.empty<{N}> s) s)
  :pattern ((Set.union<{N}> Set.empty<{N}> s))
  :qid set.union.empty.left)))
(assert (forall ((s Set<{N}>) (x {E})) (!
  (= (Set.union<{N}> s (Set.singleton<{N}> x)) (Set.insert<{N}> s x))
  :pattern ((Set.union<{N}> s (Set.singleton<{N}> x)))
  :qid set.union.singleton.right)))
(assert (forall ((s Set<{N}>) (x {E})) (!
  (= (Set.union<{N}> (Set.singleton<{N}> x) s) (Set.insert<{N}> s x))
  :pattern ((Set.union<{N}> (Set.singleton<{N}> x) s))
  :qid set.union.singleton.left)))
(assert (forall ((s Set<{N}>) (x {E})) (!
  (= (= (Set.insert<{N}> s x) s) (Set.in<{N}> x s))
  :pattern ((Set.insert<{N}> s x))
  :qid set.insert.again)))
(assert (forall ((s Set<{N}>)) (!
  (= (Set.intersection<{N}> s s) s)
  :pattern ((Set.intersection<{N}> s s))
  :qid set.intersection.same)))
(assert (forall ((s Set<{N}>)) (!
  (= (Set.difference<{N}> s Set.empty<{N}>) s)
  :pattern ((Set.difference<{N}> s Set.empty<{N}>))
  :qid set.difference.empty)))

; Sizes
(assert (= (Set.card<{N}> Set.empty<{N}>) 0))
(assert (forall ((s Set<{N}>)) (!
  (or (= s Set.empty<{N}>) (and (< 0 (Set.card<{N}> s)) (Set.in<{N}> (Set.some<{N}> s) s)))
  :pattern ((Set.card<{N}> s))
  :qid set.card)))
(assert (forall ((x {E})) (!
  (= (Set.card<{N}> (Set.singleton<{N}> x)) 1)
  :pattern ((Set.card<{N}> (Set.singleton<{N}> x)))
  :qid set.card.singleton)))
(assert (forall ((s Set<{N}>) (x {E})) (!
  (= (Set.card<{N}> (Set.insert<{N}> s x))
     (ite (Set.in<{N}> x s) (Set.card<{N}> s) (+ (Set.card<{N}> s) 1)))
  :pattern ((Set.card<{N}> (Set.insert<{N}> s x)))
  :qid set.card.insert)))
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (= (+ (Set.card<{N}> (Set.union<{N}> a b)) (Set.card<{N}> (Set.intersection<{N}> a b)))
     (+ (Set.card<{N}> a) (Set.card<{N}> b)))
  :pattern ((Set.card<{N}> (Set.union<{N}> a b)))
  :pattern ((Set.card<{N}> (Set.intersection<{N}> a b)))
  :qid set.card.union)))
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (and (= (Set.intersection<{N}> a b) (Set.intersection<{N}> b a))
       (<= (Set.card<{N}> (Set.intersection<{N}> a b)) (Set.card<{N}> a))
       (<= (Set.card<{N}> (Set.intersection<{N}> a b)) (Set.card<{N}> b)))
  :pattern ((Set.card<{N}> (Set.intersection<{N}> a b)))
  :qid set.card.intersection)))
(assert (forall ((s Set<{N}>) (x {E})) (!
  (= (Set.intersection<{N}> s (Set.singleton<{N}> x))
     (ite (Set.in<{N}> x s) (Set.singleton<{N}> x) Set.empty<{N}>))
  :pattern ((Set.card<{N}> (Set.intersection<{N}> s (Set.singleton<{N}> x))))
  :qid set.card.intersection.singleton)))
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (= (Set.card<{N}> (Set.difference<{N}> a b))
     (- (Set.card<{N}> a) (Set.card<{N}> (Set.intersection<{N}> a b))))
  :pattern ((Set.card<{N}> (Set.difference<{N}> a b)))
  :qid set.card.difference)))
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (=> (Set.subset<{N}> a b)
      (and (<= (Set.card<{N}> a) (Set.card<{N}> b))
           (=> (= (Set.card<{N}> a) (Set.card<{N}> b)) (= a b))))
  :pattern ((Set.subset<{N}> a b) (Set.card<{N}> a))
  :pattern ((Set.subset<{N}> a b) (Set.card<{N}> b))
  :qid set.card.subset)))

; What is left of a set when a part of it is taken away.
(assert (forall ((a Set<{N}>) (b Set<{N}>)) (!
  (=> (Set.subset<{N}> b a)
      (= (Set.card<{N}> (Set.difference<{N}> a b)) (- (Set.card<{N}> a) (Set.card<{N}> b))))
  :pattern ((Set.card<{N}> (Set.difference<{N}> a b)) (Set.subset<{N}> b a))
  :qid set.card.rest)))
