#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# From the last rank's exit to the FabricJob seen finished, on real nodes: e2e/bench/finish.sh [ROUNDS, 20] [PODS, 4].
# Needs root on Linux and what "make build" and "make images" make.

set -euo pipefail
cd "$(dirname "$0")/../.."
source target/setup.env
if [ ! -r e2e/target/classpath.txt ]; then
    echo "finish.sh: build first: make build images" >&2
    exit 1
fi
exec "$JAVA_HOME/bin/java" -Xmx256m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.jobs.FinishBenchmark "${1:-20}" "${2:-4}"
