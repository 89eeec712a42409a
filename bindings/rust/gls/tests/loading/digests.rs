//! The batches are those of the C ABI and of every other language, byte by byte.

#[path = "../../examples/digest/cora.rs"]
mod cora;
#[path = "../../examples/digest/digest.rs"]
pub(crate) mod digest;

use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr;
use std::thread;

use crate::common::{context, ring, root, TempDir};
use digest::Digest;
use gls::sys::*;
use gls::{Batch, Context, Dataset, DatasetBuilder, Replace, Sampler};

/// The digest of a batch, by the C ABI alone.
unsafe fn digest_by_c(batch: *const gls_batch_t, out: &mut Digest) {
    let mut info = gls_batch_info_t::default();
    assert_eq!(
        gls_batch_get_info(batch, &mut info, ptr::null_mut()),
        GLS_OK
    );
    out.number(info.epoch);
    out.number(info.batch);
    let mut arrays = Vec::new();
    for index in 0..gls_batch_num_arrays(batch) {
        let mut info = gls_array_info_t::default();
        assert_eq!(
            gls_batch_get_array_info(batch, index, &mut info, ptr::null_mut()),
            GLS_OK
        );
        let name = (!info.name.is_null()).then(|| CStr::from_ptr(info.name));
        arrays.push((info.array, CStr::from_ptr(info.type_), name));
    }
    arrays.sort();
    for (array, type_name, name) in arrays {
        out.number(array as u64);
        out.text(type_name.to_str().unwrap());
        out.text(name.map_or("", |name| name.to_str().unwrap()));
        let name = name.map_or(ptr::null(), CStr::as_ptr);
        let mut tensor = ptr::null_mut();
        let status = gls_batch_tensor(
            batch,
            array,
            type_name.as_ptr(),
            name,
            &mut tensor,
            ptr::null_mut(),
        );
        assert_eq!(status, GLS_OK);
        let view = &(*tensor).dl_tensor;
        out.number(view.dtype.code.into());
        out.number(view.dtype.bits.into());
        out.number(view.ndim as u64);
        let mut bytes = usize::from(view.dtype.bits) / 8;
        let mut row_major = 1;
        for d in 0..view.ndim as usize {
            let extent = *view.shape.add(d);
            out.number(extent as u64);
            bytes *= extent as usize;
        }
        for d in (0..view.ndim as usize).rev() {
            assert!(*view.strides.add(d) == row_major || bytes == 0);
            row_major *= *view.shape.add(d);
        }
        if bytes > 0 {
            let data = view.data.cast::<u8>().add(view.byte_offset as usize);
            out.bytes(std::slice::from_raw_parts(data, bytes));
        }
        gls_tensor_release(tensor);
    }
}

unsafe fn cora_by_c(folder: &Path, shuffle: bool) -> u64 {
    let mut context = ptr::null_mut();
    let no_error = ptr::null_mut();
    assert_eq!(
        gls_context_create(ptr::null(), &mut context, no_error),
        GLS_OK
    );
    let folder = CString::new(folder.to_str().unwrap()).unwrap();
    let mut dataset = ptr::null_mut();
    let status = gls_dataset_open(
        context,
        folder.as_ptr(),
        ptr::null(),
        &mut dataset,
        no_error,
    );
    assert_eq!(status, GLS_OK);
    let per_hop = [10i64, 10];
    let fanout = gls_fanout_t {
        edge_type: ptr::null(),
        per_hop: per_hop.as_ptr(),
        num_hops: 2,
    };
    let options = gls_sampler_options_t {
        flags: GLS_SAMPLE_EDGE_IDS,
        seed: 7,
        fanouts: &fanout,
        num_fanouts: 1,
        ..Default::default()
    };
    let mut sampler = ptr::null_mut();
    assert_eq!(
        gls_sampler_create(dataset, &options, &mut sampler, no_error),
        GLS_OK
    );
    let train = CString::new("train").unwrap();
    let options = gls_loader_options_t {
        id_set: train.as_ptr(),
        batch_size: 64,
        flags: if shuffle { GLS_LOADER_SHUFFLE } else { 0 },
        ..Default::default()
    };
    let mut loader = ptr::null_mut();
    let status = gls_loader_create(sampler, ptr::null_mut(), &options, &mut loader, no_error);
    assert_eq!(status, GLS_OK);
    let mut out = Digest::default();
    for epoch in 0..2 {
        assert_eq!(gls_loader_seek(loader, epoch, no_error), GLS_OK);
        let mut batch = ptr::null_mut();
        while gls_loader_next(loader, -1, &mut batch, no_error) == GLS_OK {
            digest_by_c(batch, &mut out);
            gls_batch_release(batch);
        }
    }
    gls_loader_release(loader);
    gls_sampler_release(sampler);
    gls_dataset_release(dataset);
    gls_context_release(context);
    out.0
}

/// A builder with Cora.
fn cora(context: &Context) -> DatasetBuilder {
    cora::cora(context, &root().join("examples/data/cora")).unwrap()
}

fn digest_of_cora(dataset: &Dataset, shuffle: bool) -> u64 {
    let sampler = dataset
        .sampler()
        .fanouts([10, 10])
        .seed(7)
        .edge_ids(true)
        .build()
        .unwrap();
    let mut loader = sampler
        .loader()
        .id_set("train")
        .batch_size(64)
        .shuffle(shuffle)
        .build()
        .unwrap();
    let mut out = Digest::default();
    for epoch in 0..2 {
        for batch in loader.seek(epoch).unwrap() {
            out.batch(&batch.unwrap()).unwrap();
        }
    }
    out.0
}

#[test]
fn the_digest_is_that_of_the_c_abi() {
    let context = context();
    let folder = TempDir::new();
    let path = folder.join("cora");
    cora(&context).write(&path).unwrap();
    let dataset = Dataset::open(&context, &path).unwrap();
    for shuffle in [false, true] {
        // SAFETY: as gls.h says.
        let by_c = unsafe { cora_by_c(&path, shuffle) };
        assert_eq!(digest_of_cora(&dataset, shuffle), by_c);
    }
}

/// What the Python package gives, too, by the definition in digest.rs.
#[test]
fn the_digest_of_cora_is_known() {
    let dataset = cora(&context()).build().unwrap();
    assert_eq!(
        format!("{:016x}", digest_of_cora(&dataset, true)),
        "a1803fd12c4fcb65"
    );
}

#[test]
fn the_rest_of_an_epoch_is_the_same_when_resumed() {
    let context = context();
    let dataset = ring(&context, 500, 3);
    let sampler = dataset.sampler().fanouts([2, 2]).seed(3).build().unwrap();
    let make = || {
        sampler
            .loader()
            .batch_size(32)
            .shuffle(true)
            .build()
            .unwrap()
    };
    let digest_of = |batches: &mut dyn Iterator<Item = gls::Result<Batch>>| {
        let mut out = Digest::default();
        batches.for_each(|batch| out.batch(&batch.unwrap()).unwrap());
        out
    };
    let mut whole = make();
    whole.seek(4).unwrap();
    digest_of(&mut whole.batches().take(6));
    let state = whole.save().unwrap();
    let rest = digest_of(&mut std::iter::from_fn(|| whole.next()));
    let mut resumed = make();
    assert_eq!(
        digest_of(&mut resumed.restore(&state).unwrap().batches()),
        rest
    );
}

/// Samplers of several kinds.
fn samplers(dataset: &Dataset) -> Vec<Sampler> {
    let some = |fanouts: &[i64]| dataset.sampler().fanouts(fanouts.to_vec()).seed(9);
    [
        some(&[3, 2]),
        some(&[4]).replace(Replace::Always).edge_ids(true),
        some(&[2, 2]).weight("w").edge_ids(true),
        some(&[3, 1]).disjoint(true).int32(true),
    ]
    .into_iter()
    .map(|options| options.build().unwrap())
    .collect()
}

/// Two epochs of a loader, and a batch by itself.
fn digest_of(sampler: &Sampler) -> Digest {
    let mut out = Digest::default();
    let loader = sampler.loader().batch_size(16).shuffle(true);
    let mut loader = loader.build().unwrap();
    for epoch in 0..2 {
        for batch in loader.seek(epoch).unwrap() {
            out.batch(&batch.unwrap()).unwrap();
        }
    }
    let single = sampler.request().seeds(None, &[7i64]).batch(3);
    out.batch(&single.sample().unwrap()).unwrap();
    out
}

#[test]
fn sixteen_threads_of_a_shared_context_get_the_bytes_of_one() {
    let alone = Context::builder().num_threads(1).build().unwrap();
    let of_one = samplers(&ring(&alone, 200, 5));
    let expected: Vec<_> = of_one.iter().map(digest_of).collect();
    let context = context();
    let dataset = ring(&context, 200, 5);
    let shared = samplers(&dataset);
    thread::scope(|scope| {
        for i in 0..16 {
            let (context, dataset, shared, expected) = (&context, &dataset, &shared, &expected);
            scope.spawn(move || {
                // Objects of their own of the shared context, too.
                let own = ring(context, 10 + i, 1);
                assert_eq!(own.num_nodes(None).unwrap() as i64, 10 + i);
                let made = samplers(dataset);
                for k in 0..8 {
                    let which = (i as usize + k) % expected.len();
                    let sampler = if k % 2 == 0 { &shared } else { &&made };
                    assert_eq!(digest_of(&sampler[which]), expected[which]);
                }
            });
        }
    });
}
