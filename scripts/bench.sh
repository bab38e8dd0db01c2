#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Runs the benchmarks one after the other, or the ones that are named. Called by "make bench"; needs what "make build" makes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

known=()
for script in e2e/bench/*.sh; do known+=("$(basename "$script" .sh)"); done
for name in "${@:-${known[@]}}"; do
  if [ ! -x "e2e/bench/$name.sh" ]; then
    echo "bench: there is no benchmark '$name'; choose from: ${known[*]}" >&2
    exit 2
  fi
done
for name in "${@:-${known[@]}}"; do
  printf '\n== %s ==\n' "$name"
  "e2e/bench/$name.sh"
done
