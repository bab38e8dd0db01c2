#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# From "kubectl apply" to running ranks, on real nodes: e2e/bench/launch.sh [SIZES..., 2 4 8 16 4x4], sizes as pods or pods x ranks.
# Direct launch beside a bare Indexed Job (the floor), one with the same MPI program, each rank by itself (WAYS=alone), one with a container that does nothing where pmixd would be, and the MPI
# Operator with both of its policies, and with the annotation launch: env or launch: direct (WAYS=mpi-operator-env,mpi-operator-direct); with mpich- or intel- before it, a way is that of MPICH or Intel MPI (WAYS=floor,alone,direct,mpich-alone,mpich-direct,mpich-mpi-operator,intel-alone,intel-direct,intel-mpi-operator); prints its table, and with WAYS=direct,uncounted, of which the second has PMIXD_TRAFFIC=off, the ratio of both with its 95 % interval; keeps
# e2e/target/bench/launch.csv. From the environment: ROUNDS (20), NODES (2), WAYS (floor,empty,direct,mpi-operator-waits,mpi-operator), and
# POD_SHAPE (second-container: direct launches as on clusters that are older than 1.35).
#
# Needs root on Linux and what "make build" and "make images" make; builds the MPI Operator once.

set -euo pipefail
cd "$(dirname "$0")/../.."
WAYS=${WAYS:-floor,empty,direct,mpi-operator-waits,mpi-operator}
case "$WAYS" in *mpi-operator*) scripts/setup.sh mpi-operator ;; esac
case "$WAYS" in *mpich-* | *intel-*) scripts/setup.sh mpi-wheels ;; esac
source target/setup.env
if [ ! -r e2e/target/classpath.txt ]; then
    echo "launch.sh: build first: make build images" >&2
    exit 1
fi
[ $# -gt 0 ] || set -- 2 4 8 16 4x4
exec "$JAVA_HOME/bin/java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.launch.LaunchBenchmark e2e/target/bench/launch.csv "${ROUNDS:-20}" "${NODES:-2}" "$WAYS" "$@"
