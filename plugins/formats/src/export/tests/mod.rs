//! Exports of a dataset in memory, read by the recipes of the same formats.

mod dgl;
mod graphbolt;
mod mock;
mod parquet;
mod places;
mod pyg;
mod taken;

use std::path::Path;

use super::{export, Request};
use crate::arrays::DType;
use crate::boundary::dataset::{Codebook, Dataset, Which};
use crate::failure::Failure;
use crate::recipe::Role;
use mock::{array, f32s, i64s, Mock};
use taken::{arrow, Taken};

const WRITES: &str = "author__writes__paper";
const CITES: &str = "paper__cites__paper";

/// Two node types, of which one has keys; edges in both layouts; columns of many kinds.
fn typed() -> Mock {
    let mut mock = Mock::default();
    mock.add_nodes("paper", 5, None);
    mock.add_nodes("author", 3, Some(&[30, 10, 20]));
    mock.add_edges(WRITES, &[(2, 4), (0, 0), (1, 4), (2, 0)], true);
    mock.add_edges(CITES, &[(0, 1), (1, 3), (4, 4)], false);
    let feat: Vec<f32> = (0..15).map(|i| i as f32 / 4.0).collect();
    mock.column("paper", "feat", Role::Feature, f32s(&[5, 3], &feat));
    mock.column("paper", "label", Role::Label, i64s(&[3, -1, 0, 2, 1]));
    let half = (0..40).collect();
    mock.column(
        "paper",
        "half",
        Role::Feature,
        array(DType::F16, &[5, 2, 2], half),
    );
    let flag = array(DType::Bool, &[5], vec![1, 0, 0, 1, 1]);
    mock.column("paper", "flag", Role::Other, flag);
    mock.set("paper", "train", &[4, 0]);
    mock.set("paper", "valid", &[1]);
    mock.set("paper", "test", &[2, 3]);
    mock.column(
        WRITES,
        "weight",
        Role::Weight,
        f32s(&[4], &[0.5, 1.5, 2.5, 0.25]),
    );
    mock.column(WRITES, "time", Role::Time, i64s(&[7, 8, 9, 6]));
    mock
}

fn add_codes(mock: &mut Mock) {
    let codes = Codebook {
        bits: 2,
        numbers: vec![-1.0, 0.5, 2.0, 8.25],
    };
    let packed = (0..10).map(|i: u8| i.wrapping_mul(57)).collect();
    let packed = array(DType::U8, &[5, 2], packed);
    mock.codes("paper", "small", 5, codes, packed);
}

fn write(mock: &Mock, format: &str, path: &Path, choices: &[&str]) -> Result<(), Failure> {
    let choices: Vec<String> = choices.iter().map(|&choice| choice.to_owned()).collect();
    let request = Request {
        format,
        path,
        choices: &choices,
        overwrite: false,
    };
    let mut last = (0, 1);
    export(mock, &request, &mut |done, total| {
        assert!(done <= total);
        last = (done, total);
        true
    })?;
    assert_eq!(last.0, last.1);
    Ok(())
}

/// Compares types, edges and the columns that no set of names leaves out.
fn check_graph(mock: &Mock, found: &Taken, left_out: &[&str]) {
    let counts = mock.node_types().iter().map(|node| node.name.clone());
    let names: Vec<String> = found.nodes.iter().map(|node| node.0.clone()).collect();
    assert_eq!(names, counts.collect::<Vec<_>>());
    for edge in mock.edge_types() {
        assert_eq!(
            found.edges[&edge.name], mock.ends[&edge.name],
            "{}",
            edge.name
        );
    }
    let nodes = mock
        .node_types()
        .iter()
        .map(|node| (&node.name, &node.columns));
    let nodes = nodes.map(|of| (Which::NodeColumn, of));
    let edges = mock
        .edge_types()
        .iter()
        .map(|edge| (&edge.name, &edge.columns));
    let edges = edges.map(|of| (Which::EdgeColumn, of));
    for (which, (of_type, columns)) in nodes.chain(edges) {
        for column in columns {
            let full = format!("{of_type}.{}", column.name);
            if left_out.contains(&full.as_str()) {
                assert!(!found.columns.contains_key(&full), "{full}");
                continue;
            }
            let expected = arrow(mock.numbers(which, of_type, column));
            assert_eq!(&found.columns[&full].0, &expected, "{full}");
        }
    }
}
