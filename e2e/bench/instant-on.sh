#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# From the last rank started to a message from every peer at every rank, on real nodes: e2e/bench/instant-on.sh [SIZES..., 2x2 4x2 4x4 8x4 8x8],
# pods x ranks. Addresses from PMIX_FABRIC_ENDPT beside the same addresses by PMIx put, fence and get, by libfabric's udp and tcp; prints its
# table, keeps e2e/target/bench/instant-on.csv. ROUNDS (5) and NODES (2) from the environment.
#
# Needs root on Linux and what "make build" and "make images" make.

set -euo pipefail
cd "$(dirname "$0")/../.."
source target/setup.env
if [ ! -r e2e/target/classpath.txt ]; then
    echo "instant-on.sh: build first: make build images" >&2
    exit 1
fi
[ $# -gt 0 ] || set -- 2x2 4x2 4x4 8x4 8x8
exec "$JAVA_HOME/bin/java" -Xmx384m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.instant.InstantOnBenchmark e2e/target/bench/instant-on.csv "${ROUNDS:-5}" "${NODES:-2}" "$@"
