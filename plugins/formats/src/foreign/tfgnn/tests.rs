use super::*;

const SCHEMA: &str = r#"
node_sets { key: "a" value {
  features { key: "x" value { dtype: DT_FLOAT shape { dim { size: 4 } } } }
  features { key: "label" value { dtype: DT_INT64 } }
  features { key: "name" value { dtype: DT_STRING } }
  features { key: "open" value { dtype: DT_FLOAT shape { dim { size: -1 } } } }
  metadata { filename: "a.tfrecords@2" cardinality: 5 }
} }
node_sets { key: "_b" value {} }
edge_sets { key: "ab" value {
  source: "a" target: "_b" features { key: "weight" value { dtype: DT_FLOAT } }
  metadata { filename: "ab.csv" }
} }
edge_sets { key: "ba" value {
  source: "_b" target: "a"
  metadata { filename: "ab.csv" extra { key: "edge_type" value: "reversed" } }
} }
"#;

fn described(schema: &str, choices: &[&str]) -> Result<Recipe, Failure> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("graph_schema.pbtxt"), schema).unwrap();
    std::fs::write(folder.path().join("ab.csv"), "source,target,weight\n").unwrap();
    let choices: Vec<_> = choices.iter().map(|text| (*text).to_owned()).collect();
    crate::foreign::recipe_of("tfgnn", folder.path(), &choices)
}

#[test]
fn a_schema_becomes_a_recipe() {
    let recipe = described(SCHEMA, &[]).unwrap();
    let a = recipe.nodes["a"].table.as_ref().unwrap();
    assert_eq!(
        (&a.files[0][..], a.format),
        ("a.tfrecords@2", TableFormat::Tfrecord)
    );
    let columns = a.columns.as_ref().unwrap();
    let roles: Vec<_> = columns
        .iter()
        .map(|column| (&column.field[..], column.role))
        .collect();
    assert_eq!(roles, [("x", Role::Feature), ("label", Role::Label)]);
    assert!(recipe.nodes["b"].table.is_none());
    let ends = |text: &TextEnds| format!("{:?} {:?}", text.source, text.target);
    let ab = recipe.edges["a__ab__b"].text.as_ref().unwrap();
    assert_eq!(ends(ab), r#"Some("source") Some("target")"#);
    assert_eq!(ab.columns[0].role, Role::Weight);
    let ba = recipe.edges["b__ba__a"].text.as_ref().unwrap();
    assert_eq!(ends(ba), r#"Some("target") Some("source")"#);
    assert_eq!(recipe.notes.len(), 3, "{:?}", recipe.notes);
}

#[test]
fn the_last_part_of_a_name_tells_the_format() {
    let of = |name: &str| described(&SCHEMA.replace("a.tfrecords@2", name), &[]);
    for name in ["csv_data/a.tfrecords@2", "csv/a.csv.tfrecord"] {
        let recipe = of(name).unwrap();
        let table = recipe.nodes["a"].table.as_ref().unwrap();
        assert_eq!(
            (table.format, &table.files[0][..]),
            (TableFormat::Tfrecord, name)
        );
    }
    let recipe = of("tfrecords/a.csv@2").unwrap();
    let table = recipe.nodes["a"].table.as_ref().unwrap();
    let files = [
        "tfrecords/a.csv-00000-of-00002",
        "tfrecords/a.csv-00001-of-00002",
    ];
    assert_eq!(
        (table.format, &table.files[..]),
        (TableFormat::Csv, &files.map(str::to_owned)[..])
    );
    for name in [
        "csv/a",
        "a.csv@0",
        "a.csv@",
        "a.csv@100001",
        "a.csv@99999999999999999999",
    ] {
        assert!(of(name).is_err(), "{name}");
    }
}

#[test]
fn choices_name_features() {
    let recipe = described(SCHEMA, &["label=x"]).unwrap();
    let a = recipe.nodes["a"].table.as_ref().unwrap();
    assert_eq!(a.columns.as_ref().unwrap()[0].role, Role::Label);
    assert!(described(SCHEMA, &["label=z"]).is_err());
}

#[test]
fn bad_schemas_are_errors() {
    for (from, to) in [
        ("a.tfrecords@2", "../a.tfrecords@2"),
        ("a.tfrecords@2", "/etc/a.tfrecords"),
        ("a.tfrecords@2", "a.sstable"),
        ("source: \"a\"", "source: \"z\""),
        ("source: \"a\"", ""),
        ("edge_sets", "other_sets"),
        ("node_sets", "node_sets {"),
    ] {
        assert!(
            described(&SCHEMA.replace(from, to), &[]).is_err(),
            "{from} -> {to}"
        );
    }
    for cut in 0..SCHEMA.len() {
        let _ = described(&SCHEMA[..cut], &[]);
    }
}
