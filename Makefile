# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0

# "make help" explains every target. Two are enough on a fresh machine: "make demo" and "make verify".

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Arguments of the demo (make demo ARGS=--help), more of Maven's (make verify MAVEN_ARGS=-o), benchmarks to run, images to build.
ARGS ?=
MAVEN_ARGS ?=
BENCH ?=
IMAGES ?=
# Of make fuzz, in seconds; the seed it begins with.
FUZZ_TIME ?= 600
FUZZ_SEED ?= $(shell date +%s)

# Everything that Maven needs to know of this machine stands in target/setup.env, written by scripts/setup.sh.
ENV := source target/setup.env
MVN := ./mvnw -B $(MAVEN_ARGS)
CACHE := $${FABRIC_OPERATOR_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/fabric-operator}
DEMO_PID := target/demo/demo.pid

MODULES := $(shell sed -n 's:^        <module>\(.*\)</module>:\1:p' pom.xml)
# What programs are made of; tests are not in it.
sources = pom.xml $(wildcard $(1:%=%/pom.xml)) $(shell find $(1:%=%/src/main) launcher/src launcher/Makefile -type f 2>/dev/null)
IN_IMAGES := $(filter-out cli e2e,$(MODULES))

.PHONY: help
help: ## Explain every target
	@printf 'usage: make TARGET [ARGS=...]\n\n'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | while IFS=$$'\t' read -r target text; do printf '  %-12s %s\n' "$$target" "$$text"; done

.PHONY: setup
setup: ## Find or install JDK 25 and Go, build the control plane's programs once (cached outside the work tree)
	@scripts/setup.sh all

# What real nodes with the operator take, in a third of the time.
.PHONY: setup-nodes
setup-nodes:
	@scripts/setup.sh nodes

.PHONY: tools
tools:
	@scripts/setup.sh tools 2>/dev/null || scripts/setup.sh tools

.PHONY: verify
verify: setup ## Set up, build, run all tests: what continuous integration runs; tells the slowest and what it took
	@scripts/verify.sh $(MAVEN_ARGS)

.PHONY: verify-long
verify-long: setup ## What make verify leaves out: power cuts and outages, free seeds, the harness's own tests, the largest sizes (hours)
	@scripts/setup.sh slurm-roots
	@scripts/setup.sh mpi-wheels
	@$(ENV); $(MAKE) target/images.stamp; $(MVN) verify -pl operator,e2e,cli -am -DskipITs -Dgroups=long -DexcludedGroups= -De2e.limitSeconds=21600

.PHONY: fuzz
fuzz: tools ## Damage what readers and discovery read, with new seeds, for FUZZ_TIME seconds (600); says how often (FUZZ_SEED=N begins with that seed again)
	@$(ENV); echo "FUZZ_SEED=$(FUZZ_SEED)"; $(MVN) -q test -pl formats -am -Dspotless.check.skip -Dsurefire.failIfNoSpecifiedTests=false -Dtest='ReaderFuzzTest,ReadersTest,TreeFuzzTest' \
	  -Dfuzz.seconds=$(FUZZ_TIME) -Dfuzz.seed=$(FUZZ_SEED)

.PHONY: cli
cli: ## Build kubectl-fabric alone, with no more than a JDK, and say where it is
	@scripts/setup.sh jdk
	@$(ENV); $(MVN) -q -DskipTests -Dspotless.check.skip -pl cli -am package
	@echo "cli/target/kubectl-fabric: try  cli/target/kubectl-fabric check fixtures/fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz"

.PHONY: demo
demo: ## Install the chart on real nodes and run the tutorial there (ARGS=--keep leaves it up, ARGS=--help tells more)
	@exec scripts/demo.sh $(ARGS)

.PHONY: stop-demo
stop-demo: ## Stop a demo that was left up with ARGS=--keep
	@scripts/stop-demo.sh $(DEMO_PID)

.PHONY: build
build: tools target/build.stamp ## Compile and package everything without running tests (nothing to do: no time)

target/build.stamp: $(call sources,$(MODULES))
	@$(ENV); $(MVN) -q -DskipTests -Dspotless.check.skip package
	@touch $@

.PHONY: test-unit
test-unit: tools ## Run the tests that need no control plane (all modules but e2e)
	@$(ENV); $(MVN) verify -pl '!e2e'

.PHONY: run-job
run-job: setup-nodes target/build.stamp target/images.stamp ## Run a program of any image by direct launch on real nodes (ARGS=--help tells more)
	@$(ENV); exec scripts/run-job.sh $(ARGS)

.PHONY: stop-cluster
stop-cluster: ## Stop a cluster that was left up with make run-job ARGS=--keep
	@scripts/stop-cluster.sh

.PHONY: images
images: setup-nodes ## Build the container images into target/images (IMAGES=name for one of them; as root on Linux)
	@$(if $(IMAGES),scripts/build-images.sh $(IMAGES),$(MAKE) target/images.stamp)

target/images.stamp: $(call sources,$(IN_IMAGES)) $(shell find images scripts/*image* -type f -not -path '*/target/*' 2>/dev/null)
	@scripts/build-images.sh $(PROGRAMS_BUILT)
	@touch $@

.PHONY: format
format: tools ## Format all Java sources and add missing licence headers
	@$(ENV); $(MVN) -q spotless:apply

.PHONY: crds
crds: tools ## Write config/crd anew from the Java types
	@$(ENV); $(MVN) -q -pl crds -am -Dcrds.regenerate=true -Dtest='*Crd*' -Dsurefire.failIfNoSpecifiedTests=false test
	@git status --short charts/fabric-operator/config/crd 2>/dev/null || true

.PHONY: pictures
pictures: tools ## Draw the pictures of docs/pictures anew with the command
	@$(ENV); $(MVN) -q -pl cli -am -Dgolden.update=true -Dtest=None -Dit.test=PicturesIT -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false verify

.PHONY: reference
reference: tools ## Write docs/reference.md anew from the code
	@$(ENV); $(MVN) -q -pl e2e -am -DskipITs -Dgolden.update=true -Dtest=ReferenceTest -Dsurefire.failIfNoSpecifiedTests=false test
	@git status --short docs/reference.md 2>/dev/null || true

.PHONY: site
site: ## Build the web site of docs/ into target/site, with Node.js 20 or later; a link that leads nowhere fails it
	@scripts/site.sh

.PHONY: release
release: setup-nodes target/build.stamp target/images.stamp ## Put chart, images, command, SBOMs, provenance and sums of this commit into target/release
	@$(ENV); exec scripts/release.sh

.PHONY: bench
bench: setup target/build.stamp ## Run the benchmarks and print their tables (BENCH=name for one of them)
	@$(ENV); exec scripts/bench.sh $(BENCH)

.PHONY: clean
clean: ## Remove what was built in the work tree (the cache of programs stays)
	@rm -rf target $(MODULES:%=%/target)

.PHONY: clean-cache
clean-cache: ## Remove the cached programs of the control plane, archives of their sources, and the root file systems of images, clients and slurmctld too
	@[ ! -d "$(CACHE)/go" ] || chmod -R u+w "$(CACHE)/go"
	@rm -rf "$(CACHE)/control-plane" "$(CACHE)/image-roots" "$(CACHE)/client-roots" "$(CACHE)/slurm-roots" "$(CACHE)/mpi-wheels" "$(CACHE)/go"
