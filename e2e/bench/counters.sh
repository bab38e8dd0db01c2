#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# What a server does with an exporter's answer: e2e/bench/counters.sh [SWITCHES, 2000 [PORTS, 40 [ROUNDS, 30]]]. Prints how long it takes to read the text of that many ports over HTTP and to make
# rates and hot spots of it, the heap that is kept between two looks, and how long it takes to compare forwarding tables of as many switches and 500 LIDs.
#
# Needs what "make build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
source target/setup.env
if [ ! -r e2e/target/classpath.txt ]; then
    echo "counters.sh: build first: make build" >&2
    exit 1
fi
exec "$JAVA_HOME/bin/java" -Xmx512m -XX:+UseSerialGC -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" dev.fabricoperator.e2e.bench.CountersReport "${1:-2000}" "${2:-40}" "${3:-30}"
