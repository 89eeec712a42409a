//! Batches on a GPU: the plugin is the one that needs none. `scripts/cuda_on_host.sh` builds it, and
//! GLS_PLUGIN_PATH must name its folder, with CUDA_ON_HOST_DEVICES=4, as `scripts/rust.sh` sees to.

mod common;

use std::path::Path;
use std::process::Command;
use std::ptr;
use std::slice;

use common::{context, ring};
use gls::*;

const GPU: Device = Device::Cuda(0);

/// A sampler with a plugin to deliver on.
fn sampler(context: &Context) -> Sampler {
    let folder = std::env::var("GLS_PLUGIN_PATH").unwrap_or_default();
    assert!(
        Path::new(&folder).join("libgls_cuda.so").exists(),
        "GLS_PLUGIN_PATH is {folder:?}: set it to what scripts/cuda_on_host.sh prints"
    );
    let dataset = ring(context, 200, 5);
    dataset.sampler().fanouts([3, 2]).seed(7).build().unwrap()
}

/// All arrays of a batch of the host as bytes.
fn contents(batch: &Batch) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    for info in batch.arrays().unwrap() {
        let type_name = Some(info.type_name).filter(|name| !name.is_empty());
        let view = batch.view(info.array, type_name, info.column).unwrap();
        assert_eq!(view.device(), Device::Host);
        let size = view.num_elements() * view.dtype().size();
        // SAFETY: arrays of batches are row-major, and these lie on the host.
        let bytes = unsafe { slice::from_raw_parts(view.as_ptr(), size) };
        out.push((format!("{info:?}"), bytes.to_vec()));
    }
    out
}

#[test]
fn gpus_are_described() {
    let _ = sampler(&context());
    let all = Device::all();
    assert_eq!(all.len(), 4, "set CUDA_ON_HOST_DEVICES=4");
    let info = all[1].info().unwrap();
    assert!(!info.name.is_empty() && info.free_bytes <= info.bytes && info.bytes > 0);
    assert!(info.capability.0 > 0);
    let error = Device::Cuda(4).info().unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)));
    assert!(error
        .message()
        .contains("there is no GPU 4; this machine has 4"));
    assert!(matches!(
        Device::Host.info(),
        Err(Error::InvalidArgument(_))
    ));
}

#[test]
fn batches_are_those_of_the_host() {
    let context = context();
    let sampler = sampler(&context);
    let build = || sampler.loader().batch_size(32).shuffle(true);
    let here: Vec<Batch> = build()
        .build()
        .unwrap()
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let there = build().device(GPU).build().unwrap();
    let mut count = 0;
    for (expected, batch) in here.iter().zip(there) {
        let batch = batch.unwrap();
        assert_eq!(batch.device().unwrap(), GPU);
        assert_eq!(batch.column("x").unwrap().device(), GPU);
        let counts = batch.view(BatchArray::NumNodes, None, None).unwrap();
        assert_eq!(counts.device(), Device::Host);
        // SAFETY: the default stream.
        unsafe { batch.record_stream(ptr::null_mut()).unwrap() };
        let copy = batch.to_host().unwrap();
        drop(batch);
        assert_eq!(copy.device().unwrap(), Device::Host);
        assert_eq!(contents(&copy), contents(expected));
        count += 1;
    }
    assert_eq!(count, 7);
}

#[test]
fn samplers_sample_on_their_device() {
    let context = context();
    let _ = sampler(&context);
    let dataset = ring(&context, 200, 5);
    let build = || dataset.sampler().fanouts([3, 2]).edge_ids(true).seed(7);
    let here = build().build().unwrap();
    let there = build().device(GPU).build().unwrap();
    assert_eq!(here.device().unwrap(), Device::Host);
    assert_eq!(there.device().unwrap(), GPU);
    let seeds = [5i64, 1, 199, 5];
    let request = |sampler: &Sampler| {
        let request = sampler.request().seeds(None, &seeds).epoch(3).batch(4);
        request.exclude(EdgeSet::ids(None, [1, 2])).sample()
    };
    for (expected, batch) in [
        (here.sample(&seeds), there.sample(&seeds)),
        (request(&here), request(&there)),
    ] {
        let batch = batch.unwrap();
        assert_eq!(batch.device().unwrap(), GPU);
        let copy = batch.to_host().unwrap();
        assert_eq!(contents(&copy), contents(&expected.unwrap()));
    }
    assert!(matches!(
        there.sample(&[200i64]),
        Err(Error::InvalidArgument(_))
    ));
}

#[test]
fn devices_are_inherited() {
    let context = context();
    let _ = sampler(&context);
    let dataset = ring(&context, 200, 5);
    let there = dataset.on(Device::Cuda(1)).unwrap();
    assert_eq!(dataset.device().unwrap(), Device::Host);
    assert_eq!(there.device().unwrap(), Device::Cuda(1));
    let back = there.on(Device::Host).unwrap();
    assert_eq!(back.device().unwrap(), Device::Host);
    let sampler = there.sampler().fanouts([2]).build().unwrap();
    let on_host = there.sampler().fanouts([2]).device(Device::Host);
    let on_host = on_host.build().unwrap();
    drop(there);
    let where_of = |loader: LoaderBuilder<'_>| {
        let loader = loader.build().unwrap();
        loader.sample(0, 0).unwrap().device().unwrap()
    };
    assert_eq!(where_of(sampler.loader()), Device::Cuda(1));
    assert_eq!(
        where_of(sampler.loader().device(Device::Host)),
        Device::Host
    );
    assert_eq!(where_of(sampler.loader().device(GPU)), GPU);
    assert_eq!(where_of(on_host.loader()), Device::Host);
    for error in [
        dataset.on(Device::Cuda(64)).unwrap_err(),
        dataset
            .sampler()
            .fanouts([2])
            .device(Device::Cuda(64))
            .build()
            .unwrap_err(),
    ] {
        assert!(matches!(error, Error::Unsupported(_)));
        assert!(error.message().contains("there is no GPU 64"), "{error}");
    }
}

#[test]
fn rows_lie_where_the_dataset_is() {
    let context = context();
    let _ = sampler(&context);
    let dataset = ring(&context, 200, 5);
    let there = dataset.on(GPU).unwrap();
    let ids = [5i64, 1, 199, 5];
    let expected = dataset.rows(None, "x", &ids).unwrap();
    let rows = there.rows(None, "x", &ids).unwrap();
    assert_eq!(rows.device(), GPU);
    assert_eq!(rows.shape(), expected.shape());
    let values: &[f32] = expected.as_slice().unwrap();
    // SAFETY: "memory of the device" is the host's here.
    let shown = unsafe { slice::from_raw_parts(rows.as_ptr().cast::<f32>(), values.len()) };
    assert_eq!(shown, values);
    assert!(rows.as_slice::<f32>().is_err());
}

#[test]
fn what_reads_on_the_host_is_refused() {
    let context = context();
    let sampler = sampler(&context);
    let loader = sampler.loader().device(GPU).build().unwrap();
    let mut batch = loader.sample(0, 0).unwrap();
    let refused = |error: Error| {
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        assert!(error.message().contains("lies on cuda:0"), "{error}");
        assert!(error.message().contains("Batch::to_host()"), "{error}");
    };
    refused(batch.node::<i64>().unwrap_err());
    refused(batch.column_mut::<f32>("x").unwrap_err());
    let x = batch.column("x").unwrap();
    refused(x.as_slice::<f32>().unwrap_err());
    refused(x.row::<f32>(0).unwrap_err());
    refused(x.to_vec::<f32>().unwrap_err());
    #[cfg(feature = "ndarray")]
    refused(x.array::<f32, ndarray::Ix2>().unwrap_err());
    assert!(format!("{x:?}").contains("on cuda:0"));
    let seeds = batch.tensor(BatchArray::Node, None, None).unwrap();
    let error = sampler.loader().seeds(seeds).build().unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
    // Blocks lie there, too.
    let block = &batch.blocks().unwrap()[0];
    refused(block.input_nodes::<i64>(None).unwrap_err());
}

#[test]
fn copies_are_not_written_as_they_may_show_the_same_memory() {
    let context = context();
    let sampler = sampler(&context);
    let mut batch = sampler.loader().build().unwrap().sample(0, 0).unwrap();
    batch.column_mut::<f32>("x").unwrap()[0] = 1.0;
    let mut copy = batch.to_host().unwrap();
    for one in [&mut batch, &mut copy] {
        assert!(matches!(
            one.column_mut::<f32>("x"),
            Err(Error::InvalidState(_))
        ));
    }
}

#[test]
fn tensors_are_handed_on_where_they_lie() {
    let context = context();
    let sampler = sampler(&context);
    let loader = sampler.loader().device(Device::Cuda(3)).build().unwrap();
    let batch = loader.sample(0, 0).unwrap();
    let expected = batch.to_host().unwrap();
    let x = batch.tensor(BatchArray::NodeColumn, None, "x").unwrap();
    drop(batch);
    assert_eq!(x.device(), Device::Cuda(3));
    // SAFETY: the default stream.
    unsafe { x.record_stream(ptr::null_mut()).unwrap() };
    let address = x.as_ptr();
    let raw = x.into_dlpack();
    // SAFETY: DLPack's own struct; "memory of the device" is the host's here.
    unsafe {
        let view = &raw.as_ref().dl_tensor;
        assert_eq!(view.device.device_type, sys::kDLCUDA);
        assert_eq!(view.device.device_id, 3);
        assert_eq!(view.data as *const u8, address);
        let values: &[f32] = expected.column("x").unwrap().as_slice().unwrap();
        assert_eq!(
            slice::from_raw_parts(address.cast::<f32>(), values.len()),
            values
        );
        (raw.as_ref().deleter.unwrap())(raw.as_ptr());
    }
}

#[test]
fn feeds_and_unknown_devices_are_refused() {
    let context = context();
    let sampler = sampler(&context);
    let loader = sampler.loader().device(GPU).build().unwrap();
    let error = Feed::builder(&loader, std::env::temp_dir().join("no-feed"))
        .build()
        .unwrap_err();
    assert!(
        error
            .message()
            .contains("feeds pass on batches of the host"),
        "{error}"
    );
    for device in [
        Device::Cuda(64),
        Device::Other {
            device_type: sys::kDLROCM,
            device_id: 0,
        },
    ] {
        let error = sampler.loader().device(device).build().unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)));
        assert_eq!(error.detail("argument"), Some("device"));
    }
}

/// In a process whose devices have little memory: there it holds batches until there is none left.
#[test]
fn after_out_of_memory_the_next_batches_come() {
    const LITTLE: &str = "2000000";
    if std::env::var("CUDA_ON_HOST_MEMORY").as_deref() != Ok(LITTLE) {
        let out = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "after_out_of_memory_the_next_batches_come"])
            .env("CUDA_ON_HOST_MEMORY", LITTLE)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let context = context();
    let sampler = sampler(&context);
    let mut loader = sampler
        .loader()
        .batch_size(50)
        .num_workers(1)
        .prefetch(1)
        .device(GPU)
        .build()
        .unwrap();
    let mut held = Vec::new();
    let error = loop {
        match loader.sample(held.len() as u64, 0) {
            Ok(batch) => held.push(batch),
            Err(error) => break error,
        }
    };
    assert!(!held.is_empty());
    assert!(matches!(error, Error::OutOfMemory(_)), "{error}");
    assert!(error.message().contains("bytes left"), "{error}");
    held.clear();
    for _ in 0..4 {
        loader.next().unwrap().unwrap();
    }
}
