//! Which files paths, folders and patterns stand for, and what kind each is.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use glob::Pattern;

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

const WILDCARDS: [char; 3] = ['*', '?', '['];
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
        } else if literal.exists() || !path.contains(WILDCARDS) {
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
        } else if literal.exists() || !path.contains(WILDCARDS) {
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

/// The path of a recipe's `file` in a folder, whose own name is no pattern. `joined` has both.
pub fn below(folder: &str, file: &str, joined: String) -> String {
    if !folder.contains(WILDCARDS) || Path::new(file).is_absolute() || Path::new(&joined).exists() {
        return joined;
    }
    format!("{}/{file}", Pattern::escape(folder.trim_end_matches('/')))
}

/// The folders before a pattern's first wildcard, which [`below`] may have escaped.
fn root_of(pattern: &str) -> String {
    let mut root = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find(WILDCARDS) {
        root.push_str(&rest[..at]);
        rest = &rest[at..];
        let escaped = ["[[]", "[]]", "[*]", "[?]"];
        if !escaped.iter().any(|escaped| rest.starts_with(escaped)) {
            break;
        }
        root.push_str(&rest[1..2]);
        rest = &rest[3..];
    }
    root.truncate(root.rfind('/').map_or(0, |at| at + 1));
    root
}

/// More shards are a mistake in a name.
pub const MOST_SHARDS: usize = 100_000;
const DIGITS_OF_SHARDS: usize = 5;

/// The files of "name@3", TensorFlow's way to name "name-00000-of-00003" and so on. Other names stand
/// for themselves. None: the number is not 1 to `MOST_SHARDS`.
pub fn shards(file: &str) -> Option<Vec<String>> {
    let digits = |count: &str| count.bytes().all(|byte| byte.is_ascii_digit());
    let pair = file.rsplit_once('@');
    let Some((name, count)) = pair.filter(|(name, count)| !name.is_empty() && digits(count)) else {
        return Some(vec![file.to_owned()]);
    };
    let count: usize = count.parse().ok()?;
    if !(1..=MOST_SHARDS).contains(&count) {
        return None;
    }
    let shard = |i| format!("{name}-{i:0DIGITS_OF_SHARDS$}-of-{count:0DIGITS_OF_SHARDS$}");
    Some((0..count).map(shard).collect())
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
    let root = root_of(pattern);
    for path in found {
        if path.is_dir() {
            add_folder(&path, Path::new(&root), out)?;
        } else {
            add_file(&path, Path::new(&root), out)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_no_pattern() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a=1", "run1/day=2", "run[1]/day=3", "run[1]/day=4"] {
            fs::create_dir_all(root.path().join(name)).unwrap();
        }
        for name in ["run1/day=2/x.pq", "run[1]/day=3/x.pq", "run[1]/day=4/x.pq"] {
            fs::write(root.path().join(name), b"PAR1PAR1").unwrap();
        }
        let path = |folder: &str, file: &str| {
            let folder = root.path().join(folder);
            let joined = folder.join(file).display().to_string();
            below(&folder.display().to_string(), file, joined)
        };
        for folder in ["run[1]", "run[1]/"] {
            let found = expand(&[path(folder, "day=*/x.pq")]).unwrap();
            let expected = ["run[1]/day=3/x.pq", "run[1]/day=4/x.pq"];
            assert_eq!(found.len(), expected.len());
            for ((found, expected), day) in found.iter().zip(expected).zip(["3", "4"]) {
                assert_eq!(found.path, root.path().join(expected));
                assert_eq!(found.hive, [("day".to_owned(), Some(day.to_owned()))]);
            }
            let by = expand_by(&[path(folder, "day=[34]/x.pq")], |_| true).unwrap();
            assert_eq!(by.len(), 2);
        }
        assert_eq!(expand(&[path("run[1]", "day=3/x.pq")]).unwrap().len(), 1);
        assert_eq!(expand(&[path("run[1]", "day=3")]).unwrap().len(), 1);
        // The file of another folder is not taken for one that is missing.
        assert!(expand(&[path("run[1]", "day=2/x.pq")]).is_err());
        assert_eq!(expand(&[path("run1", "day=?/x.pq")]).unwrap().len(), 1);
        assert_eq!(path("run[1]", "/abs/*.pq"), "/abs/*.pq");
    }

    #[test]
    fn roots_end_before_the_first_wildcard() {
        for (pattern, expected) in [
            ("a/b*/c", "a/"),
            ("a[[]1[]]/b?", "a[1]/"),
            ("a[[]/[bc]/d", "a[/"),
            ("*", ""),
        ] {
            assert_eq!(root_of(pattern), expected);
        }
    }
}
