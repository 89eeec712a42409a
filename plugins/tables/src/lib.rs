//! The plugin "tables" of libgls: Parquet and Arrow files as one stream of Arrow batches.
//!
//! libgls loads this library at first use and calls [`gls_plugin`]'s function through C types alone;
//! `src/ingest/tables/tables_plugin.h` declares the same structs.

mod failure;
mod files;
mod hive;
mod ipc;
mod ordered;
mod parquet_files;
mod table;

use std::ffi::{c_char, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;

use failure::Failure;

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

#[repr(C)]
pub struct TablesPlugin {
    header: PluginHeader,
    /// Opens the files and reads their schemas. 0, or a code of `failure.rs` with its words in
    /// `message`. The stream must be released before the library is unloaded.
    open: unsafe extern "C" fn(
        request: *const TableRequest,
        out: *mut FFI_ArrowArrayStream,
        message: *mut c_char,
        capacity: usize,
    ) -> i32,
}

// SAFETY: it is only read.
unsafe impl Sync for TablesPlugin {}

const INTERFACE_VERSION: u32 = 1;

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static gls_plugin: TablesPlugin = TablesPlugin {
    header: PluginHeader {
        interface_version: INTERFACE_VERSION,
        library_version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
    },
    open,
};

unsafe extern "C" fn open(
    request: *const TableRequest,
    out: *mut FFI_ArrowArrayStream,
    message: *mut c_char,
    capacity: usize,
) -> i32 {
    // Nothing may unwind into C. A panic of a decoder is an error of the data, and prints nothing.
    std::panic::set_hook(Box::new(|_| {}));
    // SAFETY: the caller gives a request that lives as long as this call.
    let request = unsafe { &*request };
    let opened = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as above.
        let paths = unsafe { texts(request.paths, request.num_paths) }?;
        let fields = unsafe { texts(request.fields, request.num_fields) }?;
        table::open(&paths, &fields, request.threads as usize)
    }))
    .unwrap_or_else(|panic| Err(Failure::of_panic(&panic)));
    match opened {
        Ok(reader) => {
            // SAFETY: the caller gives room for one stream, with nothing in it to release.
            unsafe { out.write(FFI_ArrowArrayStream::new(Box::new(reader))) };
            0
        }
        Err(failure) => {
            // SAFETY: the caller gives room for `capacity` bytes.
            unsafe { write_text(&failure.message, message, capacity) };
            failure.code as i32
        }
    }
}

/// # Safety
/// `texts` points to `count` texts.
unsafe fn texts(texts: *const *const c_char, count: usize) -> Result<Vec<String>, Failure> {
    (0..count)
        .map(|i| {
            // SAFETY: as the caller promises.
            let text = unsafe { CStr::from_ptr(*texts.add(i)) };
            text.to_str()
                .map(str::to_owned)
                .map_err(|_| Failure::invalid(format!("{text:?} is not UTF-8")))
        })
        .collect()
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
