//! Finds libgls, or builds it. See README.md.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for variable in [
        "GLS_LIB_DIR",
        "GLS_INCLUDE_DIR",
        "GLS_SOURCE_DIR",
        "DOCS_RS",
    ] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation is made without the library
    }
    if let Some(dir) = env::var_os("GLS_LIB_DIR").filter(|dir| !dir.is_empty()) {
        let dir = PathBuf::from(dir);
        if !dir.is_dir() {
            panic!("GLS_LIB_DIR is {}, which is no folder", dir.display());
        }
        let beside = dir.join("../include");
        let include = env::var_os("GLS_INCLUDE_DIR").map_or(beside, PathBuf::from);
        link(&dir, include.join("gls.h").is_file().then_some(&include));
    } else if cfg!(feature = "vendored") {
        vendored();
    } else {
        installed();
    }
}

fn link(lib: &Path, include: Option<&PathBuf>) {
    println!("cargo:rustc-link-search=native={}", lib.display());
    println!("cargo:rustc-link-lib=dylib=gls");
    println!("cargo:lib={}", lib.display());
    if let Some(include) = include {
        println!("cargo:include={}", include.display());
    }
}

fn installed() {
    match pkg_config::Config::new()
        .atleast_version(concat!(
            env!("CARGO_PKG_VERSION_MAJOR"),
            ".",
            env!("CARGO_PKG_VERSION_MINOR")
        ))
        .probe("gls")
    {
        Ok(library) => {
            if let Some(lib) = library.link_paths.first() {
                println!("cargo:lib={}", lib.display());
            }
            if let Some(include) = library.include_paths.first() {
                println!("cargo:include={}", include.display());
            }
        }
        Err(error) => panic!(
            "libgls was not found: set GLS_LIB_DIR to the folder of libgls.so, or install it with \
             its gls.pc, or use the feature \"vendored\". pkg-config said: {error}"
        ),
    }
}

#[cfg(feature = "vendored")]
fn vendored() {
    // A published crate has the sources with it; in the source tree they are around it.
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = env::var_os("GLS_SOURCE_DIR").map_or_else(
        || match here.join("libgls") {
            carried if carried.is_dir() => carried,
            _ => here.join("../../.."),
        },
        PathBuf::from,
    );
    if !source.join("include/gls.h").is_file() {
        panic!(
            "the feature \"vendored\" needs the sources of libgls, which are not in {}: set \
             GLS_SOURCE_DIR to the folder of an unpacked release",
            source.display()
        );
    }
    // The build uses the flags of any other build. It goes through links, so that every file has
    // the same path relative to the build folder in every project. Compiler caches then recognise
    // the files.
    let tree = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("gls");
    std::fs::create_dir_all(&tree).expect("a folder in OUT_DIR");
    for part in ["CMakeLists.txt", "cmake", "include", "plugins", "src"] {
        let (original, link) = (source.join(part), tree.join(part));
        println!("cargo:rerun-if-changed={}", original.display());
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&original, &link).expect("a link in OUT_DIR");
    }
    let prefix = cmake::Config::new(&tree)
        .out_dir(tree.join("out"))
        .define("CMAKE_C_FLAGS", env::var_os("CFLAGS").unwrap_or_default())
        .define(
            "CMAKE_CXX_FLAGS",
            env::var_os("CXXFLAGS").unwrap_or_default(),
        )
        .profile("Release")
        .define("GLS_BUILD_TESTS", "OFF")
        .define("GLS_BUILD_TOOLS", "OFF")
        .define("GLS_CUDA", "OFF")
        .define("GLS_STATIC", "ON")
        .define("CMAKE_INSTALL_LIBDIR", "lib")
        .build();
    // Within the program, which then runs anywhere. What it needs itself is on every system.
    println!(
        "cargo:rustc-link-search=native={}",
        prefix.join("lib").display()
    );
    println!(
        "cargo:rustc-link-search=native={}",
        prefix.join("lib/gls").display()
    );
    println!("cargo:rustc-link-lib=static=gls");
    println!("cargo:rustc-link-lib=static=uring");
    for library in ["stdc++", "z", "dl", "pthread", "m"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
    println!("cargo:include={}", prefix.join("include").display());
}

#[cfg(not(feature = "vendored"))]
fn vendored() {
    unreachable!("only called with the feature");
}
