//! Tables of pandas in pickles: `DataFrame.to_pickle`. Columns of one type stand as rows of one block.

use super::Loaded;
use crate::arrays::pickle::{Class, Id};
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
    let what = "a DataFrame in a form that is not known; write it by pandas 2";
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
        // NumPy's array of objects: (version, shape, dtype, order, values).
        let (Class::Reconstruct, _, Some(data)) = tree.object(tree.entry(named, "data")?)? else {
            return None;
        };
        let names = tree.items(*tree.items(data)?.last()?)?;
        let names = names.iter().take(MOST_COLUMNS);
        let names = names.map(|&name| tree.text(name).map(str::to_owned));
        Some((tree.items(blocks)?, names.collect::<Option<Vec<_>>>()?))
    };
    found().ok_or_else(|| wrong(loaded))
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
