#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# Lines of code by part at a commit, all of them: blank ones, comments and licence headers too.
#   scripts/lines.sh [COMMIT]     without one, the last commit
# Modules go by their names of today and of before, so that two commits can be compared: formats was sources; protocol was in pmix, view in crds.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse --verify --quiet "${1:-HEAD}^{commit}") || {
  echo "scripts/lines.sh: ${1:-HEAD} is no commit of this repository; name one that 'git log' shows" >&2
  exit 1
}

part() { # NAME KIND DIRECTORY...
  local name=$1 kind=$2 paths=() directory
  for directory in "${@:3}"; do
    paths+=(":(glob)$directory/**/*.java" ":(glob)$directory/**/*.[ch]")
  done
  # A file without a line is not told of, and where no file is git says so by its exit status.
  { git grep -c '' "$commit" -- "${paths[@]}" || true; } |
    awk -F: -v name="$name" -v kind="$kind" '
      { lines[$(NF - 1) ~ /\.java$/ ? "java" : "c"] += $NF; files++ }
      END { printf "%-44s %-5s %8d %8d %6d\n", name, kind, lines["java"], lines["c"], files }'
}

of() { # KIND MODULE...: the directories of modules
  printf "%s/src/$1\n" "${@:2}"
}

domain=(fabric formats sources crds view)
programs=(operator protocol pmix cli)
rest=(agent sweeper launcher)
main=fabric/src/main/java/dev/fabricoperator/fabric

printf '%-44s %-5s %8s %8s %6s\n' part kind Java C files
mapfile -t all < <(of main "${domain[@]}" "${programs[@]}" "${rest[@]}" e2e)
part all main "${all[@]}"
mapfile -t parts < <(of main "${domain[@]}")
part 'fabric + formats + crds + view' main "${parts[@]}"
part '  of them recognition and findings' main "$main/classify" "$main/finding"
mapfile -t parts < <(of main "${programs[@]}")
part 'operator + protocol + pmix + cli' main "${parts[@]}"
for module in "${domain[@]}" "${programs[@]}" "${rest[@]}" e2e; do
  [ -z "$(git ls-tree "$commit" "$module")" ] || part "  $module" main "$module/src/main"
done
mapfile -t parts < <(of test "${domain[@]}" "${programs[@]}" "${rest[@]}")
part 'all but e2e' test "${parts[@]}"
part e2e test e2e/src/test
