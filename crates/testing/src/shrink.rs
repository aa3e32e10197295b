//! Smaller failures: what nobody needs is left out, as long as the rest still fails.

/// As few of these as still fail: halves are left out first, then quarters, and so on (Zeller's delta
/// debugging). `fails` is asked at most so many times.
pub fn items<T: Clone>(
    all: &[T],
    mut budget: usize,
    mut fails: impl FnMut(&[T]) -> bool,
) -> Vec<T> {
    let mut rest = all.to_vec();
    let mut size = rest.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        let mut smaller = false;
        while at < rest.len() {
            let Some(left) = budget.checked_sub(1) else { return rest };
            budget = left;
            let mut without = rest.clone();
            without.drain(at..(at + size).min(rest.len()));
            if fails(&without) {
                rest = without;
                smaller = true;
            } else {
                at += size;
            }
        }
        // Something may be left out now that was needed before.
        size = if smaller && size == 1 { 1 } else { size / 2 };
    }
    rest
}

/// As little of a text as still fails: lines are left out, then pieces.
pub fn text(text: &str, budget: usize, mut fails: impl FnMut(&str) -> bool) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let rest = items(&lines, budget, |lines| fails(&lines.concat())).concat();
    let parts: Vec<String> = crate::pieces(&rest).into_iter().map(str::to_owned).collect();
    items(&parts, budget, |parts| fails(&parts.concat())).concat()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_needed_is_left() {
        let numbers: Vec<u32> = (0..1_000).collect();
        let fails = |some: &[u32]| some.contains(&7) && some.contains(&700);
        assert_eq!(super::items(&numbers, 10_000, fails), [7, 700]);
        // Without questions nothing is known.
        assert_eq!(super::items(&numbers, 0, fails).len(), 1_000);
        let text = "one two\nthree (four)\nfive\n";
        assert_eq!(super::text(text, 1_000, |text| text.contains("four")), "four");
    }
}
