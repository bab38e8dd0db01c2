#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# What pmixds say to each other: the mesh's frames beside TLS 1.3 with the job's key (OpenSSL) and mutual TLS (Java), new processes in turns, fences at 2 to 1,024 pods, and news
# of the fabric from the first pod to all others.
#
#   e2e/bench/mesh.sh [ROUNDS OF PROCESSES, 7 [FENCES, 2000]]
#
# All pods share this machine. Needs what "make build" makes.

set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -r target/setup.env ] || source target/setup.env
java=${JAVA_HOME:?run make setup}/bin
if [ ! -d e2e/target/classes/dev ] || [ ! -d pmix/target/classes/dev ]; then
    echo "mesh.sh: build first: make build" >&2
    exit 1
fi
out=$PWD/e2e/target/bench/mesh
rm -rf "$out"
mkdir -p "$out"
"$java/keytool" -genkeypair -keyalg EC -groupname secp256r1 -alias job -dname CN=job -keystore "$out/job.p12" -storepass secret -validity 2
classes=e2e/target/classes:pmix/target/classes:protocol/target/classes:fabric/target/classes
jvm=("$java/java" -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "$classes")
for ((round = 0; round < ${1:-7}; round++)); do
    "${jvm[@]}" dev.fabricoperator.e2e.bench.pmixd.SecurityReport frames
    "${jvm[@]}" dev.fabricoperator.e2e.bench.pmixd.SecurityReport psk-tls
    "${jvm[@]}" dev.fabricoperator.e2e.bench.pmixd.SecurityReport mutual-tls "$out/job.p12"
done | tee "$out/security"
"${jvm[@]}" -Xmx512m dev.fabricoperator.e2e.bench.pmixd.FenceReport "${2:-2000}" | tee "$out/fences"
"${jvm[@]}" -Xmx512m dev.fabricoperator.e2e.bench.pmixd.FabricUpdateReport | tee "$out/news"
