#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Puts kubectl-fabric into archives that krew and people unpack: one with a Java of its own (jlink) for this machine's platform, one without for every other, and
# the manifest that krew installs them by. Called by release.sh.
#
# usage: scripts/command-archives.sh DIRECTORY VERSION      (after "make cli"; SOURCE_REPOSITORY=https://... is where the release will be)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
OUT=$1
VERSION=$2
COMMAND=cli/target/kubectl-fabric
[ -x "$COMMAND" ] || { echo "command-archives.sh: $COMMAND is missing: run make cli" >&2; exit 1; }
# What the classes need, found by jdeps, less what Jackson only offers to whoever has it (java.desktop, java.sql); logging and management are the JDK's HTTP client's and fabric8's.
MODULES=java.base,java.net.http,java.logging,java.management,java.xml,jdk.unsupported

case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) os=$(uname -s | tr '[:upper:]' '[:lower:]') ;; esac
case $(uname -m) in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp LICENSE "$work/"
cp "$COMMAND" "$work/kubectl-fabric"
# The same bytes for the same commit and JDK.
archive() { # name, files
  local name=$1
  shift
  tar --sort=name --mtime="@$(git log -1 --format=%ct 2> /dev/null || echo 0)" --owner=0 --group=0 --numeric-owner --format=ustar -C "$work" -cf - "$@" | gzip -n -9 > "$OUT/$name"
}
with=kubectl-fabric-$VERSION-$os-$arch.tar.gz
without=kubectl-fabric-$VERSION-any.tar.gz
archive "$without" LICENSE kubectl-fabric
"$JAVA_HOME/bin/jlink" --add-modules "$MODULES" --strip-debug --no-header-files --no-man-pages --compress zip-6 --output "$work/kubectl-fabric-java"
archive "$with" LICENSE kubectl-fabric kubectl-fabric-java

sum() { sha256sum "$OUT/$1" | cut -d' ' -f1; }
from=${SOURCE_REPOSITORY:-https://example.org/fabric-operator}/releases/download/v$VERSION
cat > "$OUT/fabric.yaml" << MANIFEST
# kubectl krew install --manifest=fabric.yaml
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: fabric
spec:
  version: v$VERSION
  homepage: ${SOURCE_REPOSITORY:-https://example.org/fabric-operator}
  shortDescription: Ask and draw HPC and AI network fabrics
  description: |
    Says what is wrong with a fabric, what a job's placement on it costs, what was put into a pod, and draws it: from a cluster with fabric-operator, or from a dump of a
    subnet manager, LLDP answers and other files, without a cluster.
  caveats: |
    On $os/$arch it brings a Java of its own; elsewhere it looks for Java 25 or newer in FABRIC_JAVA_HOME, JAVA_HOME, PATH and /usr/lib/jvm.
  platforms:
  - selector: {matchLabels: {os: $os, arch: $arch}}
    uri: $from/$with
    sha256: $(sum "$with")
    bin: kubectl-fabric
  - selector: {matchExpressions: [{key: os, operator: In, values: [linux, darwin]}]}
    uri: $from/$without
    sha256: $(sum "$without")
    bin: kubectl-fabric
MANIFEST
