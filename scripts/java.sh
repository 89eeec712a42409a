#!/usr/bin/env bash
# Builds and tests the Java package.
#
#   scripts/java.sh            natives, jars (classes, sources, javadoc), tests; and, in build/release, the plugin
#                              for GPUs that runs on a processor (scripts/cuda_on_host.sh)
#   scripts/java.sh natives    only what Maven needs: the libraries, and the classes that SWIG makes
#   scripts/java.sh jars       natives and jars, without tests; SOURCE_DATE_EPOCH is the time in them
#   scripts/java.sh classes    natives, jars, and the programs of tests and examples; runs none
#   scripts/java.sh example    trains the example, five seeds
#   scripts/java.sh install    natives and jars, and installs them in the local Maven repository
#   scripts/java.sh bench      what Java adds to a batch
#   scripts/java.sh format     formats the sources
#
# Everything lies in build/java afterwards; the jars in build/java/target.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-all}
case "$what" in
  all | natives | jars | install | classes | example | bench | format) ;;
  *)
    echo "java.sh: unknown word $what, expected one of: all, natives, jars, install, classes, example, bench, format" >&2
    exit 2
    ;;
esac

build=build/java
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

natives() {
  scripts/packages.sh build java
  # CMake and Maven look there first, and so find one that is no package of the system.
  export JAVA_HOME=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}
  local launcher=()
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,locale
  fi
  cmake -G Ninja -S bindings/java -B "$build" -DCMAKE_BUILD_TYPE=Release -DGLS_CUDA="${GLS_CUDA:-OFF}" \
    "${launcher[@]}" >/dev/null
  # An earlier build's, which would be packed.
  find "$build" -name libgls_cuda.so -delete
  cmake --build "$build" -j "$jobs" --target gls_jni
}

mvn_quiet() {
  mvn -q -B -f bindings/java/pom.xml -Dgls.build.dir="$PWD/$build" \
    ${SOURCE_DATE_EPOCH:+-Dproject.build.outputTimestamp="$SOURCE_DATE_EPOCH"} "$@"
}

# formatter OPTIONS...: runs it on all sources.
formatter() {
  local name=google-java-format version=1.24.0 exports=() part
  local tool=$PWD/$build/tools/$name-$version-all-deps.jar
  if [ ! -e "$tool" ]; then
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
      -Dartifact="com.google.googlejavaformat:$name:$version:jar:all-deps" \
      -DoutputDirectory="$(dirname "$tool")"
  fi
  for part in api code file parser tree util; do
    exports+=(--add-exports "jdk.compiler/com.sun.tools.javac.$part=ALL-UNNAMED")
  done
  # A released archive is no repository.
  find bindings/java examples -name '*.java' -print0 | xargs -0 java "${exports[@]}" -jar "$tool" "$@"
}

# The jar of the package itself.
jar() {
  local version
  version=$(sed -n 's|^  <version>\(.*\)</version>$|\1|p' bindings/java/pom.xml)
  echo "$build/target/gls-$version.jar"
}

# run MAIN ARGUMENTS...: a main class of the tests and examples, on the jar as a module.
run() {
  java -Xmx1g --module-path "$(jar)" --add-modules org.gls -cp "$build/target/test-classes" "$@"
}

if [ "$what" = format ]; then
  scripts/packages.sh java
  formatter -i
  exit 0
fi

natives
case "$what" in
  all)
    formatter --dry-run --set-exit-if-changed || {
      echo "run scripts/java.sh format" >&2
      exit 1
    }
    rm -rf "$build/target"
    plugin=$(scripts/cuda_on_host.sh)
    mvn_quiet verify -Dgls.cuda.on.host="$plugin"
    awk '/^Tests run:/ { run += $3; skipped += $9 }
      END { printf "%d passed, 0 failed, %d skipped\n", run - skipped, skipped }' \
      "$build"/target/surefire-reports/*.txt
    # The jar as it will be used: as a module that carries its libraries.
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    run -Dgls.cache.dir="$scratch" org.gls.examples.TrainCora examples/data/cora \
      --seeds 1 --epochs 5
    run -Dgls.cache.dir="$scratch" Tutorial examples/tutorial/ratings.csv "$scratch/ratings"
    ;;
  jars | install)
    # Maven leaves those that are newer than the sources, whatever time is in them.
    rm -f "$build"/target/*.jar
    mvn_quiet -Dmaven.test.skip=true package
    if [ "$what" = install ]; then
      stem=$(jar)
      stem=${stem%.jar}
      mvn -q -B org.apache.maven.plugins:maven-install-plugin:3.1.3:install-file -Dfile="$stem.jar" \
        -DpomFile=bindings/java/pom.xml -Dsources="$stem-sources.jar" -Djavadoc="$stem-javadoc.jar"
    fi
    ;;
  classes) mvn_quiet -DskipTests package ;;
  example)
    [ -e "$(jar)" ] || mvn_quiet -DskipTests package
    run org.gls.examples.TrainCora examples/data/cora
    ;;
  bench)
    mvn_quiet -DskipTests test-compile
    java -Xmx1g -cp "$build/target/test-classes:$build/target/classes" org.gls.Overhead
    ;;
esac
