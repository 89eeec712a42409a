//! DGL's files of tensors by name, as `dgl.data.utils.save_tensors` writes them, and the pieces that
//! all of DGL's binary files share. Numbers are little-endian; arrays stay on the mapped file, where
//! they may lie at any byte.

use std::path::Path;

use super::{Array, Bytes, DType};
use crate::failure::{Code, Failure};

/// Begins a file of tensors.
pub const TENSORS_MAGIC: u64 = 0xDD5A_9FBE_3FA2_443F;
/// Begins an array.
pub const ARRAY_MAGIC: u64 = 0xDD5E_40F0_96B4_A13F;
const MOST_DIMENSIONS: i32 = 32;
/// In a file or a graph. Each array that is opened reads the heads of all, so more would take long.
const MOST_ARRAYS: usize = 1 << 15;
/// Of a name in bytes.
const LONGEST_NAME: u64 = 1 << 16;

/// Arrays with their names, in the file's order.
pub type Named = Vec<(String, Array)>;

/// Whether a file begins with a number.
pub fn begins_with(bytes: &Bytes, magic: u64) -> bool {
    bytes.as_slice().starts_with(&magic.to_le_bytes())
}

/// The tensors of a file.
pub fn tensors(path: &Path, bytes: &Bytes) -> Result<Named, Failure> {
    read_tensors(bytes).map_err(|what| Failure::of_file(path, what))
}

fn read_tensors(bytes: &Bytes) -> Result<Named, String> {
    let mut input = Input::new(bytes.clone());
    input.expect(TENSORS_MAGIC, "a file of tensors")?;
    let count = input.u64()?;
    let named = input.named_arrays()?;
    if named.len() as u64 != count {
        return Err(format!("there are {} tensors, not {count}", named.len()));
    }
    Ok(named)
}

/// The array with a name.
pub fn find(path: &Path, named: Named, name: &str) -> Result<Array, Failure> {
    let names: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
    let found = named.into_iter().find(|(known, _)| known == name);
    found.map(|(_, array)| array).ok_or_else(|| {
        let words = format!(
            "{}: there is no array \"{name}\"; it has: {}",
            path.display(),
            names.join(", ")
        );
        Failure::new(Code::NotFound, words)
    })
}

/// Reads one thing after the other. A count in the file reserves no memory: what it counts must follow.
pub struct Input {
    bytes: Bytes,
    at: usize,
    arrays: usize,
}

impl Input {
    pub fn new(bytes: Bytes) -> Self {
        Input {
            bytes,
            at: 0,
            arrays: 0,
        }
    }

    /// From this byte of the file.
    pub fn at(bytes: Bytes, at: u64) -> Result<Self, String> {
        match usize::try_from(at) {
            Ok(at) if at <= bytes.len() => Ok(Input {
                at,
                ..Self::new(bytes)
            }),
            _ => Err(format!("there is no byte {at}")),
        }
    }

    fn take(&mut self, size: u64) -> Result<Bytes, String> {
        let part = usize::try_from(size)
            .ok()
            .and_then(|size| self.bytes.part(self.at, size))
            .ok_or_else(|| format!("{size} bytes at byte {}: the file is cut short", self.at))?;
        self.at += part.len();
        Ok(part)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let part = self.take(N as u64)?;
        Ok(part.as_slice().try_into().expect("take gives N bytes"))
    }

    pub fn u64(&mut self) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.fixed()?))
    }

    pub fn i64(&mut self) -> Result<i64, String> {
        Ok(i64::from_le_bytes(self.fixed()?))
    }

    fn i32(&mut self) -> Result<i32, String> {
        Ok(i32::from_le_bytes(self.fixed()?))
    }

    pub fn bool(&mut self) -> Result<bool, String> {
        Ok(self.fixed::<1>()?[0] != 0)
    }

    pub fn expect(&mut self, magic: u64, what: &str) -> Result<(), String> {
        let at = self.at;
        let found = self.u64()?;
        if found == magic {
            return Ok(());
        }
        Err(format!(
            "byte {at}: expected {what} ({magic:#x}), found {found:#x}"
        ))
    }

    pub fn string(&mut self) -> Result<String, String> {
        let at = self.at;
        let size = self.u64()?;
        if size > LONGEST_NAME {
            return Err(format!("byte {at}: a name of {size} bytes"));
        }
        let text = self.take(size)?;
        let text = std::str::from_utf8(text.as_slice());
        text.map(str::to_owned)
            .map_err(|_| format!("byte {at}: the name is not UTF-8"))
    }

    /// What follows its count.
    pub fn list<T>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let count = self.u64()?;
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(each(self)?);
        }
        Ok(all)
    }

    pub fn named_arrays(&mut self) -> Result<Named, String> {
        self.list(|input| Ok((input.string()?, input.array()?)))
    }

    pub fn array(&mut self) -> Result<Array, String> {
        let at = self.at;
        self.expect(ARRAY_MAGIC, "an array")?;
        self.arrays += 1;
        if self.arrays > MOST_ARRAYS {
            return Err(format!("there are more than {MOST_ARRAYS} arrays"));
        }
        self.u64()?; // reserved
        self.take(8)?; // the device: arrays in files are on none
        let dimensions = self.i32()?;
        let [code, bits] = self.fixed()?;
        let lanes = u16::from_le_bytes(self.fixed()?);
        let dtype = DType::of_dlpack(code, bits, lanes).ok_or_else(|| {
            format!("byte {at}: an array with the type {code}, {bits} bits, {lanes} lanes")
        })?;
        if !(0..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(format!("byte {at}: an array of {dimensions} dimensions"));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            shape.push(self.i64()?);
        }
        let size = self.u64()?;
        let data = self.take(size)?;
        let wrong = |what: String| format!("byte {at}: {what}");
        let array = Array::new(dtype, shape, data).map_err(wrong)?;
        let needed = array.count() as u64 * dtype.size() as u64;
        if needed != size {
            let what = format!("{dtype} {:?} has {needed} bytes, not {size}", array.shape);
            return Err(wrong(what));
        }
        Ok(array)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Writes what [`Input`] reads.
    #[derive(Default)]
    pub struct Output(pub Vec<u8>);

    impl Output {
        pub fn u64(&mut self, number: u64) -> &mut Self {
            self.0.extend(number.to_le_bytes());
            self
        }

        pub fn string(&mut self, text: &str) -> &mut Self {
            self.u64(text.len() as u64);
            self.0.extend(text.as_bytes());
            self
        }

        pub fn array(&mut self, code: u8, bits: u8, shape: &[i64], bytes: &[u8]) -> &mut Self {
            self.u64(ARRAY_MAGIC).u64(0).u64(1);
            self.0.extend((shape.len() as i32).to_le_bytes());
            self.0.extend([code, bits, 1, 0]);
            for &extent in shape {
                self.u64(extent as u64);
            }
            self.u64(bytes.len() as u64);
            self.0.extend(bytes);
            self
        }

        pub fn i64s(&mut self, numbers: &[i64]) -> &mut Self {
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            self.array(0, 64, &[numbers.len() as i64], &bytes)
        }
    }

    pub fn tensors_file(named: &[(&str, &[i64])]) -> Vec<u8> {
        let mut out = Output::default();
        out.u64(TENSORS_MAGIC);
        out.u64(named.len() as u64).u64(named.len() as u64);
        for (name, numbers) in named {
            out.string(name).i64s(numbers);
        }
        out.0
    }

    fn read(bytes: Vec<u8>) -> Result<Named, Failure> {
        tensors(Path::new("x.dgl"), &Bytes::of_vec(bytes))
    }

    #[test]
    fn tensors_have_names_types_and_shapes() {
        let mut out = Output::default();
        out.u64(TENSORS_MAGIC).u64(2).u64(2);
        out.string("a/b").array(2, 32, &[2, 1], &[0; 8]);
        out.string("m").array(1, 8, &[3], &[1, 0, 1]);
        let named = read(out.0).unwrap();
        assert_eq!((named[0].0.as_str(), named[1].0.as_str()), ("a/b", "m"));
        assert_eq!(named[0].1.dtype, DType::F32);
        assert_eq!(named[0].1.shape, [2, 1]);
        assert_eq!(named[1].1.to_i64s().unwrap(), [1, 0, 1]);
        assert!(read(tensors_file(&[])).unwrap().is_empty());
        let missing = find(Path::new("x"), named, "c").unwrap_err().message;
        assert!(missing.contains("it has: a/b, m"), "{missing}");
    }

    #[test]
    fn every_cut_is_an_error() {
        let whole = tensors_file(&[("_N/x", &[1, 2]), ("_N/y", &[3])]);
        assert_eq!(read(whole.clone()).unwrap().len(), 2);
        for size in 0..whole.len() {
            assert!(read(whole[..size].to_vec()).is_err(), "{size} bytes");
        }
    }

    #[test]
    fn hostile_sizes_are_errors() {
        let mut many = Output::default();
        many.u64(TENSORS_MAGIC).u64(1 << 60).u64(1 << 60);
        let mut long = Output::default();
        long.u64(TENSORS_MAGIC).u64(1).u64(1).u64(3 << 30);
        let mut files = vec![many.0, long.0];
        let shapes: [&[i64]; 5] = [
            &[i64::MAX, i64::MAX],
            &[1 << 60],
            &[-1],
            &[2, -1, 0],
            &[0, 1 << 62, 1 << 62],
        ];
        for shape in shapes {
            let mut out = Output::default();
            out.u64(TENSORS_MAGIC).u64(1).u64(1);
            out.string("x").array(0, 64, shape, &[0; 8]);
            files.push(out.0);
        }
        for file in files {
            let failure = read(file).unwrap_err();
            assert_eq!(failure.code, Code::Corrupt, "{}", failure.message);
        }
    }
}
