//! Writes recipes: what a layout's reader found, for people to review.

use serde_json::{Map, Value};

use super::model::Recipe;
use crate::failure::{Code, Failure};

/// The recipe in YAML. Its notes become comments at the begin.
pub fn write(recipe: &Recipe) -> Result<String, Failure> {
    let failed = |error: String| Failure::new(Code::Corrupt, format!("the recipe: {error}"));
    let value = serde_json::to_value(recipe).map_err(|error| failed(error.to_string()))?;
    let body =
        serde_saphyr::to_string(&shortened(value)).map_err(|error| failed(error.to_string()))?;
    let mut out = String::new();
    for note in &recipe.notes {
        for line in note.lines() {
            out += &format!("# {line}\n");
        }
    }
    Ok(out + &body)
}

/// Objects that say no more than the name of a file become this name.
fn shortened(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let object: Map<String, Value> = object
                .into_iter()
                .map(|(key, value)| (key, shortened(value)))
                .collect();
            match object.get("file") {
                Some(Value::String(file)) if object.len() == 1 => Value::String(file.clone()),
                _ => Value::Object(object),
            }
        }
        Value::Array(list) => {
            let mut list: Vec<Value> = list.into_iter().map(shortened).collect();
            if list.len() == 1 && list[0].is_string() {
                return list.remove(0);
            }
            Value::Array(list)
        }
        other => other,
    }
}
