//! Values of options as the library takes them.

use std::time::Duration;

/// Rounded up; negative: without limit, 0: a poll.
pub(crate) fn milliseconds(time: Option<Duration>) -> i64 {
    time.map_or(-1, |time| {
        i64::try_from((time.as_nanos() + 999_999) / 1_000_000).unwrap_or(i64::MAX)
    })
}

pub(crate) fn set_flag(flags: &mut u32, flag: u32, on: bool) {
    if on {
        *flags |= flag;
    } else {
        *flags &= !flag;
    }
}
