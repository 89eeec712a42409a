//! Types of numbers, and their names in NumPy, torch, Arrow and DLPack.

use std::fmt;

use arrow_schema::DataType;

use crate::boundary::c;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DType {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    BF16,
    F32,
    F64,
}

use DType::*;

/// Type, name, letter and size in NumPy's files, class of torch's storages, code and bits of DLPack.
const ALL: [(DType, &str, &str, &str, u32, u8); 13] = [
    (Bool, "bool", "b1", "BoolStorage", c::kDLBool, 8),
    (U8, "uint8", "u1", "ByteStorage", c::kDLUInt, 8),
    (I8, "int8", "i1", "CharStorage", c::kDLInt, 8),
    (U16, "uint16", "u2", "UInt16Storage", c::kDLUInt, 16),
    (I16, "int16", "i2", "ShortStorage", c::kDLInt, 16),
    (U32, "uint32", "u4", "UInt32Storage", c::kDLUInt, 32),
    (I32, "int32", "i4", "IntStorage", c::kDLInt, 32),
    (U64, "uint64", "u8", "UInt64Storage", c::kDLUInt, 64),
    (I64, "int64", "i8", "LongStorage", c::kDLInt, 64),
    (F16, "float16", "f2", "HalfStorage", c::kDLFloat, 16),
    (BF16, "bfloat16", "", "BFloat16Storage", c::kDLBfloat, 16),
    (F32, "float32", "f4", "FloatStorage", c::kDLFloat, 32),
    (F64, "float64", "f8", "DoubleStorage", c::kDLFloat, 64),
];

impl DType {
    fn entry(self) -> &'static (DType, &'static str, &'static str, &'static str, u32, u8) {
        ALL.iter()
            .find(|entry| entry.0 == self)
            .expect("all types are listed")
    }

    /// By GLS's name: "float32".
    pub fn of_name(name: &str) -> Option<Self> {
        ALL.iter()
            .find(|entry| entry.1 == name)
            .map(|entry| entry.0)
    }

    /// By NumPy's letter and size, without the byte order: "f4".
    pub fn of_numpy(code: &str) -> Option<Self> {
        ALL.iter()
            .find(|entry| !code.is_empty() && entry.2 == code)
            .map(|entry| entry.0)
    }

    /// NumPy's letter and size; None for bfloat16, which NumPy has not.
    pub fn numpy(self) -> Option<&'static str> {
        Some(self.entry().2).filter(|code| !code.is_empty())
    }

    /// By torch's class of storages: "FloatStorage".
    pub fn of_torch_storage(class: &str) -> Option<Self> {
        ALL.iter()
            .find(|entry| entry.3 == class)
            .map(|entry| entry.0)
    }

    /// Torch's class of storages: "FloatStorage".
    pub fn torch_storage(self) -> &'static str {
        self.entry().3
    }

    /// By the code and bits of DLPack, which DGL's files have, too.
    pub fn of_dlpack(code: u8, bits: u8, lanes: u16) -> Option<Self> {
        ALL.iter()
            .find(|entry| lanes == 1 && entry.4 == u32::from(code) && entry.5 == bits)
            .map(|entry| entry.0)
    }

    pub fn name(self) -> &'static str {
        self.entry().1
    }

    pub fn size(self) -> usize {
        usize::from(self.entry().5 / 8)
    }

    pub fn dlpack(self) -> c::DLDataType {
        let entry = self.entry();
        c::DLDataType {
            code: entry.4 as u8,
            bits: entry.5,
            lanes: 1,
        }
    }

    /// None for bfloat16, which Arrow has not.
    pub fn arrow(self) -> Option<DataType> {
        Some(match self {
            Bool => DataType::Boolean,
            U8 => DataType::UInt8,
            I8 => DataType::Int8,
            U16 => DataType::UInt16,
            I16 => DataType::Int16,
            U32 => DataType::UInt32,
            I32 => DataType::Int32,
            U64 => DataType::UInt64,
            I64 => DataType::Int64,
            F16 => DataType::Float16,
            BF16 => return None,
            F32 => DataType::Float32,
            F64 => DataType::Float64,
        })
    }

    pub fn is_integer(self) -> bool {
        matches!(self, U8 | I8 | U16 | I16 | U32 | I32 | U64 | I64)
    }

    /// The number in an element of an integer or bool; None for others, and beyond int64.
    pub fn i64_of(self, element: &[u8]) -> Option<i64> {
        Some(match self {
            Bool => i64::from(element[0] != 0),
            U8 => i64::from(element[0]),
            I8 => i64::from(element[0] as i8),
            U16 => i64::from(u16::from_ne_bytes(element.try_into().ok()?)),
            I16 => i64::from(i16::from_ne_bytes(element.try_into().ok()?)),
            U32 => i64::from(u32::from_ne_bytes(element.try_into().ok()?)),
            I32 => i64::from(i32::from_ne_bytes(element.try_into().ok()?)),
            U64 => i64::try_from(u64::from_ne_bytes(element.try_into().ok()?)).ok()?,
            I64 => i64::from_ne_bytes(element.try_into().ok()?),
            F16 | BF16 | F32 | F64 => return None,
        })
    }
}

impl fmt::Display for DType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
