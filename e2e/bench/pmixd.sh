#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# What the start of a pmixd costs, beside a C program that hosts libpmix for a job of the same size and does the least that
# is possible, in turns in one run:
#
#   C-host          from exec until clients can connect
#   pmixd-waiting   from exec until pmixd waits for its launcher
#   pmixd           from exec until the launcher has been told to start the ranks: with the launcher's report, TLS 1.3 to a job
#                   service, its map of the job, libpmix
#
# then 16 pmixds at once on one node. pmixd runs from its image's own files, cache and options.
#
#   e2e/bench/pmixd.sh [ROUNDS, 21 [PODS, 64]]
#
# OTHER_IMAGE=DIRECTORY, another build's target/images/pmixd, is measured in the same turns. Columns: median and least
# milliseconds, median of CPU milliseconds of the process, resident, proportional and private MB. Needs "make build test-compile",
# "make images IMAGES=pmixd", "make setup", and root: everything runs in the image's files over a root file system, in a mount namespace of its own.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:?run make setup}
root=${FABRIC_OPERATOR_IMAGE_ROOTS:?run make setup}/openmpi-dev
image=$PWD/target/images/pmixd
die() { echo "pmixd.sh: $*" >&2; exit 1; }
[ -s "$image/layer/app/pmixd.aot" ] || die "there is no image: make images IMAGES=pmixd"
[ -d pmix/target/test-classes/dev ] || die "the played job service is not compiled: ./mvnw -pl pmix -am test-compile"
[ "$(id -u)" = 0 ] || die "mounting a root file system needs root"
out=$PWD/e2e/target/bench/pmixd
rm -rf "$out"
mkdir -p "$out"
gcc -Wall -Wextra -O2 -o "$out/timed" e2e/bench/pmixd/timed.c

export ROUNDS=${1:-21} PODS=${2:-64} OUT=$out ROOT=$root PROJECT=$PWD JAVA=$java/bin/java
exec unshare --mount --propagation private bash e2e/bench/pmixd/inside.sh "$image" ${OTHER_IMAGE:+"$OTHER_IMAGE"}
