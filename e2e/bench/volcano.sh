#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# How long Volcano takes for a gang on half-busy nodes of a fabric, without HyperNodes, with the operator's and with those that Volcano makes of the
# operator's labels, and how near to the best the gang lies:
# e2e/bench/volcano.sh [ROUNDS, 9] [PODS, 5] [LEAVES OF A POD, 10] [NODES OF A LEAF, 20] [PODS OF A GANG, 8] [RAILS, 1].
# A fat tree; one pod of leaves is a tree of two tiers. With several rails it is rail-optimised, of two tiers, and a leaf is a unit. Prints its table, and keeps it in e2e/target/bench/volcano.csv.
# WAYS=OPERATOR,EXTENDER leaves out others; VOLCANO_ARGUMENTS=--percentage-nodes-to-find=100 has its scheduler look at every node.
# Needs what "make setup build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/operator.jar ]; then
    echo "volcano.sh: build first: make build" >&2
    exit 1
fi
exec "$java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.volcano.VolcanoBenchmark e2e/target/bench/volcano.csv "${1:-9}" "${2:-5}" "${3:-10}" "${4:-20}" "${5:-8}" "${6:-1}"
