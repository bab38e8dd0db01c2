#!/bin/sh
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Benchmarks of topology: dump to model, costs of large fat trees, memory of the matrix. Prints one table; takes about
# three minutes. Needs a build: ./mvnw -q -pl e2e -am -DskipTests package
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -f "$root/e2e/target/classpath.txt" ]; then
    (cd "$root" && ./mvnw -q -B -pl e2e -am -DskipTests package)
fi
# JMH still uses sun.misc.Unsafe.
exec "$java" --sun-misc-unsafe-memory-access=allow -Dfixtures="$root/fixtures" -cp "$root/e2e/target/classes:$(cat "$root/e2e/target/classpath.txt")" \
    dev.fabricoperator.e2e.bench.TopologyReport "$@"
