//! Quantised columns.

use crate::common::context;
use gls::*;

fn chain(nodes: i64) -> DatasetBuilder {
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    let targets: Vec<i64> = (0..nodes).collect();
    let sources: Vec<i64> = (0..nodes).map(|v| (v + 1) % nodes).collect();
    builder
        .add_edges("node__to__node", sources, targets)
        .unwrap();
    builder
}

#[test]
fn packed_rows_are_decoded() {
    let codebook = [0.5f32, -1.0, 7.25, 3.0];
    let how = Quantization::codebook(2, 5, codebook);
    // Codes v, v + 1, ... modulo 4.
    let bytes: Vec<u8> = (0..9u32)
        .flat_map(|v| {
            let code = |i: u32| ((v + i) % 4) as u8;
            [
                code(0) << 6 | code(1) << 4 | code(2) << 2 | code(3),
                code(4) << 6 | 0x3f,
            ]
        })
        .collect();
    let codes = || Tensor::from_vec_with_shape(bytes.clone(), &[9, 2]).unwrap();
    let mut builder = chain(9);
    builder
        .add_node_codes("node", "x", codes(), &how, Role::Feature)
        .unwrap()
        .add_edge_codes(None, "f", codes(), &how, Role::Feature)
        .unwrap();
    let dataset = builder.build().unwrap();
    let column = &dataset.node_columns(None).unwrap()[0];
    assert_eq!((column.bits, &column.shape[..]), (2, &[9, 5][..]));
    assert_eq!(column.dtype, DType::F32);
    assert_eq!(column.codebook, codebook);
    let sampler = dataset
        .sampler()
        .fanouts([1])
        .edge_ids(true)
        .build()
        .unwrap();
    let loader = sampler.loader().batch_size(4).build().unwrap();
    let batch = loader.sample(0, 0).unwrap();
    let x = batch.nodes(None).column("x").unwrap();
    for (row, &v) in batch.node::<i64>().unwrap().iter().enumerate() {
        for i in 0..5 {
            let expected = codebook[(v as usize + i) % 4];
            assert_eq!(x.as_slice::<f32>().unwrap()[5 * row + i], expected);
        }
    }
}

#[test]
fn numbers_are_packed() {
    let numbers = Tensor::from_vec_with_shape(vec![0.0f32, 0.5, 1.0, 0.4, 9.0, -9.0], &[2, 3]);
    let codes = Quantization::quantize(numbers.unwrap(), 1, 0.0, 1.0).unwrap();
    assert_eq!(codes.as_slice::<u8>().unwrap(), [0b0010_0000, 0b0100_0000]);
}

#[test]
fn mistakes_are_named() {
    let codes = || Tensor::from_vec_with_shape(vec![0u8; 9], &[9, 1]).unwrap();
    let refused = |how: Quantization, argument: &str| {
        let error = chain(9)
            .add_node_codes(None, "x", codes(), &how, Role::Feature)
            .map(|_| ())
            .unwrap_err();
        assert_eq!(error.detail("argument"), Some(argument), "{error:?}");
    };
    refused(Quantization::even(3, 2, 0.0, 1.0), "bits");
    refused(Quantization::even(4, 3, 0.0, 1.0), "codes");
    refused(Quantization::even(4, 2, 1.0, 0.0), "low");
    refused(Quantization::codebook(1, 8, [0.0]), "codebook");
    refused(Quantization::codebook(1, 8, [0.0, f32::NAN]), "codebook");
}
