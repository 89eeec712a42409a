//! The functions that libgls calls.

use std::ffi::{c_char, c_void, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;

use super::builder::{BuilderCalls, CBuilder};
use super::c;
use super::dataset::{CDataset, DatasetCalls};
use super::guarded::Guarded;
use crate::failure::{Code, Failure};
use crate::{export, foreign, recipe, tables};

/// What each plugin begins with.
#[repr(C)]
pub struct PluginHeader {
    interface_version: u32,
    library_version: *const c_char,
}

/// The files to read, and how. All text is UTF-8 with a NUL.
#[repr(C)]
pub struct TableRequest {
    /// Files, folders, or patterns with `*`, `?` and `[...]`.
    paths: *const *const c_char,
    num_paths: usize,
    /// Names of the fields to read, in this order; none: all.
    fields: *const *const c_char,
    num_fields: usize,
    /// That decode, at least 1.
    threads: u32,
    reserved: u32,
}

/// A dataset of another system.
#[repr(C)]
pub struct RecipeRequest {
    format: *const c_char,
    path: *const c_char,
    /// "name=value".
    choices: *const *const c_char,
    num_choices: usize,
}

/// Where and how to write a dataset.
#[repr(C)]
pub struct ExportRequest {
    format: *const c_char,
    path: *const c_char,
    /// "name=value".
    choices: *const *const c_char,
    num_choices: usize,
    /// Non-zero: replace what an export of this format wrote.
    overwrite: i32,
    reserved: i32,
    /// Of bytes. Only the calling thread may call it.
    progress: c::gls_progress_fn,
    progress_user_data: *mut c_void,
}

/// Room for what a failed call says.
#[repr(C)]
pub struct PluginMessage {
    text: *mut c_char,
    /// Room for the file that it says it of.
    file: *mut c_char,
    capacity: usize,
}

type TakeText = unsafe extern "C" fn(taker: *mut c_void, text: *const c_char);

#[repr(C)]
pub struct FormatsPlugin {
    header: PluginHeader,
    open_tables: unsafe extern "C" fn(
        request: *const TableRequest,
        out: *mut FFI_ArrowArrayStream,
        message: PluginMessage,
    ) -> c::gls_status_t,
    check_recipe: unsafe extern "C" fn(
        text: *const c_char,
        take: TakeText,
        taker: *mut c_void,
        message: PluginMessage,
    ) -> c::gls_status_t,
    make_recipe: unsafe extern "C" fn(
        request: *const RecipeRequest,
        take: TakeText,
        taker: *mut c_void,
        message: PluginMessage,
    ) -> c::gls_status_t,
    run_recipe: unsafe extern "C" fn(
        text: *const c_char,
        folder: *const c_char,
        threads: u32,
        calls: *const BuilderCalls,
        builder: *mut c::gls_builder_t,
        message: PluginMessage,
    ) -> c::gls_status_t,
    export_dataset: unsafe extern "C" fn(
        request: *const ExportRequest,
        calls: *const DatasetCalls,
        dataset: *const c::gls_dataset_t,
        message: PluginMessage,
    ) -> c::gls_status_t,
}

// SAFETY: it is only read.
unsafe impl Sync for FormatsPlugin {}

const INTERFACE_VERSION: u32 = 4;

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static gls_plugin: FormatsPlugin = FormatsPlugin {
    header: PluginHeader {
        interface_version: INTERFACE_VERSION,
        library_version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
    },
    open_tables,
    check_recipe,
    make_recipe,
    run_recipe,
    export_dataset,
};

/// Runs `call`. What it says goes to `message`.
///
/// # Safety
/// `message` has room for its capacity.
unsafe fn answer(
    message: PluginMessage,
    call: impl FnOnce() -> Result<(), Failure>,
) -> c::gls_status_t {
    // Nothing may unwind into C. A panic of a decoder is an error of the data, and prints nothing.
    std::panic::set_hook(Box::new(|_| {}));
    let done =
        catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(Failure::of_panic(&panic)));
    match done {
        Ok(()) => c::GLS_OK,
        Err(failure) => {
            // SAFETY: as the caller promises.
            unsafe {
                write_text(&failure.message, message.text, message.capacity);
                let file = failure.file.as_deref().unwrap_or_default();
                write_text(file, message.file, message.capacity);
            }
            failure.code.0
        }
    }
}

unsafe extern "C" fn open_tables(
    request: *const TableRequest,
    out: *mut FFI_ArrowArrayStream,
    message: PluginMessage,
) -> c::gls_status_t {
    // SAFETY: libgls gives a request that lives as long as this call, and room for one stream with
    // nothing in it to release.
    unsafe {
        answer(message, || {
            let request = &*request;
            let paths = texts(request.paths, request.num_paths)?;
            let fields = texts(request.fields, request.num_fields)?;
            let reader = tables::open(&paths, &fields, request.threads as usize)?;
            out.write(FFI_ArrowArrayStream::new(Guarded::of(Box::new(reader))));
            Ok(())
        })
    }
}

unsafe extern "C" fn check_recipe(
    recipe: *const c_char,
    take: TakeText,
    taker: *mut c_void,
    message: PluginMessage,
) -> c::gls_status_t {
    // SAFETY: libgls gives texts that live as long as this call; `take` copies the text.
    unsafe {
        answer(message, || {
            let read = recipe::read(&text(recipe)?)?;
            give(&read, take, taker)
        })
    }
}

/// Writes a recipe and hands it over.
///
/// # Safety
/// `take` takes a text with a NUL.
unsafe fn give(made: &recipe::Recipe, take: TakeText, taker: *mut c_void) -> Result<(), Failure> {
    let written = CString::new(recipe::write(made)?)
        .map_err(|_| Failure::new(Code::Corrupt, "the recipe: a name has a NUL"))?;
    // SAFETY: as the caller promises.
    unsafe { take(taker, written.as_ptr()) };
    Ok(())
}

unsafe extern "C" fn make_recipe(
    request: *const RecipeRequest,
    take: TakeText,
    taker: *mut c_void,
    message: PluginMessage,
) -> c::gls_status_t {
    // SAFETY: libgls gives a request that lives as long as this call; `take` copies the text.
    unsafe {
        answer(message, || {
            let request = &*request;
            let choices = texts(request.choices, request.num_choices)?;
            let path = text(request.path)?;
            let made = foreign::recipe_of(&text(request.format)?, Path::new(&path), &choices)?;
            give(&made, take, taker)
        })
    }
}

unsafe extern "C" fn run_recipe(
    recipe: *const c_char,
    folder: *const c_char,
    threads: u32,
    calls: *const BuilderCalls,
    builder: *mut c::gls_builder_t,
    message: PluginMessage,
) -> c::gls_status_t {
    // SAFETY: libgls gives texts, calls and a builder that live as long as this call.
    unsafe {
        answer(message, || {
            let read = recipe::read(&text(recipe)?)?;
            let folder = text(folder)?;
            let mut builder = CBuilder::new(&*calls, builder);
            recipe::run(&read, Path::new(&folder), threads as usize, &mut builder)
        })
    }
}

unsafe extern "C" fn export_dataset(
    request: *const ExportRequest,
    calls: *const DatasetCalls,
    dataset: *const c::gls_dataset_t,
    message: PluginMessage,
) -> c::gls_status_t {
    // SAFETY: libgls gives a request, calls and a dataset that live as long as this call.
    unsafe {
        answer(message, || {
            let request = &*request;
            let dataset = CDataset::new(&*calls, dataset)?;
            let choices = texts(request.choices, request.num_choices)?;
            let mut report = |done, total| {
                let Some(call) = request.progress else {
                    return true;
                };
                let (stage, unit) = (c"exporting".as_ptr(), c"B".as_ptr());
                call(request.progress_user_data, stage, done, total, unit) == 0
            };
            export::export(
                &dataset,
                &export::Request {
                    format: &text(request.format)?,
                    path: Path::new(&text(request.path)?),
                    choices: &choices,
                    overwrite: request.overwrite != 0,
                },
                &mut report,
            )
        })
    }
}

/// # Safety
/// `text` is a text with a NUL.
unsafe fn text(text: *const c_char) -> Result<String, Failure> {
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map(str::to_owned)
        .map_err(|_| Failure::invalid(format!("{text:?} is not UTF-8")))
}

/// # Safety
/// `texts` points to `count` texts.
unsafe fn texts(texts: *const *const c_char, count: usize) -> Result<Vec<String>, Failure> {
    // SAFETY: as the caller promises.
    (0..count).map(|i| unsafe { text(*texts.add(i)) }).collect()
}

/// Writes as much of a text as fits, with its NUL.
///
/// # Safety
/// There is room for `capacity` bytes.
unsafe fn write_text(text: &str, out: *mut c_char, capacity: usize) {
    if capacity == 0 {
        return;
    }
    let mut size = text.len().min(capacity - 1);
    while !text.is_char_boundary(size) {
        size -= 1;
    }
    // SAFETY: as the caller promises.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), out, size);
        *out.add(size) = 0;
    }
}
