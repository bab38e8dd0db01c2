#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# What MPI_Init takes where one pod has many ranks: by direct launch (pmixd and the launcher) and by the mpirun of the same Open MPI, in the same root file system and in turns, on
# this machine's own topology and on a played one of 128 cores, which hwloc reads as it would that of a kernel.
#
#   e2e/bench/many-ranks.sh [ROUNDS, 5 [RANKS..., 32 64]]
#   CPUS=2 e2e/bench/many-ranks.sh [ROUNDS, 5 [RANKS..., 8]]
#
# The second takes 100 calls of MPI_Allreduce under a limit of so many processors (cpu.max), with ranks that spin while they wait and with ranks that yield, and tells for how long they were throttled.
# Prints medians: seconds in which the slowest rank came through MPI_Init, processor seconds that all ranks took for it, and from the launch to the last rank's end; the last columns
# are direct launch's part of mpirun's. Needs "make build test-compile", "make images IMAGES=pmixd", "make setup", and root.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:?run make setup}
root=${FABRIC_OPERATOR_IMAGE_ROOTS:?run make setup}/openmpi-dev
image=${IMAGE:-$PWD/target/images/pmixd}
die() { echo "many-ranks.sh: $*" >&2; exit 1; }
[ -s "$image/layer/app/pmixd.aot" ] || die "there is no image: make images IMAGES=pmixd"
[ -d pmix/target/test-classes/dev ] || die "the played job service is not compiled: ./mvnw -pl pmix -am test-compile"
[ "$(id -u)" = 0 ] || die "mounting a root file system needs root"
out=$PWD/e2e/target/bench/many-ranks
rm -rf "$out"
mkdir -p "$out"

export ROUNDS=${1:-5} OUT=$out ROOT=$root PROJECT=$PWD JAVA=$java/bin/java
shift || true
[ $# -gt 0 ] || [ -n "${CPUS:-}" ] || set -- 32 64
[ $# -gt 0 ] || set -- 8
exec unshare --mount --net --propagation private bash e2e/bench/many-ranks/inside.sh "$image" "$@"
