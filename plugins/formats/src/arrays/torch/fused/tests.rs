use std::path::PathBuf;

use super::*;
use crate::arrays::Bytes;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/formats/golden")
        .join(name)
        .join("preprocessed/fused_csc_sampling_graph.pt")
}

const TYPED: &str = "graphbolt-preprocessed";
const ONE_TYPE: &str = "graphbolt-fused";

/// All arrays of a file.
fn read_all(bytes: Bytes) -> Result<Vec<(String, Array)>, Failure> {
    let graph = FusedGraph::of(&Loaded::of_bytes(Path::new("graph.pt"), &bytes)?)?;
    let mut names = Vec::new();
    for known in &graph.node_types {
        let data = graph.node_data.iter();
        names.extend(data.map(|(name, _)| format!("nodes/{known}/{name}")));
    }
    for known in &graph.edge_types {
        let data = graph.edge_data.iter();
        names.extend(data.map(|(name, _)| format!("edges/{known}/{name}")));
        names.extend(["indptr", "indices"].map(|name| format!("topology/{known}/{name}")));
        if graph.edge_array(ORIGINAL_EDGE_ID).is_some() {
            names.push(format!("topology/{known}/ids"));
        }
    }
    let open = |name: String| {
        let array = graph.array(&name)?;
        Ok((name, array))
    };
    names.into_iter().map(open).collect()
}

#[test]
fn arrays_of_types() {
    let arrays = read_all(Bytes::map(&golden(TYPED)).unwrap()).unwrap();
    for (name, shape) in [
        ("nodes/author/mass", vec![30, 2]),
        ("nodes/paper/mass", vec![50, 2]),
        ("edges/paper:cites:paper/probability", vec![150]),
        ("topology/author:writes:paper/indptr", vec![51]),
        ("topology/author:writes:paper/indices", vec![120]),
        ("topology/author:writes:paper/ids", vec![120]),
    ] {
        let found = arrays.iter().find(|(known, _)| known == name);
        assert_eq!(found.unwrap().1.shape, shape, "{name}");
    }
    let graph = FusedGraph::open(&golden(TYPED)).unwrap();
    for name in [
        "",
        "x",
        "nodes/none/x",
        "nodes/paper/x",
        "topology/paper:cites:paper/x",
    ] {
        assert!(graph.array(name).is_err(), "{name}");
    }
}

#[test]
fn arrays_of_one_type_stay_where_they_are() {
    let graph = FusedGraph::open(&golden(ONE_TYPE)).unwrap();
    for (name, array) in [("indices", &graph.indices), ("ids", &graph.edge_data[0].1)] {
        let found = graph.array(&format!("topology/{EDGE}/{name}")).unwrap();
        assert_eq!(found.bytes().as_ptr(), array.bytes().as_ptr(), "{name}");
    }
    let indptr = graph.array(&format!("topology/{EDGE}/indptr")).unwrap();
    assert_eq!((indptr.dtype, indptr.rows()), (DType::I64, 41));
}

#[test]
fn time_for_types_is_bounded() {
    for (types, edges, few) in [
        (1 << 10, 1 << 26, true),
        ((1 << 10) + 1, 1 << 26, false),
        (MOST_TYPES, i64::MAX, false),
        (usize::MAX, 1, false),
    ] {
        assert_eq!(looks_are_few(types, edges), few, "{types} x {edges}");
    }
}

#[test]
fn every_cut_is_an_error() {
    let whole = std::fs::read(golden(TYPED)).unwrap();
    for size in 0..whole.len() {
        let cut = Bytes::of_vec(whole[..size].to_vec());
        assert!(read_all(cut).is_err(), "{size} bytes");
    }
}

#[test]
fn flips_never_panic() {
    let mut state = 1_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize
    };
    for name in [TYPED, ONE_TYPE] {
        let whole = std::fs::read(golden(name)).unwrap();
        for _ in 0..2000 {
            let mut changed = whole.clone();
            for _ in 0..=random() % 3 {
                let at = random() % changed.len();
                changed[at] = random() as u8;
            }
            for (name, array) in read_all(Bytes::of_vec(changed)).unwrap_or_default() {
                assert!(array.count() < 1 << 20, "{name}");
            }
        }
    }
}

/// Graphs that no writer makes.
fn damaged(change: impl Fn(&mut FusedGraph)) -> String {
    let mut graph = FusedGraph::open(&golden(TYPED)).unwrap();
    change(&mut graph);
    let all = ["paper:cites:paper", "author:writes:paper"];
    let names = all.iter().flat_map(|known| {
        ["indptr", "indices", "ids"].map(|name| format!("topology/{known}/{name}"))
    });
    let open = |name: String| graph.array(&name).err();
    let failure = graph
        .check()
        .err()
        .or_else(|| names.into_iter().find_map(open));
    failure.map_or_else(String::new, |failure| failure.message)
}

#[test]
fn graphs_that_do_not_fit_are_errors() {
    let numbers = |numbers: &[i64]| Array::of_i64(numbers).unwrap();
    assert_eq!(damaged(|_| ()), "");
    for (offsets, expected) in [
        (vec![0, 80, 80], "begins at a node of another type"),
        (vec![0, 31, 80], "ends at a node of another type"),
        (vec![0, 30, 81], "node_type_offset"),
        (vec![0, -1, 80], "node_type_offset"),
        (vec![1, 30, 80], "node_type_offset"),
        (vec![0, 80], "node_type_offset"),
    ] {
        let found = damaged(|graph| graph.offsets = Some(offsets.clone()));
        let other = expected.replace("begins", "ends");
        assert!(
            found.contains(expected) || found.contains(&other),
            "{offsets:?}: {found}"
        );
    }
    assert!(damaged(|graph| graph.type_per_edge = None).contains("type_per_edge"));
    assert!(damaged(|graph| graph.type_per_edge = Some(numbers(&[2; 270]))).contains("type"));
    assert!(damaged(|graph| graph.type_per_edge = Some(numbers(&[0; 269]))).contains("type_per"));
    assert!(damaged(|graph| graph.indptr = numbers(&[])).contains("indptr"));
    assert!(damaged(|graph| {
        graph.indptr = numbers(&[i64::MAX; 81]);
        graph.node_data.clear();
    })
    .contains("indptr"));
}
