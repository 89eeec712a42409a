//! Where storages lie: in members of an archive, or after the pickles of torch's older form.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use super::PICKLE;
use crate::arrays::npz::Archive;
use crate::arrays::pickle::{self, Class, Id, Tree, Value};
use crate::arrays::{Bytes, DType};
use crate::failure::Failure;

/// A pickle of torch's magic number, with which the form of torch 1.5 and before begins.
const LEGACY: &[u8] = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.";
const LEGACY_VERSION: i64 = 1001;

pub enum Storages {
    None,
    Archive {
        archive: RefCell<Archive>,
        /// What members' names begin with.
        name: String,
        /// Numbers have the bytes of the other order.
        swapped: bool,
    },
    Legacy {
        bytes: Bytes,
        /// The first byte of each, and the size.
        places: HashMap<String, (usize, usize)>,
    },
}

/// What a pickle says of a storage.
pub struct StorageRef {
    pub key: String,
    pub dtype: DType,
    /// Of numbers.
    pub count: usize,
}

pub fn is_legacy(bytes: &Bytes) -> bool {
    bytes.as_slice().starts_with(LEGACY)
}

/// The storage that a value names; None: it names none. `as_dtype`: of a storage of bytes.
pub fn named(
    path: &Path,
    tree: &Tree,
    id: Id,
    as_dtype: Option<DType>,
) -> Result<Option<StorageRef>, Failure> {
    let Value::Persistent(name) = tree.get(id) else {
        return Ok(None);
    };
    let wrong = || Failure::of_file(path, "the pickle names a storage in an unknown way");
    let items = tree.items(*name).ok_or_else(wrong)?;
    let [word, class, key, _device, count, view @ ..] = items else {
        return Err(wrong());
    };
    if tree.text(*word) != Some("storage") {
        return Err(wrong());
    }
    let Value::Class(Class::Storage(of_class)) = tree.get(*class) else {
        return Err(wrong());
    };
    if view
        .iter()
        .any(|&view| !matches!(tree.get(view), Value::None))
    {
        return Err(Failure::unsupported(
            path,
            "a storage that is a part of another",
        ));
    }
    let key = tree.text(*key).ok_or_else(wrong)?.to_owned();
    let mut count = tree
        .int(*count)
        .and_then(|count| usize::try_from(count).ok())
        .ok_or_else(wrong)?;
    let dtype = match (as_dtype, of_class) {
        (Some(dtype), None) => {
            count /= dtype.size();
            dtype
        }
        (None, Some(dtype)) => *dtype,
        _ => {
            let what = "a storage of numbers that GLS does not have";
            return Err(Failure::unsupported(path, what));
        }
    };
    Ok(Some(StorageRef { key, dtype, count }))
}

pub fn of_archive(path: &Path, bytes: &Bytes) -> Result<(Tree, Storages), Failure> {
    let mut archive = Archive::open(path, bytes)?;
    let names = archive.names();
    let mut pickles = names.iter().filter(|name| name.ends_with(PICKLE));
    let (Some(member), None) = (pickles.next(), pickles.next()) else {
        return Err(Failure::of_file(path, "the archive has not one data.pkl"));
    };
    let name = member.strip_suffix(PICKLE).unwrap_or("").to_owned();
    let contents = stored(path, &mut archive, member)?;
    let order = format!("{name}/byteorder");
    let mut swapped = false;
    if names.contains(&order) {
        let order = stored(path, &mut archive, &order)?;
        swapped = match order.as_slice() {
            b"little" => cfg!(target_endian = "big"),
            b"big" => cfg!(target_endian = "little"),
            _ => return Err(Failure::of_file(path, "the order of bytes is not known")),
        };
    }
    let tree = pickle::read(&archive.label(member), &contents, 0)?;
    let storages = Storages::Archive {
        archive: RefCell::new(archive),
        name,
        swapped,
    };
    Ok((tree, storages))
}

/// A member's contents. torch stores all members as they are, so a small archive stays small.
fn stored(path: &Path, archive: &mut Archive, member: &str) -> Result<Bytes, Failure> {
    let bytes = archive.member(member);
    if bytes.is_ok() && !archive.is_stored(member) {
        let what = format!("the member {member} is compressed, which torch does not do");
        return Err(Failure::unsupported(path, what));
    }
    bytes
}

/// Four pickles: torch's number, a version, sizes of types, and the object. Then a list of keys, and
/// for each of them a count and numbers. This reads the object and the keys.
pub fn legacy_pickles(path: &Path, bytes: &Bytes) -> Result<(Tree, Tree), Failure> {
    if !is_legacy(bytes) {
        return Err(Failure::of_file(path, "a storage is not torch's"));
    }
    let version = pickle::read(path, bytes, LEGACY.len())?;
    if version.int(version.root()) != Some(LEGACY_VERSION) {
        return Err(Failure::unsupported(path, "a version of torch's old form"));
    }
    let system = pickle::read(path, bytes, version.end())?;
    let little = system.entry(system.root(), "little_endian");
    match little.map(|id| system.get(id)) {
        Some(Value::Bool(little)) if *little == cfg!(target_endian = "little") => {}
        _ => {
            let what = "numbers of the other order of bytes";
            return Err(Failure::unsupported(path, what));
        }
    }
    let tree = pickle::read(path, bytes, system.end())?;
    let keys = pickle::read(path, bytes, tree.end())?;
    Ok((tree, keys))
}

pub fn of_legacy(path: &Path, bytes: &Bytes) -> Result<(Tree, Storages), Failure> {
    let wrong = |what: &str| Failure::of_file(path, what);
    let (tree, keys) = legacy_pickles(path, bytes)?;
    let mut known = HashMap::new();
    for id in 0..tree.len() {
        if let Value::Persistent(_) = tree.get(id) {
            // Storages of unknown numbers have unknown sizes.
            if let Some(storage) = named(path, &tree, id, None)? {
                known.insert(storage.key, storage.dtype);
            }
        }
    }
    let mut places = HashMap::new();
    let mut at = keys.end();
    let all = keys
        .items(keys.root())
        .ok_or_else(|| wrong("there is no list of keys"))?;
    for &key in all {
        let key = keys.text(key).unwrap_or("");
        let dtype = *known
            .get(key)
            .ok_or_else(|| wrong("a storage has no type"))?;
        let count = bytes
            .as_slice()
            .get(at..at + 8)
            .and_then(|count| count.try_into().ok())
            .map(i64::from_le_bytes)
            .ok_or_else(|| wrong("the file is cut short"))?;
        let end = usize::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(dtype.size()))
            .and_then(|size| size.checked_add(at + 8))
            .filter(|&end| end <= bytes.len())
            .ok_or_else(|| wrong("a storage is cut short"))?;
        places.insert(key.to_owned(), (at + 8, end - at - 8));
        at = end;
    }
    let storages = Storages::Legacy {
        bytes: bytes.clone(),
        places,
    };
    Ok((tree, storages))
}

/// A storage's bytes, and whether they have the other order.
pub fn open(
    path: &Path,
    storages: &Storages,
    storage: &StorageRef,
) -> Result<(Bytes, bool), Failure> {
    let (bytes, swapped) = match storages {
        Storages::None => {
            return Err(Failure::of_file(
                path,
                "the pickle names a storage outside of it",
            ))
        }
        Storages::Archive {
            archive,
            name,
            swapped,
        } => {
            let member = format!("{name}/data/{}", storage.key);
            let bytes = stored(path, &mut archive.borrow_mut(), &member)?;
            (bytes, *swapped)
        }
        Storages::Legacy { bytes, places } => {
            let place = places.get(&storage.key);
            let bytes = place.and_then(|&(begin, size)| bytes.part(begin, size));
            let bytes = bytes.ok_or_else(|| Failure::of_file(path, "a storage is missing"))?;
            (bytes, false)
        }
    };
    let size = storage.count.checked_mul(storage.dtype.size());
    let part = size.and_then(|size| bytes.part(0, size));
    let what = || {
        format!(
            "the storage {} has {} bytes for {} numbers of {}",
            storage.key,
            bytes.len(),
            storage.count,
            storage.dtype
        )
    };
    let part = part.ok_or_else(|| Failure::of_file(path, what()))?;
    Ok((part, swapped))
}
