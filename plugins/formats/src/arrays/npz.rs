//! Archives of Zip with arrays: NumPy's `.npz`. Members that are stored are mapped; compressed ones
//! are unpacked to scratch memory.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::bytes::Scratch;
use super::{npy, Array, Bytes};
use crate::failure::{Code, Failure};

/// NumPy's headers are shorter.
const MOST_IN_HEADER: u64 = 1 << 16;

/// An archive in a mapped file.
pub struct Archive {
    path: PathBuf,
    bytes: Bytes,
    zip: ZipArchive<Cursor<Bytes>>,
}

impl Archive {
    pub fn open(path: &Path, bytes: &Bytes) -> Result<Self, Failure> {
        let zip = ZipArchive::new(Cursor::new(bytes.clone()))
            .map_err(|error| Failure::of_file(path, error))?;
        Ok(Archive {
            path: path.to_owned(),
            bytes: bytes.clone(),
            zip,
        })
    }

    /// The names of all members that have one in UTF-8.
    pub fn names(&self) -> Vec<String> {
        self.zip
            .file_names()
            .filter_map(|name| name.ok().map(|name| name.into_owned()))
            .collect()
    }

    /// Whether a member lies in the archive as it is, not compressed.
    pub fn is_stored(&mut self, name: &str) -> bool {
        self.zip
            .by_name(name)
            .is_ok_and(|member| member.compression() == CompressionMethod::Stored)
    }

    /// What errors call a member.
    pub fn label(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("{}[{name}]", self.path.display()))
    }

    /// The contents of a member. A member that says it is larger than what it holds is an error, and
    /// one that holds more is, too.
    pub fn member(&mut self, name: &str) -> Result<Bytes, Failure> {
        let label = self.label(name);
        let mut member = self.zip.by_name(name).map_err(|error| match error {
            ZipError::FileNotFound => Failure::new(
                Code::NotFound,
                format!("{}: there is no such member", label.display()),
            ),
            other => Failure::of_file(&label, other),
        })?;
        let size =
            usize::try_from(member.size()).map_err(|error| Failure::of_file(&label, error))?;
        if member.encrypted() {
            return Err(Failure::unsupported(&label, "the member is encrypted"));
        }
        match member.compression() {
            CompressionMethod::Stored => {
                let begin = member
                    .data_start()
                    .and_then(|begin| usize::try_from(begin).ok())
                    .ok_or_else(|| Failure::of_file(&label, "the member has no place"))?;
                self.bytes
                    .part(begin, size)
                    .ok_or_else(|| Failure::of_file(&label, "the member is cut short"))
            }
            CompressionMethod::Deflated => {
                // Deflate packs at most 1032 to 1.
                let packed = usize::try_from(member.compressed_size()).unwrap_or(usize::MAX);
                if packed > self.bytes.len() || size / 1032 > packed {
                    return Err(Failure::of_file(
                        &label,
                        format!("{packed} bytes cannot be {size}"),
                    ));
                }
                let mut scratch = Scratch::new(size)?;
                member
                    .read_exact(scratch.bytes_mut())
                    .map_err(|error| Failure::of_file(&label, error))?;
                // Reading the end checks the sum, too.
                match member.read(&mut [0]) {
                    Ok(0) => Ok(scratch.finish()),
                    Ok(_) => Err(Failure::of_file(
                        &label,
                        "the member is larger than it says",
                    )),
                    Err(error) => Err(Failure::of_file(&label, error)),
                }
            }
            other => Err(Failure::unsupported(
                &label,
                format!("the compression {other}"),
            )),
        }
    }
}

/// The shape of an array of an `.npz`, whose elements are not unpacked.
pub fn shape(path: &Path, name: &str) -> Result<Vec<i64>, Failure> {
    let mut archive = Archive::open(path, &Bytes::map(path)?)?;
    let member = format!("{name}.npy");
    let label = archive.label(&member);
    let failed = |error: ZipError| Failure::of_file(&label, error);
    let mut head = Vec::new();
    let member = archive.zip.by_name(&member).map_err(failed)?;
    member
        .take(MOST_IN_HEADER)
        .read_to_end(&mut head)
        .map_err(|error| Failure::of_file(&label, error))?;
    npy::shape(&label, &head)
}

/// The names of the arrays in an `.npz`.
pub fn names(archive: &Archive) -> Vec<String> {
    let mut names: Vec<String> = archive
        .names()
        .iter()
        .filter_map(|name| name.strip_suffix(".npy"))
        .map(str::to_owned)
        .collect();
    names.sort();
    names
}

/// An array of an `.npz`. NumPy calls its member "name.npy".
pub fn read(archive: &mut Archive, name: &str) -> Result<Array, Failure> {
    let member = format!("{name}.npy");
    let bytes = archive.member(&member)?;
    npy::read(&archive.label(&member), &bytes)
}
