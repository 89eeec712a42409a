//! Table: rows that training changes, with their optimiser.

use std::path::Path;
use std::ptr::{self, NonNull};
use std::time::Duration;

use gls_sys as sys;

use crate::cluster::table_options::{Optimizer, TableOptions};
use crate::data::dataset::Dataset;
use crate::memory::dtype::{DType, Element, Id};
use crate::memory::tensor::{Borrowed, Tensor};
use crate::runtime::error::{call, lossy, make, Error, Result};
use crate::runtime::names::{c_path, c_string, Name};
use crate::runtime::options::milliseconds;

/// Rows that training changes, such as embeddings of nodes, with their optimiser: one row for each
/// node or edge of a type. See [`Dataset::table`].
///
/// Rows of a served dataset are in memory of the servers that own them. Rows of any other dataset
/// are in this process. When a server ends, its rows are lost, and every call on the table is an
/// error: open it again and load it. Dropping this object releases it; the table itself stays.
///
/// ```
/// # use gls::{Context, DatasetBuilder, Optimizer, TableOptions};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// # let dataset = builder.build()?;
/// let options = TableOptions::new(2).constant(1.0).optimizer(Optimizer::Sgd);
/// let mut table = dataset.table("node", "embedding", &options)?;
/// let ids = [2i64, 0];
/// let rows = table.rows(&ids)?; // [2, 2]
/// assert_eq!(rows.as_slice::<f32>()?, [1.0; 4]);
/// table.step(&ids, &[0.5, 1.0, 2.0, 4.0], 0.5)?;
/// assert_eq!(table.rows(&ids)?.as_slice::<f32>()?, [0.75, 0.5, 0.0, -1.0]);
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug)]
pub struct Table {
    raw: NonNull<sys::gls_table_t>,
    width: usize,
    dtype: DType,
}

// SAFETY: gls.h: functions that take `&self` here are [any]; [one] functions take `&mut`; release,
// by Drop, may happen on any thread.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_table_release(self.raw.as_ptr()) }
    }
}

/// What a [`Table`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableInfo {
    /// Its name.
    pub name: String,
    /// The node or edge type that has a row for each of its nodes or edges.
    pub type_name: String,
    /// How many rows.
    pub rows: usize,
    /// Numbers of a row.
    pub width: usize,
    /// The type of the numbers.
    pub dtype: DType,
    /// Whether the gradient of a row is the mean of those that a step has for it.
    pub mean: bool,
    /// Whether Adam counts the steps of each row.
    pub row_steps: bool,
    /// How steps change rows. `None`: they are only written.
    pub optimizer: Option<Optimizer>,
    /// Of this trainer among those that take steps together.
    pub rank: u32,
    /// How many these are.
    pub world_size: u32,
    /// How many steps were taken, as far as this object knows.
    pub step: u64,
    /// Of all its rows, with what the optimiser keeps.
    pub bytes: u64,
}

impl Dataset {
    /// Makes a table, or attaches to the existing one of this type and name, which then must match
    /// the options. With `None` the table must exist, and this process takes no steps. `type_name`
    /// is a node or edge type; `None`: the only node type.
    ///
    /// A table of a dataset in this process lives as long as the dataset. A table at servers lives
    /// until it is [dropped for all](Table::drop_for_all) or a server ends. Only one server of each
    /// part may hold tables, see [`ServerOptions::table_bytes`](crate::ServerOptions::table_bytes).
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`] for an option, such as several trainers for a dataset that no
    ///   server serves.
    /// - [`Error::NotFound`] for the type, and without options for the table.
    /// - [`Error::AlreadyExists`] when a different table of this name exists; the message names the
    ///   difference.
    /// - [`Error::OutOfMemory`] of this process, or of a server's memory for tables.
    /// - [`Error::Unsupported`] when no server or several servers of a part hold tables, or when
    ///   this is a part that is open by itself. Also for edges without columns of a graph in parts,
    ///   and for an optimiser of numbers that are not float32.
    /// - [`Error::Io`] and [`Error::TimedOut`] when a server does not answer.
    pub fn table<'t, 'o>(
        &self,
        type_name: impl Into<Option<&'t str>>,
        name: &str,
        options: impl Into<Option<&'o TableOptions>>,
    ) -> Result<Table> {
        let type_name = Name::new("type", type_name.into())?;
        let name = c_string("name", name)?;
        let options = match options.into() {
            Some(options) => Some(options.describe()?),
            None => None,
        };
        // SAFETY: a live handle, terminated strings or NULL, options of this header or NULL.
        let raw = make(|out, error| unsafe {
            sys::gls_table_open(
                self.raw(),
                type_name.as_ptr(),
                name.as_ptr(),
                options.as_ref().map_or(ptr::null(), |options| options),
                out,
                error,
            )
        })?;
        let mut table = Table {
            raw,
            width: 0,
            dtype: DType::F32,
        };
        let info = table.info()?;
        table.width = info.width;
        table.dtype = info.dtype;
        Ok(table)
    }
}

impl Table {
    /// What it is.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after a fork.
    pub fn info(&self) -> Result<TableInfo> {
        let mut info = sys::gls_table_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size; get_info is [any].
        call(|error| unsafe { sys::gls_table_get_info(self.raw.as_ptr(), &mut info, error) })?;
        // SAFETY: terminated strings, which live as long as the table.
        let (name, type_name) = unsafe { (lossy(info.name), lossy(info.type_)) };
        Ok(TableInfo {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            rows: info.rows as usize,
            width: info.width as usize,
            dtype: DType::from_dl(info.dtype),
            mean: info.flags & sys::GLS_TABLE_MEAN != 0,
            row_steps: info.flags & sys::GLS_TABLE_ROW_STEPS != 0,
            optimizer: Optimizer::from_number(info.optimizer),
            rank: info.rank,
            world_size: info.world_size,
            step: info.step as u64,
            bytes: info.bytes,
        })
    }

    // ---- rows ----

    /// Rows by id: `[ids, width]`, memory of their own. Ids may be in any order, with repeats.
    ///
    /// A row is read before a step or a write, or after it, and never amid it. Of different rows in
    /// one call, some may be read before it and some after.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an id out of range, naming its position; [`Error::InvalidState`] when
    /// a server lost the table, or it was dropped; [`Error::Io`], [`Error::TimedOut`].
    pub fn rows(&self, ids: &[impl Id]) -> Result<Tensor> {
        let ids = Borrowed::vector(ids);
        // SAFETY: a live handle, and an array that is alive; rows is [any].
        let raw = make(|out, error| unsafe {
            sys::gls_table_rows(self.raw.as_ptr(), &ids.describe(), out, error)
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { Tensor::from_raw(raw) })
    }

    /// Writes rows, one after another, of the table's type: `u16` are the bits of float16 and
    /// bfloat16. For an id that is given more than once, the last row counts. Of concurrent
    /// writers, the last one wins, for each row as a whole. When the call fails, some rows may be
    /// written.
    ///
    /// # Errors
    /// As of [`Table::rows`]; [`Error::InvalidArgument`] for another type, or another count of numbers than
    /// the ids need.
    pub fn write<T: Element>(&self, ids: &[impl Id], rows: &[T]) -> Result<()> {
        let rows = self.borrow("rows", ids.len(), rows)?;
        let ids = Borrowed::vector(ids);
        // SAFETY: a live handle, and arrays that are alive; write is [any].
        call(|error| unsafe {
            let table = self.raw.as_ptr();
            sys::gls_table_write(table, &ids.describe(), &rows.describe(), error)
        })?;
        Ok(())
    }

    fn borrow<'a, T: Element>(
        &self,
        argument: &'static str,
        count: usize,
        values: &'a [T],
    ) -> Result<Borrowed<'a>> {
        if count.checked_mul(self.width) != Some(values.len()) {
            let (given, width) = (values.len(), self.width);
            let message = format!("{given} numbers, expected {count} rows of {width}");
            return Err(Error::invalid(argument, message));
        }
        Ok(Borrowed::rows(values, count, self.width, self.dtype))
    }

    // ---- all trainers together ----

    /// Takes a step of the optimiser together with all trainers. It waits until each trainer has
    /// sent its gradients, and returns when the rows are changed. Gradients lie one after another,
    /// a row of them for each id. The setting `cluster.request_timeout_ms` limits the wait for
    /// other trainers. A trainer without gradients calls it with no ids.
    ///
    /// Each trainer sums a row's gradients in the order of `ids`. The sums of the trainers are
    /// added in the order of their ranks, and the row is changed once. So the outcome depends
    /// neither on the order of arrival nor on the parts.
    ///
    /// After an error the step was not taken, unless the connection to a server was lost. In that
    /// case some parts may have taken it, and the next call must have equal arguments. A step is
    /// never taken twice.
    ///
    /// # Errors
    /// As of [`Table::rows`], and:
    ///
    /// - [`Error::InvalidArgument`] for gradients: another count of numbers than the ids need, or
    ///   more than 1 GiB of them for a part. Also for one that is NaN or infinite, or such a sum
    ///   for an id; the message names the row.
    /// - [`Error::InvalidArgument`] for a learning rate that is not finite, or differs from that of
    ///   the other trainers. Also for another number of trainers than theirs, and the rank of
    ///   another trainer.
    /// - [`Error::OutOfMemory`] when a server's memory for tables cannot keep the gradients until
    ///   all trainers have sent theirs.
    /// - [`Error::TimedOut`] with the ranks that are missing.
    /// - [`Error::InvalidState`] when the table has no optimiser, was attached to without options,
    ///   or is being loaded. Also when its parts are at different steps, because a trainer ended
    ///   amid one, or when this object is behind: load the table.
    pub fn step(&mut self, ids: &[impl Id], gradients: &[f32], learning_rate: f64) -> Result<()> {
        self.step_in(ids, gradients, learning_rate, sys::GLS_TIMEOUT_DEFAULT)
    }

    /// As [`Table::step`], waiting this long for the other trainers. `None`: without limit.
    ///
    /// # Errors
    /// As there.
    pub fn step_with_timeout(
        &mut self,
        ids: &[impl Id],
        gradients: &[f32],
        learning_rate: f64,
        timeout: Option<Duration>,
    ) -> Result<()> {
        self.step_in(ids, gradients, learning_rate, milliseconds(timeout))
    }

    fn step_in(
        &mut self,
        ids: &[impl Id],
        gradients: &[f32],
        learning_rate: f64,
        timeout_ms: i64,
    ) -> Result<()> {
        let gradients = self.borrow("gradients", ids.len(), gradients)?;
        let ids = Borrowed::vector(ids);
        // SAFETY: a live handle, and arrays that are alive; step is [one], and `self` is `&mut`.
        call(|error| unsafe {
            sys::gls_table_step(
                self.raw.as_ptr(),
                &ids.describe(),
                &gradients.describe(),
                learning_rate,
                timeout_ms,
                error,
            )
        })?;
        Ok(())
    }

    /// Saves this trainer's share of the rows, with the state of the optimiser. Every trainer calls
    /// it after the same step. Each saves the state after that step, because the next step waits
    /// for all trainers. Only [`Table::write`] must not run meanwhile. If a step is taken amid it,
    /// the save fails.
    ///
    /// The files do not depend on the parts: they can be loaded with other parts, or by another
    /// number of trainers.
    ///
    /// `path` is a folder, created if missing. It is one folder for all trainers, or one for each,
    /// to be merged before loading. Nothing is overwritten.
    ///
    /// # Errors
    /// As of [`Table::rows`], and:
    ///
    /// - [`Error::AlreadyExists`] when the folder has this share, or something else: another table
    ///   or step, or shares of another number of trainers.
    /// - [`Error::InvalidState`] when a step was taken meanwhile, or parts are at different steps.
    pub fn save(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path("path", path.as_ref())?;
        // SAFETY: a live handle and a terminated string; save is [one], and `self` is `&mut`.
        call(|error| unsafe { sys::gls_table_save(self.raw.as_ptr(), path.as_ptr(), error) })?;
        Ok(())
    }

    /// Loads a table that any number of trainers saved. Every trainer calls it. Each loads its
    /// share, and the call returns when all trainers have theirs. Steps continue from the saved
    /// step. The setting `cluster.request_timeout_ms` limits the wait for other trainers.
    ///
    /// All files that this trainer needs are checked before the first row is written. From then on
    /// no step is taken until a load has succeeded.
    ///
    /// # Errors
    /// As of [`Table::step`], and:
    ///
    /// - [`Error::NotFound`] when the folder does not exist, or a trainer's share is missing; the
    ///   message names it.
    /// - [`Error::InvalidArgument`] when it is of a table of another type, number of rows, width,
    ///   type of numbers or optimiser. Also when not all shares are of one table and step.
    /// - [`Error::CorruptData`].
    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<()> {
        self.load_in(path.as_ref(), sys::GLS_TIMEOUT_DEFAULT)
    }

    /// As [`Table::load`], waiting this long for the other trainers. `None`: without limit.
    ///
    /// # Errors
    /// As there.
    pub fn load_with_timeout(
        &mut self,
        path: impl AsRef<Path>,
        timeout: Option<Duration>,
    ) -> Result<()> {
        self.load_in(path.as_ref(), milliseconds(timeout))
    }

    fn load_in(&mut self, path: &Path, timeout_ms: i64) -> Result<()> {
        let path = c_path("path", path)?;
        // SAFETY: a live handle and a terminated string; load is [one], and `self` is `&mut`.
        call(|error| unsafe {
            sys::gls_table_load(self.raw.as_ptr(), path.as_ptr(), timeout_ms, error)
        })?;
        Ok(())
    }

    // ---- the end ----

    /// Drops the table for all: memory of its rows is free, calls on it fail, and its name may be used
    /// again. A second call does nothing.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::TimedOut`].
    pub fn drop_for_all(&self) -> Result<()> {
        // SAFETY: a live handle; drop is [any].
        call(|error| unsafe { sys::gls_table_drop(self.raw.as_ptr(), error) })?;
        Ok(())
    }
}
