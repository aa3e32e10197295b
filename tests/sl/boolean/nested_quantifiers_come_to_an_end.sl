// by boolean
// standard
// Every instance of a quantifier has new names, of which the quantifiers below have instances.

// out of fragment: quantif
forall a. forall b. forall c. forall d. !(a |-> b * c |-> d * true)
