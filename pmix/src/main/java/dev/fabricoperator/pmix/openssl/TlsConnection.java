/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.openssl;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One TLS connection as a client, blocking, over a socket of Java, whose time limits hold; OpenSSL reads and writes memory
 * only. One thread at a time.
 */
public final class TlsConnection implements AutoCloseable {
    private static final int SSL_CTRL_SET_TLSEXT_HOSTNAME = 55;
    private static final int TLSEXT_NAMETYPE_HOST_NAME = 0;
    /** A name is looked for in the certificate's alternative names, never in its subject. */
    private static final int X509_CHECK_FLAG_NEVER_CHECK_SUBJECT = 0x20;

    private static final int X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS = 0x4;
    private static final int SSL_ERROR_SSL = 1;
    private static final int SSL_ERROR_WANT_READ = 2;
    private static final int SSL_ERROR_ZERO_RETURN = 6;
    private static final int X509_V_OK = 0;
    /** A TLS record, at most. */
    private static final int BUFFER = 16 * 1024;

    private final TlsTrust trust;
    private final String serverName;
    private final Socket socket;
    private final byte[] buffer = new byte[BUFFER];
    private final long memory = OpenSsl.CALLS.allocate(BUFFER);
    private final ByteBuffer view = Native.view(memory, BUFFER);
    private final Native.Function readFunction = OpenSsl.CALLS.function("SSL_read");
    private final Native.Function bioRead = OpenSsl.CALLS.function("BIO_read");
    private final long tls;
    private final long received;
    private final long toSend;
    private boolean broken;
    private boolean closed;

    /**
     * Shakes hands over a connected socket, which belongs to this connection from now on, unless this throws.
     *
     * @param serverName DNS name or address that the certificate must be for
     * @throws IOException if the server does not answer, is not who it should be, or cannot be agreed with
     */
    public TlsConnection(TlsTrust trust, Socket socket, String serverName) throws IOException {
        this.trust = trust;
        this.serverName = serverName;
        this.socket = socket;
        this.tls = OpenSsl.pointer("SSL_new", trust.context, 0, 0);
        long kind = OpenSsl.pointer("BIO_s_mem", 0, 0, 0);
        this.received = OpenSsl.pointer("BIO_new", kind, 0, 0);
        this.toSend = OpenSsl.pointer("BIO_new", kind, 0, 0);
        OpenSsl.call("SSL_set_bio", tls, received, toSend);
        try {
            expect();
            trust.resume(tls, serverName);
            shakeHands();
        } catch (IOException | RuntimeException e) {
            release();
            throw e;
        }
    }

    private void expect() {
        byte[] name = serverName.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length >= 256 || serverName.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("no name of a server: " + serverName);
        }
        view.put(0, name).put(name.length, (byte) 0);
        long flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
        OpenSsl.call("SSL_set_hostflags", tls, flags, 0);
        OpenSsl.require("SSL_set1_host", tls, memory, 0);
        boolean isName = serverName.indexOf(':') < 0 && !Character.isDigit(serverName.charAt(serverName.length() - 1));
        if (isName) {
            long set = OpenSsl.call(
                    "SSL_ctrl", tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_HOST_NAME, memory, 0, 0);
            if ((int) set != 1) {
                throw new IllegalStateException("SSL_set_tlsext_host_name: " + OpenSsl.reason());
            }
        }
    }

    private void shakeHands() throws IOException {
        OpenSsl.call("SSL_set_connect_state", tls, 0, 0);
        while (true) {
            OpenSsl.call("ERR_clear_error", 0, 0, 0);
            int result = (int) OpenSsl.call("SSL_do_handshake", tls, 0, 0);
            int error = result == 1 ? 0 : error(result);
            String reason = error == SSL_ERROR_SSL ? failure() : "";
            // What there is to send may be the alert that tells the server why.
            flush();
            if (result == 1) {
                return;
            }
            if (error != SSL_ERROR_WANT_READ) {
                throw new IOException(reason.isEmpty() ? "TLS ended with error " + error : reason);
            }
            fill();
        }
    }

    private int error(int result) {
        return (int) OpenSsl.call("SSL_get_error", tls, result, 0);
    }

    private String failure() {
        broken = true;
        long verified = OpenSsl.call("SSL_get_verify_result", tls, 0, 0);
        String reason = OpenSsl.reason();
        return verified == X509_V_OK
                ? "TLS: " + reason
                : "its certificate is not accepted: "
                        + OpenSsl.text(OpenSsl.call("X509_verify_cert_error_string", verified, 0, 0));
    }

    /** Hands to OpenSSL what has come; waits for something. */
    private void fill() throws IOException {
        int count = socket.getInputStream().read(buffer);
        if (count < 0) {
            broken = true;
            throw new EOFException("the connection was closed");
        }
        view.put(0, buffer, 0, count);
        if ((int) OpenSsl.call("BIO_write", received, memory, count) != count) {
            throw new OutOfMemoryError("OpenSSL takes no " + count + " bytes");
        }
    }

    private void flush() throws IOException {
        OutputStream out = socket.getOutputStream();
        int count = (int) OpenSsl.CALLS.call(bioRead, toSend, memory, BUFFER);
        while (count > 0) {
            view.get(0, buffer, 0, count);
            out.write(buffer, 0, count);
            count = (int) OpenSsl.CALLS.call(bioRead, toSend, memory, BUFFER);
        }
    }

    /**
     * As {@link InputStream#read(byte[], int, int)}.
     *
     * @return -1 only where the server has said that it is done
     * @throws EOFException if the connection ends without that
     */
    public int read(byte[] to, int offset, int length) throws IOException {
        while (!closed) {
            OpenSsl.call("ERR_clear_error", 0, 0, 0);
            int count = (int) OpenSsl.CALLS.call(readFunction, tls, memory, Math.min(length, BUFFER));
            if (count > 0) {
                view.get(0, to, offset, count);
                return count;
            }
            int error = error(count);
            if (error == SSL_ERROR_ZERO_RETURN) {
                return -1;
            }
            if (error != SSL_ERROR_WANT_READ) {
                throw new IOException(failure());
            }
            flush();
            fill();
        }
        throw new IOException("closed here");
    }

    public void write(byte[] bytes) throws IOException {
        int from = 0;
        while (from < bytes.length) {
            int part = Math.min(bytes.length - from, BUFFER);
            view.put(0, bytes, from, part);
            OpenSsl.call("ERR_clear_error", 0, 0, 0);
            if (closed || (int) OpenSsl.call("SSL_write", tls, memory, part) != part) {
                throw new IOException(closed ? "closed here" : failure());
            }
            flush();
            from += part;
        }
    }

    /** Whether the server has taken what it gave to an earlier connection. */
    boolean isResumed() {
        return (int) OpenSsl.call("SSL_session_reused", tls, 0, 0) == 1;
    }

    /** Limits how long a read waits for the server; milliseconds. */
    public void setTimeout(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    /** Says farewell, if that needs no waiting, and closes the socket. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        try (Socket end = socket) {
            if (!broken) {
                trust.remember(tls, serverName);
            }
            if (!broken && !end.isClosed()) {
                OpenSsl.call("SSL_shutdown", tls, 0, 0);
                flush();
            }
        } catch (IOException e) {
            // Closed either way.
        }
        release();
    }

    private void release() {
        closed = true;
        OpenSsl.call("SSL_free", tls, 0, 0);
        OpenSsl.CALLS.free(memory);
    }
}
