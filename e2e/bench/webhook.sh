#!/bin/bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# AdmissionReviews to the operator's webhook and to a minimal one in Go, by turns in one run: e2e/bench/webhook.sh [REVIEWS, 5000].
# Needs what "make build" makes, and Go.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ ! -r e2e/target/classpath.txt ] || [ ! -r operator/target/quarkus-app/operator.jar ]; then
    echo "webhook.sh: build first: make build" >&2
    exit 1
fi
mkdir -p target/bench
program=$PWD/target/bench/webhook
(cd e2e/bench/webhook && GOFLAGS= GOWORK=off CGO_ENABLED=0 go build -mod=readonly -trimpath -o "$program" .)
exec "$java" -Xmx256m -XX:+UseSerialGC -cp "e2e/target/classes:$(<e2e/target/classpath.txt)" \
    dev.fabricoperator.e2e.bench.operator.WebhookBenchmark "$program" "$@" | tee target/bench/webhook.txt
