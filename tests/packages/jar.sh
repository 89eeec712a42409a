#!/usr/bin/env bash
# The jar as a dependency of a Maven project of its own: the example's sources, outside of the tree.
#
#   jar.sh SCRATCH DIST
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$1 dist=$2
version=$("$here/../../scripts/version.sh")

# A local repository that has the plugins by links and nothing of this project.
repository=$scratch/repository
mkdir "$repository"
known=${MAVEN_REPOSITORY:-$HOME/.m2/repository}
[ ! -d "$known" ] || cp -rs "$known/." "$repository"
rm -rf "$repository/org/gls"
# What Maven may write anew is not to be written through a link.
find "$repository" -type l \( -name '_remote.repositories' -o -name 'resolver-status.properties' \
  -o -name 'maven-metadata*' -o -name '*.lastUpdated' \) -delete
quiet_mvn() { mvn -q -B -Dmaven.repo.local="$repository" "$@"; }

cd "$scratch"
quiet_mvn org.apache.maven.plugins:maven-install-plugin:3.1.3:install-file \
  -Dfile="$dist/gls-$version.jar" -DpomFile="$dist/gls-$version.pom" \
  -Dsources="$dist/gls-$version-sources.jar" -Djavadoc="$dist/gls-$version-javadoc.jar"

mkdir -p src/main/java/org/gls/examples
cp "$here"/../../bindings/java/examples/org/gls/examples/{TrainCora,GraphSage}.java \
  src/main/java/org/gls/examples
sed "s/@VERSION@/$version/" "$here/jar.pom.xml" >pom.xml
quiet_mvn compile
java -Xmx1g -Dgls.cache.dir="$scratch/cache" \
  -cp "target/classes:$repository/org/gls/gls/$version/gls-$version.jar" \
  org.gls.examples.TrainCora "$here/../../examples/data/cora" --seeds 1 --epochs 50 | tee train.txt
# A whole training reaches 0.83; guessing gives 0.14.
tail -n 1 train.txt | python3 -c '
import json, sys
accuracy = json.load(sys.stdin)["accuracy"]
assert accuracy > 0.7, accuracy'
