//! N-Triples and N-Quads: IRIs and blank nodes are nodes, triples between them are edges.

use std::path::Path;

use super::choices::Choices;
use super::names::plain;
use super::paths::folder_and_name;
use super::unique::free;
use crate::failure::Failure;
use crate::recipe::*;
use crate::tables::ntriples::{predicates, Uses};

/// Each edge type reads all files, so more predicates become one type unless the caller says otherwise.
const MOST_TYPES: usize = 16;
/// More are not listed.
const MOST_NOTES: usize = 4096;

pub fn describe(path: &Path, choices: &mut Choices) -> Result<Recipe, Failure> {
    let given = match choices.take("predicates").as_deref() {
        None => None,
        Some("single") => Some(true),
        Some("each") => Some(false),
        Some(other) => {
            let what = format!("choices: predicates={other}: expected one of single, each");
            return Err(Failure::invalid(what));
        }
    };
    let (folder, file) = if path.is_dir() {
        (path.to_string_lossy().into_owned(), ".".to_owned())
    } else {
        folder_and_name(path)?
    };
    let mut recipe = Recipe {
        folder: Some(folder),
        ..Default::default()
    };
    let all = predicates(&[path.to_string_lossy().into_owned()])?;
    for (predicate, uses) in all.iter().filter(|(_, uses)| uses.literals > 0) {
        if recipe.notes.len() < MOST_NOTES {
            recipe.notes.push(format!(
                "{} values of <{predicate}> are literals and are left out.",
                uses.literals
            ));
        }
    }
    let edges: Vec<(&String, &Uses)> = all.iter().filter(|(_, uses)| uses.edges > 0).collect();
    if edges.is_empty() {
        let what = "no triple has an IRI or a blank node as its object";
        return Err(Failure::unsupported(path, what));
    }
    let node = NodeType {
        ids: Some(Ids::String),
        ..Default::default()
    };
    recipe.nodes.insert("entity".to_owned(), node);
    if given.unwrap_or(edges.len() > MOST_TYPES) {
        for (number, (predicate, _)) in edges.iter().enumerate().take(MOST_NOTES) {
            recipe
                .notes
                .push(format!("relation {number} is <{predicate}>."));
        }
        if edges.len() > MOST_NOTES {
            recipe
                .notes
                .push(format!("there are {} relations in all.", edges.len()));
        }
        let relation = TableColumn {
            field: "relation".to_owned(),
            role: Role::Other,
            ..Default::default()
        };
        let edge = edge_type(&file, None, vec![relation]);
        recipe.edges.insert("entity__to__entity".to_owned(), edge);
        return Ok(recipe);
    }
    for (predicate, _) in edges {
        let of = |name: &str| format!("entity__{name}__entity");
        // The note below tells the whole IRI.
        let name = plain(local_name(predicate), &mut Vec::new());
        let name = free(name, |name| recipe.edges.contains_key(&of(name)));
        recipe.notes.push(format!("\"{name}\" is <{predicate}>."));
        let edge = edge_type(&file, Some(predicate.clone()), Vec::new());
        recipe.edges.insert(of(&name), edge);
    }
    Ok(recipe)
}

fn edge_type(file: &str, table: Option<String>, columns: Vec<TableColumn>) -> EdgeType {
    EdgeType {
        table: Some(EdgeTable {
            files: vec![file.to_owned()],
            format: TableFormat::Ntriples,
            table,
            source: "subject".to_owned(),
            target: "object".to_owned(),
            columns: Some(columns),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// What follows the last '#', '/' or ':' of an IRI, unless nothing does.
fn local_name(iri: &str) -> &str {
    let iri = iri.trim_end_matches(['#', '/', ':']);
    iri.rfind(['#', '/', ':']).map_or(iri, |at| &iri[at + 1..])
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;

    use super::*;
    use crate::tables;

    const TEXT: &str = "<http://a/x> <http://a/knows> <http://a/y> .\n\
        # note\n\
        <http://a/x> <http://a/age> \"7\" .\n\
        _:b <http://b#knows> <http://a/x> <http://graph> .\n\
        <http://a/y> <http://a/knows> _:b .\n";

    fn described(text: &[u8], choices: &[&str]) -> Result<(Recipe, Vec<String>), Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nq");
        std::fs::write(&path, text).unwrap();
        let choices: Vec<_> = choices.iter().map(|text| (*text).to_owned()).collect();
        let recipe = crate::foreign::recipe_of("ntriples", &path, &choices)?;
        let mut rows = Vec::new();
        for edge in recipe.edges.values() {
            let table = edge.table.as_ref().unwrap();
            let reader = tables::open_format(&tables::Request {
                paths: &[path.display().to_string()],
                format: table.format,
                table: table.table.as_deref(),
                delimiter: None,
                header: Header::Yes,
                fields: &[],
                threads: 1,
            })?;
            for batch in reader {
                let batch = batch.map_err(|error| Failure::of_file(&path, error))?;
                for i in 0..batch.num_rows() {
                    let text = |column: usize| batch.column(column).as_string::<i32>().value(i);
                    let mut row = format!("{} {}", text(0), text(1));
                    if let Some(relations) = batch.columns().get(2) {
                        row += &format!(" {}", relations.as_primitive::<Int32Type>().value(i));
                    }
                    rows.push(row);
                }
            }
        }
        Ok((recipe, rows))
    }

    #[test]
    fn each_predicate_is_an_edge_type() {
        let (recipe, rows) = described(TEXT.as_bytes(), &[]).unwrap();
        let names: Vec<_> = recipe.edges.keys().collect();
        assert_eq!(names, ["entity__knows__entity", "entity__knows-2__entity"]);
        assert_eq!(
            rows,
            ["http://a/x http://a/y", "http://a/y _:b", "_:b http://a/x"]
        );
        assert!(recipe.notes[0].contains("1 values of <http://a/age>"));
    }

    #[test]
    fn one_edge_type_has_a_column_of_relations() {
        let (recipe, rows) = described(TEXT.as_bytes(), &["predicates=single"]).unwrap();
        assert_eq!(recipe.edges.len(), 1);
        assert_eq!(
            rows,
            [
                "http://a/x http://a/y 0",
                "_:b http://a/x 1",
                "http://a/y _:b 0"
            ]
        );
        let mut many = String::new();
        for i in 0..=MOST_TYPES {
            many += &format!("<s> <p{i}> <o> .\n");
        }
        let (recipe, rows) = described(many.as_bytes(), &[]).unwrap();
        assert_eq!((recipe.edges.len(), rows.len()), (1, MOST_TYPES + 1));
        assert_eq!(
            described(many.as_bytes(), &["predicates=each"])
                .unwrap()
                .0
                .edges
                .len(),
            17
        );
    }

    #[test]
    fn names_come_from_the_ends_of_iris() {
        for (iri, name) in [
            ("http://a/b#c", "c"),
            ("http://a/b/", "b"),
            ("urn:x:y", "y"),
            ("x", "x"),
        ] {
            assert_eq!(local_name(iri), name);
        }
    }

    #[test]
    fn other_compression_is_an_error_with_words() {
        let head: [(&[u8], &str); 3] = [
            (b"BZh91AY", "bzip2"),
            (b"\x28\xb5\x2f\xfd\0", "zstd"),
            (b"\xfd7zXZ\0\0", "xz"),
        ];
        let folder = tempfile::tempdir().unwrap();
        for (bytes, how) in head {
            let message = described(bytes, &[]).unwrap_err().message;
            assert!(
                message.contains(how) && message.contains("unpack it"),
                "{message}"
            );
            let path = folder.path().join("a.NT.bz2");
            std::fs::write(&path, bytes).unwrap();
            let error = crate::foreign::recipe_of("ntriples", folder.path(), &[]).unwrap_err();
            assert!(error.message.contains(how), "{}", error.message);
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        for cut in 1..TEXT.len() {
            let whole = TEXT[..cut].ends_with('\n') || TEXT[cut..].starts_with('\n');
            let done = described(&TEXT.as_bytes()[..cut], &[]);
            let line = TEXT[..cut].rsplit('\n').next().unwrap_or("");
            if !whole && !line.trim_start().starts_with('#') && !line.is_empty() {
                assert!(done.is_err(), "{cut}");
            }
        }
        assert!(described(b"<a> <b> \xff .", &[]).is_err());
        assert!(described(b"", &[]).is_err());
        assert!(described(TEXT.as_bytes(), &["predicates=all"]).is_err());
        let message = described(b"<a> <b> <c> .\n<a>", &[]).unwrap_err().message;
        assert!(message.contains("line 2"), "{message}");
    }
}
