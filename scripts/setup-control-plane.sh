# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh: the programs of the control plane, and what builds and caches programs. Sets ASSETS to the directory that
# holds them.
#
# A cache entry is a directory named after a hash of everything that goes into the programs. It is filled aside and
# renamed into place, so it is there whole or not at all; its MANIFEST holds the SHA-256 of each program and is
# checked on every run, so damage that came later is noticed too, and repaired by building anew.

PROGRAMS=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl)
MODULE=$ROOT/e2e/control-plane

package_of() {
  case "$1" in
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    containerd | containerd-shim-runc-v2 | ctr) echo "github.com/containerd/containerd/v2/cmd/$1" ;;
    coredns) echo ./coredns ;;
    jobset) echo sigs.k8s.io/jobset ;;
    lws) echo sigs.k8s.io/lws/cmd ;;
    promql) echo . ;;
    helm) sed -n 's|^tool ||p' "$MODULE/go.mod" ;;
    mpi-operator) echo github.com/kubeflow/mpi-operator/cmd/mpi-operator ;;
    trainer-controller-manager) echo "github.com/kubeflow/trainer/v2/cmd/$1" ;;
    kueue) echo sigs.k8s.io/kueue/cmd/kueue ;;
    volcano-*) echo "volcano.sh/volcano/cmd/${1#volcano-}" ;;
    *) echo "k8s.io/kubernetes/cmd/$1" ;;
  esac
}

version_of() { sed -n "s|^[[:space:]]*$1 \(v[0-9.]*\).*|\1|p" "$MODULE/go.mod" | head -n 1; }

# Servers and nodes report the versions that are linked in here.
link_flags() {
  local version major minor
  version=$(version_of k8s.io/kubernetes)
  # A module of controllers reports its own.
  [ -n "$version" ] || { printf -- '-s -w'; helm_link_flags; return 0; }
  major=$(echo "${version#v}" | cut -d. -f1)
  minor=$(echo "${version#v}" | cut -d. -f2)
  printf -- '-s -w -X github.com/containerd/containerd/v2/version.Version=%s' "$(version_of github.com/containerd/containerd/v2)"
  local package
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf -- ' -X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s -X %s.gitTreeState=clean' \
      $package "$version" $package "$major" $package "$minor" $package
  done
}

# Without them Helm is a version of its own, and Helm 3 takes every cluster that it cannot ask for Kubernetes 1.20; Helm 4 asks its client for the version.
helm_link_flags() {
  local version kubernetes
  version=$(version_of helm.sh/helm/v4)
  [ -z "$version" ] || printf -- ' -X helm.sh/helm/v4/internal/version.version=%s' "$version"
  version=$(version_of helm.sh/helm/v3)
  [ -n "$version" ] || return 0
  kubernetes=$(version_of k8s.io/client-go | cut -d. -f2)
  printf -- ' -X helm.sh/helm/v3/internal/version.version=%s' "$version"
  printf -- ' -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=%s' "$kubernetes"
  printf -- ' -X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor=%s' "$kubernetes"
}

cache_key() {
  {
    cat "$MODULE/go.mod" "$MODULE/go.sum"
    find "$MODULE" -name '*.go' -exec cat {} +
    echo "${PROGRAMS[@]}" "$(link_flags)" "$(uname -s)" "$(uname -m)" ${BUILD_TAGS:+"$BUILD_TAGS"}
  } | sha256sum | cut -c1-16
}

holds_all_programs() {
  local program
  for program in "${PROGRAMS[@]}"; do
    [ -x "$1/$program" ] || { MISSING=$program; return 1; }
  done
}

# whole and undamaged?
entry_is_sound() {
  [ -f "$1/MANIFEST" ] && holds_all_programs "$1" && (cd "$1" && sha256sum --quiet --check MANIFEST > /dev/null 2>&1)
}

go_directory() { echo "$(dirname "$(cache_directory)")/go"; }

# Go's caches would keep 11 GB of a set-up for ever. Unless the user has named others they are here, where they can be given back. While a build uses
# them it holds a lock, for another set-up may end meanwhile.
use_own_go_caches() {
  local own
  own=$(go_directory)
  mkdir -p "$own"
  exec 8> "$own/lock"
  flock -s 8
  named_by_user GOCACHE || export GOCACHE=$own/build
  named_by_user GOMODCACHE || export GOMODCACHE=$own/modules
}

named_by_user() { # variable
  [ -n "${!1:-}" ] || grep -qs "^$1=" "$("$GO" env GOENV)"
}

# What is compiled is in the programs; sources are unpacked again from their archives, which stay, so that a rebuild needs no network.
give_back_what_no_rebuild_needs() {
  local own
  own=$(go_directory)
  [ -d "$own/build" ] || [ -d "$own/modules" ] || return 0
  (
    flock -n 8 || exit 0
    rm -rf "$own/build"
    [ ! -d "$own/modules" ] || find "$own/modules" -mindepth 1 -maxdepth 1 ! -name cache -exec chmod -R u+w {} + -exec rm -rf {} +
  ) 8> "$own/lock"
}

# All in one call: what they share is compiled once, and one is linked while others are compiled. The compiler collects its garbage four times as seldom as by default, which
# took half of the processor time for kube-scheduler.
build_programs() { # into the directory BUILDING
  local program packages=()
  for program in "${PROGRAMS[@]}"; do packages+=("$(package_of "$program")"); done
  (cd "$MODULE" && GOGC="${GOGC:-400}" CGO_ENABLED=0 GOFLAGS= GOWORK=off "$GO" build -mod=readonly -trimpath -tags "${BUILD_TAGS:-}" -ldflags "$(link_flags)" \
    -o "$BUILDING/" "${packages[@]}") || return 1
  # Go names a program after the last part of its path.
  [ ! -e "$BUILDING/server" ] || mv "$BUILDING/server" "$BUILDING/etcd"
  [ ! -e "$BUILDING/cmd" ] || mv "$BUILDING/cmd" "$BUILDING/lws"
  for program in "${PROGRAMS[@]}"; do
    case "$program" in volcano-*) mv "$BUILDING/${program#volcano-}" "$BUILDING/$program" || return 1 ;; esac
    copy_crd "$program" || return 1
  done
}

# On two cores: with nothing else to do and a quick network, and as measured on a slow machine while Maven builds beside it.
declare -A BUILD_MINUTES=(["control plane"]="4 to 13" ["node programs"]=2 [helm]="1 to 2" ["helm 4"]="1 to 2" [promql]=1 [volcano]="3 to 6" [kueue]="4 to 8" [trainer]="1 to 2")

build_entry() { # the entry's directory, what to call it
  find_go
  local entry=$1 start=$SECONDS
  # Where the earlier run was killed, what it left is no use.
  rm -rf "$entry".building.*
  BUILDING=$entry.building.$$
  mkdir -p "$BUILDING"
  trap 'rm -rf "$BUILDING"' EXIT
  start_maven_warm_up
  say_long "${BUILD_MINUTES[$2]:-2}" "building $(printf '%s ' "${PROGRAMS[@]}")with $("$GO" version | cut -d' ' -f3), once for each version"
  use_own_go_caches
  logged build_programs || die "building failed; the lines above say why (no network or no Go module proxy? see 'go env GOPROXY')"
  (cd "$BUILDING" && sha256sum "${PROGRAMS[@]}" > MANIFEST)
  rm -rf "$entry"
  mv "$BUILDING" "$entry"
  trap - EXIT
  say "  built in $((SECONDS - start)) s"
  end_maven_warm_up
}

# The Go build leaves the network, and at times a core, idle: what Maven has to fetch and compile is done beside it.
# Whether that succeeds does not matter here; the build proper says so.
start_maven_warm_up() {
  WARM_UP=
  [ ! -e "$ROOT/target/warm-up.log" ] || return 0
  say "meanwhile Maven fetches its dependencies and compiles (target/warm-up.log)"
  mkdir -p "$ROOT/target"
  (cd "$ROOT" && JAVA_HOME=$JDK exec ./mvnw -B -DskipTests -Dspotless.check.skip package) > "$ROOT/target/warm-up.log" 2>&1 9>&- < /dev/null &
  WARM_UP=$!
}

end_maven_warm_up() {
  [ -n "$WARM_UP" ] || return 0
  if kill -0 "$WARM_UP" 2> /dev/null; then say "waiting for Maven"; fi
  wait "$WARM_UP" || say "Maven stopped early, see target/warm-up.log (the build tells more)"
}

find_control_plane() {
  local variable directory
  for variable in FABRIC_OPERATOR_ASSETS KUBEBUILDER_ASSETS; do
    directory=${!variable:-}
    [ -n "$directory" ] || continue
    # What this script itself found earlier is in the environment of everything that make starts.
    case "$directory" in "$(cache_directory)"/*) continue ;; esac
    if holds_all_programs "$directory"; then
      ASSETS=$directory
      say "control plane: $ASSETS (from $variable)"
      return 0
    fi
    say "$variable=$directory has no $MISSING: not used"
  done

  find_entry "control plane"
  ASSETS=$FOUND
}

# Finds or builds the cache entry of PROGRAMS and sets FOUND to it.
find_entry() { # what to call it
  local entry
  entry=$(cache_directory)/$(cache_key)
  FOUND=$entry
  mkdir -p "$(cache_directory)"
  if entry_is_sound "$entry"; then
    say "$1: $FOUND"
    return 0
  fi
  (
    flock -n 9 || { say "another setup is building the $1; waiting for it"; flock 9; }
    if entry_is_sound "$entry"; then exit 0; fi
    [ ! -e "$entry" ] || say "the cached $1 is damaged: building it anew ($entry)"
    build_entry "$entry" "$1"
  ) 9> "$entry.lock"
  say "$1: $FOUND"
}

cache_directory() { echo "${FABRIC_OPERATOR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fabric-operator}/control-plane"; }
