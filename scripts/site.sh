#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Builds the web site of docs/ and README.md into target/site with VitePress, which the npm registry has; its version and those of all that it needs stand in
# site/package-lock.json. Rollup is held back there: of its newest version some platforms' packages are missing. Called by "make site".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../site"
command -v npm > /dev/null || { echo "make site: Node.js 20 or later with npm is needed; install it with the package manager" >&2; exit 1; }
case $(node --version) in
  v1?.* | v[0-9].*) echo "make site: Node.js 20 or later is needed, this is $(node --version)" >&2; exit 1 ;;
esac
# Anew only where the lock has changed.
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.installed
fi
# The pages import Vue, which is looked for from where they are upwards.
SOURCE=../target/site-source
rm -rf "$SOURCE"
mkdir -p "$SOURCE"
cp -R ../docs ../README.md "$SOURCE"
ln -s "$PWD/node_modules" "$SOURCE/node_modules"
npm run --silent build
echo "the site is in target/site"
