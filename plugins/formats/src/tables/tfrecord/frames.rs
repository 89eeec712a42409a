//! TFRecord's frames: a length, its checksum, the data, their checksum.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::{MultiGzDecoder, ZlibDecoder};

use crate::failure::Failure;

const HEADER_BYTES: usize = 12;
const FOOTER_BYTES: usize = 4;
const MOST_RECORD_BYTES: u64 = 1 << 30;
const BUFFER_BYTES: usize = 1 << 18;
const MASK: u32 = 0xa282_ead8;
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A checksum as TFRecord stores it.
pub fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(MASK)
}

fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(bytes);
    u32::from_le_bytes(word)
}

/// The length in a header, if its checksum is right.
fn length(header: &[u8; HEADER_BYTES]) -> Option<u64> {
    let mut length = [0; 8];
    length.copy_from_slice(&header[..8]);
    (masked_crc(&header[..8]) == word(&header[8..])).then_some(u64::from_le_bytes(length))
}

/// The records of a file, which may be compressed with gzip or zlib.
pub struct Records {
    path: PathBuf,
    from: Box<dyn Read + Send>,
    /// Bytes that are left of a file that is not compressed.
    left: Option<u64>,
    record: u64,
    data: Vec<u8>,
}

impl Records {
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::io(path, &error);
        let mut file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut head = Vec::with_capacity(HEADER_BYTES);
        file.by_ref()
            .take(HEADER_BYTES as u64)
            .read_to_end(&mut head)
            .map_err(failed)?;
        // A record's length may look like a compressed file; its checksum does not.
        let plain =
            <&[u8; HEADER_BYTES]>::try_from(&head[..]).is_ok_and(|header| length(header).is_some());
        let zlib =
            head.len() >= 2 && head[0] == 0x78 && u16::from_be_bytes([head[0], head[1]]) % 31 == 0;
        let gzip = head.starts_with(&GZIP);
        let whole = std::io::Cursor::new(head).chain(file);
        let buffered = BufReader::with_capacity(BUFFER_BYTES, whole);
        let (from, left): (Box<dyn Read + Send>, _) = if plain || !(gzip || zlib) {
            (Box::new(buffered), Some(size))
        } else if gzip {
            let text = MultiGzDecoder::new(buffered);
            (Box::new(BufReader::with_capacity(BUFFER_BYTES, text)), None)
        } else {
            let text = ZlibDecoder::new(buffered);
            (Box::new(BufReader::with_capacity(BUFFER_BYTES, text)), None)
        };
        Ok(Records {
            path: path.to_owned(),
            from,
            left,
            record: 0,
            data: Vec::new(),
        })
    }

    /// The number of the record that was read last, from 1.
    pub fn number(&self) -> u64 {
        self.record
    }

    fn damaged(&self, what: &str) -> Failure {
        Failure::of_file(&self.path, format!("record {}: {what}", self.record))
    }

    /// Fewer bytes than these only at the end of the file.
    fn fill(&mut self, bytes: u64) -> Result<usize, Failure> {
        self.data.clear();
        // The buffer grows as bytes come, so a wrong length takes no memory.
        let read = self.from.by_ref().take(bytes).read_to_end(&mut self.data);
        let read = read.map_err(|error| self.damaged(&error.to_string()))?;
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(read as u64);
        }
        Ok(read)
    }

    /// The next record's data.
    pub fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        self.record += 1;
        let read = self.fill(HEADER_BYTES as u64)?;
        if read == 0 {
            return Ok(None);
        }
        let Ok(header) = <[u8; HEADER_BYTES]>::try_from(&self.data[..]) else {
            return Err(self.damaged("the file ends within it"));
        };
        let Some(length) = length(&header) else {
            return Err(self.damaged("the checksum of its length is wrong; is this TFRecord?"));
        };
        if length > MOST_RECORD_BYTES {
            let what = format!("{length} bytes; at most {MOST_RECORD_BYTES} are read");
            return Err(self.damaged(&what));
        }
        let whole = length + FOOTER_BYTES as u64;
        if self.left.is_some_and(|left| whole > left) || self.fill(whole)? as u64 != whole {
            return Err(self.damaged("the file ends within it"));
        }
        let (data, footer) = self.data.split_at(length as usize);
        if masked_crc(data) != word(footer) {
            return Err(self.damaged("the checksum of its data is wrong"));
        }
        Ok(Some(&self.data[..length as usize]))
    }
}

/// A record as a file has it.
#[cfg(test)]
pub fn framed(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let mut out = length.to_vec();
    out.extend(masked_crc(&length).to_le_bytes());
    out.extend(data);
    out.extend(masked_crc(data).to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Failure> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut records = Records::open(file.path())?;
        let mut out = Vec::new();
        while let Some(record) = records.next()? {
            out.push(record.to_vec());
        }
        Ok(out)
    }

    #[test]
    fn checksums_are_those_of_tensorflow() {
        // The length 0 as TensorFlow writes it.
        let empty = framed(b"");
        assert_eq!(empty[8..12], [0x29, 0x03, 0x98, 0x07]);
        assert_eq!(all(&empty).unwrap(), [b""]);
    }

    #[test]
    fn plain_and_compressed_files_hold_the_same() {
        let given = [b"one".to_vec(), Vec::new(), vec![7; 100_000]];
        let plain: Vec<u8> = given.iter().flat_map(|data| framed(data)).collect();
        assert_eq!(all(&plain).unwrap(), given);
        let level = flate2::Compression::default();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
        gzip.write_all(&plain).unwrap();
        assert_eq!(all(&gzip.finish().unwrap()).unwrap(), given);
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), level);
        zlib.write_all(&plain).unwrap();
        let zlib = zlib.finish().unwrap();
        assert_eq!(all(&zlib).unwrap(), given);
        for cut in [1, 2, 10, zlib.len() - 1] {
            assert!(all(&zlib[..cut]).is_err(), "{cut}");
        }
        assert!(all(b"").unwrap().is_empty());
    }

    #[test]
    fn lengths_that_look_compressed_are_plain() {
        for size in [0x0178, 0x8b1f] {
            let data = vec![1; size];
            assert_eq!(all(&framed(&data)).unwrap(), [data]);
        }
    }

    #[test]
    fn cuts_and_flips_are_errors() {
        let mut bytes = framed(b"hello");
        bytes.extend(framed(b"you"));
        for cut in 1..bytes.len() {
            assert_eq!(all(&bytes[..cut]).is_err(), cut != 21, "{cut}");
        }
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert!(all(&flipped).is_err(), "{at}");
        }
        let length = (MOST_RECORD_BYTES + 1).to_le_bytes();
        let mut large = length.to_vec();
        large.extend(masked_crc(&length).to_le_bytes());
        assert!(all(&large).unwrap_err().message.contains("at most"));
    }
}
