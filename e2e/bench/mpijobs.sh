#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# The worst of many direct launches of MPIJobs, on real nodes: e2e/bench/mpijobs.sh [JOBS, 300] of two and of four workers in turn, beside a lane of
# other jobs (bare, direct, MPIJobs by ssh). Prints percentiles and the worst of the seconds from just before "kubectl apply" until all ranks are past MPI_Init, adds rows
# (number, workers, up, seen finished, failed attempts) to e2e/target/bench/mpijobs.csv, and keeps the logs of each job that took longer than LIMIT beside it.
# From the environment: NODES (2), LIMIT (3, seconds), SECONDS_AT_MOST (no other job begins after that, 3600).
#
# Needs root on Linux and what "make build" and "make images" make; builds the MPI Operator once.

set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/setup.sh mpi-operator
source target/setup.env
if [ ! -r e2e/target/classpath.txt ]; then
    echo "mpijobs.sh: build first: make build images" >&2
    exit 1
fi
exec "$JAVA_HOME/bin/java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.launch.MpiJobBenchmark e2e/target/bench/mpijobs.csv "${1:-300}" "${NODES:-2}" "${LIMIT:-3}" "${SECONDS_AT_MOST:-3600}"
