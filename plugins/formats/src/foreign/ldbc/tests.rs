use super::*;
use crate::recipe::TableFormat;

fn described(files: &[(&str, &str)], path: &str, choices: &[&str]) -> Result<Recipe, Failure> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let choices: Vec<_> = choices.iter().map(|text| (*text).to_owned()).collect();
    crate::foreign::recipe_of("ldbc", &folder.path().join(path), &choices)
}

const SNB: &[(&str, &str)] = &[
    (
        "initial_snapshot/static/Place/part-0.csv",
        "id|name|url|type|PartOfPlaceId\n1|a|b|City|\n",
    ),
    (
        "initial_snapshot/dynamic/Person/part-0.csv",
        "creationDate|id|LocationCityId\n",
    ),
    (
        "initial_snapshot/dynamic/Forum/part-0.csv",
        "creationDate|id|title|ModeratorPersonId\n",
    ),
    (
        "initial_snapshot/dynamic/Post/part-0.csv",
        "creationDate|id|length|ContainerForumId\n",
    ),
    (
        "initial_snapshot/dynamic/Person_knows_Person/part-0.csv",
        "creationDate|Person1Id|Person2Id\n",
    ),
    (
        "initial_snapshot/dynamic/Person_email_EmailAddress/part-0.csv",
        "creationDate|PersonId|email\n",
    ),
];

#[test]
fn folders_of_snb_become_a_recipe() {
    for path in ["", "initial_snapshot"] {
        let recipe = described(SNB, path, &[]).unwrap();
        assert_eq!(
            recipe.nodes.keys().collect::<Vec<_>>(),
            ["Place", "Person", "Forum", "Post"]
        );
        let names: Vec<_> = recipe.edges.keys().collect();
        assert_eq!(
            names,
            [
                "Place__isPartOf__Place",
                "Person__isLocatedIn__Place",
                "Forum__hasModerator__Person",
                "Forum__containerOf__Post",
                "Person__knows__Person",
            ]
        );
        let table = recipe.edges["Forum__containerOf__Post"]
            .table
            .as_ref()
            .unwrap();
        assert_eq!(
            (&table.source[..], &table.target[..]),
            ("ContainerForumId", "id")
        );
        assert_eq!(
            (table.format, table.skip_nulls),
            (TableFormat::SparkCsv, true)
        );
        assert!(recipe
            .notes
            .iter()
            .any(|note| note.contains("EmailAddress")));
    }
    for (choices, undirected) in [(&[][..], false), (&["undirected=true"], true)] {
        let recipe = described(SNB, "", choices).unwrap();
        for (name, edge) in &recipe.edges {
            assert_eq!(
                edge.undirected,
                undirected && name == "Person__knows__Person"
            );
        }
    }
    let mut changed = SNB.to_vec();
    changed[4].1 = "a|b\n";
    assert!(described(&changed, "", &[]).is_err());
    assert!(described(&SNB[..1], "", &[]).is_err());
}

const PROPERTIES: &str = "# a comment
graph.g.vertex-file = g.v
graph.g.edge-file = g.e
graph.g.directed = false
graph.g.edge-properties.names = weight
graph.g.edge-properties.types = real
";

#[test]
fn properties_of_graphalytics_become_a_recipe() {
    let given = [("g.properties", PROPERTIES)];
    for path in ["", "g.properties"] {
        let recipe = described(&given, path, &["graph=g"]).unwrap();
        let edge = &recipe.edges["node__to__node"];
        assert!(edge.undirected);
        assert_eq!(edge.text.as_ref().unwrap().columns[0].dtype, "float64");
        assert_eq!(recipe.nodes["node"].text.as_ref().unwrap().file, "g.v");
    }
    for (from, to) in [
        ("g.v", "../g.v"),
        ("g.edge-file", "h.edge-file"),
        ("edge-file", "file"),
    ] {
        let changed = PROPERTIES.replace(from, to);
        assert!(
            described(&[("g.properties", &changed)], "", &[]).is_err(),
            "{to}"
        );
    }
    assert!(described(&given, "", &["graph=h"]).is_err());
    for cut in 0..PROPERTIES.len() {
        let _ = described(&[("g.properties", &PROPERTIES[..cut])], "", &[]);
    }
}
