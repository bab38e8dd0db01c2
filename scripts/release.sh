#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Puts what a release has into target/release: image archives, chart, kubectl-fabric and its archives for krew, a CycloneDX document for each, the provenance of all (an in-toto
# statement, SLSA 1.0, unsigned: the host that builds signs), and SHA256SUMS. Nothing is sent anywhere. Called by "make release".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
VERSION=$(scripts/version.sh)
STARTED=$(date -u +%Y-%m-%dT%H:%M:%SZ)
OUT=target/release
IMAGES=(pmixd fabric-operator fabric-agent fabric-sweeper)
say() { printf 'release: %s\n' "$*" >&2; }

say "version $VERSION"
rm -rf "$OUT"
mkdir -p "$OUT"
# Their tag is the release's; the archives that tests use have another, and are made anew when they are wanted.
rm -f target/images.stamp
IMAGE_TAG=$VERSION scripts/build-images.sh
./mvnw -q -B -Pimages -DskipTests -Dspotless.check.skip -Dcyclonedx.skip=false -Drelease.version="$VERSION" -pl cli -am package
for image in "${IMAGES[@]}"; do
  cp "target/images/$image.tar" "$OUT/$image-$VERSION.tar"
  for part in java debian; do
    cp "target/images/$image/layer/usr/share/sbom/$part.cdx.json" "$OUT/$image-$VERSION.$part.cdx.json"
  done
done
"$FABRIC_OPERATOR_HELM/helm" package charts/fabric-operator --version "$VERSION" --app-version "$VERSION" --destination "$OUT" > /dev/null
cp cli/target/kubectl-fabric "$OUT/kubectl-fabric-$VERSION"
scripts/command-archives.sh "$OUT" "$VERSION"
cp cli/target/java.cdx.json "$OUT/kubectl-fabric-$VERSION.cdx.json"

# The chart is made of the images that it names.
{
  printf '{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,\n'
  printf ' "metadata": {"component": {"type": "application", "name": "fabric-operator", "version": "%s", "purl": "pkg:helm/fabric-operator@%s"}},\n' "$VERSION" "$VERSION"
  printf ' "components": ['
  separator=
  for image in "${IMAGES[@]}"; do
    digest=$(cat "target/images/$image/digest")
    printf '%s\n  {"type": "container", "name": "%s", "version": "%s", "purl": "pkg:oci/%s@%s", "hashes": [{"alg": "SHA-256", "content": "%s"}]}' \
      "$separator" "$image" "$VERSION" "$image" "${digest/:/%3A}" "${digest#sha256:}"
    separator=,
  done
  printf '\n ]}\n'
} > "$OUT/fabric-operator-$VERSION.tgz.cdx.json"

sum() { sha256sum "$1" | cut -d' ' -f1; }
COMMIT=$(git rev-parse HEAD)
{
  printf '{"_type": "https://in-toto.io/Statement/v1", "predicateType": "https://slsa.dev/provenance/v1",\n "subject": ['
  separator=
  for file in "$OUT"/*; do
    case $file in *.intoto.json) continue ;; esac
    printf '%s\n  {"name": "%s", "digest": {"sha256": "%s"}}' "$separator" "$(basename "$file")" "$(sum "$file")"
    separator=,
  done
  printf '\n ],\n "predicate": {\n  "buildDefinition": {\n   "buildType": "https://fabric-operator.dev/make-release/v1",\n'
  printf '   "externalParameters": {"version": "%s"},\n   "resolvedDependencies": [\n' "$VERSION"
  printf '    {"uri": "git+%s", "digest": {"gitCommit": "%s"}}' "${SOURCE_REPOSITORY:-file://fabric-operator}" "$COMMIT"
  while read -r lock; do
    printf ',\n    {"uri": "%s", "digest": {"sha256": "%s"}}' "$lock" "$(sum "$lock")"
  done < <(git ls-files '*go.sum' pom.xml '*package-lock.json')
  printf '\n   ]\n  },\n  "runDetails": {\n   "builder": {"id": "%s"},\n' "${BUILDER_ID:-https://fabric-operator.dev/builders/local}"
  printf '   "metadata": {"startedOn": "%s", "finishedOn": "%s"}\n  }\n }}\n' "$STARTED" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
} > "$OUT/provenance-$VERSION.intoto.json"
(cd "$OUT" && sha256sum -- * > SHA256SUMS)
ls -l "$OUT" >&2
