/** The certificate that the query API shows. */
@NullMarked
package dev.fabricoperator.operator.query.tls;

import org.jspecify.annotations.NullMarked;
