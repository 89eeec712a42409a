//! NumPy's `.npy`: a header in Python's syntax, then the elements.
//! https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

use std::path::Path;

use super::bytes::Scratch;
use super::{Array, Bytes, DType};
use crate::failure::{Code, Failure};

/// More elements are a damaged header, also where an extent of zero leaves none.
const MOST_ELEMENTS: i64 = 1 << 48;

pub const MAGIC: &[u8] = b"\x93NUMPY";

/// An array in a mapped file, or in a member of an archive, which `path` names with it.
pub fn read(path: &Path, bytes: &Bytes) -> Result<Array, Failure> {
    let (header, begin) = header_of(path, bytes.as_slice())?;
    let (order, code) = header.descr.split_at_checked(1).unwrap_or(("", ""));
    let dtype = DType::of_numpy(code)
        .filter(|_| "<>|=".contains(order))
        .ok_or_else(|| {
            let message = format!("{}: numbers of type {:?}", path.display(), header.descr);
            Failure::new(Code::Unsupported, message)
        })?;
    let data = bytes.after(begin);
    let made = if header.fortran {
        Array::new_fortran(dtype, header.shape, data)
    } else {
        Array::new(dtype, header.shape, data)
    };
    let array = made.map_err(|error| Failure::of_file(path, error))?;
    if order == ">" && dtype.size() > 1 {
        return swapped(array);
    }
    Ok(array)
}

/// The shape that the first bytes of a file say.
pub fn shape(path: &Path, head: &[u8]) -> Result<Vec<i64>, Failure> {
    header_of(path, head).map(|(header, _)| header.shape)
}

/// The header, and where the elements begin.
fn header_of(path: &Path, all: &[u8]) -> Result<(Header, usize), Failure> {
    let cut = || Failure::of_file(path, "the header of NumPy is cut short");
    if !all.starts_with(MAGIC) {
        return Err(Failure::of_file(path, "the file is not NumPy's"));
    }
    let (size, begin) = match all.get(6) {
        Some(1) => {
            let size = all.get(8..10).ok_or_else(cut)?;
            (usize::from(u16::from_le_bytes([size[0], size[1]])), 10)
        }
        Some(2 | 3) => {
            let size = all.get(8..12).ok_or_else(cut)?;
            (
                u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize,
                12,
            )
        }
        other => {
            let version = other.copied().unwrap_or(0);
            return Err(Failure::unsupported(
                path,
                format!("NumPy's version {version}"),
            ));
        }
    };
    let header = all.get(begin..begin + size).ok_or_else(cut)?;
    let header = std::str::from_utf8(header)
        .map_err(|_| Failure::of_file(path, "the header of NumPy is not text"))?;
    let header = Header::parse(header)
        .ok_or_else(|| Failure::of_file(path, format!("the header of NumPy is {header:?}")))?;
    let filled = header.shape.iter().filter(|&&extent| extent != 0);
    let elements = filled.copied().try_fold(1, i64::checked_mul);
    if elements.is_none_or(|elements| elements > MOST_ELEMENTS) {
        let what = format!("the shape is {:?}", header.shape);
        return Err(Failure::of_file(path, what));
    }
    Ok((header, begin + size))
}

/// With the bytes of each element turned round.
pub fn swapped(array: Array) -> Result<Array, Failure> {
    let array = array.into_aligned()?;
    let from = array.bytes();
    let mut scratch = Scratch::new(from.len())?;
    let size = array.dtype.size();
    for (to, from) in scratch
        .bytes_mut()
        .chunks_exact_mut(size)
        .zip(from.chunks_exact(size))
    {
        to.copy_from_slice(from);
        to.reverse();
    }
    Array::new(array.dtype, array.shape.clone(), scratch.finish()).map_err(Failure::invalid)
}

struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<i64>,
}

impl Header {
    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`
    fn parse(text: &str) -> Option<Self> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        while !rest.is_empty() {
            let (key, after) = quoted(rest)?;
            let after = after.trim_start().strip_prefix(':')?.trim_start();
            rest = match key {
                "descr" => {
                    let (value, after) = quoted(after)?;
                    descr = Some(value.to_owned());
                    after
                }
                "fortran_order" => {
                    fortran = Some(after.starts_with("True"));
                    after
                        .strip_prefix("True")
                        .or_else(|| after.strip_prefix("False"))?
                }
                "shape" => {
                    let (inner, after) = after.strip_prefix('(')?.split_once(')')?;
                    let mut extents = Vec::new();
                    for extent in inner
                        .split(',')
                        .map(str::trim)
                        .filter(|word| !word.is_empty())
                    {
                        // Python 2 wrote 3L.
                        extents.push(extent.strip_suffix('L').unwrap_or(extent).parse().ok()?);
                    }
                    shape = Some(extents);
                    after
                }
                _ => return None,
            };
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        Some(Header {
            descr: descr?,
            fortran: fortran?,
            shape: shape?,
        })
    }
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text
        .chars()
        .next()
        .filter(|&quote| quote == '\'' || quote == '"')?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Bytes {
        let mut out = MAGIC.to_vec();
        out.extend([1, 0]);
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        Bytes::of_vec(out)
    }

    fn read_it(header: &str, data: &[u8]) -> Result<Array, Failure> {
        read(Path::new("a.npy"), &file(header, data))
    }

    #[test]
    fn orders_of_bytes_and_of_dimensions() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }          \n";
        let data: Vec<u8> = (0..6_i16).flat_map(i16::to_be_bytes).collect();
        assert_eq!(
            read_it(header, &data).unwrap().to_i64s().unwrap(),
            [0, 2, 4, 1, 3, 5]
        );
        let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n";
        let data: Vec<u8> = [7_i32, -8].iter().flat_map(|i| i.to_le_bytes()).collect();
        assert_eq!(read_it(header, &data).unwrap().to_i64s().unwrap(), [7, -8]);
    }

    #[test]
    fn damaged_and_foreign_headers_are_errors() {
        let good = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n";
        for (from, to) in [
            ("'<i4'", "'|O'"),
            ("'<i4'", "[('a', '<i4')]"),
            ("(2,)", "(3,)"),
            ("(2,)", "(-2,)"),
            ("(2,)", "(9999999999999999, 9999999999999999)"),
            ("(2,)", "(0, 281474976710657)"),
            ("(2,)", "(16777217, 0, 16777217)"),
            ("(2,)", "(0, 9223372036854775807, 9223372036854775807)"),
            ("(2,)", "(2"),
            ("False", "Maybe"),
            ("'shape'", "'form'"),
        ] {
            assert!(read_it(&good.replace(from, to), &[0; 8]).is_err(), "{to}");
        }
        let none = read_it(&good.replace("(2,)", "(0, 281474976710656)"), &[]);
        assert_eq!(none.unwrap().shape, [0, 1 << 48]);
        let whole = file(good, &[0; 8]);
        for size in 0..whole.len() {
            assert!(read(Path::new("a.npy"), &whole.part(0, size).unwrap()).is_err());
        }
    }
}
