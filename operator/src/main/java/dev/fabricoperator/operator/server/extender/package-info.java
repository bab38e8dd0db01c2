/** An extender of kube-scheduler: which of the nodes that have room is best for the next pod of a job. */
@NullMarked
package dev.fabricoperator.operator.server.extender;

import org.jspecify.annotations.NullMarked;
