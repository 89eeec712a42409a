//! Padded batches and quantised columns.

use std::collections::HashMap;

use gls::{
    BatchArray, Context, DType, Dataset, DatasetBuilder, NeighborLoader, Pad, Padding,
    Quantization, Result, Role, SeedLaw, Tensor, TensorView,
};
use serde_json::{json, Value};

use super::{build, common, flag, floats, list, load, numbers, rows, sampler_options, text, wide};

fn pad_of(given: &Value) -> Pad {
    // 0 is the default there.
    let mut pad = Pad::new();
    match wide(&given["batches"]) {
        0 => {}
        batches => pad = pad.batches(batches as u32),
    }
    match wide(&given["multiple"]) {
        0 => {}
        multiple => pad = pad.multiple(multiple as u32),
    }
    let sigma = given["sigma"].as_f64().unwrap();
    if sigma != 0.0 {
        pad = pad.sigma(sigma);
    }
    for size in list(&given["sizes"]) {
        pad = pad.size(text(&size[0], ""), size[1].as_i64().unwrap());
    }
    pad
}

fn padding_loader(dataset: &Dataset, case: &Value, int32: bool) -> Result<NeighborLoader> {
    let sampler = sampler_options(dataset, &case["options"], int32).build()?;
    let given = &case["loader"];
    let seed_type = text(&given["type"], "");
    let mut builder = sampler
        .loader()
        .batch_size(wide(&given["batch_size"]) as u32)
        .shuffle(flag(&given["shuffle"]))
        .drop_last(flag(&given["drop_last"]))
        .pad(pad_of(&case["pad"]));
    builder = if flag(&given["links"]) {
        builder.links(seed_type)
    } else {
        builder.node_type(seed_type)
    };
    if given["ids"].is_array() {
        builder = builder.seeds(numbers(&given["ids"]));
    }
    if given["clusters"].is_array() {
        builder = builder.clusters(numbers(&given["clusters"]));
    }
    if !given["batches"].is_null() {
        builder = builder.draw_seeds(SeedLaw::Uniform, wide(&given["batches"]));
    }
    if given["labels"].is_array() {
        let labels: Vec<Option<Tensor>> = list(&given["labels"]).iter().map(rows).collect();
        builder = builder.anchor_labels(labels);
    }
    builder.build()
}

/// The values of an array as JSON has them; numbers that are as float32 has them stay as they were.
fn values(view: &TensorView<'_>, like: &Value) -> Value {
    if let Ok(all) = view.to_vec::<f32>() {
        return if all == floats(like) {
            like.clone()
        } else {
            json!(all)
        };
    }
    if view.dtype() == DType::Bool {
        // SAFETY: arrays of a batch are contiguous, and live as long as its views.
        let bytes = unsafe { std::slice::from_raw_parts(view.as_ptr(), view.num_elements()) };
        return json!(bytes);
    }
    if let Ok(all) = view.to_vec::<i32>() {
        return json!(all);
    }
    json!(view.to_vec::<i64>().unwrap())
}

/// As the vectors name it: `LinkMask` is "link_mask".
fn name_of(array: BatchArray) -> String {
    let mut out = String::new();
    for letter in format!("{array:?}").chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn check_padded(loader: &NeighborLoader, case: &Value) {
    let about = &case["name"];
    let expected = &case["expected"];
    for (name, rows) in expected["sizes"].as_object().unwrap() {
        assert_eq!(
            json!(loader.pad_size(name).unwrap()),
            *rows,
            "{about}: {name}"
        );
    }
    let epoch = wide(&case["loader"]["epoch"]);
    let show = list(&case["show"]);
    assert_eq!(show.len(), list(&expected["batches"]).len());
    for (number, want) in show.iter().zip(list(&expected["batches"])) {
        let batch = loader.sample(epoch, wide(number)).unwrap();
        let padding = match text(&want["padding"], "") {
            "fits" => Padding::Fits,
            _ => Padding::Overflow,
        };
        assert_eq!(batch.info().unwrap().padding, padding, "{about}");
        let arrays = batch.arrays().unwrap();
        assert_eq!(arrays.len(), list(&want["arrays"]).len(), "{about}");
        for want in list(&want["arrays"]) {
            let array = arrays.iter().find(|info| {
                name_of(info.array) == text(&want["array"], "")
                    && info.type_name == text(&want["type"], "")
                    && info.column == want["name"].as_str()
            });
            let info = array.unwrap_or_else(|| panic!("{about}: no {want}"));
            let view = batch.view(info.array, info.type_name, info.column).unwrap();
            assert_eq!(json!(view.shape()), want["shape"], "{about}: {info:?}");
            let got = values(&view, &want["values"]);
            assert_eq!(got, want["values"], "{about}: {info:?}");
        }
    }
}

#[test]
fn padded_batches() {
    let context = common::context();
    let content = load("pad.json");
    let datasets: HashMap<&str, Dataset> = list(&content["graphs"])
        .iter()
        .map(|graph| (text(&graph["name"], ""), build(&context, graph)))
        .collect();
    for case in list(&content["cases"]) {
        for int32 in [false, true] {
            let dataset = &datasets[text(&case["graph"], "")];
            match (padding_loader(dataset, case, int32), case["error"].as_str()) {
                (Ok(loader), None) => check_padded(&loader, case),
                (Err(error), Some(expected)) => {
                    assert_eq!(error.status_name(), expected, "{}", case["name"]);
                }
                (Ok(_), Some(expected)) => panic!("{}: expected {expected}", case["name"]),
                (Err(error), None) => panic!("{}: {error}", case["name"]),
            }
        }
    }
}

/// Of nodes and of edges, each of which is the loop at its node.
fn coded(context: &Context, case: &Value) -> Result<Dataset> {
    let packed = rows(&case["packed"]).unwrap();
    let bytes: Vec<u8> = packed.as_slice::<i64>()?.iter().map(|&b| b as u8).collect();
    let shape = packed.shape().to_vec();
    let codes = || Tensor::from_vec_with_shape(bytes.clone(), &shape).unwrap();
    let (bits, width) = (wide(&case["bits"]) as u32, wide(&case["width"]) as usize);
    let how = if case["codebook"].is_array() {
        Quantization::codebook(bits, width, floats(&case["codebook"]))
    } else {
        let end = |key: &str| case[key].as_f64().unwrap();
        Quantization::even(bits, width, end("low"), end("high"))
    };
    let loops: Vec<i64> = (0..shape[0] as i64).collect();
    let mut builder = DatasetBuilder::new(context)?;
    builder.add_edges("node__to__node", loops.clone(), loops)?;
    builder.add_node_codes(None, "x", codes(), &how, Role::Feature)?;
    builder.add_edge_codes(None, "f", codes(), &how, Role::Feature)?;
    builder.build()
}

fn bits_of(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect() // zeros have a sign
}

#[test]
fn quantised_columns() {
    let context = common::context();
    for case in list(&load("codes.json")["cases"]) {
        let about = &case["name"];
        let dataset = match (coded(&context, case), case["error"].as_str()) {
            (Ok(dataset), None) => dataset,
            (Err(error), Some(expected)) => {
                assert_eq!(error.status_name(), expected, "{about}");
                continue;
            }
            (Ok(_), Some(expected)) => panic!("{about}: expected {expected}"),
            (Err(error), None) => panic!("{about}: {error}"),
        };
        let expected = &case["expected"];
        let column = &dataset.node_columns(None).unwrap()[0];
        let codebook = floats(&expected["codebook"]);
        assert_eq!(bits_of(column.codebook), bits_of(&codebook), "{about}");
        let wanted = numbers(&case["rows"]);
        let sampler = dataset.sampler().fanouts([1]).edge_ids(true);
        let loader = sampler
            .build()
            .unwrap()
            .loader()
            .batch_size(wanted.len() as u32)
            .seeds(wanted)
            .build();
        let batch = loader.unwrap().sample(0, 0).unwrap();
        let flat: Vec<f32> = list(&expected["values"]).iter().flat_map(floats).collect();
        let x = batch.nodes(None).column("x").unwrap();
        let f = batch.edges(None).column("f").unwrap();
        for column in [x, f] {
            assert_eq!(column.shape()[1] as u64, wide(&case["width"]), "{about}");
            let got = column.to_vec::<f32>().unwrap();
            assert_eq!(bits_of(&got), bits_of(&flat), "{about}");
        }
    }
}
