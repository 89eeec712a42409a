//! A sparse matrix of MatrixMarket: a row's numbers are its edges.

use std::path::Path;

use super::choices::Choices;
use crate::failure::Failure;
use crate::recipe::*;
use crate::tables::matrix_market::{head, Numbers, Symmetry};

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let bipartite = choices.flag("bipartite")?;
    let weights = choices.flag("weights")?;
    let head = head(path)?;
    let (folder, file) = super::paths::folder_and_name(path)?;
    let mut recipe = Recipe {
        folder: Some(folder),
        ..Default::default()
    };
    let node = |count| NodeType {
        count: Some(count),
        ..Default::default()
    };
    let two = head.rows != head.columns || bipartite;
    let edge_type = if two {
        recipe.nodes.insert("row".to_owned(), node(head.rows));
        recipe.nodes.insert("column".to_owned(), node(head.columns));
        "row__to__column"
    } else {
        recipe.nodes.insert("node".to_owned(), node(head.rows));
        "node__to__node"
    };
    let value = match head.numbers {
        Numbers::Pattern => None,
        _ => Some(TableColumn {
            field: "value".to_owned(),
            role: if weights { Role::Weight } else { Role::Feature },
            ..Default::default()
        }),
    };
    if weights && value.is_none() {
        let what = "choices: weights=true: the matrix has no numbers";
        return Err(Failure::invalid(what));
    }
    let edge = EdgeType {
        table: Some(EdgeTable {
            files: vec![file],
            format: TableFormat::MatrixMarket,
            source: "row".to_owned(),
            target: "column".to_owned(),
            columns: Some(value.into_iter().collect()),
            ..Default::default()
        }),
        ..Default::default()
    };
    recipe.edges.insert(edge_type.to_owned(), edge);
    match head.symmetry {
        Symmetry::General => {}
        Symmetry::Symmetric => recipe.notes.push(
            "the matrix is symmetric: each edge is in both directions, a loop once.".to_owned(),
        ),
        Symmetry::Skew => recipe.notes.push(
            "the matrix is skew-symmetric: each edge is in both directions, with opposite numbers."
                .to_owned(),
        ),
    }
    Ok(recipe)
}
