# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh: the programs that have to be on the machine. Sets JDK and, on demand, GO.

JDK_MAJOR=25
GO_MINOR=26
# Go from this minor on fetches the newer toolchain that go.mod asks for by itself.
GO_MINOR_WITH_TOOLCHAINS=21

# major version of the JDK in directory $1, nothing when it is none (a run-time image without compiler does not count)
jdk_major() {
  [ -x "$1/bin/javac" ] || return 0
  local version
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true)
  [ -n "$version" ] || version=$("$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  printf '%s' "$version"
}

jdk_home_of_path() {
  local javac
  javac=$(command -v javac 2>/dev/null) || return 0
  javac=$(readlink -f "$javac")
  dirname "$(dirname "$javac")"
}

search_jdk() {
  local candidate major
  local candidates=("${JAVA_HOME:-}" /usr/lib/jvm/*"$JDK_MAJOR"* "$(jdk_home_of_path)" "$HOME"/.sdkman/candidates/java/* \
    "$HOME"/.jdks/* /opt/*jdk*"$JDK_MAJOR"* /usr/local/*jdk*"$JDK_MAJOR"* /usr/lib/jvm/*)
  for candidate in "${candidates[@]}"; do
    [ -n "$candidate" ] || continue
    major=$(jdk_major "$candidate")
    if [ -n "$major" ] && [ "$major" -ge "$JDK_MAJOR" ]; then
      JDK=$candidate
      return 0
    fi
  done
  return 1
}

# runs "$@" as root: as we are, or with a sudo that asks no password; fails otherwise
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then sudo -n "$@"; else return 1; fi
}

APT_UPDATED=
# installs the first package of "$@" that the package manager knows; fails when there is none or it may not
install_first_of() {
  command -v apt-get > /dev/null || return 1
  if [ -z "$APT_UPDATED" ]; then
    as_root apt-get update -qq > /dev/null 2>&1 || true
    APT_UPDATED=yes
  fi
  local package
  for package in "$@"; do
    # No pipe to grep -q: it ends at the first match, and apt-cache by SIGPIPE, which pipefail takes for "there is none".
    if [[ $(apt-cache policy "$package" 2> /dev/null) =~ Candidate:\ [0-9] ]]; then
      say "installing $package"
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" > /dev/null 2>> "$LOG" && return 0
    fi
  done
  return 1
}

need_program() { # program, package
  command -v "$1" > /dev/null && return 0
  install_first_of "$2" && command -v "$1" > /dev/null && return 0
  die "$1 is missing and could not be installed; run: sudo apt-get install $2 (or your system's equivalent), then make setup"
}

# InfiniBand in software, for the tests of the live sweep: a simulator, a subnet manager, the diagnostic programs.
find_infiniband() {
  # Debian keeps them in sbin, which is in nobody's PATH but root's.
  PATH=$PATH:/usr/sbin:/sbin
  need_program ibsim ibsim-utils
  need_program opensm opensm
  need_program ibnetdiscover infiniband-diags
  # Headers for its plugin, which is built for the version that runs.
  [ -f /usr/include/infiniband/opensm/osm_event_plugin.h ] || install_first_of libopensm-dev opensm-devel \
    || die "OpenSM's headers are missing and could not be installed; run: sudo apt-get install libopensm-dev (or your system's equivalent), then make setup"
}

# A real LLDP daemon, for tests in network namespaces of their own. The package would start one for this machine too.
find_lldp() {
  PATH=$PATH:/usr/sbin:/sbin
  need_program ip iproute2
  if ! command -v lldpd > /dev/null; then
    SERVICE=lldpd.service keep_services_off need_program lldpd lldpd
  fi
}

# Slurm's controller, which says whether it understands what is written for it.
find_slurm() {
  PATH=$PATH:/usr/sbin:/sbin
  if ! command -v munged > /dev/null; then
    SERVICE=munge.service keep_services_off need_program munged munge
  fi
  if ! command -v slurmctld > /dev/null; then
    SERVICE=slurmctld.service keep_services_off need_program slurmctld slurmctld
  fi
}

# runs a command during which no package starts SERVICE, which it brings (Debian's policy-rc.d)
keep_services_off() {
  local policy=/usr/sbin/policy-rc.d made=
  if command -v apt-get > /dev/null && [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" > /dev/null && as_root chmod +x "$policy" && made=yes
  fi
  # On failure too: a policy that stays keeps every later service off. need_program ends the program.
  [ -z "$made" ] || trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
  "$@"
  if [ -n "$made" ]; then
    as_root rm -f "$policy"
    trap - EXIT
    if [ -d /run/systemd/system ]; then as_root systemctl disable --quiet "$SERVICE" || true; fi
  fi
}

# For the launcher: a static program of C, checked by the compiler's sanitizers and by valgrind.
find_c() {
  need_program make make
  need_program gcc gcc
  [ -e /usr/include/stdio.h ] || install_first_of libc6-dev || die "the C library's headers are missing; run: sudo apt-get install libc6-dev (or your system's equivalent), then make setup"
  need_program musl-gcc musl-tools
  need_program valgrind valgrind
}

# pmixd's TLS and ciphers; most systems have it for other programs.
find_openssl() {
  [ "$(uname -s)" = Linux ] || return 0
  has_openssl() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2> /dev/null | grep 'libssl\.so\.3 ' > /dev/null; }
  has_openssl || { install_first_of libssl3t64 libssl3 && has_openssl; } \
    || die "OpenSSL 3 (libssl.so.3) is missing and could not be installed; run: sudo apt-get install libssl3t64 (or your system's equivalent), then make setup"
}

find_jdk() {
  # mvnw fetches Maven with either
  command -v wget > /dev/null || need_program curl curl
  search_jdk || { install_first_of temurin-$JDK_MAJOR-jdk openjdk-$JDK_MAJOR-jdk openjdk-$JDK_MAJOR-jdk-headless && search_jdk; } \
    || die "no JDK $JDK_MAJOR found and the package manager has none; run: curl -s https://get.sdkman.io | bash && sdk install java $JDK_MAJOR-tem   (or set JAVA_HOME to a JDK $JDK_MAJOR), then make setup"
  say "JDK   $JDK"
}

find_tools() {
  need_program tar tar
  need_program flock util-linux
  need_program sha256sum coreutils
  find_jdk
  find_openssl
  find_c
}

# minor version of the Go program $1 ("go1.26.8" -> 26)
go_minor() { "$1" env GOVERSION 2> /dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p'; }

search_go() { # lowest minor version that will do
  local candidate minor
  for candidate in "$(command -v go 2> /dev/null || true)" /usr/local/go/bin/go /usr/lib/go-1.*/bin/go "$HOME"/go/bin/go "$HOME"/sdk/go1.*/bin/go; do
    [ -x "$candidate" ] || continue
    # Outside any module, so that no go.mod makes it switch its version.
    minor=$(cd / && GOTOOLCHAIN=local go_minor "$candidate")
    if [ -n "$minor" ] && [ "$minor" -ge "$1" ]; then
      GO=$candidate
      return 0
    fi
  done
  return 1
}

find_go() {
  search_go $GO_MINOR || search_go $GO_MINOR_WITH_TOOLCHAINS \
    || { install_first_of golang-1.26-go golang-1.25-go golang-1.24-go golang-go && search_go $GO_MINOR_WITH_TOOLCHAINS; } \
    || die "no Go 1.$GO_MINOR found and the package manager has none; install it from https://go.dev/dl into /usr/local/go (or set KUBEBUILDER_ASSETS to a directory with $(echo "${PROGRAMS[@]}")), then make setup"
  say "Go    $GO"
}
