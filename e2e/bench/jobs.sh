#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# All pods of a job that ask at one time, and the last one after the others, beside a small job: e2e/bench/jobs.sh [PODS, 256 [RANKS in each, 16 [ROUNDS, 10]]].
# Needs what "make build" makes, and root for a network namespace of its own.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/operator.jar ]; then
    echo "jobs.sh: build first: make build" >&2
    exit 1
fi
exec unshare --net bash -c 'ip link set lo up; ip address add 192.0.2.1/32 dev lo; ip route add default dev lo; exec "$@"' jobs \
    "$java" -Xmx2g -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.jobs.JobBenchmark "$@"
