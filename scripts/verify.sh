#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# What "make verify" does after set-up: builds and tests everything in one run of Maven, which makes the images before the
# end-to-end tests where this machine can. At the end it tells the slowest test classes, and processor time against wall time. One
# limit is on the whole: VERIFY_LIMIT, default 90m.
#
# usage: scripts/verify.sh [Maven's arguments]

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=/dev/null
source target/setup.env
STARTED=$EPOCHREALTIME
MARK=target/verify.started
touch "$MARK"

# User and system time of the whole machine, containers and servers included, and idle time, in hundredths of a second.
machine() { awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8, $5 + $6 }' /proc/stat 2> /dev/null || echo 0 0; }
read -r BUSY IDLE < <(machine)

# Times stand in what surefire writes for each class.
slowest_classes() { # how many
  find . -path '*/target/surefire-reports/TEST-*.xml' -newer "$MARK" -exec sed -n \
    's/.*<testsuite .* name="\([^"]*\)" time="\([0-9.,]*\)" tests="\([0-9]*\)".*/\2 \3 \1/p' {} + | tr -d , \
    | awk '{ tests += $2; print } END { printf "0 %d all\n", tests }' | sort -rn \
    | awk -v most="$1" '$3 == "all" { print "  " $2 " tests"; next } NR <= most { printf "  %7.1f s %5d tests  %s\n", $1, $2, $3 }'
}

tell() {
  local code=$? busy idle
  read -r busy idle < <(machine)
  printf '\nslowest test classes (they run side by side):\n'
  slowest_classes 15
  awk -v wall="$(echo "$EPOCHREALTIME $STARTED" | awk '{ print $1 - $2 }')" -v busy=$((busy - BUSY)) -v idle=$((idle - IDLE)) 'BEGIN {
    printf "verify took %d min %d s; user+sys of this machine %d min %d s", wall / 60, wall % 60, busy / 6000, busy / 100 % 60
    if (busy + idle > 0) printf ", %d %% of its processors", 100 * busy / (busy + idle)
    print "" }'
  exit $code
}
trap tell EXIT

IMAGES=()
[ -z "${FABRIC_OPERATOR_IMAGE_ROOTS:-}" ] || IMAGES=(-Pimages -Dimages.skip=false -pl '!images,!images/agent,!images/operator,!images/pmixd,!images/sweeper')
timeout --foreground --kill-after=60s "${VERIFY_LIMIT:-90m}" ./mvnw -B -T3 "${IMAGES[@]}" "$@" verify
