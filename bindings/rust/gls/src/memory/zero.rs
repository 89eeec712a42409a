//! Zeros that C would take for a default of another value.

use crate::runtime::error::{Error, Result};

/// The first option that was set to zero, where a positive number is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Zero(Option<&'static str>);

impl Zero {
    /// The value again, once it was looked at.
    pub(crate) fn note<T: Default + PartialEq>(&mut self, argument: &'static str, value: T) -> T {
        if value == T::default() {
            self.0 = self.0.or(Some(argument));
        } else if self.0 == Some(argument) {
            self.0 = None; // set again
        }
        value
    }

    pub(crate) fn check(self) -> Result<()> {
        match self.0 {
            None => Ok(()),
            Some(argument) => Err(Error::invalid(argument, "0, expected a number above 0")),
        }
    }
}
