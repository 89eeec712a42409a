//! LDBC's benchmarks: the Social Network Benchmark's folders and Graphalytics' graphs.

mod graphalytics;
mod snb;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::choices::Choices;
use crate::failure::Failure;
use crate::recipe::Recipe;

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    if let Some(properties) = graphalytics::properties_of(path)? {
        return graphalytics::describe(&properties, choices);
    }
    match snb::snapshot_of(path) {
        Some(folder) => snb::describe(&folder, choices.flag("undirected")?),
        None => Err(Failure::unsupported(
            path,
            "expected a folder with \"static\" and \"dynamic\", or a \".properties\" file",
        )),
    }
}
