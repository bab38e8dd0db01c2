#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# Real programs over two pods, a rank on each of two real nodes: e2e/bench/programs.sh [ROUNDS, 30 [PROGRAMS..., cavity water]]. OpenFOAM's cavity and NWChem's water of
# Debian, by direct launch and by the MPI Operator (mpirun over ssh, WaitForWorkersReady), in turns, with the same image and OMPI_MCA_mpi_yield_when_idle=1 in both. Prints medians of the
# program's own time (from the last rank's beginning to the last rank's end) and of the whole job (from just before "kubectl apply" until it is seen finished), and
# their ratio with its 95 % interval by bootstrap over rounds; keeps e2e/target/bench/programs.csv.
#
# Needs root on Linux and what "make build" and "make images" make; builds the MPI Operator and fetches the programs once.

set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/setup.sh mpi-operator
scripts/setup.sh program-roots
source target/setup.env
if [ ! -r e2e/target/classpath.txt ]; then
    echo "programs.sh: build first: make build images" >&2
    exit 1
fi
rounds=${1:-30}
shift || true
[ $# -gt 0 ] || set -- cavity water
exec "$JAVA_HOME/bin/java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.launch.ProgramBenchmark e2e/target/bench/programs.csv "$FABRIC_OPERATOR_PROGRAM_ROOTS/trixie" "$rounds" "$@"
