//! Rows that training changes: of a graph in this process, and of the same one at two servers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::common::{context, ring, TempDir};
use gls::*;

const KEY: &str = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";
const SOON: Option<Duration> = Some(Duration::from_secs(30));
const NOW: Option<Duration> = Some(Duration::from_millis(300));
const NODES: usize = 200;
const WIDTH: usize = 3;
const RATE: f64 = 0.25;

/// In the order in which they may go.
struct Graphs {
    far: Dataset,
    servers: Vec<Server>,
    here: Dataset,
    parts: PathBuf,
    context: Context,
    folder: TempDir,
}

impl Graphs {
    fn new() -> Self {
        let folder = TempDir::new();
        let key = folder.join("key");
        fs::write(&key, KEY).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        let context = context();
        context.set("net.key_file", key.to_str().unwrap()).unwrap();
        context.set("cluster.same_host", "false").unwrap(); // so that there is a network
        let here = ring(&context, NODES as i64, 4);
        let parts = folder.join("parts");
        let options = PartitionOptions::new()
            .parts(2)
            .method(PartitionMethod::Hash);
        here.partition(&parts, options).unwrap();
        let serve = |part, others: &[&str]| {
            Server::options()
                .parts([part])
                .servers(others.iter().copied())
                .table_bytes(1 << 20)
                .start(&context, &parts)
                .unwrap()
        };
        let first = serve(0, &[]);
        let second = serve(1, &[first.address()]);
        let far = Dataset::open(&context, format!("gls://{}", second.address())).unwrap();
        Self {
            far,
            servers: vec![first, second],
            here,
            parts,
            context,
            folder,
        }
    }

    fn both(&self) -> [&Dataset; 2] {
        [&self.here, &self.far]
    }

    /// As another process would.
    fn open(&self, server: usize) -> Dataset {
        let place = format!("gls://{}", self.servers[server].address());
        Dataset::open(&self.context, place).unwrap()
    }
}

fn options() -> TableOptions {
    TableOptions::new(WIDTH)
}

fn by(optimizer: Optimizer) -> TableOptions {
    options().uniform(-0.5, 0.5).seed(7).optimizer(optimizer)
}

fn read(table: &Table, ids: &[i64]) -> Vec<f32> {
    let rows = table.rows(ids).unwrap();
    assert_eq!(rows.shape(), [ids.len(), table.info().unwrap().width]);
    rows.to_vec().unwrap()
}

fn all(table: &Table) -> Vec<f32> {
    let rows = table.info().unwrap().rows as i64;
    read(table, &(0..rows).collect::<Vec<_>>())
}

/// Each on a thread of its own.
fn trainers(count: u32, trainer: impl Fn(u32) + Sync) {
    thread::scope(|scope| {
        for rank in 0..count {
            let trainer = &trainer;
            scope.spawn(move || trainer(rank));
        }
    });
}

macro_rules! refused {
    ($result:expr, $kind:ident, $words:expr) => {{
        let error = $result.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::$kind(_)), "{error:?}");
        assert!(error.message().contains($words), "{error:?}");
        error
    }};
}

// ---- rows ----

#[test]
fn begins_the_same_whoever_holds_it() {
    let graphs = Graphs::new();
    let drawn = options().uniform(-0.5, 0.25).seed(7);
    let near = graphs.here.table("node", "e", &drawn).unwrap();
    let there = graphs.far.table(None, "e", &drawn).unwrap();
    let again = graphs.far.table(None, "e", None).unwrap();
    let other = graphs.here.table(None, "e2", &drawn).unwrap();
    let rows = all(&near);
    assert_eq!(rows.len(), NODES * WIDTH);
    assert!(rows.iter().all(|value| (-0.5..0.25).contains(value)));
    let mean = rows.iter().sum::<f32>() / rows.len() as f32;
    assert!((mean + 0.125).abs() < 0.045, "{mean}"); // five standard deviations
    assert_eq!(all(&there), rows);
    assert_eq!(all(&again), rows);
    assert_ne!(all(&other), rows);
    let even = options().constant(1.5);
    let even = graphs.far.table(None, "even", &even).unwrap();
    assert_eq!(read(&even, &[3]), [1.5; WIDTH]);
    let edges = graphs
        .here
        .table("node__to__node", "e", &TableOptions::new(1));
    let edges = edges.unwrap();
    assert_eq!(edges.info().unwrap().rows, NODES * 4);
    assert_eq!(read(&edges, &[799]), [0.0]);
    let info = there.info().unwrap();
    assert_eq!(info, near.info().unwrap());
    assert_eq!((info.name.as_str(), info.type_name.as_str()), ("e", "node"));
    assert_eq!(
        (info.rows, info.width, info.dtype),
        (NODES, WIDTH, DType::F32)
    );
    assert_eq!(
        (info.mean, info.row_steps, info.optimizer),
        (false, false, None)
    );
    assert_eq!((info.rank, info.world_size, info.step), (0, 1, 0));
    assert_eq!(info.bytes, (4 * NODES * WIDTH) as u64);
}

#[test]
fn reads_what_was_written() {
    let graphs = Graphs::new();
    for dataset in graphs.both() {
        let table = dataset.table(None, "written", &options()).unwrap();
        let reader = dataset.table(None, "written", None).unwrap();
        let rows = [1f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        table.write(&[9i32, 4, 9], &rows).unwrap(); // of the same id, the last
        table.write(&[0i64; 0], &[0f32; 0]).unwrap();
        let expected = [7.0, 8.0, 9.0, 0.0, 0.0, 0.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        assert_eq!(read(&table, &[9, 0, 4, 9]), expected);
        assert_eq!(read(&reader, &[9, 0, 4, 9]), expected);
        assert_eq!(read(&table, &[]), []);
    }
}

#[test]
fn has_numbers_of_any_type() {
    let graphs = Graphs::new();
    for dataset in graphs.both() {
        let counts = TableOptions::new(2).dtype(DType::I64);
        let table = dataset.table(None, "counts", &counts).unwrap();
        let rows = [1i64 << 60, -2, 3, 4];
        table.write(&[199i64, 0], &rows).unwrap();
        let got = table.rows(&[199i64, 0]).unwrap();
        assert_eq!(got.as_slice::<i64>().unwrap(), rows);
        assert!(!got.is_read_only());

        let halves = TableOptions::new(2).dtype(DType::F16);
        let table = dataset.table(None, "halves", &halves).unwrap();
        table.write(&[5i64], &[0x3c00u16, 0xc000]).unwrap(); // 1 and -2
        let got = table.rows(&[5i64]).unwrap();
        assert_eq!(got.dtype(), DType::F16);
        assert_eq!(got.as_slice::<u16>().unwrap(), [0x3c00, 0xc000]);
    }
}

// ---- steps ----

#[test]
fn gradients_of_a_row_are_summed_or_their_mean_taken() {
    let graphs = Graphs::new();
    for dataset in graphs.both() {
        for mean in [false, true] {
            let sgd = options().constant(1.0).optimizer(Optimizer::Sgd).mean(mean);
            let mut table = dataset.table(None, &format!("sgd {mean}"), &sgd).unwrap();
            let gradients = [1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 3.0, 2.0, -1.0];
            table.step(&[5i64, 6, 5], &gradients, RATE).unwrap();
            let expected = if mean {
                [0.5, 0.5, 0.75]
            } else {
                [0.0, 0.0, 0.5]
            };
            assert_eq!(read(&table, &[5]), expected);
            assert_eq!(read(&table, &[6, 7]), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
            let info = table.info().unwrap();
            assert_eq!((info.step, info.mean), (1, mean));
            assert_eq!(info.optimizer, Some(Optimizer::Sgd));
        }
    }
}

/// One number, and what its optimiser keeps.
#[derive(Debug, Clone, Copy)]
struct Number {
    w: f64,
    m: f64,
    v: f64,
    steps: i32, // in which it was
}

/// Adagrad's, as gls.h writes it.
fn adagrad(number: &mut Number, g: f64, epsilon: f64) {
    number.v += g * g;
    number.w -= RATE * g / (number.v.sqrt() + epsilon);
}

/// Adam's.
fn adam(number: &mut Number, g: f64, t: i32, epsilon: f64, beta1: f64, beta2: f64) {
    gather(number, g, beta1, beta2);
    let scale = (1.0 - beta2.powi(t)).sqrt() / (1.0 - beta1.powi(t));
    number.w -= RATE * scale * number.m / (number.v.sqrt() + epsilon);
}

/// Adam's with the steps of each row.
fn adam_of_rows(number: &mut Number, g: f64, epsilon: f64, beta1: f64, beta2: f64) {
    gather(number, g, beta1, beta2);
    let m = number.m / (1.0 - beta1.powi(number.steps));
    let v = number.v / (1.0 - beta2.powi(number.steps));
    number.w -= RATE * m / (v.sqrt() + epsilon);
}

fn gather(number: &mut Number, g: f64, beta1: f64, beta2: f64) {
    number.steps += 1;
    number.m += (1.0 - beta1) * (g - number.m);
    number.v += (1.0 - beta2) * (g * g - number.v);
}

/// Five steps, each of some of two rows, are those of the law.
fn follows(
    graphs: &Graphs,
    name: &str,
    options: &TableOptions,
    law: impl Fn(&mut Number, f64, i32),
) {
    let rows = [8i64, 3];
    let steps: [&[i64]; 5] = [&[8, 3], &[8], &[], &[3], &[3, 8, 3]];
    for dataset in graphs.both() {
        let mut table = dataset.table(None, name, options).unwrap();
        let begin = |w: f32| Number {
            w: w.into(),
            m: 0.0,
            v: 0.0,
            steps: 0,
        };
        let mut expected: Vec<Number> = read(&table, &rows).into_iter().map(begin).collect();
        for (t, ids) in (1..).zip(steps) {
            let sign = |i: usize| if i % 2 == 0 { 1.0 } else { -0.5 };
            let gradients: Vec<f32> = (0..ids.len() * WIDTH)
                .map(|i| sign(i) * (i + 1) as f32 / t as f32)
                .collect();
            for (row, numbers) in rows.iter().zip(expected.chunks_mut(WIDTH)) {
                for (place, number) in numbers.iter_mut().enumerate() {
                    let of_row = ids.iter().enumerate().filter(|(_, id)| *id == row);
                    let sum: f32 = of_row.map(|(i, _)| gradients[i * WIDTH + place]).sum();
                    if ids.contains(row) {
                        law(number, sum.into(), t);
                    }
                }
            }
            table
                .step_with_timeout(ids, &gradients, RATE, SOON)
                .unwrap();
        }
        assert_eq!(table.info().unwrap().step, 5);
        for (got, expected) in read(&table, &rows).into_iter().zip(expected) {
            let distance = (f64::from(got) - expected.w).abs();
            assert!(distance < 1e-5, "{name}: {got}, expected {expected:?}");
        }
    }
}

#[test]
fn steps_are_those_of_the_formulas() {
    let graphs = Graphs::new();
    let options = by(Optimizer::Adagrad);
    follows(&graphs, "adagrad", &options, |number, g, _| {
        adagrad(number, g, 1e-10);
    });
    let options = by(Optimizer::Adagrad).epsilon(0.5);
    follows(&graphs, "adagrad, 0.5", &options, |number, g, _| {
        adagrad(number, g, 0.5);
    });
    let options = by(Optimizer::Adam);
    follows(&graphs, "adam", &options, |number, g, t| {
        adam(number, g, t, 1e-8, 0.9, 0.999);
    });
    let options = by(Optimizer::Adam).epsilon(0.25).betas(0.0, 0.5);
    follows(&graphs, "adam, 0.25", &options, |number, g, t| {
        adam(number, g, t, 0.25, 0.0, 0.5);
    });
    let options = by(Optimizer::Adam).row_steps(true).epsilon(0.0);
    follows(&graphs, "adam of rows", &options, |number, g, _| {
        adam_of_rows(number, g, 0.0, 0.9, 0.999);
    });
}

/// What a trainer of two has for a step, so that sums are exact.
fn given(rank: u32, step: i64) -> (Vec<i64>, Vec<f32>) {
    let ids = if rank == 0 {
        vec![step, 100, step]
    } else {
        vec![100, step + 50]
    };
    let gradients = (0..ids.len() * WIDTH)
        .map(|i| (rank + 1) as f32 * 0.25 * (i + 1) as f32 - step as f32 * 0.5)
        .collect();
    (ids, gradients)
}

fn trainer(dataset: &Dataset, rank: u32) -> Table {
    let options = by(Optimizer::Adagrad).trainer(rank, 2);
    dataset.table(None, "e", &options).unwrap()
}

fn step(table: &mut Table, rank: u32, step: i64) {
    let (ids, gradients) = given(rank, step);
    table
        .step_with_timeout(&ids, &gradients, RATE, SOON)
        .unwrap();
}

/// As two trainers together.
fn step_alone(table: &mut Table, step: i64) {
    let (mut ids, mut gradients) = given(0, step);
    let (more_ids, more_gradients) = given(1, step);
    ids.extend(more_ids);
    gradients.extend(more_gradients);
    table.step(&ids, &gradients, RATE).unwrap();
}

#[test]
fn trainers_take_steps_together() {
    let graphs = Graphs::new();
    trainers(2, |rank| {
        let dataset = graphs.open(rank as usize);
        let mut table = trainer(&dataset, rank);
        (0..20).for_each(|number| step(&mut table, rank, number));
        let info = table.info().unwrap();
        assert_eq!((info.step, info.rank, info.world_size), (20, rank, 2));
    });
    let options = by(Optimizer::Adagrad);
    let mut alone = graphs.here.table(None, "e", &options).unwrap();
    (0..20).for_each(|number| step_alone(&mut alone, number));
    let together = graphs.far.table(None, "e", None).unwrap();
    assert_eq!(all(&together), all(&alone));
}

#[test]
fn who_waits_alone_is_told_who_is_missing() {
    let graphs = Graphs::new();
    let mut tables = [trainer(&graphs.far, 0), trainer(&graphs.far, 1)];
    let begin = read(&tables[0], &[1]);
    for timeout in [NOW, Some(Duration::ZERO)] {
        let result = tables[0].step_with_timeout(&[1i64], &[1.0; WIDTH], RATE, timeout);
        refused!(result, TimedOut, "1");
    }
    assert_eq!(read(&tables[0], &[1]), begin);
    thread::scope(|scope| {
        for table in &mut tables {
            scope.spawn(|| {
                let (ids, gradients) = ([1i64], [1.0; WIDTH]); // the first goes on with it
                table
                    .step_with_timeout(&ids, &gradients, RATE, None)
                    .unwrap();
            });
        }
    });
    assert_eq!(tables[0].info().unwrap().step, 1);
    for (got, begin) in read(&tables[1], &[1]).into_iter().zip(begin) {
        assert!((got - (begin - RATE as f32)).abs() < 1e-6); // Adagrad: 2 / sqrt(4)
    }
}

// ---- saving and loading ----

#[test]
fn saved_by_two_it_is_loaded_by_one_and_by_three() {
    let graphs = Graphs::new();
    let saved = graphs.folder.join("saved");
    trainers(2, |rank| {
        let mut table = trainer(&graphs.far, rank);
        step(&mut table, rank, 0);
        table.save(&saved).unwrap();
        step(&mut table, rank, 1);
    });
    let together = graphs.far.table(None, "e", None).unwrap();
    let options = by(Optimizer::Adagrad);
    let mut alone = graphs.here.table(None, "another name", &options).unwrap();
    alone.load(&saved).unwrap();
    assert_eq!(alone.info().unwrap().step, 1);
    step_alone(&mut alone, 1); // the optimiser is where it was
    assert_eq!(all(&alone), all(&together));
    trainers(3, |rank| {
        let options = by(Optimizer::Adagrad).trainer(rank, 3);
        let mut table = graphs.far.table(None, "of three", &options).unwrap();
        table.load_with_timeout(&saved, SOON).unwrap();
        step(&mut table, rank.min(1), 1);
        assert_eq!(table.info().unwrap().step, 2);
    });

    refused!(alone.save(&saved), AlreadyExists, "saved");
    let half = graphs.folder.join("half");
    trainer(&graphs.far, 1).save(&half).unwrap();
    refused!(alone.load(&half), NotFound, "0");
    refused!(
        alone.load(graphs.folder.join("nowhere")),
        NotFound,
        "nowhere"
    );
    let wider = TableOptions::new(4);
    let mut wider = graphs.here.table(None, "wider", &wider).unwrap();
    refused!(wider.load(&saved), InvalidArgument, "width");
}

#[test]
fn who_loads_waits_for_the_others() {
    let graphs = Graphs::new();
    let saved = graphs.folder.join("saved");
    let options = by(Optimizer::Adagrad);
    let mut alone = graphs.here.table(None, "e", &options).unwrap();
    step_alone(&mut alone, 0);
    alone.save(&saved).unwrap();
    let mut tables = [trainer(&graphs.far, 0), trainer(&graphs.far, 1)];
    refused!(tables[0].load_with_timeout(&saved, NOW), TimedOut, "1");
    thread::scope(|scope| {
        for table in &mut tables {
            scope.spawn(|| table.load_with_timeout(&saved, None).unwrap());
        }
    });
    assert_eq!(tables[1].info().unwrap().step, 1);
    assert_eq!(all(&tables[0]), all(&alone));
}

// ---- what is wrong ----

#[test]
fn says_what_is_wrong_with_arguments() {
    let graphs = Graphs::new();
    for dataset in graphs.both() {
        let mut table = dataset.table(None, "e", &by(Optimizer::Sgd)).unwrap();
        let mut reader = dataset.table(None, "e", None).unwrap();
        let mut plain = dataset.table(None, "plain", &options()).unwrap();
        let (ids, rows) = ([0i64, NODES as i64], [0f32; 2 * WIDTH]);
        for error in [
            refused!(table.rows(&ids), InvalidArgument, "200"),
            refused!(table.write(&ids, &rows), InvalidArgument, "200"),
            refused!(table.step(&ids, &rows, RATE), InvalidArgument, "200"),
        ] {
            assert_eq!(error.detail("argument"), Some("ids"));
        }
        let two = [3i64, 4];
        for bad in [&rows[1..], &[]] {
            let error = refused!(table.write(&two, bad), InvalidArgument, "2 rows of 3");
            assert_eq!(error.detail("argument"), Some("rows"));
            let error = refused!(table.step(&two, bad, RATE), InvalidArgument, "2 rows of 3");
            assert_eq!(error.detail("argument"), Some("gradients"));
        }
        let error = refused!(table.write(&two, &[0f64; 6]), InvalidArgument, "float64");
        assert_eq!(error.detail("argument"), Some("rows"));
        let result = table.step(&two, &rows, f64::NAN);
        refused!(result, InvalidArgument, "learning_rate");
        refused!(plain.step(&two, &rows, RATE), InvalidState, "");
        refused!(reader.step(&two, &rows, RATE), InvalidState, "");
        refused!(table.save("a\0b"), InvalidArgument, "path");
        refused!(table.load("a\0b"), InvalidArgument, "path");
        assert_eq!(table.info().unwrap().step, 0);
    }
}

#[test]
fn says_what_is_wrong_with_options() {
    let graphs = Graphs::new();
    for dataset in graphs.both() {
        let open = |options: &TableOptions| dataset.table(None, "a", options);
        let _table = dataset.table(None, "e", &by(Optimizer::Adam)).unwrap();
        let wider = TableOptions::new(4).uniform(-0.5, 0.5).seed(7);
        let wider = wider.optimizer(Optimizer::Adam);
        refused!(dataset.table(None, "e", &wider), AlreadyExists, "width");
        refused!(dataset.table(None, "e", &options()), AlreadyExists, "");
        refused!(dataset.table(None, "none", None), NotFound, "none");
        refused!(dataset.table("none", "e", &options()), NotFound, "none");
        for name in ["", "a\0b", &"e".repeat(256)] {
            let result = dataset.table(None, name, &options());
            refused!(result, InvalidArgument, "name");
        }
        refused!(open(&TableOptions::new(0)), InvalidArgument, "width");
        let adam = by(Optimizer::Adam);
        let betas = adam.clone().betas(1.0, 0.5);
        refused!(open(&betas), InvalidArgument, "beta1");
        let betas = adam.clone().betas(0.5, -1.0);
        refused!(open(&betas), InvalidArgument, "beta2");
        refused!(open(&adam.epsilon(-1.0)), InvalidArgument, "epsilon");
        let double = options().dtype(DType::F64).optimizer(Optimizer::Sgd);
        refused!(open(&double), Unsupported, "float64");
        refused!(open(&options().trainer(2, 2)), InvalidArgument, "rank");
        refused!(
            open(&options().trainer(0, 0)),
            InvalidArgument,
            "world_size"
        );
    }
    let two = options().trainer(0, 2);
    let error = refused!(
        graphs.here.table(None, "a", &two),
        InvalidArgument,
        "world_size"
    );
    assert_eq!(error.detail("argument"), Some("world_size"));
}

#[test]
fn servers_hold_no_more_than_they_may() {
    let graphs = Graphs::new();
    let large = graphs.far.table(None, "large", &TableOptions::new(4000));
    refused!(large, OutOfMemory, "");
    let without = Server::options()
        .parts([1])
        .servers([graphs.servers[0].address()])
        .start(&graphs.context, &graphs.parts)
        .unwrap();
    graphs.servers[1].stop(Some(Duration::ZERO)).unwrap();
    let place = format!("gls://{}", without.address());
    let dataset = Dataset::open(&graphs.context, place).unwrap();
    refused!(dataset.table(None, "e", &options()), Unsupported, "");
}

#[test]
fn what_is_dropped_is_gone_for_all() {
    let graphs = Graphs::new();
    for dataset in graphs.both() {
        let table = dataset.table(None, "e", &options()).unwrap();
        let reader = dataset.table(None, "e", None).unwrap();
        reader.drop_for_all().unwrap();
        table.drop_for_all().unwrap();
        refused!(table.rows(&[1i64]), InvalidState, "");
        refused!(reader.rows(&[1i64]), InvalidState, "");
        refused!(dataset.table(None, "e", None), NotFound, "e");
        let another = TableOptions::new(1).constant(2.0);
        let another = dataset.table(None, "e", &another).unwrap();
        assert_eq!(read(&another, &[1]), [2.0]);
        refused!(table.rows(&[1i64]), InvalidState, "");
    }
}

#[test]
fn a_table_needs_no_dataset_and_stays_without_its_objects() {
    let graphs = Graphs::new();
    let dataset = graphs.open(0);
    let table = dataset.table(None, "e", &options()).unwrap();
    drop(dataset);
    table.write(&[1i64], &[1f32, 2.0, 3.0]).unwrap();
    drop(table);
    let again = graphs.far.table(None, "e", None).unwrap();
    assert_eq!(read(&again, &[1]), [1.0, 2.0, 3.0]);
}
