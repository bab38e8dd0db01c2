#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# Memory and idle cost of the node agent: e2e/bench/agent.sh [SECONDS TO WATCH EACH PROCESS, 60].
# Needs what "make build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r agent/target/fabric-agent.jar ]; then
    echo "agent.sh: build first: make build" >&2
    exit 1
fi
exec "$java" -Xmx256m -XX:+UseSerialGC -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.agent.AgentBenchmark "$@"
