//! The published JSON Schema of recipes, made of the types of `model.rs`.

use super::model::Recipe;

/// The schema, the text of `docs/reference/recipe.schema.json`.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Recipe);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_published_schema_is_this_one() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/reference/recipe.schema.json"
        );
        if std::env::var_os("GLS_WRITE_SCHEMA").is_some() {
            std::fs::write(path, super::schema()).unwrap();
        }
        let published = std::fs::read_to_string(path).unwrap();
        assert_eq!(published, super::schema(), "run scripts/formats.sh schema");
    }
}
