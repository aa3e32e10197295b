//! Which members of a program to verify.

use viper::core::Program;

/// A choice of members by their names; `*` and `?` in a name stand for any characters and for any one.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these; everything if empty.
    pub members: Vec<String>,
    /// Of the methods only this one. Says nothing of functions, predicates and domains.
    pub methods: Option<String>,
    /// Not this method.
    pub except_methods: Option<String>,
}

impl Selection {
    /// Is everything chosen in every program?
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.members.is_empty() && self.methods.is_none() && self.except_methods.is_none()
    }

    /// The names of the chosen members of a program.
    #[must_use]
    pub fn choose(&self, program: &Program) -> Vec<String> {
        let listed = |name: &str| {
            self.members.is_empty() || self.members.iter().any(|pattern| matches(pattern, name))
        };
        let method = |name: &str| {
            self.methods.as_ref().is_none_or(|pattern| matches(pattern, name))
                && !self.except_methods.as_ref().is_some_and(|pattern| matches(pattern, name))
        };
        let others = (program.functions.iter().map(|f| &f.name))
            .chain(program.predicates.iter().map(|p| &p.name));
        let methods = program.methods.iter().map(|m| &m.name).filter(|name| method(name));
        let chosen = others.chain(methods).filter(|name| listed(name));
        chosen.map(ToString::to_string).collect()
    }
}

/// Does a name match a pattern?
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    let (mut rest, mut name) = (pattern.chars(), name.chars());
    // Where to go on if the last star has to take one character more.
    let mut retry = None;
    loop {
        match (rest.next(), name.clone().next()) {
            (None, None) => return true,
            (Some('*'), _) => retry = Some((rest.clone(), name.clone())),
            (Some(p), Some(c)) if p == '?' || p == c => {
                name.next();
            }
            _ => {
                let Some((after_star, taken)) = &mut retry else {
                    return false;
                };
                if taken.next().is_none() {
                    return false;
                }
                (rest, name) = (after_star.clone(), taken.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, name) in [
            ("insert", "insert"),
            ("*", ""),
            ("*", "insert"),
            ("ins*", "ins"),
            ("*ert", "insert"),
            ("i*s*t", "insert"),
            ("*a*ab", "aaab"),
            ("inser?", "insert"),
            ("?*", "ä"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("insert", "inserts"), ("", "a"), ("a", ""), ("?", ""), ("a*b", "abc"), ("*x*", "abc")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
