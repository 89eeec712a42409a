//! Strings on their way into the library.

use std::ffi::CString;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;

use crate::runtime::error::{Error, Result};

/// The name of the edge type from `source` by `relation` to `target`.
///
/// ```
/// assert_eq!(gls::edge_type("author", "writes", "paper"), "author__writes__paper");
/// ```
pub fn edge_type(source: &str, relation: &str, target: &str) -> String {
    format!("{source}__{relation}__{target}")
}

pub(crate) fn c_string(argument: &'static str, text: &str) -> Result<CString> {
    CString::new(text)
        .map_err(|source| Error::caused(gls_sys::GLS_ERR_INVALID_ARGUMENT, argument, source))
}

#[cfg(unix)]
pub(crate) fn c_path(argument: &'static str, path: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes())
        .map_err(|source| Error::caused(gls_sys::GLS_ERR_INVALID_ARGUMENT, argument, source))
}

#[cfg(not(unix))]
pub(crate) fn c_path(argument: &'static str, path: &Path) -> Result<CString> {
    match path.to_str() {
        Some(text) => c_string(argument, text),
        None => Err(Error::invalid(argument, "a path that is not Unicode")),
    }
}

/// A name that may be left out.
#[derive(Debug, Default, Clone)]
pub(crate) struct Name(Option<CString>);

impl Name {
    pub(crate) fn new(argument: &'static str, text: Option<&str>) -> Result<Self> {
        Ok(Self(match text {
            Some(text) => Some(c_string(argument, text)?),
            None => None,
        }))
    }

    /// NULL when it was left out.
    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.0.as_ref().map_or(ptr::null(), |name| name.as_ptr())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn names_are_terminated_or_null() {
        assert!(Name::new("type", None).unwrap().as_ptr().is_null());
        let name = Name::new("type", Some("a")).unwrap();
        // SAFETY: a terminated string, which `name` keeps.
        assert_eq!(unsafe { CStr::from_ptr(name.as_ptr()) }.to_bytes(), b"a");
        let error = Name::new("type", Some("a\0b"));
        assert!(matches!(error, Err(Error::InvalidArgument(_))));
        assert!(c_path("path", Path::new("a\0b")).is_err());
    }
}
