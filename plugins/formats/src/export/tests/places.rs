//! Formats, choices, and where files appear.

use std::fs;

use super::*;
use crate::failure::Code;

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn unknown_formats_and_choices_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    for (format, choices, expected) in [
        ("parqet", &[][..], "did you mean \"parquet\"?"),
        (
            "parquet",
            &["compress=zstd"],
            "did you mean \"compression\"?",
        ),
        (
            "parquet",
            &["compression=gzip"],
            "expected zstd, snappy or none",
        ),
        ("parquet", &["leave_out=feta"], "did you mean \"feat\"?"),
    ] {
        let failure = write(&typed(), format, &path, choices).unwrap_err();
        assert_eq!(failure.code, Code::Invalid);
        assert!(failure.message.contains(expected), "{}", failure.message);
    }
    assert!(files(folder.path()).is_empty());
}

#[test]
fn columns_and_sets_are_left_out() {
    let mock = typed();
    let dataset = &mock as &dyn Dataset;
    let left = |given: &str| super::super::Graph::new(dataset, Some(given.into())).unwrap();
    let graph = left("feat,paper.flag,author__writes__paper.time,train");
    let names: Vec<String> = graph
        .columns()
        .map(|(_, column)| column.name.clone())
        .collect();
    assert_eq!(names, ["label", "half", "weight"]);
    assert_eq!(graph.nodes[0].sets, ["valid", "test"]);
}

#[test]
fn a_canceled_export_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for format in super::super::FORMATS.iter().map(|(name, _)| *name) {
        let path = folder.path().join(format);
        let mut reports = 0;
        let request = Request {
            format,
            path: &path,
            choices: &[],
            overwrite: false,
        };
        for most in [0, 1] {
            let failure = export(&typed(), &request, &mut |_, _| {
                reports += 1;
                reports <= most
            });
            assert_eq!(failure.unwrap_err().code, Code::Canceled, "{format}");
            assert!(files(folder.path()).is_empty(), "{format}");
        }
    }
}

#[test]
fn only_exports_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mock = typed();
    let over = |overwrite| {
        let request = Request {
            format: "parquet",
            path: &path,
            choices: &[],
            overwrite,
        };
        export(&mock, &request, &mut |_, _| true)
    };
    let refused = |overwrite| {
        let failure = over(overwrite).unwrap_err();
        assert_eq!(failure.code, Code::AlreadyExists);
    };
    fs::write(&path, "mine").unwrap();
    refused(false);
    refused(true);
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused(false);
    over(true).unwrap();
    assert_eq!(files(&path), ["edges", "nodes", "recipe.yaml", "sets"]);
    fs::write(path.join("more"), "").unwrap();
    refused(false);
    over(true).unwrap();
    assert_eq!(files(&path), ["edges", "nodes", "recipe.yaml", "sets"]);
    fs::remove_file(path.join("recipe.yaml")).unwrap();
    refused(true);
    assert_eq!(files(folder.path()), ["out"]);
}

#[test]
fn paths_must_name_something_new() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/out");
    let failure = write(&typed(), "parquet", &missing, &[]).unwrap_err();
    assert_eq!(failure.code, Code::NotFound);
    let failure = write(&typed(), "parquet", Path::new("/"), &[]).unwrap_err();
    assert_eq!(failure.code, Code::Invalid);
}

#[test]
fn damaged_edges_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for (which, numbers, expected) in [
        (
            Which::CscEdgeIds,
            &[0, 1, 1, 2][..],
            "two edges have one id",
        ),
        (Which::CscEdgeIds, &[0, 1, 2, 4], "out of range"),
        (Which::CscIndptr, &[0, 2, 1, 1, 1, 4], "indptr is damaged"),
        (
            Which::CscIndptr,
            &[0, 2, 2, 2, 2, 3],
            "ends before its edges",
        ),
        (Which::CscIndices, &[0, 1, 2], "do not match"),
    ] {
        let mut mock = typed();
        mock.put(which, WRITES, "", i64s(numbers));
        let path = folder.path().join("out");
        let failure = super::super::ends::ends(
            &super::super::Graph::new(&mock, None).unwrap(),
            &mock.edge_types()[0],
            &mut super::super::Progress::new(|_, _| true, 0),
        );
        let message = failure.unwrap_err().message;
        assert!(message.contains(expected), "{message}");
        assert!(message.starts_with(WRITES) && !path.exists());
    }
}
