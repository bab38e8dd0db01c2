#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# What a start of the operator takes, in both roles, with and without an AOT cache: e2e/bench/start.sh [ROUNDS, 5] [FLAGS OF A JVM TO COMPARE...].
# "%s" in flags is the cache of the role: e2e/bench/start.sh 3 "" "-XX:AOTCache=%s" "-XX:AOTCache=%s -XX:TieredStopAtLevel=1".
# Runs what the image holds: needs what "make build" and "make images" make.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/operator.jar ]; then
    echo "start.sh: build first: make build images" >&2
    exit 1
fi
exec "$java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.operator.StartBenchmark "$@"
