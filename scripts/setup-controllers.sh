# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh: controllers of jobs that run beside the control plane, from the module e2e/controllers; Volcano from a module
# of its own in there, since it needs all of Kubernetes, and so Kueue with Kubeflow Trainer. Each is a cache entry of its own, with its CustomResourceDefinitions beside
# it. Sets JOBSET, LWS (LeaderWorkerSet), MPI_OPERATOR, VOLCANO, KUEUE and TRAINER to their directories. And Helm and a reader
# of Prometheus' rules, which tests run: HELM, HELM4 and PROMQL.

find_jobset() {
  find_controller jobset
  JOBSET=$FOUND
}

find_lws() {
  find_controller lws
  LWS=$FOUND
}

find_volcano() {
  local MODULE=$ROOT/e2e/controllers/volcano PROGRAMS=(volcano-scheduler volcano-controller-manager)
  find_entry volcano
  VOLCANO=$FOUND
}

# Of a module of its own too, for it needs newer versions of the kinds of jobs than the others.
find_kueue() {
  local MODULE=$ROOT/e2e/controllers/kueue PROGRAMS=(kueue)
  find_entry kueue
  KUEUE=$FOUND
}

# From Kueue's module, which needs most of what it is made of, so that it is compiled once.
find_trainer() {
  local MODULE=$ROOT/e2e/controllers/kueue PROGRAMS=(trainer-controller-manager)
  find_entry trainer
  TRAINER=$FOUND
}

find_mpi_operator() {
  find_controller mpi-operator
  MPI_OPERATOR=$FOUND
}

# What people install the chart with; tests of the chart run it.
find_helm() {
  local MODULE=$ROOT/e2e/helm PROGRAMS=(helm)
  find_entry helm
  HELM=$FOUND
}

find_helm4() {
  local MODULE=$ROOT/e2e/helm4 PROGRAMS=(helm)
  find_entry "helm 4"
  HELM4=$FOUND
}

# Prometheus' reader of rules, from e2e/promql.
find_promql() {
  local MODULE=$ROOT/e2e/promql PROGRAMS=(promql)
  find_entry promql
  PROMQL=$FOUND
}

find_controller() { # program
  local MODULE=$ROOT/e2e/controllers PROGRAMS=("$1")
  find_entry "$1"
}

crd_of() { # the program's module, and paths in it
  case "$1" in
    jobset) echo sigs.k8s.io/jobset config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml ;;
    lws) echo sigs.k8s.io/lws config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml ;;
    mpi-operator) echo github.com/kubeflow/mpi-operator manifests/base/kubeflow.org_mpijobs.yaml ;;
    kueue) echo sigs.k8s.io/kueue 'config/components/crd/bases/*.yaml' ;;
    trainer-controller-manager) echo github.com/kubeflow/trainer/v2 'manifests/base/crds/trainer.kubeflow.org_*.yaml' ;;
    # It waits until all of them are there.
    volcano-controller-manager) echo volcano.sh/volcano 'config/crd/volcano/bases/*.yaml config/crd/jobflow/bases/*.yaml' ;;
  esac
}

# <program>.crd.yaml beside the program; nothing for one that has none
copy_crd() { # program
  local module paths directory
  read -r module paths < <(crd_of "$1") || return 0
  directory=$(cd "$MODULE" && GOFLAGS= GOWORK=off "$GO" list -mod=readonly -m -f '{{.Dir}}' "$module") || return 1
  # shellcheck disable=SC2086 # several, and patterns
  (cd "$directory" && cat $paths) > "$BUILDING/$1.crd.yaml"
}
