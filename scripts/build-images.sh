#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Makes the container images, without a registry and without a container engine:
#
#   target/images/pmixd.tar, fabric-operator.tar, fabric-agent.tar, fabric-sweeper.tar     docker archives, by jib
#
# usage: scripts/build-images.sh [--programs-built] [pmixd | fabric-operator | fabric-agent | fabric-sweeper ...]    (default: all)
#
# Base: files of Debian packages and a Java runtime (image-base.sh). Over it lies what jib adds: the program and, for
# pmixd and the operator, AOT caches that training runs in that very root have written. Same sources, same packages: same
# bytes, but for AOT caches.

set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
say() { printf 'images: %s\n' "$*" >&2; }
die() { printf 'images: %s\n' "$*" >&2; exit 1; }
# shellcheck source=/dev/null
source target/setup.env
DEBIAN_ARCHITECTURE=$(dpkg --print-architecture)
# shellcheck source=scripts/image-base.sh
source scripts/image-base.sh
# shellcheck source=scripts/image-training.sh
source scripts/image-training.sh

[ -n "${FABRIC_OPERATOR_IMAGE_ROOTS:-}" ] || die "there are no root file systems to make images from; run make setup as root on Linux"
OUT=$ROOT/target/images
# jib's own libraries use what Java 25 warns of.
export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow"
PROGRAMS_BUILT=
if [ "${1:-}" = --programs-built ]; then
  PROGRAMS_BUILT=yes
  shift
fi
NAMES=("$@")
[ $# -gt 0 ] || NAMES=(pmixd fabric-operator fabric-agent fabric-sweeper)
LIBRARIES=(base-files libc6 zlib1g)

# What an image's layer consists of, with the times that jib gives: an AOT cache knows its archive by size and time.
new_layer() { # image
  rm -rf "${OUT:?}/$1"
  mkdir -p "$OUT/$1/layer/app" "$OUT/$1/layer/usr/share/sbom"
}

finish_layer() { # image, directory of its module
  cp "$2/target/java.cdx.json" "$OUT/$1/layer/usr/share/sbom/"
  debian_sbom "$OUT/$1/root" > "$OUT/$1/layer/usr/share/sbom/debian.cdx.json"
  chmod -R u=rwX,go=rX "$OUT/$1/layer"
  find "$OUT/$1/layer" -exec touch -h -d @1 {} +
}

prepare_pmixd() {
  local image=$OUT/pmixd jar=pmix/target/pmixd.jar
  new_layer pmixd
  take_packages "$FABRIC_OPERATOR_IMAGE_ROOTS/pmix" "$image/root" "${LIBRARIES[@]}" libpmix2t64 libevent-core-2.1-7t64 \
    libevent-pthreads-2.1-7t64 libhwloc15 libmunge2 libudev1 libcap2 libssl3t64 libzstd1
  # Asks pmixd for people (kubectl fabric pmix).
  take_packages "$FABRIC_OPERATOR_IMAGE_ROOTS/openmpi" "$image/root" libpmix-bin
  take_programs "$FABRIC_OPERATOR_IMAGE_ROOTS/openmpi" "$image/root" pquery
  java_runtime "$image/root/opt/java" "$(java_modules '' "$jar")"
  check_libraries "$image/root"
  mkdir -p "$image/layer/usr/local/bin"
  cp "$jar" images/pmixd/src/main/image/app/pmixd.{options,main} "$image/layer/app/"
  # PMIX_RM_VERSION.
  echo "-Dfabric-operator.version=${IMAGE_TAG:-$(sed -n 's|.*<image.tag>\(.*\)</image.tag>.*|\1|p' images/pom.xml)}" >> "$image/layer/app/pmixd.options"
  cp pmix/target/classes/dev/fabricoperator/pmix/foreign/libforeign.so "$image/layer/app/"
  cp launcher/target/fabric-launcher "$image/layer/usr/local/bin/"
  finish_layer pmixd pmix
  train_pmixd "$image"
}

prepare_fabric_operator() {
  local image=$OUT/fabric-operator
  new_layer fabric-operator
  # BoringSSL asks for libgcc; check_libraries does not see into jars.
  take_packages "$FABRIC_OPERATOR_IMAGE_ROOTS/base" "$image/root" "${LIBRARIES[@]}" libgcc-s1
  # jdeps does not see through modules that are only half there; what is more than the code's own is what libraries load by name.
  java_runtime "$image/root/opt/java" java.base,java.compiler,java.instrument,java.logging,java.management,java.naming,java.net.http,java.security.jgss,java.security.sasl,java.sql,java.xml,jdk.management,jdk.naming.dns,jdk.unsupported,jdk.zipfs
  check_libraries "$image/root"
  cp -r operator/target/quarkus-app/{operator.jar,lib} "$image/layer/app/"
  cp images/operator/src/main/image/app/*.options "$image/layer/app/"
  finish_layer fabric-operator operator
  train_fabric_operator "$image"
}

prepare_fabric_agent() {
  local image=$OUT/fabric-agent jar=agent/target/fabric-agent.jar
  new_layer fabric-agent
  take_packages "$FABRIC_OPERATOR_IMAGE_ROOTS/base" "$image/root" "${LIBRARIES[@]}"
  java_runtime "$image/root/opt/java" "$(java_modules '' "$jar")"
  check_libraries "$image/root"
  cp "$jar" images/agent/src/main/image/app/agent.options "$image/layer/app/"
  finish_layer fabric-agent agent
}

prepare_fabric_sweeper() {
  local image=$OUT/fabric-sweeper root=$FABRIC_OPERATOR_IMAGE_ROOTS/infiniband
  new_layer fabric-sweeper
  take_packages "$root" "$image/root" "${LIBRARIES[@]}" infiniband-diags libibnetdisc5t64 libibmad5 libibumad3
  take_programs "$root" "$image/root" ibnetdiscover sminfo dump_fts ibqueryerrors
  mkdir -p "$image/layer/app/lib"
  cp sweeper/target/sweeper-*.jar "$image/layer/app/sweeper.jar"
  cp sweeper/target/lib/*.jar "$image/layer/app/lib/"
  cp images/sweeper/src/main/image/app/sweeper.options "$image/layer/app/"
  # Readers of JSON and YAML ask for java.beans, and do without.
  java_runtime "$image/root/opt/java" "$(java_modules '' "$image/layer/app/sweeper.jar" "$image"/layer/app/lib/*.jar | sed 's/java.desktop,//')"
  check_libraries "$image/root"
  finish_layer fabric-sweeper sweeper
  check_sweeper "$image"
}

# Its programs start in the image's root. There is no subnet here, and no cluster: each says so.
check_sweeper() { # image's directory
  local shared said
  shared=$(mktemp -d)
  said=$(in_root "$shared" "$1/layer:$1/root" /usr/local/bin/ibnetdiscover --version 2>&1) || die "ibnetdiscover does not start: $said"
  said=$(in_root "$shared" "$1/layer:$1/root" /usr/local/bin/dump_fts --version 2>&1) || die "dump_fts does not start: $said"
  said=$(in_root "$shared" "$1/layer:$1/root" /usr/local/bin/ibqueryerrors --version 2>&1) || die "ibqueryerrors does not start: $said"
  said=$(in_root "$shared" "$1/layer:$1/root" /usr/local/bin/sminfo --version 2>&1) || die "sminfo does not start: $said"
  said=$(SWEEPER_INTERVAL=never in_root "$shared" "$1/layer:$1/root" /opt/java/bin/java @/app/sweeper.options 2>&1) || true
  grep -q 'fabric-sweeper: .*never\|Text cannot be parsed' <<< "$said" || die "the sweeper does not start: $said"
  rm -rf "$shared"
}

prepare() { # image
  "prepare_${1//-/_}"
  base_archive "$OUT/$1/root" "$OUT/$1/base.tar"
}

MODULES=launcher
JIB=
for name in "${NAMES[@]}"; do
  case "$name" in
    pmixd) MODULES+=,pmix ;;
    # The end-to-end tests' harness trains it.
    fabric-operator) MODULES+=,operator,e2e ;;
    fabric-agent) MODULES+=,agent ;;
    fabric-sweeper) MODULES+=,sweeper ;;
    *) die "no such image: $name" ;;
  esac
  JIB+=${JIB:+,}images/${name#fabric-}
  # jib asks for it, though everything comes from the layer.
  mkdir -p "images/${name#fabric-}/target/classes"
done
if [ -z "$PROGRAMS_BUILT" ]; then
  say "building the programs"
  ./mvnw -q -B -T2 -Pimages -DskipTests -Dspotless.check.skip -pl "$MODULES" -am package
fi
# Side by side: most of a preparation is one process that waits or has one thread.
PREPARING=()
for name in "${NAMES[@]}"; do
  say "$name: base and layer"
  prepare "$name" &
  PREPARING+=($!)
done
for process in "${PREPARING[@]}"; do
  wait "$process" || FAILED=yes
done
[ -z "${FAILED:-}" ] || die "an image could not be prepared"
say "assembling"
# jib knows a layer by the times of its files, which are always the same here: it would take the layer of an earlier build.
rm -rf "$OUT/jib-cache"
./mvnw -q -B -Pimages -pl "$JIB" -Djib.console=plain -Dimage.architecture="$DEBIAN_ARCHITECTURE" -Djib.baseImageCache="$OUT/jib-cache" -Djib.applicationCache="$OUT/jib-cache" \
  ${IMAGE_TAG:+"-Dimage.tag=$IMAGE_TAG"} jib:buildTar
for name in "${NAMES[@]}"; do
  printf '%-16s %5d MiB  base %3d MiB, of which Java %3d MiB; layer %3d MiB  %s\n' "$name" \
    "$(($(stat -c %s "$OUT/$name.tar") >> 20))" "$(du -sm "$OUT/$name/root" | cut -f1)" "$(du -sm "$OUT/$name/root/opt/java" | cut -f1)" \
    "$(du -sm "$OUT/$name/layer" | cut -f1)" "$(cut -c1-19 "$OUT/$name/id")"
done
