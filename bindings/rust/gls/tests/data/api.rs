//! The safe interface: what it describes, what it shows in place, what it refuses.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::ops::ControlFlow;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use crate::common::{context, ring, ring_builder, TempDir};
use gls::*;

// ---- datasets ----

#[test]
fn a_dataset_is_described() {
    let context = context();
    let dataset = ring(&context, 10, 3);
    let nodes = dataset.node_types().unwrap();
    assert_eq!(nodes.len(), 1);
    assert_eq!((nodes[0].name, nodes[0].num_nodes), ("node", 10));
    assert_eq!((nodes[0].num_columns, nodes[0].num_id_sets), (2, 1));
    assert!(!nodes[0].has_keys);
    let edges = dataset.edge_types().unwrap();
    assert_eq!(edges[0].name, edge_type("node", "to", "node"));
    assert_eq!(
        (edges[0].source, edges[0].relation, edges[0].target),
        ("node", "to", "node")
    );
    assert_eq!((edges[0].num_edges, edges[0].num_columns), (30, 2));
    assert_eq!(edges[0].layouts, [Layout::Csc, Layout::Csr]);
    let columns = dataset.node_columns(None).unwrap();
    assert_eq!((columns[0].name, columns[0].role), ("x", Role::Feature));
    assert_eq!(
        (columns[0].dtype, columns[0].shape.as_slice()),
        (DType::F32, &[10, 3][..])
    );
    assert_eq!((columns[1].name, columns[1].role), ("y", Role::Label));
    let columns = dataset.edge_columns("node__to__node").unwrap();
    assert_eq!((columns[0].name, columns[0].role), ("w", Role::Weight));
    let sets = dataset.id_sets("node").unwrap();
    assert_eq!((sets[0].name, sets[0].num_ids), ("train", 5));
    assert_eq!(dataset.num_nodes("node").unwrap(), 10);
    assert_eq!(dataset.num_edges(None).unwrap(), 30);
    assert!(matches!(
        dataset.num_nodes("paper"),
        Err(Error::NotFound(_))
    ));
    assert!(matches!(
        dataset.node_columns("paper"),
        Err(Error::NotFound(_))
    ));
    let shown = format!("{dataset:?}");
    assert!(
        shown.contains("node: 10") && shown.contains("node__to__node: 30"),
        "{shown}"
    );
}

#[test]
fn arrays_of_a_dataset_are_shown_in_place() {
    let context = context();
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let indptr = vec![0i64, 1, 2, 3, 4];
    let indices = vec![1i32, 2, 3, 0];
    let (at_x, at_indptr, at_indices) = (x.as_ptr(), indptr.as_ptr(), indices.as_ptr());
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_topology("node__to__node", Layout::Csc, indptr, indices)
        .unwrap()
        .add_node_column(
            None,
            "x",
            Tensor::from_vec_with_shape(x, &[4, 2]).unwrap(),
            Role::Feature,
        )
        .unwrap();
    let dataset = builder.build().unwrap();
    drop(builder);
    let column = dataset.node_column("node", "x").unwrap();
    assert_eq!(column.as_slice::<f32>().unwrap().as_ptr(), at_x);
    assert!(column.is_read_only());
    let topology = dataset.topology(None, Layout::Csc).unwrap();
    assert_eq!(
        topology.indptr.as_slice::<i64>().unwrap().as_ptr(),
        at_indptr
    );
    assert_eq!(
        topology.indices.as_slice::<i32>().unwrap().as_ptr(),
        at_indices
    );
    assert!(topology.edge_ids.is_none());
    assert!(matches!(
        dataset.topology(None, Layout::Csr),
        Err(Error::NotFound(_))
    ));
}

#[test]
fn a_dataset_is_saved_opened_and_verified() {
    let folder = TempDir::new();
    let path = folder.join("ring");
    let context = context();
    let dataset = ring(&context, 100, 4);
    dataset.save(&path).unwrap();
    let again = dataset.save(&path).unwrap_err();
    assert!(matches!(again, Error::AlreadyExists(_)), "{again:?}");
    assert!(again.detail("file").unwrap().contains("ring"));
    dataset
        .save_with(
            &path,
            WriteOptions::new().overwrite(true).row_padding(false),
        )
        .unwrap();
    let opened = Dataset::options()
        .residency(Residency::All)
        .verify_checksums(true)
        .open(&context, &path)
        .unwrap();
    let mut stages = Vec::new();
    opened
        .verify_with_progress(|progress| {
            stages.push((
                progress.stage.to_owned(),
                progress.done,
                progress.unit.to_owned(),
            ));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(!stages.is_empty());
    let x = opened.node_column(None, "x").unwrap();
    assert_eq!(x.view().row::<f32>(7).unwrap(), [7.0, 7.25, -7.0]);
    assert_eq!(opened.id_set(None, "train").unwrap().len(), 50);
    let missing = opened.node_column(None, "z").unwrap_err();
    assert!(matches!(missing, Error::NotFound(_)));
    assert_eq!(missing.detail("column"), Some("z"));
}

#[test]
fn a_written_file_can_be_mapped() {
    let folder = TempDir::new();
    let path = folder.join("a.npy");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let mut header = String::from("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend([5i64, 6, 7].iter().flat_map(|x| x.to_le_bytes()));
    std::fs::write(&path, bytes).unwrap();
    let tensor = Tensor::map_npy(&path).unwrap();
    assert_eq!(tensor.as_slice::<i64>().unwrap(), [5, 6, 7]);
    assert!(tensor.is_read_only());
    std::fs::write(&path, b"nothing").unwrap();
    let error = Tensor::map_npy(&path).unwrap_err();
    assert!(matches!(error, Error::CorruptData(_)), "{error:?}");
}

#[test]
fn keys_are_found_and_told() {
    let folder = TempDir::new();
    let path = folder.join("edges.csv");
    let long = "k".repeat(200);
    std::fs::write(
        &path,
        format!("from,to,weight\nanna,bert,0.5\nbert,{long},1.5\n"),
    )
    .unwrap();
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    let options = TextOptions::new()
        .delimiter(b',')
        .header(true)
        .comment(None)
        .source("from")
        .target(1usize)
        .column("weight", "w", DType::F32, Role::Weight);
    builder
        .add_node_type("person", 0, Ids::String)
        .unwrap()
        .add_edges_text("person__knows__person", &path, &options)
        .unwrap();
    let dataset = builder.build().unwrap();
    assert!(dataset.node_types().unwrap()[0].has_keys);
    assert_eq!(dataset.find_node("person", "bert").unwrap(), 1);
    assert_eq!(dataset.node_key(None, 0).unwrap(), "anna");
    assert_eq!(dataset.node_key(None, 2).unwrap(), long);
    assert!(matches!(
        dataset.find_node(None, "carl"),
        Err(Error::NotFound(_))
    ));
    let weights = dataset.edge_column(None, "w").unwrap();
    assert_eq!(weights.as_slice::<f32>().unwrap(), [0.5, 1.5]);
}

#[test]
fn nodes_come_from_text_and_reverses_are_added() {
    let folder = TempDir::new();
    let (nodes, edges) = (folder.join("n.tsv"), folder.join("e.tsv"));
    std::fs::write(&nodes, "10\t0.5\n20\t1.5\n").unwrap();
    std::fs::write(&edges, "20\t10\n").unwrap();
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_node_type("node", 0, Ids::Integer)
        .unwrap()
        .add_nodes_text(
            "node",
            &nodes,
            &TextOptions::new().header(false).key(0usize).column(
                1usize,
                "x",
                DType::F64,
                Role::Feature,
            ),
        )
        .unwrap()
        .add_edges_text(
            "node__to__node",
            &edges,
            &TextOptions::new().add_reverse(true),
        )
        .unwrap();
    let folder = folder.join("out");
    builder.write(&folder).unwrap();
    let dataset = Dataset::open(&context, &folder).unwrap();
    assert_eq!(dataset.num_edges(None).unwrap(), 2);
    let x = dataset.node_column(None, "x").unwrap();
    assert_eq!(x.view().to_vec::<f64>().unwrap(), [0.5, 1.5]);
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_edges_and_reverse("a__to__b", vec![0i32, 1], vec![1i32, 0])
        .unwrap();
    let dataset = builder.build().unwrap();
    assert_eq!(dataset.num_edges("b__rev_to__a").unwrap(), 2);
    assert!(matches!(
        dataset.num_edges(None),
        Err(Error::InvalidArgument(_))
    ));
}

#[test]
fn a_topology_may_have_edge_ids() {
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_topology_with_edge_ids(
            "node__to__node",
            Layout::Csr,
            [0i64, 2, 3],
            [0i64, 1, 0].as_slice(),
            Arc::<[i64]>::from(vec![2i64, 0, 1]),
        )
        .unwrap();
    let dataset = builder
        .build_with(WriteOptions::new().layouts([Layout::Csr]))
        .unwrap();
    let topology = dataset.topology(None, Layout::Csr).unwrap();
    assert_eq!(
        topology.edge_ids.unwrap().as_slice::<i64>().unwrap(),
        [2, 0, 1]
    );
    let sampler = dataset
        .sampler()
        .fanouts([-1])
        .direction(Direction::Out)
        .edge_ids(true)
        .build()
        .unwrap();
    let batch = sampler.sample(&[0i32]).unwrap();
    assert_eq!(batch.edge::<i64>().unwrap(), [2, 0]);
    let error = dataset.sampler().fanouts([1]).build().unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error:?}");
}

#[test]
fn a_failed_call_leaves_the_builder_as_it_was() {
    let context = context();
    let mut builder = ring_builder(&context, 6, 1);
    let error = builder
        .add_edges("node__other__node", vec![0i64, 1], vec![0i64])
        .unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)));
    let error = builder
        .add_node_column("node", "x", vec![1.0f32; 6], Role::Other)
        .unwrap_err();
    assert!(matches!(
        error,
        Error::AlreadyExists(_) | Error::InvalidArgument(_)
    ));
    assert_eq!(builder.build().unwrap().num_edges(None).unwrap(), 6);
}

// ---- contexts ----

#[test]
fn settings_are_listed_read_and_changed() {
    let context = context();
    let settings = settings().unwrap();
    assert!(settings
        .iter()
        .any(|setting| setting.key == "memory.huge_pages"));
    assert!(settings.windows(2).all(|pair| pair[0].key < pair[1].key));
    assert_eq!(context.get("threads").unwrap(), "0"); // what was set, not what there is
    context.set("log.level", "error").unwrap();
    assert_eq!(context.get("log.level").unwrap(), "error");
    assert!(matches!(context.get("no.such"), Err(Error::NotFound(_))));
    assert!(matches!(
        context.set("log.level", "loud"),
        Err(Error::InvalidArgument(_))
    ));
    assert!(matches!(
        context.set("threads", "3"),
        Err(Error::InvalidState(_))
    ));
    assert_eq!(version().split('.').count(), 3);
    assert!(version_number() >= sys::GLS_VERSION);
}

#[test]
fn names_with_nul_are_errors_with_a_source() {
    let context = context();
    let error = context.get("a\0b").unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)));
    assert_eq!(error.detail("argument"), Some("key"));
    assert!(error.source().unwrap().is::<std::ffi::NulError>());
    let io: std::io::Error = Dataset::open(&context, "/no/such").unwrap_err().into();
    assert_eq!(io.kind(), std::io::ErrorKind::NotFound);
}

// ---- tensors ----

#[test]
fn vectors_are_moved_in_and_owners_dropped_once() {
    struct Counted(Vec<i64>, Arc<AtomicUsize>);
    impl AsRef<[i64]> for Counted {
        fn as_ref(&self) -> &[i64] {
            &self.0
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let owner = Counted(vec![1, 2, 3, 4], drops.clone());
    let address = owner.0.as_ptr();
    let tensor = Tensor::from_owner(owner, &[2, 2]).unwrap();
    assert_eq!(tensor.as_slice::<i64>().unwrap().as_ptr(), address);
    assert_eq!(tensor.shape(), [2, 2]);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(tensor);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    // A failed call gives it back, too.
    let error = Tensor::from_owner(Counted(vec![1], drops.clone()), &[2]).unwrap_err();
    assert_eq!(error.detail("argument"), Some("shape"));
    assert_eq!(drops.load(Ordering::SeqCst), 2);
}

#[test]
fn elements_are_checked() {
    let tensor = Tensor::from_vec(vec![1i64, 2]).unwrap();
    let error = tensor.as_slice::<f32>().unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)));
    assert!(error.message().contains("int64") && error.message().contains("float32"));
    assert!(tensor.view().row::<i64>(2).is_err());
    let bools = Tensor::from_bools(vec![true, false]).unwrap();
    assert_eq!(bools.dtype(), DType::Bool);
    assert_eq!(bools.as_slice::<u8>().unwrap(), [1, 0]);
    let half = Tensor::from_half_bits(vec![0x3c00], DType::F16, &[1]).unwrap();
    assert_eq!(half.as_slice::<u16>().unwrap(), [0x3c00]);
    assert!(half.as_slice::<f32>().is_err());
    let empty = Tensor::from_vec(Vec::<f32>::new()).unwrap();
    assert!(empty.is_empty() && empty.as_slice::<f32>().unwrap().is_empty());
    assert!(Tensor::from_vec_with_shape(vec![1u8; 3], &[usize::MAX, 2]).is_err());
}

unsafe extern "C" fn free_foreign(tensor: *mut sys::DLManagedTensorVersioned) {
    let tensor = Box::from_raw(tensor);
    drop(Box::from_raw(tensor.manager_ctx.cast::<Foreign>()));
}

struct Foreign {
    values: Vec<f32>,
    shape: [i64; 2],
    strides: [i64; 2],
    drops: Arc<AtomicUsize>,
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }
}

/// A transposed array of another producer.
fn foreign(drops: &Arc<AtomicUsize>, device: u32) -> NonNull<sys::DLManagedTensorVersioned> {
    let foreign = Box::into_raw(Box::new(Foreign {
        values: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        shape: [3, 2],
        strides: [1, 3],
        drops: drops.clone(),
    }));
    // SAFETY: just made.
    let fields = unsafe { &mut *foreign };
    let tensor = Box::new(sys::DLManagedTensorVersioned {
        version: sys::DLPackVersion { major: 1, minor: 1 },
        manager_ctx: foreign.cast(),
        deleter: Some(free_foreign),
        flags: 0,
        dl_tensor: sys::DLTensor {
            data: fields.values.as_mut_ptr().cast(),
            device: sys::DLDevice {
                device_type: device,
                device_id: 0,
            },
            ndim: 2,
            dtype: sys::DLDataType {
                code: 2,
                bits: 32,
                lanes: 1,
            },
            shape: fields.shape.as_mut_ptr(),
            strides: fields.strides.as_mut_ptr(),
            byte_offset: 0,
        },
    });
    NonNull::from(Box::leak(tensor))
}

#[test]
fn dlpack_goes_in_and_out() {
    let drops = Arc::new(AtomicUsize::new(0));
    // SAFETY: made above, as DLPack says.
    let tensor = unsafe { Tensor::from_dlpack(foreign(&drops, sys::kDLCPU)).unwrap() };
    assert!(matches!(
        tensor.as_slice::<f32>(),
        Err(Error::Unsupported(_))
    ));
    assert!(tensor.view().row::<f32>(0).is_err());
    assert_eq!(
        tensor.to_vec::<f32>().unwrap(),
        [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    );
    let address = tensor.as_ptr();
    let raw = tensor.into_dlpack();
    // SAFETY: owned.
    let tensor = unsafe { Tensor::from_dlpack(raw).unwrap() };
    assert_eq!(tensor.as_ptr(), address);
    drop(tensor);
    assert_eq!(drops.load(Ordering::SeqCst), 1);

    let refused = foreign(&drops, sys::kDLCUDA);
    // SAFETY: as above; refused, so still ours.
    let error = unsafe { Tensor::from_dlpack(refused).unwrap_err() };
    assert!(matches!(error, Error::Unsupported(_)));
    unsafe { free_foreign(refused.as_ptr()) };

    let values = vec![7i64, 8];
    let address = values.as_ptr();
    let legacy = Tensor::from_vec(values)
        .unwrap()
        .into_dlpack_legacy()
        .unwrap();
    // SAFETY: owned.
    let tensor = unsafe { Tensor::from_dlpack_legacy(legacy, true).unwrap() };
    assert_eq!(tensor.as_slice::<i64>().unwrap().as_ptr(), address);
    assert!(tensor.is_read_only());
    assert!(matches!(
        tensor.into_dlpack_legacy(),
        Err(Error::InvalidArgument(_))
    ));
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays_of_ndarray_go_in_and_out() {
    use ndarray::{array, Array2, Ix1, Ix2, IxDyn};
    let drops = Arc::new(AtomicUsize::new(0));
    // SAFETY: made above, as DLPack says.
    let tensor = unsafe { Tensor::from_dlpack(foreign(&drops, sys::kDLCPU)).unwrap() };
    let view = tensor.array::<f32, Ix2>().unwrap();
    assert_eq!(view, array![[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]);
    assert!(tensor.array::<f32, Ix1>().is_err());
    assert!(tensor.array::<i64, Ix2>().is_err());
    assert_eq!(tensor.array::<f32, IxDyn>().unwrap().ndim(), 2);
    let array: Array2<f64> = array![[1.0, 2.0], [3.0, 4.0]];
    let address = array.as_ptr();
    let moved = array.clone().reversed_axes().into_tensor().unwrap(); // copied, as it is transposed
    assert_eq!(moved.as_slice::<f64>().unwrap(), [1.0, 3.0, 2.0, 4.0]);
    let moved = array.into_tensor().unwrap();
    assert_eq!(moved.as_ptr().cast(), address);
    let empty = Array2::<f32>::zeros((0, 3)).into_tensor().unwrap();
    assert_eq!(empty.array::<f32, Ix2>().unwrap().dim(), (0, 3));
}

// ---- batches and loaders ----

#[test]
fn a_batch_has_what_was_sampled_and_gathered() {
    let context = context();
    let dataset = ring(&context, 100, 3);
    let sampler = dataset
        .sampler()
        .fanouts([3, 3])
        .edge_ids(true)
        .disjoint(true)
        .build()
        .unwrap();
    let mut loader = sampler
        .loader()
        .id_set("train")
        .batch_size(4)
        .build()
        .unwrap();
    let batch = loader.next().unwrap().unwrap();
    let node = batch.node::<i64>().unwrap();
    assert_eq!(&node[..4], [0, 2, 4, 6]);
    assert_eq!(batch.seed::<i64>().unwrap(), [0, 1, 2, 3]);
    assert_eq!(batch.input_id().unwrap(), [0, 1, 2, 3]);
    assert_eq!(batch.batch_size().unwrap(), 4);
    assert_eq!(batch.tree::<i64>().unwrap().len(), node.len());
    let counts = batch.num_sampled_nodes().unwrap();
    assert_eq!(counts.iter().sum::<i64>() as usize, node.len());
    let (row, col) = (batch.row::<i64>().unwrap(), batch.col::<i64>().unwrap());
    assert_eq!(
        batch.num_sampled_edges().unwrap().iter().sum::<i64>() as usize,
        row.len()
    );
    let edge = batch.edge::<i64>().unwrap();
    for ((&r, &c), &e) in row.iter().zip(col).zip(edge) {
        assert_eq!(node[c as usize], e / 3);
        assert_eq!(node[r as usize], (e / 3 + 1 + e % 3) % 100);
    }
    let x = batch.column("x").unwrap();
    assert_eq!(x.shape(), [node.len(), 3]);
    for (i, &v) in node.iter().enumerate() {
        let v = v as f32;
        assert_eq!(x.row::<f32>(i).unwrap(), [v, v + 0.25, -v]);
    }
    assert_eq!(
        batch.column("y").unwrap().as_slice::<i64>().unwrap(),
        [0, 20, 40, 60]
    );
    let f = batch.column("f").unwrap(); // of the edges
    assert_eq!(f.row::<f32>(0).unwrap()[0], edge[0] as f32);
    assert!(matches!(batch.column("z"), Err(Error::NotFound(_))));
    let info = batch.info().unwrap();
    assert_eq!((info.epoch, info.batch, info.num_hops), (0, 0, 2));
    let arrays = batch.arrays().unwrap();
    assert!(arrays.iter().any(|a| a.array == BatchArray::NodeColumn
        && a.column == Some("y")
        && a.rows == Rows::Seeds));
    // In place, by every way.
    let tensor = batch.tensor(BatchArray::NodeColumn, None, "x").unwrap();
    assert_eq!(tensor.as_ptr(), x.as_ptr());
    assert_eq!(
        batch.nodes("node").column("x").unwrap().as_ptr(),
        x.as_ptr()
    );
    assert!(matches!(
        batch.nodes("paper").node::<i64>(),
        Err(Error::NotFound(_))
    ));
    assert!(matches!(batch.row::<i32>(), Err(Error::InvalidArgument(_))));
}

#[test]
fn a_batch_can_be_written_until_a_tensor_shows_it() {
    let context = context();
    let dataset = ring(&context, 10, 1);
    let sampler = dataset.sampler().fanouts([1]).build().unwrap();
    let mut batch = sampler.loader().build().unwrap().next().unwrap().unwrap();
    let address = batch.column("x").unwrap().as_ptr();
    for value in batch.column_mut::<f32>("x").unwrap() {
        *value *= 2.0;
    }
    let x = batch.column("x").unwrap();
    assert_eq!(x.as_ptr(), address);
    assert_eq!(x.row::<f32>(3).unwrap(), [6.0, 6.5, -6.0]);
    assert!(batch.column_mut::<f64>("x").is_err());
    let tensor = batch.tensor(BatchArray::NodeColumn, "node", "x").unwrap();
    let error = batch.column_mut::<f32>("x").unwrap_err();
    assert!(matches!(error, Error::InvalidState(_)));
    drop(tensor); // there might be others, handed on through DLPack
    assert!(batch.column_mut::<f32>("x").is_err());
}

#[test]
fn ids_may_be_int32() {
    let context = context();
    let dataset = ring(&context, 10, 1);
    let sampler = dataset.sampler().fanouts([1]).int32(true).build().unwrap();
    let batch = sampler.sample(&[3i32, 3]).unwrap();
    assert_eq!(batch.node::<i32>().unwrap(), [3, 4]);
    assert_eq!(batch.seed::<i32>().unwrap(), [0, 0]);
    assert!(batch.node::<i64>().is_err());
}

/// Edges 0 to 3 come in to node 0, at the times 10, 20, 30, 30; node v has the time 5 * v.
fn timed(context: &Context) -> Dataset {
    let mut builder = DatasetBuilder::new(context).unwrap();
    builder
        .add_edges("node__to__node", vec![1i64, 2, 3, 4], vec![0i64; 4])
        .unwrap()
        .add_edge_column(None, "time", vec![10i64, 20, 30, 30], Role::Time)
        .unwrap()
        .add_node_column(None, "time", vec![0i32, 5, 10, 15, 20], Role::Time)
        .unwrap()
        .add_node_column(None, "x", vec![0.5f32; 5], Role::Feature)
        .unwrap();
    builder.build().unwrap()
}

#[test]
fn neighbours_are_early_enough() {
    let context = context();
    let dataset = timed(&context);
    let times = |sampler: &SamplerBuilder<'_>, seed_time: i32| -> Vec<i64> {
        let sampler = sampler.clone().fanouts([-1]).build().unwrap();
        let seed_times = [seed_time];
        let request = sampler.request().seeds_at("node", &[0i64], &seed_times);
        let batch = request.sample().unwrap();
        assert_eq!(batch.seed_time().unwrap(), [i64::from(seed_time)]);
        assert_eq!(
            batch.tree::<i64>().unwrap(),
            vec![0; batch.node::<i64>().unwrap().len()]
        );
        batch.node::<i64>().unwrap()[1..].to_vec()
    };
    let by_edges = dataset.sampler().edge_time("time");
    assert_eq!(times(&by_edges, 20), [1, 2]);
    assert_eq!(times(&by_edges, 9), []);
    assert_eq!(times(&by_edges.clone().time_strict(true), 20), [1]);
    assert_eq!(times(&by_edges.clone().time_window(5), 30), [3, 4]);
    assert_eq!(
        times(&by_edges.clone().time_strict(true).time_strict(false), 20),
        [1, 2]
    );
    let by_nodes = dataset.sampler().node_time("time");
    assert_eq!(times(&by_nodes, 10), [1, 2]);
    assert_eq!(times(&by_nodes.edge_time("time"), 15), [1]);
    let last = by_edges
        .clone()
        .time_strategy(TimeStrategy::Last)
        .fanouts([1]);
    let sampler = last.build().unwrap();
    let batch = sampler.request().seeds_at(None, &[0i32, 0], &[25i64, 90]);
    let batch = batch.sample().unwrap();
    assert_eq!(batch.node::<i64>().unwrap(), [0, 0, 2, 4]);
    assert_eq!(batch.seed_time().unwrap(), [25, 90]);
    let arrays = batch.arrays().unwrap();
    assert!(arrays
        .iter()
        .any(|array| array.array == BatchArray::SeedTime));
    // Without times there is no such array.
    let sampler = dataset.sampler().fanouts([1]).build().unwrap();
    let error = sampler.sample(&[0i64]).unwrap().seed_time().unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

#[test]
fn faults_of_times_are_named() {
    let context = context();
    let dataset = timed(&context);
    let refused = |result: Result<Batch>, what: &str| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
        assert_eq!(error.detail("argument"), Some(what), "{error:?}");
    };
    let by_edges = dataset.sampler().fanouts([1]).edge_time("time");
    let sampler = by_edges.build().unwrap();
    refused(sampler.sample(&[0i64]), "times"); // missing
    refused(sampler.request().seeds("node", &[0i64]).sample(), "times");
    let few = sampler.request().seeds_at("node", &[0i64, 1], &[7i64]);
    refused(few.sample(), "times");
    let none = sampler.request().seeds_at("node", &[0i64], &[0i64; 0]);
    refused(none.sample(), "times");
    let without = dataset.sampler().fanouts([1]).build().unwrap();
    let needless = without.request().seeds_at("node", &[0i64], &[7i64]);
    refused(needless.sample(), "times");

    // Two types, one of them without.
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_edges("user__likes__item", vec![0i64], vec![0i64])
        .unwrap()
        .add_edge_column(None, "time", vec![7i64], Role::Time)
        .unwrap();
    let likes = builder.build().unwrap();
    let likes = likes.sampler().fanouts([1]).edge_time("time").build();
    let likes = likes.unwrap();
    let one = likes.request().seeds_at("item", &[0i64], &[7i64]);
    assert_eq!(one.sample().unwrap().nodes("user").num_nodes().unwrap(), 1);
    let one = likes.request().seeds_at("item", &[0i64], &[7i64]);
    let error = one.seeds("user", &[0i64]).sample().unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    assert!(error.message().contains("times"), "{error:?}");

    let refused = |options: SamplerBuilder<'_>, what: &str| {
        let error = options.build().unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
        assert_eq!(error.detail("argument"), Some(what), "{error:?}");
    };
    refused(by_edges.clone().time_window(-1), "time_window");
    refused(by_edges.clone().time_window(i64::MIN), "time_window");
    refused(by_edges.clone().node_time("x"), "node_time"); // no integers
    refused(by_edges.clone().edge_time("a\0b"), "edge_time");
    let last = by_edges.time_strategy(TimeStrategy::Last);
    refused(last.replace(Replace::Above), "time_strategy");
    let plain = || dataset.sampler().fanouts([1]);
    refused(plain().time_strategy(TimeStrategy::Last), "time_strategy");
    refused(plain().time_window(1), "time_window");
    refused(plain().time_strict(true), "time_strict");
    for missing in [plain().edge_time("when"), plain().node_time("when")] {
        let error = missing.build().unwrap_err();
        assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    }
}

#[test]
fn seeds_of_a_loader_have_times() {
    let context = context();
    let dataset = timed(&context);
    let sampler = |options: SamplerBuilder<'_>| options.fanouts([-1]).build().unwrap();
    let seen = |loader: LoaderBuilder<'_>| -> Vec<(Vec<i64>, Vec<i64>)> {
        let loader = loader.batch_size(2).no_columns().build().unwrap();
        let batches = loader.into_iter().map(|batch| {
            let batch = batch.unwrap();
            let (nodes, times) = (batch.node::<i64>().unwrap(), batch.seed_time().unwrap());
            (nodes.to_vec(), times.to_vec())
        });
        batches.collect()
    };
    let by_edges = sampler(dataset.sampler().edge_time("time"));
    let given = by_edges.loader().seeds(vec![0i64, 4, 0]);
    let given = given.times(vec![20i32, 7, i32::MAX]);
    let expected = [
        (vec![0, 4, 1, 2], vec![20, 7]),
        (vec![0, 1, 2, 3, 4], vec![i32::MAX.into()]),
    ];
    assert_eq!(seen(given), expected);
    let by_nodes = sampler(dataset.sampler().node_time("time"));
    let own = by_nodes.loader().seeds(vec![3i64, 0, 4]);
    let expected = [(vec![3, 0], vec![15, 0]), (vec![4], vec![20])];
    assert_eq!(seen(own), expected); // neighbours are later than node 0
    let given = by_nodes.loader().seeds(vec![3i64, 0, 4]);
    let given = given.times(vec![1i64, 10, 2]);
    let expected = [(vec![3, 0, 1, 2], vec![1, 10]), (vec![4], vec![2])];
    assert_eq!(seen(given), expected);

    let plain = sampler(dataset.sampler());
    let two = || vec![0i64, 1];
    for loader in [
        by_edges.loader(),                                // none given, and edges have them
        by_edges.loader().seeds(two()).times(vec![1i64]), // too few
        by_edges.loader().times(vec![1i64; 6]),           // too many
        by_edges.loader().seeds(two()).times(vec![0.5f32; 2]), // no integers
        plain.loader().seeds(two()).times(two()),         // without need
    ] {
        let error = loader.build().unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
        assert_eq!(error.detail("argument"), Some("times"), "{error:?}");
    }
}

#[test]
fn seeds_and_times_are_taken_by_a_call_that_succeeds() {
    struct Counted(Vec<i64>, Arc<AtomicUsize>);
    impl AsRef<[i64]> for Counted {
        fn as_ref(&self) -> &[i64] {
            &self.0
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let counted = |values: &[i64]| {
        let owner = Counted(values.to_vec(), drops.clone());
        Tensor::from_owner(owner, &[values.len()]).unwrap()
    };
    let context = context();
    let dataset = timed(&context);
    let options = dataset.sampler().fanouts([-1]).edge_time("time");
    let sampler = options.build().unwrap();
    let loader = sampler.loader().seeds(counted(&[0, 1]));
    let mut loader = loader.times(counted(&[20, 5])).build().unwrap();
    let batch = loader.next().unwrap().unwrap();
    assert_eq!(batch.seed_time().unwrap(), [20, 5]);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop((batch, loader));
    assert_eq!(drops.load(Ordering::SeqCst), 2);
    // A failed call gives both back.
    let loader = sampler.loader().seeds(counted(&[0, 1]));
    assert!(loader.times(counted(&[20])).build().is_err());
    assert_eq!(drops.load(Ordering::SeqCst), 4);
    let loader = sampler.loader().seeds(counted(&[0, 9]));
    assert!(loader.times(counted(&[20, 5])).build().is_err());
    assert_eq!(drops.load(Ordering::SeqCst), 6);
}

#[test]
fn subgraphs_may_be_induced() {
    let context = context();
    let dataset = ring(&context, 6, 2); // from v + 1 and v + 2 to v
    let options = dataset.sampler().edge_ids(true);
    let induced = options.clone().subgraph(Subgraph::Induced);
    let sampler = induced.build().unwrap(); // no hops, just the seeds
    let batch = sampler.sample(&[3i64, 1, 2]).unwrap();
    assert_eq!(batch.node::<i64>().unwrap(), [3, 1, 2]);
    assert_eq!(batch.num_sampled_nodes().unwrap(), [3]);
    assert_eq!(batch.row::<i64>().unwrap(), [2, 0, 0]);
    assert_eq!(batch.col::<i64>().unwrap(), [1, 1, 2]);
    let ends = batch.edge_index().unwrap(); // both, in the same memory
    assert_eq!(ends.shape(), [2, 3]);
    assert_eq!(ends.as_slice::<i64>().unwrap(), [2, 0, 0, 1, 1, 2]);
    assert_eq!(ends.as_ptr(), batch.row::<i64>().unwrap().as_ptr().cast());
    assert_eq!(batch.edge::<i64>().unwrap(), [2, 3, 4]);
    assert_eq!(batch.num_sampled_edges().unwrap(), [3]);
    let sampler = induced.fanouts([]).disjoint(true).build().unwrap();
    let batch = sampler.sample(&[3i64, 1, 2]).unwrap();
    assert_eq!(batch.num_sampled_edges().unwrap(), [0]);
    let error = options.subgraph(Subgraph::Sampled).build().unwrap_err();
    assert_eq!(error.detail("argument"), Some("fanouts"));
    let error = dataset.sampler().fanouts([]).build().unwrap_err();
    assert_eq!(error.detail("argument"), Some("fanouts"));
}

#[test]
fn batches_can_have_one_shape() {
    let context = context();
    let dataset = ring(&context, 10, 2);
    let sampler = dataset
        .sampler()
        .fanouts([2])
        .edge_ids(true)
        .build()
        .unwrap();
    let pad = Pad::new().size("node", 12).size("node__to__node", 9);
    let mut loader = sampler.loader().batch_size(4).pad(pad).build().unwrap();
    assert_eq!(loader.pad_size("node").unwrap(), 12);
    assert!(matches!(loader.pad_size("nobody"), Err(Error::NotFound(_))));
    let mut real_seeds = Vec::new();
    for batch in &mut loader {
        let batch = batch.unwrap();
        assert_eq!(batch.info().unwrap().padding, Padding::Fits);
        let nodes = batch.nodes(None);
        let mask = nodes.mask().unwrap();
        let real = nodes.num_sampled_nodes().unwrap().iter().sum::<i64>() as usize;
        let bytes = mask.as_slice::<u8>().unwrap();
        assert!(bytes
            .iter()
            .enumerate()
            .all(|(i, &m)| m == u8::from(i < real)));
        assert_eq!(batch.node::<i64>().unwrap()[real..], vec![-1; 12 - real]);
        let edges = batch.edges(None);
        assert_eq!(edges.mask().unwrap().shape(), [9]);
        let from = edges.num_sampled_edges().unwrap()[0] as usize;
        assert_eq!(
            batch.row::<i64>().unwrap()[from..],
            vec![real as i64; 9 - from]
        );
        let seeds = nodes.seed_mask().unwrap();
        real_seeds.push(seeds.as_slice::<u8>().unwrap().iter().sum::<u8>());
    }
    assert_eq!(real_seeds, [4, 4, 2]);
    let small = sampler
        .loader()
        .batch_size(4)
        .pad(Pad::new().size("node", 3));
    let mut loader = small.build().unwrap();
    let batch = loader.next().unwrap().unwrap();
    assert_eq!(batch.info().unwrap().padding, Padding::Overflow);
    let options = || Pad::new().batches(3).multiple(10).sigma(1.0);
    let estimated = sampler
        .loader()
        .batch_size(4)
        .pad(options())
        .build()
        .unwrap();
    assert_eq!(estimated.pad_size("node").unwrap() % 10, 0);
    let mut links = sampler
        .loader()
        .links("node__to__node")
        .batch_size(12)
        .pad(Pad::new().sigma(8.0))
        .build()
        .unwrap();
    for real in [12, 8] {
        let batch = links.next().unwrap().unwrap();
        let edges = batch.edges(None);
        assert_eq!(edges.link_source::<i64>().unwrap().len(), 12);
        let mask = edges.link_mask().unwrap();
        let bytes = mask.as_slice::<u8>().unwrap();
        assert!((0..12).all(|i| bytes[i] == u8::from(i < real)));
        assert!(matches!(
            edges.link_negative_mask(),
            Err(Error::NotFound(_))
        ));
        let nodes = batch.nodes(None);
        assert!(nodes.walk_mask().is_err() && nodes.near_mask().is_err());
        assert!(nodes.anchor_mask().is_err());
    }
    let wrong = sampler.loader().pad(options().size("nobody", 3)).build();
    assert!(matches!(wrong, Err(Error::NotFound(_))));
    let walks = Walks::of_length(3).per_seed(2);
    let walks = dataset.sampler().walks(walks).build().unwrap();
    let near = dataset.sampler().ppr(Ppr::of(3)).build().unwrap();
    let labels = Supervision::of("node__to__node").max_labels(2);
    let anchors = dataset.sampler().fanouts([2]).supervision(labels);
    let anchors = anchors.build().unwrap();
    let padded = |sampler: &Sampler| {
        let pad = Pad::new().sigma(8.0);
        let loader = sampler.loader().batch_size(4).pad(pad).build();
        loader.unwrap().next().unwrap().unwrap()
    };
    let ones = |mask: TensorView| {
        let bytes = mask.as_slice::<u8>().unwrap();
        (bytes.len(), bytes.iter().filter(|&&one| one == 1).count())
    };
    let batch = padded(&walks);
    assert_eq!(ones(batch.nodes(None).walk_mask().unwrap()), (8, 8));
    let batch = padded(&near);
    let (rows, real) = ones(batch.nodes(None).near_mask().unwrap());
    assert_eq!(batch.near_score().unwrap().shape()[0], rows);
    assert!(real > 0 && real < rows);
    let batch = padded(&anchors);
    assert_eq!(ones(batch.nodes(None).anchor_mask().unwrap()), (4, 4));
}

#[test]
fn columns_can_be_chosen_and_widened() {
    let context = context();
    let mut builder = ring_builder(&context, 4, 1);
    let half = Tensor::from_half_bits(vec![0, 0x3c00, 0x4000, 0x4200], DType::F16, &[4]).unwrap();
    builder
        .add_node_column("node", "h", half, Role::Other)
        .unwrap();
    let dataset = builder.build().unwrap();
    let sampler = dataset.sampler().fanouts([0]).build().unwrap();
    let h = ColumnRequest::new("h").of("node").dtype(DType::F32);
    let mut loader = sampler
        .loader()
        .batch_size(2)
        .columns([h, "x".into(), ColumnRequest::new("y").rows(Rows::All)])
        .build()
        .unwrap();
    loader.next();
    let batch = loader.next().unwrap().unwrap();
    assert_eq!(
        batch.column("h").unwrap().as_slice::<f32>().unwrap(),
        [2.0, 3.0]
    );
    assert_eq!(
        batch.column("y").unwrap().as_slice::<i64>().unwrap(),
        [20, 30]
    );
    assert!(batch.edges(None).column("f").is_err());
    let mut loader = sampler.loader().no_columns().build().unwrap();
    assert!(loader.next().unwrap().unwrap().column("x").is_err());
    let error = sampler.loader().columns(["none"]).build().unwrap_err();
    assert!(matches!(error, Error::NotFound(_)));
}

#[test]
fn each_iteration_is_the_next_epoch() {
    let context = context();
    let dataset = ring(&context, 100, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let options = || sampler.loader().batch_size(40).shuffle(true);
    let mut loader = options().build().unwrap();
    let epochs = |batches: Vec<gls::Result<Batch>>| -> Vec<u64> {
        let epoch = |batch: gls::Result<Batch>| batch.unwrap().info().unwrap().epoch;
        batches.into_iter().map(epoch).collect()
    };
    for epoch in 0..3 {
        let mut given = Vec::new();
        for batch in &mut loader {
            given.push(batch);
        }
        assert_eq!(epochs(given), [epoch; 3]);
        assert!(loader.next().is_none()); // the current epoch is over
    }
    // One that ends early, and one in which nothing was taken, count too.
    assert_eq!(epochs(loader.batches().take(1).collect()), [3]);
    drop(loader.batches());
    assert_eq!(epochs(loader.batches().collect()), [5; 3]);
    loader.seek(9).unwrap();
    assert_eq!(epochs(loader.batches().collect()), [9; 3]);
    // Batches taken by hand do not shorten the iteration.
    let by_hand = loader.seek(1).unwrap().next().unwrap();
    assert_eq!(epochs(vec![by_hand]), [1]);
    assert_eq!(epochs(loader.batches().collect()), [1; 3]);
    // A state is gone on with, and what follows is the epoch after it.
    loader.batches().next().unwrap().unwrap();
    let state = loader.save().unwrap();
    let mut other = options().build().unwrap();
    other.restore(&state).unwrap();
    assert_eq!(epochs(other.batches().collect()), [2; 2]);
    assert_eq!(epochs(other.batches().collect()), [3; 3]);
    assert_eq!(epochs(other.into_iter().collect()), [4; 3]);
    // The batches are those of the same epoch elsewhere.
    let mut plain = options().build().unwrap();
    plain.seek(6).unwrap();
    let nodes = |loader: &mut NeighborLoader| -> Vec<Vec<i64>> {
        let node = |batch: gls::Result<Batch>| batch.unwrap().node::<i64>().unwrap().to_vec();
        loader.batches().map(node).collect()
    };
    loader.seek(5).unwrap();
    nodes(&mut loader);
    assert_eq!(nodes(&mut loader), nodes(&mut plain));
    // There is an end of numbers.
    loader.seek(u64::MAX).unwrap();
    assert_eq!(epochs(loader.batches().collect()), [u64::MAX; 3]);
    let items: Vec<_> = loader.batches().collect();
    assert!(matches!(items[..], [Err(Error::InvalidState(_))]));
}

#[test]
fn zero_is_no_name_for_a_default() {
    let context = context();
    let dataset = ring(&context, 10, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let refused = |made: gls::Result<NeighborLoader>, argument: &str| match made {
        Err(Error::InvalidArgument(error)) => assert_eq!(error.detail("argument"), Some(argument)),
        other => panic!("{argument}: {other:?}"),
    };
    let loader = || sampler.loader();
    refused(loader().batch_size(0).build(), "batch_size");
    refused(loader().num_workers(0).build(), "num_workers");
    refused(loader().prefetch(0).build(), "prefetch");
    refused(loader().prefetch_bytes(0).build(), "prefetch_bytes");
    refused(loader().trainer(0, 0).build(), "world_size");
    refused(loader().pad(Pad::new().batches(0)).build(), "batches");
    refused(loader().pad(Pad::new().multiple(0)).build(), "multiple");
    refused(loader().pad(Pad::new().sigma(0.0)).build(), "sigma");
    loader().batch_size(0).batch_size(4).build().unwrap(); // set again
    for (negatives, argument) in [
        (Negatives::triplet().amount(0.0), "amount"),
        (Negatives::binary().tries(0), "tries"),
    ] {
        let error = dataset.sampler().fanouts([2]).negatives(negatives).build();
        assert_eq!(error.unwrap_err().detail("argument"), Some(argument));
    }
}

#[test]
fn options_without_effect_are_refused() {
    let context = context();
    let dataset = ring(&context, 10, 2);
    let options = || dataset.sampler().fanouts([2]);
    let refused = |sampler: SamplerBuilder<'_>, argument: &str| {
        let sampler = sampler.build().unwrap();
        for error in [
            sampler.loader().build().unwrap_err(),
            sampler.sample(&[1i64]).unwrap_err(),
        ] {
            assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
            assert_eq!(error.detail("argument"), Some(argument), "{error}");
            assert!(error.message().contains("links"), "{error}");
            assert!(!error.message().contains("GLS_"), "{error}");
        }
        sampler.loader().links(None).build().unwrap();
    };
    refused(options().negatives(Negatives::binary()), "negatives");
    refused(options().exclude_links(true), "exclude_links");
    let both = options().walks(Walks::of_length(2)).ppr(Ppr::of(3));
    assert!(matches!(both.build(), Err(Error::InvalidArgument(_))));
}

#[test]
fn a_loader_iterates_seeks_and_counts() {
    let context = context();
    let dataset = ring(&context, 100, 2);
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let mut loader = sampler
        .loader()
        .batch_size(30)
        .num_workers(2)
        .prefetch(3)
        .prefetch_bytes(1 << 20)
        .build()
        .unwrap();
    assert_eq!(loader.batches().map(Result::unwrap).count(), 4);
    assert!(loader.next().is_none() && loader.next().is_none());
    assert!(matches!(
        loader.next_batch(Some(Duration::from_secs(1))),
        Ok(Step::End)
    ));
    let info = loader.info().unwrap();
    assert_eq!(
        (info.num_batches, info.num_seeds, info.batch_size),
        (4, 100, 30)
    );
    let long = loader.seek(1).unwrap().next_batch(Some(Duration::MAX));
    assert!(matches!(long, Ok(Step::Batch(_))));
    assert_eq!(std::iter::from_fn(|| loader.next()).count(), 3);
    let stats = loader.stats().unwrap();
    assert_eq!((stats.batches, stats.seeds), (8, 200));
    assert_eq!((stats.disk_rows, stats.disk_row_bytes), (0, 0));
    assert_eq!((stats.disk_read_bytes, stats.disk_packed_bytes), (0, 0));
    let mut loader = sampler
        .loader()
        .batch_size(30)
        .drop_last(true)
        .trainer(1, 2)
        .even(Even::Drop)
        .build()
        .unwrap();
    assert_eq!(loader.batches().count(), 1);
    // Without time to wait, either answer is right.
    match loader
        .seek(0)
        .unwrap()
        .next_batch(Some(Duration::ZERO))
        .unwrap()
    {
        Step::Batch(_) | Step::InProgress => {}
        Step::End => panic!("the epoch has just begun"),
    }
}

#[test]
fn a_planned_loader_counts_what_it_reads() {
    let context = context();
    context.set("storage.way", "planned").unwrap();
    context.set("storage.memory", "2000").unwrap();
    let folder = TempDir::new();
    let path = folder.join("ring");
    ring(&context, 1000, 2).save(&path).unwrap();
    let dataset = Dataset::open(&context, &path).unwrap();
    let sampler = dataset.sampler().fanouts([2]).build().unwrap();
    let loader = sampler.loader().columns(["x"]).batch_size(8);
    let mut loader = loader.build().unwrap();
    assert_eq!(loader.batches().map(Result::unwrap).count(), 125);
    let stats = loader.stats().unwrap();
    assert!(0 < stats.disk_rows && stats.disk_rows <= stats.host_rows);
    assert_eq!(stats.disk_row_bytes, 12 * stats.disk_rows);
    assert!(stats.disk_read_bytes > 0);
}

#[test]
fn a_saved_loader_is_resumed() {
    let context = context();
    let dataset = ring(&context, 100, 2);
    let sampler = dataset.sampler().fanouts([2]).seed(5).build().unwrap();
    let make = || {
        sampler
            .loader()
            .batch_size(8)
            .shuffle(true)
            .build()
            .unwrap()
    };
    let nodes = |batch: Result<Batch>| batch.unwrap().node::<i64>().unwrap().to_vec();
    let mut one = make();
    one.seek(3).unwrap();
    for _ in 0..5 {
        one.next().unwrap().unwrap();
    }
    let state = one.save().unwrap();
    let rest: Vec<_> = std::iter::from_fn(|| one.next()).map(nodes).collect();
    let mut other = make();
    let resumed: Vec<_> = other
        .restore(&state)
        .unwrap()
        .batches()
        .map(nodes)
        .collect();
    assert_eq!(rest, resumed);
    assert_eq!(rest.len(), 8);
    let mut unlike = sampler
        .loader()
        .batch_size(9)
        .shuffle(true)
        .build()
        .unwrap();
    let error = unlike.restore(&state).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    assert!(unlike.restore("{}").is_err());
}

#[test]
fn text_of_other_encodings_and_ragged_lines() {
    let folder = TempDir::new();
    let path = folder.join("edges.csv");
    std::fs::write(&path, b"caf\xe9,b\nc,b,x\n").unwrap();
    let context = context();
    let build = |options: TextOptions| {
        let mut builder = DatasetBuilder::new(&context).unwrap();
        builder
            .add_node_type("n", 0, Ids::String)
            .unwrap()
            .add_edges_text("n__to__n", &path, &options.header(false))
            .unwrap();
        builder.build()
    };
    let latin = || TextOptions::new().encoding(Encoding::Latin1);
    let dataset = build(latin().ragged(true)).unwrap();
    assert_eq!(dataset.node_key(None, 2).unwrap(), "café");
    let error = build(latin()).unwrap_err();
    assert!(matches!(error, Error::CorruptData(_)), "{error:?}");
    assert!(
        error.message().contains(":2: the line has 3 fields"),
        "{error}"
    );
    let error = build(TextOptions::new()).unwrap_err();
    assert!(error.message().contains(":1: source: node id"), "{error}");
    assert!(error.message().contains("is not UTF-8"), "{error}");
}

#[test]
fn weights_are_checked_when_a_dataset_is_made() {
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_edges("node__to__node", vec![0i64, 1], vec![1i64, 0])
        .unwrap()
        .add_edge_column(None, "w", vec![1.0f32, f32::NAN], Role::Weight)
        .unwrap();
    let error = builder.build().unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    assert!(error.message().contains("weight nan in row 1"), "{error}");
}

#[test]
fn an_error_of_one_batch_does_not_end_the_epoch() {
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_edges("node__to__node", vec![0i64, 1, 2, 0], vec![0i64, 1, 2, 2])
        .unwrap()
        .add_edge_column(None, "w", vec![1.0f32, -1.0, 1.0, 1.0], Role::Other)
        .unwrap();
    let dataset = builder.build().unwrap();
    let sampler = dataset.sampler().fanouts([1]).weight("w").build().unwrap();
    let results: Vec<_> = sampler
        .loader()
        .batch_size(1)
        .build()
        .unwrap()
        .into_iter()
        .collect();
    assert_eq!(results.len(), 3);
    assert!(results[0].is_ok() && results[2].is_ok());
    assert!(matches!(results[1], Err(Error::CorruptData(_))));
}

#[test]
fn several_types_are_told_apart() {
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_edges("user__likes__item", vec![0i64, 1, 2], vec![0i64, 0, 1])
        .unwrap()
        .add_node_column("user", "age", vec![30.0f32, 40.0, 50.0], Role::Feature)
        .unwrap();
    let dataset = builder.build().unwrap();
    let sampler = dataset
        .sampler()
        .fanouts_of("user__likes__item", [-1])
        .build()
        .unwrap();
    let mut loader = sampler.loader().node_type("item").build().unwrap();
    let batch = loader.next().unwrap().unwrap();
    assert_eq!(batch.nodes("user").num_nodes().unwrap(), 3);
    let ages = batch.nodes("user").column("age").unwrap();
    assert_eq!(ages.to_vec::<f32>().unwrap(), [30.0, 40.0, 50.0]);
    assert_eq!(batch.edges(None).num_edges().unwrap(), 3);
    assert!(matches!(
        batch.node::<i64>(),
        Err(Error::InvalidArgument(_))
    ));
    let error = sampler.sample(&[0i64]).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)));
}

#[test]
fn errors_say_what_and_where() {
    let context = context();
    let dataset = ring(&context, 10, 1);
    let sampler = dataset.sampler().fanouts([1]).build().unwrap();
    let error = sampler.sample(&[1i64, 12]).unwrap_err();
    assert_eq!(error.status_name(), "GLS_ERR_INVALID_ARGUMENT");
    assert!(error.message().contains("12") && error.message().contains("index 1"));
    assert_eq!(error.detail("argument"), Some("seeds"));
    assert_eq!(error.detail("no such key"), None);
    assert!(format!("{error:?}").contains("argument: \"seeds\""));
    assert_eq!(error.to_string(), error.message());
    let bad = sampler
        .request()
        .seeds("node", &[0i64])
        .exclude(EdgeSet::pairs(None, &[1], &[]));
    assert!(matches!(bad.sample(), Err(Error::InvalidArgument(_))));
    assert!(matches!(
        dataset.sampler().build(),
        Err(Error::InvalidArgument(_))
    ));
    let missing = dataset
        .sampler()
        .fanouts_of("a__b__c", [1])
        .build()
        .unwrap_err();
    assert!(matches!(missing, Error::NotFound(_)));
    let error = sampler.loader().seeds(vec![0.5f32]).build().unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)));
}

#[test]
fn a_file_that_is_cut_short_is_an_error() {
    let context = context();
    let folder = TempDir::new();
    let path = folder.join("cut");
    ring(&context, 10, 1).save(&path).unwrap();
    let dataset = Dataset::open(&context, &path).unwrap();
    let file = path.join("edges/node__to__node/csc/indices.npy");
    std::fs::OpenOptions::new()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len(0)
        .unwrap();
    let error = dataset.verify().unwrap_err();
    assert_eq!(error.detail("file"), file.to_str(), "{error}");
    assert!(error.to_string().contains("was cut short"), "{error}");
}

#[test]
fn all_details_of_an_error_are_listed() {
    let folder = TempDir::new();
    let (edges, path) = (folder.join("edges.tsv"), folder.join("ring"));
    std::fs::write(&edges, "0\t1\n1\ttwo\n").unwrap();
    let context = context();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder.add_node_type("node", 3, Ids::Dense).unwrap();
    builder
        .add_edges_text("node__to__node", &edges, &TextOptions::new())
        .unwrap();
    let error = builder.build().unwrap_err();
    let details: BTreeMap<_, _> = error.details().collect();
    assert_eq!(details["file"], edges.to_str().unwrap(), "{error}");
    assert_eq!(details["line"], "2");
    for (key, value) in details {
        assert_eq!(error.detail(key), Some(value));
        assert!(format!("{error:?}").contains(&format!("{key}: {value:?}")));
    }

    ring(&context, 10, 1).save(&path).unwrap();
    let manifest = path.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let changed = text.replacen("\"node_types\": [", "\"node_types\": [7,", 1);
    assert_ne!(text, changed);
    std::fs::write(&manifest, changed).unwrap();
    let error = Dataset::open(&context, &path).unwrap_err();
    assert!(error.detail("field").unwrap().contains("node_types"));
    assert_eq!(error.details().count(), 2, "{error:?}"); // and the file

    // Those that this crate finds itself have one.
    let error = context.get("a\0b").unwrap_err();
    assert_eq!(error.details().collect::<Vec<_>>(), [("argument", "key")]);
    assert_eq!(error.detail("argument"), Some("key"));
}
