//! The resources tier, whose two versions become one here.

macro_rules! same_in_both {
    ($librarian:path) => {
        use crate::convert::span;
        use crate::fault::Invalid;
        use crate::plan::{Offer, Part, Target};
        use $librarian as librarian;

        fn target(target: librarian::Target) -> Result<Target, Invalid> {
            match target {
                librarian::Target::WholeRecord => Ok(Target::WholeRecord),
                librarian::Target::Field(path) => Ok(Target::Field(path)),
                librarian::Target::Blob(path) => Ok(Target::Blob(path)),
                librarian::Target::Other(_) => Err(Invalid::UnknownTarget),
            }
        }

        pub(crate) fn part(part: librarian::Part) -> Result<Part, Invalid> {
            Ok(Part { path: part.path, at: part.at.map(span).transpose()? })
        }
    };
}

/// `librarian@0.1`: an offer does not say whose it is, because only one record was asked about.
pub(crate) mod v0_1 {
    same_in_both!(crate::wit::v0_1::librarian);

    pub(crate) fn offer(offer: librarian::Offer) -> Result<Offer, Invalid> {
        Ok(Offer { target: target(offer.target)?, title: offer.title, priority: offer.priority })
    }
}

/// `librarian@0.2`
pub(crate) mod v0_2 {
    use crate::shape::Slot;

    same_in_both!(crate::wit::v0_2::librarian);

    pub(crate) fn offer(offer: librarian::Offer) -> Result<(Slot, Offer), Invalid> {
        let target = target(offer.target)?;
        Ok((Slot(offer.slot), Offer { target, title: offer.title, priority: offer.priority }))
    }
}
