#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# Rows of the cost matrix per second, directly and through the API server: e2e/bench/query.sh [DEVICES, 2048 [SECONDS, 5]].
# Needs what "make build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/operator.jar ]; then
    echo "query.sh: build first: make build" >&2
    exit 1
fi
exec "$java" -Xmx512m -XX:+UseSerialGC -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.operator.QueryBenchmark "$@"
