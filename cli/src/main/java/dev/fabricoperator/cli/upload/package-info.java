/** The only package that talks to an API server; nothing else may load its classes. */
@NullMarked
package dev.fabricoperator.cli.upload;

import org.jspecify.annotations.NullMarked;
