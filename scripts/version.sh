#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Prints the version of what is checked out, as semantic versioning and image tags both allow it:
#
#   1.2.3                at the tag v1.2.3
#   1.2.4-dev.5.g1a2b3c4  five commits after it
#   0.1.0-dev.g1a2b3c4    where no tag is: the pom's version
#   ...dirty             with changes that are not committed
#
# usage: scripts/version.sh [directory]      (default: the project)
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"
# An export without .git may lie in a work tree of somebody else, whose tags are not ours.
export GIT_CEILING_DIRECTORIES
GIT_CEILING_DIRECTORIES=$(dirname "$(pwd -P)")
next() { echo "${1%.*}.$((${1##*.} + 1))"; }

if described=$(git describe --tags --long --match 'v[0-9]*.[0-9]*.[0-9]*' 2> /dev/null); then
  commit=${described##*-}
  rest=${described%-*}
  behind=${rest##*-}
  tagged=${rest%-*}
  tagged=${tagged#v}
  if [ "$behind" = 0 ]; then
    version=$tagged
  elif [[ $tagged == *-* ]]; then
    # A pre-release: what follows it comes after it.
    version=$tagged.dev.$behind.$commit
  else
    version=$(next "$tagged")-dev.$behind.$commit
  fi
else
  pom=$(sed -n 's:^    <version>\([0-9.]*\)-SNAPSHOT</version>$:\1:p' pom.xml | head -1)
  [ -n "$pom" ] || { echo "version.sh: pom.xml names no version" >&2; exit 1; }
  if commit=$(git rev-parse --short HEAD 2> /dev/null); then version=$pom-dev.g$commit; else version=$pom-dev; fi
fi
if [ -n "$(git status --porcelain --untracked-files=no 2> /dev/null)" ]; then
  [[ $version == *-* ]] && version=$version.dirty || version=$version-dirty
fi
echo "$version"
