# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh and demo.sh: what they tell of their steps. NAME stands before each line, LOG has these lines and all output of the programs that are run,
# STEP counts up to STEPS.

say() { printf '%s: %s\n' "$NAME" "$*" | tee -a "$LOG" >&2; }
die() { say "$*"; exit 1; }

# Where a step takes a while.
say_long() { # about how many minutes, what it does
  local place=
  [ "${STEP:-0}" = 0 ] || place="step $STEP of $STEPS, "
  say "${place}about $1 min: $2"
}

# Runs a program of whose many lines only the last ones are shown, and where it fails.
logged() { # command
  local code=0 from
  from=$(($(wc -c < "$LOG")))
  "$@" >> "$LOG" 2>&1 || code=$?
  if [ "$code" != 0 ]; then
    tail -c "+$((from + 1))" "$LOG" | tail -n 20 >&2
    printf '%s: all of it stands in %s\n' "$NAME" "$LOG" >&2
  fi
  return "$code"
}
