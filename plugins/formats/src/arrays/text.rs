//! Delimited text as an array: a line is a row, each field a number. A file may be compressed with
//! gzip.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::bytes::Scratch;
use super::{disk, Array, Bytes, DType};
use crate::failure::{Code, Failure};
use crate::tables::csv::{delimiter_of, text_of};

/// Longer lines are a damaged file.
const MOST_IN_LINE: u64 = 64 << 20;
/// Larger arrays lie in a file, so the system can take their memory back.
const MOST_IN_MEMORY: usize = if cfg!(test) { 1 << 16 } else { 32 << 20 };

/// A matrix of all lines but empty ones, of which there is at least one. Without `dtype`: int64 where all numbers are integers, else
/// float32.
pub fn read(path: &Path, delimiter: &str, dtype: Option<&str>) -> Result<Array, Failure> {
    let dtype = match dtype {
        None => None,
        Some(name) => Some(DType::of_name(name).ok_or_else(|| {
            Failure::invalid(format!("{}: unknown dtype {name:?}", path.display()))
        })?),
    };
    let delimiter = delimiter_of(Some(delimiter))?;
    let mut numbers = Numbers::new(dtype);
    let (mut rows, mut columns) = (0_i64, 0_i64);
    for_each_line(path, |number, line| {
        let line = without_end(line);
        if line.is_empty() {
            return Ok(());
        }
        let mut fields = 0;
        for field in line.split(|&byte| byte == delimiter) {
            fields += 1;
            let field = field.trim_ascii();
            if !numbers.push(field)? {
                let field = String::from_utf8_lossy(&field[..field.len().min(40)]);
                let message = format!("line {number}, field {fields}: {field:?} is no number");
                return Err(match dtype {
                    Some(dtype) => Failure::of_file(path, format!("{message} of {dtype}")),
                    None => Failure::of_file(path, message),
                });
            }
        }
        if rows > 0 && fields != columns {
            let message = format!("line {number} has {fields} fields, and others {columns}");
            return Err(Failure::of_file(path, message));
        }
        columns = fields;
        rows += 1;
        Ok(())
    })?;
    if rows == 0 {
        let message = "the text has no lines, so it has no number of columns";
        return Err(Failure::of_file(path, message));
    }
    let (dtype, bytes) = numbers.finish()?;
    Array::new(dtype, vec![rows, columns], bytes).map_err(|error| Failure::of_file(path, error))
}

/// A line without its "\n" or "\r\n".
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The lines of a short list, such as the names of types. More than `most` bytes are an error.
pub fn short_lines(path: &Path, most: u64) -> Result<Vec<String>, Failure> {
    let mut text = String::new();
    let read = text_of(path)?.take(most + 1).read_to_string(&mut text);
    let size = read.map_err(|error| Failure::of_file(path, error))?;
    if size as u64 > most {
        return Err(Failure::of_file(
            path,
            format!("it has more than {most} bytes"),
        ));
    }
    Ok(text.lines().map(str::to_owned).collect())
}

/// How many fields the first line has.
pub fn width(path: &Path) -> Result<usize, Failure> {
    Ok(first_line(path)?.split(',').count())
}

/// The first line of text.
pub fn first_line(path: &Path) -> Result<String, Failure> {
    let mut line = Vec::new();
    let mut text = BufReader::new(text_of(path)?).take(MOST_IN_LINE);
    text.read_until(b'\n', &mut line)
        .map_err(|error| Failure::of_file(path, error))?;
    String::from_utf8(line).map_err(|_| Failure::of_file(path, "line 1 is not UTF-8"))
}

fn for_each_line(
    path: &Path,
    mut each: impl FnMut(u64, &[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut text = BufReader::with_capacity(1 << 18, text_of(path)?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let size = (&mut text)
            .take(MOST_IN_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::of_file(path, error))?;
        if size == 0 {
            break;
        }
        if size as u64 == MOST_IN_LINE {
            let message = format!("line {number} has {MOST_IN_LINE} bytes or more");
            return Err(Failure::of_file(path, message));
        }
        each(number, &line)?;
    }
    Ok(())
}

/// Numbers in the order of the text.
struct Numbers {
    /// None: found at the end.
    dtype: Option<DType>,
    spool: Spool,
    count: usize,
    /// Where the type is found: how many numbers lie as int64 before those that lie as float64.
    integers: Option<usize>,
}

impl Numbers {
    fn new(dtype: Option<DType>) -> Self {
        Numbers {
            dtype,
            spool: Spool::default(),
            count: 0,
            integers: None,
        }
    }

    /// False: the field is no such number.
    fn push(&mut self, field: &[u8]) -> Result<bool, Failure> {
        let mut element = [0; 8];
        let size = match self.dtype {
            Some(dtype) => match element_of(dtype, field, &mut element) {
                Some(()) => dtype.size(),
                None => return Ok(false),
            },
            None => {
                if self.integers.is_none() {
                    if let Some(integer) = integer_of(field) {
                        element = integer.to_ne_bytes();
                    } else {
                        self.integers = Some(self.count);
                    }
                }
                if self.integers.is_some() {
                    let Some(number) = float_of(field) else {
                        return Ok(false);
                    };
                    element = number.to_ne_bytes();
                }
                8
            }
        };
        self.spool.push(&element[..size])?;
        self.count += 1;
        Ok(true)
    }

    fn finish(self) -> Result<(DType, Bytes), Failure> {
        let bytes = self.spool.finish()?;
        if let Some(dtype) = self.dtype {
            return Ok((dtype, bytes));
        }
        let Some(integers) = self.integers else {
            return Ok((DType::I64, bytes));
        };
        let mut scratch = Scratch::new(self.count * 4)?;
        let narrow = scratch.bytes_mut().chunks_exact_mut(4);
        for (i, (to, from)) in narrow.zip(bytes.as_slice().chunks_exact(8)).enumerate() {
            let mut element = [0; 8];
            element.copy_from_slice(from);
            let number = if i < integers {
                i64::from_ne_bytes(element) as f64
            } else {
                f64::from_ne_bytes(element)
            };
            to.copy_from_slice(&(number as f32).to_ne_bytes());
        }
        Ok((DType::F32, scratch.finish()))
    }
}

fn integer_of(field: &[u8]) -> Option<i64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Fields without a number are not-a-number. Integers beyond int64 are refused.
fn float_of(field: &[u8]) -> Option<f64> {
    if field.is_empty() || field == b"NA" {
        return Some(f64::NAN);
    }
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_start_matches(['+', '-']);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<i64>().is_err() {
        return None;
    }
    text.parse().ok()
}

/// A field as an element of a type.
fn element_of(dtype: DType, field: &[u8], to: &mut [u8; 8]) -> Option<()> {
    let mut put = |bytes: &[u8]| to[..bytes.len()].copy_from_slice(bytes);
    match dtype {
        DType::Bool => match field {
            b"0" | b"False" | b"false" => put(&[0]),
            b"1" | b"True" | b"true" => put(&[1]),
            _ => return None,
        },
        DType::U64 => put(&std::str::from_utf8(field)
            .ok()?
            .parse::<u64>()
            .ok()?
            .to_ne_bytes()),
        DType::I64 => put(&integer_of(field)?.to_ne_bytes()),
        DType::U32 => put(&u32::try_from(integer_of(field)?).ok()?.to_ne_bytes()),
        DType::I32 => put(&i32::try_from(integer_of(field)?).ok()?.to_ne_bytes()),
        DType::U16 => put(&u16::try_from(integer_of(field)?).ok()?.to_ne_bytes()),
        DType::I16 => put(&i16::try_from(integer_of(field)?).ok()?.to_ne_bytes()),
        DType::U8 => put(&u8::try_from(integer_of(field)?).ok()?.to_ne_bytes()),
        DType::I8 => put(&i8::try_from(integer_of(field)?).ok()?.to_ne_bytes()),
        DType::F16 => put(&half::f16::from_f64(float_of(field)?).to_ne_bytes()),
        DType::BF16 => put(&half::bf16::from_f64(float_of(field)?).to_ne_bytes()),
        DType::F32 => put(&(float_of(field)? as f32).to_ne_bytes()),
        DType::F64 => put(&float_of(field)?.to_ne_bytes()),
    }
    Some(())
}

/// Bytes of which there may be many: then they lie in a file in [`disk::folder`].
#[derive(Default)]
struct Spool {
    memory: Vec<u8>,
    file: Option<BufWriter<NamedTempFile>>,
}

impl Spool {
    fn failed(error: std::io::Error) -> Failure {
        Failure::new(Code::Io, format!("a file for numbers: {error}"))
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if let Some(file) = &mut self.file {
            return file.write_all(bytes).map_err(Self::failed);
        }
        self.memory.extend_from_slice(bytes);
        if self.memory.len() >= MOST_IN_MEMORY {
            let file = NamedTempFile::new_in(disk::folder()).map_err(Self::failed)?;
            let mut file = BufWriter::with_capacity(1 << 20, file);
            file.write_all(&self.memory).map_err(Self::failed)?;
            self.memory = Vec::new();
            self.file = Some(file);
        }
        Ok(())
    }

    fn finish(self) -> Result<Bytes, Failure> {
        let Some(file) = self.file else {
            return Ok(Bytes::of_vec(self.memory));
        };
        let file = file
            .into_inner()
            .map_err(|error| Self::failed(error.into_error()))?;
        // The map keeps the file's contents when its name is gone.
        Bytes::map(file.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &[u8], dtype: Option<&str>) -> Result<Array, Failure> {
        let file = NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read(file.path(), ",", dtype)
    }

    fn f32s(array: &Array) -> Vec<f32> {
        let elements = array.bytes().chunks_exact(4);
        elements
            .map(|element| f32::from_ne_bytes(element.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn the_type_is_found() {
        let whole = read_text(b"1, -2\r\n\n3,4\n", None).unwrap();
        assert_eq!((whole.dtype, &whole.shape[..]), (DType::I64, &[2, 2][..]));
        assert_eq!(whole.to_i64s().unwrap(), [1, -2, 3, 4]);
        let mixed = read_text(b"1,2\n3,0.1\n,-1e-3", None).unwrap();
        assert_eq!((mixed.dtype, &mixed.shape[..]), (DType::F32, &[3, 2][..]));
        let found = f32s(&mixed);
        assert_eq!(found[..4], [1.0, 2.0, 3.0, 0.1]);
        assert!(found[4].is_nan() && found[5] == -1e-3);
    }

    #[test]
    fn lines_of_missing_numbers_are_rows() {
        let file = NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"1\t2\n\t\r\n\r\n\n3\t4\n").unwrap();
        let found = read(file.path(), "tab", None).unwrap();
        assert_eq!(found.shape, [3, 2]);
        let numbers = f32s(&found);
        assert!(numbers[2].is_nan() && numbers[3].is_nan());
        assert_eq!(numbers[4..], [3.0, 4.0]);
    }

    #[test]
    fn text_without_lines_is_no_matrix() {
        for text in ["", "\n", "\r\n\n"] {
            let message = read_text(text.as_bytes(), None).unwrap_err().message;
            assert!(message.contains("no lines"), "{message}");
        }
    }

    #[test]
    fn the_type_is_given() {
        for dtype in ["int8", "uint8", "int16", "uint16", "int32", "uint32"] {
            let array = read_text(b"7\n0\n", Some(dtype)).unwrap();
            assert_eq!((array.dtype.name(), array.rows()), (dtype, 2));
            assert_eq!(array.to_i64s().unwrap(), [7, 0]);
            assert!(read_text(b"-9999999999\n", Some(dtype)).is_err());
        }
        assert_eq!(
            f32s(&read_text(b"7\n0.5\n", Some("float32")).unwrap()),
            [7.0, 0.5]
        );
        let bits = read_text(b"True,0\n", Some("bool")).unwrap();
        assert_eq!(bits.to_i64s().unwrap(), [1, 0]);
        assert!(read_text(b"1\n", Some("int9")).is_err());
    }

    #[test]
    fn damaged_text_is_an_error_with_its_line() {
        for text in ["1,2\n3\n", "1\nx\n", "99999999999999999999\n", "\"1\"\n"] {
            assert!(read_text(text.as_bytes(), None).is_err(), "{text}");
        }
        let message = read_text(b"1,2\n3,four\n", None).unwrap_err().message;
        assert!(message.contains("line 2, field 2"), "{message}");
        assert!(read_text(b"\x1f\x8b\x08broken", None).is_err());
    }

    #[test]
    fn many_numbers_lie_in_a_file() {
        let mut text = Vec::new();
        let rows = MOST_IN_MEMORY / 16 + 10;
        for i in 0..rows {
            text.extend(format!("{},{}\n", i % 10, i % 7).into_bytes());
        }
        let whole = read_text(&text, None).unwrap();
        assert_eq!((whole.dtype, whole.rows()), (DType::I64, rows as i64));
        let last = whole.row(rows as i64 - 1).unwrap().to_i64s().unwrap();
        assert_eq!(last, [(rows as i64 - 1) % 10, (rows as i64 - 1) % 7]);
        text.extend(b"0.5,1\n");
        let mixed = read_text(&text, None).unwrap();
        assert_eq!((mixed.dtype, mixed.rows()), (DType::F32, rows as i64 + 1));
        assert_eq!(f32s(&mixed)[..4], [0.0, 0.0, 1.0, 1.0]);
    }
}
