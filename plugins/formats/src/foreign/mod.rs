//! Datasets of other systems: each module makes the recipe for one system's files. It reads
//! descriptions and the heads of files; rows are read when the recipe runs.

pub mod choices;
#[cfg(test)]
mod drain;
mod graphbolt;
mod names;
mod ogb;
pub mod paths;
mod processed;
mod relbench;
mod tgl;

use std::path::Path;

use crate::failure::Failure;
use crate::recipe::{did_you_mean, Recipe};
use choices::Choices;

/// A system, and what reads its files. `path` is a file or folder.
type Describe = fn(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure>;

const FORMATS: &[(&str, Describe)] = &[
    ("graphbolt", graphbolt::describe),
    ("igb", processed::igb::describe),
    ("mag240m", processed::mag240m::describe),
    ("ogb", ogb::describe),
    ("relbench", relbench::describe),
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
    let recipe = describe(path, &mut choices)?;
    choices.finish(format)?;
    Ok(recipe)
}
