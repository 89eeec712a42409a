//! Messages of tf.train.Example in the wire format of Protocol Buffers.

/// A message is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

const MOST_VARINT_BYTES: usize = 10;

/// The values of a field of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wire<'a> {
    Varint(u64),
    Fixed32([u8; 4]),
    Fixed64,
    Bytes(&'a [u8]),
}

fn varint(from: &mut &[u8]) -> Result<u64, Damaged> {
    let mut value = 0;
    for i in 0..MOST_VARINT_BYTES {
        let (&byte, rest) = from.split_first().ok_or(Damaged)?;
        *from = rest;
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Damaged)
}

fn take<'a>(from: &mut &'a [u8], count: usize) -> Result<&'a [u8], Damaged> {
    let (taken, rest) = from.split_at_checked(count).ok_or(Damaged)?;
    *from = rest;
    Ok(taken)
}

fn field<'a>(from: &mut &'a [u8]) -> Result<(u64, Wire<'a>), Damaged> {
    let tag = varint(from)?;
    let value = match tag & 7 {
        0 => Wire::Varint(varint(from)?),
        1 => take(from, 8).map(|_| Wire::Fixed64)?,
        2 => {
            let count = usize::try_from(varint(from)?).map_err(|_| Damaged)?;
            Wire::Bytes(take(from, count)?)
        }
        5 => Wire::Fixed32(take(from, 4)?.try_into().map_err(|_| Damaged)?),
        _ => return Err(Damaged),
    };
    if tag >> 3 == 0 {
        return Err(Damaged);
    }
    Ok((tag >> 3, value))
}

/// Calls `found` with each field of a message.
fn fields<'a>(
    mut message: &'a [u8],
    mut found: impl FnMut(u64, Wire<'a>) -> Result<(), Damaged>,
) -> Result<(), Damaged> {
    while !message.is_empty() {
        let (number, value) = field(&mut message)?;
        found(number, value)?;
    }
    Ok(())
}

/// Calls `found` with the name and the message of each feature. A name may come again; the last counts.
pub fn features<'a>(
    example: &'a [u8],
    mut found: impl FnMut(&'a [u8], Feature<'a>) -> Result<(), Damaged>,
) -> Result<(), Damaged> {
    fields(example, |number, value| {
        let (1, Wire::Bytes(features)) = (number, value) else {
            return Ok(());
        };
        fields(features, |number, value| {
            let (1, Wire::Bytes(entry)) = (number, value) else {
                return Ok(());
            };
            let (mut name, mut feature): (&[u8], &[u8]) = (&[], &[]);
            fields(entry, |number, value| {
                match (number, value) {
                    (1, Wire::Bytes(bytes)) => name = bytes,
                    (2, Wire::Bytes(bytes)) => feature = bytes,
                    _ => {}
                }
                Ok(())
            })?;
            found(name, Feature(feature))
        })
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bytes,
    Float,
    Int64,
}

/// One value of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Bytes(&'a [u8]),
    Float(f32),
    Int64(i64),
}

/// A feature's message.
#[derive(Clone, Copy, Debug)]
pub struct Feature<'a>(&'a [u8]);

impl<'a> Feature<'a> {
    /// The kind of its list, the last where it has several; None: it has none.
    pub fn kind(self) -> Result<Option<Kind>, Damaged> {
        let mut kind = None;
        fields(self.0, |number, value| {
            if let Wire::Bytes(_) = value {
                kind = match number {
                    1 => Some(Kind::Bytes),
                    2 => Some(Kind::Float),
                    3 => Some(Kind::Int64),
                    _ => kind,
                };
            }
            Ok(())
        })?;
        Ok(kind)
    }

    /// Calls `found` with each value of the lists of this kind.
    pub fn values(
        self,
        kind: Kind,
        mut found: impl FnMut(Value<'a>) -> Result<(), Damaged>,
    ) -> Result<(), Damaged> {
        let wanted = match kind {
            Kind::Bytes => 1,
            Kind::Float => 2,
            Kind::Int64 => 3,
        };
        fields(self.0, |number, value| {
            let Wire::Bytes(list) = value else {
                return Ok(());
            };
            if number != wanted {
                return Ok(());
            }
            fields(list, |number, value| match (number, kind, value) {
                (1, Kind::Bytes, Wire::Bytes(bytes)) => found(Value::Bytes(bytes)),
                (1, Kind::Float, Wire::Fixed32(bytes)) => {
                    found(Value::Float(f32::from_le_bytes(bytes)))
                }
                (1, Kind::Float, Wire::Bytes(packed)) => {
                    if packed.len() % 4 != 0 {
                        return Err(Damaged);
                    }
                    packed.chunks_exact(4).try_for_each(|bytes| {
                        let bytes = bytes.try_into().map_err(|_| Damaged)?;
                        found(Value::Float(f32::from_le_bytes(bytes)))
                    })
                }
                (1, Kind::Int64, Wire::Varint(value)) => found(Value::Int64(value as i64)),
                (1, Kind::Int64, Wire::Bytes(mut packed)) => {
                    while !packed.is_empty() {
                        found(Value::Int64(varint(&mut packed)? as i64))?;
                    }
                    Ok(())
                }
                (1, _, _) => Err(Damaged),
                _ => Ok(()),
            })
        })
    }
}

/// Messages for tests.
#[cfg(test)]
pub mod made {
    use super::Value;

    pub fn varint(mut value: u64) -> Vec<u8> {
        let mut out = Vec::new();
        while value >= 0x80 {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
        out
    }

    pub fn bytes(number: u64, bytes: &[u8]) -> Vec<u8> {
        let mut out = varint(number << 3 | 2);
        out.extend(varint(bytes.len() as u64));
        out.extend(bytes);
        out
    }

    pub fn feature(values: &[Value]) -> Vec<u8> {
        let mut list = Vec::new();
        let mut number = 0;
        for value in values {
            match value {
                Value::Bytes(value) => {
                    number = 1;
                    list.extend(bytes(1, value));
                }
                Value::Float(value) => {
                    number = 2;
                    list.extend(value.to_le_bytes());
                }
                Value::Int64(value) => {
                    number = 3;
                    list.extend(varint(*value as u64));
                }
            }
        }
        match number {
            0 => Vec::new(),
            1 => bytes(1, &list),
            _ => bytes(number, &bytes(1, &list)),
        }
    }

    pub fn example(features: &[(&str, &[Value])]) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, values) in features {
            let mut entry = bytes(1, name.as_bytes());
            entry.extend(bytes(2, &feature(values)));
            out.extend(bytes(1, &entry));
        }
        bytes(1, &out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(example: &[u8]) -> Result<Vec<String>, Damaged> {
        let mut out = Vec::new();
        features(example, |name, feature| {
            let mut text = String::from_utf8_lossy(name).into_owned();
            if let Some(kind) = feature.kind()? {
                feature.values(kind, |value| {
                    text += &format!(" {value:?}");
                    Ok(())
                })?;
            }
            out.push(text);
            Ok(())
        })?;
        Ok(out)
    }

    #[test]
    fn lists_of_each_kind() {
        let example = made::example(&[
            ("a", &[Value::Int64(-1), Value::Int64(300)]),
            ("b", &[Value::Float(1.5)]),
            ("c", &[Value::Bytes(b"x")]),
            ("d", &[]),
        ]);
        let expected = [
            "a Int64(-1) Int64(300)",
            "b Float(1.5)",
            "c Bytes([120])",
            "d",
        ];
        assert_eq!(read(&example).unwrap(), expected);
    }

    #[test]
    fn numbers_that_are_not_packed() {
        let list = [&[0x08, 5, 0x08][..], &made::varint(700)].concat();
        let entry = [made::bytes(1, b"a"), made::bytes(2, &made::bytes(3, &list))].concat();
        let example = made::bytes(1, &made::bytes(1, &entry));
        assert_eq!(read(&example).unwrap(), ["a Int64(5) Int64(700)"]);
    }

    #[test]
    fn cuts_and_flips_do_not_panic() {
        let example = made::example(&[
            ("a", &[Value::Int64(-1), Value::Int64(300)]),
            ("b", &[Value::Float(1.5)]),
            ("c", &[Value::Bytes(b"x")]),
        ]);
        for cut in 1..example.len() {
            assert!(read(&example[..cut]).is_err(), "{cut}");
        }
        for at in 0..example.len() {
            for byte in 0..=255 {
                let mut changed = example.clone();
                changed[at] = byte;
                let _ = read(&changed);
            }
        }
        assert_eq!(
            read(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            Err(Damaged)
        );
    }
}
