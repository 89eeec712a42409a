//! A dictionary of numbers that torch saved: an archive with a pickle. Nothing of it is run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::arrays::npz::Archive;
use crate::arrays::Bytes;
use crate::failure::Failure;

/// Numbers by their names.
pub fn read(path: &Path) -> Result<BTreeMap<String, i64>, Failure> {
    let mut archive = Archive::open(path, &Bytes::map(path)?)?;
    let pickle = archive
        .names()
        .into_iter()
        .find(|name| name.ends_with("/data.pkl"))
        .ok_or_else(|| Failure::of_file(path, "the archive has no pickle"))?;
    let bytes = archive.member(&pickle)?;
    numbers(bytes.as_slice())
        .ok_or_else(|| Failure::of_file(path, "it is not a dictionary of numbers alone"))
}

/// The few instructions that such a dictionary needs; None: there are others.
fn numbers(mut pickle: &[u8]) -> Option<BTreeMap<String, i64>> {
    let mut found = BTreeMap::new();
    let mut name: Option<String> = None;
    loop {
        let instruction = take(&mut pickle, 1)?[0];
        let number = match instruction {
            // PROTO, BINPUT, LONG_BINPUT, FRAME: of no meaning here.
            0x80 | b'q' => take(&mut pickle, 1).map(|_| None)?,
            b'r' => take(&mut pickle, 4).map(|_| None)?,
            0x95 => take(&mut pickle, 8).map(|_| None)?,
            // MEMOIZE, EMPTY_DICT, MARK, SETITEM, SETITEMS.
            0x94 | b'}' | b'(' | b's' | b'u' => None,
            // BINUNICODE, SHORT_BINUNICODE.
            b'X' | 0x8c => {
                let size = if instruction == b'X' { 4 } else { 1 };
                let size = little(take(&mut pickle, size)?);
                let text = take(&mut pickle, usize::try_from(size).ok()?)?;
                let text = std::str::from_utf8(text).ok()?.to_owned();
                if name.replace(text).is_some() {
                    return None;
                }
                None
            }
            // BININT1, BININT2, BININT, LONG1.
            b'K' => Some(little(take(&mut pickle, 1)?)),
            b'M' => Some(little(take(&mut pickle, 2)?)),
            b'J' => Some(i64::from(little(take(&mut pickle, 4)?) as i32)),
            0x8a => {
                let size = usize::from(take(&mut pickle, 1)?[0]);
                let bytes = take(&mut pickle, size)?;
                if size > 8 || bytes.last().is_some_and(|last| last & 0x80 != 0) {
                    return None;
                }
                Some(little(bytes))
            }
            b'.' => return name.is_none().then_some(found),
            _ => return None,
        };
        if let Some(number) = number {
            found.insert(name.take()?, number);
        }
    }
}

fn take<'a>(rest: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(size)?;
    *rest = after;
    Some(taken)
}

/// At most eight bytes, the lowest first.
fn little(bytes: &[u8]) -> i64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions() {
        let pickle = b"\x80\x02}q\x00(X\x01\x00\x00\x00aK\x07X\x01\x00\x00\x00bJ\xff\x00\x00\x00\
              \x8c\x01c\x8a\x05\x00\x00\x00\x00\x01u.";
        let found = numbers(pickle).unwrap();
        assert_eq!(found["a"], 7);
        assert_eq!(found["b"], 255);
        assert_eq!(found["c"], 1 << 32);
        for size in 0..pickle.len() {
            assert!(numbers(&pickle[..size]).is_none());
        }
        assert!(numbers(b"\x80\x02cos\nsystem\n.").is_none());
    }
}
