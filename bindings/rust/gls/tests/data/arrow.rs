//! Arrays shared with arrow.
#![cfg(feature = "arrow")]

use crate::common::{context, ring};
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array, FixedSizeListArray, Float32Array, Int64Array, PrimitiveArray};
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
    let cube = Tensor::from_vec_with_shape(vec![0u8; 8], &[2, 2, 2]).unwrap();
    assert!(matches!(cube.into_arrow(), Err(Error::Unsupported(_))));
    let none = Tensor::from_vec(Vec::<f64>::new()).unwrap();
    assert!(none.into_arrow().unwrap().is_empty());
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
