//! Types of elements.

use std::fmt;

use gls_sys as sys;

/// The type of the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    /// Any other, by DLPack's numbers.
    #[non_exhaustive]
    Other {
        code: u8,
        bits: u8,
    },
}

const INT: u8 = sys::kDLInt as u8;
const UINT: u8 = sys::kDLUInt as u8;
const FLOAT: u8 = sys::kDLFloat as u8;
const BFLOAT: u8 = sys::kDLBfloat as u8;
const BOOL: u8 = sys::kDLBool as u8;

impl DType {
    pub(crate) fn from_dl(dtype: sys::DLDataType) -> Self {
        match (dtype.code, dtype.bits) {
            (BOOL, 8) => Self::Bool,
            (INT, 8) => Self::I8,
            (INT, 16) => Self::I16,
            (INT, 32) => Self::I32,
            (INT, 64) => Self::I64,
            (UINT, 8) => Self::U8,
            (UINT, 16) => Self::U16,
            (UINT, 32) => Self::U32,
            (UINT, 64) => Self::U64,
            (FLOAT, 16) => Self::F16,
            (BFLOAT, 16) => Self::BF16,
            (FLOAT, 32) => Self::F32,
            (FLOAT, 64) => Self::F64,
            (code, bits) => Self::Other { code, bits },
        }
    }

    pub(crate) fn to_dl(self) -> sys::DLDataType {
        let (code, bits) = match self {
            Self::Bool => (BOOL, 8),
            Self::I8 => (INT, 8),
            Self::I16 => (INT, 16),
            Self::I32 => (INT, 32),
            Self::I64 => (INT, 64),
            Self::U8 => (UINT, 8),
            Self::U16 => (UINT, 16),
            Self::U32 => (UINT, 32),
            Self::U64 => (UINT, 64),
            Self::F16 => (FLOAT, 16),
            Self::BF16 => (BFLOAT, 16),
            Self::F32 => (FLOAT, 32),
            Self::F64 => (FLOAT, 64),
            Self::Other { code, bits } => (code, bits),
        };
        sys::DLDataType {
            code,
            bits,
            lanes: 1,
        }
    }

    /// DLPack's code and number of bits.
    pub fn code_and_bits(self) -> (u8, u8) {
        let dtype = self.to_dl();
        (dtype.code, dtype.bits)
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        (usize::from(self.to_dl().bits) + 7) / 8
    }

    /// "int64", "float32", "bfloat16", as text files and Python call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "int8",
            Self::I16 => "int16",
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::U8 => "uint8",
            Self::U16 => "uint16",
            Self::U32 => "uint32",
            Self::U64 => "uint64",
            Self::F16 => "float16",
            Self::BF16 => "bfloat16",
            Self::F32 => "float32",
            Self::F64 => "float64",
            Self::Other { .. } => "other",
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other { code, bits } => write!(f, "code {code} of {bits} bits"),
            known => f.write_str(known.name()),
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that elements of arrays may have. `u8` also reads the bytes of bool, and `u16` the
/// bits of float16 and bfloat16, for which Rust has no types.
///
/// # Safety
/// Every pattern of bits is a value, and its layout is that of [`Element::DTYPE`].
pub unsafe trait Element:
    Copy + Send + Sync + fmt::Debug + sealed::Sealed + 'static
{
    /// The type of an array made of such values.
    const DTYPE: DType;

    /// Whether elements of `dtype` can be read as this type.
    fn reads(dtype: DType) -> bool {
        dtype == Self::DTYPE
    }
}

macro_rules! elements {
    ($($rust:ty, $dtype:ident $(, also $($other:ident)*)?;)*) => {$(
        impl sealed::Sealed for $rust {}
        // SAFETY: a number of this width, of which every pattern of bits is a value.
        unsafe impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
            $(fn reads(dtype: DType) -> bool {
                matches!(dtype, DType::$dtype $(| DType::$other)*)
            })?
        }
    )*};
}

elements! {
    i8, I8;
    i16, I16;
    i32, I32;
    i64, I64;
    u8, U8, also Bool;
    u16, U16, also F16 BF16;
    u32, U32;
    u64, U64;
    f32, F32;
    f64, F64;
}

/// A Rust type that ids may have: `i32` or `i64`.
pub trait Id: Element {}
impl Id for i32 {}
impl Id for i64 {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_dlpack_and_back() {
        use DType::*;
        let known = [
            Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64,
        ];
        for dtype in known {
            assert_eq!(DType::from_dl(dtype.to_dl()), dtype);
            let bits: String = dtype.name().chars().filter(char::is_ascii_digit).collect();
            assert_eq!(dtype.size() * 8, bits.parse().unwrap_or(8), "{dtype}");
        }
        let other = Other { code: 5, bits: 64 };
        assert_eq!(DType::from_dl(other.to_dl()), other);
        assert_eq!(
            (other.size(), other.to_string().as_str()),
            (8, "code 5 of 64 bits")
        );
        assert!(u8::reads(Bool) && u16::reads(BF16) && !i16::reads(F16) && !u8::reads(I8));
    }
}
