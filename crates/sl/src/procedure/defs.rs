//! Definitions, made once, with all that was found out about them.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::core::Definitions;
use crate::formula::Semantics;
use crate::signature::Signature;
use crate::sort::Name;

/// What questions are about: a signature, and what pure atoms mean. Whatever a procedure finds out
/// about the definitions is kept here, so that the next question does not pay for it. Cheap to clone;
/// clones share what is kept.
#[derive(Clone)]
pub struct Defs(Arc<Shared>);

struct Shared {
    signature: Arc<Signature>,
    semantics: Semantics,
    /// The predicates that have the first numbers in the core.
    first: Vec<Name>,
    core: OnceLock<Arc<Definitions>>,
    kept: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Defs {
    /// Definitions of which nothing is known yet.
    #[must_use]
    pub fn new(signature: impl Into<Arc<Signature>>, semantics: Semantics) -> Defs {
        Defs::in_order(signature, semantics, &[])
    }

    /// The same where these predicates have the first numbers in the core.
    pub(crate) fn in_order(
        signature: impl Into<Arc<Signature>>,
        semantics: Semantics,
        first: &[Name],
    ) -> Defs {
        let (signature, first) = (signature.into(), first.to_vec());
        let (core, kept) = (OnceLock::new(), Mutex::default());
        Defs(Arc::new(Shared { signature, semantics, first, core, kept }))
    }

    /// The definitions with numbers, lowered when they are asked for first.
    #[must_use]
    pub fn core(&self) -> &Arc<Definitions> {
        self.0.core.get_or_init(|| {
            Arc::new(Definitions::new(&self.0.signature, self.0.semantics, &self.0.first))
        })
    }

    /// The definitions as they were written.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.0.signature
    }

    /// What pure atoms say of the heap.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.0.semantics
    }

    /// What a procedure knows about these definitions: one value of each type, made when it is asked
    /// for first.
    pub fn prepared<T: Send + Sync + 'static>(&self, make: impl FnOnce(&Defs) -> T) -> Arc<T> {
        let kept = |defs: &Defs| {
            let kept = defs.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get(&TypeId::of::<T>()).cloned()
        };
        if let Some(Ok(known)) = kept(self).map(Arc::downcast::<T>) {
            return known;
        }
        // Not while others wait: this may take long, and may ask for something else.
        let made = Arc::new(make(self));
        let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(TypeId::of::<T>(), made.clone());
        made
    }
}

impl fmt::Debug for Defs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Defs").field("semantics", &self.0.semantics).finish_non_exhaustive()
    }
}
