#!/usr/bin/env bash
# Formatting and static checks.
#
#   scripts/lint.sh           everything but the static analyzer
#   scripts/lint.sh --quick   what needs no compiler
#   scripts/lint.sh --deep    clang-tidy with the static analyzer, of the tools, too (half an hour)
#   scripts/lint.sh --fix     formats
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/packages.sh lint
mapfile -t cxx < <(git ls-files '*.cc' '*.cu' '*.c' '*.h' '*.hpp' | grep -Ev '^include/gls(/.*)?\.h$')
mapfile -t python < <(git ls-files '*.py' '*.pyi')
if [ "${1:-}" = --fix ]; then
  clang-format -i "${cxx[@]}"
  black -q -l 100 "${python[@]}"
  exit 0
fi

echo "clang-format"
clang-format --dry-run --Werror "${cxx[@]}"

echo "black"
black -q --check -l 100 "${python[@]}" || {
  echo "run scripts/lint.sh --fix" >&2
  exit 1
}

echo "shellcheck"
mapfile -t shell < <(git ls-files '*.sh' .ci/run)
shellcheck "${shell[@]}"

echo "codespell"
git ls-files -z | grep -zvE '\.(npy|json|gz|bin)$|^((plugins/formats/)?fuzz/corpus|examples/data|abi)/|^LICENSE$' |
  xargs -0 codespell --ignore-words-list=ans,sur,numer,inout,nd,te,fo,ot,ba,hist,datas,coo,kno,tage,nin,crate,crates,ser,trian,tiem,wieght,kown

echo "prose"
python3 scripts/checks/check_prose.py

echo "layers"
python3 scripts/checks/check_layers.py

echo "version"
scripts/version.sh --check

echo "parity"
python3 scripts/checks/parity.py --check

echo "chart"
python3 scripts/checks/benchmark_chart.py --check

echo "errors"
python3 scripts/checks/check_errors.py

[ "${1:-}" != --quick ] || exit 0

echo "clang-tidy"
scripts/packages.sh build
[ -x build/venv-lint/bin/python ] || python3 -m venv build/venv-lint
build/venv-lint/bin/pip install -q --disable-pip-version-check -r scripts/requirements/lint.txt
# Several files at once, as they are compiled; the thorough check reads each by itself, and so finds what it
# should include and does not.
unity=ON
checks=("--checks=-clang-analyzer-*,-bugprone-suspicious-include,-google-global-names-in-headers")
if [ "${1:-}" = --deep ]; then
  unity=OFF
  checks=()
fi
cmake --preset release -B build/lint -DGLS_BUILD_TESTS=OFF -DGLS_CUDA=OFF -DGLS_UNITY=$unity >/dev/null
cmake --build build/lint --target gls_schemas >/dev/null
# compiled WHAT FOLDER: one of "file" and "command" of all that is compiled in this folder.
compiled() {
  python3 -c 'import json, os, sys
what, folder = sys.argv[1:]
for entry in json.load(open("build/lint/compile_commands.json")):
    path = os.path.relpath(entry["file"])
    if path.removeprefix("build/lint/gls-generated/unity/").startswith(f"{folder}/"):
        print(entry[what])' "$@"
}
mapfile -t tidy < <(compiled file src; compiled file plugins)
[ $unity = ON ] || mapfile -t -O "${#tidy[@]}" tidy < <(compiled file tools)
# The other compiler's warning names are not clang's; GNU's headers use what they call deprecated.
printf '%s\0' "${tidy[@]}" | xargs -0 -n 1 -P "$(nproc)" \
  build/venv-lint/bin/clang-tidy -p build/lint --quiet "${checks[@]}" \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-deprecated-declarations 2>/dev/null

echo "benchmarks"
# That they can be compiled: nobody runs them here, and optimising them takes its time.
compiled command bench | sed 's/$/ -fsyntax-only/' | tr '\n' '\0' | (cd build/lint && xargs -0 -n 1 -P "$(nproc)" sh -c)
