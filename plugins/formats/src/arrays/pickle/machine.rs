//! The machine of pickles: a stack, marks and a memo. Each byte of a pickle makes at most one value.
//! No value is copied with what it holds. So memory grows with the pickle at most.

use std::collections::HashMap;
use std::path::Path;

use super::{Id, Run, Tree, Value};
use crate::arrays::Bytes;
use crate::failure::Failure;

/// A pickle with more values, stacked values or remembered values is refused.
const MOST_VALUES: usize = if cfg!(test) { 1 << 16 } else { 1 << 23 };
const LAST_PROTOCOL: u8 = 5;

/// Reads the pickle at byte `begin`. More bytes may follow it.
pub fn read(path: &Path, bytes: &Bytes, begin: usize) -> Result<Tree, Failure> {
    let mut machine = Machine {
        path,
        input: bytes.as_slice(),
        at: begin,
        // Most values are one of these.
        values: vec![
            Value::None,
            Value::Bool(false),
            Value::Bool(true),
            Value::Tuple(Vec::new()),
        ],
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
    };
    let root = machine.run()?;
    let end = machine.at;
    Ok(Tree {
        values: machine.values,
        bytes: bytes.clone(),
        root,
        end,
    })
}

const NONE: Id = 0;
const FALSE: Id = 1;
const TRUE: Id = 2;
pub const EMPTY: Id = 3;

pub struct Machine<'a> {
    pub path: &'a Path,
    pub input: &'a [u8],
    at: usize,
    pub values: Vec<Value>,
    stack: Vec<Id>,
    /// Heights of the stack.
    marks: Vec<usize>,
    memo: HashMap<u64, Id>,
}

impl Machine<'_> {
    pub fn wrong(&self, what: impl std::fmt::Display) -> Failure {
        Failure::of_file(self.path, format!("the pickle {what}"))
    }

    fn span(&mut self, size: usize) -> Result<(usize, usize), Failure> {
        let end = self
            .at
            .checked_add(size)
            .filter(|&end| end <= self.input.len());
        let end = end.ok_or_else(|| self.wrong("is cut short"))?;
        let begin = std::mem::replace(&mut self.at, end);
        Ok((begin, end))
    }

    pub fn take<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], Failure> {
        let (begin, end) = self.span(SIZE)?;
        let mut out = [0; SIZE];
        out.copy_from_slice(&self.input[begin..end]);
        Ok(out)
    }

    fn byte(&mut self) -> Result<u8, Failure> {
        Ok(self.take::<1>()?[0])
    }

    /// Up to a line's end, without it.
    pub fn line(&mut self) -> Result<(usize, usize), Failure> {
        let rest = &self.input[self.at..];
        let size = rest.iter().position(|&byte| byte == b'\n');
        let size = size.ok_or_else(|| self.wrong("is cut short"))?;
        let (begin, end) = self.span(size + 1)?;
        Ok((begin, end - 1))
    }

    pub fn line_of_ascii(&mut self) -> Result<&str, Failure> {
        let (begin, end) = self.line()?;
        match std::str::from_utf8(&self.input[begin..end]) {
            Ok(text) => Ok(text.trim_end_matches('\r')),
            Err(_) => Err(self.wrong("has a line that is not text")),
        }
    }

    /// Bytes after their size, in so many bytes.
    fn sized(&mut self, bytes_of_size: usize) -> Result<Run, Failure> {
        let size = match bytes_of_size {
            1 => u64::from(self.byte()?),
            4 => u64::from(u32::from_le_bytes(self.take()?)),
            _ => u64::from_le_bytes(self.take()?),
        };
        let (begin, end) = self.span(usize::try_from(size).unwrap_or(usize::MAX))?;
        Ok(Run::In(begin, end))
    }

    fn push_id(&mut self, id: Id) -> Result<(), Failure> {
        if self.stack.len() >= MOST_VALUES {
            return Err(self.wrong(format_args!("stacks more than {MOST_VALUES} values")));
        }
        self.stack.push(id);
        Ok(())
    }

    pub fn push(&mut self, value: Value) -> Result<(), Failure> {
        if self.values.len() >= MOST_VALUES {
            return Err(self.wrong(format_args!("has more than {MOST_VALUES} values")));
        }
        self.values.push(value);
        self.push_id((self.values.len() - 1) as Id)
    }

    pub fn pop(&mut self) -> Result<Id, Failure> {
        let low = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= low {
            return Err(self.wrong("takes from an empty stack"));
        }
        Ok(self.stack.swap_remove(self.stack.len() - 1))
    }

    pub fn top(&self) -> Result<Id, Failure> {
        let low = self.marks.last().copied().unwrap_or(0);
        match self.stack.last() {
            Some(&top) if self.stack.len() > low => Ok(top),
            _ => Err(self.wrong("takes from an empty stack")),
        }
    }

    /// The values above the last mark.
    pub fn above_mark(&mut self) -> Result<Vec<Id>, Failure> {
        match self.marks.pop() {
            Some(height) => Ok(self.stack.split_off(height)),
            None => Err(self.wrong("has no mark")),
        }
    }

    fn run(&mut self) -> Result<Id, Failure> {
        loop {
            let code = self.byte()?;
            match code {
                b'.' => return self.pop(),
                0x80 => {
                    let protocol = self.byte()?;
                    if protocol > LAST_PROTOCOL {
                        let what = format!("a pickle of protocol {protocol}");
                        return Err(Failure::unsupported(self.path, what));
                    }
                }
                // A frame's size is of use to streams only.
                0x95 => drop(self.take::<8>()?),
                b'(' => {
                    if self.marks.len() >= MOST_VALUES {
                        return Err(self.wrong(format_args!("has more than {MOST_VALUES} marks")));
                    }
                    self.marks.push(self.stack.len());
                }
                b'0' => {
                    if self.marks.last() == Some(&self.stack.len()) {
                        self.marks.pop();
                    } else {
                        self.pop()?;
                    }
                }
                b'1' => drop(self.above_mark()?),
                b'2' => {
                    let top = self.top()?;
                    self.push_id(top)?;
                }
                b'N' | b'I' | b'J' | b'K' | b'M' | b'L' | 0x88..=0x8b | b'F' | b'G' => {
                    self.number(code)?;
                }
                b'S' | b'T' | b'U' | b'B' | b'C' | 0x8e | 0x96 | b'V' | b'X' | 0x8c | 0x8d => {
                    self.text(code)?;
                }
                b']'
                | b'a'
                | b'e'
                | b'l'
                | b')'
                | b't'
                | 0x85..=0x87
                | b'}'
                | b'd'
                | b's'
                | b'u'
                | 0x8f..=0x91 => self.container(code)?,
                b'g' | b'h' | b'j' | b'p' | b'q' | b'r' | 0x94 => self.remember(code)?,
                b'c' | 0x93 | b'R' | b'b' | b'i' | b'o' | 0x81 | 0x92 | b'P' | b'Q' => {
                    self.object(code)?;
                }
                0x82..=0x84 | 0x97 | 0x98 => {
                    let what =
                        format!("the pickle has the code {code:#x}, which needs its program");
                    return Err(Failure::unsupported(self.path, what));
                }
                other => return Err(self.wrong(format_args!("has the unknown code {other:#x}"))),
            }
        }
    }

    fn number(&mut self, code: u8) -> Result<(), Failure> {
        let value = match code {
            b'N' => return self.push_id(NONE),
            0x88 => return self.push_id(TRUE),
            0x89 => return self.push_id(FALSE),
            b'J' => Value::Int(i64::from(i32::from_le_bytes(self.take()?))),
            b'K' => Value::Int(i64::from(self.byte()?)),
            b'M' => Value::Int(i64::from(u16::from_le_bytes(self.take()?))),
            b'I' | b'L' => {
                let line = self.line_of_ascii()?;
                match (code, line) {
                    (b'I', "00") => return self.push_id(FALSE),
                    (b'I', "01") => return self.push_id(TRUE),
                    _ => {}
                }
                let digits = line.strip_suffix('L').unwrap_or(line);
                let rest = digits.strip_prefix('-').unwrap_or(digits);
                if rest.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(self.wrong("has an integer without digits"));
                }
                digits.parse().map_or(Value::Long, Value::Int)
            }
            0x8a | 0x8b => {
                let run = self.sized(if code == 0x8a { 1 } else { 4 })?;
                let Run::In(begin, end) = run else {
                    return Err(self.wrong("has no integer"));
                };
                let digits = &self.input[begin..end];
                if digits.len() > 8 {
                    Value::Long
                } else {
                    let negative = digits.last().is_some_and(|last| last & 0x80 != 0);
                    let mut all = [if negative { 0xff } else { 0 }; 8];
                    all[..digits.len()].copy_from_slice(digits);
                    Value::Int(i64::from_le_bytes(all))
                }
            }
            b'F' => match self.line_of_ascii()?.parse() {
                Ok(number) => Value::Float(number),
                Err(_) => return Err(self.wrong("has a number without digits")),
            },
            _ => Value::Float(f64::from_be_bytes(self.take()?)),
        };
        self.push(value)
    }

    fn text(&mut self, code: u8) -> Result<(), Failure> {
        let value = match code {
            b'B' | b'T' => Value::Bytes(self.sized(4)?),
            b'C' | b'U' => Value::Bytes(self.sized(1)?),
            0x8e | 0x96 => Value::Bytes(self.sized(8)?),
            0x8c => Value::Text(self.sized(1)?),
            0x8d => Value::Text(self.sized(8)?),
            b'X' => Value::Text(self.sized(4)?),
            b'V' => {
                let (begin, end) = self.line()?;
                // raw-unicode-escape: bytes are Latin-1.
                let line: String = self.input[begin..end].iter().map(|&b| b as char).collect();
                if line.contains("\\u") || line.contains("\\U") {
                    let what = "a pickle of protocol 0 with escaped text";
                    return Err(Failure::unsupported(self.path, what));
                }
                Value::Text(Run::Own(line.into_bytes().into()))
            }
            _ => {
                let (begin, end) = self.line()?;
                let line = self.input[begin..end].trim_ascii_end();
                let quoted = match line {
                    [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
                    _ => return Err(self.wrong("has text without quotes")),
                };
                if quoted.contains(&b'\\') {
                    let what = "a pickle of protocol 0 with escaped text";
                    return Err(Failure::unsupported(self.path, what));
                }
                Value::Bytes(Run::In(begin + 1, begin + 1 + quoted.len()))
            }
        };
        self.push(value)
    }

    fn container(&mut self, code: u8) -> Result<(), Failure> {
        match code {
            b']' => self.push(Value::List(Vec::new())),
            b')' => self.push_id(EMPTY),
            b'}' => self.push(Value::Dict(Vec::new())),
            0x8f => self.push(Value::Set(Vec::new())),
            b't' | b'l' | 0x91 => {
                let items = self.above_mark()?;
                self.push(match code {
                    b't' => Value::Tuple(items),
                    b'l' => Value::List(items),
                    _ => Value::Set(items),
                })
            }
            0x85..=0x87 => {
                let count = usize::from(code - 0x84);
                let mut items = vec![NONE; count];
                for item in items.iter_mut().rev() {
                    *item = self.pop()?;
                }
                self.push(Value::Tuple(items))
            }
            b'd' => {
                let items = self.above_mark()?;
                let pairs = self.pairs(&items)?;
                self.push(Value::Dict(pairs))
            }
            b'a' => {
                let item = self.pop()?;
                self.extend(vec![item])
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.extend_dict(vec![(key, value)])
            }
            b'u' => {
                let items = self.above_mark()?;
                let pairs = self.pairs(&items)?;
                self.extend_dict(pairs)
            }
            // 'e' and 0x90: many items.
            _ => {
                let items = self.above_mark()?;
                self.extend(items)
            }
        }
    }

    fn pairs(&self, items: &[Id]) -> Result<Vec<(Id, Id)>, Failure> {
        if items.len() % 2 != 0 {
            return Err(self.wrong("has a key without a value"));
        }
        Ok(items
            .chunks_exact(2)
            .map(|pair| (pair[0], pair[1]))
            .collect())
    }

    fn extend(&mut self, items: Vec<Id>) -> Result<(), Failure> {
        let top = self.top()? as usize;
        match &mut self.values[top] {
            Value::List(list) | Value::Set(list) => list.extend(items),
            _ => return Err(self.wrong("appends to what is no list")),
        }
        Ok(())
    }

    fn extend_dict(&mut self, pairs: Vec<(Id, Id)>) -> Result<(), Failure> {
        let top = self.top()? as usize;
        match &mut self.values[top] {
            Value::Dict(entries) => entries.extend(pairs),
            _ => return Err(self.wrong("sets a key of what is no dict")),
        }
        Ok(())
    }

    fn remember(&mut self, code: u8) -> Result<(), Failure> {
        let place = match code {
            b'g' | b'p' => match self.line_of_ascii()?.parse() {
                Ok(place) => place,
                Err(_) => return Err(self.wrong("has a place without digits")),
            },
            b'h' | b'q' => u64::from(self.byte()?),
            b'j' | b'r' => u64::from(u32::from_le_bytes(self.take()?)),
            _ => self.memo.len() as u64,
        };
        if matches!(code, b'g' | b'h' | b'j') {
            return match self.memo.get(&place) {
                Some(&known) => self.push_id(known),
                None => Err(self.wrong(format_args!("has nothing at place {place}"))),
            };
        }
        if self.memo.len() >= MOST_VALUES {
            return Err(self.wrong(format_args!("remembers more than {MOST_VALUES} values")));
        }
        let top = self.top()?;
        self.memo.insert(place, top);
        Ok(())
    }
}
