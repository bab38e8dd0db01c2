#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Costs at 2,000 switches and 80,000 devices: all of them, after one thing is out, rows, nodes, groups, and memory.
# Prints its table and keeps it in e2e/target/bench/cost.csv; takes about half a minute on an idle machine. Needs what
# "make build" makes.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ]; then
    echo "cost.sh: build first: make build" >&2
    exit 1
fi
mkdir -p e2e/target/bench
exec "$java" -Xmx3g -XX:+UseSerialGC -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.CostReport e2e/target/bench/cost.csv
