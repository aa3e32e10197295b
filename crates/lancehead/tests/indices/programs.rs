//! Programs that write an array through `n` indices of which nothing is known but their range: any two of
//! them may be the same.

/// A kind of program, and the program for a number of indices.
pub type Kind = (&'static str, fn(usize) -> String);

/// Programs that verify.
pub const KINDS: [Kind; 7] = [
    ("writes", writes),
    ("reads after writes", reads),
    ("an unrelated index", unrelated),
    ("what was there before", before),
    ("two halves", halves),
    ("given away and back", given_back),
    ("calls", calls),
];

/// Arrays, and what the methods mean by `whole`.
pub const ARRAY: &str = "\
field val: Int

domain Array {
    function len(a: Array): Int
    function loc(a: Array, i: Int): Ref
    function array_of(r: Ref): Array
    function index_of(r: Ref): Int
    axiom { forall a: Array :: { len(a) } 0 <= len(a) }
    axiom {
        forall a: Array, i: Int :: { loc(a, i) }
            array_of(loc(a, i)) == a && index_of(loc(a, i)) == i
    }
}

define within(a, i) 0 <= i && i < len(a)

define part(a, low, high, p)
    forall slot: Int :: { loc(a, slot) } low <= slot && slot < high ==> acc(loc(a, slot).val, p)

define whole(a, p) part(a, 0, len(a), p)

method touch(a: Array, i: Int)
    requires within(a, i) && acc(loc(a, i).val)
    ensures acc(loc(a, i).val)

method look(a: Array, i: Int)
    requires within(a, i) && acc(loc(a, i).val, 1/2)
    ensures acc(loc(a, i).val, 1/2)

method swap(a: Array, i: Int, j: Int)
    requires within(a, i) && within(a, j)
    requires acc(loc(a, i).val) && acc(loc(a, j).val)
    ensures acc(loc(a, i).val) && acc(loc(a, j).val)
    ensures loc(a, i).val == old(loc(a, j).val) && loc(a, j).val == old(loc(a, i).val)

method replace_all(a: Array)
    requires whole(a, write)
    ensures whole(a, write)

method look_at_all(a: Array)
    requires whole(a, 1/2)
    ensures whole(a, 1/2)
";

/// A method with the indices `i0`, `i1`, … and `j`, and `m` for a part of the array.
pub fn method(n: usize, has: &str, body: &str) -> String {
    let each = |text: &dyn Fn(usize) -> String| (0..n).map(text).collect::<String>();
    let parameters = each(&|k| format!(", i{k}: Int"));
    let ranges = each(&|k| format!("    requires within(a, i{k})\n"));
    format!(
        "{ARRAY}\nmethod main(a: Array, j: Int, m: Int{parameters})\n{ranges}    \
         requires within(a, j) && 0 <= m && m <= len(a)\n    requires {has}\n    \
         ensures whole(a, write)\n{{\n{body}}}\n"
    )
}

fn each(n: usize, statement: impl Fn(usize) -> String) -> String {
    (0..n).map(statement).collect()
}

fn write(k: usize) -> String {
    format!("    loc(a, i{k}).val := {k}\n")
}

/// `x` is none of the indices from `first`.
fn is_none(x: &str, first: usize, n: usize) -> String {
    let parts: Vec<String> = (first..n).map(|k| format!("{x} != i{k}")).collect();
    if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") }
}

fn writes(n: usize) -> String {
    let last = n.saturating_sub(1);
    let first = is_none("i0", 1, n);
    let end = format!(
        "    assert loc(a, i{last}).val == {last}\n    assert {first} ==> loc(a, i0).val == 0\n"
    );
    method(n, "whole(a, write)", &(each(n, write) + &end))
}

fn reads(n: usize) -> String {
    let statement = |k| format!("{}    assert loc(a, i{k}).val == {k}\n", write(k));
    method(n, "whole(a, write)", &each(n, statement))
}

/// What is known of an element that may be any of those that are written.
fn unrelated(n: usize) -> String {
    let statement = |k| {
        let write = write(k);
        format!(
            "    label before{k}\n{write}    \
             assert loc(a, j).val == (j == i{k} ? {k} : old[before{k}](loc(a, j).val))\n"
        )
    };
    let rest = is_none("j", 0, n);
    let end = format!("    assert {rest} ==> loc(a, j).val == old(loc(a, j).val)\n");
    method(n, "whole(a, write)", &(each(n, statement) + &end))
}

/// Every element gets the value of the one that was written before.
fn before(n: usize) -> String {
    let statement = |k: usize| {
        let last = k.saturating_sub(1);
        format!(
            "    loc(a, i{k}).val := loc(a, {}).val\n",
            if k == 0 { "j".to_owned() } else { format!("i{last}") }
        )
    };
    let last = n.saturating_sub(1);
    let end = format!("    assert loc(a, i{last}).val == old(loc(a, j).val)\n");
    method(n, "whole(a, write)", &(each(n, statement) + &end))
}

/// No chunk has all permission to what is written.
fn halves(n: usize) -> String {
    let has = "whole(a, 1/2) && part(a, 0, m, 1/2) && part(a, m, len(a), 1/2)";
    let last = n.saturating_sub(1);
    let end = format!("    assert loc(a, i{last}).val == {last}\n");
    method(n, has, &(each(n, write) + &end))
}

fn given_back(n: usize) -> String {
    let statement =
        |k| format!("    exhale acc(loc(a, i{k}).val)\n    inhale acc(loc(a, i{k}).val)\n");
    let rest = is_none("j", 0, n);
    let end = format!("    assert {rest} ==> loc(a, j).val == old(loc(a, j).val)\n");
    method(n, "whole(a, write)", &(each(n, statement) + &end))
}

fn calls(n: usize) -> String {
    let statement = |k: usize| {
        let method = if k.is_multiple_of(2) { "touch" } else { "look" };
        format!("    {method}(a, i{k})\n")
    };
    let rest = is_none("j", 0, n);
    let end = format!("    assert {rest} ==> loc(a, j).val == old(loc(a, j).val)\n");
    method(n, "whole(a, write)", &(each(n, statement) + &end))
}
