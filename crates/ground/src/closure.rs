//! Congruence closure with explanations, which forgets in the order in which it was told.
//!
//! Nodes are applications; equal ones have equal numbers. Every merge of two classes is a [`Step`] with
//! the equalities that it follows from. The steps are the edges of a forest over the nodes (Nieuwenhuis
//! and Oliveras, 2007), in which the path between two nodes explains why they are equal; such a path never
//! changes while both are there, so an explanation only has steps that are older than what it explains.
//!
//! Truth is equality with [`TRUE`] or [`FALSE`], so congruence propagates predicates, too. A conflict is
//! that these two are equal, or two numbers, or values of two constructors.

use crate::hash::FastMap;
use crate::linear::Fact;
use crate::rational::Rational;
use crate::syntax::{Head, QuantId, Role, Sort, Symbol, Syntax, Template, TemplateNode};

/// A node, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node(pub u32);

pub(crate) const TRUE: Node = Node(0);
pub(crate) const FALSE: Node = Node(1);

/// A truth value as a node.
pub(crate) fn truth(value: bool) -> Node {
    if value { TRUE } else { FALSE }
}

/// Why two nodes are equal, given other equalities.
#[derive(Clone, Debug)]
pub(crate) enum Rule<N = Node> {
    /// Somebody said so.
    Assumed,
    /// A case: the other one is looked at, too.
    Case,
    /// Equal functions of equal arguments.
    Congruence,
    /// What this connective, equation or conditional says of itself and its arguments.
    Logic(N),
    /// What this selector or tester says of a value that a constructor made.
    Data(N, N),
    /// Equal values of one constructor have equal arguments.
    Injective(N, N, u32),
    /// Different numbers, or values of different constructors, are not equal.
    Different(N, N),
    /// These facts, and that the conclusion is false, contradict each other: a sum of them with these
    /// factors is a contradiction. If the conclusion is an equality there are two sums: one is less, and
    /// the other is.
    Farkas(Vec<Vec<(Fact<N>, Rational)>>),
    /// A quantified formula, for these values of its variables.
    Instance(N, Vec<N>),
    /// A quantified formula, for its witnesses.
    Witness(N),
}

/// A merge: the equality of two nodes, and why.
#[derive(Clone, Debug)]
pub(crate) struct Step<N = Node> {
    pub left: N,
    pub right: N,
    pub rule: Rule<N>,
    /// The equalities that it follows from.
    pub premises: Vec<(N, N)>,
}

pub(crate) type StepId = u32;

struct NodeData {
    head: Head,
    args: Box<[Node]>,
    sort: Sort,
    /// How many instances led to it.
    generation: u32,
    root: Node,
    /// The next node of its class, in a circle.
    next: Node,
    /// For roots: how many nodes there are in the class.
    size: u32,
    /// For roots: the nodes with arguments in the class.
    parents: Vec<Node>,
    /// For roots: a node of the class that is a truth value, a number, or made by a constructor.
    value: Option<Node>,
    /// For roots: a node of the class of which arithmetic knows.
    numeric: Option<Node>,
    /// The edge towards the root of its tree in the forest of steps.
    edge: Option<(Node, StepId)>,
    /// Does the truth of what is asserted depend on it?
    relevant: bool,
}

enum Undo {
    Node,
    Signature(Node),
    Edge(Node, Node),
    Union { kept: Node, gone: Node, parents: usize, value: Option<Node>, numeric: Option<Node> },
    Numeric(Node),
    Relevant(Node),
    Touched(Symbol, u64),
}

/// The state to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    trail: usize,
    steps: usize,
}

#[derive(Default)]
pub(crate) struct Closure {
    nodes: Vec<NodeData>,
    /// Nodes by head and arguments.
    known: FastMap<Box<[u32]>, Node>,
    /// Nodes by head and classes of arguments.
    signatures: FastMap<Box<[u32]>, Node>,
    /// Relevant applications of symbols, in the order in which they became so.
    by_symbol: FastMap<Symbol, Vec<Node>>,
    /// Applications of symbols to numbers.
    pub of_numbers: Vec<Node>,
    /// When something last changed that patterns with a symbol may match.
    touched: FastMap<Symbol, u64>,
    clock: u64,
    trail: Vec<Undo>,
    pub steps: Vec<Step>,
    /// Merges that have not been made yet.
    pending: Vec<Step>,
    /// Nodes with a meaning, of which something has become known.
    pub dirty: Vec<Node>,
    /// Numbers that have become equal.
    pub equal_numbers: Vec<(Node, Node)>,
    /// What cannot be.
    pub conflict: Option<Step>,
    buffer: Vec<u32>,
}

impl Closure {
    pub fn new(syntax: &Syntax) -> Closure {
        let mut closure = Closure::default();
        closure.add(syntax, Head::True, &[], 0);
        closure.add(syntax, Head::False, &[], 0);
        closure
    }

    // --- Nodes

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    fn data(&self, node: Node) -> &NodeData {
        &self.nodes[node.0 as usize]
    }

    fn data_mut(&mut self, node: Node) -> &mut NodeData {
        &mut self.nodes[node.0 as usize]
    }

    pub fn term(&self, node: Node) -> (Head, &[Node]) {
        let data = self.data(node);
        (data.head, &data.args)
    }

    pub fn sort(&self, node: Node) -> Sort {
        self.data(node).sort
    }

    pub fn generation(&self, node: Node) -> u32 {
        self.data(node).generation
    }

    pub fn root(&self, node: Node) -> Node {
        self.data(node).root
    }

    pub fn same(&self, a: Node, b: Node) -> bool {
        self.root(a) == self.root(b)
    }

    /// A truth value, a number or a value of a constructor that it is equal to.
    pub fn value(&self, node: Node) -> Option<Node> {
        self.data(self.root(node)).value
    }

    /// Is it known to be true, or false?
    pub fn truth(&self, node: Node) -> Option<bool> {
        match self.value(node) {
            Some(TRUE) => Some(true),
            Some(FALSE) => Some(false),
            _ => None,
        }
    }

    /// The nodes of a class.
    pub fn class(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let mut at = Some(node);
        std::iter::from_fn(move || {
            let this = at?;
            let next = self.data(this).next;
            at = (next != node).then_some(next);
            Some(this)
        })
    }

    /// The nodes with arguments in a class.
    pub fn parents(&self, node: Node) -> &[Node] {
        &self.data(self.root(node)).parents
    }

    /// The relevant applications of a symbol, in the order in which they became so.
    pub fn applications(&self, symbol: Symbol) -> &[Node] {
        self.by_symbol.get(&symbol).map_or(&[], |nodes| nodes)
    }

    /// The node of an application, which is made if there is none yet.
    pub fn add(&mut self, syntax: &Syntax, head: Head, args: &[Node], generation: u32) -> Node {
        let mut key = std::mem::take(&mut self.buffer);
        encode(head, args.iter().map(|arg| arg.0), &mut key);
        if let Some(known) = self.known.get(&*key) {
            let known = *known;
            self.buffer = key;
            return known;
        }
        let node = Node(self.nodes.len() as u32);
        let first = args.first().map_or(Sort::BOOL, |arg| self.sort(*arg));
        let second = args.get(1).map_or(Sort::BOOL, |arg| self.sort(*arg));
        self.known.insert(key.as_slice().into(), node);
        self.buffer = key;
        let value = match head {
            Head::True | Head::False | Head::Number(..) => Some(node),
            Head::Symbol(symbol) if syntax.role(symbol) == Role::Constructor => Some(node),
            _ => None,
        };
        let numeric = match head {
            Head::Number(..) | Head::Add | Head::Sub | Head::Mul | Head::Div => Some(node),
            Head::Mod | Head::RealDiv | Head::ToReal => Some(node),
            _ => None,
        };
        self.nodes.push(NodeData {
            head,
            args: args.into(),
            sort: syntax.result(head, first, second),
            generation,
            root: node,
            next: node,
            size: 1,
            parents: Vec::new(),
            value,
            numeric,
            edge: None,
            relevant: false,
        });
        if matches!(head, Head::Symbol(_)) && args.iter().any(|arg| self.sort(*arg).is_arithmetic())
        {
            self.of_numbers.push(node);
        }
        for arg in args {
            let root = self.root(*arg);
            self.data_mut(root).parents.push(node);
        }
        self.trail.push(Undo::Node);
        self.sign(node);
        if is_interpreted(syntax, head) {
            self.dirty.push(node);
        }
        node
    }

    /// The node of a template, for these values of its variables.
    pub fn instantiate(
        &mut self,
        syntax: &Syntax,
        template: Template,
        values: &[Option<Node>],
        generation: u32,
        done: &mut FastMap<Template, Node>,
    ) -> Option<Node> {
        if let Some(node) = done.get(&template) {
            return Some(*node);
        }
        let node = match syntax.template(template) {
            TemplateNode::Var(position, _) => return values.get(*position as usize).copied()?,
            TemplateNode::App(head, args) => {
                let mut nodes = Vec::with_capacity(args.len());
                for arg in args {
                    nodes.push(self.instantiate(syntax, *arg, values, generation, done)?);
                }
                if *head == Head::Eq {
                    nodes.sort_unstable();
                }
                self.add(syntax, *head, &nodes, generation)
            }
        };
        done.insert(template, node);
        Some(node)
    }

    // --- Merging

    /// Says that two nodes are equal, as soon as [`Closure::settle`] comes to it.
    pub fn merge(&mut self, left: Node, right: Node, rule: Rule, premises: Vec<(Node, Node)>) {
        if !self.same(left, right) {
            self.pending.push(Step { left, right, rule, premises });
        }
    }

    /// Says that a formula is true, or false.
    pub fn set(&mut self, node: Node, value: bool, rule: Rule, premises: Vec<(Node, Node)>) {
        self.merge(node, truth(value), rule, premises);
    }

    /// Makes all merges. Is there no conflict?
    pub fn settle(&mut self, syntax: &Syntax) -> bool {
        while self.conflict.is_none() {
            let Some(step) = self.pending.pop() else { return true };
            self.union(syntax, step);
        }
        self.pending.clear();
        false
    }

    /// Forgets what was to be merged or looked at.
    pub fn forget_pending(&mut self) {
        self.pending.clear();
        self.dirty.clear();
        self.equal_numbers.clear();
        self.conflict = None;
    }

    fn union(&mut self, syntax: &Syntax, step: Step) {
        let (left, right) = (step.left, step.right);
        let (a, b) = (self.root(left), self.root(right));
        if a == b {
            return;
        }
        let id = self.steps.len() as StepId;
        self.steps.push(step);
        self.link(left, right, id);
        let (kept, gone) = if self.weight(a) >= self.weight(b) { (a, b) } else { (b, a) };
        let (own, other) = (self.data(kept).value, self.data(gone).value);
        if let (Some(x), Some(y)) = (own, other) {
            match self.clash(x, y) {
                Some(true) => {
                    let rule = Rule::Different(x, y);
                    let premises = vec![(x, y)];
                    self.conflict = Some(Step { left: TRUE, right: FALSE, rule, premises });
                    return;
                }
                Some(false) => {}
                None => {
                    let positions = self.data(x).args.len() as u32;
                    for position in 0..positions {
                        let (p, q) = (self.arg(x, position), self.arg(y, position));
                        self.merge(p, q, Rule::Injective(x, y, position), vec![(x, y)]);
                    }
                }
            }
        }
        let (mine, theirs) = (self.data(kept).numeric, self.data(gone).numeric);
        if let (Some(x), Some(y)) = (mine, theirs) {
            self.equal_numbers.push((x, y));
        }
        // What has become known of the nodes of a class, and of those above it.
        if own.is_none() && other.is_some() {
            self.wake(syntax, kept);
        } else if own.is_some() && other.is_none() {
            let members: Vec<Node> = self.class(gone).collect();
            for node in members {
                if is_interpreted(syntax, self.data(node).head) {
                    self.dirty.push(node);
                }
            }
        }
        let moved = self.data(gone).parents.clone();
        let parents = self.data(kept).parents.len();
        self.trail.push(Undo::Union { kept, gone, parents, value: own, numeric: mine });
        let members: Vec<Node> = self.class(gone).collect();
        for node in members {
            self.data_mut(node).root = kept;
            self.touch(node);
        }
        let (x, y) = (self.data(kept).next, self.data(gone).next);
        self.data_mut(kept).next = y;
        self.data_mut(gone).next = x;
        let size = self.data(gone).size;
        let data = self.data_mut(kept);
        data.size += size;
        data.value = own.or(other);
        data.numeric = mine.or(theirs);
        data.parents.extend_from_slice(&moved);
        for parent in moved {
            self.sign(parent);
            self.touch(parent);
            if is_interpreted(syntax, self.data(parent).head) {
                self.dirty.push(parent);
            }
        }
    }

    /// Patterns with the symbol of a node may match now what they did not match before.
    fn touch(&mut self, node: Node) {
        if let Head::Symbol(symbol) = self.data(node).head {
            self.clock += 1;
            let before = self.touched.insert(symbol, self.clock).unwrap_or(0);
            self.trail.push(Undo::Touched(symbol, before));
        }
    }

    /// When something last changed that a pattern with this symbol may match.
    pub fn touched(&self, symbol: Symbol) -> u64 {
        self.touched.get(&symbol).copied().unwrap_or(0)
    }

    /// Now.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// Does the truth of what is asserted depend on it? Only then patterns match it, as in Z3: what
    /// stands in a disjunct that need not be true is no reason for an instance.
    pub fn is_relevant(&self, node: Node) -> bool {
        self.data(node).relevant
    }

    /// A node is relevant, and with it the parts of what is no connective. Connectives say themselves
    /// which of their parts are, when they are looked at.
    pub fn make_relevant(&mut self, syntax: &Syntax, node: Node) {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut self.data_mut(node).relevant, true) {
                continue;
            }
            self.trail.push(Undo::Relevant(node));
            let head = self.data(node).head;
            if let Head::Symbol(symbol) = head {
                self.by_symbol.entry(symbol).or_default().push(node);
                self.touch(node);
            }
            if is_interpreted(syntax, head) {
                self.dirty.push(node);
            }
            let logical = match head {
                Head::Not | Head::And | Head::Or | Head::Implies | Head::Ite => true,
                Head::Eq => self.sort(self.data(node).args[0]) == Sort::BOOL,
                _ => false,
            };
            if !logical {
                pending.extend(self.data(node).args.iter().copied());
            }
        }
    }

    /// A node of the class of which arithmetic knows.
    pub fn numeric(&self, node: Node) -> Option<Node> {
        self.data(self.root(node)).numeric
    }

    /// Arithmetic knows of a node.
    pub fn set_numeric(&mut self, node: Node) {
        let root = self.root(node);
        if self.data(root).numeric.is_none() {
            self.data_mut(root).numeric = Some(node);
            self.trail.push(Undo::Numeric(root));
        }
    }

    fn arg(&self, node: Node, position: u32) -> Node {
        self.data(node).args[position as usize]
    }

    fn weight(&self, root: Node) -> usize {
        let data = self.data(root);
        data.size as usize + data.parents.len()
    }

    /// Are these values different? None if they are made by the same constructor.
    fn clash(&self, x: Node, y: Node) -> Option<bool> {
        match (self.data(x).head, self.data(y).head) {
            (Head::Symbol(f), Head::Symbol(g)) if f == g => None,
            (f, g) => Some(f != g),
        }
    }

    /// Are two nodes equal to different values? To which?
    pub fn different(&self, a: Node, b: Node) -> Option<(Node, Node)> {
        let (x, y) = (self.value(a)?, self.value(b)?);
        (self.clash(x, y) == Some(true)).then_some((x, y))
    }

    /// The value of a class has become known.
    fn wake(&mut self, syntax: &Syntax, root: Node) {
        let members: Vec<Node> = self.class(root).collect();
        let parents = self.data(root).parents.clone();
        for node in members.into_iter().chain(parents) {
            if is_interpreted(syntax, self.data(node).head) {
                self.dirty.push(node);
            }
        }
    }

    /// Enters a node under the classes of its arguments, or finds out that it is equal to another.
    fn sign(&mut self, node: Node) {
        let mut key = std::mem::take(&mut self.buffer);
        self.signature(node, &mut key);
        match self.signatures.get(&*key) {
            Some(other) => {
                let other = *other;
                if !self.same(node, other) {
                    let (own, others) = (&self.data(node).args, &self.data(other).args);
                    // An equation may be equal to one the other way round.
                    let crossed = own.first().zip(others.first()).is_some_and(|(a, b)| {
                        self.data(node).head == Head::Eq && !self.same(*a, *b)
                    });
                    let pairs: Vec<(Node, Node)> = if crossed {
                        own.iter().copied().zip(others.iter().rev().copied()).collect()
                    } else {
                        own.iter().copied().zip(others.iter().copied()).collect()
                    };
                    let premises = pairs.into_iter().filter(|(a, b)| a != b).collect();
                    self.merge(node, other, Rule::Congruence, premises);
                }
            }
            None => {
                self.signatures.insert(key.as_slice().into(), node);
                self.trail.push(Undo::Signature(node));
            }
        }
        self.buffer = key;
    }

    /// A node as a row of numbers, with classes for arguments.
    fn signature(&self, node: Node, key: &mut Vec<u32>) {
        let data = self.data(node);
        encode(data.head, data.args.iter().map(|arg| self.root(*arg).0), key);
        if data.head == Head::Eq {
            let start = key.len().saturating_sub(2);
            key[start..].sort_unstable();
        }
    }

    // --- Explanations

    /// Adds an edge to the forest of steps.
    fn link(&mut self, from: Node, to: Node, step: StepId) {
        // The tree of `from` gets it as its root: the edges on the way to the old one turn round.
        let mut carried = None;
        let mut at = from;
        loop {
            let next = std::mem::replace(&mut self.data_mut(at).edge, carried);
            let Some((parent, step)) = next else { break };
            carried = Some((at, step));
            at = parent;
        }
        self.data_mut(from).edge = Some((to, step));
        self.trail.push(Undo::Edge(from, to));
    }

    /// The steps by which two nodes are equal; they are in the same tree.
    pub fn explain(&self, a: Node, b: Node, visit: &mut impl FnMut(StepId)) {
        if a == b {
            return;
        }
        let depth = |mut node: Node| {
            let mut depth = 0usize;
            while let Some((parent, _)) = self.data(node).edge {
                node = parent;
                depth += 1;
            }
            depth
        };
        let (mut x, mut y) = (a, b);
        let (mut dx, mut dy) = (depth(a), depth(b));
        while x != y {
            let deeper = if dx >= dy { &mut x } else { &mut y };
            let Some((parent, step)) = self.data(*deeper).edge else {
                debug_assert!(false, "nodes of different trees");
                return;
            };
            visit(step);
            *deeper = parent;
            if dx >= dy { dx -= 1 } else { dy -= 1 }
        }
    }

    // --- Going back

    pub fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), steps: self.steps.len() }
    }

    pub fn undo(&mut self, mark: Mark) {
        self.forget_pending();
        while self.trail.len() > mark.trail {
            let Some(undo) = self.trail.pop() else { break };
            match undo {
                Undo::Node => self.undo_node(),
                Undo::Signature(node) => {
                    let mut key = std::mem::take(&mut self.buffer);
                    self.signature(node, &mut key);
                    self.signatures.remove(&*key);
                    self.buffer = key;
                }
                Undo::Edge(from, to) => {
                    // Later edges may have turned this one round.
                    let end = if self.data(from).edge.is_some_and(|(node, _)| node == to) {
                        from
                    } else {
                        to
                    };
                    self.data_mut(end).edge = None;
                }
                Undo::Numeric(root) => self.data_mut(root).numeric = None,
                Undo::Relevant(node) => {
                    self.data_mut(node).relevant = false;
                    if let Head::Symbol(symbol) = self.data(node).head
                        && let Some(nodes) = self.by_symbol.get_mut(&symbol)
                    {
                        nodes.pop();
                    }
                }
                Undo::Touched(symbol, before) => {
                    self.touched.insert(symbol, before);
                }
                Undo::Union { kept, gone, parents, value, numeric } => {
                    let (x, y) = (self.data(kept).next, self.data(gone).next);
                    self.data_mut(kept).next = y;
                    self.data_mut(gone).next = x;
                    let members: Vec<Node> = self.class(gone).collect();
                    for node in members {
                        self.data_mut(node).root = gone;
                    }
                    let size = self.data(gone).size;
                    let data = self.data_mut(kept);
                    data.size -= size;
                    data.value = value;
                    data.numeric = numeric;
                    data.parents.truncate(parents);
                }
            }
        }
        self.steps.truncate(mark.steps);
    }

    fn undo_node(&mut self) {
        let Some(data) = self.nodes.pop() else { return };
        let mut key = std::mem::take(&mut self.buffer);
        encode(data.head, data.args.iter().map(|arg| arg.0), &mut key);
        self.known.remove(&*key);
        self.buffer = key;
        if self.of_numbers.last().is_some_and(|last| last.0 as usize == self.nodes.len()) {
            self.of_numbers.pop();
        }
        for arg in data.args.iter().rev() {
            let root = self.root(*arg);
            self.data_mut(root).parents.pop();
        }
    }
}

/// Does it mean something by itself?
fn is_interpreted(syntax: &Syntax, head: Head) -> bool {
    match head {
        Head::True | Head::False | Head::Number(..) | Head::Witness(..) => false,
        Head::Symbol(symbol) => {
            matches!(syntax.role(symbol), Role::Selector(..) | Role::Tester(_))
        }
        _ => true,
    }
}

/// A head and arguments as a row of numbers, different for different ones.
fn encode(head: Head, args: impl Iterator<Item = u32>, key: &mut Vec<u32>) {
    key.clear();
    let simple = |n: u32| (n, 0, 0);
    let (kind, a, b) = match head {
        Head::True => simple(0),
        Head::False => simple(1),
        Head::Number(_, sort) => (2, sort.0, 0),
        Head::Symbol(symbol) => (3, symbol.0, 0),
        Head::Not => simple(4),
        Head::And => simple(5),
        Head::Or => simple(6),
        Head::Implies => simple(7),
        Head::Eq => simple(8),
        Head::Ite => simple(9),
        Head::Add => simple(10),
        Head::Sub => simple(11),
        Head::Mul => simple(12),
        Head::Div => simple(13),
        Head::Mod => simple(14),
        Head::RealDiv => simple(15),
        Head::Lt => simple(16),
        Head::Le => simple(17),
        Head::ToReal => simple(18),
        Head::Quant(QuantId(id)) => (19, id, 0),
        Head::Witness(QuantId(id), var) => (20, id, var),
    };
    key.extend([kind, a, b]);
    if let Head::Number(value, _) = head {
        for part in [value.numer(), value.denom()] {
            key.extend((0..4).map(|word| (part >> (32 * word)) as u32));
        }
    }
    key.extend(args);
}
