//! A feature of many examples as an Arrow array.

use std::sync::Arc;

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::{
    ArrayRef, BinaryArray, FixedSizeListArray, Float32Array, Int64Array, StringArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field};

use super::example::{Damaged, Feature, Kind, Value};

/// What a feature's values are, which the first that has any shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub kind: Kind,
    /// Values of an example.
    pub width: usize,
    /// Of texts: all that were seen are UTF-8.
    pub utf8: bool,
}

impl Shape {
    /// None: it has no value.
    pub fn of(feature: Feature<'_>) -> Result<Option<Self>, Damaged> {
        let Some(kind) = feature.kind()? else {
            return Ok(None);
        };
        let (mut width, mut utf8) = (0, true);
        feature.values(kind, |value| {
            width += 1;
            if let Value::Bytes(bytes) = value {
                utf8 &= std::str::from_utf8(bytes).is_ok();
            }
            Ok(())
        })?;
        Ok((width > 0).then_some(Shape { kind, width, utf8 }))
    }

    fn item(self) -> DataType {
        match self.kind {
            Kind::Bytes if self.utf8 => DataType::Utf8,
            Kind::Bytes => DataType::Binary,
            Kind::Float => DataType::Float32,
            Kind::Int64 => DataType::Int64,
        }
    }

    /// One value is a number, more are a list. None: the list is too long.
    pub fn data_type(self) -> Option<DataType> {
        if self.width == 1 {
            return Some(self.item());
        }
        let width = i32::try_from(self.width).ok()?;
        let item = Arc::new(Field::new("item", self.item(), true));
        Some(DataType::FixedSizeList(item, width))
    }
}

/// Rows of one feature.
pub struct Rows {
    shape: Shape,
    valid: BooleanBufferBuilder,
    ints: Vec<i64>,
    floats: Vec<f32>,
    bytes: Vec<u8>,
    ends: Vec<i32>,
}

/// Why a row does not fit.
#[derive(Debug)]
pub enum Misfit {
    Damaged,
    Kind,
    Width(usize),
    Large,
}

impl From<Damaged> for Misfit {
    fn from(_: Damaged) -> Self {
        Misfit::Damaged
    }
}

impl Rows {
    pub fn new(shape: Shape) -> Self {
        Rows {
            shape,
            valid: BooleanBufferBuilder::new(0),
            ints: Vec::new(),
            floats: Vec::new(),
            bytes: Vec::new(),
            ends: vec![0],
        }
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Bytes of its values.
    pub fn size(&self) -> usize {
        self.ints.len() * 8 + self.floats.len() * 4 + self.bytes.len() + self.ends.len() * 4
    }

    pub fn add_null(&mut self) {
        self.valid.append(false);
        for _ in 0..self.shape.width {
            match self.shape.kind {
                Kind::Int64 => self.ints.push(0),
                Kind::Float => self.floats.push(0.0),
                Kind::Bytes => self.ends.push(self.bytes.len() as i32),
            }
        }
    }

    pub fn add(&mut self, feature: Feature<'_>) -> Result<(), Misfit> {
        let Some(kind) = feature.kind()? else {
            self.add_null();
            return Ok(());
        };
        if kind != self.shape.kind {
            let mut some = false;
            feature.values(kind, |_| {
                some = true;
                Ok(())
            })?;
            if some {
                return Err(Misfit::Kind);
            }
            self.add_null();
            return Ok(());
        }
        let (mut count, mut large) = (0, false);
        let width = self.shape.width;
        feature.values(kind, |value| {
            count += 1;
            if count > width {
                return Ok(());
            }
            match value {
                Value::Int64(value) => self.ints.push(value),
                Value::Float(value) => self.floats.push(value),
                Value::Bytes(value) => {
                    self.bytes.extend(value);
                    match i32::try_from(self.bytes.len()) {
                        Ok(end) => self.ends.push(end),
                        Err(_) => large = true,
                    }
                }
            }
            Ok(())
        })?;
        if large {
            return Err(Misfit::Large);
        }
        if count == 0 {
            self.add_null();
        } else if count == width {
            self.valid.append(true);
        } else {
            return Err(Misfit::Width(count));
        }
        Ok(())
    }

    /// The rows so far, of which there are none afterwards.
    pub fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let nulls = NullBuffer::new(self.valid.finish());
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let of_items = if self.shape.width == 1 {
            nulls.clone()
        } else {
            None
        };
        let items: ArrayRef = match self.shape.kind {
            Kind::Int64 => {
                let values = ScalarBuffer::from(std::mem::take(&mut self.ints));
                Arc::new(Int64Array::try_new(values, of_items)?)
            }
            Kind::Float => {
                let values = ScalarBuffer::from(std::mem::take(&mut self.floats));
                Arc::new(Float32Array::try_new(values, of_items)?)
            }
            Kind::Bytes => {
                let ends = std::mem::replace(&mut self.ends, vec![0]);
                let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
                let bytes = Buffer::from_vec(std::mem::take(&mut self.bytes));
                if self.shape.utf8 {
                    Arc::new(StringArray::try_new(offsets, bytes, of_items)?)
                } else {
                    Arc::new(BinaryArray::try_new(offsets, bytes, of_items)?)
                }
            }
        };
        match self.shape.data_type() {
            Some(DataType::FixedSizeList(item, width)) => Ok(Arc::new(
                FixedSizeListArray::try_new(item, width, items, nulls)?,
            )),
            _ => Ok(items),
        }
    }
}
