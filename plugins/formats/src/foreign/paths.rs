//! Names of files in foreign descriptions, which may not lead out of their folder.

use std::io::{BufRead, BufReader, Read};
use std::path::{Component, Path};

use flate2::bufread::MultiGzDecoder;

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

/// The folder and the name of a dataset that is one file.
pub fn folder_and_name(path: &Path) -> Result<(String, String), Failure> {
    let name = path.file_name().filter(|_| path.is_file());
    let Some(name) = name.and_then(|name| name.to_str()) else {
        let message = format!("{}: expected a file", path.display());
        return Err(Failure::invalid(message));
    };
    let folder = path.parent().and_then(Path::to_str).unwrap_or_default();
    let folder = if folder.is_empty() { "." } else { folder };
    Ok((folder.to_owned(), name.to_owned()))
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

/// The first line of a file, which may be compressed with gzip, without its end.
pub fn first_line(path: &Path) -> Result<String, Failure> {
    let line = head(path)?.lines().next().unwrap_or("").to_owned();
    Ok(line)
}

/// The first 64 KiB of a file of text, which may be compressed with gzip.
pub fn head(path: &Path) -> Result<String, Failure> {
    const MOST: u64 = 64 << 10;
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let mut file = BufReader::new(std::fs::File::open(path).map_err(failed)?);
    let gzip = file.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
    let mut bytes = Vec::new();
    let read = if gzip {
        MultiGzDecoder::new(file).take(MOST).read_to_end(&mut bytes)
    } else {
        file.take(MOST).read_to_end(&mut bytes)
    };
    read.map_err(|error| Failure::of_file(path, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
