//! Prints a digest of each batch of a loader, to be compared with that of any other language, and
//! saves and resumes the loader's position.
//!
//!     digest DATASET [OPTION...]
//!
//!     DATASET                 a dataset folder, gls://HOST:PORT, or cora:FOLDER
//!     --fanouts 10,10         neighbours per hop; -1 takes all
//!     --id-set NAME           the seeds (default: all nodes)
//!     --node-type NAME        type of the seeds
//!     --batch-size N          --seed N          --epochs N (default 1)       --threads N
//!     --shuffle  --drop-last  --edge-ids  --disjoint  --int32  --toward-seeds
//!     --direction in|out      --replace never|above|always      --weight COLUMN
//!     --columns a,b           what to gather (default: by role); "" for nothing
//!     --rank R --world W      which trainer this is
//!     --made-by here|servers  where the batches of a served graph are made
//!     --prefetch N            finished batches kept ready (default: two for each worker)
//!     --pace-ms N             rests after each batch
//!     --stop-after N          stops after N batches and prints the loader's state as the last line
//!     --resume FILE           continues from such a state; "-": standard input
//!
//! One JSON line per batch, {"epoch": 0, "batch": 0, "digest": "16 hexadecimal digits"}, then one
//! for all, {"batches": 3, "digest": "..."}. See digest.rs for what is fed.

mod cora;
mod digest;

use std::io::Read;
use std::path::Path;
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use digest::Digest;
use gls::{Context, Dataset, Direction, MadeBy, Replace};

type Failure = Box<dyn std::error::Error>;

#[derive(Default)]
struct Arguments {
    dataset: Option<String>,
    options: Vec<(String, String)>,
}

const FLAGS: [&str; 6] = [
    "shuffle",
    "drop-last",
    "edge-ids",
    "disjoint",
    "int32",
    "toward-seeds",
];
const VALUES: [&str; 18] = [
    "fanouts",
    "id-set",
    "node-type",
    "batch-size",
    "seed",
    "epochs",
    "threads",
    "direction",
    "replace",
    "weight",
    "columns",
    "rank",
    "world",
    "made-by",
    "prefetch",
    "pace-ms",
    "stop-after",
    "resume",
];

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut out = Self::default();
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                None if out.dataset.is_none() => out.dataset = Some(word),
                None => return Err(format!("unexpected argument {word}").into()),
                Some(name) if FLAGS.contains(&name) => {
                    out.options.push((name.to_owned(), String::new()));
                }
                Some(name) if VALUES.contains(&name) => {
                    let value = words.next().ok_or(format!("{word} needs a value"))?;
                    out.options.push((name.to_owned(), value));
                }
                Some(_) => return Err(format!("unknown option {word}").into()),
            }
        }
        Ok(out)
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().rev().find(|option| option.0 == name);
        found.map(|option| option.1.as_str())
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn number(&self, name: &str, default: u64) -> Result<u64, Failure> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value
                .parse()
                .map_err(|_| format!("--{name} is {value}, expected a number").into()),
        }
    }
}

fn dataset(context: &Context, name: &str) -> Result<Dataset, Failure> {
    match name.strip_prefix("cora:") {
        None => Ok(Dataset::open(context, name)?),
        Some(folder) => Ok(cora::cora(context, Path::new(folder))?.build()?),
    }
}

fn run() -> Result<(), Failure> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let context = Context::builder()
        .num_threads(arguments.number("threads", 0)? as u32)
        .build()?;
    let name = arguments.dataset.as_deref();
    let dataset = dataset(&context, name.ok_or("which dataset?")?)?;

    let fanouts = arguments.get("fanouts").unwrap_or("10,10").split(',');
    let fanouts = fanouts.map(str::parse).collect::<Result<Vec<i64>, _>>()?;
    let mut sampler = dataset
        .sampler()
        .fanouts(fanouts)
        .seed(arguments.number("seed", 0)?)
        .edge_ids(arguments.flag("edge-ids"))
        .disjoint(arguments.flag("disjoint"))
        .int32(arguments.flag("int32"))
        .toward_seeds(arguments.flag("toward-seeds"))
        .direction(match arguments.get("direction") {
            None | Some("in") => Direction::In,
            Some("out") => Direction::Out,
            Some(other) => return Err(format!("--direction is {other}").into()),
        })
        .replace(match arguments.get("replace") {
            None | Some("never") => Replace::Never,
            Some("above") => Replace::Above,
            Some("always") => Replace::Always,
            Some(other) => return Err(format!("--replace is {other}").into()),
        });
    if let Some(column) = arguments.get("weight") {
        sampler = sampler.weight(column);
    }
    let sampler = sampler.build()?;

    let mut loader = sampler
        .loader()
        .batch_size(arguments.number("batch-size", 64)? as u32)
        .shuffle(arguments.flag("shuffle"))
        .drop_last(arguments.flag("drop-last"))
        .trainer(
            arguments.number("rank", 0)? as u32,
            arguments.number("world", 1)? as u32,
        )
        .made_by(match arguments.get("made-by") {
            None | Some("here") => MadeBy::Here,
            Some("servers") => MadeBy::Servers,
            Some(other) => return Err(format!("--made-by is {other}").into()),
        });
    if arguments.flag("prefetch") {
        loader = loader.prefetch(arguments.number("prefetch", 0)? as u32);
    }
    if let Some(name) = arguments.get("id-set") {
        loader = loader.id_set(name);
    }
    if let Some(name) = arguments.get("node-type") {
        loader = loader.node_type(name);
    }
    if let Some(names) = arguments.get("columns") {
        loader = loader.columns(names.split(',').filter(|name| !name.is_empty()));
    }
    let mut loader = loader.build()?;

    if let Some(from) = arguments.get("resume") {
        let mut state = String::new();
        if from == "-" {
            std::io::stdin().read_to_string(&mut state)?;
        } else {
            state = std::fs::read_to_string(from)?;
        }
        loader.restore(state.trim())?;
    }
    let pace = Duration::from_millis(arguments.number("pace-ms", 0)?);
    let stop_after = arguments.number("stop-after", u64::MAX)?;
    let (mut all, mut batches) = (Digest::default(), 0);
    let first = loader.info()?.epoch;
    'epochs: for epoch in first..arguments.number("epochs", 1)? {
        if epoch != first {
            loader.seek(epoch)?;
        }
        while batches < stop_after {
            let batch = match loader.next() {
                Some(batch) => batch?,
                None => continue 'epochs,
            };
            let info = batch.info()?;
            let mut one = Digest::default();
            one.batch(&batch)?;
            all.batch(&batch)?;
            batches += 1;
            println!(
                "{{\"epoch\": {}, \"batch\": {}, \"digest\": \"{:016x}\"}}",
                info.epoch, info.batch, one.0
            );
            sleep(pace);
        }
        break;
    }
    println!("{{\"batches\": {batches}, \"digest\": \"{:016x}\"}}", all.0);
    if batches == stop_after {
        println!("{}", loader.save()?);
    }
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("digest: {error}");
        exit(1);
    }
}
