//! Instances of quantified formulas, by matching their triggers modulo equality.
//!
//! Only what is relevant is matched. A trigger of one flat pattern, `f(x, y)`, is matched with the
//! applications of `f` that are new. Others
//! are matched again when something changed that their symbols are about. The values of an instance
//! determine its generation: one more than the latest of them.

use crate::closure::{Closure, Node, Rule, truth};
use crate::hash::FastMap;
use crate::syntax::{Head, QuantId, Symbol, Syntax, Template, TemplateNode};
use crate::{Limits, Prover};

/// Matches of one trigger are no more than this at a time.
const MAX_MATCHES: usize = 2000;

/// With more nodes than this nothing is instantiated any more.
const MAX_NODES: usize = 12_000;

/// A quantified formula that is known for all values.
pub(crate) struct Active {
    pub node: Node,
    id: QuantId,
    holds: bool,
    /// Where the progress of its triggers is.
    first: usize,
}

/// Patterns that are matched together.
pub(crate) struct Trigger {
    patterns: Box<[Template]>,
    /// All symbols in them.
    symbols: Box<[Symbol]>,
    /// Is it one pattern, whose arguments are different variables of the formula itself?
    is_flat: bool,
}

impl Trigger {
    fn new(syntax: &Syntax, patterns: &[Template], first: u32) -> Trigger {
        let mut symbols = Vec::new();
        let mut pending = patterns.to_vec();
        while let Some(pattern) = pending.pop() {
            if let TemplateNode::App(head, args) = syntax.template(pattern) {
                if let Head::Symbol(symbol) = head
                    && !symbols.contains(symbol)
                {
                    symbols.push(*symbol);
                }
                pending.extend(args.iter().copied());
            }
        }
        let is_flat = match patterns {
            [one] => is_flat(syntax, *one, first),
            _ => false,
        };
        Trigger { patterns: patterns.into(), symbols: symbols.into(), is_flat }
    }
}

/// Are all its arguments different variables, of the formula itself?
fn is_flat(syntax: &Syntax, pattern: Template, first: u32) -> bool {
    let TemplateNode::App(_, args) = syntax.template(pattern) else { return false };
    let mut vars = Vec::new();
    args.iter().all(|arg| match syntax.template(*arg) {
        TemplateNode::Var(position, _) => {
            let new = *position >= first && !vars.contains(position);
            vars.push(*position);
            new
        }
        TemplateNode::App(..) => false,
    })
}

impl Prover {
    pub(crate) fn activate(&mut self, node: Node, id: QuantId, holds: bool) {
        if !self.is_active.insert(node) {
            return;
        }
        let quant = self.syntax.quant(id);
        let syntax = &self.syntax;
        let triggers = self.triggers.entry(id).or_insert_with(|| {
            let sets = quant.triggers.iter();
            sets.map(|patterns| Trigger::new(syntax, patterns, quant.first)).collect()
        });
        let (first, count) = (self.progress.len(), triggers.len());
        if count == 0 {
            // Nobody says where to use it.
            self.note_incomplete();
        }
        self.progress.resize(first + count, (0, 0));
        self.active.push(Active { node, id, holds, first });
    }

    /// How many quantified formulas are known for all values.
    #[must_use]
    pub fn quantifiers(&self) -> usize {
        self.active.len()
    }

    /// Are there quantified formulas that are known for all values?
    pub(crate) fn has_quantifiers(&self) -> bool {
        !self.active.is_empty()
    }

    /// Makes the instances that triggers ask for now. Were there any?
    pub(crate) fn instantiate(&mut self, budget: &mut Limits) -> bool {
        if budget.instances == 0 || budget.matching == 0 || self.closure.len() > MAX_NODES {
            self.suppressed |= self.has_quantifiers();
            return false;
        }
        let mut found: Vec<(usize, Box<[Option<Node>]>)> = Vec::new();
        let clock = self.closure.clock();
        for (index, active) in self.active.iter().enumerate() {
            let Some(triggers) = self.triggers.get(&active.id) else { continue };
            for (position, trigger) in triggers.iter().enumerate() {
                let progress = &mut self.progress[active.first + position];
                let first = trigger.symbols.first();
                let count = first.map_or(0, |symbol| self.closure.applications(*symbol).len());
                let (then, seen) = std::mem::replace(progress, (clock, count as u32));
                if trigger.symbols.iter().all(|symbol| self.closure.touched(*symbol) <= then) {
                    continue;
                }
                let quant = self.syntax.quant(active.id);
                let mut values = quant.environment(self.closure.term(active.node).1);
                let start = found.len();
                let mut matcher = Matcher {
                    work: budget.matching,
                    syntax: &self.syntax,
                    closure: &self.closure,
                    from: if trigger.is_flat { seen } else { 0 },
                    found: &mut found,
                    most: start + MAX_MATCHES,
                    index,
                };
                matcher.run(&Todo::Patterns(&trigger.patterns), &mut values);
                budget.matching = matcher.work;
                if found.len() >= start + MAX_MATCHES || budget.matching == 0 {
                    self.suppressed = true;
                    self.progress[active.first + position] = (0, 0);
                }
            }
        }
        let mut any = false;
        for (index, values) in found {
            any |= self.add_instance(index, &values, budget);
        }
        any
    }

    fn add_instance(&mut self, index: usize, values: &[Option<Node>], budget: &mut Limits) -> bool {
        let Active { node, id, holds, .. } = self.active[index];
        let quant = self.syntax.quant(id);
        let (first, body) = (quant.first as usize, quant.body);
        let mut key = vec![node.0];
        let mut generation = self.closure.generation(node);
        let mut bound = Vec::with_capacity(quant.sorts.len());
        for value in &values[first..] {
            // A variable that no trigger mentions has no value.
            let Some(value) = *value else { return false };
            key.push(self.closure.root(value).0);
            generation = generation.max(self.closure.generation(value));
            bound.push(value);
        }
        if self.instances.contains(key.as_slice()) {
            return false;
        }
        if generation >= budget.generation || budget.instances == 0 {
            // Another question may have more to spend.
            self.suppressed = true;
            let first = self.active[index].first;
            let count = quant.triggers.len();
            self.progress[first..first + count].fill((0, 0));
            return false;
        }
        budget.instances -= 1;
        let key: Box<[u32]> = key.into();
        self.instances.insert(key.clone());
        self.instance_trail.push(key);
        let mut done = FastMap::default();
        let instance =
            self.closure.instantiate(&self.syntax, body, values, generation + 1, &mut done);
        let Some(instance) = instance else { return false };
        self.closure.make_relevant(&self.syntax, instance);
        let premises = vec![(node, truth(holds))];
        self.closure.set(instance, holds, Rule::Instance(node, bound), premises);
        true
    }
}

/// What is still to be matched.
enum Todo<'a> {
    /// Patterns with any applications.
    Patterns(&'a [Template]),
    /// Patterns with the classes of these nodes, and then the rest.
    Args(&'a [Template], &'a [Node], &'a Todo<'a>),
}

struct Matcher<'a> {
    syntax: &'a Syntax,
    closure: &'a Closure,
    /// So many applications were looked at.
    from: u32,
    found: &'a mut Vec<(usize, Box<[Option<Node>]>)>,
    most: usize,
    index: usize,
    /// So many candidates may still be looked at.
    work: usize,
}

impl Matcher<'_> {
    fn run(&mut self, todo: &Todo<'_>, values: &mut [Option<Node>]) {
        if self.found.len() >= self.most || self.work == 0 {
            return;
        }
        self.work -= 1;
        match todo {
            Todo::Patterns([]) => self.found.push((self.index, values.into())),
            Todo::Patterns([pattern, others @ ..]) => {
                let TemplateNode::App(Head::Symbol(symbol), patterns) =
                    self.syntax.template(*pattern)
                else {
                    return;
                };
                let (closure, rest) = (self.closure, Todo::Patterns(others));
                let all = closure.applications(*symbol);
                let mut candidates = all.get(self.from as usize..).unwrap_or_default();
                // Of an argument that is known, only the applications to it.
                for pattern in patterns {
                    if let TemplateNode::Var(position, _) = self.syntax.template(*pattern)
                        && let Some(Some(value)) = values.get(*position as usize)
                        && closure.parents(*value).len() < candidates.len()
                    {
                        candidates = closure.parents(*value);
                    }
                }
                for candidate in candidates {
                    let (head, args) = closure.term(*candidate);
                    if head == Head::Symbol(*symbol) && closure.is_relevant(*candidate) {
                        self.run(&Todo::Args(patterns, args, &rest), values);
                    }
                }
            }
            Todo::Args([pattern, patterns @ ..], [node, nodes @ ..], rest) => {
                let tail = Todo::Args(patterns, nodes, rest);
                match self.syntax.template(*pattern) {
                    TemplateNode::Var(position, _) => {
                        let position = *position as usize;
                        match values.get(position) {
                            Some(Some(value)) if self.closure.same(*value, *node) => {
                                self.run(&tail, values);
                            }
                            Some(None) => {
                                values[position] = Some(*node);
                                self.run(&tail, values);
                                values[position] = None;
                            }
                            _ => {}
                        }
                    }
                    TemplateNode::App(head, patterns) => {
                        let closure = self.closure;
                        for member in closure.class(*node) {
                            let (other, args) = closure.term(member);
                            if other == *head && closure.is_relevant(member) {
                                self.run(&Todo::Args(patterns, args, &tail), values);
                            }
                        }
                    }
                }
            }
            Todo::Args(_, _, rest) => self.run(rest, values),
        }
    }
}
