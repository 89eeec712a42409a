//! Names of files in foreign descriptions, which may not lead out of their folder.

use std::path::{Component, Path};

use crate::failure::Failure;

/// A relative name as it stands in the description `at`. Absolute names and `..` are refused.
pub fn inside(at: &Path, name: &str) -> Result<String, Failure> {
    let plain = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if name.is_empty() || !plain {
        return Err(Failure::of_file(
            at,
            format!("the file name \"{name}\" leads out of the dataset's folder"),
        ));
    }
    Ok(name.to_owned())
}

/// The text of a description, of at most 64 MiB.
pub fn text_of(path: &Path) -> Result<String, Failure> {
    const MOST: u64 = 64 << 20;
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > MOST {
        return Err(Failure::of_file(
            path,
            format!("a description of {size} bytes"),
        ));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| Failure::of_file(path, "the description is not UTF-8"))
}
