#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Finds, installs or builds what the project needs on this machine, then writes it down for make and for the tests:
#
#   target/setup.env    JAVA_HOME=..., FABRIC_OPERATOR_{ASSETS,HELM,HELM4,PROMQL,NODE_ASSETS,JOBSET,LWS,VOLCANO,KUEUE,TRAINER,MPI_OPERATOR,IMAGE_ROOTS,CLIENT_ROOTS,SLURM_ROOTS,PROGRAM_ROOTS,MPI_WHEELS}=... (shell syntax)
#
# usage: scripts/setup.sh [jdk | tools | control-plane | nodes | mpi-operator | volcano | slurm-roots | program-roots | mpi-wheels | all]        (default: all)
#
#   jdk            JDK 25 and what fetches Maven, which is all that kubectl-fabric takes
#   tools          jdk; gcc, musl-gcc, valgrind, curl, tar ...: looked for, else installed by the package manager, else named in one line
#   control-plane  tools; etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl: FABRIC_OPERATOR_ASSETS or
#                  KUBEBUILDER_ASSETS when one of them holds all five, else built by Go and cached by version
#   nodes          control-plane; what real nodes with the operator take: runc, CNI plugins, kubelet, containerd and CoreDNS, helm, root file systems for
#                  images (as root on Linux only)
#   mpi-operator   the MPI Operator, built and cached likewise
#   volcano        Volcano, likewise
#   slurm-roots    slurmctld of later Debian releases, which only "make verify-long" takes (as root on Linux only)
#   mpi-wheels     MPICH and Intel MPI of PyPI, which only "make verify-long" and e2e/bench/launch.sh take (python3 with pip)
#   program-roots  OpenFOAM and NWChem, which only e2e/bench/programs.sh takes, after "nodes" (as root on Linux only)
#   all            all of that but the last two, and what only tests need: ibsim, opensm, ibnetdiscover, lldpd, slurmctld, other controllers, libraries of other releases
#
# Says at which step it is where one takes minutes; what the programs print that it runs stands in target/setup.log.
# The cache is ${FABRIC_OPERATOR_CACHE:-${XDG_CACHE_HOME:-~/.cache}/fabric-operator}: control-plane/<key>, image-roots, client-roots, slurm-roots, program-roots, mpi-wheels, go.

set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
NAME=setup
LOG=$ROOT/target/setup.log
STEP=0
# shellcheck source=scripts/steps.sh
source "$ROOT/scripts/steps.sh"
# shellcheck source=scripts/setup-tools.sh
source "$ROOT/scripts/setup-tools.sh"
# shellcheck source=scripts/setup-control-plane.sh
source "$ROOT/scripts/setup-control-plane.sh"
# shellcheck source=scripts/setup-nodes.sh
source "$ROOT/scripts/setup-nodes.sh"
# shellcheck source=scripts/setup-controllers.sh
source "$ROOT/scripts/setup-controllers.sh"
# shellcheck source=scripts/setup-images.sh
source "$ROOT/scripts/setup-images.sh"
# shellcheck source=scripts/setup-clients.sh
source "$ROOT/scripts/setup-clients.sh"

run_steps() { # functions
  local step
  # Whoever calls this script may have more.
  STEPS=$(($# + ${SETUP_MORE_STEPS:-0}))
  for step in "$@"; do
    STEP=$((STEP + 1))
    "$step"
  done
}

FOUND_BY_SETUP=(ASSETS HELM HELM4 PROMQL NODE_ASSETS JOBSET LWS VOLCANO KUEUE TRAINER MPI_OPERATOR IMAGE_ROOTS CLIENT_ROOTS SLURM_ROOTS PROGRAM_ROOTS MPI_WHEELS)

# Written anew only when it differs: its time stamp may be a prerequisite in the Makefile.
write_env() {
  local file=$ROOT/target/setup.env variable
  {
    printf '# Written by scripts/setup.sh.\n'
    printf 'export JAVA_HOME=%q\n' "$JDK"
    for variable in "${FOUND_BY_SETUP[@]}"; do
      [ -z "${!variable:-}" ] || printf 'export FABRIC_OPERATOR_%s=%q\n' "$variable" "${!variable}"
    done
  } > "$file.$$"
  if cmp -s "$file.$$" "$file"; then rm -f "$file.$$"; else mv -f "$file.$$" "$file"; fi
}

# What an earlier run found stays, where this one does not look for it.
keep_what_was_found() {
  local variable
  [ -f "$ROOT/target/setup.env" ] || return 0
  for variable in "${FOUND_BY_SETUP[@]}"; do
    printf -v "$variable" '%s' "$(sed -n "s/^export FABRIC_OPERATOR_$variable=//p" "$ROOT/target/setup.env")"
  done
}

mkdir -p "$ROOT/target"
WHAT=${1:-all}
case $WHAT in
  jdk | tools | mpi-operator | volcano | slurm-roots | program-roots | mpi-wheels) touch "$LOG" ;;
  *) : > "$LOG" ;;
esac
[ "$WHAT" = all ] || keep_what_was_found
case $WHAT in
  jdk) find_jdk ;;
  tools) find_tools ;;
  control-plane) run_steps find_tools find_control_plane ;;
  nodes)
    prepare_nodes() { find_node_tools; begin_image_roots; }
    run_steps find_tools prepare_nodes find_control_plane find_node_programs find_helm find_image_roots
    ;;
  mpi-operator | volcano | slurm-roots | program-roots | mpi-wheels)
    find_tools
    "find_${WHAT/-/_}"
    ;;
  all)
    ONLY_ON_NODES=
    ! real_nodes_can_run || ONLY_ON_NODES=find_mpi_operator
    # shellcheck disable=SC2086 # one or none
    run_steps find_tools find_infiniband find_lldp find_slurm find_node_tools find_control_plane find_helm find_helm4 find_promql find_node_programs \
      find_jobset find_lws $ONLY_ON_NODES find_volcano find_kueue find_trainer find_image_roots find_client_roots
    ;;
  *)
    sed -n 's/^# usage: /usage: /p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
write_env
# Whoever builds on at once, of the same parts, says so.
[ "$WHAT" = jdk ] || [ "$WHAT" = tools ] || [ -n "${SETUP_GOES_ON:-}" ] || give_back_what_no_rebuild_needs
