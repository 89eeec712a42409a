//! Epoch: the batches of an epoch as an iterator, and which epoch that is.

use std::borrow::BorrowMut;
use std::fmt;
use std::iter::FusedIterator;
use std::task::Poll;

use gls_sys as sys;

use crate::load::batch::Batch;
use crate::load::loader::NeighborLoader;
use crate::runtime::error::{Error, Result};

/// Which epoch the next iteration of a loader gives.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Due {
    /// This one, at whose start the loader stands.
    Fresh(u64),
    /// This one, from its start.
    Epoch(u64),
    /// The rest of the current one, which was restored.
    Rest,
    /// None: the last was 2^64 - 1.
    Nothing,
}

impl Due {
    pub(crate) fn after(epoch: u64) -> Self {
        epoch.checked_add(1).map_or(Due::Nothing, Due::Epoch)
    }
}

/// The batches of an epoch of a [`NeighborLoader`], in order; `L` is the loader or `&mut` of it.
///
/// Each new iteration is the next epoch: the first one gives epoch 0, after
/// [`NeighborLoader::seek`] the epoch that it names, and after [`NeighborLoader::restore`] the rest
/// of the epoch that was restored. An iteration that ends early counts, too.
///
/// The error of one batch is an item, after which the next batch follows. After
/// [`Error::Canceled`], which every later call would give again, the iterator ends.
pub struct Epoch<L> {
    loader: L,
    /// Why the epoch could not begin, which is the only item.
    failed: Option<Error>,
    over: bool,
}

impl<L: BorrowMut<NeighborLoader>> Epoch<L> {
    fn begin(mut loader: L) -> Self {
        let failed = loader.borrow_mut().begin().err();
        Self {
            loader,
            failed,
            over: false,
        }
    }
}

impl<L: BorrowMut<NeighborLoader>> Iterator for Epoch<L> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            self.over = true;
            return Some(Err(error));
        }
        if self.over {
            return None;
        }
        let item = self.loader.borrow_mut().next();
        self.over = item.is_none();
        item
    }
}

impl<L: BorrowMut<NeighborLoader>> FusedIterator for Epoch<L> {}

impl<L: fmt::Debug> fmt::Debug for Epoch<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Epoch")
            .field("loader", &self.loader)
            .finish_non_exhaustive()
    }
}

/// The batches of the next epoch; see [`Epoch`].
impl<'l> IntoIterator for &'l mut NeighborLoader {
    type Item = Result<Batch>;
    type IntoIter = Epoch<&'l mut NeighborLoader>;

    fn into_iter(self) -> Self::IntoIter {
        Epoch::begin(self)
    }
}

/// The batches of the next epoch; see [`Epoch`]. The loader ends with the iterator.
impl IntoIterator for NeighborLoader {
    type Item = Result<Batch>;
    type IntoIter = Epoch<NeighborLoader>;

    fn into_iter(self) -> Self::IntoIter {
        Epoch::begin(self)
    }
}

impl NeighborLoader {
    /// The batches of the next epoch, as `for batch in &mut loader` gives them, for the adapters of
    /// iterators. It begins with this call.
    pub fn batches(&mut self) -> Epoch<&mut NeighborLoader> {
        Epoch::begin(self)
    }

    /// The next batch of the current epoch, in order; `None` at its end, again and again, until a
    /// new iteration, [`NeighborLoader::seek`] or [`NeighborLoader::restore`].
    ///
    /// The error of one batch is `Some(Err(..))`; the next batch follows it. After
    /// [`Error::Canceled`], which every later call would return again, the result is `None`.
    #[allow(clippy::should_implement_trait)] // an iterator is one epoch, and this is of all of them
    pub fn next(&mut self) -> Option<Result<Batch>> {
        loop {
            if let Poll::Ready(item) = self.poll_item(None) {
                return item;
            }
        }
    }

    /// Goes to the epoch that is due.
    pub(crate) fn begin(&mut self) -> Result<()> {
        match self.due {
            Due::Epoch(epoch) => {
                self.seek(epoch)?;
            }
            Due::Fresh(_) | Due::Rest => self.over = false,
            Due::Nothing => {
                return Err(Error::here(
                    sys::GLS_ERR_INVALID_STATE,
                    "",
                    "there is no epoch after 2^64 - 1: seek() to another",
                ))
            }
        }
        self.due = Due::after(self.info()?.epoch);
        Ok(())
    }
}
