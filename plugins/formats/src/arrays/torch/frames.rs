//! Tables of pandas in pickles: `DataFrame.to_pickle`. Columns of one type stand as rows of one block.

use super::Loaded;
use crate::arrays::pickle::{Class, Id, Tree, Value};
use crate::arrays::Array;
use crate::failure::Failure;
use crate::recipe::did_you_mean;

const MOST_COLUMNS: usize = 1 << 16;

/// Whether a pickle is a table.
pub fn is_one(loaded: &Loaded) -> bool {
    let root = loaded.tree().object(loaded.tree().root());
    matches!(root, Some((Class::Frame, ..)))
}

fn wrong(loaded: &Loaded) -> Failure {
    let what = "a DataFrame in a form that is not known; write it by pandas 2 or 3";
    Failure::unsupported(loaded.path(), what)
}

/// The blocks of a table, and the names of its columns.
fn parts(loaded: &Loaded) -> Result<(&[Id], Vec<String>), Failure> {
    let tree = loaded.tree();
    let found = || {
        let (Class::Frame, _, Some(state)) = tree.object(tree.root())? else {
            return None;
        };
        let (Class::Blocks, &[blocks, axes], _) = tree.object(tree.entry(state, "_mgr")?)? else {
            return None;
        };
        let (Class::Index, &[_, named], _) = tree.object(*tree.items(axes)?.first()?)? else {
            return None;
        };
        let names = texts(tree, tree.entry(named, "data")?)?;
        Some((tree.items(blocks)?, names))
    };
    found().ok_or_else(|| wrong(loaded))
}

/// The texts of an array, in the forms that pandas 2 and 3 have for them.
fn texts(tree: &Tree, id: Id) -> Option<Vec<String>> {
    match tree.object(id)? {
        // NumPy's array of objects: (version, shape, dtype, order, values).
        (Class::Reconstruct, _, Some(data)) => {
            let all = tree.items(*tree.items(data)?.last()?)?.iter();
            all.take(MOST_COLUMNS)
                .map(|&name| tree.text(name).map(str::to_owned))
                .collect()
        }
        // (dtype, array)
        (Class::Backed, _, Some(state)) => {
            let inner = *tree.items(state)?.last()?;
            match tree.object(inner)? {
                (Class::Reconstruct, ..) => texts(tree, inner),
                _ => None,
            }
        }
        (Class::ArrowText, _, Some(state)) => {
            let (Class::ArrowArray, &[args], _) = tree.object(tree.entry(state, "_pa_array")?)?
            else {
                return None;
            };
            // (type, length, nulls, offset, [validity, ends, text], children, dictionary)
            let &[kind, length, nulls, offset, buffers, ..] = tree.items(args)? else {
                return None;
            };
            let (Class::Other, &[kind], _) = tree.object(kind)? else {
                return None;
            };
            let (&[_, ends, text], Some(0), Some(0), Some("large_string")) = (
                tree.items(buffers)?,
                tree.int(nulls),
                tree.int(offset),
                tree.text(kind),
            ) else {
                return None;
            };
            of_arrow(
                usize::try_from(tree.int(length)?).ok()?,
                buffer(tree, ends)?,
                buffer(tree, text)?,
            )
        }
        _ => None,
    }
}

fn buffer(tree: &Tree, id: Id) -> Option<&[u8]> {
    match tree.object(id)? {
        (Class::ArrowBuffer, &[bytes], _) => match tree.get(bytes) {
            Value::Bytes(run) => Some(tree.run(run)),
            _ => None,
        },
        _ => None,
    }
}

/// `ends`: where each text begins, and the end of the last.
fn of_arrow(count: usize, ends: &[u8], text: &[u8]) -> Option<Vec<String>> {
    let end = |at: usize| {
        let bytes = ends.get(at * 8..)?.first_chunk()?;
        usize::try_from(i64::from_le_bytes(*bytes)).ok()
    };
    (0..count.min(MOST_COLUMNS))
        .map(|at| String::from_utf8(text.get(end(at)?..end(at + 1)?)?.to_vec()).ok())
        .collect()
}

/// The names of a table's columns.
pub fn names(loaded: &Loaded) -> Result<Vec<String>, Failure> {
    Ok(parts(loaded)?.1)
}

pub fn column(loaded: &Loaded, name: &str) -> Result<Array, Failure> {
    let (blocks, names) = parts(loaded)?;
    let Some(place) = names.iter().position(|known| known == name) else {
        return Err(Failure::invalid(format!(
            "{}: there is no column \"{name}\" in {}{}",
            loaded.path().display(),
            names.join(", "),
            did_you_mean(name, names.iter().map(String::as_str))
        )));
    };
    for &block in blocks {
        let Some((Class::Block, &[values, places, _], _)) = loaded.tree().object(block) else {
            return Err(wrong(loaded));
        };
        let Some(row) = row_of(loaded, places, place as i64)? else {
            continue;
        };
        let tensor = loaded.tensor(values)?.ok_or_else(|| wrong(loaded))?;
        let array = loaded.array(&tensor)?;
        if array.shape.len() != 2 {
            return Err(wrong(loaded));
        }
        return array
            .row(row)
            .map_err(|what| Failure::of_file(loaded.path(), what));
    }
    Err(wrong(loaded))
}

/// The row of a block that is a column. `places`: a slice, or an array.
fn row_of(loaded: &Loaded, places: Id, column: i64) -> Result<Option<i64>, Failure> {
    let tree = loaded.tree();
    if let Some((Class::Slice, args, _)) = tree.object(places) {
        let numbers: Option<Vec<i64>> = args.iter().map(|&arg| tree.int(arg)).collect();
        let Some(&[begin, end, step]) = numbers.as_deref() else {
            return Err(wrong(loaded));
        };
        if begin < 0 || step < 1 {
            return Err(wrong(loaded));
        }
        let within = (begin..end).contains(&column) && (column - begin) % step == 0;
        return Ok(within.then(|| (column - begin) / step));
    }
    let tensor = loaded.tensor(places)?.ok_or_else(|| wrong(loaded))?;
    let array = loaded.array(&tensor)?;
    if array.count() > MOST_COLUMNS as i64 {
        return Err(wrong(loaded));
    }
    let found = array.to_i64s()?;
    let row = found.iter().position(|&place| place == column);
    Ok(row.map(|row| row as i64))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::arrays::Bytes;

    fn golden(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/formats/golden/pandas")
            .join(name)
    }

    const FILES: [&str; 3] = ["frame-2.pkl", "frame-3.pkl", "frame-3-arrow.pkl"];

    #[test]
    fn columns_of_several_versions() {
        for file in FILES {
            let loaded = Loaded::open(&golden(file)).unwrap();
            assert!(is_one(&loaded), "{file}");
            assert_eq!(names(&loaded).unwrap(), ["u", "idx", "ts", "flag", "i"]);
            for (name, expected) in [
                ("u", [0, 2, 4, 6, 8]),
                ("idx", [0, 1, 2, 3, 4]),
                ("flag", [1, 0, 1, 0, 1]),
                ("i", [5, 4, 3, 2, 1]),
            ] {
                let array = column(&loaded, name).unwrap();
                assert_eq!(array.to_i64s().unwrap(), expected, "{file} {name}");
            }
            let times = column(&loaded, "ts").unwrap().into_aligned().unwrap();
            let last = f64::from_ne_bytes(times.bytes()[32..].try_into().unwrap());
            assert_eq!(last, 4.5);
            let failure = column(&loaded, "tz").err().unwrap();
            assert!(failure.message.contains("did you mean \"ts\""));
        }
    }

    #[test]
    fn damaged_tables_are_no_panic() {
        let mut state = 7_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize
        };
        let read = |bytes: Vec<u8>| -> Result<(), Failure> {
            let loaded = Loaded::of_bytes(Path::new("frame"), &Bytes::of_vec(bytes))?;
            for name in names(&loaded)? {
                column(&loaded, &name)?.into_aligned()?;
            }
            Ok(())
        };
        for file in FILES {
            let whole = std::fs::read(golden(file)).unwrap();
            assert!(read(whole.clone()).is_ok());
            for size in 0..whole.len() {
                assert!(read(whole[..size].to_vec()).is_err(), "{file} {size}");
            }
            for _ in 0..2000 {
                let mut changed = whole.clone();
                let at = random() % changed.len();
                changed[at] = random() as u8;
                let _ = read(changed);
            }
        }
    }
}
