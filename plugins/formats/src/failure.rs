//! Errors, with what libgls makes of them.

use std::any::Any;
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use arrow_schema::ArrowError;

use crate::boundary::c;

/// A status of `gls.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub c::gls_status_t);

#[allow(non_upper_case_globals)]
impl Code {
    pub const Invalid: Code = Code(c::GLS_ERR_INVALID_ARGUMENT);
    pub const OutOfMemory: Code = Code(c::GLS_ERR_OUT_OF_MEMORY);
    pub const NotFound: Code = Code(c::GLS_ERR_NOT_FOUND);
    pub const Unsupported: Code = Code(c::GLS_ERR_UNSUPPORTED);
    pub const Io: Code = Code(c::GLS_ERR_IO);
    pub const Corrupt: Code = Code(c::GLS_ERR_CORRUPT_DATA);
    pub const Canceled: Code = Code(c::GLS_ERR_CANCELED);
    pub const AlreadyExists: Code = Code(c::GLS_ERR_ALREADY_EXISTS);
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    /// That the message is about.
    pub file: Option<String>,
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
            file: None,
        }
    }

    fn of(code: Code, path: &Path, what: impl Display) -> Self {
        Failure {
            code,
            message: format!("{}: {what}", path.display()),
            file: Some(path.display().to_string()),
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::Invalid, message)
    }

    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::NotFound,
            _ => Code::Io,
        };
        Self::of(code, path, error)
    }

    /// What a reader says of a file that it cannot read.
    pub fn of_file(path: &Path, error: impl Display) -> Self {
        Self::of(Code::Corrupt, path, error)
    }

    /// Contents that a reader knows and GLS cannot have.
    pub fn unsupported(path: &Path, what: impl Display) -> Self {
        Self::of(Code::Unsupported, path, what)
    }

    /// Decoders panic for some damaged files.
    pub fn of_panic(panic: &Box<dyn Any + Send>) -> Self {
        let words = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no words");
        Self::new(Code::Corrupt, format!("the reader gave up: {words}"))
    }
}

impl From<Failure> for ArrowError {
    fn from(failure: Failure) -> Self {
        ArrowError::ExternalError(Box::new(failure))
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Error for Failure {}
