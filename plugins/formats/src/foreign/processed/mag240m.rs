//! MAG240M of OGB's large-scale challenge.

use std::path::Path;

use super::{counts, Dataset};
use crate::arrays;
use crate::failure::Failure;
use crate::foreign::choices::Choices;
use crate::recipe::{ArrayRef, Recipe};

/// The folder that OGB makes in its root.
const FOLDER: &str = "mag240m_kddcup2021";
const COUNTS: &str = "meta.pt";
const SPLITS: &str = "split_dict.pt";
const SETS: [&str; 6] = [
    "train",
    "valid",
    "test",
    "test-whole",
    "test-dev",
    "test-challenge",
];

pub fn describe(path: &Path, _: &mut Choices) -> Result<Recipe, Failure> {
    let inner = path.join(FOLDER);
    let folder = if inner.is_dir() { &inner } else { path };
    let mut dataset = Dataset::new(folder);
    dataset.add_types("___", false, |_, _| None)?;
    if folder.join(COUNTS).exists() {
        let found = counts::read(&folder.join(COUNTS))?;
        for (theirs, name) in dataset.types.clone() {
            let count = found.get(&theirs).filter(|&&count| count >= 0);
            if let (Some(&count), Some(node)) = (count, dataset.recipe.nodes.get_mut(&name)) {
                node.count.get_or_insert(count);
            }
        }
    } else {
        dataset.note(format!(
            "There is no {COUNTS}: types without features have as many nodes as edges name."
        ));
    }
    let papers = dataset.types.iter().find(|(theirs, _)| theirs == "paper");
    if let Some((_, papers)) = papers.cloned() {
        for set in SETS {
            let ids = ArrayRef::named(SPLITS, set);
            if arrays::open(&ids, folder).is_ok_and(|found| found.shape.len() == 1) {
                dataset.recipe.nodes[papers.as_str()]
                    .sets
                    .insert(set.to_owned(), ids);
            }
        }
        if dataset.recipe.nodes[papers.as_str()].sets.is_empty() {
            dataset.note(format!("{SPLITS} is not read."));
        }
    }
    Ok(dataset.recipe)
}

#[cfg(test)]
mod tests {
    use super::super::super::drain::{damage, golden, import};

    #[test]
    fn the_golden_folder_is_read() {
        let found = import("mag240m", &golden("mag240m"), &[]).unwrap();
        for (what, rows) in [
            ("nodes paper", 50),
            ("nodes author", 30),
            ("nodes institution", 7),
            ("edges author__writes__paper", 60),
            ("column paper node_feat", 50),
            ("column paper node_year", 50),
        ] {
            assert_eq!(found.rows(what), Some(rows), "{what}");
        }
    }

    #[test]
    fn damaged_files_are_no_panic() {
        for file in [
            "meta.pt",
            "processed/paper/node_label.npy",
            "processed/paper___cites___paper/edge_index.npy",
        ] {
            let file = format!("mag240m_kddcup2021/{file}");
            damage("mag240m", "mag240m", &[], &file, 11, 100);
        }
    }
}
