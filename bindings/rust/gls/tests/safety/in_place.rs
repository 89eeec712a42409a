//! Arrays are shown where the library has them, and never copied, by any of the ways to see them.

use crate::common::{context, ring};
use gls::*;

/// Compares all addresses of one array with that in the library's own description.
fn check<T: Element>(view: &TensorView<'_>, tensor: impl Fn() -> Tensor) {
    let raw = tensor().into_dlpack();
    // SAFETY: owned, and given back.
    let (address, tensor_again) = unsafe {
        let told = &raw.as_ref().dl_tensor;
        let address = told.data.cast::<u8>().add(told.byte_offset as usize);
        (address as *const T, Tensor::from_dlpack(raw).unwrap())
    };
    assert_eq!(tensor_again.as_ptr().cast(), address);
    assert_eq!(view.as_ptr().cast(), address);
    let slice = view.as_slice::<T>().unwrap();
    assert!(!slice.is_empty());
    assert_eq!(slice.as_ptr(), address);
    assert_eq!(view.row::<T>(0).unwrap().as_ptr(), address);
    #[cfg(feature = "ndarray")]
    {
        let array = view.array::<T, ndarray::IxDyn>().unwrap();
        assert_eq!(array.as_ptr(), address);
        let array = tensor_again.array::<T, ndarray::IxDyn>().unwrap();
        assert_eq!(array.as_ptr(), address);
    }
    #[cfg(feature = "arrow")]
    {
        use arrow_array::Array;
        let data = tensor_again.into_arrow().unwrap().to_data();
        let values = match data.child_data() {
            [] => &data,
            rows => &rows[0],
        };
        assert_eq!(values.buffers()[0].as_ptr().cast(), address);
    }
}

#[test]
fn every_array_of_a_batch() {
    let context = context();
    let dataset = ring(&context, 50, 2);
    let sampler = dataset.sampler().fanouts([2, 2]);
    let sampler = sampler.edge_ids(true).disjoint(true).build().unwrap();
    let loader = sampler.loader().batch_size(5).columns(["x", "y", "w", "f"]);
    let batch = loader.build().unwrap().next().unwrap().unwrap();
    let arrays = batch.arrays().unwrap();
    assert_eq!(arrays.len(), 13);
    for info in arrays {
        let view = batch.view(info.array, info.type_name, info.column).unwrap();
        let tensor = || {
            let made = batch.tensor(info.array, info.type_name, info.column);
            made.unwrap()
        };
        match view.dtype() {
            DType::I64 => check::<i64>(&view, tensor),
            DType::F32 => check::<f32>(&view, tensor),
            other => panic!("{info:?} is of {other}"),
        }
    }
    assert_eq!(
        batch.node::<i64>().unwrap().as_ptr().cast(),
        batch.view(BatchArray::Node, None, None).unwrap().as_ptr()
    );
}

#[test]
fn columns_that_were_moved_in() {
    let context = context();
    let (source, target) = (vec![0i64, 1, 2], vec![1i64, 2, 0]);
    let x = vec![0.5f32, 1.5, 2.5];
    let address = x.as_ptr();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_edges("node__to__node", source, target)
        .unwrap()
        .add_node_column("node", "x", x, Role::Feature)
        .unwrap();
    let dataset = builder.build().unwrap();
    let column = || dataset.node_column("node", "x").unwrap();
    assert_eq!(column().as_ptr().cast(), address);
    check::<f32>(&column().view(), column);
}
