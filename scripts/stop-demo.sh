#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/stop-demo.sh [--quiet] PID-FILE
#
# Ends the demo whose process id the file holds, and with it all that it started.
set -euo pipefail
QUIET=
if [ "${1:-}" = --quiet ]; then QUIET=yes; shift; fi
PID_FILE=${1:?usage: scripts/stop-demo.sh [--quiet] PID-FILE}
say() { [ -n "$QUIET" ] || echo "$*"; }

if [ ! -f "$PID_FILE" ]; then say "no demo is up"; exit 0; fi
PID=$(cat "$PID_FILE")
# The id may have gone to another program since; only a demo is ended.
if kill -0 "$PID" 2> /dev/null && [[ $(tr '\0' ' ' < "/proc/$PID/cmdline" 2> /dev/null) == *dev.fabricoperator.e2e.demo.Demo* ]]; then
  kill "$PID"
  for _ in $(seq 150); do kill -0 "$PID" 2> /dev/null || break; sleep 0.2; done
  if kill -0 "$PID" 2> /dev/null; then kill -KILL "$PID"; fi
  say "stopped the demo (pid $PID)"
else
  say "no demo is up"
fi
rm -f "$PID_FILE"
