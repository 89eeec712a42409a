use super::taken::take;
use super::*;
use crate::failure::Code;
use crate::foreign::recipe_of;

fn read(path: &Path) -> Taken {
    take(&recipe_of("graphbolt", path, &[]).unwrap(), Path::new(""))
}

#[test]
fn types_edges_features_and_sets_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut mock = typed();
    add_codes(&mut mock);
    write(&mock, "graphbolt", &path, &["in_memory=false"]).unwrap();
    let found = read(&path);
    check_graph(&mock, &found, &[]);
    assert_eq!(found.sets["paper.train"], [4, 0]);
    assert_eq!(found.sets["paper.test"], [2, 3]);
    // Labels of the seeds, which are all but none of the nodes.
    let labels = &found.columns["paper.labels"];
    assert_eq!(
        (&labels.0, labels.1),
        (&arrow(i64s(&[3, -1, 0, 2, 1])), Role::Label)
    );
    let text = std::fs::read_to_string(path.join("metadata.yaml")).unwrap();
    assert!(text.contains("\"in_memory\": false") && text.contains("\"author:writes:paper\""));
}

#[test]
fn types_without_names_stay_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut mock = Mock::default();
    mock.add_nodes("node", 3, None);
    mock.add_edges("node__to__node", &[(2, 1), (0, 1), (1, 0)], true);
    mock.column("node", "x", Role::Feature, f32s(&[3, 1], &[1.0, 2.0, 3.0]));
    write(&mock, "graphbolt", &path, &[]).unwrap();
    let text = std::fs::read_to_string(path.join("metadata.yaml")).unwrap();
    assert!(!text.contains("\"type\"") && text.contains("\"tasks\": []"));
    check_graph(&mock, &read(&path), &[]);
}

#[test]
fn what_graphbolt_cannot_have_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let refused = |mock: &Mock, expected: &str| {
        let failure = write(mock, "graphbolt", &path, &[]).unwrap_err();
        assert_eq!(failure.code, Code::Unsupported);
        assert!(failure.message.starts_with(expected), "{}", failure.message);
    };
    let mut mock = typed();
    mock.column(
        "paper",
        "x",
        Role::Other,
        array(DType::U32, &[5], vec![0; 20]),
    );
    refused(&mock, "paper.x: GraphBolt has no uint32; leave it out");
    write(&mock, "graphbolt", &path, &["leave_out=paper.x"]).unwrap();
    std::fs::remove_dir_all(&path).unwrap();
    let mut mock = typed();
    mock.set("paper", "more", &[1]);
    refused(&mock, "paper.more: a task has only");
    let mut mock = Mock::default();
    mock.add_nodes("a:b", 1, None);
    mock.add_edges("a:b__to__a:b", &[(0, 0)], true);
    refused(&mock, "a:b__to__a:b: ");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
