//! Where tests and examples of this crate find libgls.so, also when cargo does not run them.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Said by the build script of gls-sys, unless the library is within the program.
    if let Some(folder) = env::var_os("DEP_GLS_LIB") {
        println!(
            "cargo:rustc-link-arg=-Wl,-rpath,{}",
            folder.to_string_lossy()
        );
    }
}
