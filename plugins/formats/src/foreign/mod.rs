//! Datasets of other systems: each module makes the recipe for one system's files. It reads
//! descriptions and the heads of files; rows are read when the recipe runs.

pub mod choices;
pub mod dgl;
#[cfg(test)]
mod drain;
mod gigl;
mod glt;
mod graphbolt;
mod ldbc;
mod matrix_market;
pub mod names;
mod neo4j;
mod ntriples;
mod ogb;
pub mod paths;
mod processed;
mod pyg;
mod relbench;
mod snap;
mod text_proto;
mod tfgnn;
mod tgb;
mod tgl;
pub mod unique;

use std::path::Path;

use crate::failure::Failure;
use crate::recipe::{did_you_mean, Recipe};
use choices::Choices;

/// A system, and what reads its files. `path` is a file or folder.
type Describe = fn(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure>;

const FORMATS: &[(&str, Describe)] = &[
    ("dgl", dgl::describe),
    ("gigl", gigl::describe),
    ("glt", glt::describe),
    ("graphbolt", graphbolt::describe),
    ("igb", processed::igb::describe),
    ("ldbc", ldbc::describe),
    ("mag240m", processed::mag240m::describe),
    ("mtx", matrix_market::describe),
    ("neo4j", neo4j::describe),
    ("ntriples", ntriples::describe),
    ("ogb", ogb::describe),
    ("pyg", pyg::describe),
    ("relbench", relbench::describe),
    ("snap", snap::describe),
    ("tfgnn", tfgnn::describe),
    ("tgb", tgb::describe),
    ("tgl", tgl::describe),
];

/// The recipe for a dataset of another system.
pub fn recipe_of(format: &str, path: &Path, choices: &[String]) -> Result<Recipe, Failure> {
    let names = || FORMATS.iter().map(|(name, _)| *name);
    let Some((_, describe)) = FORMATS.iter().find(|(name, _)| *name == format) else {
        let all: Vec<_> = names().collect();
        return Err(Failure::invalid(format!(
            "format: \"{format}\" is not known; expected one of {}{}",
            all.join(", "),
            did_you_mean(format, names())
        )));
    };
    if !path.exists() {
        let error = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(Failure::io(path, &error));
    }
    let mut choices = Choices::parse(choices)?;
    let mut recipe = describe(path, &mut choices)?;
    choices.finish(format)?;
    // A recipe may be written to another folder, and read in another.
    if let Some(folder) = &recipe.folder {
        let whole = std::path::absolute(folder).map_err(|error| Failure::io(path, &error))?;
        let whole = whole.to_str().map(str::to_owned);
        recipe.folder = Some(whole.ok_or_else(|| Failure::invalid("the folder is not UTF-8"))?);
    }
    Ok(recipe)
}
