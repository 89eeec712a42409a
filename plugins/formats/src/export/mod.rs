//! A dataset as files of other systems: each module writes one system's files. Columns are streamed from
//! the dataset's memory in pieces.

mod dgl;
mod ends;
mod graph;
mod graphbolt;
mod masks;
mod names;
mod npy;
mod out;
mod parquet;
mod place;
mod progress;
mod pyg;
mod rows;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::boundary::dataset::Dataset;
use crate::failure::{Code, Failure};
use crate::foreign::choices::Choices;
use crate::recipe::did_you_mean;
use graph::Graph;
use place::{Kind, Place};
use progress::{Progress, Report};

/// Where and how to write a dataset.
pub struct Request<'a> {
    pub format: &'a str,
    pub path: &'a Path,
    /// "name=value".
    pub choices: &'a [String],
    /// Replace what is there.
    pub overwrite: bool,
}

/// What a format will write. All that the format cannot have was refused.
trait Plan {
    fn kind(&self) -> Kind;
    /// Bytes that `write` reports.
    fn total(&self) -> u64;
    /// Writes a file, or into an empty folder.
    fn write(&self, to: &Path, progress: &mut Progress<'_>) -> Result<(), Failure>;
}

/// Checks the choices, then that a format can have the graph.
type Prepare = for<'a> fn(Graph<'a>, Choices) -> Result<Box<dyn Plan + 'a>, Failure>;

const FORMATS: &[(&str, Prepare)] = &[
    ("dgl", dgl::prepare),
    ("graphbolt", graphbolt::prepare),
    ("parquet", parquet::prepare),
    ("pyg", pyg::prepare),
];

/// Writes a dataset. The files appear under their names when all of them are complete. `report` takes
/// bytes, done and in total, and returns false to cancel.
pub fn export(
    dataset: &dyn Dataset,
    request: &Request<'_>,
    report: &mut Report<'_>,
) -> Result<(), Failure> {
    let format = request.format;
    let names = || FORMATS.iter().map(|(name, _)| *name);
    let Some((_, prepare)) = FORMATS.iter().find(|(name, _)| *name == format) else {
        let all: Vec<_> = names().collect();
        return Err(Failure::invalid(format!(
            "format: \"{format}\" cannot be written; expected one of {}{}",
            all.join(", "),
            did_you_mean(format, names())
        )));
    };
    let mut choices = Choices::parse(request.choices)?;
    let graph = Graph::new(dataset, choices.take("leave_out"))?;
    let plan = prepare(graph, choices)?;
    let place = Place::new(request.path, plan.kind(), request.overwrite)?;
    let mut progress = Progress::new(report, plan.total());
    progress.check()?;
    plan.write(&place.staged(), &mut progress)
        .map_err(|failure| match failure.code {
            Code::Canceled => failure,
            // A file that was cut explains what is wrong with its contents.
            _ => dataset.check_files().err().unwrap_or(failure),
        })
        .map_err(|failure| place.named(failure))?;
    progress.finish()?;
    dataset.check_files()?;
    place.publish()
}
