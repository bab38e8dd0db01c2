# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh: root file systems of Debian trixie, which images and test programs are made from. Sets IMAGE_ROOTS to
# the directory that holds them, or to nothing where they cannot be made (debootstrap needs root and Linux):
#
#   base          minbase, nothing more
#   pmix          base and libpmix
#   infiniband    base and the programs that ask a subnet
#   openmpi       base, Open MPI and PMIx with their programs, OpenSSH: what a user's image holds
#   openmpi-dev   openmpi, a C compiler and the headers: test programs are compiled there, by chroot
#
# One cache entry holds them all and is named after a hash of what is asked for; it is filled aside and renamed into place.
# Packages come from the mirror that the machine's own apt sources name, or from FABRIC_OPERATOR_DEBIAN_MIRROR.

IMAGE_SUITE=trixie
IMAGE_ROOTS=
ROOTS_MAKER=
ROOTS_PLACE=
declare -A ROOT_PARENT=([pmix]=base [infiniband]=base [openmpi]=pmix [openmpi-dev]=openmpi)
declare -A ROOT_PACKAGES=(
  [pmix]="libpmix2t64"
  [infiniband]="infiniband-diags"
  [openmpi]="openmpi-bin libpmix-bin openssh-client openssh-server"
  [openmpi-dev]="libopenmpi-dev libpmix-dev libfabric-dev gcc libc6-dev"
)
ROOT_ORDER=(pmix infiniband openmpi openmpi-dev)

image_roots_directory() { echo "${FABRIC_OPERATOR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fabric-operator}/image-roots"; }

image_roots_key() {
  {
    # The recipe is part of what makes the roots.
    declare -f make_image_roots grow_root trim_root
    echo "$IMAGE_SUITE" "$(uname -m)"
    local name
    for name in "${ROOT_ORDER[@]}"; do echo "$name ${ROOT_PARENT[$name]} ${ROOT_PACKAGES[$name]}"; done
  } | sha256sum | cut -c1-16
}

debian_mirror() {
  if [ -n "${FABRIC_OPERATOR_DEBIAN_MIRROR:-}" ]; then
    echo "$FABRIC_OPERATOR_DEBIAN_MIRROR"
    return 0
  fi
  command -v apt-get > /dev/null || return 0
  # shellcheck disable=SC2016 # apt's own variables
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2> /dev/null \
    | sed -n 's/^Debian|Debian|//p' | head -n 1
}

# Documentation is half of the files and no program reads it; the licences stay.
trim_root() { # directory
  mkdir -p "$1/etc/dpkg/dpkg.cfg.d"
  printf 'path-exclude=/usr/share/%s/*\n' doc man info locale lintian > "$1/etc/dpkg/dpkg.cfg.d/trim"
  printf 'path-include=/usr/share/doc/*/copyright\n' >> "$1/etc/dpkg/dpkg.cfg.d/trim"
  find "$1/usr/share/doc" -type f ! -name copyright -delete
  rm -rf "$1"/usr/share/{man,info,locale,lintian}/* "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/* "$1"/var/log/*.log "$1"/var/log/apt
}

grow_root() { # parent's directory, new directory, packages
  local directory=$2
  cp -a "$1" "$directory"
  # No service may start in there.
  printf '#!/bin/sh\nexit 101\n' > "$directory/usr/sbin/policy-rc.d"
  chmod +x "$directory/usr/sbin/policy-rc.d"
  cp -L /etc/resolv.conf "$directory/etc/resolv.conf"
  # A mount namespace of its own: whatever happens, nothing stays mounted below the directory.
  # shellcheck disable=SC2016 # expanded inside
  unshare --mount sh -euc '
    root=$1; shift
    mount -t proc proc "$root/proc"
    export DEBIAN_FRONTEND=noninteractive
    chroot "$root" apt-get update -qq
    chroot "$root" apt-get install -y -qq --no-install-recommends "$@"
  ' grow "$directory" "${@:3}" >> "$ROOTS_LOG" 2>&1 || return 1
  rm -f "$directory/usr/sbin/policy-rc.d" "$directory/etc/resolv.conf" "$directory"/etc/ssh/ssh_host_*
  trim_root "$directory"
}

# Only what Debian has signed: without its keyring debootstrap takes whatever a mirror says, with a warning. Apart from the recipe, since it makes no
# other roots.
DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
require_signatures() {
  [ -f "$DEBIAN_KEYRING" ] || install_first_of debian-archive-keyring && [ -f "$DEBIAN_KEYRING" ] \
    || die "$DEBIAN_KEYRING is missing, by which packages are checked; run: sudo apt-get install debian-archive-keyring, then make setup"
  debootstrap() { command debootstrap --force-check-gpg --keyring="$DEBIAN_KEYRING" "$@"; }
}

make_image_roots() { # directory, mirror
  local name
  debootstrap --variant=minbase "$IMAGE_SUITE" "$1/base" "$2" >> "$ROOTS_LOG" 2>&1 || return 1
  trim_root "$1/base"
  rm -f "$1/base/etc/resolv.conf" "$1/base/etc/hostname"
  for name in "${ROOT_ORDER[@]}"; do
    say "  $name: ${ROOT_PACKAGES[$name]}"
    # shellcheck disable=SC2086 # a list
    grow_root "$1/${ROOT_PARENT[$name]}" "$1/$name" ${ROOT_PACKAGES[$name]} || return 1
    # 230 of 380 MB are a compiler for AMD's GPUs; of all that is here only UCX's own performance test loads it.
    [ "$name" != openmpi ] || rm -f "$1/$name"/usr/lib/*/lib{LLVM,amd_comgr,amdhip64,z3}[-.]*so*
  done
}

# What make_image_roots_entry takes; apart from it, since the package manager has one user at a time.
prepare_debootstrap() {
  need_program debootstrap debootstrap
  require_signatures
  mkdir -p "$(image_roots_directory)"
}

image_roots_entry() { echo "$(image_roots_directory)/$(image_roots_key)"; }

make_image_roots_entry() { # the entry's directory
  local entry=$1 mirror building start=$SECONDS
  (
    flock -n 9 || { say "another setup is making the image roots; waiting for it"; flock 9; }
    [ ! -f "$entry/WHOLE" ] || exit 0
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || die "no Debian mirror among this machine's apt sources; name one: FABRIC_OPERATOR_DEBIAN_MIRROR=URL make setup"
    building=$entry.building.$$
    rm -rf "$entry" "$entry".building.*
    mkdir -p "$building"
    ROOTS_LOG=$(image_roots_directory)/log
    : > "$ROOTS_LOG"
    say "${ROOTS_PLACE}making root file systems of Debian $IMAGE_SUITE, once, about 2 min"
    make_image_roots "$building" "$mirror" || { tail -n 20 "$ROOTS_LOG" >&2; die "the root file systems could not be made; all of it stands in $ROOTS_LOG"; }
    : > "$building/WHOLE"
    mv "$building" "$entry"
    say "  made in $((SECONDS - start)) s"
  ) 9> "$entry.lock"
}

# Beside the steps before find_image_roots, which leave the network, and at times a core, idle.
begin_image_roots() {
  local entry
  real_nodes_can_run || return 0
  entry=$(image_roots_entry)
  [ ! -f "$entry/WHOLE" ] || return 0
  prepare_debootstrap
  ROOTS_PLACE="meanwhile: "
  # A group of its own: it ends with this script, whatever ends that.
  set -m
  make_image_roots_entry "$entry" < /dev/null &
  ROOTS_MAKER=$!
  set +m
  trap 'kill -- -"$ROOTS_MAKER" 2> /dev/null' EXIT
}

find_image_roots() {
  local entry
  if ! real_nodes_can_run; then
    say "image roots: left out; debootstrap needs root on Linux (tests on real nodes are aborted with that reason)"
    return 0
  fi
  entry=$(image_roots_entry)
  if [ -n "$ROOTS_MAKER" ]; then
    ! kill -0 "$ROOTS_MAKER" 2> /dev/null || say_long 1 "waiting for the root file systems"
    wait "$ROOTS_MAKER" || exit 1
    trap - EXIT
  elif [ ! -f "$entry/WHOLE" ]; then
    need_program debootstrap debootstrap
    require_signatures
    mkdir -p "$(image_roots_directory)"
    make_image_roots_entry "$entry"
  fi
  IMAGE_ROOTS=$entry
  say "image roots: $IMAGE_ROOTS"
}
