; Sequences of the integers from a bound to another, that one excluded.
(declare-fun Seq.range (Int Int) Seq<Int>)
(assert (forall ((a Int) (b Int)) (!
  (= (Seq.length<Int> (Seq.range a b)) (ite (< a b) (- b a) 0))
  :pattern ((Seq.range a b))
  :qid seq.range.length)))
(assert (forall ((a Int) (b Int) (i Int)) (!
  (=> (and (<= 0 i) (< i (- b a))) (= (Seq.index<Int> (Seq.range a b) i) (+ a i)))
  :pattern ((Seq.index<Int> (Seq.range a b) i))
  :qid seq.range.index)))
(assert (forall ((a Int) (b Int) (e Int)) (!
  (= (Seq.contains<Int> (Seq.range a b) e) (and (<= a e) (< e b)))
  :pattern ((Seq.contains<Int> (Seq.range a b) e))
  :qid seq.range.contains)))
