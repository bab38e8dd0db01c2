/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.openssl;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * TLS 1.3 as a client, with trust in the certificates that are handed in and in no other: not the machine's store, not its
 * configuration file. A certificate that is trusted ends a chain, whether it is self-signed or not, as in Java. From any thread.
 */
public final class TlsTrust implements AutoCloseable {
    private static final int SSL_CTRL_SET_MIN_PROTO_VERSION = 123;
    private static final int TLS1_3_VERSION = 0x0304;
    private static final int SSL_VERIFY_PEER = 1;
    private static final int X509_V_FLAG_PARTIAL_CHAIN = 0x80000;
    /** 112 bits: RSA of 2048, EC of 224, no SHA-1. */
    private static final int SECURITY_LEVEL = 2;

    private static final int ERR_REASON_MASK = 0x7fffff;
    private static final int PEM_R_NO_START_LINE = 108;

    final long context;
    /** {@code SSL_SESSION} of the last connection, 0 for none, and the server's name that it is for. */
    private long session;

    private String sessionName = "";

    private TlsTrust(long context) {
        this.context = context;
    }

    /**
     * @param pem one certificate or several
     * @throws IOException if it holds none, or something that is no certificate
     */
    public static TlsTrust of(String pem) throws IOException {
        long method = OpenSsl.pointer("TLS_client_method", 0, 0, 0);
        TlsTrust trust = new TlsTrust(OpenSsl.pointer("SSL_CTX_new", method, 0, 0));
        try {
            trust.configure();
            trust.add(pem.getBytes(StandardCharsets.UTF_8));
            return trust;
        } catch (IOException | RuntimeException e) {
            trust.close();
            throw e;
        }
    }

    private void configure() {
        OpenSsl.require("SSL_CTX_ctrl", context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION);
        OpenSsl.call("SSL_CTX_set_security_level", context, SECURITY_LEVEL, 0);
        OpenSsl.call("SSL_CTX_set_verify", context, SSL_VERIFY_PEER, 0);
        long parameters = OpenSsl.pointer("SSL_CTX_get0_param", context, 0, 0);
        OpenSsl.require("X509_VERIFY_PARAM_set_flags", parameters, X509_V_FLAG_PARTIAL_CHAIN, 0);
    }

    private void add(byte[] pem) throws IOException {
        long memory = OpenSsl.CALLS.allocate(pem.length + 1L);
        Native.view(memory, pem.length + 1L).put(pem);
        long source = OpenSsl.pointer("BIO_new_mem_buf", memory, pem.length, 0);
        try {
            long store = OpenSsl.pointer("SSL_CTX_get_cert_store", context, 0, 0);
            int count = 0;
            long certificate = next(source);
            while (certificate != 0) {
                int added = (int) OpenSsl.call("X509_STORE_add_cert", store, certificate, 0);
                OpenSsl.call("X509_free", certificate, 0, 0);
                if (added != 1) {
                    throw new IOException("a certificate cannot be trusted: " + OpenSsl.reason());
                }
                count++;
                certificate = next(source);
            }
            boolean atEnd = (OpenSsl.call("ERR_peek_last_error", 0, 0, 0) & ERR_REASON_MASK) == PEM_R_NO_START_LINE;
            String reason = OpenSsl.reason();
            if (!atEnd) {
                throw new IOException("a certificate cannot be read: " + reason);
            }
            if (count == 0) {
                throw new IOException("there is no certificate");
            }
        } finally {
            OpenSsl.call("BIO_free", source, 0, 0);
            OpenSsl.CALLS.free(memory);
        }
    }

    private static long next(long source) {
        return OpenSsl.call("PEM_read_bio_X509", source, 0, 0, 0, 0, 0);
    }

    /** Offers the server what it gave to an earlier connection under the same name: then no certificate is sent or verified again. */
    synchronized void resume(long tls, String serverName) {
        if (session != 0 && sessionName.equals(serverName)) {
            OpenSsl.require("SSL_set_session", tls, session, 0);
        }
    }

    /** Keeps what a later connection can offer, if the server has given any. */
    synchronized void remember(long tls, String serverName) {
        long fresh = OpenSsl.call("SSL_get1_session", tls, 0, 0);
        if (fresh != 0 && (int) OpenSsl.call("SSL_SESSION_is_resumable", fresh, 0, 0) == 1) {
            OpenSsl.call("SSL_SESSION_free", session, 0, 0);
            session = fresh;
            sessionName = serverName;
        } else {
            OpenSsl.call("SSL_SESSION_free", fresh, 0, 0);
        }
    }

    @Override
    public synchronized void close() {
        OpenSsl.call("SSL_SESSION_free", session, 0, 0);
        session = 0;
        OpenSsl.call("SSL_CTX_free", context, 0, 0);
    }
}
