# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh: root file systems of other Debian releases than the images', for the tests of other versions of libpmix
# and Open MPI, and of MPICH, which Debian builds without PMIx. Sets CLIENT_ROOTS to the directory that holds bookworm/ and sid/, or to nothing where tests could not use
# them (they need root and Linux).
#
# Packages are unpacked, none is set up: a program runs there by chroot, and is compiled elsewhere against the headers.
# The mirror is that of the image roots. 60 MB are fetched; sid moves, so what was fetched once is kept.

CLIENT_ROOTS=
CLIENT_SUITES=(bookworm sid)
declare -A CLIENT_PACKAGES=(
  [bookworm]="libpmix2 libopenmpi3 libmpich12"
  # coreutils and what Java and pmixd load: libpmix 7.0 is also tried as the server's library
  [sid]="libpmix2t64 libopenmpi40 libmpich12 coreutils libssl3t64 zlib1g"
)
# Headers, without what they depend on.
declare -A CLIENT_HEADERS=([bookworm]="libpmix-dev libopenmpi-dev libmpich-dev" [sid]="libpmix-dev libopenmpi-dev libmpich-dev")
# A compiler for AMD's GPUs that only UCX's module for those loads.
CLIENT_LEFT_OUT='^(libllvm|libclang|libamd|libz3|systemd$)'

client_roots_directory() { echo "${FABRIC_OPERATOR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fabric-operator}/client-roots"; }

client_roots_key() {
  local suite
  for suite in "${CLIENT_SUITES[@]}"; do echo "$suite ${CLIENT_PACKAGES[$suite]} ${CLIENT_HEADERS[$suite]} $CLIENT_LEFT_OUT"; done \
    | roots_key make_client_root
}

# Of everything that goes into root file systems of Debian releases; reads what they are made of.
roots_key() { # functions that make one
  { declare -f "$@" client_apt_configuration; uname -m; cat; } | sha256sum | cut -c1-16
}

# Whether root file systems of other releases can be made here.
can_make_roots() { command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null; }

# A directory with one root file system for each release, made once.
make_roots_entry() { # the directory, what is fetched, the target of make, function that makes one, releases
  local entry=$1 what=$2 target=$3 maker=$4 mirror building suite start=$SECONDS
  shift 4
  [ ! -f "$entry/WHOLE" ] || return 0
  mkdir -p "$(dirname "$entry")"
  (
    flock -n 9 || { say "another setup is fetching $what; waiting for it"; flock 9; }
    [ ! -f "$entry/WHOLE" ] || exit 0
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || die "no Debian mirror among this machine's apt sources; name one: FABRIC_OPERATOR_DEBIAN_MIRROR=URL make $target"
    building=$entry.building.$$
    rm -rf "$entry" "$entry".building.*
    say "fetching $what: $* (once)"
    for suite in "$@"; do
      ("$maker" "$building" "$suite" "$mirror") > "$entry.log" 2>&1 \
        || { tail -n 20 "$entry.log" >&2; die "$what: $suite could not be had; all of it stands in $entry.log"; }
    done
    : > "$building/WHOLE"
    mv "$building" "$entry"
    say "  made in $((SECONDS - start)) s"
  ) 9> "$entry.lock"
}

# An apt of its own: lists, cache and what is installed (nothing) are below the directory.
client_apt_configuration() { # directory, suite, mirror
  mkdir -p "$1"/{lists/partial,cache/archives/partial}
  : > "$1/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $3 $2 main" > "$1/sources.list"
  cat << END
Dir::State "$1";
Dir::State::lists "$1/lists";
Dir::State::status "$1/status";
Dir::Cache "$1/cache";
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "-";
Acquire::Languages "none";
APT::Sandbox::User "root";
END
  # A mirror that is fixed in time has a list of sid that is out of date after a week. Signatures are checked all the same.
  [ "$2" != sid ] || echo 'Acquire::Check-Valid-Until "false";'
}

make_client_root() { # directory, suite, mirror
  local apt=$1/apt root=$1/$2 package name directory names=()
  mkdir -p "$apt" "$root"/{dev,proc,sys,tmp,scratch,src,jdk,usr}
  client_apt_configuration "$apt" "$2" "$3" > "$apt/apt.conf"
  export APT_CONFIG=$apt/apt.conf
  apt-get update -qq || return 1
  # shellcheck disable=SC2086 # a list
  names=($(apt-get install --no-install-recommends -qq -y --print-uris ${CLIENT_PACKAGES[$2]} | awk '{ sub(/_.*/, "", $2); print $2 }' | grep -vE "$CLIENT_LEFT_OUT"))
  [ "${#names[@]}" -gt 10 ] || { echo "apt resolves the packages of $2 to: ${names[*]}"; return 1; }
  # shellcheck disable=SC2086 # a list
  (cd "$apt" && apt-get download -qq "${names[@]}" ${CLIENT_HEADERS[$2]}) || return 1
  for directory in bin lib lib64 sbin; do
    mkdir -p "$root/usr/$directory"
    ln -s "usr/$directory" "$root/$directory"
  done
  for package in "$apt"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" \
      | tar -x --keep-directory-symlink -C "$root" --exclude=./usr/share/man --exclude=./usr/share/locale || return 1
  done
  rm -rf "$apt"
}

find_client_roots() {
  local entry
  [ -n "$IMAGE_ROOTS" ] || return 0
  if ! can_make_roots; then
    say "client roots: left out; apt-get and dpkg-deb fetch them (tests of other versions of libpmix fail)"
    return 0
  fi
  entry=$(client_roots_directory)/$(client_roots_key)
  make_roots_entry "$entry" "libpmix and Open MPI, 60 MB," setup make_client_root "${CLIENT_SUITES[@]}"
  CLIENT_ROOTS=$entry
  say "client roots: $CLIENT_ROOTS"
}

# Root file systems with the slurmctld of later Debian releases than this machine's, for "make verify-long": SLURM_ROOTS is the directory with
# trixie/ and sid/. Its users are root alone.
SLURM_ROOTS=
SLURM_SUITES=(trixie sid)
SLURM_PACKAGES=(slurmctld slurm-client)

slurm_roots_key() { echo "${SLURM_SUITES[*]} ${SLURM_PACKAGES[*]} $CLIENT_LEFT_OUT" | roots_key make_slurm_root make_client_root; }

make_slurm_root() { # directory, suite, mirror
  CLIENT_PACKAGES[$2]=${SLURM_PACKAGES[*]}
  CLIENT_HEADERS[$2]=
  make_client_root "$@" || return 1
  mkdir -p "$1/$2/etc"
  # An alternative, which setting up would choose.
  ln -s slurmctld-wlm "$1/$2/usr/sbin/slurmctld"
  echo 'root:x:0:0:root:/:/bin/sh' > "$1/$2/etc/passwd"
  echo 'root:x:0:' > "$1/$2/etc/group"
  chroot "$1/$2" /usr/sbin/slurmctld -V
}

find_slurm_roots() {
  local entry suite
  if ! real_nodes_can_run || ! can_make_roots; then
    say "slurm roots: left out; root on Linux, apt-get and dpkg-deb make them (tests of other releases of slurmctld are aborted)"
    return 0
  fi
  entry=$(dirname "$(client_roots_directory)")/slurm-roots/$(slurm_roots_key)
  make_roots_entry "$entry" slurmctld verify-long make_slurm_root "${SLURM_SUITES[@]}"
  SLURM_ROOTS=$entry
  for suite in "${SLURM_SUITES[@]}"; do say "$suite: $(chroot "$entry/$suite" /usr/sbin/slurmctld -V)"; done
}

# MPICH and Intel MPI as PyPI has them, for MPIJobs that are not Open MPI's: MPI_WHEELS is the directory with mpich/ and intel/, each with opt/mpi in it.
# 143 MB are fetched. Intel's runtime has no headers: it runs what is compiled against MPICH's (https://www.mpich.org/abi/), and takes Debian's libfabric.
MPI_WHEELS=
declare -A MPI_WHEEL=([mpich]=mpich==5.0.2 [intel]=impi-rt==2021.19.0)
MPI_WHEEL_LEFT_OUT='IMB-.*-GPU|cpuinfo|mpitune_fast|libmpifort.*|libmpi_ilp64.*|libmpi_abi.*|libmpijava.*|libmpcp.*'

mpi_wheels_key() { echo "${MPI_WHEEL[*]} $MPI_WHEEL_LEFT_OUT" | roots_key make_mpi_wheel; }

make_mpi_wheel() { # directory, which
  local target=$1/$2/opt/mpi unpacked=$1/unpacked
  rm -rf "$unpacked"
  mkdir -p "$target" "$unpacked"
  python3 -m pip download --no-deps --only-binary :all: --platform "manylinux_2_28_$(uname -m)" -q -d "$unpacked" "${MPI_WHEEL[$2]}" || return 1
  python3 -m zipfile -e "$unpacked"/*.whl "$unpacked" || return 1
  mv "$unpacked"/*.data/data/* "$target"
  find "$target" -regextype posix-extended -regex ".*/($MPI_WHEEL_LEFT_OUT)" -delete
  # A wheel keeps no modes.
  chmod 755 "$target"/bin/*
  rm -rf "$unpacked"
}

find_mpi_wheels() {
  local entry
  entry=$(dirname "$(client_roots_directory)")/mpi-wheels/$(mpi_wheels_key)
  make_roots_entry "$entry" "MPICH and Intel MPI of PyPI" mpi-wheels make_mpi_wheel mpich intel
  MPI_WHEELS=$entry
  say "MPI wheels: $MPI_WHEELS"
}

# The root file system of images with real programs, for e2e/bench/programs.sh: that of Open MPI with Debian's OpenFOAM and NWChem and what
# e2e/bench/programs says is to be computed; PROGRAM_ROOTS is the directory with trixie/.
PROGRAM_ROOTS=
PROGRAM_PACKAGES=(openfoam nwchem-openmpi)

program_roots_key() {
  { echo "${PROGRAM_PACKAGES[*]}"; image_roots_key; find "$ROOT/e2e/bench/programs" -type f -print0 | sort -z | xargs -0 cat; } | roots_key make_program_root grow_root trim_root
}

make_program_root() { # directory, suite, mirror
  mkdir -p "$1"
  ROOTS_LOG=$1/log
  grow_root "$IMAGE_ROOTS/openmpi" "$1/$2" "${PROGRAM_PACKAGES[@]}" || { tail -n 20 "$ROOTS_LOG"; return 1; }
  cp -r "$ROOT/e2e/bench/programs" "$1/$2/opt/programs"
  mv "$1/$2/opt/programs/timed" "$1/$2/usr/local/bin/"
  # The mesh, and the part of it that each rank has.
  # shellcheck disable=SC2016 # expanded inside
  unshare --mount sh -euc '
    mount -t proc proc "$1/proc"
    mount --bind /dev "$1/dev"
    chroot "$1" env -C /opt/programs/cavity WM_PROJECT_DIR=/usr/share/openfoam WM_PROJECT_VERSION=v1912 sh -euc "blockMesh; decomposePar"
  ' prepare "$1/$2"
}

find_program_roots() {
  local entry
  [ -d "${IMAGE_ROOTS:-}/openmpi" ] || die "there is no root file system of Open MPI: make setup, as root on Linux"
  entry=$(dirname "$(client_roots_directory)")/program-roots/$(program_roots_key)
  make_roots_entry "$entry" "OpenFOAM and NWChem" program-roots make_program_root "$IMAGE_SUITE"
  PROGRAM_ROOTS=$entry
  say "program roots: $PROGRAM_ROOTS"
}
