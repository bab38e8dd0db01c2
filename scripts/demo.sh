#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Makes what the demo shows, in the order in which its story needs it, and runs it in the background of this script, so that one that is asked to stay
# (--keep) outlives it. Called by "make demo".
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
STATE=$ROOT/target/demo
PID_FILE=$STATE/demo.pid
NAME=demo
LOG=$ROOT/target/setup.log
# shellcheck source=scripts/steps.sh
source scripts/steps.sh
# shellcheck source=scripts/background.sh
source scripts/background.sh

nodes=yes
help=
for argument in "$@"; do
  case $argument in
    -h | --help) help=yes ;;
    # Without nodes a control plane is enough.
    --stand-ins | --hosts* | --context*) nodes= ;;
  esac
done
[ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ] || nodes=

make tools
# shellcheck source=/dev/null
source target/setup.env
story() {
  JAVA=("$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx768m -DprojectRoot="$ROOT"
    -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.log.io.fabric8.kubernetes.client.jdkhttp=off
    -cp "$ROOT/e2e/target/classes:$(cat "$ROOT/e2e/target/classpath.txt")" dev.fabricoperator.e2e.demo.Demo)
}
if [ -n "$help" ]; then
  make -s target/build.stamp
  story
  exec "${JAVA[@]}" --help
fi

# What runs beside a step ends with this script, whatever ends that.
BESIDE=()
# shellcheck disable=SC2317 # called by a trap, as what runs beside is by "beside"
end_what_runs_beside() {
  local group
  for group in "${BESIDE[@]}"; do kill -- "-$group" 2> /dev/null || true; done
}
beside() { # command; sets STARTED to the id of its process group
  set -m
  "$@" < /dev/null > /dev/null 2>&1 &
  STARTED=$!
  set +m
  BESIDE+=("$STARTED")
}
trap end_what_runs_beside EXIT
trap 'exit 130' INT TERM

say "what the programs print that are run before the story stands in $LOG"
: > "$LOG"
# shellcheck disable=SC2317
build() { make target/build.stamp >> "$LOG" 2>&1; }
BUILD=
if ! make -q target/build.stamp; then
  # Set-up needs no Maven of its own beside this one.
  : > target/warm-up.log
  beside build
  BUILD=$STARTED
fi
if [ -n "$nodes" ]; then
  STEP=7 STEPS=9
  SETUP_MORE_STEPS=3 SETUP_GOES_ON=yes scripts/setup.sh nodes
else
  STEP=3 STEPS=4
  SETUP_MORE_STEPS=2 scripts/setup.sh control-plane
fi
# shellcheck source=/dev/null
source target/setup.env

if [ -n "$BUILD" ]; then
  ! kill -0 "$BUILD" 2> /dev/null || say_long 1 "waiting for Maven, which builds the operator"
  # Once more in sight where it fails.
  wait "$BUILD" || logged make target/build.stamp
fi
if [ -n "$nodes" ]; then
  STEP=8
  if ! make -q target/images.stamp; then
    say_long 2 "making the operator's images"
    logged make target/images.stamp
  fi
fi

scripts/stop-demo.sh --quiet "$PID_FILE"
rm -rf "$STATE"
mkdir -p "$STATE"
# Its later parts need these: they are built while the first ones are told, and leave the processors to them.
# shellcheck disable=SC2317
controllers() {
  local name code goes_on=yes
  for name in mpi-operator volcano; do
    [ "$name" != volcano ] || goes_on=
    code=0
    SETUP_GOES_ON=$goes_on nice -n 10 scripts/setup.sh "$name" || code=$?
    echo "$code" > "$STATE/$name.new"
    mv "$STATE/$name.new" "$STATE/$name.built"
  done
}
[ -z "$nodes" ] || beside controllers

STEP=$STEPS
say_long 3 "the story"
story
start_in_background "$STATE/demo.log" "$PID_FILE" "${JAVA[@]}" --state "$STATE" ${nodes:+--building} "$@"
trap '"$ROOT/scripts/stop-demo.sh" --quiet "$PID_FILE"; exit 130' INT TERM
code=0
show_until "$STATE/demo.log" "$STATE/staying" || code=1
if [ -e "$STATE/staying" ]; then
  disown "$BACKGROUND"
else
  rm -f "$PID_FILE"
  wait "$BACKGROUND" || code=$?
fi
[ -s "$STATE/demo.log" ] || say "nothing was shown: $STATE/demo.log is empty"
exit "$code"
