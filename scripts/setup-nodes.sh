# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of setup.sh: what real nodes take. Sets NODE_ASSETS to the directory with kubelet and CoreDNS, an entry of its own beside
# the control plane's, which is not built anew for it.

NODE_PROGRAMS=(kubelet coredns)
COREDNS=github.com/coredns/coredns@v1.12.4

# Only as root on Linux: elsewhere no node can run, and nothing is installed for it.
real_nodes_can_run() { [ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ]; }

find_node_tools() {
  PATH=$PATH:/usr/sbin:/sbin
  real_nodes_can_run || { say "real nodes: left out; they need root on Linux"; return 0; }
  need_program unshare util-linux
  need_program ip iproute2
  need_program runc runc
  if ! command -v containerd > /dev/null; then
    SERVICE=containerd.service keep_services_off need_program containerd containerd
  fi
  if [ ! -x /usr/lib/cni/bridge ] && [ ! -x /opt/cni/bin/bridge ]; then
    install_first_of containernetworking-plugins \
      || die "the CNI plugins are missing and could not be installed; run: apt-get install containernetworking-plugins, then make setup"
  fi
}

find_node_programs() {
  real_nodes_can_run || return 0
  local PROGRAMS=("${NODE_PROGRAMS[@]}") KEY_MORE=$COREDNS
  find_entry "node programs"
  NODE_ASSETS=$FOUND
}
