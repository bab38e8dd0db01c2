/** What the cluster holds, reduced to what the operator needs, one shared informer per kind. */
@NullMarked
package dev.fabricoperator.operator.cluster;

import org.jspecify.annotations.NullMarked;
