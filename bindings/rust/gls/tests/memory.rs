//! Memory stays flat over many cycles. In a program of its own, as it looks at the whole process.

mod common;

use common::{context, resident, ring, TempDir};
use gls::*;

fn cycle(context: &Context, path: &std::path::Path) {
    let dataset = Dataset::open(context, path).unwrap();
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let mut loader = sampler.loader().batch_size(8).build().unwrap();
    let batch = loader.next().unwrap().unwrap();
    let tensor = batch.tensor(BatchArray::NodeColumn, None, "x").unwrap();
    assert!(Dataset::open(context, "/no/such/folder").is_err());
    drop(loader);
    assert!(!tensor.is_empty());
}

#[test]
fn ten_thousand_cycles_keep_memory_flat() {
    let folder = TempDir::new();
    let path = folder.join("ring");
    let context = context();
    ring(&context, 100, 2).save(&path).unwrap();
    for _ in 0..1000 {
        cycle(&context, &path);
    }
    let before = resident();
    for _ in 0..9000 {
        cycle(&context, &path);
    }
    let cycles = resident().saturating_sub(before);
    assert!(cycles < 4 << 20, "{cycles} bytes more after 9000 cycles");

    // Contexts with a log function and threads of their own.
    let own = || {
        let context = Context::builder().num_threads(1).log(|_, _, _| ()).build();
        cycle(&context.unwrap(), &path);
    };
    (0..50).for_each(|_| own());
    let before = resident();
    (0..500).for_each(|_| own());
    let contexts = resident().saturating_sub(before);
    assert!(
        contexts < 4 << 20,
        "{contexts} bytes more after 500 contexts"
    );
}
