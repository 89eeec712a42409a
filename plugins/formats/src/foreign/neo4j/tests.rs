use super::*;

const FILES: &[(&str, &str)] = &[
    ("movies-header.csv", "movieId:ID(Movie),title,year:int,:LABEL\n"),
    ("movies-part1.csv", "tt1,\"A, b\",1999,Movie\n"),
    ("movies-part2.csv", "tt2,C,2003,Movie;Sequel\n"),
    ("actors.csv", "personId:ID(Person),name,alive:boolean\nkeanu,\"Keanu\",true\n"),
    ("roles.csv", ":START_ID(Person);w:float;:END_ID(Movie);:TYPE\nkeanu;1.5;tt1;ACTED_IN\nkeanu;2;tt2;ACTED_IN\n"),
    ("knows.csv", ":START_ID(Person)\t:END_ID(Person)\t:TYPE\nkeanu\tkeanu\tA\nkeanu\tkeanu\tB\n"),
    ("other.csv", "a,b\n"),
    ("readme.txt", ":ID"),
];

fn described(files: &[(&str, String)], choices: &[&str]) -> Result<Recipe, Failure> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let choices: Vec<_> = choices.iter().map(|text| (*text).to_owned()).collect();
    crate::foreign::recipe_of("neo4j", folder.path(), &choices)
}

fn files() -> Vec<(&'static str, String)> {
    FILES
        .iter()
        .map(|(name, text)| (*name, (*text).to_owned()))
        .collect()
}

#[test]
fn a_folder_becomes_a_recipe() {
    let recipe = described(&files(), &[]).unwrap();
    let movies = recipe.nodes["Movie"].table.as_ref().unwrap();
    assert_eq!(movies.files, ["movies-part1.csv", "movies-part2.csv"]);
    assert_eq!(
        (movies.header, movies.key.as_deref()),
        (Header::No, Some("#0"))
    );
    let columns = movies.columns.as_ref().unwrap();
    assert_eq!((&columns[0].field[..], columns[0].role), ("#2", Role::Time));
    let alive = &recipe.nodes["Person"]
        .table
        .as_ref()
        .unwrap()
        .columns
        .as_ref()
        .unwrap()[0];
    assert_eq!(
        (&alive.field[..], alive.name.as_deref()),
        ("alive:boolean", Some("alive"))
    );
    let names: Vec<_> = recipe.edges.keys().collect();
    assert_eq!(names, ["Person__knows__Person", "Person__ACTED_IN__Movie"]);
    let roles = recipe.edges["Person__ACTED_IN__Movie"]
        .text
        .as_ref()
        .unwrap();
    assert_eq!(roles.delimiter.as_deref(), Some(";"));
    assert_eq!(roles.source.as_deref(), Some(":START_ID(Person)"));
    assert_eq!(roles.columns[0].name.as_deref(), Some("w"));
    let knows = recipe.edges["Person__knows__Person"].text.as_ref().unwrap();
    assert_eq!(knows.delimiter.as_deref(), Some("tab"));
    let notes = recipe.notes.join("\n");
    for expected in [
        "other.csv",
        "several types, which are left out: A, B",
        "the labels in",
    ] {
        assert!(notes.contains(expected), "{notes}");
    }
}

#[test]
fn ids_without_a_space_are_one_type() {
    let given = [
        ("a.csv", ":ID,x:long\n1,2\n"),
        ("b.csv", ":ID,y:long\n2,2\n"),
        ("e.csv", ":START_ID,:END_ID\n1,2\n"),
    ];
    let given: Vec<_> = given.map(|(name, text)| (name, text.to_owned())).to_vec();
    let recipe = described(&given, &[]).unwrap();
    assert!(recipe.nodes["node"].text.is_none() && recipe.notes.len() == 2);
    assert!(recipe.edges.contains_key("node__e__node"));
    let recipe = described(&[given[0].clone(), given[2].clone()], &["fill=-1"]).unwrap();
    let columns = recipe.nodes["node"]
        .table
        .as_ref()
        .unwrap()
        .columns
        .as_ref()
        .unwrap();
    assert_eq!(columns[0].fill, Some(-1.0));
}

#[test]
fn bad_folders_are_errors() {
    for (name, text) in [("movies-part1.csv", ":ID\n"), ("roles.csv", "")] {
        let mut changed = files();
        changed.retain(|(known, _)| *known != "knows.csv" && *known != "movies-part2.csv");
        changed.retain(|(known, _)| *known != name);
        changed.push((name, text.to_owned()));
        assert!(described(&changed, &[]).is_err(), "{name}");
    }
    assert!(described(&files(), &["delimiter=ab"]).is_err());
    assert!(described(&files(), &["fill=x"]).is_err());
    assert!(described(&[], &[]).is_err());
    let mut state = 1_u64;
    for _ in 0..300 {
        let mut changed = files();
        for (_, text) in &mut changed {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mut bytes = std::mem::take(text).into_bytes();
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = (state >> 50) as u8 & 0x7f;
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        let _ = described(&changed, &[]);
    }
}
