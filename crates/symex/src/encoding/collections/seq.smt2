; Sequences of {E}.
;
; Everything is reduced to lengths and elements. Elements are followed in both directions: from a
; compound sequence to its parts and, where the compound sequence is at hand, from a part to it.
; Nothing is said of an element out of bounds.
(declare-sort Seq<{N}> 0)
(declare-fun Seq.empty<{N}> () Seq<{N}>)
(declare-fun Seq.singleton<{N}> ({E}) Seq<{N}>)
(declare-fun Seq.append<{N}> (Seq<{N}> Seq<{N}>) Seq<{N}>)
(declare-fun Seq.take<{N}> (Seq<{N}> Int) Seq<{N}>)
(declare-fun Seq.drop<{N}> (Seq<{N}> Int) Seq<{N}>)
(declare-fun Seq.update<{N}> (Seq<{N}> Int {E}) Seq<{N}>)
(declare-fun Seq.length<{N}> (Seq<{N}>) Int)
(declare-fun Seq.index<{N}> (Seq<{N}> Int) {E})
(declare-fun Seq.contains<{N}> (Seq<{N}> {E}) Bool)
(declare-fun Seq.equal<{N}> (Seq<{N}> Seq<{N}>) Bool)
; Always true: there are facts about all elements of a sequence.
(declare-fun Seq.watched<{N}> (Seq<{N}>) Bool)
; The sum and the difference of an index and an offset.
(declare-fun Seq.shift<{N}> (Int Int) Int)
(declare-fun Seq.unshift<{N}> (Int Int) Int)
; Where an element is, if it is anywhere.
(declare-fun Seq.find<{N}> (Seq<{N}> {E}) Int)
; Where two sequences of one length differ, if they do.
(declare-fun Seq.differ<{N}> (Seq<{N}> Seq<{N}>) Int)

; Lengths
(assert (= (Seq.length<{N}> Seq.empty<{N}>) 0))
(assert (forall ((s Seq<{N}>)) (!
  (and (<= 0 (Seq.length<{N}> s)) (=> (= (Seq.length<{N}> s) 0) (= s Seq.empty<{N}>)))
  :pattern ((Seq.length<{N}> s))
  :qid seq.length)))
(assert (forall ((e {E})) (!
  (and (= (Seq.length<{N}> (Seq.singleton<{N}> e)) 1)
       (= (Seq.index<{N}> (Seq.singleton<{N}> e) 0) e))
  :pattern ((Seq.singleton<{N}> e))
  :qid seq.singleton)))
(assert (forall ((a Seq<{N}>) (b Seq<{N}>)) (!
  (= (Seq.length<{N}> (Seq.append<{N}> a b)) (+ (Seq.length<{N}> a) (Seq.length<{N}> b)))
  :pattern ((Seq.append<{N}> a b))
  :qid seq.append.length)))
(assert (forall ((s Seq<{N}>) (n Int)) (!
  (and (=> (<= n 0) (= (Seq.take<{N}> s n) Seq.empty<{N}>))
       (=> (<= (Seq.length<{N}> s) n) (= (Seq.take<{N}> s n) s))
       (=> (<= 0 n (Seq.length<{N}> s)) (= (Seq.length<{N}> (Seq.take<{N}> s n)) n)))
  :pattern ((Seq.take<{N}> s n))
  :qid seq.take)))
(assert (forall ((s Seq<{N}>) (n Int)) (!
  (and (=> (<= n 0) (= (Seq.drop<{N}> s n) s))
       (=> (<= (Seq.length<{N}> s) n) (= (Seq.drop<{N}> s n) Seq.empty<{N}>))
       (=> (<= 0 n (Seq.length<{N}> s))
           (= (Seq.length<{N}> (Seq.drop<{N}> s n)) (- (Seq.length<{N}> s) n))))
  :pattern ((Seq.drop<{N}> s n))
  :qid seq.drop)))
(assert (forall ((s Seq<{N}>) (i Int) (e {E})) (!
  (=> (and (<= 0 i) (< i (Seq.length<{N}> s)))
      (and (= (Seq.length<{N}> (Seq.update<{N}> s i e)) (Seq.length<{N}> s))
           (= (Seq.index<{N}> (Seq.update<{N}> s i e) i) e)))
  :pattern ((Seq.update<{N}> s i e))
  :qid seq.update)))

; Elements. A sequence may be known to consist of parts of itself: `s = s[..n] ++ s[n..]`. Elements
; must not go round in this circle for ever. So nothing is shifted by nothing, and sums of indices are
; terms of their own, which the solver takes to be the index they came from as soon as it takes `n`
; and the length of `s[..n]` to be the same. Where it does not, weights end it: by them an element is
; followed into about twenty shifted parts, or out of four.
(assert (forall ((i Int) (n Int)) (!
  (= (Seq.shift<{N}> i n) (+ i n))
  :pattern ((Seq.shift<{N}> i n))
  :qid seq.shift)))
(assert (forall ((i Int) (n Int)) (!
  (= (Seq.unshift<{N}> i n) (- i n))
  :pattern ((Seq.unshift<{N}> i n))
  :qid seq.unshift)))
(assert (forall ((a Seq<{N}>) (b Seq<{N}>)) (!
  (and (=> (= a Seq.empty<{N}>) (= (Seq.append<{N}> a b) b))
       (=> (= b Seq.empty<{N}>) (= (Seq.append<{N}> a b) a)))
  :pattern ((Seq.append<{N}> a b))
  :qid seq.append.empty)))
(assert (forall ((a Seq<{N}>) (b Seq<{N}>) (i Int)) (!
  (=> (and (<= 0 i) (< i (Seq.length<{N}> a)))
      (= (Seq.index<{N}> (Seq.append<{N}> a b) i) (Seq.index<{N}> a i)))
  :pattern ((Seq.index<{N}> (Seq.append<{N}> a b) i))
  :pattern ((Seq.append<{N}> a b) (Seq.index<{N}> a i))
  :qid seq.append.left)))
(assert (forall ((a Seq<{N}>) (b Seq<{N}>) (i Int)) (!
  (=> (and (not (= a Seq.empty<{N}>))
           (not (= b Seq.empty<{N}>))
           (<= (Seq.length<{N}> a) i)
           (< i (Seq.length<{N}> (Seq.append<{N}> a b))))
      (and (= (Seq.shift<{N}> (Seq.unshift<{N}> i (Seq.length<{N}> a)) (Seq.length<{N}> a)) i)
           (= (Seq.index<{N}> (Seq.append<{N}> a b) i)
              (Seq.index<{N}> b (Seq.unshift<{N}> i (Seq.length<{N}> a))))))
  :pattern ((Seq.index<{N}> (Seq.append<{N}> a b) i))
  :weight 4
  :qid seq.append.right)))
(assert (forall ((a Seq<{N}>) (b Seq<{N}>) (i Int)) (!
  (=> (and (not (= a Seq.empty<{N}>))
           (not (= b Seq.empty<{N}>))
           (<= 0 i)
           (< i (Seq.length<{N}> b)))
      (and (= (Seq.unshift<{N}> (Seq.shift<{N}> i (Seq.length<{N}> a)) (Seq.length<{N}> a)) i)
           (= (Seq.index<{N}> (Seq.append<{N}> a b) (Seq.shift<{N}> i (Seq.length<{N}> a)))
              (Seq.index<{N}> b i))))
  :pattern ((Seq.append<{N}> a b) (Seq.index<{N}> b i))
  :weight 20
  :qid seq.append.right.back)))
(assert (forall ((s Seq<{N}>) (n Int) (i Int)) (!
  (=> (and (<= 0 i) (< i n) (< i (Seq.length<{N}> s)))
      (= (Seq.index<{N}> (Seq.take<{N}> s n) i) (Seq.index<{N}> s i)))
  :pattern ((Seq.index<{N}> (Seq.take<{N}> s n) i))
  :pattern ((Seq.take<{N}> s n) (Seq.index<{N}> s i))
  :qid seq.take.index)))
(assert (forall ((s Seq<{N}>) (n Int) (i Int)) (!
  (=> (and (< 0 n) (<= 0 i) (< i (- (Seq.length<{N}> s) n)))
      (and (= (Seq.unshift<{N}> (Seq.shift<{N}> i n) n) i)
           (= (Seq.index<{N}> (Seq.drop<{N}> s n) i) (Seq.index<{N}> s (Seq.shift<{N}> i n)))))
  :pattern ((Seq.index<{N}> (Seq.drop<{N}> s n) i))
  :weight 4
  :qid seq.drop.index)))
(assert (forall ((s Seq<{N}>) (n Int) (i Int)) (!
  (=> (and (< 0 n) (<= n i) (< i (Seq.length<{N}> s)))
      (and (= (Seq.shift<{N}> (Seq.unshift<{N}> i n) n) i)
           (= (Seq.index<{N}> (Seq.drop<{N}> s n) (Seq.unshift<{N}> i n)) (Seq.index<{N}> s i))))
  :pattern ((Seq.drop<{N}> s n) (Seq.index<{N}> s i))
  :weight 20
  :qid seq.drop.index.back)))
(assert (forall ((s Seq<{N}>) (i Int) (e {E}) (j Int)) (!
  (=> (and (<= 0 i) (< i (Seq.length<{N}> s)) (<= 0 j) (< j (Seq.length<{N}> s)) (not (= i j)))
      (= (Seq.index<{N}> (Seq.update<{N}> s i e) j) (Seq.index<{N}> s j)))
  :pattern ((Seq.index<{N}> (Seq.update<{N}> s i e) j))
  :pattern ((Seq.update<{N}> s i e) (Seq.index<{N}> s j))
  :qid seq.update.index)))

; Parts of compound sequences as sequences, for functions that take them
(assert (forall ((a Seq<{N}>) (b Seq<{N}>) (n Int)) (!
  (and (=> (and (< 0 n) (<= n (Seq.length<{N}> a)))
           (= (Seq.take<{N}> (Seq.append<{N}> a b) n) (Seq.take<{N}> a n)))
       (=> (< 0 (Seq.length<{N}> a) n)
           (= (Seq.take<{N}> (Seq.append<{N}> a b) n)
              (Seq.append<{N}> a (Seq.take<{N}> b (- n (Seq.length<{N}> a)))))))
  :pattern ((Seq.take<{N}> (Seq.append<{N}> a b) n))
  :qid seq.take.append)))
(assert (forall ((a Seq<{N}>) (b Seq<{N}>) (n Int)) (!
  (and (=> (and (< 0 n) (< n (Seq.length<{N}> a)))
           (= (Seq.drop<{N}> (Seq.append<{N}> a b) n) (Seq.append<{N}> (Seq.drop<{N}> a n) b)))
       (=> (and (< 0 n) (= n (Seq.length<{N}> a)))
           (= (Seq.drop<{N}> (Seq.append<{N}> a b) n) b))
       (=> (< 0 (Seq.length<{N}> a) n)
           (= (Seq.drop<{N}> (Seq.append<{N}> a b) n)
              (Seq.drop<{N}> b (- n (Seq.length<{N}> a))))))
  :pattern ((Seq.drop<{N}> (Seq.append<{N}> a b) n))
  :qid seq.drop.append)))
(assert (forall ((s Seq<{N}>) (i Int) (e {E}) (n Int)) (!
  (=> (and (<= 0 i) (< i (Seq.length<{N}> s)) (< 0 n) (< n (Seq.length<{N}> s)))
      (= (Seq.take<{N}> (Seq.update<{N}> s i e) n)
         (ite (< i n) (Seq.update<{N}> (Seq.take<{N}> s n) i e) (Seq.take<{N}> s n))))
  :pattern ((Seq.take<{N}> (Seq.update<{N}> s i e) n))
  :qid seq.take.update)))
(assert (forall ((s Seq<{N}>) (i Int) (e {E}) (n Int)) (!
  (=> (and (<= 0 i) (< i (Seq.length<{N}> s)) (< 0 n) (< n (Seq.length<{N}> s)))
      (= (Seq.drop<{N}> (Seq.update<{N}> s i e) n)
         (ite (< i n) (Seq.drop<{N}> s n) (Seq.update<{N}> (Seq.drop<{N}> s n) (- i n) e))))
  :pattern ((Seq.drop<{N}> (Seq.update<{N}> s i e) n))
  :qid seq.drop.update)))

; Membership
(assert (forall ((s Seq<{N}>) (e {E})) (!
  (=> (Seq.contains<{N}> s e)
      (and (<= 0 (Seq.find<{N}> s e))
           (< (Seq.find<{N}> s e) (Seq.length<{N}> s))
           (= (Seq.index<{N}> s (Seq.find<{N}> s e)) e)))
  :pattern ((Seq.contains<{N}> s e))
  :qid seq.contains.find)))
(assert (forall ((s Seq<{N}>) (e {E}) (i Int)) (!
  (=> (and (<= 0 i) (< i (Seq.length<{N}> s)) ({=} (Seq.index<{N}> s i) e))
      (Seq.contains<{N}> s e))
  :pattern ((Seq.contains<{N}> s e) (Seq.index<{N}> s i))
  :qid seq.contains.index)))
; Facts about all elements are known of each of them, if someone says that there are such facts.
(assert (forall ((s Seq<{N}>) (i Int)) (!
  (=> (and (<= 0 i) (< i (Seq.length<{N}> s)))
      (Seq.contains<{N}> s (Seq.index<{N}> s i)))
  :pattern ((Seq.watched<{N}> s) (Seq.index<{N}> s i))
  :qid seq.contains.element)))
(assert (forall ((s Seq<{N}>)) (!
  (Seq.watched<{N}> s)
  :pattern ((Seq.watched<{N}> s))
  :qid seq.watched)))
(assert (forall ((x {E})) (!
  (Seq.contains<{N}> (Seq.singleton<{N}> x) x)
  :pattern ((Seq.watched<{N}> (Seq.singleton<{N}> x)))
  :qid seq.contains.only)))
(assert (forall ((x {E}) (e {E})) (!
  (= (Seq.contains<{N}> (Seq.singleton<{N}> x) e) ({=} x e))
  :pattern ((Seq.contains<{N}> (Seq.singleton<{N}> x) e))
  :qid seq.contains.singleton)))
(assert (forall ((a Seq<{N}>) (b Seq<{N}>) (e {E})) (!
  (= (Seq.contains<{N}> (Seq.append<{N}> a b) e)
     (or (Seq.contains<{N}> a e) (Seq.contains<{N}> b e)))
  :pattern ((Seq.contains<{N}> (Seq.append<{N}> a b) e))
  :qid seq.contains.append)))
(assert (forall ((s Seq<{N}>) (n Int) (e {E})) (!
  (=> (Seq.contains<{N}> (Seq.take<{N}> s n) e) (Seq.contains<{N}> s e))
  :pattern ((Seq.contains<{N}> (Seq.take<{N}> s n) e))
  :qid seq.contains.take)))
(assert (forall ((s Seq<{N}>) (n Int) (e {E})) (!
  (=> (Seq.contains<{N}> (Seq.drop<{N}> s n) e) (Seq.contains<{N}> s e))
  :pattern ((Seq.contains<{N}> (Seq.drop<{N}> s n) e))
  :qid seq.contains.drop)))

; Equality
(assert (forall ((a Seq<{N}>) (b Seq<{N}>)) (!
  (ite (Seq.equal<{N}> a b)
       (= a b)
       (or (not (= (Seq.length<{N}> a) (Seq.length<{N}> b)))
           (and (<= 0 (Seq.differ<{N}> a b))
                (< (Seq.differ<{N}> a b) (Seq.length<{N}> a))
                (not ({=} (Seq.index<{N}> a (Seq.differ<{N}> a b))
                          (Seq.index<{N}> b (Seq.differ<{N}> a b)))))))
  :pattern ((Seq.equal<{N}> a b))
  :qid seq.equal)))
