//! What a caller chooses of a dataset: "name=value".

use crate::failure::Failure;
use crate::recipe::did_you_mean;

pub struct Choices {
    given: Vec<(String, String)>,
    asked: Vec<&'static str>,
}

impl Choices {
    pub fn parse(texts: &[String]) -> Result<Self, Failure> {
        let mut given: Vec<(String, String)> = Vec::new();
        for text in texts {
            let Some((name, value)) = text.split_once('=') else {
                return Err(Failure::invalid(format!(
                    "choices: \"{text}\" is not name=value"
                )));
            };
            if given.iter().any(|(known, _)| known == name) {
                return Err(Failure::invalid(format!(
                    "choices: \"{name}\" is given twice"
                )));
            }
            given.push((name.to_owned(), value.to_owned()));
        }
        Ok(Choices {
            given,
            asked: Vec::new(),
        })
    }

    /// The value of a choice, if the caller gives one.
    pub fn take(&mut self, name: &'static str) -> Option<String> {
        self.asked.push(name);
        let place = self.given.iter().position(|(known, _)| known == name)?;
        Some(self.given.remove(place).1)
    }

    /// Whether the caller chooses "true".
    pub fn flag(&mut self, name: &'static str) -> Result<bool, Failure> {
        Ok(self.given_flag(name)?.unwrap_or(false))
    }

    /// "true" or "false", if the caller gives one.
    pub fn given_flag(&mut self, name: &'static str) -> Result<Option<bool>, Failure> {
        match self.take(name).as_deref() {
            None => Ok(None),
            Some("false") => Ok(Some(false)),
            Some("true") => Ok(Some(true)),
            Some(other) => Err(Failure::invalid(format!(
                "choices: {name}={other}: expected true or false"
            ))),
        }
    }

    /// One of `known`, where there is more than one it must be given; the only one otherwise.
    pub fn one_of(
        &mut self,
        name: &'static str,
        known: &[String],
    ) -> Result<Option<String>, Failure> {
        let given = self.take(name);
        match given {
            Some(given) if !known.contains(&given) => Err(Failure::invalid(format!(
                "choices: {name}={given}: expected one of {}{}",
                known.join(", "),
                did_you_mean(&given, known.iter().map(String::as_str))
            ))),
            Some(given) => Ok(Some(given)),
            None if known.len() > 1 => Err(Failure::invalid(format!(
                "choices: there are several; choose {name}=... of {}",
                known.join(", ")
            ))),
            None => Ok(known.first().cloned()),
        }
    }

    /// Choices that the format does not have are errors.
    pub fn finish(&self, format: &str) -> Result<(), Failure> {
        let Some((name, _)) = self.given.first() else {
            return Ok(());
        };
        let known = if self.asked.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has {}", self.asked.join(", "))
        };
        Err(Failure::invalid(format!(
            "choices: {format} has no choice \"{name}\"; {known}{}",
            did_you_mean(name, self.asked.iter().copied())
        )))
    }
}
