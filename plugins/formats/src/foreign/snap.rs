//! An edge list of SNAP: comments with '#', then lines with two ids and perhaps more fields.

use std::path::Path;

use super::choices::Choices;
use super::paths::{folder_and_name, head};
use crate::failure::Failure;
use crate::recipe::*;

/// More fields of a line are a mistake.
const MOST_FIELDS: usize = 1024;
/// Characters of a line in an error.
const MOST_SHOWN: usize = 80;

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let undirected = choices.flag("undirected")?;
    let columns = choices.take("columns");
    let (folder, file) = folder_and_name(path)?;
    let text = head(path)?;
    let mut recipe = Recipe {
        folder: Some(folder),
        ..Default::default()
    };
    let comments = text.lines().take_while(|line| line.starts_with('#'));
    let says = |word: &str| {
        comments
            .clone()
            .any(|line| line.to_lowercase().contains(word))
    };
    if says("undirected") && !undirected {
        let note =
            "the comments call the graph undirected; undirected=true adds the other directions.";
        recipe.notes.push(note.to_owned());
    }
    let (names, rows) = rows_of(path, &text)?;
    let first = rows.first().map_or(2, Vec::len);
    let delimiter = if text.lines().any(|line| is_data(line) && line.contains(',')) {
        Some(",".to_owned())
    } else if text
        .lines()
        .filter(|line| is_data(line))
        .all(|line| line.contains('\t'))
    {
        Some("tab".to_owned())
    } else {
        None
    };
    let of_header = names.as_ref().map_or(&[][..], |names| &names[2..]);
    let named: Vec<&str> = columns
        .as_deref()
        .map_or(of_header.to_vec(), |names| names.split(',').collect());
    if named.len() > first - 2 {
        return Err(Failure::invalid(format!(
            "choices: columns: {} names, and lines have {} fields after their ids",
            named.len(),
            first - 2
        )));
    }
    if named.len() < first - 2 {
        recipe.notes.push(format!(
            "lines have {} fields after their ids, and {} are kept; columns=NAME,... names them.",
            first - 2,
            named.len()
        ));
    }
    let mut kept = Vec::new();
    for (i, name) in named.iter().enumerate() {
        let whole = rows.iter().all(|row| row[i + 2].parse::<i64>().is_ok());
        if !rows.iter().all(|row| row[i + 2].parse::<f64>().is_ok()) {
            let note = format!("the field \"{name}\" is no number and is left out.");
            recipe.notes.push(note);
            continue;
        }
        kept.push(TextColumn {
            field: format!("#{}", i + 2),
            name: Some((*name).to_owned()),
            dtype: if whole { "int64" } else { "float64" }.to_owned(),
            role: match *name {
                "weight" => Role::Weight,
                "time" => Role::Time,
                _ if whole => Role::Other,
                _ => Role::Feature,
            },
        });
    }
    let node = NodeType {
        ids: Some(Ids::Integer),
        ..Default::default()
    };
    recipe.nodes.insert("node".to_owned(), node);
    let edge = EdgeType {
        text: Some(TextEnds {
            file,
            source: Some("#0".to_owned()),
            target: Some("#1".to_owned()),
            delimiter,
            comment: Some("#".to_owned()),
            header: if names.is_some() {
                Header::Yes
            } else {
                Header::No
            },
            columns: kept,
            ..Default::default()
        }),
        undirected,
        ..Default::default()
    };
    recipe.edges.insert("node__to__node".to_owned(), edge);
    Ok(recipe)
}

fn is_data(line: &str) -> bool {
    !line.starts_with('#') && !line.trim().is_empty()
}

type Rows<'a> = (Option<Vec<&'a str>>, Vec<Vec<&'a str>>);

/// The names of the fields, where the first line has them, and the fields of the lines after it. All of
/// them begin with two ids. The last line may be cut and counts only where it is alone.
fn rows_of<'a>(path: &Path, text: &'a str) -> Result<Rows<'a>, Failure> {
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for line in text.lines().filter(|line| is_data(line)) {
        let fields: Vec<&str> = if line.contains(',') {
            line.split(',').map(str::trim).take(MOST_FIELDS).collect()
        } else {
            line.split_whitespace().take(MOST_FIELDS).collect()
        };
        rows.push(fields);
    }
    if rows.len() > 1 && !text.ends_with('\n') {
        rows.pop();
    }
    let width = rows.first().map_or(2, Vec::len);
    let is_id = |field: &&str| field.parse::<i64>().is_ok();
    let named = rows.len() > 1 && width >= 2 && !rows[0][..2].iter().any(is_id);
    let names = named.then(|| rows.remove(0));
    for row in &rows {
        if row.len() < 2 || !row[..2].iter().all(is_id) || row.len() != width {
            let line: String = row.join(" ").chars().take(MOST_SHOWN).collect();
            let what =
                format!("{line:?} is no edge: two integers and the same fields in each line");
            return Err(Failure::of_file(path, what));
        }
    }
    Ok((names, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &[u8], choices: &[&str]) -> Result<Recipe, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, text).unwrap();
        let choices: Vec<_> = choices.iter().map(|text| (*text).to_owned()).collect();
        crate::foreign::recipe_of("snap", &path, &choices)
    }

    #[test]
    fn an_edge_list_becomes_a_recipe() {
        let text = b"# Undirected graph: x\n# FromNodeId\tToNodeId\n0\t1\n7\t3\n";
        let recipe = described(text, &[]).unwrap();
        let edge = &recipe.edges["node__to__node"];
        assert!(!edge.undirected && recipe.notes.len() == 1);
        let list = edge.text.as_ref().unwrap();
        assert_eq!(list.delimiter.as_deref(), Some("tab"));
        assert_eq!(recipe.nodes["node"].ids, Some(Ids::Integer));
        assert!(described(text, &["undirected=true"]).unwrap().edges["node__to__node"].undirected);
        assert!(described(text, &["undirected=maybe"]).is_err());
        assert!(described(text, &["columns=a"]).is_err());
    }

    #[test]
    fn more_fields_are_columns() {
        let text = b"6,2,4,1289241911.72836\n6,5,2,1289241941\n";
        let recipe = described(text, &["columns=rating,time"]).unwrap();
        let list = recipe.edges["node__to__node"].text.as_ref().unwrap();
        assert_eq!(list.delimiter.as_deref(), Some(","));
        let dtypes: Vec<_> = list
            .columns
            .iter()
            .map(|column| &column.dtype[..])
            .collect();
        assert_eq!(dtypes, ["int64", "float64"]);
        assert_eq!(list.columns[1].role, Role::Time);
        assert_eq!(described(text, &[]).unwrap().notes.len(), 1);
    }

    #[test]
    fn a_header_names_columns() {
        let text = b"from,to,rating,name\n1,2,0.5,x\n3,4,1,y\n";
        let recipe = described(text, &[]).unwrap();
        let list = recipe.edges["node__to__node"].text.as_ref().unwrap();
        assert_eq!((list.header, list.columns.len()), (Header::Yes, 1));
        assert_eq!(list.columns[0].name.as_deref(), Some("rating"));
        assert!(recipe.notes[0].contains("\"name\""));
    }

    #[test]
    fn other_text_is_an_error() {
        for text in ["a b\n", "a 1\n1 2\n", "1\n", "1 2\n1 2 3\n", "\u{0} 1\n"] {
            assert!(described(text.as_bytes(), &[]).is_err(), "{text:?}");
        }
        let text = b"# x\n0\t1\t5\n7\t3\t2.5\n";
        for cut in 0..text.len() {
            let _ = described(&text[..cut], &["columns=w"]);
        }
    }
}
