use super::*;

const METADATA: &str = "
condensedEdgeTypeToPreprocessedMetadata:
  '1':
    srcNodeIdKey: src
    dstNodeIdKey: dst
    mainEdgeInfo: {featureKeys: [f0, f1], featureDim: 2, tfrecordUriPrefix: e1/}
  '0':
    srcNodeIdKey: src
    dstNodeIdKey: dst
    mainEdgeInfo: {tfrecordUriPrefix: e0/main}
    positiveEdgeInfo: {tfrecordUriPrefix: e0/positive}
condensedNodeTypeToPreprocessedMetadata:
  '0': {featureKeys: [a, b], labelKeys: [y], nodeIdKey: id, tfrecordUriPrefix: n0/}
  '1': {featureKeys: [a], nodeIdKey: id, tfrecordUriPrefix: n1/}
";
const CONFIG: &str = "
sharedConfig: {preprocessedMetadataUri: metadata.yaml}
graphMetadata:
  condensedNodeTypeMap: {'0': user, '1': story}
  condensedEdgeTypeMap:
    '0': {srcNodeType: user, relation: likes, dstNodeType: story}
    '1': {srcNodeType: story, relation: of, dstNodeType: user}
";

fn described(metadata: &str, config: &str, choices: &[&str]) -> Result<Recipe, Failure> {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "n0/a-of-1.tfrecord",
        "n1/a-of-1.tfrecord.gz",
        "e0/main-of-1.tfrecord",
        "e0/positive-of-1.tfrecord",
        "e1/x.tfrecord",
    ] {
        let file = folder.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
    }
    let at = folder.path().join("config.yaml");
    std::fs::write(&at, config).unwrap();
    let here = folder.path().display().to_string();
    let metadata = metadata.replace("HERE", &here);
    std::fs::write(folder.path().join("metadata.yaml"), metadata).unwrap();
    let choices: Vec<_> = choices.iter().map(|text| (*text).to_owned()).collect();
    crate::foreign::recipe_of("gigl", &at, &choices)
}

#[test]
fn metadata_becomes_a_recipe() {
    for (from, to) in [
        ("", ""),
        ("tfrecordUriPrefix: ", "tfrecordUriPrefix: HERE/"),
        ("tfrecordUriPrefix: ", "tfrecordUriPrefix: file://HERE/"),
        ("tfrecordUriPrefix: ", "tfrecordUriPrefix: gs://b/c/"),
        ("srcNodeIdKey", "src_node_id_key"),
        ("'", ""),
    ] {
        let metadata = if from.is_empty() {
            METADATA.to_owned()
        } else {
            METADATA.replace(from, to)
        };
        let recipe = described(&metadata, CONFIG, &["root=gs://b/c"]).unwrap();
        assert_eq!(recipe.nodes.keys().collect::<Vec<_>>(), ["user", "story"]);
        let edges: Vec<_> = recipe.edges.keys().collect();
        assert_eq!(
            edges,
            [
                "user__likes__story",
                "user__likes_gigl_positive__story",
                "story__of__user"
            ]
        );
        let user = recipe.nodes["user"].table.as_ref().unwrap();
        assert_eq!(user.files, ["n0/*.tfrecord"]);
        let columns = user.columns.as_ref().unwrap();
        let names: Vec<_> = columns
            .iter()
            .map(|column| column.name.as_deref().unwrap())
            .collect();
        assert_eq!(names, ["x", "x", "label"]);
        assert_eq!(
            recipe.nodes["story"].table.as_ref().unwrap().files,
            ["n1/*.tfrecord.gz"]
        );
    }
}

#[test]
fn what_cannot_be_read_is_an_error() {
    for (from, to, expected) in [
        ("n1/}", "n2/}", "n2"),
        ("n1/}", "../n1/}", "out of"),
        ("n1/}", "gs://x/n1/}", "no local file"),
        (
            "nodeIdKey: id, tfrecordUriPrefix: n1/",
            "tfrecordUriPrefix: n1/",
            "not named",
        ),
        ("'1': {f", "'7': {f", "has no name"),
        (
            "labelKeys: [y]",
            "quantizedFeatureMetadata: {packedFeatureKey: p}",
            "quantised",
        ),
        ("mainEdgeInfo: {tfr", "other: {tfr", "mainEdgeInfo"),
        ("featureKeys: [a, b]", "featureKeys: {a: b}", ""),
    ] {
        let changed = METADATA.replace(from, to);
        assert_ne!(changed, METADATA);
        let message = described(&changed, CONFIG, &[]).unwrap_err().message;
        assert!(message.contains(expected), "{to}: {message}");
    }
    assert!(described(METADATA, "a: 1", &[]).is_err());
    for cut in 0..METADATA.len() {
        let _ = described(&METADATA[..cut], CONFIG, &[]);
    }
    let packed = METADATA.replace(
        "labelKeys: [y]",
        "quantizedFeatureMetadata: {packedFeatureKey: p}",
    );
    assert_eq!(
        described(&packed, CONFIG, &["quantized=skip"])
            .unwrap()
            .notes
            .len(),
        1
    );
}
