//! Which files of a folder belong together: a header and the rows below it or in files of their own.

use std::path::Path;

use super::header::{self, Field};
use crate::failure::Failure;
use crate::foreign::paths::head;

const ENDINGS: [&str; 4] = [".csv", ".csv.gz", ".tsv", ".tsv.gz"];
const DELIMITERS: [char; 4] = [',', '\t', ';', '|'];

/// Rows with one header.
#[derive(Debug)]
pub struct Group {
    /// What the files are called without their endings and numbers.
    pub name: String,
    pub fields: Vec<(String, Field)>,
    /// Names of the files with rows.
    pub files: Vec<String>,
    /// The header is the first line of the only file.
    pub on_top: bool,
    pub delimiter: char,
}

/// The groups of a folder, and the names of files that belong to none.
pub fn groups(
    folder: &Path,
    delimiter: Option<char>,
) -> Result<(Vec<Group>, Vec<String>), Failure> {
    let failed = |error: std::io::Error| Failure::io(folder, &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        // Names that are not UTF-8 cannot stand in a recipe.
        if let Some(name) = name.to_str().filter(|name| stem(name).is_some()) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    let (mut out, mut headers, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        let text = head(&folder.join(&name))?;
        let line = text.lines().next().unwrap_or("");
        let found = match delimiter {
            Some(one) => header::read(line, one).map(|fields| (one, fields)),
            None => DELIMITERS
                .iter()
                .filter_map(|&one| header::read(line, one).map(|fields| (one, fields)))
                .max_by_key(|(_, fields)| fields.len()),
        };
        let of_header = stem(&name).and_then(base_of_header).map(str::to_owned);
        match (found, of_header) {
            (None, _) => rows.push(name),
            (Some((delimiter, fields)), None) => out.push(Group {
                name: stem(&name).unwrap_or(&name).to_owned(),
                fields,
                files: vec![name],
                on_top: true,
                delimiter,
            }),
            (Some((delimiter, fields)), Some(base)) => headers.push(Group {
                name: base,
                fields,
                files: Vec::new(),
                on_top: false,
                delimiter,
            }),
        }
    }
    // "movies-header.csv" is the header of "movies.csv", "movies-1.csv", "movies_part2.csv".
    headers.sort_by_key(|group| std::cmp::Reverse(group.name.len()));
    for mut group in headers {
        let mut rest = Vec::new();
        for name in rows {
            let belongs = stem(&name)
                .and_then(|stem| stem.strip_prefix(&group.name[..]))
                .is_some_and(is_number);
            if belongs {
                group.files.push(name);
            } else {
                rest.push(name);
            }
        }
        rows = rest;
        if group.files.is_empty() {
            let what = format!("the header of \"{}\" has no file with rows", group.name);
            return Err(Failure::unsupported(folder, what));
        }
        out.push(group);
    }
    out.sort_by(|a, b| a.files.cmp(&b.files));
    Ok((out, rows))
}

/// A file's name without the endings that tables have.
fn stem(name: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))
}

/// "movies" of "movies-header", "movies_Headers" or "movies.header".
fn base_of_header(stem: &str) -> Option<&str> {
    let lower = stem.to_lowercase();
    let cut = ["header", "headers"].iter().find_map(|word| {
        let base = lower.strip_suffix(word)?;
        base.ends_with(['-', '_', '.']).then(|| base.len() - 1)
    })?;
    stem.get(..cut).filter(|base| !base.is_empty())
}

/// "", "1", "-1", "_part2", ".part-0003".
fn is_number(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['-', '_', '.']);
    let rest = rest.strip_prefix("part").unwrap_or(rest);
    let rest = rest.trim_start_matches(['-', '_', '.']);
    rest.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_headers_and_parts() {
        assert_eq!(base_of_header("a-b_header"), Some("a-b"));
        assert_eq!(base_of_header("a.Headers"), Some("a"));
        assert_eq!(base_of_header("header"), None);
        assert_eq!(base_of_header("-header"), None);
        for (rest, expected) in [("", true), ("12", true), ("-part2", true), ("s", false)] {
            assert_eq!(is_number(rest), expected, "{rest}");
        }
    }
}
