use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};

use super::*;
use crate::recipe::{Header, TableFormat};

fn read(text: &[u8]) -> Result<Vec<(i64, i64, f64)>, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let paths = [file.path().display().to_string()];
    let reader = open(&Request {
        paths: &paths,
        format: TableFormat::MatrixMarket,
        table: None,
        delimiter: None,
        header: Header::Yes,
        fields: &[],
        threads: 1,
    })
    .map_err(|failure| failure.message)?;
    let mut out = Vec::new();
    for batch in reader.take(100) {
        let batch = batch.map_err(|error| error.to_string())?;
        let int =
            |column: usize, i: usize| batch.column(column).as_primitive::<Int64Type>().value(i);
        for i in 0..batch.num_rows() {
            let value = match batch.columns().get(2) {
                None => 1.0,
                Some(values) => match values.as_primitive_opt::<Float64Type>() {
                    Some(reals) => reals.value(i),
                    None => int(2, i) as f64,
                },
            };
            out.push((int(0, i), int(1, i), value));
        }
    }
    Ok(out)
}

#[test]
fn kinds_and_symmetries() {
    let general =
        "%%MatrixMarket matrix coordinate real general\n% note\n\n2 3 2\n1 3 1.5\n2 1 -2e1\n";
    assert_eq!(
        read(general.as_bytes()).unwrap(),
        [(0, 2, 1.5), (1, 0, -20.0)]
    );
    let symmetric = "%%matrixmarket MATRIX Coordinate integer symmetric\n3 3 2\n2 1 7\n3 3 8\n";
    let expected = [(1, 0, 7.0), (0, 1, 7.0), (2, 2, 8.0)];
    assert_eq!(read(symmetric.as_bytes()).unwrap(), expected);
    let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\r\n3 3 1\r\n2 1 7\r\n";
    assert_eq!(read(skew.as_bytes()).unwrap(), [(1, 0, 7.0), (0, 1, -7.0)]);
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 2";
    assert_eq!(read(pattern.as_bytes()).unwrap(), [(1, 1, 1.0)]);
}

#[test]
fn comments_may_have_any_bytes() {
    let head = b"%%MatrixMarket matrix coordinate pattern general\n";
    let good = [&head[..], b"% caf\xe9\n2 2 1\n%\xff\n2 2\n%\xe9"].concat();
    assert_eq!(read(&good).unwrap(), [(1, 1, 1.0)]);
    for (rest, expected) in [
        (&b"2 2 1\n2 2\xe9\n"[..], "line 3: it is not ASCII"),
        (b"2 \xc2\xa02 1\n2 2\n", "line 2: it is not ASCII"),
    ] {
        let message = read(&[head, rest].concat()).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn faults_name_their_line() {
    let good = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 1.5\n2 1 2\n";
    for (from, to, expected) in [
        ("1 3 1.5", "1 4 1.5", "line 3: the column"),
        ("1 3 1.5", "0 3 1.5", "line 3: the row"),
        ("1 3 1.5", "1 3", "line 3: the number"),
        ("1 3 1.5", "1 3 1 1", "line 3: there is more"),
        ("2 3 2", "2 3 3", "1 numbers are missing"),
        ("2 3 2", "2 3 1", "line 4: there are more"),
        ("2 3 2", "2 3", "line 2: expected"),
        ("2 3 2", "-2 3 2", "the sizes"),
        ("real general", "real symmetric", "the sizes"),
        ("real", "complex", "complex"),
        ("coordinate", "array", "dense"),
        ("%%Matrix", "%Matrix", "not MatrixMarket"),
    ] {
        let message = read(good.replace(from, to).as_bytes()).unwrap_err();
        assert!(message.contains(expected), "{to}: {message}");
    }
    assert!(read(&[b'1'; 3 << 20]).unwrap_err().contains("too long"));
}

#[test]
fn cuts_and_flips_do_not_panic() {
    let good = b"%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 7\n3 1 8\n";
    for cut in 0..good.len() - 2 {
        assert!(read(&good[..cut]).is_err(), "{cut}");
    }
    let mut state = 1_u64;
    for _ in 0..2000 {
        let mut bytes = good.to_vec();
        for _ in 0..2 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = (state >> 50) as u8;
        }
        let _ = read(&bytes);
    }
}
