//! Errors, with what libgls makes of them.

use std::any::Any;
use std::fmt::Display;
use std::path::Path;

use arrow_schema::ArrowError;

/// As `tables_plugin.h` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    NotFound = 1,
    Io = 2,
    Corrupt = 3,
    Unsupported = 4,
    Invalid = 5,
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
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
        Self::new(code, format!("{}: {error}", path.display()))
    }

    /// What a reader says of a file that it cannot read.
    pub fn of_file(path: &Path, error: impl Display) -> Self {
        Self::new(Code::Corrupt, format!("{}: {error}", path.display()))
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
        ArrowError::ExternalError(failure.message.into())
    }
}
