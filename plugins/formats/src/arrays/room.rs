//! How much memory scratch may take that the system cannot write back.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Of the free memory, all scratch of the process together.
const SHARE: u64 = 8;
/// So much together is granted always, and the free memory is not asked for.
const LEAST: usize = 32 << 20;
const CGROUPS: &str = "/sys/fs/cgroup";
/// Where the groups of memory are in the first version of control groups.
const OF_MEMORY: &str = "memory";

static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Memory that was granted; dropping it gives it back.
pub struct Room(usize);

impl Room {
    /// None: scratch would have more than its share.
    pub fn take(size: usize) -> Option<Self> {
        let most = || usize::try_from(free() / SHARE).unwrap_or(usize::MAX);
        TAKEN
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
                sum_with(taken, size, most)
            })
            .ok()
            .map(|_| Room(size))
    }
}

/// The sum, if it is granted. Small sizes are as long as there is a share. What is taken may not be
/// written to yet, so it may still count as free.
fn sum_with(taken: usize, size: usize, most: impl Fn() -> usize) -> Option<usize> {
    let sum = taken.checked_add(size)?;
    if sum <= LEAST {
        return Some(sum);
    }
    let most = most();
    (sum <= most || (size <= LEAST && taken < most)).then_some(sum)
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
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    folders(&groups)
        .iter()
        .flat_map(|folder| {
            let all = folder.ancestors();
            all.take_while(|folder| folder.starts_with(CGROUPS))
        })
        .filter_map(left_in)
        .fold(machine, u64::min)
}

/// The folders of a process's control groups that may limit memory, of both versions.
fn folders(groups: &str) -> Vec<PathBuf> {
    let root = Path::new(CGROUPS);
    let lines = groups.lines();
    lines
        .filter_map(|line| {
            let (_, line) = line.split_once(':')?;
            let (controllers, group) = line.split_once(":/")?;
            if controllers.is_empty() {
                Some(root.join(group))
            } else {
                let mut all = controllers.split(',');
                all.any(|controller| controller == OF_MEMORY)
                    .then(|| root.join(OF_MEMORY).join(group))
            }
        })
        .collect()
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// What a control group leaves of its limits; None: it has none.
fn left_in(group: &Path) -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        fs::read_to_string(group.join(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    let limits = ["memory.max", "memory.high", "memory.limit_in_bytes"];
    let limit = limits.into_iter().filter_map(number).min()?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    Some(limit.saturating_sub(used))
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
        write("memory.high", "900\n");
        assert_eq!(left_in(folder.path()), Some(200));
        write("memory.current", "1700\n");
        assert_eq!(left_in(folder.path()), Some(0));
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
        write("memory.limit_in_bytes", "1000\n");
        write("memory.usage_in_bytes", "400\n");
        assert_eq!(left_in(folder.path()), Some(600));
    }

    #[test]
    fn groups_of_both_versions_are_found() {
        let found = folders("5:cpu,cpuacct:/a\n4:hugetlb,memory:/b/c\n1:name=systemd:/d\n0::/e\n");
        assert_eq!(
            found,
            ["/sys/fs/cgroup/memory/b/c", "/sys/fs/cgroup/e"].map(PathBuf::from)
        );
        assert!(folders("").is_empty());
    }

    #[test]
    fn small_sizes_count_too() {
        let most = 4 * LEAST;
        for (taken, size, granted) in [
            (0, LEAST, true),
            (0, most, true),
            (1, most, false),
            (most - 1, LEAST, true),
            (most, 1, false),
            (usize::MAX, 1, false),
        ] {
            let sum = sum_with(taken, size, || most);
            assert_eq!(sum.is_some(), granted, "{taken} + {size}");
        }
        assert_eq!(sum_with(1, 2, || 0), Some(3));
    }
}
