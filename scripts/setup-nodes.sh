# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh: what real nodes take. Sets NODE_ASSETS to the directory with kubelet, containerd and CoreDNS, an entry of its own
# beside the control plane's, since only a machine that can run nodes needs them.

NODE_PROGRAMS=(kubelet containerd containerd-shim-runc-v2 ctr coredns)
# Snapshots are overlays: other drivers would only be compiled.
NODE_BUILD_TAGS="no_aufs no_btrfs no_devmapper no_zfs"

# Only as root on Linux: elsewhere no node can run, and nothing is installed for it.
real_nodes_can_run() { [ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ]; }

find_node_tools() {
  PATH=$PATH:/usr/sbin:/sbin
  real_nodes_can_run || { say "real nodes: left out; they need root on Linux"; return 0; }
  need_program unshare util-linux
  need_program ip iproute2
  need_program runc runc
  if [ ! -x /usr/lib/cni/bridge ] && [ ! -x /opt/cni/bin/bridge ]; then
    install_first_of containernetworking-plugins \
      || die "the CNI plugins are missing and could not be installed; run: apt-get install containernetworking-plugins, then make setup"
  fi
}

find_node_programs() {
  real_nodes_can_run || return 0
  local PROGRAMS=("${NODE_PROGRAMS[@]}") BUILD_TAGS=$NODE_BUILD_TAGS
  find_entry "node programs"
  NODE_ASSETS=$FOUND
}
