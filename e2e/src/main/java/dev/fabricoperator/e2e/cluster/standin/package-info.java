/**
 * Nodes without kubelet, until real ones come.
 *
 * What is real: Node and Lease objects, pods that the DaemonSet controller made and the scheduler bound, the requests that a kubelet sends (made as
 * {@code system:node:NAME}, so the Node authorizer and NodeRestriction judge them), and the pod-bound token with the node's claim in it. What is not: there is no
 * container; a pod's program runs in this JVM.
 */
@NullMarked
package dev.fabricoperator.e2e.cluster.standin;

import org.jspecify.annotations.NullMarked;
