//! Writes pickles of protocol 2: the codes that `torch.load` and GLS's own reader know.

use crate::arrays::DType;

const PROTO: [u8; 2] = [0x80, 2];
const STOP: u8 = b'.';
const GLOBAL: u8 = b'c';
const REDUCE: u8 = b'R';
const NEWOBJ: u8 = 0x81;
const BUILD: u8 = b'b';
const BINPERSID: u8 = b'Q';
const BINPUT: u8 = b'q';
const BINGET: u8 = b'h';
const MARK: u8 = b'(';
const TUPLE: u8 = b't';
const EMPTY_TUPLE: u8 = b')';
const EMPTY_DICT: u8 = b'}';
const SETITEMS: u8 = b'u';
const BINUNICODE: u8 = b'X';
const BININT1: u8 = b'K';
const LONG1: u8 = 0x8a;
const NEWFALSE: u8 = 0x89;

/// The object that others name as their parent.
const PARENT: u8 = 0;

pub struct Pickle(Vec<u8>);

impl Pickle {
    pub fn new() -> Self {
        Pickle(PROTO.to_vec())
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.0.push(STOP);
        self.0
    }

    pub fn class(&mut self, module: &str, name: &str) {
        self.0.push(GLOBAL);
        self.0.extend(format!("{module}\n{name}\n").bytes());
    }

    /// An object of the class, without a state.
    pub fn object(&mut self, module: &str, name: &str) {
        self.class(module, name);
        self.0.extend([EMPTY_TUPLE, NEWOBJ]);
    }

    /// The object at the top becomes the parent.
    pub fn is_parent(&mut self) {
        self.0.extend([BINPUT, PARENT]);
    }

    pub fn parent(&mut self) {
        self.0.extend([BINGET, PARENT]);
    }

    pub fn text(&mut self, text: &str) {
        self.0.push(BINUNICODE);
        self.0.extend((text.len() as u32).to_le_bytes());
        self.0.extend(text.bytes());
    }

    pub fn int(&mut self, number: i64) {
        match u8::try_from(number) {
            Ok(byte) => self.0.extend([BININT1, byte]),
            Err(_) => {
                self.0.extend([LONG1, size_of::<i64>() as u8]);
                self.0.extend(number.to_le_bytes());
            }
        }
    }

    pub fn tuple(&mut self, items: impl FnOnce(&mut Self)) {
        self.0.push(MARK);
        items(self);
        self.0.push(TUPLE);
    }

    /// Keys and values by turns.
    pub fn dict(&mut self, items: impl FnOnce(&mut Self)) {
        self.0.extend([EMPTY_DICT, MARK]);
        items(self);
        self.0.push(SETITEMS);
    }

    /// The state of the object below it.
    pub fn state(&mut self, items: impl FnOnce(&mut Self)) {
        self.dict(items);
        self.0.push(BUILD);
    }

    fn ints(&mut self, numbers: &[i64]) {
        self.tuple(|out| {
            for &number in numbers {
                out.int(number);
            }
        });
    }

    /// A tensor in C order that is all of a storage.
    pub fn tensor(&mut self, storage: usize, dtype: DType, shape: &[i64]) {
        let mut strides = vec![1; shape.len()];
        for at in (1..shape.len()).rev() {
            strides[at - 1] = strides[at] * shape[at].max(1);
        }
        self.class("torch._utils", "_rebuild_tensor_v2");
        self.tuple(|out| {
            out.tuple(|out| {
                out.text("storage");
                out.class("torch", dtype.torch_storage());
                out.text(&storage.to_string());
                out.text("cpu");
                out.int(shape.iter().product());
            });
            out.0.push(BINPERSID);
            out.int(0);
            out.ints(shape);
            out.ints(&strides);
            out.0.push(NEWFALSE);
            out.class("collections", "OrderedDict");
            out.0.extend([EMPTY_TUPLE, REDUCE]);
        });
        self.0.push(REDUCE);
    }
}
