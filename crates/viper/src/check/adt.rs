//! Derivations of algebraic data types.

use report::Pos;

use super::Checker;
use crate::ast;
use crate::core::{Contains, DomainFunctionId, DomainId};

impl<'a> Checker<'a> {
    pub(super) fn adt(&mut self, adt: &'a ast::Adt, id: DomainId, pos: Pos) {
        if adt.constructors.is_empty() {
            self.consistency_error(
                pos,
                format!("the ADT `{}` needs at least one constructor", adt.name.name),
            );
        }
        let mut contains: Option<Contains> = None;
        for derive in adt.derives.iter().flatten() {
            if derive.what.name.as_str() != "contains" {
                self.error(
                    derive.what.at.0,
                    format!("`{}` cannot be derived, only `contains` can", derive.what.name),
                );
                continue;
            }
            if let Some(param) = &derive.param {
                self.error(param.at.0, "`contains` has no parameter");
            }
            if contains.is_some() {
                self.error(derive.at.0, "`contains` is derived twice");
            }
            let without = derive
                .without
                .iter()
                .filter_map(|name| {
                    let destructor = self.destructor(adt, id, &name.name);
                    if destructor.is_none() {
                        self.error(
                            name.at.0,
                            format!("`{}` has no argument named `{}`", adt.name.name, name.name),
                        );
                    }
                    destructor
                })
                .collect();
            contains = Some(Contains { without, pos: derive.at.0 });
        }
        if contains.is_some() && self.globals.core.find_domain_function("contains").is_none() {
            self.report(
                report::Diagnostic::error(
                    "typechecker.error",
                    adt.name.at.0,
                    "deriving `contains` needs its declaration",
                )
                .with_help("add `import <adt/derives.vpr>`"),
            );
        }
        let domain = self.globals.core.domains.get_mut(id.index());
        if let Some(core) = domain.and_then(|d| d.adt.as_mut()) {
            core.contains = contains;
        }
    }

    fn destructor(
        &self,
        adt: &ast::Adt,
        id: DomainId,
        name: &ast::Name,
    ) -> Option<DomainFunctionId> {
        let core = self.globals.core.domain(id).adt.as_ref()?;
        adt.constructors.iter().zip(&core.constructors).find_map(|(surface, core)| {
            let i = surface.params.iter().position(|p| p.name.name == *name)?;
            core.destructors.get(i).copied()
        })
    }
}
