//! The Illinois Graph Benchmark, of one type and of several.

use std::path::Path;

use super::{names_in, Dataset, PROCESSED};
use crate::failure::Failure;
use crate::foreign::choices::Choices;
use crate::recipe::{ArrayRef, Recipe};

/// Numbers of a node in files without a header.
const WIDTH: u64 = 1024;
const BYTES: u64 = 4;
/// Not all have labels.
const PAPERS_OF_FULL: i64 = 269_346_174;

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let mut inner = None;
    if !path.join(PROCESSED).is_dir() {
        let mut sizes = names_in(path, true)?;
        sizes.retain(|name| path.join(name).join(PROCESSED).is_dir());
        let Some(size) = choices.one_of("size", &sizes)? else {
            let what = "there is no folder \"processed\", and none in its folders";
            return Err(Failure::of_file(path, what));
        };
        inner = Some(path.join(size));
    }
    let mut dataset = Dataset::new(inner.as_deref().unwrap_or(path));
    dataset.add_types("__", true, numbers_alone)?;
    let papers = dataset.recipe.nodes.get("paper");
    let of_full = papers.and_then(|papers| papers.count) == Some(PAPERS_OF_FULL);
    dataset.note(splits_of(of_full));
    Ok(dataset.recipe)
}

fn splits_of(full: bool) -> String {
    let papers = if full {
        "labelled papers (the first 227,130,858 for 19 classes, 157,675,969 for 2K)"
    } else {
        "papers"
    };
    format!(
        "IGB's loader makes splits of the first 60 % and the next 20 % of {papers}; no file has them."
    )
}

/// The largest datasets have float32 without a header: rows of features, and labels.
fn numbers_alone(stem: &str, size: u64) -> Option<ArrayRef> {
    let shape = if stem == "node_feat" {
        vec![size / (WIDTH * BYTES), WIDTH]
    } else if stem.starts_with("node_label") {
        vec![size / BYTES]
    } else {
        return None;
    };
    if shape.iter().product::<u64>() * BYTES != size {
        return None;
    }
    Some(ArrayRef {
        dtype: Some("float32".to_owned()),
        shape: Some(shape.into_iter().map(|extent| extent as i64).collect()),
        ..Default::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::drain::{damage, golden, import};

    #[test]
    fn golden_folders_are_read() {
        for (size, what, rows) in [
            ("tiny", "nodes paper", 20),
            ("tiny", "edges paper__topic__fos", 40),
            ("tiny", "column paper node_label_19", 20),
            ("large", "column paper node_feat", 3),
            ("large", "column paper node_label_2K", 3),
        ] {
            let choice = format!("size={size}");
            let found = import("igb", &golden("igb"), &[&choice]).unwrap();
            assert_eq!(found.rows(what), Some(rows), "{what}");
            let found = import("igb", &golden("igb").join(size), &[]).unwrap();
            assert_eq!(found.rows(what), Some(rows), "{what}");
        }
        assert!(import("igb", &golden("igb"), &[]).is_err());
    }

    #[test]
    fn edges_may_be_columns() {
        for (shape, edges) in [("(3, 2)", Some(3)), ("(2, 3)", Some(3)), ("(6, 1)", None)] {
            let folder = tempfile::tempdir().unwrap();
            let inner = folder.path().join("processed/a__to__a");
            std::fs::create_dir_all(&inner).unwrap();
            let header = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}");
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((header.len() as u16).to_le_bytes());
            bytes.extend(header.bytes());
            bytes.resize(bytes.len() + 48, 0);
            std::fs::write(inner.join("edge_index.npy"), bytes).unwrap();
            let found = import("igb", folder.path(), &[]);
            let found = found.ok().and_then(|found| found.rows("edges a__to__a"));
            assert_eq!(found, edges, "{shape}");
        }
    }

    #[test]
    fn the_full_dataset_has_papers_without_labels() {
        assert!(super::splits_of(true).contains("227,130,858"));
        assert!(!super::splits_of(false).contains("labelled"));
    }

    #[test]
    fn damaged_files_are_no_panic() {
        for (size, file, step) in [
            ("tiny", "paper/node_label_19.npy", 3),
            ("tiny", "paper__topic__fos/edge_index.npy", 7),
            ("large", "paper/node_feat.npy", 101),
        ] {
            let choice = format!("size={size}");
            let file = format!("{size}/processed/{file}");
            damage("igb", "igb", &[&choice], &file, step, 100);
        }
    }
}
