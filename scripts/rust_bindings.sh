#!/usr/bin/env bash
# Makes bindings.rs and layout.rs, in bindings/rust/gls-sys/src, from include/gls.h.
#
#   scripts/rust_bindings.sh           writes them
#   scripts/rust_bindings.sh --check   exit status 1 when they are not what the header gives
#
# bindings.rs has the declarations. layout.rs compares the size and alignment of each struct with those that
# the C compiler reports for it.
#
# Needs bindgen 0.60 (Debian's package "bindgen"), rustfmt and a C compiler: other versions of bindgen write the
# same things in other words. GLS_BINDGEN names another executable. Missing packages are installed.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -n "${GLS_BINDGEN:-}" ] || scripts/packages.sh bindgen
command -v rustfmt >/dev/null || scripts/packages.sh rust
bindgen=${GLS_BINDGEN:-bindgen}
out=bindings/rust/gls-sys/src
version=$("$bindgen" --version)
if [[ "$version" != "bindgen 0.60."* ]]; then
  echo "rust_bindings.sh: $version would write a different text, expected bindgen 0.60" >&2
  exit 2
fi

# Enums become constants: a newer library may return values that this header does not name, which
# no Rust enum may hold. Documentation stays in gls.h, so that only declarations can drift.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$bindgen" include/gls.h \
  --allowlist-function 'gls_.*' --allowlist-type 'gls_.*|DL.*' --allowlist-var 'GLS_.*|DLPACK_.*|kDL.*' \
  --default-enum-style consts --no-prepend-enum-name --no-doc-comments --no-rustfmt-bindings --no-layout-tests \
  --size_t-is-usize --ctypes-prefix ::std::os::raw --disable-header-comment \
  --raw-line '// Made from include/gls.h by scripts/rust_bindings.sh: do not edit.' \
  -- -std=c99 -Iinclude >"$made/bindings.rs"
rustfmt --edition 2021 --config newline_style=Unix "$made/bindings.rs"
python3 scripts/checks/rust_constants.py "$made/bindings.rs"
rustfmt --edition 2021 --config newline_style=Unix "$made/bindings.rs"

# Structs with fields; the others are opaque, and C knows no size of them.
mapfile -t structs < <(awk '
  /^pub struct [A-Za-z0-9_]+ \{$/ { name = $3; next }
  name != "" { if ($1 != "_unused:") print name; name = "" }' "$made/bindings.rs")
{
  cat <<'C'
#include <gls.h>
#include <stdio.h>
#define PRINT(name, type) printf("    " #name " %zu %zu\n", sizeof(type), _Alignof(type));
int main(void) {
C
  for struct in "${structs[@]}"; do
    type=$struct # a typedef of a struct without a name
    ! grep -rqw "struct $struct {" include || type="struct $struct"
    echo "  PRINT($struct, $type)"
  done
  echo '  return 0; }'
} >"$made/layout.c"
"${CC:-cc}" -std=c11 -Iinclude -o "$made/layout" "$made/layout.c"
{
  cat <<'RUST'
// Made from include/gls.h by scripts/rust_bindings.sh: do not edit.
//! The size and alignment of each struct, as the C compiler reports them on machines with 64 bits.

use core::mem::{align_of, size_of};

use crate::*;

macro_rules! layout {
    ($($name:ident $size:literal $align:literal)*) => {$(
        const _: () = assert!(
            size_of::<$name>() == $size && align_of::<$name>() == $align,
            concat!(stringify!($name), " has another layout in C")
        );
    )*};
}

layout! {
RUST
  "$made/layout"
  echo '}'
} >"$made/layout.rs"
rustfmt --edition 2021 --check "$made/layout.rs" >&2

for file in bindings.rs layout.rs; do
  if [ "${1:-}" = --check ]; then
    diff -u "$out/$file" "$made/$file" >&2 || {
      echo "rust_bindings.sh: $out/$file is not what include/gls.h gives: run scripts/rust_bindings.sh" >&2
      exit 1
    }
  else
    cp "$made/$file" "$out/$file"
  fi
done
