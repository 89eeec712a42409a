use std::path::Path;

use super::taken::take;
use super::*;
use crate::failure::Code;
use crate::recipe;

fn restored(folder: &Path) -> (recipe::Recipe, Taken) {
    let text = std::fs::read_to_string(folder.join("recipe.yaml")).unwrap();
    let recipe = recipe::read(&text).unwrap();
    let taken = take(&recipe, folder);
    (recipe, taken)
}

#[test]
fn the_recipe_restores_all() {
    let folder = tempfile::tempdir().unwrap();
    let mock = typed();
    for compression in ["zstd", "snappy", "none"] {
        let path = folder.path().join(compression);
        let choice = format!("compression={compression}");
        write(&mock, "parquet", &path, &[&choice]).unwrap();
        let (_, found) = restored(&path);
        check_graph(&mock, &found, &[]);
        assert_eq!(found.keys["author"], [30, 10, 20]);
        assert!(!found.keys.contains_key("paper"));
        assert_eq!(found.sets["paper.train"], [4, 0]);
        assert_eq!(found.sets["paper.valid"], [1]);
        for (name, role) in [
            ("paper.feat", Role::Feature),
            ("paper.label", Role::Label),
            ("paper.flag", Role::Other),
            ("author__writes__paper.weight", Role::Weight),
            ("author__writes__paper.time", Role::Time),
        ] {
            assert_eq!(found.columns[name].1, role, "{name}");
        }
    }
}

#[test]
fn codes_stay_codes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut mock = typed();
    add_codes(&mut mock);
    write(&mock, "parquet", &path, &[]).unwrap();
    let (_, found) = restored(&path);
    let (codes, _, how) = &found.columns["paper.small"];
    let expected = mock.array(Which::NodeColumn, "paper", "small").unwrap();
    assert_eq!(codes, &arrow(expected));
    let how = how.as_ref().unwrap();
    assert_eq!((how.bits, how.width), (2, 5));
    assert_eq!(how.codebook.as_deref(), Some(&[-1.0, 0.5, 2.0, 8.25][..]));
    // Other readers find the numbers.
    let numbers = crate::arrays::parquet::read(&path.join("nodes/paper.parquet"), "small");
    let info = &mock.node_types()[0].columns[4];
    let expected = mock.numbers(Which::NodeColumn, "paper", info);
    assert_eq!(numbers.unwrap().bytes(), expected.bytes());
}

#[test]
fn names_of_files_are_safe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut mock = Mock::default();
    mock.add_nodes("../a*", 2, None);
    mock.add_nodes("é".repeat(120).as_str(), 2, None);
    let edge = format!("../a*__to[]__{}", "é".repeat(120));
    mock.add_edges(&edge, &[(0, 1), (1, 1)], true);
    mock.column("../a*", "x/y", Role::Feature, i64s(&[1, 2]));
    mock.set("../a*", "../..", &[1]);
    write(&mock, "parquet", &path, &[]).unwrap();
    let (_, found) = restored(&path);
    check_graph(&mock, &found, &[]);
    assert_eq!(found.sets["../a*.../.."], [1]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_parquet_cannot_have_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    for (name, column, expected) in [
        (
            "x",
            array(DType::BF16, &[5], vec![0; 10]),
            "paper.x: Parquet has no bfloat16",
        ),
        ("#2", i64s(&[0; 5]), "paper.#2: "),
        ("none", array(DType::I64, &[5, 0], vec![]), "paper.none: "),
    ] {
        let mut mock = typed();
        mock.column("paper", name, Role::Feature, column);
        let failure = write(&mock, "parquet", &path, &[]).unwrap_err();
        assert_eq!(failure.code, Code::Unsupported);
        assert!(failure.message.starts_with(expected), "{}", failure.message);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn errors_of_rows_keep_their_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut mock = Mock::default();
    mock.add_nodes("paper", 5, None);
    mock.add_edges(CITES, &[(0, 1)], true);
    for (words, is_cut, code) in [
        ("an id is out of range", false, Code::Corrupt),
        ("out of memory", false, Code::OutOfMemory),
        ("out of memory", true, Code::Corrupt),
    ] {
        mock.row_error = Some(words);
        mock.is_cut = is_cut;
        let failure = write(&mock, "parquet", &path, &[]).unwrap_err();
        assert_eq!(failure.code, code, "{}", failure.message);
        assert!(failure.message.contains(words) || is_cut);
    }
}
