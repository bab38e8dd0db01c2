#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Runs a job on a cluster of real nodes, which it brings up where none is. Called by "make run-job".
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
STATE=$ROOT/target/run-job
PID_FILE=$STATE/cluster.pid
# shellcheck source=scripts/background.sh
source "$ROOT/scripts/background.sh"

JAVA=("$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx384m -DprojectRoot="$ROOT"
  -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.log.io.fabric8.kubernetes.client.jdkhttp=off
  -Dorg.slf4j.simpleLogger.log.io.fabric8.kubernetes.client.dsl.internal.VersionUsageUtils=error
  -cp "$ROOT/e2e/target/classes:$(cat "$ROOT/e2e/target/classpath.txt")")

keep=
for argument in "$@"; do
  case $argument in
    -h | --help) exec "${JAVA[@]}" dev.fabricoperator.e2e.job.RunJob --help ;;
    --keep) keep=yes ;;
    --) break ;;
  esac
done

is_up() { [ -e "$STATE/cluster.properties" ] && kill -0 "$(cat "$PID_FILE" 2> /dev/null)" 2> /dev/null; }

if ! is_up; then
  "$ROOT/scripts/stop-cluster.sh" --quiet
  rm -rf "$STATE"
  mkdir -p "$STATE"
  start_in_background "$STATE/cluster.log" "$PID_FILE" "${JAVA[@]}" dev.fabricoperator.e2e.job.KeptCluster "$STATE"
  trap '"$ROOT/scripts/stop-cluster.sh" --quiet; exit 130' INT TERM
  show_until "$STATE/cluster.log" "$STATE/cluster.properties" >&2 || true
  if [ ! -e "$STATE/cluster.properties" ]; then
    rm -f "$PID_FILE"
    echo "run-job: the cluster did not start; $STATE/cluster.log says what there is to say" >&2
    exit 125
  fi
fi

code=0
"${JAVA[@]}" dev.fabricoperator.e2e.job.RunJob --state "$STATE" "$@" || code=$?
[ -n "$keep" ] || "$ROOT/scripts/stop-cluster.sh" --quiet
exit "$code"
