; Finite maps from {K} to {V}, with sets for their keys and values.
;
; A map is its domain and the values there. Nothing is said of a value at a key out of the domain.
(declare-sort Map<{M}> 0)
(declare-fun Map.empty<{M}> () Map<{M}>)
(declare-fun Map.update<{M}> (Map<{M}> {K} {V}) Map<{M}>)
(declare-fun Map.lookup<{M}> (Map<{M}> {K}) {V})
(declare-fun Map.domain<{M}> (Map<{M}>) Set<{KN}>)
(declare-fun Map.values<{M}> (Map<{M}>) Set<{VN}>)
(declare-fun Map.card<{M}> (Map<{M}>) Int)
(declare-fun Map.equal<{M}> (Map<{M}> Map<{M}>) Bool)
; A key with this value, if there is one; a key at which two maps of one domain differ.
(declare-fun Map.key<{M}> (Map<{M}> {V}) {K})
(declare-fun Map.differ<{M}> (Map<{M}> Map<{M}>) {K})

(assert (= (Map.domain<{M}> Map.empty<{M}>) Set.empty<{KN}>))
(assert (= (Map.values<{M}> Map.empty<{M}>) Set.empty<{VN}>))
(assert (forall ((m Map<{M}>)) (!
  (=> (= (Map.domain<{M}> m) Set.empty<{KN}>) (= m Map.empty<{M}>))
  :pattern ((Map.domain<{M}> m))
  :qid map.empty)))
(assert (forall ((m Map<{M}>)) (!
  (= (Map.card<{M}> m) (Set.card<{KN}> (Map.domain<{M}> m)))
  :pattern ((Map.card<{M}> m))
  :qid map.card)))

; Updates
(assert (forall ((m Map<{M}>) (k {K}) (v {V})) (!
  (and (= (Map.domain<{M}> (Map.update<{M}> m k v)) (Set.insert<{KN}> (Map.domain<{M}> m) k))
       (= (Map.lookup<{M}> (Map.update<{M}> m k v) k) v))
  :pattern ((Map.update<{M}> m k v))
  :qid map.update)))
(assert (forall ((m Map<{M}>) (k {K}) (v {V}) (j {K})) (!
  (= (Map.lookup<{M}> (Map.update<{M}> m k v) j) (ite ({K=} k j) v (Map.lookup<{M}> m j)))
  :pattern ((Map.lookup<{M}> (Map.update<{M}> m k v) j))
  :pattern ((Map.update<{M}> m k v) (Map.lookup<{M}> m j))
  :qid map.update.lookup)))

; Values. The weight is for keys that are values too: then each key may give another one.
(assert (forall ((m Map<{M}>) (v {V})) (!
  (=> (Set.in<{VN}> v (Map.values<{M}> m))
      (and (Set.in<{KN}> (Map.key<{M}> m v) (Map.domain<{M}> m))
           (= (Map.lookup<{M}> m (Map.key<{M}> m v)) v)))
  :pattern ((Set.in<{VN}> v (Map.values<{M}> m)))
  :weight 40
  :qid map.values.key)))
(assert (forall ((m Map<{M}>) (k {K})) (!
  (=> (Set.in<{KN}> k (Map.domain<{M}> m))
      (Set.in<{VN}> (Map.lookup<{M}> m k) (Map.values<{M}> m)))
  :pattern ((Map.values<{M}> m) (Map.lookup<{M}> m k))
  :pattern ((Map.values<{M}> m) (Set.in<{KN}> k (Map.domain<{M}> m)))
  :qid map.values.lookup)))
(assert (forall ((m Map<{M}>)) (!
  (<= (Set.card<{VN}> (Map.values<{M}> m)) (Set.card<{KN}> (Map.domain<{M}> m)))
  :pattern ((Set.card<{VN}> (Map.values<{M}> m)))
  :qid map.values.card)))

; Equality
(assert (forall ((a Map<{M}>) (b Map<{M}>)) (!
  (ite (Map.equal<{M}> a b)
       (= a b)
       (or (not (Set.equal<{KN}> (Map.domain<{M}> a) (Map.domain<{M}> b)))
           (and (Set.in<{KN}> (Map.differ<{M}> a b) (Map.domain<{M}> a))
                (not ({V=} (Map.lookup<{M}> a (Map.differ<{M}> a b))
                           (Map.lookup<{M}> b (Map.differ<{M}> a b)))))))
  :pattern ((Map.equal<{M}> a b))
  :qid map.equal)))
