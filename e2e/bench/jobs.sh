#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# From the last pod's question to the job map at every pod: e2e/bench/jobs.sh [PODS, 256 [RANKS in each, 16 [ROUNDS, 10]]].
# Needs what "make build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/operator.jar ]; then
    echo "jobs.sh: build first: make build" >&2
    exit 1
fi
exec "$java" -Xmx512m -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.jobs.JobBenchmark "$@"
