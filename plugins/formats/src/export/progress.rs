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
    /// Since the last report. More bytes than `total` count too.
    since: u64,
}

impl<'a> Progress<'a> {
    pub fn new(report: impl FnMut(u64, u64) -> bool + 'a, total: u64) -> Self {
        Progress {
            report: Box::new(report),
            done: 0,
            total,
            since: 0,
        }
    }

    /// More bytes are written.
    pub fn add(&mut self, bytes: u64) -> Result<(), Failure> {
        self.done = (self.done + bytes).min(self.total);
        self.since += bytes;
        if self.since < STEP {
            return Ok(());
        }
        self.check()
    }

    /// Asks whether to go on.
    pub fn check(&mut self) -> Result<(), Failure> {
        self.since = 0;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bytes_than_expected_are_reported_and_can_be_canceled() {
        let mut reports = Vec::new();
        let mut progress = Progress::new(
            |done, total| {
                reports.push((done, total));
                reports.len() < 3
            },
            STEP,
        );
        progress.add(STEP).unwrap();
        progress.add(STEP / 2).unwrap();
        progress.add(STEP / 2).unwrap();
        assert_eq!(progress.add(STEP).unwrap_err().code, Code::Canceled);
        drop(progress);
        assert_eq!(reports, [(STEP, STEP); 3]);
    }
}
