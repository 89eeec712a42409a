//! Recipes without the plugin that reads them; tests/formats has it.

use gls::{Context, Error, Recipe};

#[test]
fn without_the_plugin_errors_say_what_is_missing() {
    let context = Context::new().unwrap();
    let read = Recipe::read(&context, "edges: {}", "").unwrap_err();
    let made = Recipe::of_format(&context, "pyg", "data.pt", &[("split", "0")]).unwrap_err();
    for error in [read, made] {
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        assert!(error.message().contains("libgls_formats.so"), "{error}");
    }
    let nul = Recipe::read(&context, "a\0b", "").unwrap_err();
    assert!(matches!(nul, Error::InvalidArgument(_)));
}
