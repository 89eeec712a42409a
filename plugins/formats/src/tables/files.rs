//! Which files paths, folders and patterns stand for, and what kind each is.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::failure::{Code, Failure};
use crate::tables::hive;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Parquet,
    Ipc,
}

/// A file of the table.
#[derive(Clone, Debug)]
pub struct TableFile {
    pub path: PathBuf,
    pub kind: Kind,
    /// What the folders `key=value` on its way say; None: their value for nothing.
    pub hive: Vec<(String, Option<String>)>,
}

const EXTENSIONS: [&str; 6] = ["parquet", "parq", "pq", "arrow", "feather", "ipc"];
/// Deeper folders are a mistake, such as a link to a folder above.
const MOST_LEVELS: usize = 64;

/// The files, in the order of the paths; within a folder or pattern in the order of their names.
pub fn expand(paths: &[String]) -> Result<Vec<TableFile>, Failure> {
    let mut out = Vec::new();
    for path in paths {
        let known = out.len();
        let literal = Path::new(path);
        if literal.is_dir() {
            add_folder(literal, literal, &mut out)?;
        } else if literal.exists() || !path.contains(['*', '?', '[']) {
            out.push(TableFile {
                path: literal.to_owned(),
                kind: kind_of(literal)?,
                hive: Vec::new(),
            });
        } else {
            add_pattern(path, &mut out)?;
        }
        if out.len() == known {
            return Err(Failure::new(
                Code::NotFound,
                format!("{path}: there is no file of Parquet or Arrow"),
            ));
        }
    }
    Ok(out)
}

/// As [`expand`], for files of another kind: those of folders that `wanted` accepts.
pub fn expand_by(
    paths: &[String],
    wanted: impl Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, Failure> {
    let mut out = Vec::new();
    for path in paths {
        let known = out.len();
        let literal = Path::new(path);
        if literal.is_dir() {
            walk(literal, 0, &wanted, &mut out)?;
        } else if literal.exists() || !path.contains(['*', '?', '[']) {
            out.push(literal.to_owned());
        } else {
            for found in matches(path)? {
                if found.is_dir() {
                    walk(&found, 0, &wanted, &mut out)?;
                } else {
                    out.push(found);
                }
            }
        }
        if out.len() == known {
            let message = format!("{path}: there is no such file");
            return Err(Failure::new(Code::NotFound, message));
        }
    }
    Ok(out)
}

/// What a pattern matches, in the order of names.
fn matches(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let options = glob::MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..Default::default()
    };
    let matches = glob::glob_with(pattern, options)
        .map_err(|error| Failure::invalid(format!("{pattern}: {error}")))?;
    let mut found = Vec::new();
    for path in matches {
        found.push(path.map_err(|error| Failure::io(error.path(), error.error()))?);
    }
    found.sort();
    Ok(found)
}

fn add_pattern(pattern: &str, out: &mut Vec<TableFile>) -> Result<(), Failure> {
    let found = matches(pattern)?;
    // Folders before the first wildcard are the caller's own, whatever their names.
    let fixed = pattern.find(['*', '?', '[']).unwrap_or(0);
    let root = pattern[..fixed].rfind('/').map_or("", |at| &pattern[..=at]);
    for path in found {
        if path.is_dir() {
            add_folder(&path, Path::new(root), out)?;
        } else {
            add_file(&path, Path::new(root), out)?;
        }
    }
    Ok(())
}

fn add_folder(folder: &Path, root: &Path, out: &mut Vec<TableFile>) -> Result<(), Failure> {
    let mut found = Vec::new();
    walk(folder, 0, &has_extension, &mut found)?;
    found.iter().try_for_each(|path| add_file(path, root, out))
}

/// The files below a folder, in the order of names.
fn walk(
    folder: &Path,
    level: usize,
    wanted: &dyn Fn(&Path) -> bool,
    out: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    if level > MOST_LEVELS {
        let message = format!("{}: deeper than {MOST_LEVELS} folders", folder.display());
        return Err(Failure::invalid(message));
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| Failure::io(folder, &error))? {
        entries.push(entry.map_err(|error| Failure::io(folder, &error))?.path());
    }
    entries.sort();
    for path in entries {
        // Writers mark what is no data: "_SUCCESS", "_metadata", ".part-0.crc".
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(['_', '.']) && !name.contains('=') {
            continue;
        }
        if path.is_dir() {
            walk(&path, level + 1, wanted, out)?;
        } else if wanted(&path) {
            out.push(path);
        }
    }
    Ok(())
}

fn has_extension(path: &Path) -> bool {
    let extension = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    EXTENSIONS.contains(&extension.as_str())
}

/// A file whose folders below `root` may be pairs.
fn add_file(path: &Path, root: &Path, out: &mut Vec<TableFile>) -> Result<(), Failure> {
    let below = path.strip_prefix(root).unwrap_or(path).parent();
    let hive = hive::pairs(below.unwrap_or(Path::new("")));
    out.push(TableFile {
        path: path.to_owned(),
        kind: kind_of(path)?,
        hive,
    });
    Ok(())
}

fn kind_of(path: &Path) -> Result<Kind, Failure> {
    let mut head = [0; 6];
    let mut file = File::open(path).map_err(|error| Failure::io(path, &error))?;
    let mut read = 0;
    while read < head.len() {
        match file.read(&mut head[read..]) {
            Ok(0) => break,
            Ok(some) => read += some,
            Err(error) => return Err(Failure::io(path, &error)),
        }
    }
    let unsupported = |what: &str| {
        let message = format!("{}: {what}; expected Parquet or Arrow IPC", path.display());
        Err(Failure::new(Code::Unsupported, message))
    };
    match &head {
        [b'P', b'A', b'R', b'1', ..] => Ok(Kind::Parquet),
        [b'P', b'A', b'R', b'E', ..] => unsupported("the file is encrypted"),
        b"ARROW1" => Ok(Kind::Ipc),
        [b'F', b'E', b'A', b'1', ..] => unsupported("the file is Feather of version 1"),
        [b'O', b'R', b'C', ..] => unsupported("the file is ORC"),
        _ => unsupported("the file is of another kind"),
    }
}
