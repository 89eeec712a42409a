//! Arrays shared with arrow.
#![cfg(feature = "arrow")]

use crate::common::{context, ring, TempDir};
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{
    Array, BooleanArray, FixedSizeListArray, Float16Array, Float32Array, Int64Array,
    PrimitiveArray, UInt8Array,
};
use gls::*;

#[test]
fn batches_are_shown_to_arrow_in_place() {
    let context = context();
    let dataset = ring(&context, 10, 1);
    let sampler = dataset.sampler().fanouts([1]).build().unwrap();
    let batch = sampler.loader().batch_size(4).build().unwrap().next();
    let batch = batch.unwrap().unwrap();
    let address = batch.column("x").unwrap().as_ptr();
    let node = batch.tensor(BatchArray::Node, None, None).unwrap();
    let node = node.into_arrow().unwrap();
    let x = batch.tensor(BatchArray::NodeColumn, None, "x").unwrap();
    let x = x.into_arrow().unwrap();
    drop((batch, sampler, dataset, context));
    let node: &Int64Array = node.as_any().downcast_ref().unwrap();
    assert_eq!(&node.values()[..4], [0, 1, 2, 3]);
    let x: &FixedSizeListArray = x.as_any().downcast_ref().unwrap();
    assert_eq!(x.len(), node.len());
    let values: &PrimitiveArray<Float32Type> = x.values().as_any().downcast_ref().unwrap();
    assert_eq!(values.values().as_ptr().cast(), address);
    assert_eq!(&values.values()[3..6], [1.0, 1.25, -1.0]);
    let none = Tensor::from_vec(Vec::<f64>::new()).unwrap();
    assert!(none.into_arrow().unwrap().is_empty());
}

#[test]
fn all_that_arrow_has_is_shown_to_it() {
    let values: Vec<u8> = (0..12).collect();
    let address = values.as_ptr();
    let cube = Tensor::from_vec_with_shape(values, &[2, 3, 2]).unwrap();
    let cube = cube.into_arrow().unwrap();
    let cube: &FixedSizeListArray = cube.as_any().downcast_ref().unwrap();
    assert_eq!((cube.len(), cube.value_length()), (2, 3));
    let second = cube.value(1);
    let second: &FixedSizeListArray = second.as_any().downcast_ref().unwrap();
    assert_eq!((second.len(), second.value_length()), (3, 2));
    let last = second.value(2);
    let last: &UInt8Array = last.as_any().downcast_ref().unwrap();
    assert_eq!(last.values()[..], [10, 11]);
    assert_eq!(last.values().as_ptr(), address.wrapping_add(10));

    let bools: Vec<bool> = (0..70).map(|i| i % 3 == 0).collect();
    let shown = Tensor::from_bools(bools.clone()).unwrap().into_arrow();
    let shown = shown.unwrap();
    let shown: &BooleanArray = shown.as_any().downcast_ref().unwrap();
    assert_eq!(shown, &BooleanArray::from(bools));

    let halves = |dtype| Tensor::from_half_bits(vec![0x3c00, 0xc000], dtype, &[2]).unwrap();
    let half = halves(DType::F16);
    let address = half.as_ptr();
    let half = half.into_arrow().unwrap();
    let half: &Float16Array = half.as_any().downcast_ref().unwrap();
    assert_eq!(
        (half.value(0).to_f32(), half.value(1).to_f32()),
        (1.0, -2.0)
    );
    assert_eq!(half.values().as_ptr().cast(), address);
    let error = halves(DType::BF16).into_arrow().unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error:?}");
}

#[test]
fn padded_rows_are_shown_as_if_they_were_not() {
    let folder = TempDir::new();
    let context = context();
    let values: Vec<f32> = (0..60).map(|i| i as f32).collect();
    let x = Tensor::from_vec_with_shape(values.clone(), &[2, 30]).unwrap();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    builder
        .add_node_type("node", 2, Ids::Dense)
        .unwrap()
        .add_node_column("node", "x", x, Role::Feature)
        .unwrap();
    builder.write(folder.join("padded")).unwrap();
    let dataset = Dataset::open(&context, folder.join("padded")).unwrap();
    assert_eq!(dataset.node_columns(None).unwrap()[0].row_stride, 128);
    let x = dataset
        .node_column(None, "x")
        .unwrap()
        .into_arrow()
        .unwrap();
    let x: &FixedSizeListArray = x.as_any().downcast_ref().unwrap();
    assert_eq!((x.len(), x.value_length()), (2, 30));
    let x: &Float32Array = x.values().as_any().downcast_ref().unwrap();
    assert_eq!(x.values()[..], values);
}

#[test]
fn arrays_of_arrow_go_in_without_a_copy() {
    let context = context();
    let x = Float32Array::from(vec![1.0, 2.0, 3.0]);
    let address = x.values().as_ptr();
    let mut builder = DatasetBuilder::new(&context).unwrap();
    let source = PrimitiveArray::<Int64Type>::from(vec![0, 1, 2]);
    builder
        .add_edges("node__to__node", &source, vec![1i64, 2, 0])
        .unwrap()
        .add_node_column(None, "x", &x, Role::Feature)
        .unwrap();
    drop((x, source));
    let dataset = builder.build().unwrap();
    let column = dataset.node_column(None, "x").unwrap();
    assert_eq!(column.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(column.as_ptr().cast(), address);
    let missing = Float32Array::from(vec![Some(1.0), None]);
    assert!(matches!(
        Tensor::from_arrow(&missing),
        Err(Error::InvalidArgument(_))
    ));
}
