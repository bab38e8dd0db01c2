#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Dump to topology, coordinates and cost: this project beside a C program that does the least that is possible, and beside
# NetworkX, igraph, SciPy, rustworkx and JGraphT; the command line cold; then models and costs of large fabrics with JMH.
#
#   e2e/bench/topology.sh [peers | models]        (default: both, about ten minutes)
#
# Prints its tables and keeps them as e2e/target/bench/topology-*.csv. Needs what "make build" makes. A peer that cannot be
# installed is named as such in its row; the Python ones go into a virtual environment beside the control plane's programs.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ]; then
    echo "topology.sh: build first: make build" >&2
    exit 1
fi
out=$PWD/e2e/target/bench
mkdir -p "$out"
classes=e2e/target/classes:$(<e2e/target/classpath.txt)

# Prints the path of a Python that has the libraries; of nothing where there is none.
python_with_libraries() {
    local wanted key place
    wanted=e2e/bench/peers/requirements.txt
    key=$({ cat "$wanted"; python3 --version; } 2>&1 | cksum | cut -d ' ' -f 1)
    place=${FABRIC_OPERATOR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fabric-operator}/bench-python/$key
    if [ ! -e "$place/complete" ]; then
        rm -rf "$place"
        if python3 -m venv "$place" && "$place/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$wanted"; then
            touch "$place/complete"
        else
            echo "topology.sh: the Python libraries cannot be installed" >&2
        fi
    fi >&2
    printf '%s/bin/python\n' "$place"
}

if [ "${1:-peers}" = peers ]; then
    rm -f "$out/hops"
    cc -O3 -Wall -Wextra -o "$out/hops" e2e/bench/peers/hops.c || echo "topology.sh: no C compiler" >&2
    "$java" -Xmx512m -XX:+UseSerialGC -Dfixtures=fixtures -cp "$classes" dev.fabricoperator.e2e.bench.peers.ContenderComparison \
        "$out" "$out/hops" "$(python_with_libraries)" e2e/bench/peers/hops.py "$PWD/cli/target/kubectl-fabric"
fi
if [ "${1:-models}" = models ]; then
    # JMH still uses sun.misc.Unsafe.
    "$java" --sun-misc-unsafe-memory-access=allow -Dfixtures=fixtures -cp "$classes" dev.fabricoperator.e2e.bench.TopologyReport
fi
