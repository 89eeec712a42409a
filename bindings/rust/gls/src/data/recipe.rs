//! Recipes: which files make a dataset.

use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr::NonNull;

use gls_sys as sys;

use crate::data::builder::DatasetBuilder;
use crate::runtime::context::Context;
use crate::runtime::error::{make, Result};
use crate::runtime::names::{c_path, c_string};

/// Which files make a dataset: a text in YAML, or the dataset of another system. Needs the plugin
/// libgls_formats.so.
///
/// ```no_run
/// use gls::{Context, Recipe};
///
/// let context = Context::new()?;
/// let recipe = Recipe::of_format(&context, "graphbolt", "ogbn-products", &[])?;
/// println!("{}", recipe.text());
/// recipe.builder()?.write("products")?;
/// # Ok::<(), gls::Error>(())
/// ```
pub struct Recipe {
    raw: NonNull<sys::gls_recipe_t>,
}

// SAFETY: gls.h: a recipe is immutable, and calls on it are [any].
unsafe impl Send for Recipe {}
// SAFETY: as above.
unsafe impl Sync for Recipe {}

impl Drop for Recipe {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_recipe_release(self.raw.as_ptr()) }
    }
}

impl Recipe {
    /// Reads a recipe in YAML or JSON. Names of files are relative to `folder`. No data file is opened.
    pub fn read(context: &Context, text: &str, folder: impl AsRef<Path>) -> Result<Self> {
        let text = c_string("text", text)?;
        let folder = c_path("folder", folder.as_ref())?;
        // SAFETY: live handles and texts.
        let raw = make(|out, error| unsafe {
            sys::gls_recipe_create(context.raw(), text.as_ptr(), folder.as_ptr(), out, error)
        })?;
        Ok(Self { raw })
    }

    /// Makes the recipe for a dataset that another system wrote. Neither code nor pickled objects in
    /// its files are run.
    ///
    /// `choices` are names and values, as the format documents.
    pub fn of_format(
        context: &Context,
        format: &str,
        path: impl AsRef<Path>,
        choices: &[(&str, &str)],
    ) -> Result<Self> {
        let format = c_string("format", format)?;
        let path = c_path("path", path.as_ref())?;
        let texts = choices
            .iter()
            .map(|(name, value)| c_string("choices", &format!("{name}={value}")))
            .collect::<Result<Vec<_>>>()?;
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let options = sys::gls_recipe_options_t {
            choices: pointers.as_ptr(),
            num_choices: pointers.len(),
            ..Default::default()
        };
        // SAFETY: live handles, texts and options.
        let raw = make(|out, error| unsafe {
            sys::gls_recipe_of_format(
                context.raw(),
                format.as_ptr(),
                path.as_ptr(),
                &raw const options,
                out,
                error,
            )
        })?;
        Ok(Self { raw })
    }

    /// The recipe in YAML. What the files have and the dataset will not have stands in comments.
    pub fn text(&self) -> &str {
        // SAFETY: a live handle, whose text lives as long and is UTF-8.
        let text = unsafe { CStr::from_ptr(sys::gls_recipe_text(self.raw.as_ptr())) };
        text.to_str().unwrap_or_default()
    }

    /// A builder that has everything the recipe names. Arrays are mapped; text and tables are read when
    /// the dataset is built or written.
    pub fn builder(&self) -> Result<DatasetBuilder> {
        // SAFETY: a live handle.
        let raw = make(|out, error| unsafe {
            sys::gls_recipe_to_builder(self.raw.as_ptr(), out, error)
        })?;
        Ok(DatasetBuilder::of(raw))
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Recipe")
            .field("text", &self.text())
            .finish()
    }
}
