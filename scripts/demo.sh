#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Runs the demo in the background of this script, so that one that is asked to stay (--keep) outlives it.
# Called by "make demo"; needs JAVA_HOME and FABRIC_OPERATOR_ASSETS as "make setup" found them.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
STATE=$ROOT/target/demo
PID_FILE=$STATE/demo.pid
LOG=$STATE/demo.log

JAVA=("$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx768m -DprojectRoot="$ROOT"
  -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.log.io.fabric8.kubernetes.client.jdkhttp=off
  -cp "$ROOT/e2e/target/classes:$(cat "$ROOT/e2e/target/classpath.txt")" dev.fabricoperator.e2e.demo.Demo)

for argument in "$@"; do
  case $argument in
    -h | --help) exec "${JAVA[@]}" --help ;;
  esac
done

"$ROOT/scripts/stop-demo.sh" --quiet "$PID_FILE"
rm -rf "$STATE"
mkdir -p "$STATE"
# A session of its own: Ctrl-C ends this script, which then ends the demo in order.
setsid "${JAVA[@]}" --state "$STATE" "$@" > "$LOG" 2>&1 < /dev/null &
DEMO=$!
echo "$DEMO" > "$PID_FILE"
trap '"$ROOT/scripts/stop-demo.sh" --quiet "$PID_FILE"; exit 130' INT TERM

# Shows the demo's output until it ends, or says that it stays.
tail -n +1 -s 0.2 --pid "$DEMO" -f "$LOG" &
TAIL=$!
while kill -0 "$DEMO" 2> /dev/null && [ ! -e "$STATE/staying" ]; do sleep 0.2; done
if [ -e "$STATE/staying" ]; then
  sleep 0.5
  kill "$TAIL" 2> /dev/null || true
  disown "$DEMO"
  exit 0
fi
wait "$TAIL" || true
rm -f "$PID_FILE"
wait "$DEMO"
