//! Exports without the plugin that writes them; tests/formats has it.

use crate::common::{context, ring, TempDir};
use gls::{Error, ExportOptions};

#[test]
fn without_the_plugin_the_error_says_what_is_missing() {
    let context = context();
    let dataset = ring(&context, 10, 2);
    let folder = TempDir::new();
    let path = folder.join("out");
    let options = ExportOptions::new()
        .choice("split", "0")
        .overwrite(true)
        .progress(|_| std::ops::ControlFlow::Continue(()));
    let plain = dataset.export("parquet", &path).unwrap_err();
    let chosen = dataset.export_with("dgl", &path, options).unwrap_err();
    for error in [plain, chosen] {
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        assert!(error.message().contains("libgls_formats.so"), "{error}");
    }
    assert!(!path.exists());
    let nul = dataset.export_with("pyg", &path, ExportOptions::new().choice("a\0", "b"));
    assert!(matches!(nul, Err(Error::InvalidArgument(_))));
}
