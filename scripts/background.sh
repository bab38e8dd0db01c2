# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of demo.sh and run-job.sh: a program that may outlive the script, and whose output is shown until it stays or has ended.

# In a session of its own: Ctrl-C ends the script, which then ends the program in order. Sets BACKGROUND to its process id.
start_in_background() { # file for its output, file for its process id, command
  # Here before anybody looks for it: where the machine is busy, the program is not started yet when this function returns.
  : > "$1"
  setsid "${@:3}" >> "$1" 2>&1 < /dev/null &
  BACKGROUND=$!
  echo "$BACKGROUND" > "$2"
}

# Shows what the program has written until it has ended, or has made a file as a sign that it stays. Fails where that was nothing at all.
show_until() { # file with its output, the sign
  local shown=0 written over=
  while [ -z "$over" ]; do
    # Looked at before the output: what was written until then is shown.
    if ! kill -0 "$BACKGROUND" 2> /dev/null || [ -e "$2" ]; then over=yes; fi
    written=$(($(wc -c < "$1")))
    [ "$written" -eq "$shown" ] || head -c "$written" "$1" | tail -c "+$((shown + 1))"
    shown=$written
    [ -n "$over" ] || sleep 0.2
  done
  [ "$shown" -gt 0 ]
}
