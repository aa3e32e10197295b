//! Magic wands. `package A --* B { script }` puts a footprint F aside such that for every state σ
//! that satisfies A and is compatible with F, B holds in σ ⊎ F once the script has run there.
//!
//! A verifier decides on F by a proof; here it is found by trying: the script runs on many random σ
//! and takes what it lacks from the state around, and F is what was needed at most. It is thus never
//! more than a sound footprint, so after a `package` more permission may be left than the verifier
//! thinks, and `perm` is outside of the subset from then on. When the wand is applied, the script runs
//! again on what was given for A, and on F.
//!
//! A wand of a contract has a footprint that is made up: what B lacks for random σ, provided that it
//! does for others, too.

use std::rc::Rc;

use num_traits::{One, Signed, Zero};
use report::Pos;
use viper::core::{Block, Expr, ExprKind, LocalId, OldState, Resource, Type, Wand};

use crate::assertion::Part;
use crate::eval::{View, mentions, snapshot};
use crate::machine::Machine;
use crate::resources::{HeldWand, Instance, Location, Resources};
use crate::state::{Reserve, Run, Scope, State, Stop, fault, outside};
use crate::value::{Amount, amount};

/// So many left-hand sides are tried.
const SAMPLES: usize = 7;
/// So often a footprint is made up.
const FOOTPRINTS: usize = 4;

/// A wand and what its proof can refer to.
pub(crate) struct Packaged {
    wand: Wand,
    script: Option<Block>,
    scope: Scope,
    /// The state in which it was packaged.
    past: Option<Rc<State>>,
}

impl Machine<'_> {
    pub fn package(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        wand: &Wand,
        script: &Block,
    ) -> Run<()> {
        let key = self.wand_key(scope, state.view(), wand)?;
        let observing = std::mem::replace(&mut self.observing, false);
        let footprint = self.footprint(scope, state, wand, script);
        self.observing = observing;
        let mut footprint = footprint?;
        let past = Some(snapshot(state));
        let taken = self.take_all(state, &footprint, wand.pos)?;
        footprint.predicates = taken.predicates;
        self.angelic = true;
        let packaged = Packaged {
            wand: wand.clone(),
            script: Some(script.clone()),
            scope: scope.clone(),
            past,
        };
        let (footprint, packaged) = (Rc::new(footprint), Rc::new(packaged));
        state.held.wands.push(HeldWand { key, footprint, packaged, passed: false });
        Ok(())
    }

    /// What the script takes at most, over many left-hand sides.
    fn footprint(
        &mut self,
        scope: &Scope,
        state: &State,
        wand: &Wand,
        script: &Block,
    ) -> Run<Resources> {
        let mut samples: Vec<(State, Resources)> = Vec::new();
        for _ in 0..SAMPLES {
            let reserve = Reserve::new(state.clone(), false);
            let Some(lhs) = self.left_hand_side(scope, wand, state)? else { continue };
            let (outcome, mut end) = self.prove(scope, lhs.clone(), reserve, wand, Some(script));
            match outcome {
                // What a path takes counts although no state follows it to its end.
                Ok(()) | Err(Stop::Assumed) => {}
                Err(other) => return Err(other),
            }
            if let Some(reserve) = end.reserve.take() {
                // The footprint is more than exists around, so this place is not reached.
                if reserve.impossible {
                    return Err(Stop::Assumed);
                }
                samples.push((lhs, reserve.taken));
            }
        }
        let most = |of: &[&(State, Resources)]| {
            let mut most = Resources::default();
            of.iter().for_each(|(_, taken)| most.maximum(taken));
            most
        };
        let all = most(&samples.iter().collect::<Vec<_>>());
        // Left-hand sides that contradict the footprint need nothing; whether that makes it smaller
        // depends on the footprint itself.
        let mut candidate = all.clone();
        for _ in 0..3 {
            let compatible: Vec<_> =
                samples.iter().filter(|(lhs, _)| self.compatible(lhs, state, &candidate)).collect();
            let smaller = most(&compatible);
            if smaller.covers(&candidate) {
                return Ok(candidate);
            }
            let valid = samples
                .iter()
                .filter(|(lhs, _)| self.compatible(lhs, state, &smaller))
                .all(|(_, taken)| smaller.covers(taken));
            if !valid {
                break;
            }
            candidate = smaller;
        }
        Ok(candidate)
    }

    /// Do values agree, and is there no more than full permission?
    fn compatible(&self, lhs: &State, state: &State, footprint: &Resources) -> bool {
        let mut fits = true;
        footprint.for_each_location(&mut |location| {
            let total = lhs.total(location);
            if total.is_positive() {
                let ours = lhs.heap.get(&location).map(|v| self.resolve(v));
                let theirs = state.heap.get(&location).map(|v| self.resolve(v));
                fits &= ours == theirs && total + footprint.total(location) <= Amount::one();
            }
        });
        fits
    }

    /// A random state that satisfies the left-hand side, if one is found.
    /// Half of them have values that agree with what is around.
    fn left_hand_side(&mut self, scope: &Scope, wand: &Wand, around: &State) -> Run<Option<State>> {
        let mut lhs = State::default();
        if self.random.one_in(2) {
            lhs.heap.clone_from(&around.heap);
        }
        let choosing = std::mem::replace(&mut self.choosing, false);
        let mut scope = scope.clone();
        let outcome = self.inhale_all(&mut scope, &mut lhs, std::slice::from_ref(&wand.lhs));
        self.choosing = choosing;
        match outcome {
            Ok(()) => {
                lhs.forget();
                let locations: Vec<Location> = lhs.heap.keys().copied().collect();
                for location in locations {
                    if let Some(value) = lhs.heap.get(&location).cloned() {
                        self.force(&value)?;
                    }
                }
                Ok(Some(lhs))
            }
            Err(Stop::Assumed) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Runs the script on a left-hand side and exhales the right-hand side.
    fn prove(
        &mut self,
        scope: &Scope,
        lhs: State,
        reserve: Reserve,
        wand: &Wand,
        script: Option<&Block>,
    ) -> (Run<()>, State) {
        let mut scope = scope.clone();
        scope.lhs = Some(snapshot(&lhs));
        let mut state = lhs;
        let lhs = state.held.clone();
        state.reserve = Some(Box::new(Reserve { lhs, ..reserve }));
        let mut outcome = match script {
            Some(script) => self.script(&mut scope, &mut state, script),
            None => Ok(()),
        };
        if outcome.is_ok() {
            let start = state.clone();
            let taken = &mut Resources::default();
            outcome = self.exhale(&mut scope, &start, &mut state, &wand.rhs, taken);
        }
        (outcome, state)
    }

    /// A wand that a contract promises.
    pub fn conjure(&mut self, scope: &mut Scope, state: &mut State, wand: &Wand) -> Run<()> {
        // An argument may make sense under a condition of the wand only; whether it does is checked where
        // the wand is applied.
        let key = match self.wand_key(scope, state.view(), wand) {
            Err(Stop::Fault(_)) => return outside("wand with an undefined argument"),
            key => key?,
        };
        self.angelic = true;
        let observing = std::mem::replace(&mut self.observing, false);
        let mut found = None;
        for _ in 0..FOOTPRINTS {
            match self.made_up(scope, state, wand) {
                Ok(Some(footprint)) => {
                    found = Some(footprint);
                    break;
                }
                Ok(None) | Err(Stop::Fault(_) | Stop::Assumed) => {}
                Err(other) => {
                    self.observing = observing;
                    return Err(other);
                }
            }
        }
        self.observing = observing;
        let Some((footprint, heap)) = found else { return Err(Stop::Assumed) };
        footprint.for_each_location(&mut |location| {
            if let Some(value) = heap.heap.get(&location) {
                state.heap.entry(location).or_insert_with(|| value.clone());
            }
        });
        let scope = scope.clone();
        let packaged = Packaged { wand: wand.clone(), script: None, scope, past: None };
        let (footprint, packaged) = (Rc::new(footprint), Rc::new(packaged));
        state.held.wands.push(HeldWand { key, footprint, packaged, passed: true });
        Ok(())
    }

    fn made_up(
        &mut self,
        scope: &Scope,
        state: &State,
        wand: &Wand,
    ) -> Run<Option<(Resources, State)>> {
        let mut frame = (*state.frame).clone();
        frame.add(&state.held);
        let mut outer =
            State { heap: state.heap.clone(), frame: Rc::new(frame), ..State::default() };
        let mut footprint = Resources::default();
        let mut satisfied = false;
        for i in 0..2 * SAMPLES {
            let generous = i < SAMPLES;
            let Some(lhs) = self.left_hand_side(scope, wand, &outer)? else { continue };
            outer.held = footprint.clone();
            let reserve = Reserve::new(outer.clone(), generous);
            let (outcome, mut end) = self.prove(scope, lhs, reserve, wand, None);
            match outcome {
                Ok(()) => satisfied |= !generous,
                Err(Stop::Assumed) => {}
                Err(Stop::Fault(_)) => return Ok(None),
                Err(other) => return Err(other),
            }
            let Some(reserve) = end.reserve.take() else { return Ok(None) };
            if generous {
                footprint.maximum(&reserve.taken);
                outer = reserve.outer;
            }
        }
        outer.held = footprint.clone();
        if outer.is_overfull() || !satisfied { Ok(None) } else { Ok(Some((footprint, outer))) }
    }

    pub fn apply(&mut self, scope: &mut Scope, state: &mut State, wand: &Wand) -> Run<()> {
        let start = state.clone();
        let mut given = Resources::default();
        self.exhale(scope, &start, state, &wand.lhs, &mut given)?;
        let key = self.wand_key(scope, start.view(), wand)?;
        let held = self.take_wand(state, &key, wand.pos)?;
        let packaged = &held.packaged;
        // What is neither given nor the wand's is framed.
        let mut frame = (*state.frame).clone();
        frame.add(&state.held);
        let mut inside = State {
            heap: state.heap.clone(),
            held: given,
            frame: Rc::new(frame),
            reserve: None,
            past: packaged.past.clone(),
        };
        let mut lhs = inside.clone();
        lhs.past = Some(snapshot(&start));
        inside.held.add(&held.footprint);
        let mut scope = packaged.scope.clone();
        scope.lhs = Some(Rc::new(lhs.clone()));
        let observing = std::mem::replace(&mut self.observing, false);
        let mut gained = Resources::default();
        let mut outcome = match &packaged.script {
            Some(script) => self.script(&mut scope, &mut inside, script),
            None => Ok(()),
        };
        if outcome.is_ok() {
            let before = inside.clone();
            let rhs = &packaged.wand.rhs;
            outcome = self.exhale(&mut scope, &before, &mut inside, rhs, &mut gained);
        }
        if let (Err(Stop::Fault(_)), Some(past)) = (&outcome, &packaged.past) {
            // Is the footprint too small because too few left-hand sides were tried?
            let reserve = Reserve::new((**past).clone(), false);
            lhs.frame = Rc::default();
            lhs.past = None;
            let script = packaged.script.as_ref();
            let (again, _) = self.prove(&packaged.scope, lhs, reserve, &packaged.wand, script);
            if !matches!(again, Err(Stop::Fault(_))) {
                outcome = outside("footprint that was found too small");
            }
        }
        self.observing = observing;
        outcome?;
        state.heap = inside.heap;
        state.held.add(&gained);
        // What the footprint has beyond what was needed is given back by a wand that is known.
        if held.passed {
            state.forget();
        } else {
            state.held.add(&inside.held);
        }
        Ok(())
    }

    /// Takes resources that are here or in a reserve.
    fn take_all(&mut self, state: &mut State, what: &Resources, pos: Pos) -> Run<Resources> {
        let mut taken = Resources::default();
        for (location, amount) in &what.fields {
            let held = state.held.field(*location);
            if held < *amount {
                self.pull_field(state, *location, &Part::Exactly(amount - held), pos)?;
            }
            state.held.remove_field(*location, amount);
            taken.add_field(*location, amount);
        }
        for (instance, (amount, _)) in &what.predicates {
            let held = state.held.predicate(instance);
            if held < *amount {
                self.pull_predicate(state, instance, &Part::Exactly(amount - held), pos)?;
            }
            match state.held.remove_predicate(instance, amount) {
                Some(folded) => taken.add_predicate(instance.clone(), amount, &folded),
                None => return outside("part of a wand"),
            }
        }
        for wand in &what.wands {
            let wand = self.take_wand(state, &wand.key, pos)?;
            taken.wands.push(wand);
        }
        Ok(taken)
    }

    /// The wand with this key, from here or from a reserve.
    pub fn take_wand(&mut self, state: &mut State, key: &str, pos: Pos) -> Run<HeldWand> {
        if let Some(i) = state.held.wands.iter().position(|w| w.key == key) {
            return Ok(state.held.wands.remove(i));
        }
        let Some(mut reserve) = state.reserve.take() else {
            return fault(pos, "the wand is not held");
        };
        if reserve.generous {
            return outside("footprint with wands");
        }
        let wand = self.take_wand(&mut reserve.outer, key, pos);
        reserve.impossible |= matches!(wand, Err(Stop::Assumed));
        let outcome = wand.and_then(|wand| {
            reserve.taken.wands.push(wand.clone());
            self.agree(state, &reserve, &wand.footprint)?;
            Ok(wand)
        });
        state.reserve = Some(reserve);
        outcome
    }

    /// Values of what comes from outside agree with those here, or no such state exists.
    fn agree(&mut self, state: &mut State, reserve: &Reserve, what: &Resources) -> Run<()> {
        let outer = &reserve.outer;
        let mut locations = Vec::new();
        what.for_each_location(&mut |location| locations.push(location));
        locations.sort_unstable();
        locations.dedup();
        for location in locations {
            let Some(theirs) = outer.heap.get(&location) else { continue };
            if reserve.lhs.total(location) + reserve.taken.total(location) > Amount::one() {
                return Err(Stop::Assumed);
            }
            // What an exhale has given up so far still has its value.
            if let Some(ours) = state.heap.get(&location).cloned() {
                if self.force(&ours)? != self.force(&theirs.clone())? {
                    return Err(Stop::Assumed);
                }
            } else {
                state.heap.insert(location, theirs.clone());
            }
        }
        Ok(())
    }

    /// Moves permission of a field from the reserve, as far as it is there.
    pub fn pull_field(
        &mut self,
        state: &mut State,
        location: Location,
        part: &Part,
        pos: Pos,
    ) -> Run<()> {
        let Some(mut reserve) = state.reserve.take() else { return Ok(()) };
        let outcome = self.pull_field_from(state, &mut reserve, location, part, pos);
        state.reserve = Some(reserve);
        outcome
    }

    fn pull_field_from(
        &mut self,
        state: &mut State,
        reserve: &mut Reserve,
        location: Location,
        part: &Part,
        pos: Pos,
    ) -> Run<()> {
        let held = reserve.outer.held.field(location);
        let lacks = match part {
            Part::Exactly(p) => held < *p,
            Part::Wildcard => held.is_zero(),
        };
        if lacks {
            let missing = match part {
                Part::Exactly(p) => Part::Exactly(p - &held),
                Part::Wildcard => Part::Wildcard,
            };
            if reserve.generous {
                let ty: Type = self.program.field(location.1).ty.clone();
                self.make_up_field(&mut reserve.outer, location, &ty, missing)?;
            } else {
                let pulled = self.pull_field(&mut reserve.outer, location, &missing, pos);
                reserve.impossible |= matches!(pulled, Err(Stop::Assumed));
                pulled?;
            }
        }
        let held = reserve.outer.held.field(location);
        let amount = match part {
            Part::Exactly(p) => p.clone().min(held),
            Part::Wildcard => held * amount(1, 1024),
        };
        if !amount.is_positive() {
            return Ok(());
        }
        let mut moved = Resources::default();
        moved.add_field(location, &amount);
        reserve.outer.held.remove_field(location, &amount);
        reserve.taken.add(&moved);
        self.agree(state, reserve, &moved)?;
        state.held.add(&moved);
        Ok(())
    }

    fn make_up_field(
        &mut self,
        outer: &mut State,
        location: Location,
        ty: &Type,
        part: Part,
    ) -> Run<()> {
        let free = Amount::one() - outer.total(location);
        let amount = match part {
            Part::Exactly(p) => p,
            Part::Wildcard => &free * amount(1, 8),
        };
        if location.0 == 0 || !amount.is_positive() || amount > free {
            return Err(Stop::Assumed);
        }
        if let std::collections::btree_map::Entry::Vacant(e) = outer.heap.entry(location) {
            let value = self.unknown(ty);
            self.force(&value)?;
            e.insert(value);
        }
        outer.held.add_field(location, &amount);
        Ok(())
    }

    /// Moves permission of a predicate instance from the reserve, as far as it is there.
    pub fn pull_predicate(
        &mut self,
        state: &mut State,
        instance: &Instance,
        part: &Part,
        pos: Pos,
    ) -> Run<()> {
        let Some(mut reserve) = state.reserve.take() else { return Ok(()) };
        let outcome = self.pull_predicate_from(state, &mut reserve, instance, part, pos);
        state.reserve = Some(reserve);
        outcome
    }

    fn pull_predicate_from(
        &mut self,
        state: &mut State,
        reserve: &mut Reserve,
        instance: &Instance,
        part: &Part,
        pos: Pos,
    ) -> Run<()> {
        let held = reserve.outer.held.predicate(instance);
        let lacks = match part {
            Part::Exactly(p) => held < *p,
            Part::Wildcard => held.is_zero(),
        };
        if lacks {
            let missing = match part {
                Part::Exactly(p) => Part::Exactly(p - &held),
                Part::Wildcard => Part::Wildcard,
            };
            if reserve.generous {
                let (outer, one) = (&mut reserve.outer, Amount::one());
                self.inhale_predicate(outer, instance.clone(), missing, &one, pos)?;
            } else {
                let pulled = self.pull_predicate(&mut reserve.outer, instance, &missing, pos);
                reserve.impossible |= matches!(pulled, Err(Stop::Assumed));
                pulled?;
            }
        }
        let held = reserve.outer.held.predicate(instance);
        let amount = match part {
            Part::Exactly(p) => p.clone().min(held),
            Part::Wildcard => held * amount(1, 1024),
        };
        if !amount.is_positive() {
            return Ok(());
        }
        let Some(folded) = reserve.outer.held.remove_predicate(instance, &amount) else {
            return outside("part of a wand");
        };
        let mut moved = Resources::default();
        moved.add_predicate(instance.clone(), &amount, &folded);
        reserve.taken.add(&moved);
        self.agree(state, reserve, &moved)?;
        state.held.add(&moved);
        Ok(())
    }

    /// Which wand it is: its form, with the values of all that does not depend on the heap.
    pub fn wand_key(&mut self, scope: &mut Scope, view: View<'_>, wand: &Wand) -> Run<String> {
        let mut key = String::new();
        let mut bound = Vec::new();
        self.key(scope, view, &wand.lhs, &mut bound, &mut key)?;
        key.push_str(" --* ");
        self.key(scope, view, &wand.rhs, &mut bound, &mut key)?;
        Ok(key)
    }

    fn key(
        &mut self,
        scope: &mut Scope,
        view: View<'_>,
        e: &Expr,
        bound: &mut Vec<LocalId>,
        out: &mut String,
    ) -> Run<()> {
        let closed = !bound.iter().any(|v| mentions(e, *v));
        if closed && !depends_on_heap(self, e) {
            let value = self.eval(scope, view, e)?;
            out.push_str(&format!("{value:?};"));
            return Ok(());
        }
        let depth = bound.len();
        match &e.kind {
            ExprKind::Local(id) => {
                let index = bound.iter().position(|v| v == id);
                out.push_str(&format!("bound {index:?};"));
                return Ok(());
            }
            // A wand means what it meant where it was made. Whoever takes it for one about another
            // state finds out when it is applied.
            ExprKind::Old(OldState::Pre | OldState::Label(_), _) => out.push_str("old"),
            ExprKind::Perm(_) | ExprKind::ForPerm(..) => return outside("perm in a wand"),
            ExprKind::Binary(op, ..) => out.push_str(&format!("{op:?}")),
            ExprKind::Field(_, f) => out.push_str(&format!("{f:?}")),
            ExprKind::Call(f, _) => out.push_str(&format!("{f:?}")),
            ExprKind::DomainCall(f, ..) => out.push_str(&format!("{f:?}")),
            ExprKind::Collection(op, _) => out.push_str(&format!("{op:?}")),
            ExprKind::Acc(Resource::Field(_, f, _), p) => {
                out.push_str(&format!("acc {f:?} {}", p.is_some()));
            }
            ExprKind::Acc(Resource::Predicate(f, ..), p) => {
                out.push_str(&format!("acc {f:?} {}", p.is_some()));
            }
            ExprKind::Unfolding(access, _) => {
                let whole = access.amount.is_none();
                out.push_str(&format!("unfolding {:?} {whole}", access.predicate));
            }
            ExprKind::Let(var, ..) => {
                bound.push(*var);
                out.push_str("let");
            }
            ExprKind::Quant { quantifier, vars, body, .. } => {
                bound.extend(vars);
                let types: Vec<_> = vars.iter().map(|v| &scope.types[v.index()].ty).collect();
                out.push_str(&format!("{quantifier:?}{types:?}("));
                self.key(scope, view, body, bound, out)?;
                out.push(')');
                bound.truncate(depth);
                return Ok(());
            }
            other => out.push_str(&format!("{:?}", std::mem::discriminant(other))),
        }
        out.push('(');
        let mut children = Vec::new();
        e.for_each_child(|child| children.push(child.clone()));
        for child in children {
            self.key(scope, view, &child, bound, out)?;
        }
        out.push(')');
        bound.truncate(depth);
        Ok(())
    }
}

fn depends_on_heap(machine: &Machine<'_>, e: &Expr) -> bool {
    let mut depends = match &e.kind {
        ExprKind::Field(..)
        | ExprKind::Acc(..)
        | ExprKind::Wand(_)
        | ExprKind::InhaleExhale(..)
        | ExprKind::Perm(_)
        | ExprKind::ForPerm(..)
        | ExprKind::Unfolding(..)
        | ExprKind::Applying(..)
        | ExprKind::Asserting(..)
        | ExprKind::WildcardPerm
        | ExprKind::Old(OldState::Lhs, _) => true,
        ExprKind::Old(..) => return false,
        ExprKind::Call(f, _) => !machine.program.function(*f).pres.is_empty(),
        _ => false,
    };
    e.for_each_child(|child| depends = depends || depends_on_heap(machine, child));
    depends
}
