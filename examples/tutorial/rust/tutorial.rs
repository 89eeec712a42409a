//! The tutorial in Rust: see ../README.md.
//!
//!     cargo run --example tutorial -- ../../examples/tutorial/ratings.csv FOLDER

use std::path::Path;
use std::process::exit;

use gls::{
    Batch, Context, DType, Dataset, DatasetBuilder, Error, Ids, NeighborLoader, Role, Tensor,
    TextOptions, WriteOptions,
};

const NODES: i64 = 1000;
const DEGREE: i64 = 5;

fn expect(holds: bool, what: &str) {
    if !holds {
        eprintln!("wrong: {what}");
        exit(1);
    }
}

fn build(context: &Context) -> gls::Result<Dataset> {
    // Every node has five in-neighbours; everything else follows from its number.
    let target: Vec<i64> = (0..NODES * DEGREE).map(|e| e / DEGREE).collect();
    let source: Vec<i64> = (0..NODES * DEGREE)
        .map(|e| (7 * (e / DEGREE) + 31 * (e % DEGREE) + 1) % NODES)
        .collect();
    let x: Vec<f32> = (0..NODES)
        .flat_map(|v| [v as f32, (v % 10) as f32])
        .collect();
    let y: Vec<i64> = (0..NODES).map(|v| v % 10).collect();
    let train: Vec<i64> = (0..NODES).step_by(2).collect();
    // [arrays]
    let x = Tensor::from_vec_with_shape(x, &[NODES as usize, 2])?;
    let mut builder = DatasetBuilder::new(context)?;
    builder
        .add_edges("node__to__node", source, target)?
        .add_node_column("node", "x", x, Role::Feature)?
        .add_node_column("node", "y", y, Role::Label)?
        .add_id_set("node", "train", train)?;
    builder.build()
    // [arrays end]
}

fn make_loader(dataset: &Dataset, workers: Option<u32>) -> gls::Result<NeighborLoader> {
    // [loader]
    let sampler = dataset
        .sampler()
        .fanouts([3, 2]) // three in-neighbours of a seed, two of each of those
        .seed(42)
        .build()?;
    let mut options = sampler
        .loader()
        .id_set("train")
        .batch_size(64)
        .shuffle(true);
    if let Some(workers) = workers {
        options = options.num_workers(workers); // by default one for each thread of the context
    }
    options.build()
    // [loader end]
}

/// What the program has seen, to be compared with the other languages.
struct Digest {
    value: u64,
    batches: usize,
    edges: usize,
}

impl Digest {
    fn new() -> Self {
        Self {
            value: 0xcbf2_9ce4_8422_2325,
            batches: 0,
            edges: 0,
        }
    }

    fn fold(&mut self, number: i64) {
        self.value = (self.value ^ number as u64).wrapping_mul(0x100_0000_01b3);
    }

    /// Stands for a step of training: looks at all a model would get, and checks it.
    fn take(&mut self, batch: &Batch) -> gls::Result<()> {
        // [use]
        let node: &[i64] = batch.node()?; // ids in the dataset; the seeds come first
        let row: &[i64] = batch.row()?; // edges, as positions in `node`
        let col: &[i64] = batch.col()?;
        let x = batch.column("x")?; // of all nodes
        let y: &[i64] = batch.column("y")?.as_slice()?; // of the seeds
                                                        // [use end]
        for (i, &id) in node.iter().enumerate() {
            let features: &[f32] = x.row(i)?;
            expect(features == [id as f32, (id % 10) as f32], "features");
            self.fold(id);
            self.fold(features[0] as i64);
        }
        for (&label, &id) in y.iter().zip(node) {
            expect(label == id % 10, "labels");
            self.fold(label);
        }
        for (&row, &col) in row.iter().zip(col) {
            let (from, to) = (node[row as usize], node[col as usize]);
            let step = (from - 7 * to - 1).rem_euclid(NODES);
            expect(
                step % 31 == 0 && step / 31 < DEGREE,
                "an edge that the graph has not",
            );
            self.fold(from);
            self.fold(to);
        }
        self.batches += 1;
        self.edges += row.len();
        Ok(())
    }
}

fn whole(dataset: &Dataset) -> gls::Result<Digest> {
    let mut digest = Digest::new();
    // [epoch]
    for batch in make_loader(dataset, None)? {
        digest.take(&batch?)?;
    }
    // [epoch end]
    Ok(digest)
}

fn resumed(dataset: &Dataset) -> gls::Result<Digest> {
    let mut digest = Digest::new();
    // [resume]
    let mut first = make_loader(dataset, None)?;
    for batch in first.batches().take(3) {
        digest.take(&batch?)?;
    }
    let state = first.save()?;
    drop(first);

    let mut second = make_loader(dataset, Some(1))?; // elsewhere, with another number of threads
    for batch in second.restore(&state)? {
        digest.take(&batch?)?;
    }
    // [resume end]
    Ok(digest)
}

fn fail(dataset: &Dataset) -> gls::Result<()> {
    let sampler = dataset.sampler().fanouts([3]).build()?;
    // [errors]
    match sampler.loader().id_set("training").build() {
        Err(error @ Error::NotFound(_)) => println!("{}: {error}", error.status_name()),
        _ => expect(false, "an id set that is not there"),
    }
    // There are nodes 0 .. 999.
    match sampler.loader().seeds(vec![NODES]).build() {
        Err(error @ Error::InvalidArgument(_)) => {
            expect(error.detail("argument") == Some("seeds"), "the detail");
            println!("{}: {error}", error.status_name());
        }
        _ => expect(false, "a seed that is not there"),
    }
    // [errors end]
    Ok(())
}

/// Imports the ratings; returns how many movies ada rated.
fn import(context: &Context, csv: &Path, folder: &Path, digest: &mut Digest) -> gls::Result<usize> {
    // [csv]
    let text = TextOptions::new()
        .source("user")
        .target("movie")
        .column("stars", None, DType::F32, Role::Weight)
        .add_reverse(true); // movie__rev_rates__user: a way from a user to movies
    DatasetBuilder::new(context)?
        .add_node_type("user", 0, Ids::String)?
        .add_node_type("movie", 0, Ids::String)?
        .add_edges_text("user__rates__movie", csv, &text)?
        .write_with(folder, WriteOptions::new().overwrite(true))?; // now the file is read
                                                                   // [csv end]
                                                                   // [open]
    let ratings = Dataset::open(context, folder)?;
    let ada = ratings.find_node("user", "ada")?;
    let sampler = ratings.sampler().fanouts([-1]).build()?;
    let batch = sampler.request().seeds("user", &[ada]).sample()?;
    let movies: &[i64] = batch.nodes("movie").node()?;
    for &movie in movies {
        println!("ada rated {}", ratings.node_key("movie", movie)?);
        digest.fold(movie);
    }
    // [open end]
    Ok(movies.len())
}

fn run(csv: &Path, folder: &Path) -> gls::Result<()> {
    let context = Context::new()?;
    let dataset = build(&context)?;
    let mut digest = resumed(&dataset)?;
    expect(
        digest.value == whole(&dataset)?.value,
        "a resumed epoch is not the whole one",
    );
    expect(digest.batches == 8, "the number of batches");
    fail(&dataset)?;
    let movies = import(&context, csv, folder, &mut digest)?;
    expect(movies == 3, "the number of movies");
    println!(
        "digest {:016x}, {} batches, {} edges, {movies} movies",
        digest.value, digest.batches, digest.edges
    );
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 3 {
        eprintln!("usage: tutorial ratings.csv FOLDER");
        exit(2);
    }
    if let Err(error) = run(Path::new(&arguments[1]), Path::new(&arguments[2])) {
        eprintln!("{error}");
        exit(1);
    }
}
