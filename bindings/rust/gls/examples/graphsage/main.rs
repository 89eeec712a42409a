//! Trains GraphSAGE on Cora.
//!
//!     cargo run --release --example graphsage [-- [SEEDS [FOLDER]]]
//!
//! The configuration is GraphSAGE-GCN of the paper. The published reference is the GraphSAGE
//! example of DGL, which gives 0.833 on Cora with the whole graph. The mean of five seeds or more
//! must be within 0.015 of it, or the program fails. The program keeps the parameters with the best
//! validation accuracy, which it measures with whole neighbourhoods. The last line is JSON.

#[path = "../digest/cora.rs"]
mod cora;
mod model;

use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::Instant;

use gls::{Context, Dataset, Result};
use model::{GraphSage, Input, Random};

const FANOUTS: [i64; 2] = [10, 10];
const HIDDEN: usize = 64;
const DROPOUT: f32 = 0.7;
const WEIGHT_DECAY: f32 = 5e-4;
const BATCH_SIZE: u32 = 64;
const EPOCHS: u64 = 100;
const REFERENCE: f64 = 0.833;
const TOLERANCE: f64 = 0.015;

fn whole_neighbourhoods(dataset: &Dataset, id_set: &str, features: usize) -> Result<Vec<Input>> {
    let sampler = dataset.sampler().fanouts([-1, -1]).build()?;
    let loader = sampler.loader().id_set(id_set).batch_size(500).build()?;
    loader
        .into_iter()
        .map(|batch| Input::of(batch?, features))
        .collect()
}

/// Test accuracy with the parameters that did best on the validation set.
fn train(dataset: &Dataset, seed: u64) -> Result<f64> {
    let mut random = Random::new(seed + 1);
    let columns = dataset.node_columns(None)?;
    let x = columns.iter().find(|column| column.name == "x");
    let features = x.expect("Cora has x").shape[1];
    let y = dataset.node_column(None, "y")?;
    let classes = y
        .as_slice::<i64>()?
        .iter()
        .max()
        .map_or(0, |&most| most + 1) as usize;
    let mut model = GraphSage::new(
        [features, HIDDEN, classes],
        DROPOUT,
        WEIGHT_DECAY,
        &mut random,
    );
    let sampler = dataset.sampler().fanouts(FANOUTS).seed(seed).build()?;
    let mut loader = sampler
        .loader()
        .id_set("train")
        .batch_size(BATCH_SIZE)
        .shuffle(true)
        .build()?;
    let valid = whole_neighbourhoods(dataset, "valid", features)?;
    let (mut best, mut kept) = ((-1.0, 0.0), Vec::new());
    for _epoch in 0..EPOCHS {
        for batch in &mut loader {
            model.train(&Input::of(batch?, features)?, &mut random);
        }
        let (accuracy, loss) = model.evaluate(&valid);
        if (accuracy, -loss) > best {
            best = (accuracy, -loss);
            kept = model.values();
        }
    }
    model.set_values(kept);
    let test = whole_neighbourhoods(dataset, "test", features)?;
    Ok(model.evaluate(&test).0)
}

fn run(seeds: u64, folder: &Path) -> std::result::Result<f64, Box<dyn std::error::Error>> {
    let context = Context::new()?;
    let dataset = cora::cora(&context, folder)?.build()?;
    println!("{dataset:?}");
    let mut sum = 0.0;
    for seed in 0..seeds {
        let accuracy = train(&dataset, seed)?;
        println!("seed {seed}: accuracy {accuracy:.4}");
        sum += accuracy;
    }
    Ok(sum / seeds as f64)
}

fn main() {
    let begin = Instant::now();
    let mut arguments = std::env::args().skip(1);
    let seeds = arguments.next().map_or(Ok(5), |text| text.parse());
    let bundled = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/data/cora");
    let folder = arguments.next().map_or_else(bundled, PathBuf::from);
    let seeds: u64 = match seeds {
        Ok(seeds) if seeds > 0 => seeds,
        _ => {
            eprintln!("usage: graphsage [SEEDS [FOLDER]]");
            exit(2);
        }
    };
    match run(seeds, &folder) {
        Ok(accuracy) => {
            let seconds = begin.elapsed().as_secs_f64();
            println!("{{\"accuracy\": {accuracy:.4}, \"seconds\": {seconds:.2}}}");
            if seeds >= 5 && accuracy < REFERENCE - TOLERANCE {
                eprintln!("accuracy {accuracy:.4} is below {REFERENCE} - {TOLERANCE}");
                exit(1);
            }
        }
        Err(error) => {
            eprintln!("graphsage: {error}");
            exit(1);
        }
    }
}
