//! Wands that can be packaged with what is held.

use super::{Held, Writer, acc, all};

impl Writer<'_> {
    pub(super) fn package(&mut self) {
        if self.depth > 0 {
            return;
        }
        let (x, y, z) = (self.variable(), self.variable(), self.variable());
        let part = self.random.pick(&self.held).cloned();
        let part: Vec<Held> = match part {
            Some(Held::Field(v, f, n)) => vec![Held::Field(v, f, if n > 6 { 6 } else { n })],
            Some(p @ Held::Predicate(..)) => vec![p],
            _ => Vec::new(),
        };
        let own = Held::Field(x, "f", 6);
        let mut script = String::new();
        let (left, right, text): (Vec<Held>, Vec<Held>, String) = match self.random.below(9) {
            0 => {
                let right: Vec<Held> = part.iter().cloned().chain([own.clone()]).collect();
                let text = format!("{} --* {}", acc(&own), all(&right));
                (vec![own], right, text)
            }
            1 => {
                let text = format!("true --* {}", all(&part));
                (Vec::new(), part.clone(), text)
            }
            // Which part of the footprint is needed depends on the left-hand side.
            2 if self.amount(y, "f") >= 6 && self.amount(z, "g") >= 6 => {
                let left = Held::Field(x, "b", 6);
                let both = format!("({x}.b ? acc({y}.f, 1/2) : acc({z}.g, 1/2))");
                let text = format!("{0} --* {0} && {both}", acc(&left));
                self.line(&format!("package {text}"));
                self.take(&Held::Field(y, "f", 6));
                self.take(&Held::Field(z, "g", 6));
                self.held.push(Held::Wand(vec![left.clone()], vec![left], text));
                return;
            }
            3 => {
                script = format!("unfold cell({x})");
                let left = vec![Held::Predicate("cell", vec![x])];
                let right: Vec<Held> =
                    part.iter().cloned().chain([Held::Field(x, "f", 12)]).collect();
                let text = format!("cell({x}) --* {}", all(&right));
                (left, right, text)
            }
            4 => {
                script = format!("fold positive({x})");
                let left = vec![Held::Field(x, "f", 12)];
                let right = vec![Held::Predicate("positive", vec![x])];
                (left, right, format!("acc({x}.f) && {x}.f > 0 --* positive({x})"))
            }
            5 => {
                let whole = Held::Field(x, "f", 12);
                let fact = match self.random.below(3) {
                    0 => format!("{x}.f == old[lhs]({x}.f)"),
                    1 => format!("{x}.f >= old[lhs]({x}.f)"),
                    _ => format!("(old[lhs]({x}.f) > 0 ==> {x}.f > 0)"),
                };
                let right: Vec<Held> = part.iter().cloned().chain([whole.clone()]).collect();
                let text = format!("acc({x}.f) --* {} && {fact}", all(&right));
                (vec![whole], right, text)
            }
            // A value of the state around, which stays what it was.
            6 if self.amount(y, "f") >= 6 => {
                let fact = match self.random.pick(&self.labels).cloned() {
                    Some((label, held)) if held.contains(&Held::Field(y, "f", 12)) => {
                        format!("{y}.f == old[{label}]({y}.f)")
                    }
                    _ => {
                        let v = self.fresh("v");
                        self.line(&format!("var {v}: Int := {y}.f"));
                        format!("{y}.f == {v}")
                    }
                };
                let right = vec![own.clone(), Held::Field(y, "f", 6)];
                let text = format!("{} --* {} && {fact}", acc(&own), all(&right));
                (vec![own], right, text)
            }
            // A wand that gives a wand.
            7 => {
                let inner_left = Held::Field(y, "g", 6);
                let inner_right: Vec<Held> =
                    part.iter().cloned().chain([inner_left.clone(), own.clone()]).collect();
                let inner = format!("{} --* {}", acc(&inner_left), all(&inner_right));
                script = format!("package {inner}");
                let text = format!("{} --* ({inner})", acc(&own));
                let wand = Held::Wand(vec![inner_left], inner_right, inner);
                (vec![own], vec![wand], text)
            }
            _ => {
                let condition = self.condition();
                let heap = condition.contains('.') || condition.contains('(');
                let condition = if heap { "c".to_string() } else { condition };
                let right: Vec<Held> = part.iter().cloned().chain([own.clone()]).collect();
                let extra = if part.is_empty() { "true".to_string() } else { all(&part) };
                let text = format!("{0} --* {0} && ({condition} ==> {extra})", acc(&own));
                (vec![own], if condition == "c" { Vec::new() } else { right }, text)
            }
        };
        let noise = match self.random.below(8) {
            0 => "refute c".to_string(),
            1 => "refute false".to_string(),
            2 => format!("if (c) {{ assert {} }}", all(&left)),
            3 => format!("assert {}", all(&left)),
            4 if !part.is_empty() => format!("if (c) {{ assert {} }}", all(&part)),
            _ => String::new(),
        };
        let script = format!("{noise} {script}").trim().to_string();
        if script.is_empty() {
            self.line(&format!("package {text}"));
        } else {
            self.line(&format!("package {text} {{ {script} }}"));
        }
        for held in &part {
            self.take(held);
        }
        if text.contains(&format!("{y}.f == ")) {
            self.take(&Held::Field(y, "f", 6));
        }
        self.held.push(Held::Wand(left, right, text));
    }

    pub(super) fn apply(&mut self) {
        if self.depth > 0 {
            return;
        }
        let wands: Vec<Held> =
            self.held.iter().filter(|h| matches!(h, Held::Wand(..))).cloned().collect();
        let Some(wand) = self.random.pick(&wands).cloned() else { return };
        let Held::Wand(left, right, text) = &wand else { return };
        if !left.iter().all(|h| self.has(h)) {
            // Sometimes the left-hand side is made for it.
            if let [Held::Field(x, f, n)] = left[..]
                && self.amount(x, f) == 0
                && self.random.one_in(2)
            {
                self.line(&format!("inhale {}", acc(&Held::Field(x, f, n))));
                self.add(Held::Field(x, f, n));
            }
        }
        if !left.iter().all(|h| self.has(h)) {
            return;
        }
        if self.random.one_in(4) {
            let read = match right.first() {
                Some(Held::Field(x, "f", _)) => format!("{x}.f"),
                _ => "1".to_string(),
            };
            self.line(&format!("k := applying ({text}) in {read}"));
            return;
        }
        self.line(&format!("apply {text}"));
        left.iter().for_each(|h| self.take(h));
        self.take(&wand);
        right.iter().for_each(|h| self.add(h.clone()));
    }
}
