//! For tests: a builder that reads everything and keeps what was added, and damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::arrays::Array;
use crate::boundary::builder::{Builder, Layout, Reader, StreamOptions};
use crate::failure::Failure;
use crate::recipe::{self, Codes, Ids, Role, Text, TextEnds};

/// What was added: "kind name", and rows where they are known.
#[derive(Default)]
pub struct Drain {
    pub added: Vec<(String, i64)>,
}

impl Drain {
    fn add(&mut self, what: String, rows: i64) -> Result<(), Failure> {
        self.added.push((what, rows));
        Ok(())
    }

    fn stream(&mut self, what: String, reader: Reader) -> Result<(), Failure> {
        let mut rows = 0;
        for batch in reader {
            let batch = batch.map_err(|error| Failure::invalid(error.to_string()))?;
            rows += batch.num_rows() as i64;
        }
        self.add(what, rows)
    }

    /// The rows of what was added.
    pub fn rows(&self, what: &str) -> Option<i64> {
        let found = self.added.iter().find(|(name, _)| name == what);
        found.map(|(_, rows)| *rows)
    }
}

impl Builder for Drain {
    fn add_node_type(&mut self, name: &str, count: i64, _: Ids) -> Result<(), Failure> {
        self.add(format!("nodes {name}"), count)
    }

    fn add_edges(&mut self, name: &str, from: Array, _: Array, _: bool) -> Result<(), Failure> {
        self.add(format!("edges {name}"), from.rows())
    }

    fn add_topology(
        &mut self,
        name: &str,
        _: Layout,
        _: Array,
        indices: Array,
        _: Option<Array>,
    ) -> Result<(), Failure> {
        self.add(format!("edges {name}"), indices.rows())
    }

    fn add_nodes_text(&mut self, name: &str, _: &str, _: &Text) -> Result<(), Failure> {
        self.add(format!("text {name}"), 0)
    }

    fn add_edges_text(
        &mut self,
        name: &str,
        _: &str,
        _: &TextEnds,
        _: bool,
    ) -> Result<(), Failure> {
        self.add(format!("text {name}"), 0)
    }

    fn add_nodes(&mut self, name: &str, reader: Reader, _: &StreamOptions) -> Result<(), Failure> {
        self.stream(format!("table {name}"), reader)
    }

    fn add_edge_rows(
        &mut self,
        name: &str,
        reader: Reader,
        _: &StreamOptions,
    ) -> Result<(), Failure> {
        self.stream(format!("edges {name}"), reader)
    }

    fn add_node_column(
        &mut self,
        name: &str,
        column: &str,
        _: Role,
        rows: Array,
        _: Option<&Codes>,
    ) -> Result<(), Failure> {
        self.add(format!("column {name} {column}"), rows.rows())
    }

    fn add_edge_column(
        &mut self,
        name: &str,
        column: &str,
        _: Role,
        rows: Array,
        _: Option<&Codes>,
    ) -> Result<(), Failure> {
        self.add(format!("column {name} {column}"), rows.rows())
    }

    fn add_id_set(&mut self, name: &str, set: &str, ids: Array) -> Result<(), Failure> {
        self.add(format!("set {name} {set}"), ids.rows())
    }
}

/// A folder of golden files.
pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/formats/golden")
        .join(name)
}

/// Makes the recipe and runs it.
fn run(format: &str, path: &Path, choices: &[&str]) -> Result<Drain, Failure> {
    let choices: Vec<String> = choices.iter().map(|&choice| choice.to_owned()).collect();
    let recipe = super::recipe_of(format, path, &choices)?;
    let mut drain = Drain::default();
    recipe::run(&recipe, Path::new(""), 1, &mut drain)?;
    Ok(drain)
}

/// Makes the recipe, which must be the same after it is written and read, and runs it.
pub fn import(format: &str, path: &Path, choices: &[&str]) -> Result<Drain, Failure> {
    let given: Vec<String> = choices.iter().map(|&choice| choice.to_owned()).collect();
    let recipe = super::recipe_of(format, path, &given)?;
    let read = recipe::read(&recipe::write(&recipe)?)?;
    assert_eq!(
        recipe::Recipe {
            notes: Vec::new(),
            ..recipe.clone()
        },
        read
    );
    run(format, path, choices)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Imports copies of a folder whose `file` is cut at every `step` bytes, or has changed bytes. Each
/// must end in an error or a result.
pub fn damage(format: &str, name: &str, choices: &[&str], file: &str, step: usize, flips: usize) {
    let folder = tempfile::tempdir().unwrap();
    copy(&golden(name), folder.path());
    let at = folder.path().join(file);
    let whole = fs::read(&at).unwrap();
    for size in (0..whole.len()).step_by(step) {
        fs::write(&at, &whole[..size]).unwrap();
        let _ = run(format, folder.path(), choices);
    }
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..flips {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let place = (random >> 8) as usize % bytes.len();
            bytes[place] ^= random as u8;
        }
        fs::write(&at, &bytes).unwrap();
        let _ = run(format, folder.path(), choices);
    }
    fs::write(&at, &whole).unwrap();
    import(format, folder.path(), choices).unwrap();
}
