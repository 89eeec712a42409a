//! What Rust adds to a batch: one-seed batches of a small graph, of which the rest costs little, by
//! this crate and by the C ABI, in turns.
//!
//!     cargo run --release --example overhead
//!
//! "rust_us": the microseconds that sampling a batch and reading four arrays of it take more by
//! this crate, as the median over rounds. "c_us" and "safe_us" are what either takes.

#![allow(clippy::incompatible_msrv)] // the crate is for older compilers than its examples

use std::hint::black_box;
use std::ptr;
use std::time::Instant;

use gls::sys::*;
use gls::{Context, Dataset, DatasetBuilder, Result, Role, Sampler, Tensor};

const NODES: usize = 1000;
const CALLS: u64 = 20_000;
const ROUNDS: usize = 11;

fn dataset(context: &Context) -> Result<Dataset> {
    let source: Vec<i64> = (0..NODES as i64).collect();
    let target: Vec<i64> = source.iter().map(|v| (v * 7 + 1) % NODES as i64).collect();
    let x = Tensor::from_vec_with_shape(vec![0.0f32; NODES * 16], &[NODES, 16])?;
    let mut builder = DatasetBuilder::new(context)?;
    builder
        .add_edges("node__to__node", source, target)?
        .add_node_column("node", "x", x, Role::Feature)?;
    builder.build()
}

fn by_this_crate(sampler: &Sampler) -> Result<f64> {
    let begin = Instant::now();
    for call in 0..CALLS {
        let batch = sampler
            .request()
            .seeds(None, &[5i64])
            .batch(call)
            .sample()?;
        black_box(batch.node::<i64>()?);
        black_box(batch.seed::<i64>()?);
        black_box(batch.row::<i64>()?);
        black_box(batch.col::<i64>()?);
    }
    Ok(begin.elapsed().as_secs_f64() / CALLS as f64 * 1e6)
}

/// As a careful C program would: every status and type is looked at.
///
/// # Safety
/// `sampler` is alive.
unsafe fn by_c(sampler: *const gls_sampler_t) -> f64 {
    let arrays = [GLS_BATCH_NODE, GLS_BATCH_SEED, GLS_BATCH_ROW, GLS_BATCH_COL];
    let begin = Instant::now();
    for call in 0..CALLS {
        let seed = [5i64];
        let mut shape = [1i64];
        let ids = DLTensor {
            data: seed.as_ptr() as *mut _,
            device: DLDevice {
                device_type: kDLCPU,
                device_id: 0,
            },
            ndim: 1,
            dtype: DLDataType {
                code: kDLInt as u8,
                bits: 64,
                lanes: 1,
            },
            shape: shape.as_mut_ptr(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        let seeds = gls_seed_set_t {
            node_type: ptr::null(),
            ids: &ids,
        };
        let request = gls_sample_request_t {
            seeds: &seeds,
            num_seeds: 1,
            batch: call,
            ..Default::default()
        };
        let (mut batch, mut error) = (ptr::null_mut(), ptr::null_mut());
        assert_eq!(
            gls_sampler_sample(sampler, &request, &mut batch, &mut error),
            GLS_OK
        );
        for array in arrays {
            let mut tensor = ptr::null_mut();
            let (any, none) = (ptr::null(), ptr::null());
            let status = gls_batch_tensor(batch, array, any, none, &mut tensor, &mut error);
            assert_eq!(status, GLS_OK);
            let view = &(*tensor).dl_tensor;
            assert!(view.dtype.code == kDLInt as u8 && view.dtype.bits == 64);
            let data = view.data.cast::<u8>().add(view.byte_offset as usize);
            black_box(std::slice::from_raw_parts(data, *view.shape as usize));
            gls_tensor_release(tensor);
        }
        gls_batch_release(batch);
    }
    begin.elapsed().as_secs_f64() / CALLS as f64 * 1e6
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<()> {
    let context = Context::builder().num_threads(1).build()?;
    let dataset = dataset(&context)?;
    let sampler = dataset.sampler().fanouts([1]).build()?;
    let (mut safe, mut c, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let one = by_this_crate(&sampler)?;
        // SAFETY: the sampler is alive.
        let other = unsafe { by_c(sampler.as_raw()) };
        if round > 0 {
            // The first is for warming up.
            safe.push(one);
            c.push(other);
            more.push(one - other);
        }
    }
    println!(
        "{{\"rust_us\": {:.3}, \"safe_us\": {:.3}, \"c_us\": {:.3}}}",
        median(more),
        median(safe),
        median(c)
    );
    Ok(())
}
