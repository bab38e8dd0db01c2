#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Finds, installs or builds what the project needs on this machine, then writes it down for make and for the tests:
#
#   target/setup.env    JAVA_HOME=..., FABRIC_OPERATOR_{ASSETS,HELM,PROMQL,NODE_ASSETS,JOBSET,LWS,VOLCANO,KUEUE,TRAINER,MPI_OPERATOR,IMAGE_ROOTS,CLIENT_ROOTS}=... (shell syntax)
#
# usage: scripts/setup.sh [tools | control-plane | mpi-operator | all]        (default: all)
#
#   tools          JDK 25, gcc, musl-gcc, valgrind, curl, tar ...: looked for, else installed by the package manager, else named in one line
#   all            also ibsim, opensm, ibnetdiscover, lldpd, slurmctld, runc, CNI plugins, debootstrap: installed by the
#                  package manager, else named in one line; kubelet, containerd and CoreDNS, built and cached like the control plane;
#                  root file systems for images (as root on Linux only)
#   control-plane  etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl: FABRIC_OPERATOR_ASSETS or
#                  KUBEBUILDER_ASSETS when one of them holds all five, else built by Go and cached by version; and helm, likewise
#   mpi-operator   the MPI Operator alone, built and cached likewise
#
# The cache is ${FABRIC_OPERATOR_CACHE:-${XDG_CACHE_HOME:-~/.cache}/fabric-operator}/control-plane/<key>.

set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
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

say() { printf 'setup: %s\n' "$*" >&2; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# Written anew only when it differs: its time stamp may be a prerequisite in the Makefile.
write_env() {
  local file=$ROOT/target/setup.env
  mkdir -p "$ROOT/target"
  {
    printf '# Written by scripts/setup.sh.\n'
    printf 'export JAVA_HOME=%q\n' "$JDK"
    [ -z "${ASSETS:-}" ] || printf 'export FABRIC_OPERATOR_ASSETS=%q\n' "$ASSETS"
    [ -z "${HELM:-}" ] || printf 'export FABRIC_OPERATOR_HELM=%q\n' "$HELM"
    [ -z "${PROMQL:-}" ] || printf 'export FABRIC_OPERATOR_PROMQL=%q\n' "$PROMQL"
    [ -z "${NODE_ASSETS:-}" ] || printf 'export FABRIC_OPERATOR_NODE_ASSETS=%q\n' "$NODE_ASSETS"
    [ -z "${JOBSET:-}" ] || printf 'export FABRIC_OPERATOR_JOBSET=%q\n' "$JOBSET"
    [ -z "${LWS:-}" ] || printf 'export FABRIC_OPERATOR_LWS=%q\n' "$LWS"
    [ -z "${VOLCANO:-}" ] || printf 'export FABRIC_OPERATOR_VOLCANO=%q\n' "$VOLCANO"
    [ -z "${KUEUE:-}" ] || printf 'export FABRIC_OPERATOR_KUEUE=%q\n' "$KUEUE"
    [ -z "${TRAINER:-}" ] || printf 'export FABRIC_OPERATOR_TRAINER=%q\n' "$TRAINER"
    [ -z "${MPI_OPERATOR:-}" ] || printf 'export FABRIC_OPERATOR_MPI_OPERATOR=%q\n' "$MPI_OPERATOR"
    [ -z "${IMAGE_ROOTS:-}" ] || printf 'export FABRIC_OPERATOR_IMAGE_ROOTS=%q\n' "$IMAGE_ROOTS"
    [ -z "${CLIENT_ROOTS:-}" ] || printf 'export FABRIC_OPERATOR_CLIENT_ROOTS=%q\n' "$CLIENT_ROOTS"
  } > "$file.$$"
  if cmp -s "$file.$$" "$file"; then rm -f "$file.$$"; else mv -f "$file.$$" "$file"; fi
}

# What an earlier run found, and this one does not look for.
keep_what_was_found() { # variables
  local variable
  [ -f "$ROOT/target/setup.env" ] || return 0
  for variable in "$@"; do printf -v "$variable" '%s' "$(found_before "$variable")"; done
}

found_before() { sed -n "s/^export FABRIC_OPERATOR_$1=//p" "$ROOT/target/setup.env"; }

case "${1:-all}" in
  tools)
    find_tools
    keep_what_was_found ASSETS HELM PROMQL NODE_ASSETS IMAGE_ROOTS CLIENT_ROOTS JOBSET LWS VOLCANO KUEUE TRAINER MPI_OPERATOR
    write_env
    ;;
  control-plane)
    find_tools
    find_control_plane
    find_helm
    keep_what_was_found PROMQL NODE_ASSETS IMAGE_ROOTS CLIENT_ROOTS JOBSET LWS VOLCANO KUEUE TRAINER MPI_OPERATOR
    write_env
    ;;
  all)
    find_tools
    find_infiniband
    find_lldp
    find_slurm
    find_node_tools
    find_control_plane
    find_helm
    find_promql
    find_node_programs
    find_jobset
    find_lws
    ! real_nodes_can_run || find_mpi_operator
    find_volcano
    find_kueue
    find_trainer
    find_image_roots
    find_client_roots
    write_env
    ;;
  mpi-operator)
    find_tools
    keep_what_was_found ASSETS HELM PROMQL NODE_ASSETS IMAGE_ROOTS CLIENT_ROOTS JOBSET LWS VOLCANO KUEUE TRAINER
    find_mpi_operator
    write_env
    ;;
  *)
    sed -n 's/^# usage: /usage: /p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
