#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# What every command of kubectl-fabric takes on files of real size, beside "topology" of the same file; then what the questions take in
# a cluster, asked of the operator and computed from all objects, and what the query API takes for an answer of every kind.
#
#   e2e/bench/cli.sh [files | cluster DEVICES]    (default: files, and clusters of 448 and 20,032 devices)
#
# ROUNDS=5 says how often each is run. Prints its tables and keeps them as e2e/target/bench/cli-*.csv. Needs what "make build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -x cli/target/kubectl-fabric ]; then
    echo "cli.sh: build first: make build" >&2
    exit 1
fi

run() {
    "$java" -Xmx512m -XX:+UseSerialGC -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
        dev.fabricoperator.e2e.bench.cli.CliBenchmark "$@"
}

if [ $# -gt 0 ]; then
    run "$@"
else
    run files
    run cluster 448
    run cluster 20032
fi
