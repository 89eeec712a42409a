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
        let request = Request {
            format,
            path: &path,
            choices: &[],
            overwrite: false,
        };
        for most in [0, 1] {
            let mut reports = 0;
            let failure = export(&typed(), &request, &mut |_, _| {
                reports += 1;
                reports <= most
            });
            assert_eq!(failure.unwrap_err().code, Code::Canceled, "{format}");
            assert_eq!(reports, most + 1, "{format}");
            assert!(files(folder.path()).is_empty(), "{format}");
        }
    }
}

#[test]
fn damaged_files_are_never_published() {
    let folder = tempfile::tempdir().unwrap();
    let mut mock = typed();
    mock.is_cut = true;
    for format in super::super::FORMATS.iter().map(|(name, _)| *name) {
        let path = folder.path().join(format);
        let failure = write(&mock, format, &path, &[]).unwrap_err();
        assert_eq!(
            (failure.code, &*failure.message),
            (Code::Corrupt, "a file was cut")
        );
        assert!(files(folder.path()).is_empty(), "{format}");
    }
}

fn export_to(path: &Path, format: &str, overwrite: bool) -> Result<(), Failure> {
    let request = Request {
        format,
        path,
        choices: &[],
        overwrite,
    };
    export(&typed(), &request, &mut |_, _| true)
}

fn refused(path: &Path, format: &str, overwrite: bool, why: &str) {
    let failure = export_to(path, format, overwrite).unwrap_err();
    assert_eq!(failure.code, Code::AlreadyExists, "{}", failure.message);
    assert!(failure.message.contains(why), "{}", failure.message);
}

#[test]
fn only_exports_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "mine").unwrap();
    refused(&path, "parquet", false, "");
    refused(&path, "parquet", true, "is no folder");
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused(&path, "parquet", false, "");
    export_to(&path, "parquet", true).unwrap();
    let written = [".gls-export", "edges", "nodes", "recipe.yaml", "sets"];
    assert_eq!(files(&path), written);
    fs::write(path.join("nodes/more"), "").unwrap();
    refused(&path, "parquet", false, "");
    export_to(&path, "parquet", true).unwrap();
    assert_eq!(files(&path), written);
    assert!(!path.join("nodes/more").exists());
    for mine in ["more", ".hidden"] {
        fs::write(path.join(mine), "mine").unwrap();
        refused(&path, "parquet", true, mine);
        assert_eq!(fs::read(path.join(mine)).unwrap(), b"mine");
        fs::remove_file(path.join(mine)).unwrap();
    }
    fs::write(path.join(".gls-export"), "mine").unwrap();
    refused(&path, "parquet", true, "no file .gls-export");
    fs::remove_file(path.join(".gls-export")).unwrap();
    refused(&path, "parquet", true, "no file .gls-export");
    assert_eq!(files(&path), written[1..]);
    assert_eq!(files(folder.path()), ["out"]);
}

/// Users have files of these names.
#[test]
fn names_alone_make_no_export() {
    let folder = tempfile::tempdir().unwrap();
    for (format, name) in [
        ("parquet", "recipe.yaml"),
        ("graphbolt", "metadata.yaml"),
        ("dgl", "graph.json"),
    ] {
        let path = folder.path().join(format);
        fs::create_dir(&path).unwrap();
        fs::write(path.join(name), "mine").unwrap();
        refused(&path, format, true, "no file .gls-export");
        assert_eq!(fs::read(path.join(name)).unwrap(), b"mine");
        fs::remove_file(path.join(name)).unwrap();
        export_to(&path, format, true).unwrap();
        export_to(&path, format, true).unwrap();
    }
    refused(
        &folder.path().join("dgl"),
        "parquet",
        true,
        "no export to parquet writes",
    );
}

#[test]
fn datasets_are_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    export_to(&path, "parquet", false).unwrap();
    export_to(&folder.path().join("x.pt"), "pyg", false).unwrap();
    let manifest = folder.path().join("manifest.json");
    fs::write(&manifest, "{}").unwrap();
    for (name, format) in [
        ("out", "parquet"),
        ("x.pt", "pyg"),
        ("manifest.json", "pyg"),
    ] {
        refused(
            &folder.path().join(name),
            format,
            true,
            "within the dataset",
        );
    }
    fs::remove_file(&manifest).unwrap();
    let inner = path.join("nodes/data/manifest.json");
    fs::create_dir(inner.parent().unwrap()).unwrap();
    fs::write(&inner, "{}").unwrap();
    refused(&path, "parquet", true, "has the dataset");
    assert!(inner.exists());
    fs::write(path.join("manifest.json"), "{}").unwrap();
    refused(&path, "parquet", true, "manifest.json");
}

#[test]
fn only_files_are_replaced_by_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pt");
    fs::create_dir(&path).unwrap();
    refused(&path, "pyg", true, "is no file");
    fs::remove_dir(&path).unwrap();
    let mine = folder.path().join("mine");
    fs::write(&mine, "mine").unwrap();
    std::os::unix::fs::symlink(&mine, &path).unwrap();
    refused(&path, "pyg", true, "is no file");
    assert_eq!(fs::read(&mine).unwrap(), b"mine");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "former").unwrap();
    export_to(&path, "pyg", true).unwrap();
    assert_ne!(fs::read(&path).unwrap(), b"former");
}

#[test]
fn paths_must_name_something_new() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/out");
    let failure = write(&typed(), "parquet", &missing, &[]).unwrap_err();
    assert_eq!(failure.code, Code::NotFound);
    let failure = write(&typed(), "parquet", Path::new("/"), &[]).unwrap_err();
    assert_eq!(failure.code, Code::Invalid);
    let slash = folder.path().join("out/");
    let failure = write(&typed(), "pyg", &slash, &[]).unwrap_err();
    assert_eq!(failure.code, Code::Invalid);
    assert!(files(folder.path()).is_empty());
    write(&typed(), "parquet", &slash, &[]).unwrap();
    refused(&slash, "parquet", false, "out exists already");
    export_to(&slash, "parquet", true).unwrap();
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    let real = folder.path().join("real");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, folder.path().join("out")).unwrap();
    refused(&slash, "parquet", true, "is no folder");
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
        (
            Which::CscIndptr,
            &[0, 2, 2, 2, 4],
            "does not fit the nodes of paper",
        ),
        (Which::CscIndices, &[0, 2, 3, 1], "author has no node 3"),
        (Which::CscIndices, &[0, -2, 1, 1], "author has no node -2"),
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
