//! Progress in bytes, and the caller's wish to end it.

use crate::failure::{Code, Failure};

/// Takes bytes, done and in total; false: cancel.
pub type Report<'a> = dyn FnMut(u64, u64) -> bool + 'a;

/// From one report to the next.
const STEP: u64 = 4 << 20;

pub struct Progress<'a> {
    report: Box<Report<'a>>,
    done: u64,
    total: u64,
    reported: u64,
}

impl<'a> Progress<'a> {
    pub fn new(report: impl FnMut(u64, u64) -> bool + 'a, total: u64) -> Self {
        Progress {
            report: Box::new(report),
            done: 0,
            total,
            reported: 0,
        }
    }

    /// More bytes are written.
    pub fn add(&mut self, bytes: u64) -> Result<(), Failure> {
        self.done = (self.done + bytes).min(self.total);
        if self.done - self.reported < STEP {
            return Ok(());
        }
        self.check()
    }

    /// Asks whether to go on.
    pub fn check(&mut self) -> Result<(), Failure> {
        self.reported = self.done;
        if (self.report)(self.done, self.total) {
            return Ok(());
        }
        Err(Failure::new(Code::Canceled, "the export was canceled"))
    }

    pub fn finish(&mut self) -> Result<(), Failure> {
        self.done = self.total;
        self.check()
    }
}
