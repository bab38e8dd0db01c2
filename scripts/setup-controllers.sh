# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh: controllers of jobs that run beside the control plane, from the module e2e/controllers. Each is a cache entry
# of its own, with its CustomResourceDefinition beside it. Sets JOBSET and MPI_OPERATOR to their directories.

find_jobset() {
  real_nodes_can_run || return 0
  find_controller jobset
  JOBSET=$FOUND
}

find_mpi_operator() {
  find_controller mpi-operator
  MPI_OPERATOR=$FOUND
}

find_controller() { # program
  local MODULE=$ROOT/e2e/controllers PROGRAMS=("$1")
  find_entry "$1"
}

crd_of() { # path in the program's module
  case "$1" in
    jobset) echo sigs.k8s.io/jobset config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml ;;
    mpi-operator) echo github.com/kubeflow/mpi-operator manifests/base/kubeflow.org_mpijobs.yaml ;;
  esac
}

# <program>.crd.yaml beside the program; nothing for one that has none
copy_crd() { # program
  local module path directory
  read -r module path < <(crd_of "$1") || return 0
  directory=$(cd "$MODULE" && GOFLAGS= GOWORK=off "$GO" list -mod=readonly -m -f '{{.Dir}}' "$module") || return 1
  install -m 0644 "$directory/$path" "$BUILDING/$1.crd.yaml"
}
