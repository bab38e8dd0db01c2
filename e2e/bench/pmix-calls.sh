#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# What a call of a PMIx client takes under pmixd and under PRRTE's daemons: the same program with the same libpmix, two nodes with two ranks each, in
# turns in one run. Both have one daemon on each node; all nodes share this machine, in a network of their own that leads nowhere.
#
#   e2e/bench/pmix-calls.sh [TURNS, 7 [CALLS OF MOST KINDS IN A TURN, 200]]
#
# Prints p50 and p99 in microseconds, calls in a second one after the other, and pmixd's part of PRRTE's; then what a daemon takes with 2 and with 34 ranks on its node. pmixd runs
# from its image's own files, cache and options; that of OTHER_IMAGE=DIRECTORY, another build's target/images/pmixd, is measured in the same turns. Needs "make build test-compile", "make images IMAGES=pmixd", "make setup", and root.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:?run make setup}
root=${FABRIC_OPERATOR_IMAGE_ROOTS:?run make setup}/openmpi-dev
image=${IMAGE:-$PWD/target/images/pmixd}
die() { echo "pmix-calls.sh: $*" >&2; exit 1; }
[ -s "$image/layer/app/pmixd.aot" ] || die "there is no image: make images IMAGES=pmixd"
[ -d pmix/target/test-classes/dev ] || die "the played job service is not compiled: ./mvnw -pl pmix -am test-compile"
[ "$(id -u)" = 0 ] || die "mounting a root file system needs root"
out=$PWD/e2e/target/bench/pmix-calls
rm -rf "$out"
mkdir -p "$out"

export TURNS=${1:-7} CALLS=${2:-200} OUT=$out ROOT=$root PROJECT=$PWD JAVA=$java/bin/java
exec unshare --mount --net --propagation private bash e2e/bench/pmix-calls/inside.sh "$image" ${OTHER_IMAGE:+"$OTHER_IMAGE"}
