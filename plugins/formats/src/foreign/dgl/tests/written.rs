//! Partitions whose edges are in no order, which DGL's own tools do not write now.

use std::fs;

use super::golden::import;
use crate::arrays::dgl::tests::Output;
use crate::failure::Failure;

/// A part: edges between local nodes, the shared ids of both, and which edges are inside.
#[derive(Default)]
struct Part {
    sources: Vec<i64>,
    targets: Vec<i64>,
    edge_ids: Vec<i64>,
    inner: Vec<i64>,
    node_ids: Vec<i64>,
}

fn csr(out: &mut Output, indptr: &[i64], indices: &[i64], ids: &[i64]) {
    let nodes = indptr.len() as u64 - 1;
    out.u64(0xDD6C_D312_05DF_F127).u64(nodes).u64(nodes);
    out.i64s(indptr).i64s(indices).i64s(ids);
    out.0.push(0);
}

/// A file of one graph with one type of nodes and edges.
fn graph_file(part: &Part) -> Vec<u8> {
    let mut out = Output::default();
    out.u64(0xDD2E_4FF0_46B4_A13F).u64(2).u64(2).u64(1);
    out.0.resize(4096, 0);
    out.u64(4112).u64(0);
    out.u64(0xDD58_9FBE_3522_4ABF).u64(0xDD3C_5FFE_2004_6ABF);
    csr(&mut out, &[0, 1], &[0], &[0]);
    out.u64(1).u64(0xDD2E_60F0_F6B4_A127);
    out.u64(1 << 32 | 1).u64(1 << 32 | 7);
    out.u64(0xDD3C_5FFE_2004_6ABF);
    csr(&mut out, &[0, 1], &[0], &[0]);
    let nodes = part.node_ids.len() as u64;
    out.u64(0xDD61_FFD3_05DF_F127).u64(nodes).u64(nodes);
    out.i64s(&part.sources).i64s(&part.targets).i64s(&[]);
    out.0.extend([0, 0]);
    out.u64(1).u64(nodes);
    out.u64(1).u64(1).string("_ID").i64s(&part.node_ids);
    out.u64(1).u64(2).string("_ID").i64s(&part.edge_ids);
    out.string("inner_edge").i64s(&part.inner);
    out.u64(1).string("_N").u64(1).string("_E");
    out.u64(1).u64(4112).u64(16);
    out.0
}

const BOOK: &str = r#"{
    "num_parts": 2, "num_nodes": NODES, "num_edges": EDGES,
    "node_map": {"a": [[0, 2], [3, NODES_A]], "b": [[2, 3], [NODES_A, NODES]]},
    "edge_map": {"a:r:b": [[0, HALF], [HALF, EDGES]]},
    "ntypes": {"a": 0, "b": 1}, "etypes": {"a:r:b": 0},
    "part-0": {"part_graph": "0.dgl"}, "part-1": {"part_graph": "1.dgl"}
}"#;

/// Nodes: a0 a1 b0 in part 0, a2 b1 in part 1, with the shared ids 0 1 2, 3 4.
fn import_parts(parts: [&Part; 2], half: i64, edges: i64) -> Result<Vec<(i64, i64)>, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let book = BOOK
        .replace("NODES_A", "4")
        .replace("NODES", "5")
        .replace("EDGES", &edges.to_string())
        .replace("HALF", &half.to_string());
    fs::write(folder.path().join("g.json"), book).unwrap();
    for (number, part) in parts.iter().enumerate() {
        let path = folder.path().join(format!("{number}.dgl"));
        fs::write(path, graph_file(part)).unwrap();
    }
    let (_, found) = import(&folder.path().join("g.json"), &[])?;
    let (sources, targets) = &found.edges["a__r__b"];
    Ok(sources
        .iter()
        .copied()
        .zip(targets.iter().copied())
        .collect())
}

fn first() -> Part {
    // Edges 1, 0, one of part 1, 2.
    Part {
        sources: vec![3, 0, 0, 1],
        targets: vec![2, 2, 4, 4],
        edge_ids: vec![1, 0, 3, 2],
        inner: vec![1, 1, 0, 1],
        node_ids: vec![0, 1, 2, 3, 4],
    }
}

fn second() -> Part {
    // Local nodes are a2 b1 a0.
    Part {
        sources: vec![2, 0],
        targets: vec![1, 1],
        edge_ids: vec![3, 4],
        inner: vec![1, 1],
        node_ids: vec![3, 4, 0],
    }
}

#[test]
fn edges_come_in_the_order_of_their_ids() {
    let found = import_parts([&first(), &second()], 3, 5).unwrap();
    assert_eq!(found, [(0, 0), (2, 0), (1, 1), (0, 1), (2, 1)]);
}

#[test]
fn batches_and_parts_follow_each_other() {
    let (half, all) = (70_000, 210_000);
    let part = |begin: i64, end: i64, turned: bool| {
        let mut ids: Vec<i64> = (begin..end).collect();
        if turned {
            ids.reverse();
        }
        Part {
            sources: ids.iter().map(|id| id % 2).collect(),
            targets: ids
                .iter()
                .map(|id| [2, 4][(id % 3 == 0) as usize])
                .collect(),
            inner: vec![1; ids.len()],
            edge_ids: ids,
            node_ids: vec![0, 1, 2, 3, 4],
        }
    };
    let expected: Vec<_> = (0..all).map(|id| (id % 2, (id % 3 == 0) as i64)).collect();
    for turned in [false, true] {
        let parts = [part(0, half, turned), part(half, all, !turned)];
        let found = import_parts([&parts[0], &parts[1]], half, all).unwrap();
        assert!(found == expected);
    }
}

type Change = fn(&mut Part);

#[test]
fn parts_that_do_not_fit_are_errors() {
    let changes: [(&str, Change); 7] = [
        ("none of its type", |part| part.targets[0] = 1),
        ("none of its type", |part| part.node_ids[2] = 9),
        ("among", |part| part.sources[0] = 7),
        ("among", |part| part.sources[0] = -1),
        ("2 edges, expected 3", |part| part.inner[0] = 0),
        ("two edges 0", |part| part.edge_ids[0] = 0),
        ("rows", |part| part.edge_ids.push(0)),
    ];
    for (expected, change) in changes {
        let mut part = first();
        change(&mut part);
        let failure = import_parts([&part, &second()], 3, 5).unwrap_err();
        let message = failure.message;
        assert!(message.contains(expected), "{expected}: {message}");
        assert!(message.contains("0.dgl"), "{message}");
    }
}
