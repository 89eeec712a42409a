//! Classes, calls and states: the codes of pickles that would run programs in Python. Here they make
//! values.

use super::classes::{class_of, Class};
use super::machine::{Machine, EMPTY};
use super::{Id, Run, Value};
use crate::failure::Failure;

impl Machine<'_> {
    pub fn object(&mut self, code: u8) -> Result<(), Failure> {
        match code {
            b'c' => {
                let module = self.line_of_ascii()?.to_owned();
                let name = self.line_of_ascii()?.to_owned();
                let class = self.known(&module, &name)?;
                self.push(Value::Class(class))
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (name, module) = (self.word(name)?, self.word(module)?);
                let class = self.known(&module, &name)?;
                self.push(Value::Class(class))
            }
            b'R' | 0x81 => {
                let args = self.pop()?;
                let class = self.pop()?;
                self.call(class, args)
            }
            0x92 => {
                let (_named, args) = (self.pop()?, self.pop()?);
                let class = self.pop()?;
                self.call(class, args)
            }
            b'i' => {
                let module = self.line_of_ascii()?.to_owned();
                let name = self.line_of_ascii()?.to_owned();
                let class = self.known(&module, &name)?;
                let args = self.above_mark()?;
                self.push(Value::Tuple(args))?;
                let args = self.pop()?;
                self.push(Value::Class(class))?;
                let class = self.pop()?;
                self.call(class, args)
            }
            b'o' => {
                let mut args = self.above_mark()?;
                if args.is_empty() {
                    return Err(self.wrong("calls nothing"));
                }
                let class = args.remove(0);
                self.push(Value::Tuple(args))?;
                let args = self.pop()?;
                self.call(class, args)
            }
            b'b' => {
                let given = self.pop()?;
                let top = self.top()? as usize;
                match &mut self.values[top] {
                    Value::Object { state, .. } => *state = Some(given),
                    // An OrderedDict may have attributes.
                    Value::Dict(_) => {}
                    _ => return Err(self.wrong("gives a state to what is no object")),
                }
                Ok(())
            }
            b'P' => {
                let (begin, end) = self.line()?;
                self.push(Value::Text(Run::In(begin, end)))?;
                let name = self.pop()?;
                self.push(Value::Persistent(name))
            }
            _ => {
                let name = self.pop()?;
                self.push(Value::Persistent(name))
            }
        }
    }

    /// The text of a name, which is short.
    fn word(&self, id: Id) -> Result<String, Failure> {
        let bytes = match &self.values[id as usize] {
            Value::Text(Run::In(begin, end)) => &self.input[*begin..*end],
            Value::Text(Run::Own(bytes)) => bytes,
            _ => return Err(self.wrong("names a class by what is no text")),
        };
        const MOST: usize = 256;
        if bytes.len() > MOST {
            return Err(self.wrong("names a class by a very long name"));
        }
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn known(&self, module: &str, name: &str) -> Result<Class, Failure> {
        class_of(module, name).ok_or_else(|| {
            let full: String = format!("{module}.{name}").chars().take(200).collect();
            Failure::unsupported(
                self.path,
                format!(
                    "the pickle names {}, which is not on the list of known classes; \
                     nothing was run",
                    full.escape_debug()
                ),
            )
        })
    }

    /// The value that stands for a call.
    fn call(&mut self, class: Id, args: Id) -> Result<(), Failure> {
        let Value::Class(class) = self.values[class as usize] else {
            return Err(self.wrong("calls what is no class"));
        };
        let Value::Tuple(given) = &self.values[args as usize] else {
            return Err(self.wrong("calls with what are no arguments"));
        };
        match class {
            // A defaultdict's argument makes values, which are there already.
            Class::Dict if given.len() <= 1 && !self.has_items(given) => {
                self.push(Value::Dict(Vec::new()))
            }
            Class::Dict => Err(Failure::unsupported(
                self.path,
                "a pickle of Python 2 with an OrderedDict",
            )),
            Class::Reconstructor => {
                let of = given.first().map(|&first| &self.values[first as usize]);
                match of {
                    Some(&Value::Class(class)) => self.push(Value::Object {
                        class,
                        args: EMPTY,
                        state: None,
                    }),
                    _ => Err(self.wrong("makes an object of no class")),
                }
            }
            class => self.push(Value::Object {
                class,
                args,
                state: None,
            }),
        }
    }

    fn has_items(&self, args: &[Id]) -> bool {
        args.iter()
            .any(|&arg| !matches!(self.values[arg as usize], Value::Class(_) | Value::None))
    }
}
