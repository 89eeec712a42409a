//! Temporary files of large arrays.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{fallocate, statfs, FallocateFlags, FsWord};
use rustix::io::Errno;

const TMPFS_MAGIC: FsWord = 0x0102_1994;
const RAMFS_MAGIC: FsWord = 0x8584_58f6;
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// The folder of temporary files, as libgls chooses it: `TMPDIR` or `/var/tmp`, the first that is on a
/// disk and may be written to. Where there is none: the system's folder of temporary files.
pub fn folder() -> PathBuf {
    let named = std::env::var_os("TMPDIR").filter(|path| !path.is_empty());
    choose(named.map(PathBuf::from).into_iter())
}

fn choose(named: impl Iterator<Item = PathBuf>) -> PathBuf {
    named
        .chain(["/var/tmp".into()])
        .find(|path| is_on_disk(path) && tempfile::tempfile_in(path).is_ok())
        .unwrap_or_else(std::env::temp_dir)
}

fn is_on_disk(path: &Path) -> bool {
    statfs(path).is_ok_and(|found| ![TMPFS_MAGIC, RAMFS_MAGIC].contains(&found.f_type))
}

/// A nameless file of `size` zeros whose blocks are reserved. So a full disk is an error here, and not
/// the end of the process that writes to the mapping.
pub fn reserved(size: usize) -> io::Result<File> {
    let mut file = tempfile::tempfile_in(folder())?;
    let extent = u64::try_from(size).map_err(io::Error::other)?;
    let done = loop {
        match fallocate(&file, FallocateFlags::empty(), 0, extent) {
            Err(Errno::INTR) => {}
            done => break done,
        }
    };
    match done {
        Ok(()) => {}
        // Some systems of files cannot reserve.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => fill(&mut file, size)?,
        Err(error) => return Err(error.into()),
    }
    Ok(file)
}

fn fill(file: &mut File, size: usize) -> io::Result<()> {
    let mut left = size;
    while left > 0 {
        let some = left.min(ZEROS.len());
        file.write_all(&ZEROS[..some])?;
        left -= some;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    const BLOCK: u64 = 512;

    #[test]
    fn files_have_all_their_blocks() {
        let size = 3_000_001;
        let mut filled = tempfile::tempfile_in(folder()).unwrap();
        fill(&mut filled, size).unwrap();
        for file in [reserved(size).unwrap(), filled] {
            file.sync_all().unwrap();
            let found = file.metadata().unwrap();
            assert_eq!(found.len(), size as u64);
            assert!(found.blocks() * BLOCK >= size as u64);
        }
        assert!(reserved(1 << 60).is_err());
    }

    #[test]
    fn the_first_folder_on_a_disk_is_chosen() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let given = [Path::new("/no/such/folder"), folder.path()];
        let chosen = choose(given.into_iter().map(Path::to_owned));
        let default = choose(std::iter::empty());
        if is_on_disk(folder.path()) {
            assert_eq!(chosen, folder.path());
            assert_eq!(default, Path::new("/var/tmp"));
        }
        assert!(!is_on_disk(Path::new("/no/such/folder")));
    }
}
