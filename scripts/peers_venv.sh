#!/usr/bin/env bash
# Makes the Python environments in which bench/peers measures GLS against its peers.
#
#   scripts/peers_venv.sh DIR      makes DIR/a and DIR/b, of 6 GB each
#
# Two environments, because two of the peers cannot share a version of torch:
#   a: torch 2.2.1 with GraphBolt, PyG and torch-sparse. DGL 2.1.0 carries GraphBolt binaries for
#      torch 2.0.0 to 2.2.1 only.
#   b: torch 2.5.1 with GLT and PyG. The graphlearn-torch 0.2.4 binary wants symbols that came after
#      torch 2.2.
# torch-sparse and torch-scatter have no wheels on PyPI: they are compiled here, for the CPU
# only, in some minutes. pyg-lib is not on PyPI at all: who has a build of it for one of
# these torch versions names it in GLS_BENCH_PYG_LIB.
#
# The peers' binaries are made for Python 3.11 (PYTHON names an interpreter) and others; a C++ compiler
# is needed. What cannot be installed is written to DIR/missing with the end of pip's words, and
# the rest goes on.
set -euo pipefail

if [ $# -ne 1 ]; then
  sed -n '2,/^set /p' "$0" | sed -e '/^set /d' -e 's/^# \{0,1\}//' >&2
  exit 2
fi
dir=$1
"$(dirname "$0")/packages.sh" build python
python=${PYTHON:-$(command -v python3.11 || command -v python3)}
mkdir -p "$dir"
: >"$dir/missing"
constraints=$(mktemp)
trap 'rm -f "$constraints"' EXIT

# Everything that the packages named below pull in. torch pins its CUDA libraries itself.
cat >"$constraints" <<'PINS'
aiohappyeyeballs==2.7.1
aiohttp==3.14.5
aiosignal==1.4.0
annotated-types==0.8.0
attrs==26.1.0
certifi==2026.10.18
charset-normalizer==3.5.2
filelock==4.2.11
frozenlist==1.8.0
fsspec==2026.9.0
idna==3.20
Jinja2==3.1.6
MarkupSafe==3.0.4
mpmath==1.3.0
multidict==7.2.1
networkx==3.6.1
propcache==0.5.4
psutil==7.2.2
pydantic_core==2.50.4
pyparsing==3.3.3
python-dateutil==4.0.0
pytz==2026.6
requests==2.34.2
tqdm==4.70.1
typing-inspection==0.4.5
typing_extensions==4.16.0
tzdata==2026.6
urllib3==2.8.0
xxhash==4.1.0
yarl==1.25.1
PINS

# environment NAME: with what all of it stands on.
environment() {
  "$python" -m venv "$dir/$1"
  "$dir/$1/bin/pip" install --no-cache-dir -c "$constraints" \
    setuptools==69.5.1 wheel==0.43.0 numpy==1.26.4 scipy==1.13.1
}

# peer NAME WHAT PIP-ARGUMENT...: one peer and what it needs.
peer() {
  local venv=$1 what=$2 said
  shift 2
  said=$(mktemp)
  if ! "$dir/$venv/bin/pip" install --no-cache-dir -c "$constraints" "$@" 2>&1 | tee "$said"; then
    echo "$what: $(grep -m 1 -i error "$said" || tail -n 1 "$said")" >>"$dir/missing"
  fi
  rm -f "$said"
}

environment a
peer a torch torch==2.2.1
peer a PyG torch-geometric==2.8.1
# GraphBolt imports pandas, PyYAML and pydantic without asking for them.
peer a GraphBolt torch==2.2.1 torchdata==0.7.1 dgl==2.1.0 sympy==1.14.0 \
  nvidia-nvjitlink-cu12==12.9.86 pandas==2.2.3 PyYAML==6.0.3 pydantic==2.14.3
# Their build needs the torch that is installed already, hence no isolation.
export FORCE_ONLY_CPU=1 MAX_JOBS=${MAX_JOBS:-2}
peer a torch-sparse --no-build-isolation --no-deps torch-scatter==2.1.2 torch-sparse==0.6.18
environment b
peer b GLT torch==2.5.1 graphlearn-torch==0.2.4
peer b "PyG (for GLT)" torch-geometric==2.8.1

for venv in a b; do
  "$dir/$venv/bin/pip" list --format=freeze |
    grep -E -i '^(torch|dgl|torch-sparse|torch-geometric|graphlearn-torch)=' || true
done
cat "$dir/missing"
