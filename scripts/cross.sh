#!/usr/bin/env bash
# One loader in Python, Java and Rust: the same bytes, and states that resume in any of them.
#
#   scripts/cross.sh PYTHON     an interpreter that has the Python package and pytest
#
# scripts/java.sh and scripts/rust.sh must have run: their programs are used.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:?cross.sh: name a Python interpreter}
jar=$(echo build/java/target/gls-*[0-9].jar)
rust=bindings/rust/target/release/examples/digest
for needed in "$jar" "$rust"; do
  if [ ! -e "$needed" ]; then
    echo "cross.sh: there is no $needed: run scripts/java.sh and scripts/rust.sh first" >&2
    exit 2
  fi
done
export GLS_DIGEST_RUST=$PWD/$rust
export GLS_DIGEST_JAVA="java -Xmx1g --module-path $PWD/$jar --add-modules org.gls \
  -cp $PWD/build/java/target/test-classes org.gls.examples.Digest"
export LD_LIBRARY_PATH=${GLS_LIB_DIR:-$PWD/build/release/src}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec "$python" -m pytest -q -p no:cacheprovider tests/cross
