#!/usr/bin/env bash
# The crates, unpacked, as dependencies of a cargo project of its own: with an installed library, which is
# that of the Debian packages, and with the sources that gls-sys carries. Both give the same batches.
#
#   crate.sh SCRATCH DIST
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$1 dist=$2
version=$("$here/../../scripts/version.sh")
unset GLS_LIB_DIR GLS_SOURCE_DIR LD_LIBRARY_PATH

cd "$scratch"
for file in "$dist"/*.crate; do
  tar -xzf "$file"
done
mkdir -p outside/src
cp "gls-$version"/examples/digest/*.rs outside/src
cat >outside/Cargo.toml <<TOML
[package]
name = "outside"
version = "1.0.0"
edition = "2021"

[features]
vendored = ["gls/vendored"]

[dependencies]
gls = { path = "../gls-$version", default-features = false }
gls-sys = { path = "../gls-sys-$version" }

[patch.crates-io]
gls-sys = { path = "../gls-sys-$version" }
TOML
# The recipe of README.md, for a library in a folder of its own.
cat >outside/build.rs <<'RUST'
fn main() {
    if let Ok(folder) = std::env::var("DEP_GLS_LIB") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
RUST
cd outside
arguments=("cora:$here/../../examples/data/cora" --id-set train --batch-size 32 --shuffle --seed 7)

for file in "$dist"/libgls*.deb; do
  dpkg-deb -x "$file" "$scratch/installed"
done
pc=$(find "$scratch/installed" -name gls.pc)
# Programs are started by their path, without anything in the environment, as others start them.
PKG_CONFIG_PATH=${pc%/*} cargo build -q
env -i target/debug/outside "${arguments[@]}" >installed.txt
CCACHE_BASEDIR=$scratch CMAKE_GENERATOR=Ninja cargo build -q --features vendored
mkdir elsewhere
cp target/debug/outside elsewhere
rm -rf target
env -i elsewhere/outside "${arguments[@]}" >vendored.txt
cmp installed.txt vendored.txt
[ "$(wc -l <vendored.txt)" -eq 6 ] # 140 seeds, 32 each, and the digest of all
cat vendored.txt
