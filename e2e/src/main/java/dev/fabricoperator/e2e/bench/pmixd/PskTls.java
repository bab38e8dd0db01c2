/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.pmixd;

import dev.fabricoperator.pmix.foreign.Native;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One end of TLS 1.3 with an external pre-shared key and an ephemeral key exchange (psk_dhe_ke), by the OpenSSL that pmixd has; the secret is the
 * job's key, and there are no certificates. Blocking, one thread at a time.
 *
 * @see "RFC 8446, 2.2 and 4.2.9; SSL_CTX_set_psk_find_session_callback(3)"
 */
final class PskTls implements AutoCloseable {
    private static final Native SSL = new Native("libssl.so.3");
    private static final int BUFFER = 16 * 1024;
    private static final int TLS1_3_VERSION = 0x0304;
    private static final int SSL_CTRL_SET_MIN_PROTO_VERSION = 123;
    private static final int SSL_ERROR_WANT_READ = 2;
    private static final long KEY = memory(new byte[32]);
    private static final long IDENTITY = memory("pmixd".getBytes(StandardCharsets.US_ASCII));
    /** TLS_AES_256_GCM_SHA384. */
    private static final long CIPHER = memory(new byte[] {0x13, 0x02});

    /** Contexts live as long as the process, as in pmixd they would. */
    private static final long CLIENT = context("TLS_client_method");

    private static final long SERVER = context("TLS_server_method");

    private final Socket socket;
    private final byte[] buffer = new byte[BUFFER];
    private final long memory = SSL.allocate(BUFFER);
    private final ByteBuffer view = Native.view(memory, BUFFER);
    private final Native.Function read = SSL.function("SSL_read");
    private final Native.Function bioRead = SSL.function("BIO_read");
    private final long tls;
    private final long received;
    private final long toSend;

    PskTls(Socket socket, boolean server) throws IOException {
        this.socket = socket;
        tls = call("SSL_new", server ? SERVER : CLIENT, 0, 0);
        long kind = call("BIO_s_mem", 0, 0, 0);
        received = call("BIO_new", kind, 0, 0);
        toSend = call("BIO_new", kind, 0, 0);
        call("SSL_set_bio", tls, received, toSend);
        call(server ? "SSL_set_accept_state" : "SSL_set_connect_state", tls, 0, 0);
        int result = (int) call("SSL_do_handshake", tls, 0, 0);
        while (result != 1) {
            if ((int) call("SSL_get_error", tls, result, 0) != SSL_ERROR_WANT_READ) {
                throw new IOException("no handshake: "
                        + Native.string(call("ERR_reason_error_string", call("ERR_get_error", 0, 0, 0), 0, 0), 200));
            }
            flush();
            fill();
            result = (int) call("SSL_do_handshake", tls, 0, 0);
        }
        flush();
    }

    private static long call(String function, long a, long b, long c) {
        return SSL.call(SSL.function(function), a, b, c);
    }

    private static long memory(byte[] bytes) {
        long address = SSL.allocate(bytes.length);
        Native.view(address, bytes.length).put(bytes);
        return address;
    }

    private static long context(String method) {
        long context = call("SSL_CTX_new", call(method, 0, 0, 0), 0, 0);
        call("SSL_CTX_ctrl", context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION);
        // No tickets: nothing is resumed.
        call("SSL_CTX_set_num_tickets", context, 0, 0);
        if (method.contains("server")) {
            call(
                    "SSL_CTX_set_psk_find_session_callback",
                    context,
                    Native.pointer(new Native.Upcall() {
                        @Override
                        public long call(
                                long ssl, long id, long idLength, long session, long e, long f, long g, long h) {
                            Native.view(session, Long.BYTES).putLong(0, session(ssl));
                            return 1;
                        }
                    }),
                    0);
        } else {
            call(
                    "SSL_CTX_set_psk_use_session_callback",
                    context,
                    Native.pointer(new Native.Upcall() {
                        @Override
                        public long call(
                                long ssl, long digest, long id, long idLength, long session, long f, long g, long h) {
                            Native.view(id, Long.BYTES).putLong(0, IDENTITY);
                            Native.view(idLength, Long.BYTES).putLong(0, 5);
                            Native.view(session, Long.BYTES).putLong(0, session(ssl));
                            return 1;
                        }
                    }),
                    0);
        }
        return context;
    }

    private static long session(long ssl) {
        long session = PskTls.call("SSL_SESSION_new", 0, 0, 0);
        PskTls.call("SSL_SESSION_set1_master_key", session, KEY, 32);
        PskTls.call("SSL_SESSION_set_cipher", session, PskTls.call("SSL_CIPHER_find", ssl, CIPHER, 0), 0);
        PskTls.call("SSL_SESSION_set_protocol_version", session, TLS1_3_VERSION, 0);
        return session;
    }

    private void fill() throws IOException {
        InputStream in = socket.getInputStream();
        int count = in.read(buffer);
        if (count < 0) {
            throw new EOFException("the connection was closed");
        }
        view.put(0, buffer, 0, count);
        call("BIO_write", received, memory, count);
    }

    private void flush() throws IOException {
        int count = (int) SSL.call(bioRead, toSend, memory, BUFFER);
        while (count > 0) {
            view.get(0, buffer, 0, count);
            socket.getOutputStream().write(buffer, 0, count);
            count = (int) SSL.call(bioRead, toSend, memory, BUFFER);
        }
    }

    void write(byte[] bytes) throws IOException {
        for (int from = 0; from < bytes.length; from += BUFFER) {
            int part = Math.min(bytes.length - from, BUFFER);
            view.put(0, bytes, from, part);
            if ((int) call("SSL_write", tls, memory, part) != part) {
                throw new IOException("nothing can be written");
            }
            flush();
        }
    }

    byte[] read(int length) throws IOException {
        byte[] bytes = new byte[length];
        int got = 0;
        while (got < length) {
            int count = (int) SSL.call(read, tls, memory, Math.min(length - got, BUFFER));
            if (count > 0) {
                view.get(0, bytes, got, count);
                got += count;
            } else {
                fill();
            }
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        call("SSL_free", tls, 0, 0);
        SSL.free(memory);
    }

    /** Bytes of this process that a server's connection takes which has had half a ClientHello, as a stranger would leave it. */
    static long bytesOfAStranger(int connections) throws IOException {
        byte[] hello = {0x16, 3, 1, 0x40, 0, 1, 0, 0x3f, (byte) 0xfc, 3, 3};
        long input = memory(new byte[8 * 1024]);
        Native.view(input, hello.length).put(hello);
        long before = resident();
        for (int i = 0; i < connections; i++) {
            long ssl = call("SSL_new", SERVER, 0, 0);
            long kind = call("BIO_s_mem", 0, 0, 0);
            long in = call("BIO_new", kind, 0, 0);
            call("SSL_set_bio", ssl, in, call("BIO_new", kind, 0, 0));
            call("SSL_set_accept_state", ssl, 0, 0);
            call("BIO_write", in, input, 8 * 1024);
            call("SSL_do_handshake", ssl, 0, 0);
        }
        return (resident() - before) / connections;
    }

    private static long resident() throws IOException {
        String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
        return Long.parseLong(pages[1]) * 4096;
    }
}
