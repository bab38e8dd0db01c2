#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# Memory and speed of the controller with many devices: e2e/bench/operator.sh [DEVICES, 10048].
# Prints its table and keeps it in e2e/target/bench/operator-DEVICES.csv.
# Needs what "make build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/quarkus-run.jar ]; then
    echo "operator.sh: build first: make build" >&2
    exit 1
fi
devices=${1:-10048}
mkdir -p e2e/target/bench
exec "$java" -Xmx512m -XX:+UseSerialGC -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.operator.OperatorBenchmark "$devices" "e2e/target/bench/operator-$devices.csv"
