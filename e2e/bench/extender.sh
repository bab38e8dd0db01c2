#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# What the scheduler extender takes for one question: e2e/bench/extender.sh [DEVICES..., 3840 8000 40000], eight devices a node.
# Needs what "make build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/operator.jar ]; then
    echo "extender.sh: build first: make build" >&2
    exit 1
fi
[ $# -gt 0 ] || set -- 3840 8000 40000
exec "$java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.operator.ExtenderBenchmark "$@"
