#!/usr/bin/env bash
# Makes bindings/rust/gls-sys/src/bindings.rs from include/gls.h.
#
#   scripts/rust_bindings.sh           writes it
#   scripts/rust_bindings.sh --check   exit status 1 when it is not what the header gives
#
# Needs bindgen 0.60 (Debian's package "bindgen") and rustfmt: other versions write the same things in
# other words. GLS_BINDGEN names another executable.
set -euo pipefail
cd "$(dirname "$0")/.."

bindgen=${GLS_BINDGEN:-bindgen}
out=bindings/rust/gls-sys/src/bindings.rs
version=$("$bindgen" --version)
if [[ "$version" != "bindgen 0.60."* ]]; then
  echo "rust_bindings.sh: $version would write a different text, expected bindgen 0.60" >&2
  exit 2
fi

# Enums become constants: a newer library may return values that this header does not name, which
# no Rust enum may hold. Documentation stays in gls.h, so that only declarations can drift.
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$bindgen" include/gls.h \
  --allowlist-function 'gls_.*' --allowlist-type 'gls_.*|DL.*' --allowlist-var 'GLS_.*|DLPACK_.*|kDL.*' \
  --default-enum-style consts --no-prepend-enum-name --no-doc-comments --no-rustfmt-bindings --size_t-is-usize \
  --ctypes-prefix ::std::os::raw --disable-header-comment \
  --raw-line '// Made from include/gls.h by scripts/rust_bindings.sh: do not edit.' \
  -- -std=c99 -Iinclude >"$made"
rustfmt --edition 2021 --config newline_style=Unix "$made"
python3 scripts/rust_constants.py "$made"
rustfmt --edition 2021 --config newline_style=Unix "$made"

if [ "${1:-}" = --check ]; then
  diff -u "$out" "$made" >&2 || {
    echo "rust_bindings.sh: $out is not what include/gls.h gives: run scripts/rust_bindings.sh" >&2
    exit 1
  }
else
  cp "$made" "$out"
fi
