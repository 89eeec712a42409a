//! Splits; what is expected is what the reference gives, and what other languages are tested for.

use crate::common::{context, ring};
use gls::*;

fn longs(tensor: &Tensor) -> &[i64] {
    tensor.as_slice().unwrap()
}

#[test]
fn links_exactly() {
    let dataset = ring(&context(), 10, 3);
    let split = LinkSplit::new().seed(5).test(4.0).supervision(0.25);
    let train = dataset.split_links(None, &split, Split::Train).unwrap();
    assert_eq!(longs(&train.links), [7, 20, 26, 28, 29]);
    assert_eq!(
        longs(&train.exclude),
        [3, 7, 8, 11, 13, 14, 20, 23, 25, 26, 28, 29]
    );
    let valid = dataset
        .split_links("node__to__node", &split, Split::Valid)
        .unwrap();
    assert_eq!(longs(&valid.links), [11, 13, 14]);
    assert_eq!(longs(&valid.exclude), [3, 8, 11, 13, 14, 23, 25]);
    let test = dataset.split_links(None, &split, Split::Test).unwrap();
    assert_eq!(longs(&test.links), [3, 8, 23, 25]);
    assert_eq!(longs(&test.exclude), [3, 8, 23, 25]);

    let error = dataset.split_links(None, &split.valid(26.0), Split::Train);
    assert_eq!(error.unwrap_err().detail("argument"), Some("valid"));
}

#[test]
fn opposite_edges_stay_together() {
    let mut builder = DatasetBuilder::new(&context()).unwrap();
    let source = vec![0i64, 1, 2, 1, 0, 1, 3, 3, 0];
    let target = vec![1i64, 0, 1, 2, 1, 0, 3, 2, 3];
    builder.add_edges("node__to__node", source, target).unwrap();
    let dataset = builder.build().unwrap();
    let split = LinkSplit::new()
        .seed(5)
        .valid(1.0)
        .test(0.4)
        .undirected(true);
    let test = dataset.split_links(None, &split, Split::Test).unwrap();
    assert_eq!(longs(&test.links), [0, 4]);
    assert_eq!(longs(&test.exclude), [0, 1, 4, 5]);
}

#[test]
fn ids_by_hash() {
    let mut ids: Vec<i64> = (0..12).collect();
    ids.extend([-1, 1 << 40, i64::MAX, i64::MIN]);
    let parts = split_ids(&ids, 7, &[8.0, 1.0, 1.0]).unwrap();
    assert_eq!(parts, [0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 1, 0, 2]);
    assert_eq!(split_ids(&[5i32, 7], 7, &[8.0, 1.0, 1.0]).unwrap(), [2, 1]);
    for wrong in [&[][..], &[0.0], &[1.0, -1.0], &[f64::NAN]] {
        let error = split_ids(&ids, 7, wrong).unwrap_err();
        assert_eq!(error.detail("argument"), Some("shares"), "{error:?}");
    }
}
