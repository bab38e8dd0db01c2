/**
 * A real Kubernetes control plane for tests and the demo.
 *
 * {@link ControlPlane} starts etcd, kube-apiserver and, where asked for, kube-controller-manager and kube-scheduler as processes of this machine,
 * on loopback and with a data directory and certificates of their own; {@link ExistingCluster} stands for one that runs already. {@link Nodes} is where
 * nodes come from: {@link dev.fabricoperator.e2e.cluster.standin.StandInNodes} today, real kubelets later.
 */
@NullMarked
package dev.fabricoperator.e2e.cluster;

import org.jspecify.annotations.NullMarked;
