#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# Memory and speed of the controller with many devices: e2e/bench/operator.sh [DEVICES..., 10048], multiples of 64.
# Says how far it is, prints its table, and keeps it in e2e/target/bench/operator-DEVICES.csv.
# OPERATOR_JVM may hold more flags for the operator's JVM. Needs what "make build" makes.
#
# On two cores a thousand devices take some 20 s; 80,000 need 24 GiB of memory and 6 GiB below /tmp.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/operator.jar ]; then
    echo "operator.sh: build first: make build" >&2
    exit 1
fi
[ $# -gt 0 ] || set -- 10048
mkdir -p e2e/target/bench
# The API server keeps every object and its newest versions; without a limit its heap doubles that before it collects.
GOMEMLIMIT=${GOMEMLIMIT:-12GiB} exec "$java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.operator.OperatorBenchmark "e2e/target/bench/operator-$(IFS=-; echo "$*").csv" "$@"
