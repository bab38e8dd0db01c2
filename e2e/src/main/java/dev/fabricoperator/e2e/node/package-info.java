/**
 * Real nodes on this machine: a kubelet and a containerd each, in process, mount and network namespaces of their own.
 *
 * A {@link dev.fabricoperator.e2e.node.RealCluster} is a control plane in a network namespace with a bridge, CoreDNS beside it, and the nodes on that bridge. Only
 * root on Linux can make one; {@link dev.fabricoperator.e2e.node.NodePrograms#obstacle} says what is in the way. {@link
 * dev.fabricoperator.e2e.node.NodeFabrics} are the networks that its nodes are in. What is not as in production: no kube-proxy, no NetworkPolicy, one disk and the cores of this machine for all.
 */
@NullMarked
package dev.fabricoperator.e2e.node;

import org.jspecify.annotations.NullMarked;
