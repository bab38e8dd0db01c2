#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Runs a job on a cluster of real nodes, which it brings up where none is. Called by "make run-job".
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
STATE=$ROOT/target/run-job
PID_FILE=$STATE/cluster.pid

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
  # A session of its own: Ctrl-C ends this script, not a cluster that stays.
  setsid "${JAVA[@]}" dev.fabricoperator.e2e.job.KeptCluster "$STATE" > "$STATE/cluster.log" 2>&1 < /dev/null &
  CLUSTER=$!
  echo "$CLUSTER" > "$PID_FILE"
  trap '"$ROOT/scripts/stop-cluster.sh" --quiet; exit 130' INT TERM
  tail -n +1 -s 0.2 --pid "$CLUSTER" -f "$STATE/cluster.log" >&2 &
  TAIL=$!
  while kill -0 "$CLUSTER" 2> /dev/null && [ ! -e "$STATE/cluster.properties" ]; do sleep 0.2; done
  if [ ! -e "$STATE/cluster.properties" ]; then
    wait "$TAIL" || true
    rm -f "$PID_FILE"
    echo "run-job: the cluster did not start" >&2
    exit 125
  fi
  sleep 0.3
  kill "$TAIL" 2> /dev/null || true
fi

code=0
"${JAVA[@]}" dev.fabricoperator.e2e.job.RunJob --state "$STATE" "$@" || code=$?
[ -n "$keep" ] || "$ROOT/scripts/stop-cluster.sh" --quiet
exit "$code"
