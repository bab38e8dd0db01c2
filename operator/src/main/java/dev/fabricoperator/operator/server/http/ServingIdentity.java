/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.nio.file.Path;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that the listeners of a server show, valid for the names of the operator's three Services, and the authority behind it.
 * Both change while the process runs.
 */
public interface ServingIdentity {
    /** One object for the life of the process; each handshake sees the certificate of its time, and fails while there is none. */
    X509KeyManager keyManager();

    /** As {@link #keyManager()}, but {@code tls.crt} and {@code tls.key} of this directory go first. */
    X509KeyManager keyManager(Path directory);

    /**
     * PEM of every authority that a client must trust, the next one included while authorities are exchanged; {@code null} while nothing is known.
     */
    @Nullable
    String authorityPem();

    /** Looks at once whether files have changed. */
    void refresh();
}
