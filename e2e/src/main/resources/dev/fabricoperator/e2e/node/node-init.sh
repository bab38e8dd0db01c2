#!/bin/sh
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# First process of a node, in process, mount, network and hostname namespaces of its own: when it is killed, all that the node runs and
# mounts is gone with it. Set in the environment: NODE, DIR, ADDRESS (with prefix), GATEWAY, ROUTES ("network via address" lines),
# CGROUP, NODE_LABELS, PLAYED (where the played hardware is mounted), PATH
# (which finds kubelet and containerd).
set -eu

# What programs of a node keep at fixed places is this node's alone.
mount --make-rshared /
for place in /run /var/lib/cni /var/lib/kubelet /var/log/containers; do
  mkdir -p "$place"
  mount -t tmpfs -o mode=755 tmpfs "$place"
done

# Two hosts of one name would claim each other's devices.
echo "$NODE" > /proc/sys/kernel/hostname
echo "$NODE" > "$DIR/hostname"
mount --bind "$DIR/hostname" /etc/hostname

# What the agent reads of this node, and devices that open and do nothing: no card is in this machine. Only pods that mount them open them.
mkdir -p "$PLAYED/sys" "$PLAYED/infiniband"
mount --bind "$DIR/host/sys" "$PLAYED/sys"
number=0
for card in "$PLAYED"/sys/class/infiniband/*; do
  mknod -m 666 "$PLAYED/infiniband/uverbs$number" c 1 3
  number=$((number + 1))
done

# Version 1 has a tree for each controller, version 2 one for all. The cpuset of a new group is empty in version 1.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  for group in /sys/fs/cgroup "/sys/fs/cgroup${CGROUP%/*}"; do
    mkdir -p "$group"
    for controller in cpu cpuset memory pids io; do
      echo "+$controller" > "$group/cgroup.subtree_control" 2> /dev/null || true
    done
  done
  mkdir -p "/sys/fs/cgroup$CGROUP"
  # Of all processes in all pods of a cluster, which would else together have as much as one process beside them.
  echo 400 > "/sys/fs/cgroup${CGROUP%/*}/cpu.weight"
else
  for tree in /sys/fs/cgroup/*/; do
    [ "$tree" != /sys/fs/cgroup/unified/ ] || continue
    mkdir -p "$tree$CGROUP" 2> /dev/null || continue
    [ ! -e "$tree${CGROUP%/*}/cpu.shares" ] || echo 4096 > "$tree${CGROUP%/*}/cpu.shares"
    [ -e "$tree$CGROUP/cpuset.cpus" ] || continue
    for group in "${CGROUP%/*}" "$CGROUP"; do
      cat "$tree/cpuset.cpus" > "$tree$group/cpuset.cpus"
      cat "$tree/cpuset.mems" > "$tree$group/cpuset.mems"
    done
  done
fi

ip link set lo up
echo 1 > /proc/sys/net/ipv4/ip_forward

keep_running() { # log, command: as a service manager does
  log=$1
  shift
  while :; do
    "$@" >> "$log" 2>&1 || true
    sleep 0.5
  done
}

keep_running "$DIR/log/containerd.log" containerd -c "$DIR/containerd.toml" &

until ip link show eth0 > /dev/null 2>&1; do sleep 0.05; done
ip addr add "$ADDRESS" dev eth0
ip link set eth0 up
ip route add default via "$GATEWAY"
echo "$ROUTES" | while read -r network via hop; do
  [ -z "$network" ] || ip route add "$network" "$via" "$hop"
done

# The cluster's own file comes last: then everything else is there.
until [ -e "$DIR/kubelet.kubeconfig" ] && [ -S "$DIR/containerd.sock" ]; do sleep 0.05; done
keep_running "$DIR/log/kubelet.log" kubelet --config "$DIR/kubelet.yaml" --kubeconfig "$DIR/kubelet.kubeconfig" \
  --root-dir "$DIR/kubelet" --cert-dir "$DIR/kubelet/pki" --hostname-override "$NODE" --node-ip "${ADDRESS%/*}" \
  --node-labels "$NODE_LABELS" &

# Waiting also takes leave of the processes whose parents have gone.
while :; do wait; sleep 1; done
