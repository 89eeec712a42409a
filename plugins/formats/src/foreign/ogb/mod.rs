//! Folders of the Open Graph Benchmark, for properties of nodes and links: `raw`, and `split`.

mod binary;
mod text;

use std::path::Path;

use super::choices::Choices;
use super::names::{note, plain, role_of_name};
use crate::arrays;
use crate::failure::Failure;
use crate::recipe::{ArrayRef, Column, EdgeType, NodeType, Recipe, Role};

/// What a graph with one type has.
const NODE: &str = "node";
const EDGE: &str = "node__to__node";
/// Between the parts of an edge type.
const JOINT: &str = "___";
/// OGB's list says of them: add_inverse_edge.
const WITH_INVERSE_EDGES: [&str; 5] = [
    "ogbn-proteins",
    "ogbn-products",
    "ogbl-ppa",
    "ogbl-collab",
    "ogbl-ddi",
];
const SPLITS: [&str; 3] = ["train", "valid", "test"];

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let mut raw = Raw {
        folder: path,
        recipe: Recipe {
            folder: path.to_str().map(str::to_owned),
            ..Default::default()
        },
        types: Vec::new(),
        undirected: false,
    };
    if raw.has("raw/data.npz") {
        raw.choose_directions(choices)?;
        binary::one_type(&mut raw)?;
    } else if raw.has("raw/edge.csv.gz") {
        raw.choose_directions(choices)?;
        text::one_type(&mut raw)?;
    } else if raw.has("raw/edge_index_dict.npz") {
        binary::types(&mut raw)?;
    } else if raw.has("raw/triplet-type-list.csv.gz") {
        text::types(&mut raw)?;
    } else {
        let what = "there is none of raw/edge.csv.gz, raw/data.npz, \
                    raw/triplet-type-list.csv.gz and raw/edge_index_dict.npz";
        return Err(Failure::of_file(path, what));
    }
    raw.add_splits(choices)?;
    if raw.has("mapping") {
        raw.note("The folder \"mapping\" is not read.");
    }
    Ok(raw.recipe)
}

/// A dataset's folder, and the recipe so far.
struct Raw<'a> {
    folder: &'a Path,
    recipe: Recipe,
    /// Node types: OGB's name and GLS's.
    types: Vec<(String, String)>,
    undirected: bool,
}

/// The nodes or edges that a column belongs to.
#[derive(Clone, Copy)]
enum Owner<'a> {
    Node(&'a str),
    Edge(&'a str),
}

impl Raw<'_> {
    fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    fn note(&mut self, words: impl Into<String>) {
        note(&mut self.recipe.notes, words.into());
    }

    /// As the caller says, else as OGB's list does.
    fn choose_directions(&mut self, choices: &mut Choices) -> Result<(), Failure> {
        let given = choices.given_flag("undirected")?;
        self.undirected = given.unwrap_or_else(|| has_inverse_edges(self.folder));
        match (given, self.undirected) {
            (Some(_), _) => {}
            (None, true) => self.note(
                "OGB's list says that each edge has its reverse, and the files have one of both; \
                 undirected=false leaves the reverse ones out.",
            ),
            (None, false) => {
                self.note("Edges are as in the file; undirected=true adds the reverse ones.");
            }
        }
        Ok(())
    }

    fn wrong(&self, file: &str, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(&self.folder.join(file), what)
    }

    /// The names in a folder, ascending; none where it is not there.
    fn names_in(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let path = self.folder.join(folder);
        if !path.is_dir() {
            return Ok(Vec::new());
        }
        let failed = |error: std::io::Error| Failure::io(&path, &error);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.into_string();
            names.push(name.map_err(|_| Failure::of_file(&path, "a name is not UTF-8"))?);
        }
        names.sort();
        Ok(names)
    }

    /// A node type by OGB's name, which is part of paths.
    fn add_nodes(&mut self, file: &str, name: &str, count: i64) -> Result<(), Failure> {
        let plain = plain(name, &mut self.recipe.notes);
        let node = NodeType {
            count: Some(count),
            ..Default::default()
        };
        if count < 0 || self.recipe.nodes.insert(plain.clone(), node).is_some() {
            return Err(self.wrong(file, format!("{count} nodes of the type \"{plain}\"")));
        }
        self.types.push((name.to_owned(), plain));
        Ok(())
    }

    /// The edges of a triple of OGB's names. Its name in GLS.
    fn add_edges(
        &mut self,
        file: &str,
        triple: [&str; 3],
        edge: EdgeType,
    ) -> Result<String, Failure> {
        for end in [triple[0], triple[2]] {
            if !self.types.iter().any(|(known, _)| known == end) {
                return Err(self.wrong(file, format!("the type {end:?} has no number of nodes")));
            }
        }
        let name = super::names::edge_type(triple, &mut self.recipe.notes);
        if self.recipe.edges.insert(name.clone(), edge).is_some() {
            return Err(self.wrong(file, format!("\"{name}\" is there twice")));
        }
        Ok(name)
    }

    /// A column of a matrix with `width` columns, or of a vector without.
    fn add_column(
        &mut self,
        owner: Owner<'_>,
        name: &str,
        mut array: ArrayRef,
        width: Option<i64>,
    ) -> Result<(), Failure> {
        let name = plain(name, &mut self.recipe.notes);
        let role = role_of_name(&name, width.is_none_or(|width| width == 1));
        if width == Some(1) && matches!(role, Role::Time | Role::Weight) {
            array.column = Some(0);
            self.note(format!(
                "\"{name}\" is a vector, and in the file a matrix of one column."
            ));
        }
        let file = array.file.clone();
        let known = match owner {
            Owner::Node(node) => {
                let columns = self
                    .recipe
                    .nodes
                    .get_mut(node)
                    .map(|node| &mut node.columns);
                columns.and_then(|columns| columns.insert(name.clone(), Column::of(array, role)))
            }
            Owner::Edge(edge) => {
                let columns = self
                    .recipe
                    .edges
                    .get_mut(edge)
                    .map(|edge| &mut edge.columns);
                columns.and_then(|columns| columns.insert(name.clone(), Column::of(array, role)))
            }
        };
        match known {
            Some(_) => Err(self.wrong(&file, format!("the column \"{name}\" is there twice"))),
            None => Ok(()),
        }
    }

    fn add_splits(&mut self, choices: &mut Choices) -> Result<(), Failure> {
        let mut names = self.names_in("split")?;
        names.retain(|name| self.folder.join("split").join(name).is_dir());
        let Some(split) = choices.one_of("split", &names)? else {
            return Ok(());
        };
        for other in names.iter().filter(|name| **name != split) {
            self.note(format!("The split {other:?} is left out."));
        }
        let folder = format!("split/{split}");
        let types = self.types.clone();
        for (theirs, node) in types {
            // A dataset of one type has the files themselves.
            let (of_type, inner) = if theirs.is_empty() {
                (folder.clone(), String::new())
            } else {
                (format!("{folder}/{theirs}"), format!(".{theirs}"))
            };
            for set in SPLITS {
                let file = format!("{of_type}/{set}.csv.gz");
                let ids = if self.has(&file) {
                    ArrayRef {
                        column: Some(0),
                        dtype: Some("int64".to_owned()),
                        ..ArrayRef::of_csv(file)
                    }
                } else {
                    let file = format!("{folder}/split_dict.pt");
                    let ids = ArrayRef::named(file, format!("{set}{inner}"));
                    let found = arrays::open(&ids, self.folder).ok();
                    if found.is_none_or(|found| found.shape.len() != 1) {
                        continue;
                    }
                    ids
                };
                self.recipe.nodes[node.as_str()]
                    .sets
                    .insert(set.to_owned(), ids);
            }
        }
        if self.recipe.nodes.values().all(|node| node.sets.is_empty()) {
            self.note(format!(
                "The split {split:?} has no lists of nodes, and is left out."
            ));
        }
        Ok(())
    }
}

/// Whether the folder has the name of such a dataset.
fn has_inverse_edges(folder: &Path) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = name.replace('_', "-");
    WITH_INVERSE_EDGES.contains(&&name[..])
}

/// Source, relation and target of a joined name.
fn triple_of(name: &str) -> Option<[&str; 3]> {
    let parts: Vec<&str> = name.split(JOINT).collect();
    parts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::super::drain::{damage, golden, import};

    const NONE: &[&str] = &[];
    const TIME: &[&str] = &["split=time"];
    const BOTH: &[&str] = &["split=time", "undirected=true"];

    #[test]
    fn golden_folders_are_read() {
        for (name, choices, what, rows) in [
            ("ogb-text", TIME, "nodes node", 60),
            ("ogb-text", TIME, "text node__to__node", 0),
            ("ogb-text", TIME, "column node node_feat", 60),
            ("ogb-text", TIME, "column node__to__node edge_weight", 150),
            ("ogb-text", TIME, "set node train", 30),
            ("ogb-text", BOTH, "column node__to__node edge_feat", 150),
            ("ogb-binary", NONE, "edges node__to__node", 90),
            ("ogb-binary", NONE, "column node node_label", 40),
            ("ogb-binary", NONE, "set node valid", 5),
            ("ogb-text-types", NONE, "nodes author", 30),
            (
                "ogb-text-types",
                NONE,
                "column author__writes__paper edge_reltype",
                70,
            ),
            ("ogb-text-types", NONE, "set paper test", 20),
            ("ogb-binary-types", NONE, "edges paper__cites__paper", 60),
            (
                "ogb-binary-types",
                NONE,
                "column author__writes__paper edge_feat",
                60,
            ),
            ("ogb-binary-types", NONE, "column paper node_label", 50),
        ] {
            let found = import("ogb", &golden(name), choices).unwrap();
            assert_eq!(found.rows(what), Some(rows), "{name}: {what}");
        }
        let refused = import("ogb", &golden("ogb-text"), &[]).err().unwrap();
        assert!(
            refused.message.contains("random, time"),
            "{}",
            refused.message
        );
    }

    #[test]
    fn the_name_of_a_dataset_tells_whether_edges_have_their_reverse() {
        let folder = tempfile::tempdir().unwrap();
        for (name, choices, undirected, noted) in [
            ("ogbl_ddi", &[][..], true, "undirected=false"),
            ("ogbl_ddi", &["undirected=false"], false, ""),
            ("ogbn-products", &[], true, "undirected=false"),
            ("ogbn_arxiv", &[], false, "as in the file"),
            ("ogbn_arxiv", &["undirected=true"], true, ""),
        ] {
            let to = folder.path().join(name).join("raw");
            std::fs::create_dir_all(&to).unwrap();
            let from = golden("ogb-binary").join("raw");
            for entry in std::fs::read_dir(from).unwrap() {
                let entry = entry.unwrap();
                std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
            }
            let choices: Vec<_> = choices.iter().map(|&text| text.to_owned()).collect();
            let path = folder.path().join(name);
            let recipe = crate::foreign::recipe_of("ogb", &path, &choices).unwrap();
            assert_eq!(
                recipe.edges["node__to__node"].undirected, undirected,
                "{name}"
            );
            let notes = recipe.notes.join(" ");
            assert!(notes.contains(noted), "{notes}");
            assert!(
                !noted.is_empty() || !notes.contains("undirected"),
                "{notes}"
            );
        }
    }

    #[test]
    fn damaged_files_are_no_panic() {
        for (name, choices, file) in [
            ("ogb-text", TIME, "raw/num-node-list.csv.gz"),
            ("ogb-text", TIME, "raw/node-feat.csv.gz"),
            ("ogb-text", TIME, "split/time/train.csv.gz"),
            ("ogb-text-types", NONE, "raw/num-node-dict.csv.gz"),
            ("ogb-text-types", NONE, "raw/triplet-type-list.csv.gz"),
            ("ogb-binary", NONE, "raw/data.npz"),
            ("ogb-binary-types", NONE, "raw/num_nodes_dict.npz"),
            ("ogb-binary-types", NONE, "raw/edge_index_dict.npz"),
        ] {
            let size = std::fs::metadata(golden(name).join(file)).unwrap().len();
            let step = (size / 40).max(1) as usize;
            damage("ogb", name, choices, file, step, 60);
        }
    }
}
