//! Replays the vectors of tests/conformance through the safe interface.

#[path = "../common/mod.rs"]
mod common;
mod loaders;

use std::collections::HashMap;

use gls::{
    Batch, BatchArray, Context, Dataset, DatasetBuilder, Direction, EdgeSet, Error, Even,
    ExcludeMode, Hgt, Ids, Importance, Layout, LinkSet, Negatives, NeighborLoader, Pick, Ppr,
    Replace, Result, Role, SamplerBuilder, SeedLaw, SeedSet, Subgraph, Supervision, Tensor,
    TimeStrategy, Walks, WriteOptions,
};
use serde_json::{json, Value};

const MOST_SEEDS: usize = 1 << 21; // orders of more seeds need as many nodes in memory

fn load(name: &str) -> Value {
    let path = common::root().join("tests/conformance/vectors").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Numbers that may be large are strings of decimal digits.
fn wide(value: &Value) -> u64 {
    match value {
        Value::Null => 0,
        Value::String(text) => text.parse().unwrap(),
        number => number.as_u64().unwrap(),
    }
}

fn numbers(value: &Value) -> Vec<i64> {
    let list = value.as_array().unwrap();
    list.iter().map(|x| x.as_i64().unwrap()).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, default: &'static str) -> &'v str {
    value.as_str().unwrap_or(default)
}

fn flag(value: &Value) -> bool {
    value.as_bool().unwrap_or(false)
}

// ---- graphs ----

fn generate(generator: &Value) -> (Vec<i64>, Vec<i64>) {
    let number = |key: &str| generator[key].as_i64().unwrap();
    let mut edges = Vec::new();
    match generator["rule"].as_str().unwrap() {
        "ring" => {
            let nodes = number("nodes");
            let steps = numbers(&generator["steps"]);
            edges.extend((0..nodes).flat_map(|v| {
                let steps = steps.clone();
                steps.into_iter().map(move |step| (v, (v + step) % nodes))
            }));
        }
        "star" => edges.extend((1..=number("leaves")).map(|leaf| {
            if generator["hub_is"] == "target" {
                (leaf, 0)
            } else {
                (0, leaf)
            }
        })),
        "triangle" => edges.extend((0..number("nodes")).flat_map(|t| (0..t).map(move |s| (s, t)))),
        "random" => {
            let mut x = wide(&generator["seed"]);
            let mut next = || {
                x = x
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                x >> 32
            };
            let (sources, targets) = (wide(&generator["sources"]), wide(&generator["targets"]));
            for _ in 0..wide(&generator["edges"]) {
                let (a, b, c) = (next(), next(), next());
                let target = (((b * c) >> 32) * targets) >> 32;
                edges.push((((a * sources) >> 32) as i64, target as i64));
            }
        }
        rule => panic!("unknown rule {rule}"),
    }
    edges.into_iter().unzip()
}

fn floats(value: &Value) -> Vec<f32> {
    let values = list(value).iter();
    values.map(|x| x.as_f64().unwrap() as f32).collect()
}

/// The times of `rows` rows; `None` without a column of times.
fn times(of: &Value, rows: usize) -> Option<Vec<i64>> {
    let cycle = of["time_cycle"]
        .is_array()
        .then(|| numbers(&of["time_cycle"]))?;
    Some(cycle.into_iter().cycle().take(rows).collect())
}

fn build(context: &Context, graph: &Value) -> Dataset {
    let mut builder = DatasetBuilder::new(context).unwrap();
    for node_type in list(&graph["node_types"]) {
        let (name, count) = (text(&node_type["name"], ""), wide(&node_type["count"]));
        builder
            .add_node_type(name, count as usize, Ids::Dense)
            .unwrap();
        if let Some(times) = times(node_type, count as usize) {
            builder
                .add_node_column(name, "time", times, Role::Time)
                .unwrap();
        }
        let cycle = floats(&node_type["weight_cycle"]);
        if !cycle.is_empty() {
            let weight: Vec<f32> = cycle.into_iter().cycle().take(count as usize).collect();
            builder
                .add_node_column(name, "weight", weight, Role::Other)
                .unwrap();
        }
    }
    for edge_type in list(&graph["edge_types"]) {
        let name = text(&edge_type["name"], "");
        let (source, target) = if edge_type["generator"].is_object() {
            generate(&edge_type["generator"])
        } else {
            (numbers(&edge_type["source"]), numbers(&edge_type["target"]))
        };
        let edges = source.len();
        builder.add_edges(name, source, target).unwrap();
        let mut weight = floats(&edge_type["weight"]);
        let cycle = floats(&edge_type["weight_cycle"]);
        if !cycle.is_empty() {
            weight = cycle.into_iter().cycle().take(edges).collect();
        }
        for special in list(&edge_type["weight_special"]) {
            let value = match text(&special["value"], "") {
                "nan" => f32::NAN,
                _ => f32::INFINITY,
            };
            weight[wide(&special["edge"]) as usize] = value;
        }
        if edge_type["weight"].is_array() || edge_type["weight_cycle"].is_array() {
            builder
                .add_edge_column(name, "weight", weight, Role::Other)
                .unwrap();
        }
        if let Some(times) = times(edge_type, edges) {
            builder
                .add_edge_column(name, "time", times, Role::Time)
                .unwrap();
        }
        if edge_type["reverse"].is_array() {
            let reverse = numbers(&edge_type["reverse"]);
            builder
                .add_edge_column(name, "reverse", reverse, Role::Other)
                .unwrap();
        }
    }
    builder
        .build_with(WriteOptions::new().layouts([Layout::Csc, Layout::Csr]))
        .unwrap()
}

// ---- samples ----

fn edge_set(value: &Value) -> EdgeSet {
    let edge_type = text(&value["edge_type"], "");
    if value["ids"].is_array() {
        EdgeSet::ids(edge_type, numbers(&value["ids"]))
    } else {
        let (source, target) = (numbers(&value["source"]), numbers(&value["target"]));
        EdgeSet::pairs(edge_type, &source, &target)
    }
}

fn link_set(value: &Value) -> LinkSet {
    let edge_type = text(&value["edge_type"], "");
    let mut links = if value["ids"].is_array() {
        LinkSet::ids(edge_type, numbers(&value["ids"]))
    } else {
        let (source, target) = (numbers(&value["source"]), numbers(&value["target"]));
        LinkSet::pairs(edge_type, &source, &target)
    };
    if value["times"].is_array() {
        links = links.times(numbers(&value["times"]));
    }
    if value["labels"].is_array() {
        links = links.labels(numbers(&value["labels"]));
    }
    links
}

fn negatives(options: &Value) -> Negatives {
    let mut negatives = match text(&options["mode"], "") {
        "binary" => Negatives::binary(),
        "triplet" => Negatives::triplet(),
        mode => panic!("unknown mode {mode}"),
    };
    if let Some(amount) = options["amount"].as_f64() {
        negatives = negatives.amount(amount);
    }
    if let Some(power) = options["degree_power"].as_f64() {
        negatives = negatives.degree_power(power);
    }
    if let Some(column) = options["source_weight"].as_str() {
        negatives = negatives.source_weight(column);
    }
    if let Some(column) = options["target_weight"].as_str() {
        negatives = negatives.target_weight(column);
    }
    negatives
        .strict(flag(&options["strict"]))
        .allow_short(flag(&options["allow_short"]))
        .in_time(flag(&options["in_time"]))
        .oldest(flag(&options["oldest"]))
        .tries(options["tries"].as_u64().unwrap_or(64) as u32)
}

fn walks(options: &Value) -> Walks {
    let number = |key: &str, default: f64| options[key].as_f64().unwrap_or(default);
    let path: Vec<&str> = list(&options["path"])
        .iter()
        .map(|name| text(name, ""))
        .collect();
    Walks::along(path)
        .length(wide(&options["length"]) as u32)
        .per_seed(number("walks", 1.0) as u32)
        .biases(number("p", 1.0), number("q", 1.0))
        .restart(number("restart", 0.0))
        .stop(number("stop", 0.0))
}

fn supervision(options: &Value) -> Supervision {
    let mut out = match options["edge_type"].as_str() {
        Some(edge_type) => Supervision::of(edge_type),
        None => Supervision::given(text(&options["name"], "")),
    };
    if let Some(name) = options["name"].as_str() {
        out = out.name(name);
    }
    if let Some(node_type) = options["node_type"].as_str() {
        out = out.node_type(node_type);
    }
    out.negative(text(&options["role"], "positive") == "negative")
        .sampled(flag(&options["sampled"]))
        .max_labels(wide(&options["max_labels"]) as u32)
}

/// Rows of one length.
fn rows(rows: &Value) -> Option<Tensor> {
    let rows = rows.as_array()?;
    let width = rows.first().map_or(0, |row| list(row).len());
    let flat: Vec<i64> = rows.iter().flat_map(numbers).collect();
    Some(Tensor::from_vec_with_shape(flat, &[rows.len(), width]).unwrap())
}
fn names(value: &Value) -> Vec<&str> {
    list(value).iter().map(|name| text(name, "")).collect()
}

fn importance(options: &Value) -> Importance {
    let number = |key: &str, default: u64| options[key].as_u64().unwrap_or(default) as u32;
    Importance::of(number("neighbors", 0))
        .walks(number("walks", 10))
        .traversals(number("traversals", 2))
        .stop(options["stop"].as_f64().unwrap_or(0.0))
        .hops(number("hops", 1))
        .along(names(&options["path"]))
}

fn ppr(options: &Value) -> Ppr {
    let number = |key: &str, default: f64| options[key].as_f64().unwrap_or(default);
    let channels = options["channels"].as_array();
    channels
        .into_iter()
        .flatten()
        .fold(
            Ppr::of(options["neighbors"].as_u64().unwrap_or(50) as u32),
            |ppr, channel| {
                let share = channel["share"].as_f64().unwrap();
                ppr.channel(share, names(&channel["edge_types"]))
            },
        )
        .alpha(number("alpha", 0.5))
        .epsilon(number("epsilon", 1e-4))
        .top_up(options["top_up"].as_bool().unwrap_or(true))
        .max_edges(options["max_edges"].as_u64().unwrap_or(1 << 24))
        .row_limit(options["row_limit"].as_u64().unwrap_or(0) as u32)
        .along(names(&options["edge_types"]))
}

fn hgt(options: &Value) -> Hgt {
    let entries = list(&options["samples"]);
    let for_all = entries.iter().find(|entry| entry["node_type"].is_null());
    let mut out = Hgt::of(for_all.map_or(Vec::new(), |entry| numbers(&entry["per_hop"])));
    for entry in entries {
        if let Some(name) = entry["node_type"].as_str() {
            out = out.samples(name, numbers(&entry["per_hop"]));
        }
    }
    out.most_neighbors(options["most_neighbors"].as_u64().unwrap_or(50) as u32)
}

fn sampler_options<'d>(dataset: &'d Dataset, options: &Value, int32: bool) -> SamplerBuilder<'d> {
    let mut builder = dataset
        .sampler()
        .seed(wide(&options["seed"]))
        .direction(match text(&options["direction"], "in") {
            "in" => Direction::In,
            _ => Direction::Out,
        })
        .replace(match text(&options["replace"], "never") {
            "never" => Replace::Never,
            "above" => Replace::Above,
            _ => Replace::Always,
        })
        .exclude_mode(match text(&options["exclude_mode"], "self") {
            "self" => ExcludeMode::SelfOnly,
            "reverse_id" => ExcludeMode::ReverseId,
            _ => ExcludeMode::ReverseTypes,
        })
        .edge_ids(flag(&options["edge_ids"]))
        .disjoint(flag(&options["disjoint"]))
        .toward_seeds(flag(&options["toward_seeds"]))
        .int32(int32)
        .time_strategy(match text(&options["time_strategy"], "uniform") {
            "uniform" => TimeStrategy::Uniform,
            _ => TimeStrategy::Last,
        })
        .time_strict(flag(&options["time_strict"]))
        .time_window(options["time_window"].as_i64().unwrap_or(0))
        .subgraph(match text(&options["subgraph"], "sampled") {
            "sampled" => Subgraph::Sampled,
            "bidirectional" => Subgraph::Bidirectional,
            _ => Subgraph::Induced,
        })
        .pick(match text(&options["pick"], "independent") {
            "independent" => Pick::Independent,
            _ => Pick::Layer,
        })
        .batch_dependency(options["batch_dependency"].as_u64().unwrap_or(0) as u32)
        .layer_dependent(flag(&options["layer_dependent"]));
    for entry in list(&options["fanouts"]) {
        let per_hop = numbers(&entry["per_hop"]);
        builder = match entry["edge_type"].as_str() {
            Some(name) => builder.fanouts_of(name, per_hop),
            None => builder.fanouts(per_hop),
        };
    }
    if let Some(weight) = options["weight"].as_str() {
        builder = builder.weight(weight);
    }
    if let Some(column) = options["node_time"].as_str() {
        builder = builder.node_time(column);
    }
    if let Some(column) = options["edge_time"].as_str() {
        builder = builder.edge_time(column);
    }
    if let Some(column) = options["reverse_column"].as_str() {
        builder = builder.reverse_column(column);
    }
    if options["negatives"].is_object() {
        builder = builder.negatives(negatives(&options["negatives"]));
    }
    if options["walk"].is_object() {
        builder = builder.walks(walks(&options["walk"]));
    }
    for one in list(&options["supervisions"]) {
        builder = builder.supervision(supervision(one));
    }
    if options["importance"].is_object() {
        builder = builder.importance(importance(&options["importance"]));
    }
    if options["ppr"].is_object() {
        builder = builder.ppr(ppr(&options["ppr"]));
    }
    if options["hgt"].is_object() {
        builder = builder.hgt(hgt(&options["hgt"]));
    }
    builder = builder.exclude_links(flag(&options["exclude_links"]));
    for set in list(&options["exclude"]) {
        builder = builder.exclude(edge_set(set));
    }
    for pair in list(&options["reverse_types"]) {
        let one = text(&pair["edge_type"], "");
        builder = builder.reverse_types(one, text(&pair["reverse_type"], ""));
    }
    builder
}

fn sample(dataset: &Dataset, case: &Value, int32: bool) -> Result<Batch> {
    let sampler = sampler_options(dataset, &case["options"], int32).build()?;
    let request = &case["request"];
    let seeds: Vec<_> = list(&request["seeds"])
        .iter()
        .map(|seeds| {
            let ids = if seeds["ids"].is_array() {
                numbers(&seeds["ids"])
            } else {
                let number = |key: &str| seeds["range"][key].as_i64().unwrap();
                let (first, step) = (number("first"), number("step"));
                (0..number("count")).map(|i| first + i * step).collect()
            };
            let times = seeds["times"].is_array().then(|| numbers(&seeds["times"]));
            (text(&seeds["node_type"], ""), ids, times)
        })
        .collect();
    let mut call = sampler
        .request()
        .epoch(wide(&request["epoch"]))
        .batch(wide(&request["batch"]));
    for (node_type, ids, times) in &seeds {
        call = match times {
            Some(times) => call.seeds_at(*node_type, ids, times),
            None => call.seeds(*node_type, ids),
        };
    }
    for set in list(&request["exclude"]) {
        call = call.exclude(edge_set(set));
    }
    let labels: Vec<_> = list(&request["labels"]).iter().map(rows).collect();
    call = call.anchor_labels(labels);
    if request["links"].is_object() {
        call = call.links(link_set(&request["links"]));
    }
    call.sample()
}

fn ids(batch: &Batch, array: BatchArray, type_name: &str, int32: bool) -> Vec<i64> {
    let view = batch.view(array, type_name, None).unwrap();
    let always_wide = [
        BatchArray::NumNodes,
        BatchArray::NumEdges,
        BatchArray::SeedTime,
    ];
    if always_wide.contains(&array) || !int32 {
        // Edge ids may be int32 only where local ids are.
        view.to_vec::<i64>().unwrap()
    } else {
        let values = view.as_slice::<i32>().unwrap();
        values.iter().map(|&x| x.into()).collect()
    }
}

fn shown(values: Vec<i64>, short: bool) -> Value {
    if !short {
        return json!(values);
    }
    let digest = values.iter().fold(14695981039346656037u64, |h, &x| {
        (h ^ x as u64).wrapping_mul(1099511628211)
    });
    json!({"length": values.len(), "digest": digest.to_string()})
}

fn check_batch(batch: &Batch, case: &Value, int32: bool) {
    let short = flag(&case["short"]);
    let options = &case["options"];
    let temporal = options["node_time"].is_string() || options["edge_time"].is_string();
    let disjoint = flag(&options["disjoint"]) || temporal;
    let edge_ids = flag(&options["edge_ids"]);
    use BatchArray::*;
    for (name, expected) in case["expected"]["nodes"].as_object().unwrap() {
        let mut arrays = vec![
            ("node", Node),
            ("seed", Seed),
            ("num_sampled_nodes", NumNodes),
        ];
        if disjoint {
            arrays.push(("batch", Tree));
        }
        if temporal {
            arrays.push(("seed_time", SeedTime));
        }
        assert_eq!(expected.as_object().unwrap().len(), arrays.len());
        for (key, array) in arrays {
            let got = ids(batch, array, name, int32);
            let got = shown(got, short && array != NumNodes);
            assert_eq!(got, expected[key], "{}: {name} {key}", case["name"]);
        }
    }
    for (name, expected) in case["expected"]["edges"].as_object().unwrap() {
        let mut arrays = vec![("row", Row), ("col", Col), ("num_sampled_edges", NumEdges)];
        if edge_ids {
            arrays.push(("edge", Edge));
        }
        assert_eq!(expected.as_object().unwrap().len(), arrays.len());
        for (key, array) in arrays {
            let got = ids(batch, array, name, int32);
            let got = shown(got, short && array != NumEdges);
            assert_eq!(got, expected[key], "{}: {name} {key}", case["name"]);
        }
    }
}

/// Labels are int64 where they were given, else 1.0 and 0.0.
fn check_links(batch: &Batch, case: &Value, int32: bool) {
    let request = &case["request"]["links"];
    let mode = text(&case["options"]["negatives"]["mode"], "");
    let expected = case["expected"]["links"].as_object();
    assert_eq!(
        expected.map_or(0, |links| links.len()),
        usize::from(request.is_object())
    );
    for (name, expected) in expected.into_iter().flatten() {
        let of_links = |array| batch.view(array, name.as_str(), None);
        let mut keys = vec!["source", "target"];
        let (source, target) = (BatchArray::LinkSource, BatchArray::LinkTarget);
        assert_eq!(
            json!(ids(batch, source, name, int32)),
            expected["source"],
            "{}",
            case["name"]
        );
        assert_eq!(
            json!(ids(batch, target, name, int32)),
            expected["target"],
            "{}",
            case["name"]
        );
        if mode == "triplet" {
            keys.push("negative");
            let shape = batch.edges(name.as_str()).link_negative().unwrap().shape();
            let amount = case["options"]["negatives"]["amount"]
                .as_f64()
                .unwrap_or(1.0);
            assert_eq!(shape, [list(&expected["negative"]).len(), amount as usize]);
            let flat = ids(batch, BatchArray::LinkNegative, name, int32);
            let rows: Vec<_> = flat.chunks(shape[1]).collect();
            assert_eq!(json!(rows), expected["negative"], "{}", case["name"]);
        } else {
            assert!(of_links(BatchArray::LinkNegative).is_err());
        }
        let edges = batch.edges(name.as_str());
        if request["labels"].is_array() {
            keys.push("label");
            let label = edges.link_label::<i64>().unwrap();
            assert_eq!(json!(label), expected["label"], "{}", case["name"]);
        } else if mode == "binary" {
            keys.push("label");
            let label = edges.link_label::<f32>().unwrap();
            assert_eq!(label, floats(&expected["label"]), "{}", case["name"]);
        } else {
            assert!(of_links(BatchArray::LinkLabel).is_err());
        }
        assert_eq!(
            expected.as_object().unwrap().len(),
            keys.len(),
            "{}",
            case["name"]
        );
    }
}

fn check_walks(batch: &Batch, case: &Value, int32: bool) {
    let edge_ids = flag(&case["options"]["edge_ids"]);
    let expected = case["expected"]["walks"].as_object();
    assert_eq!(
        expected.map_or(0, |walks| walks.len()),
        usize::from(case["options"]["walk"].is_object())
    );
    for (name, expected) in expected.into_iter().flatten() {
        assert_eq!(
            expected.as_object().unwrap().len(),
            1 + usize::from(edge_ids)
        );
        let mut arrays = vec![("walk", BatchArray::Walk)];
        if edge_ids {
            arrays.push(("walk_edge", BatchArray::WalkEdge));
        }
        for (key, array) in arrays {
            let columns = batch.view(array, name.as_str(), None).unwrap().shape()[1];
            let flat = ids(batch, array, name, int32);
            let rows: Vec<_> = flat.chunks(columns).collect();
            assert_eq!(json!(rows), expected[key], "{}: {name} {key}", case["name"]);
        }
    }
}

fn check_labels(batch: &Batch, case: &Value, int32: bool) {
    let expected = list(&case["expected"]["labels"]);
    assert_eq!(expected.len(), list(&case["options"]["supervisions"]).len());
    for one in expected {
        let name = text(&one["name"], "");
        let labels = match text(&one["role"], "") {
            "negative" => batch.negatives(name),
            _ => batch.positives(name),
        };
        let labels = labels.unwrap();
        let got: Vec<Vec<i64>> = (0..labels.shape()[0])
            .map(|i| match int32 {
                true => labels
                    .row::<i32>(i)
                    .unwrap()
                    .iter()
                    .map(|&l| l.into())
                    .collect(),
                false => labels.row::<i64>(i).unwrap().to_vec(),
            })
            .collect();
        assert_eq!(json!(got), one["label"], "{}: {name}", case["name"]);
    }
}
fn check_near(batch: &Batch, case: &Value, int32: bool) {
    let near = case["expected"]["near"].as_object();
    for (name, expected) in near.into_iter().flatten() {
        for (key, array) in [
            ("near_seed", BatchArray::NearSeed),
            ("near_node", BatchArray::NearNode),
        ] {
            let got = ids(batch, array, name, int32);
            assert_eq!(json!(got), expected[key], "{}: {name} {key}", case["name"]);
        }
        let scores = batch
            .view(BatchArray::NearScore, name.as_str(), None)
            .unwrap();
        let rows = list(&expected["near_score"]);
        let channels = case["options"]["ppr"]["channels"]
            .as_array()
            .map_or(0, |all| all.len());
        assert_eq!(scores.shape(), [rows.len(), 2 + 3 * channels]);
        for (i, row) in rows.iter().enumerate() {
            // Read as f64, numbers may be off by a last digit, which f32 does not have.
            let wanted: Vec<f32> = list(row)
                .iter()
                .map(|x| x.as_f64().unwrap() as f32)
                .collect();
            let got = scores.row::<f32>(i).unwrap();
            assert_eq!(got, wanted, "{}: {name} row {i}", case["name"]);
        }
    }
}

fn replay_samples(file: &str) {
    let context = common::context();
    let content = load(file);
    let datasets: HashMap<&str, Dataset> = list(&content["graphs"])
        .iter()
        .map(|graph| (text(&graph["name"], ""), build(&context, graph)))
        .collect();
    for case in list(&content["cases"]) {
        assert_eq!(case["kind"], "sample");
        let dataset = &datasets[text(&case["graph"], "")];
        for int32 in [false, true] {
            match (sample(dataset, case, int32), case["error"].as_str()) {
                (Ok(batch), None) => {
                    check_batch(&batch, case, int32);
                    check_links(&batch, case, int32);
                    check_walks(&batch, case, int32);
                    check_labels(&batch, case, int32);
                    check_near(&batch, case, int32);
                }
                (Err(error), Some(expected)) => {
                    assert_eq!(error.status_name(), expected, "{}", case["name"]);
                }
                (Ok(_), Some(expected)) => panic!("{}: expected {expected}", case["name"]),
                (Err(error), None) => panic!("{}: {error}", case["name"]),
            }
        }
    }
}

macro_rules! samples {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            replay_samples(concat!(stringify!($name), ".json"));
        }
    )*};
}

samples! {
    sample_anchors sample_basic sample_bidirectional sample_channels sample_exclude sample_fanout sample_hetero sample_hgt sample_importance sample_induced sample_labor sample_large sample_links sample_ppr sample_star sample_time sample_walks sample_weight
}

#[test]
fn all_files_of_samples_are_replayed() {
    let folder = std::fs::read_dir(common::root().join("tests/conformance/vectors")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let count = names
        .filter(|name| name.starts_with("sample_") && name.ends_with(".json"))
        .count();
    assert_eq!(count, 18);
}

// ---- orders and plans ----

/// A graph in which only seeds matter.
fn seeds_dataset(context: &Context) -> Dataset {
    let mut builder = DatasetBuilder::new(context).unwrap();
    builder
        .add_node_type("node", MOST_SEEDS, Ids::Dense)
        .unwrap()
        .add_edges("node__to__node", vec![0i64], vec![0i64])
        .unwrap();
    builder.build().unwrap()
}

#[test]
fn orders() {
    let context = common::context();
    let dataset = seeds_dataset(&context);
    let content = load("order.json");
    let mut left_out = 0;
    for case in list(&content["cases"]) {
        let n = wide(&case["n"]);
        if n as usize > MOST_SEEDS {
            left_out += 1;
            continue;
        }
        let sampler = dataset
            .sampler()
            .fanouts([0])
            .seed(wide(&case["seed"]))
            .build()
            .unwrap();
        let mut loader = sampler
            .loader()
            .seeds((0..n as i64).collect::<Vec<_>>())
            .batch_size((n / 3).max(1) as u32)
            .shuffle(true)
            .build()
            .unwrap();
        let mut order = Vec::new();
        for batch in loader.seek(wide(&case["epoch"])).unwrap() {
            order.extend_from_slice(batch.unwrap().input_id().unwrap());
        }
        assert_eq!(order.len() as u64, n, "{}", case["name"]);
        let positions = if case["positions"].is_array() {
            numbers(&case["positions"])
        } else {
            (0..n as i64).collect()
        };
        let got: Vec<i64> = positions.iter().map(|&i| order[i as usize]).collect();
        let expected: Vec<i64> = list(&case["expected"]["values"])
            .iter()
            .map(|value| wide(value) as i64)
            .collect();
        assert_eq!(got, expected, "{}", case["name"]);
    }
    assert_eq!(left_out, 5);
}

fn plan_loader(dataset: &Dataset, case: &Value, rank: u32, world: u32) -> NeighborLoader {
    let sampler = dataset
        .sampler()
        .fanouts([0])
        .seed(wide(&case["seed"]))
        .build()
        .unwrap();
    let mut loader = sampler
        .loader()
        .seeds((0..wide(&case["n"]) as i64).collect::<Vec<_>>())
        .batch_size(wide(&case["batch_size"]) as u32)
        .shuffle(flag(&case["shuffle"]))
        .drop_last(flag(&case["drop_last"]))
        .trainer(rank, world)
        .even(match text(&case["even"], "none") {
            "none" => Even::None,
            "drop" => Even::Drop,
            _ => Even::Repeat,
        })
        .build()
        .unwrap();
    loader.seek(wide(&case["epoch"])).unwrap();
    loader
}

#[test]
fn plans() {
    let context = common::context();
    let dataset = seeds_dataset(&context);
    let content = load("plan.json");
    for case in list(&content["cases"]) {
        let (rank, world) = (wide(&case["rank"]) as u32, wide(&case["world"]) as u32);
        let mut this = plan_loader(&dataset, case, rank, world);
        let expected = &case["expected"];
        if case["done_steps"].is_null() {
            let epoch_batches = this.info().unwrap().num_global_batches;
            assert_eq!(epoch_batches, wide(&expected["epoch_batches"]));
        } else {
            let world = case["done_world"].as_u64().unwrap_or(1) as u32;
            let mut before = plan_loader(&dataset, case, 0, world);
            for _ in 0..wide(&case["done_steps"]) {
                before.next().unwrap().unwrap();
            }
            this.restore(&before.save().unwrap()).unwrap();
        }
        let batches: Vec<Batch> = this.batches().map(|batch| batch.unwrap()).collect();
        let got: Vec<u64> = batches.iter().map(|b| b.info().unwrap().batch).collect();
        assert_eq!(json!(got), expected["batches"], "{}", case["name"]);
        let show = wide(&case["show"]) as usize;
        let shown: Vec<_> = batches
            .iter()
            .take(show)
            .map(|b| b.input_id().unwrap())
            .collect();
        assert_eq!(json!(shown), expected["positions"], "{}", case["name"]);
    }
}

fn seeds_loader(dataset: &Dataset, case: &Value) -> Result<NeighborLoader> {
    let integers = |value: &Value| -> Vec<i64> {
        let values = list(value).iter();
        values.map(|v| v.as_i64().unwrap()).collect()
    };
    let sampler = dataset.sampler().subgraph(Subgraph::Induced);
    let sampler = sampler.seed(wide(&case["seed"])).build()?;
    let mut builder = sampler
        .loader()
        .batch_size(wide(&case["batch_size"]) as u32)
        .shuffle(flag(&case["shuffle"]))
        .drop_last(flag(&case["drop_last"]));
    let seed_type = text(&case["type"], "");
    builder = if flag(&case["links"]) {
        builder.links(seed_type)
    } else {
        builder.node_type(seed_type)
    };
    if !case["ids"].is_null() {
        builder = builder.seeds(integers(&case["ids"]));
    }
    let law = match text(&case["law"], "") {
        "degree" => SeedLaw::Degree,
        "inverse_degree" => SeedLaw::InverseDegree,
        _ => SeedLaw::Uniform,
    };
    let batches = wide(&case["batches"]);
    builder = match (case["cluster"].as_str(), case["weight"].as_str()) {
        (Some(column), _) => builder.cluster_column(column),
        _ if !case["clusters"].is_null() => builder.clusters(integers(&case["clusters"])),
        (_, Some(column)) => builder.draw_seeds_by(column, batches),
        _ => builder.draw_seeds(law, batches),
    };
    builder.build()
}

#[test]
fn seeds() {
    let context = common::context();
    let content = load("seeds.json");
    let datasets: HashMap<&str, Dataset> = list(&content["graphs"])
        .iter()
        .map(|graph| (text(&graph["name"], ""), build(&context, graph)))
        .collect();
    for case in list(&content["cases"]) {
        if !case["law"].is_null() && !case["weight"].is_null() {
            continue; // which cannot be said here
        }
        match (
            seeds_loader(&datasets[text(&case["graph"], "")], case),
            case["error"].as_str(),
        ) {
            (Ok(loader), None) => {
                let expected = &case["expected"];
                let real = loader.info().unwrap().num_global_batches;
                assert_eq!(real, wide(&expected["epoch_batches"]), "{}", case["name"]);
                let shown: Vec<Vec<i64>> = list(&case["show"])
                    .iter()
                    .map(|number| loader.sample(wide(&case["epoch"]), wide(number)).unwrap())
                    .map(|batch| {
                        let seed_type = case["type"].as_str();
                        if flag(&case["links"]) {
                            batch.edges(seed_type).input_id().unwrap().to_vec()
                        } else {
                            batch.nodes(seed_type).input_id().unwrap().to_vec()
                        }
                    })
                    .collect();
                assert_eq!(json!(shown), expected["positions"], "{}", case["name"]);
            }
            (Err(error), Some(expected)) => {
                assert_eq!(error.status_name(), expected, "{}", case["name"]);
            }
            (Ok(_), Some(expected)) => panic!("{}: expected {expected}", case["name"]),
            (Err(error), None) => panic!("{}: {error}", case["name"]),
        }
    }
}

#[test]
fn errors_have_the_status_of_the_header() {
    let context = common::context();
    let error = Dataset::open(&context, "/no/such/folder").unwrap_err();
    assert!(matches!(error, Error::NotFound(_)));
    assert_eq!(error.status(), gls::sys::GLS_ERR_NOT_FOUND);
    assert_eq!(error.status_name(), "GLS_ERR_NOT_FOUND");
}

fn seed_sets_loader(dataset: &Dataset, case: &Value) -> Result<NeighborLoader> {
    let sampler = dataset.sampler().subgraph(Subgraph::Induced);
    let sampler = sampler.seed(wide(&case["seed"])).build()?;
    let mut builder = sampler
        .loader()
        .batch_size(wide(&case["batch_size"]) as u32)
        .shuffle(flag(&case["shuffle"]))
        .drop_last(flag(&case["drop_last"]));
    for set in list(&case["sets"]) {
        let name = text(&set["type"], "");
        let mut seeds = if flag(&case["links"]) {
            SeedSet::links(name)
        } else {
            SeedSet::nodes(name)
        };
        if set["ids"].is_array() {
            seeds = seeds.ids(numbers(&set["ids"]));
        }
        builder = builder.seed_set(seeds);
    }
    builder.build()
}

#[test]
fn seed_sets() {
    let context = common::context();
    let content = load("seed_sets.json");
    let dataset = build(&context, &list(&content["graphs"])[0]);
    for case in list(&content["cases"]) {
        let made = seed_sets_loader(&dataset, case);
        if case["error"].is_string() {
            let error = made.unwrap_err();
            assert_eq!(error.status_name(), case["error"], "{}", case["name"]);
            continue;
        }
        let loader = made.unwrap();
        let positions = list(&case["expected"]["positions"]);
        for (number, expected) in list(&case["show"]).iter().zip(positions) {
            let batch = loader.sample(wide(&case["epoch"]), wide(number)).unwrap();
            for (name, wanted) in expected.as_object().unwrap() {
                let got = if flag(&case["links"]) {
                    batch.edges(name.as_str()).input_id().unwrap()
                } else {
                    batch.nodes(name.as_str()).input_id().unwrap()
                };
                assert_eq!(got, numbers(wanted), "{}", case["name"]);
            }
        }
    }
}
