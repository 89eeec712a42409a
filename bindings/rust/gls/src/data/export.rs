//! Datasets as files of other systems.

use std::fmt;
use std::ops::ControlFlow;
use std::os::raw::c_char;
use std::path::Path;

use gls_sys as sys;

use crate::data::dataset::Dataset;
use crate::runtime::error::{call, Result};
use crate::runtime::names::{c_path, c_string};
use crate::runtime::progress::{with_progress, Progress, ProgressFn};

/// Options of [`Dataset::export_with`].
#[derive(Default)]
#[must_use = "options do nothing by themselves"]
pub struct ExportOptions<'p> {
    choices: Vec<String>,
    overwrite: bool,
    progress: Option<Box<ProgressFn<'p>>>,
}

impl<'p> ExportOptions<'p> {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// A choice that the format documents.
    pub fn choice(mut self, name: &str, value: &str) -> Self {
        self.choices.push(format!("{name}={value}"));
        self
    }

    /// Whether an earlier export, an empty folder or a file at the path is replaced.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Called during the work. `Break` ends the call with
    /// [`Error::Canceled`](crate::Error::Canceled) and leaves nothing behind. If it panics, the call
    /// ends in the same way, and the panic continues.
    pub fn progress(mut self, progress: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'p) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }
}

impl fmt::Debug for ExportOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportOptions")
            .field("choices", &self.choices)
            .field("overwrite", &self.overwrite)
            .finish_non_exhaustive()
    }
}

impl Dataset {
    /// Writes the dataset as files of another system: "parquet", "pyg", "dgl" or "graphbolt". The path
    /// is a folder; a file for "pyg", and for "dgl" with the choice "form=graph". Needs the plugin
    /// libgls_formats.so.
    ///
    /// Ids, the order of edge ids, dtypes and bits are kept. The files appear when all are complete.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) without the plugin, or for contents that the
    /// format cannot have; [`Error::AlreadyExists`](crate::Error::AlreadyExists).
    pub fn export(&self, format: &str, path: impl AsRef<Path>) -> Result<()> {
        self.export_with(format, path, ExportOptions::new())
    }

    /// As [`Dataset::export`], with options.
    ///
    /// # Errors
    /// As there; [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a choice that the
    /// format does not have.
    pub fn export_with(
        &self,
        format: &str,
        path: impl AsRef<Path>,
        mut options: ExportOptions<'_>,
    ) -> Result<()> {
        let format = c_string("format", format)?;
        let path = c_path("path", path.as_ref())?;
        let choices = options
            .choices
            .iter()
            .map(|choice| c_string("choices", choice))
            .collect::<Result<Vec<_>>>()?;
        let pointers: Vec<*const c_char> = choices.iter().map(|choice| choice.as_ptr()).collect();
        with_progress(options.progress.as_deref_mut(), |progress, data| {
            let options = sys::gls_export_options_t {
                choices: pointers.as_ptr(),
                num_choices: pointers.len(),
                overwrite: options.overwrite.into(),
                progress,
                progress_user_data: data,
                ..Default::default()
            };
            // SAFETY: a live handle, terminated strings, options of this header; the progress function
            // is only called during the call.
            call(|error| unsafe {
                sys::gls_dataset_export(self.raw(), format.as_ptr(), path.as_ptr(), &options, error)
            })
        })?;
        Ok(())
    }
}
