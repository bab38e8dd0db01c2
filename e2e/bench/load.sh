#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# Direct launches under load, on real nodes: e2e/bench/load.sh [LAUNCHES, 1000] [AT-ONCE, 50]: that many jobs of two pods one after the
# other in each of LANES, then that many jobs of four pods at one time. Prints failures, second attempts, times and the servers' memory as it goes.
# NODES (2) and LANES (4) from the environment.
#
# Needs root on Linux and what "make build" and "make images" make.

set -euo pipefail
cd "$(dirname "$0")/../.."
source target/setup.env
if [ ! -r e2e/target/classpath.txt ]; then
    echo "load.sh: build first: make build images" >&2
    exit 1
fi
exec "$JAVA_HOME/bin/java" -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.launch.LoadBenchmark "${1:-1000}" "${2:-50}" "${NODES:-2}" "${LANES:-4}"
