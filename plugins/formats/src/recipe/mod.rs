//! Recipes: which files make a dataset.

mod model;
mod read;
mod run;
mod scatter;
mod schema;
mod write;

pub use model::*;
pub use read::{did_you_mean, read};
pub use run::run;
pub use schema::schema;
pub use write::write;
