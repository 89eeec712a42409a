//! Python's pickles as plain values. Nothing of a pickle is run: a class is a word on a list, and a
//! call is a value with that word and its arguments. A word that is not on the list is an error.
//! https://docs.python.org/3/library/pickletools.html
//!
//! Values lie in one list and name each other by their places in it. So values that hold themselves
//! and values that are nested very deeply need no care.

mod calls;
pub mod classes;
mod machine;
#[cfg(test)]
pub mod tests;

pub use classes::Class;
pub use machine::read;

use super::Bytes;

/// The place of a value.
pub type Id = u32;

/// Bytes of the pickle, or of their own where the pickle has them in another form.
#[derive(Clone, Debug)]
pub enum Run {
    In(usize, usize),
    Own(Box<[u8]>),
}

#[derive(Clone, Debug)]
pub enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// An integer of more than 64 bits, whose digits matter to no reader.
    Long,
    Float(f64),
    Text(Run),
    Bytes(Run),
    Tuple(Vec<Id>),
    List(Vec<Id>),
    Set(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    Class(Class),
    /// What a call of a class or function gives, which no one calls.
    Object {
        class: Class,
        args: Id,
        state: Option<Id>,
    },
    /// A value that lies outside of the pickle, by what names it.
    Persistent(Id),
}

/// The values of a pickle.
pub struct Tree {
    bytes: Bytes,
    values: Vec<Value>,
    root: Id,
    end: usize,
}

impl Tree {
    pub fn root(&self) -> Id {
        self.root
    }

    /// Of the file, in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The byte after the pickle.
    pub fn end(&self) -> usize {
        self.end
    }

    pub fn get(&self, id: Id) -> &Value {
        &self.values[id as usize]
    }

    /// Of values.
    pub fn len(&self) -> Id {
        self.values.len() as Id
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn run<'a>(&'a self, run: &'a Run) -> &'a [u8] {
        match run {
            Run::In(begin, end) => &self.bytes.as_slice()[*begin..*end],
            Run::Own(bytes) => bytes,
        }
    }

    /// The bytes of a run, without a copy where the pickle has them.
    pub fn shared(&self, run: &Run) -> Bytes {
        match run {
            Run::In(begin, end) => self
                .bytes
                .part(*begin, end - begin)
                .unwrap_or_else(|| Bytes::of_vec(Vec::new())),
            Run::Own(bytes) => Bytes::of_vec(bytes.to_vec()),
        }
    }

    /// Text of at most 1024 bytes, or such bytes of Python 2, which has them for text.
    pub fn text(&self, id: Id) -> Option<&str> {
        const MOST: usize = 1024;
        match self.get(id) {
            Value::Text(run) | Value::Bytes(run) => {
                let bytes = self.run(run);
                (bytes.len() <= MOST)
                    .then(|| std::str::from_utf8(bytes).ok())
                    .flatten()
            }
            _ => None,
        }
    }

    pub fn int(&self, id: Id) -> Option<i64> {
        match self.get(id) {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The values in a tuple or list, and in a torch.Size.
    pub fn items(&self, id: Id) -> Option<&[Id]> {
        match self.get(id) {
            Value::Tuple(items) | Value::List(items) => Some(items),
            Value::Object {
                class: Class::Size,
                args,
                ..
            } => match self.get(*args) {
                Value::Tuple(args) => match self.get(*args.first()?) {
                    Value::Tuple(items) | Value::List(items) => Some(items),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    pub fn ints(&self, id: Id) -> Option<Vec<i64>> {
        self.items(id)?.iter().map(|&item| self.int(item)).collect()
    }

    pub fn entries(&self, id: Id) -> Option<&[(Id, Id)]> {
        match self.get(id) {
            Value::Dict(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a dict's key. Of a key that comes twice, the last counts.
    pub fn entry(&self, id: Id, key: &str) -> Option<Id> {
        let mut entries = self.entries(id)?.iter().rev();
        entries
            .find(|(known, _)| self.text(*known) == Some(key))
            .map(|(_, value)| *value)
    }

    /// The class, arguments and state of an object.
    pub fn object(&self, id: Id) -> Option<(Class, &[Id], Option<Id>)> {
        match self.get(id) {
            Value::Object { class, args, state } => {
                Some((*class, self.items(*args).unwrap_or(&[]), *state))
            }
            _ => None,
        }
    }
}
