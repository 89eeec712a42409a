//! How much memory scratch may take that the system cannot write back.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Of the free memory, all scratch of the process together.
const SHARE: u64 = 8;
const CGROUPS: &str = "/sys/fs/cgroup";

static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Memory that was granted; dropping it gives it back.
pub struct Room(usize);

impl Room {
    /// None: scratch would have more than its share.
    pub fn take(size: usize) -> Option<Self> {
        let most = usize::try_from(free() / SHARE).unwrap_or(usize::MAX);
        TAKEN
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
                // What is taken may not be written to yet, so it may still count as free.
                taken.checked_add(size).filter(|&sum| sum <= most)
            })
            .ok()
            .map(|_| Room(size))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        TAKEN.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Bytes that the machine and the control groups of the process leave; 0 where that is unknown.
fn free() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| available(&text))
        .unwrap_or(0);
    let group = fs::read_to_string("/proc/self/cgroup")
        .ok()
        .and_then(|text| {
            text.lines()
                .find_map(|line| line.strip_prefix("0::/").map(str::to_owned))
        });
    group.map_or(machine, |group| {
        Path::new(CGROUPS)
            .join(group)
            .ancestors()
            .take_while(|folder| folder.starts_with(CGROUPS))
            .filter_map(left_in)
            .fold(machine, u64::min)
    })
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// What a control group leaves of its limit; None: it has none.
fn left_in(group: &Path) -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        fs::read_to_string(group.join(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_bounded_and_given_back() {
        assert!(free() > 0);
        assert!(Room::take(usize::MAX).is_none());
        let room = Room::take(1 << 20).unwrap();
        assert!(TAKEN.load(Ordering::Relaxed) >= 1 << 20);
        drop(room);
    }

    #[test]
    fn the_systems_numbers_are_read() {
        assert_eq!(
            available("MemFree: 5 kB\nMemAvailable:   20 kB\n"),
            Some(20 << 10)
        );
        assert_eq!(available("MemFree: 5 kB\n"), None);
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
        assert_eq!(left_in(folder.path()), None);
        write("memory.max", "max\n");
        write("memory.current", "700\n");
        assert_eq!(left_in(folder.path()), None);
        write("memory.max", "1000\n");
        assert_eq!(left_in(folder.path()), Some(300));
        write("memory.current", "1700\n");
        assert_eq!(left_in(folder.path()), Some(0));
    }
}
