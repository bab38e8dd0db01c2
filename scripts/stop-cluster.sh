#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/stop-cluster.sh [--quiet]
#
# Ends the cluster that "make run-job ARGS=--keep" left up, and with it all that it started.
set -euo pipefail
PID_FILE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/target/run-job/cluster.pid
say() { [ "${QUIET:-}" = yes ] || echo "$*"; }
[ "${1:-}" != --quiet ] || QUIET=yes

if [ ! -f "$PID_FILE" ]; then say "no cluster is up"; exit 0; fi
PID=$(cat "$PID_FILE")
# The id may have gone to another program since; only a cluster is ended.
if kill -0 "$PID" 2> /dev/null && [[ $(tr '\0' ' ' < "/proc/$PID/cmdline" 2> /dev/null) == *dev.fabricoperator.e2e.job.KeptCluster* ]]; then
  kill "$PID"
  for _ in $(seq 300); do kill -0 "$PID" 2> /dev/null || break; sleep 0.2; done
  if kill -0 "$PID" 2> /dev/null; then kill -KILL "$PID"; fi
  say "stopped the cluster (pid $PID)"
else
  say "no cluster is up"
fi
rm -f "$PID_FILE" "${PID_FILE%/*}/cluster.properties"
