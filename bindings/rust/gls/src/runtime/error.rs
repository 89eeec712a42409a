//! The error of a failed call.

use std::ffi::CStr;
use std::os::raw::c_char;
use std::ptr::{self, NonNull};
use std::{error, fmt, io};

use gls_sys as sys;

use crate::runtime::own_names::{named_flag, own_name, own_words, renamed};

/// The result of a call that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed. The variant is for decisions, the text for people, the details for machines.
///
/// A failed call changes nothing, and there is nothing to clean up.
///
/// ```
/// use gls::{Context, Dataset, Error};
///
/// let context = Context::new()?;
/// match Dataset::open(&context, "no/such/folder") {
///     Err(Error::NotFound(info)) => assert!(info.message().contains("no/such/folder")),
///     _ => panic!("expected NotFound"),
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The call is wrong: mend the call.
    InvalidArgument(ErrorInfo),
    /// Memory, or a stated bound on it, does not suffice.
    OutOfMemory(ErrorInfo),
    /// A file, type, column, set or key does not exist.
    NotFound(ErrorInfo),
    /// Valid, but not by this build, machine or dataset.
    Unsupported(ErrorInfo),
    /// The right call at the wrong moment: in a forked child, after a failure.
    InvalidState(ErrorInfo),
    /// A deadline passed.
    TimedOut(ErrorInfo),
    /// The loader was cancelled, or a progress function asked to stop.
    Canceled(ErrorInfo),
    /// The operating system refused: file, disk, permission.
    Io(ErrorInfo),
    /// A file or array is damaged or inconsistent.
    CorruptData(ErrorInfo),
    /// The thing to be created is there already.
    AlreadyExists(ErrorInfo),
    /// A fault of the library, or a status that this version does not know: please report it.
    Internal(ErrorInfo),
}

impl Error {
    /// An error of the caller's own code, such as that of a store, with a status of its choice.
    ///
    /// `status` is one of the constants `GLS_ERR_...` of [`gls::sys`](crate::sys). Any other number
    /// becomes [`Error::Internal`].
    ///
    /// ```
    /// use gls::{sys, Error};
    ///
    /// let error = Error::new(sys::GLS_ERR_NOT_FOUND, "no user 7");
    /// assert!(matches!(error, Error::NotFound(_)));
    /// assert_eq!(error.message(), "no user 7");
    /// ```
    pub fn new(status: i32, message: impl Into<String>) -> Self {
        let known = (sys::GLS_ERR_INTERNAL..0).contains(&status);
        let status = if known { status } else { sys::GLS_ERR_INTERNAL };
        Self::here(status, "", message)
    }

    fn of(info: ErrorInfo) -> Self {
        match info.status() {
            sys::GLS_ERR_INVALID_ARGUMENT => Self::InvalidArgument(info),
            sys::GLS_ERR_OUT_OF_MEMORY => Self::OutOfMemory(info),
            sys::GLS_ERR_NOT_FOUND => Self::NotFound(info),
            sys::GLS_ERR_UNSUPPORTED => Self::Unsupported(info),
            sys::GLS_ERR_INVALID_STATE => Self::InvalidState(info),
            sys::GLS_ERR_TIMED_OUT => Self::TimedOut(info),
            sys::GLS_ERR_CANCELED => Self::Canceled(info),
            sys::GLS_ERR_IO => Self::Io(info),
            sys::GLS_ERR_CORRUPT_DATA => Self::CorruptData(info),
            sys::GLS_ERR_ALREADY_EXISTS => Self::AlreadyExists(info),
            _ => Self::Internal(info),
        }
    }

    /// An error of this crate, found before or after the library was called.
    pub(crate) fn here(status: i32, argument: &'static str, message: impl Into<String>) -> Self {
        Self::of(ErrorInfo(Box::new(Origin::Here {
            status,
            argument,
            message: message.into(),
            source: None,
        })))
    }

    pub(crate) fn invalid(argument: &'static str, message: impl fmt::Display) -> Self {
        let message = format!("{argument}: {message}");
        Self::here(sys::GLS_ERR_INVALID_ARGUMENT, argument, message)
    }

    pub(crate) fn caused(
        status: i32,
        argument: &'static str,
        source: impl Into<Box<dyn error::Error + Send + Sync>>,
    ) -> Self {
        let source = source.into();
        Self::of(ErrorInfo(Box::new(Origin::Here {
            status,
            argument,
            message: format!("{argument}: {source}"),
            source: Some(source),
        })))
    }

    /// With options named as a builder of this crate names them.
    pub(crate) fn renamed(self, names: &[(&str, &'static str)]) -> Self {
        let info = self.info();
        let own = |key: &str, value: &str| match key {
            "argument" => own_name(value, names),
            _ => value.to_owned(),
        };
        match info.detail("argument") {
            Some(argument) if names.iter().any(|(of_c, _)| *of_c == argument) => {
                Self::of(ErrorInfo(Box::new(Origin::Reworded {
                    status: info.status(),
                    message: renamed(info.message(), names),
                    details: info
                        .details()
                        .map(|(key, value)| (key.to_owned(), own(key, value)))
                        .collect(),
                })))
            }
            _ => self,
        }
    }

    /// The status, message and details.
    pub fn info(&self) -> &ErrorInfo {
        match self {
            Self::InvalidArgument(info)
            | Self::OutOfMemory(info)
            | Self::NotFound(info)
            | Self::Unsupported(info)
            | Self::InvalidState(info)
            | Self::TimedOut(info)
            | Self::Canceled(info)
            | Self::Io(info)
            | Self::CorruptData(info)
            | Self::AlreadyExists(info)
            | Self::Internal(info) => info,
        }
    }

    /// The status, one of the constants `gls_sys::GLS_ERR_...`.
    pub fn status(&self) -> i32 {
        self.info().status()
    }

    /// The name of the status in `gls.h`, for example "GLS_ERR_IO".
    pub fn status_name(&self) -> &'static str {
        self.info().status_name()
    }

    /// One sentence naming the argument or file, its value and what was expected.
    pub fn message(&self) -> &str {
        self.info().message()
    }

    /// A detail for machines: "argument", "file", "type", "column", "setting", "offset" (of a byte
    /// or an element), "line" (of a text file), "field" (of a manifest). Of record batches: "row",
    /// "field". The message contains it, too.
    pub fn detail(&self, key: &str) -> Option<&str> {
        self.info().detail(key)
    }

    /// All details of this error, with their keys, in no particular order.
    ///
    /// ```
    /// # use gls::{Context, DatasetBuilder};
    /// # let context = Context::new()?;
    /// # let mut builder = DatasetBuilder::new(&context)?;
    /// if let Err(error) = builder.build() {
    ///     for (key, value) in error.details() {
    ///         eprintln!("{key}: {value}");
    ///     }
    /// }
    /// # Ok::<(), gls::Error>(())
    /// ```
    pub fn details(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.info().details()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &*self.info().0 {
            Origin::Here {
                source: Some(source),
                ..
            } => Some(&**source),
            _ => None,
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::InvalidArgument(_) => io::ErrorKind::InvalidInput,
            Error::OutOfMemory(_) => io::ErrorKind::OutOfMemory,
            Error::NotFound(_) => io::ErrorKind::NotFound,
            Error::Unsupported(_) => io::ErrorKind::Unsupported,
            Error::TimedOut(_) => io::ErrorKind::TimedOut,
            Error::CorruptData(_) => io::ErrorKind::InvalidData,
            Error::AlreadyExists(_) => io::ErrorKind::AlreadyExists,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, error)
    }
}

/// The status, message and details of an [`Error`].
pub struct ErrorInfo(Box<Origin>);

enum Origin {
    Library(Handle),
    /// Of the library, in words of this crate.
    Reworded {
        status: i32,
        message: String,
        details: Vec<(String, String)>,
    },
    Here {
        status: i32,
        argument: &'static str,
        message: String,
        source: Option<Box<dyn error::Error + Send + Sync>>,
    },
}

struct Handle(NonNull<sys::gls_error_t>);

// SAFETY: gls.h: a gls_error_t is immutable and every call on it is [any]; it may be released by
// any thread, once, which Drop does.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_error_release(self.0.as_ptr()) }
    }
}

impl ErrorInfo {
    /// See [`Error::status`].
    pub fn status(&self) -> i32 {
        match &*self.0 {
            // SAFETY: a live handle.
            Origin::Library(handle) => unsafe { sys::gls_error_status(handle.0.as_ptr()) },
            Origin::Reworded { status, .. } | Origin::Here { status, .. } => *status,
        }
    }

    /// See [`Error::status_name`].
    pub fn status_name(&self) -> &'static str {
        // SAFETY: takes any number and returns a static string.
        unsafe { lossy(sys::gls_status_name(self.status())) }
    }

    /// See [`Error::message`].
    pub fn message(&self) -> &str {
        match &*self.0 {
            // SAFETY: a live handle; the text lives as long as it, and is never NULL.
            Origin::Library(handle) => unsafe { lossy(sys::gls_error_message(handle.0.as_ptr())) },
            Origin::Reworded { message, .. } | Origin::Here { message, .. } => message,
        }
    }

    /// See [`Error::detail`].
    pub fn detail(&self, key: &str) -> Option<&str> {
        match &*self.0 {
            Origin::Library(handle) => {
                let key = std::ffi::CString::new(key).ok()?;
                // SAFETY: a live handle and a terminated string; the text lives as long as the
                // handle.
                unsafe {
                    let value = sys::gls_error_detail(handle.0.as_ptr(), key.as_ptr());
                    (!value.is_null()).then(|| lossy(value))
                }
            }
            _ => self.details().find(|d| d.0 == key).map(|d| d.1),
        }
    }

    /// See [`Error::details`].
    pub fn details(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        (0..).map_while(move |index| match &*self.0 {
            // SAFETY: a live handle, and the texts live as long as it; the value of a key that it
            // has is not NULL.
            Origin::Library(handle) => unsafe {
                let key = sys::gls_error_detail_key(handle.0.as_ptr(), index);
                let key = (!key.is_null()).then_some(key)?;
                let value = sys::gls_error_detail(handle.0.as_ptr(), key);
                Some((lossy(key), lossy(value)))
            },
            Origin::Reworded { details, .. } => {
                let (key, value) = details.get(index)?;
                Some((key.as_str(), value.as_str()))
            }
            Origin::Here { argument, .. } => {
                (index == 0 && !argument.is_empty()).then_some(("argument", *argument))
            }
        })
    }
}

impl fmt::Debug for ErrorInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("ErrorInfo");
        out.field("status", &self.status_name());
        out.field("message", &self.message());
        for (key, value) in self.details() {
            out.field(key, &value);
        }
        out.finish()
    }
}

/// A text of the library, which promises UTF-8; should that not hold, the part of it that is.
///
/// # Safety
/// `text` is a terminated string that lives as long as `'a`.
pub(crate) unsafe fn lossy<'a>(text: *const c_char) -> &'a str {
    let bytes = CStr::from_ptr(text).to_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8_unchecked(&bytes[..error.valid_up_to()]),
    }
}

/// An error of the library that names no constants of gls.h.
fn in_own_words(info: ErrorInfo) -> Error {
    if !info.message().contains("GLS_") {
        return Error::of(info);
    }
    let flag = named_flag(info.message());
    let own = |key: &str, value: &str| match (key, value, flag) {
        ("argument", "flags", Some(flag)) => flag.to_owned(),
        _ => value.to_owned(),
    };
    Error::of(ErrorInfo(Box::new(Origin::Reworded {
        status: info.status(),
        message: own_words(info.message()),
        details: info
            .details()
            .map(|(key, value)| (key.to_owned(), own(key, value)))
            .collect(),
    })))
}

/// Makes a call and turns its status into a result. Positive statuses are not errors.
pub(crate) fn call(
    function: impl FnOnce(*mut *mut sys::gls_error_t) -> sys::gls_status_t,
) -> Result<sys::gls_status_t> {
    let mut error = ptr::null_mut();
    let status = function(&mut error);
    if status >= 0 {
        return Ok(status);
    }
    Err(match NonNull::new(error) {
        Some(handle) => in_own_words(ErrorInfo(Box::new(Origin::Library(Handle(handle))))),
        None => {
            // SAFETY: takes any number and returns a static string.
            let name = unsafe { lossy(sys::gls_status_name(status)) };
            Error::here(status, "", name)
        }
    })
}

/// Makes a call that hands out an object.
pub(crate) fn make<T>(
    function: impl FnOnce(*mut *mut T, *mut *mut sys::gls_error_t) -> sys::gls_status_t,
) -> Result<NonNull<T>> {
    let mut out = ptr::null_mut();
    call(|error| function(&mut out, error))?;
    NonNull::new(out)
        .ok_or_else(|| Error::here(sys::GLS_ERR_INTERNAL, "", "success without an object"))
}

/// Makes a call that writes a text into a buffer, again with a longer one if need be.
pub(crate) fn text(
    capacity: usize,
    mut function: impl FnMut(
        *mut c_char,
        usize,
        *mut usize,
        *mut *mut sys::gls_error_t,
    ) -> sys::gls_status_t,
) -> Result<String> {
    let mut buffer = vec![0u8; capacity];
    loop {
        let mut length = 0;
        let result =
            call(|error| function(buffer.as_mut_ptr().cast(), buffer.len(), &mut length, error));
        match result {
            Err(Error::InvalidArgument(_)) if length >= buffer.len() => {
                buffer.resize(length + 1, 0);
            }
            Err(error) => return Err(error),
            Ok(_) => {
                buffer.truncate(length);
                return String::from_utf8(buffer)
                    .map_err(|source| Error::caused(sys::GLS_ERR_INTERNAL, "text", source));
            }
        }
    }
}
