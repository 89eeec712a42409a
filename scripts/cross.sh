#!/usr/bin/env bash
# One loader in Python, Java and Rust: the same bytes, and states that resume in any of them. One group of
# processes in these languages. Servers and clients of each. And the tutorials, in C and C++, too.
#
#   scripts/cross.sh            first makes all that the tests need, as `scripts/test.sh cross` does
#   scripts/cross.sh PYTHON     with an interpreter that has the Python package and pytest
#
# The second uses the programs of the release build (cmake --preset release), of scripts/java.sh and of
# scripts/rust.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then
  exec scripts/test.sh cross
fi
python=$1
jar=$(echo build/java/target/gls-*[0-9].jar)
rust=bindings/rust/target/release/examples
native=build/release/tests/capi/capi_tutorial
for needed in "$jar" "$rust/digest" "$rust/serve" "$rust/talk" "$rust/tutorial" "${native}_c" "${native}_cpp"; do
  if [ ! -e "$needed" ]; then
    echo "cross.sh: there is no $needed: make the release build, then run scripts/java.sh" \
      "and scripts/rust.sh" >&2
    exit 2
  fi
done
java="java -Xmx1g --module-path $PWD/$jar --add-modules org.gls \
  -cp $PWD/build/java/target/test-classes"
export GLS_DIGEST_RUST=$PWD/$rust/digest
export GLS_DIGEST_JAVA="$java org.gls.examples.Digest"
export GLS_SERVE_RUST=$PWD/$rust/serve
export GLS_SERVE_JAVA="$java org.gls.examples.Serve"
export GLS_TOOL=$PWD/build/release/tools/gls
export GLS_TALK_RUST=$PWD/$rust/talk
export GLS_TALK_JAVA="$java org.gls.examples.Talk"
export GLS_TUTORIAL_C=$PWD/${native}_c GLS_TUTORIAL_CPP=$PWD/${native}_cpp
export GLS_TUTORIAL_RUST=$PWD/$rust/tutorial GLS_TUTORIAL_JAVA="$java Tutorial"
export LD_LIBRARY_PATH=${GLS_LIB_DIR:-$PWD/build/release/src}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PYTHONPATH=$PWD/tests/python:$PWD/tests/cluster${PYTHONPATH:+:$PYTHONPATH} # what tests share
exec "$python" -m pytest -q -p no:cacheprovider tests/cross
