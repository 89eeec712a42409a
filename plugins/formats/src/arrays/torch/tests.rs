use std::path::{Path, PathBuf};

use super::*;
use crate::arrays::{npz, DType};
use crate::failure::Code;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/formats/golden/torch")
        .join(name)
}

const VERSIONS: [&str; 2] = ["2.2.1", "2.5.1"];

fn open(name: &str, array: Option<&str>) -> Result<Array, Failure> {
    let path = golden(name);
    read(&path, &Bytes::map(&path)?, array)
}

#[test]
fn all_arrays_of_golden_files() {
    let path = golden("expected.npz");
    let mut expected = npz::Archive::open(&path, &Bytes::map(&path).unwrap()).unwrap();
    let names = npz::names(&expected);
    assert_eq!(names.len(), 18);
    for version in VERSIONS {
        for kind in ["archive", "old"] {
            all(&format!("{kind}-{version}.pt"), &mut expected, &names);
        }
        for protocol in 2..=5 {
            all(
                &format!("pickle{protocol}-{version}.pkl"),
                &mut expected,
                &names,
            );
        }
    }
}

fn all(file: &str, expected: &mut npz::Archive, names: &[String]) {
    for name in names {
        let wanted = npz::read(expected, name).unwrap();
        let found = open(file, Some(name)).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(found.dtype, wanted.dtype, "{file}: {name}");
        assert_eq!(found.shape, wanted.shape, "{file}: {name}");
        let (found, wanted) = (
            found.into_aligned().unwrap(),
            wanted.into_aligned().unwrap(),
        );
        assert_eq!(found.bytes(), wanted.bytes(), "{file}: {name}");
    }
}

#[test]
fn paths() {
    let file = "archive-2.5.1.pt";
    let message = |path| open(file, path).unwrap_err().message;
    assert!(message(Some("int46")).contains("did you mean \"int64\"?"));
    assert!(message(Some("nested.a.7")).contains("there is no \"7\" in 0, 1"));
    assert!(message(Some("words")).contains("is no tensor"));
    assert!(message(Some("int64.x")).contains("there is no \"x\""));
    assert!(message(None).contains("name one of its arrays by `array`"));
    for version in VERSIONS {
        let sole = open(&format!("sole-{version}.pt"), None).unwrap();
        assert_eq!(sole.to_i64s().unwrap(), [0, 1, 2, 3]);
    }
}

#[test]
fn pickles_that_follow_each_other_are_one_array() {
    for version in VERSIONS {
        let file = format!("rows-{version}.pkl");
        let rows = open(&file, None).unwrap();
        assert_eq!(rows.shape, [5, 2]);
        assert_eq!(rows.to_i64s().unwrap(), (0..10).collect::<Vec<i64>>());
        assert_eq!(
            shape_of_joined(&golden(&file)).unwrap(),
            (DType::I64, vec![5, 2])
        );
        assert!(open(&file, Some("0")).is_err());
    }
}

/// A file with each byte cut and changed in turn: errors or numbers, and no panics.
#[test]
fn damaged_files() {
    let mut state = 1_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize
    };
    for file in [
        "sole-2.5.1.pt",
        "rows-2.5.1.pkl",
        "old-2.2.1.pt",
        "archive-2.5.1.pt",
    ] {
        let path = golden(file);
        let whole = std::fs::read(&path).unwrap();
        let array = file.starts_with(['o', 'a']).then_some("turned");
        let sizes = whole.len().div_ceil(1500);
        for size in (0..whole.len()).step_by(sizes) {
            let cut = Bytes::of_vec(whole[..size].to_vec());
            let complete = file.starts_with('r') && size > 0;
            let found = read(&path, &cut, array);
            assert!(found.is_err() || complete, "{file} with {size} bytes");
        }
        for _ in 0..800 {
            let mut changed = whole.clone();
            for _ in 0..=random() % 3 {
                let at = random() % changed.len();
                changed[at] = random() as u8;
            }
            drop(read(&path, &Bytes::of_vec(changed), array));
        }
    }
}

fn zip_of(members: &[(&str, &[u8])], compressed: bool) -> Bytes {
    use std::io::Write;
    let method = if compressed {
        zip::CompressionMethod::Deflated
    } else {
        zip::CompressionMethod::Stored
    };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, contents) in members {
        out.start_file(*name, options).unwrap();
        out.write_all(contents).unwrap();
    }
    Bytes::of_vec(out.finish().unwrap().into_inner())
}

/// The pickle of a tensor of float32.
fn tensor(offset: u8, shape: &[u8], strides: &[u8], count: u8) -> Vec<u8> {
    tensor_in("FloatStorage", offset, shape, strides, count)
}

fn tensor_in(class: &str, offset: u8, shape: &[u8], strides: &[u8], count: u8) -> Vec<u8> {
    let tuple = |numbers: &[u8]| {
        let mut out = vec![b'('];
        numbers
            .iter()
            .for_each(|&number| out.extend([b'K', number]));
        out.push(b't');
        out
    };
    let mut out = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storage".to_vec();
    out.extend(format!("ctorch\n{class}\n").bytes());
    out.extend(b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK");
    out.extend([count, b't', b'Q', b'K', offset]);
    out.extend(tuple(shape));
    out.extend(tuple(strides));
    out.extend(b"\x89}tR.");
    out
}

fn read_tensor(pickle: &[u8], order: &[u8], numbers: &[u8]) -> Result<Array, Failure> {
    let members = [
        ("a/data.pkl", pickle),
        ("a/byteorder", order),
        ("a/data/0", numbers),
    ];
    read(Path::new("a.pt"), &zip_of(&members, false), None)
}

#[test]
fn shapes_must_lie_in_their_storage() {
    let numbers: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let good = read_tensor(&tensor(1, &[2, 2], &[1, 2], 6), b"little", &numbers).unwrap();
    assert_eq!(good.shape, [2, 2]);
    let turned: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_be_bytes()).collect();
    let big = read_tensor(&tensor(0, &[6], &[1], 6), b"big", &turned).unwrap();
    let found: Vec<u8> = big.into_aligned().unwrap().bytes().to_vec();
    assert_eq!(found, numbers);
    for (pickle, expected) in [
        (tensor(7, &[1], &[1], 6), "begins after"),
        (tensor(1, &[6], &[1], 6), "needs 24 bytes"),
        (tensor(0, &[6], &[200], 6), "needs"),
        (tensor(0, &[255, 255], &[0, 0], 6), "share numbers"),
        (tensor(0, &[2], &[1, 1], 6), "shape is"),
        (tensor(0, &[7], &[1], 7), "has 24 bytes for 7 numbers"),
    ] {
        let message = read_tensor(&pickle, b"little", &numbers)
            .unwrap_err()
            .message;
        assert!(message.contains(expected), "{message}");
    }
    assert!(read_tensor(&tensor(0, &[6], &[1], 6), b"middle", &numbers).is_err());
    assert_eq!(
        read_tensor(&tensor(9, &[0, 3], &[3, 1], 6), b"little", &numbers)
            .unwrap()
            .shape,
        [0, 3]
    );
}

#[test]
fn extents_that_no_file_has() {
    let pickle = String::from_utf8_lossy(&tensor(0, &[0, 99, 99], &[0, 0, 0], 6)[2..])
        .replace("Kc", "I9223372036854775807\n")
        .replace('\u{fffd}', "I00\n");
    assert_eq!(pickle.matches("I922").count(), 2);
    assert!(read_tensor(pickle.as_bytes(), b"little", &[0; 24]).is_err());
}

#[test]
fn archives_that_torch_does_not_write() {
    let zeros = vec![0; 10 << 20];
    let pickle = tensor(0, &[6], &[1], 6);
    for members in [
        vec![("a/data.pkl", zeros.as_slice())],
        vec![("a/data.pkl", pickle.as_slice()), ("a/data/0", &zeros)],
    ] {
        let found = read(Path::new("a.pt"), &zip_of(&members, true), None).unwrap_err();
        assert!(found.message.contains("is compressed"), "{}", found.message);
        assert_eq!(found.code, Code::Unsupported);
    }
    for members in [
        vec![("a/data.pkl", pickle.as_slice())],
        vec![("a/data.pkl", pickle.as_slice()), ("b/data.pkl", &pickle)],
    ] {
        assert!(read(Path::new("a.pt"), &zip_of(&members, false), None).is_err());
    }
}

#[test]
fn tensors_that_torch_changes_are_unsupported() {
    let numbers = [0; 24];
    for (value, good) in [(b'\x88', false), (b'\x89', true)] {
        let mut pickle = tensor(0, &[6], &[1], 6);
        // Hooks, which are always there, and {"neg": value}.
        pickle.truncate(pickle.len() - 4);
        pickle.extend(b"}}X\x03\x00\x00\x00neg");
        pickle.extend([value, b's']);
        pickle.extend(b"tR.");
        match read_tensor(&pickle, b"little", &numbers) {
            Ok(found) => assert!(good && found.shape == [6]),
            Err(error) => {
                assert!(!good && error.code == Code::Unsupported, "{error:?}");
                assert!(error.message.contains("\"neg\""), "{}", error.message);
            }
        }
    }
}

#[test]
fn sparse_and_unknown_numbers_are_unsupported() {
    let complex = tensor_in("ComplexFloatStorage", 0, &[1], &[1], 1);
    let found = read_tensor(&complex, b"little", &[0; 8]).unwrap_err();
    assert_eq!(found.code, Code::Unsupported);
    let sparse = b"ctorch._utils\n_rebuild_sparse_tensor\n)R.";
    let found = read_tensor(sparse, b"little", &[]).unwrap_err();
    assert!(found.message.contains("sparse"), "{}", found.message);
}
