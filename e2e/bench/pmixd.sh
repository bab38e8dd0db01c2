#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# From exec to "ready" of what hosts libpmix for a job of 64 pods, in turns in one run: a C program that does the least that
# is possible, the Java host without and with an AOT cache, and pmixd itself until it waits for its launcher; then 16 at once.
#
#   e2e/bench/pmixd.sh [ROUNDS, 21 [PODS, 64]]
#
# Columns: median and least milliseconds, CPU milliseconds, resident, proportional and private MB. Needs what "make build" and
# "make setup" make, and root: everything runs in the root file system of the images, in a mount namespace of its own.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:?run make setup}
root=${FABRIC_OPERATOR_IMAGE_ROOTS:?run make setup}/openmpi-dev
if [ ! -d e2e/target/classes/dev ] || [ ! -d pmix/target/classes/dev ]; then
    echo "pmixd.sh: build first: make build" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ]; then
    echo "pmixd.sh: mounting a root file system needs root" >&2
    exit 1
fi
out=$PWD/e2e/target/bench/pmixd
rm -rf "$out"
mkdir -p "$out"
# One archive: an AOT cache knows no directories.
mkdir "$out/classes"
cp -r pmix/target/classes/. e2e/target/classes/dev "$out/classes/"
rm -rf "$out/classes/dev/fabricoperator/e2e"
mkdir -p "$out/classes/dev/fabricoperator/e2e/bench"
cp -r e2e/target/classes/dev/fabricoperator/e2e/bench/pmixd "$out/classes/dev/fabricoperator/e2e/bench/"
"$java/bin/jar" --create --file "$out/bench.jar" -C "$out/classes" .
grep -v '^#\|^-cp\|Main$' images/pmixd/src/main/image/app/pmixd.options > "$out/options"

# shellcheck disable=SC2016 # expanded inside
unshare --mount --propagation private bash -euc '
    root=$1 out=$2 java=$3 project=$4 rounds=$5 pods=$6
    place=$out/place
    mkdir "$place"
    mount -t tmpfs tmpfs "$place"
    mkdir -p "$place/work" "$place/upper/bench" "$place/upper/jdk" "$place/upper/project" "$place/root"
    mount -t overlay overlay -o "lowerdir=$root,upperdir=$place/upper,workdir=$place/work" "$place/root"
    mount -t proc proc "$place/root/proc"
    mount --rbind /dev "$place/root/dev"
    mount --rbind /sys "$place/root/sys"
    mount --bind "$java" "$place/root/jdk"
    mount --bind "$out" "$place/root/bench"
    mount --bind "$project" "$place/root/project"
    exec chroot "$place/root" bash -eu /project/e2e/bench/pmixd/inside.sh "$rounds" "$pods"
' mounts "$root" "$out" "$java" "$PWD" "${1:-21}" "${2:-64}"
