#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# From a cable pulled in ibsim to the handlers of running ranks, on three real nodes: e2e/bench/events.sh [RANKS_OF_A_POD..., 1 16 341].
# From the environment: ROUNDS (6, at most 12), INTERVAL (1, seconds between two sweeps).
# Needs root on Linux and what "make build" and "make images" make.

set -euo pipefail
cd "$(dirname "$0")/../.."
source target/setup.env
if [ ! -r e2e/target/classpath.txt ]; then
    echo "events.sh: build first: make build images" >&2
    exit 1
fi
[ $# -gt 0 ] || set -- 1 16 341
exec "$JAVA_HOME/bin/java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.jobs.FabricEventBenchmark "${ROUNDS:-6}" "${INTERVAL:-1}" "$@"
