/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.service;

import dev.fabricoperator.pmix.openssl.TlsConnection;
import dev.fabricoperator.pmix.openssl.TlsTrust;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** HTTP/1.1 over one TLS connection, one request at a time; blocking. */
final class HttpConnection implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    /** When all pods of a large job come at once, the server is busy with their hands for seconds; to give up would make it more. */
    private static final int HANDSHAKE_MILLIS = 30_000;

    private static final int LINE_BYTES = 16 * 1024;
    private static final int HEADERS = 200;

    /**
     * @param headers by lower-case name
     */
    record Response(int status, Map<String, String> headers, byte[] body) {}

    private final TlsConnection tls;
    private final byte[] in = new byte[8192];
    private int position;
    private int limit;
    private boolean reusable = true;

    /**
     * Connects and shakes hands.
     *
     * @param serverName that the certificate must be for, whatever the address
     */
    HttpConnection(TlsTrust trust, InetSocketAddress address, String serverName) throws IOException {
        // Without it Java asks its settings for a proxy, and reads a file for that.
        Socket plain = new Socket(Proxy.NO_PROXY);
        try {
            plain.setTcpNoDelay(true);
            plain.connect(address, CONNECT_MILLIS);
            plain.setSoTimeout(HANDSHAKE_MILLIS);
            tls = new TlsConnection(trust, plain, serverName);
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    boolean isReusable() {
        return reusable;
    }

    /**
     * @param head request line and headers without the length, each line with CR LF
     * @param longestBody in bytes
     * @throws IOException if the connection fails, the answer is no HTTP or longer
     */
    Response exchange(String head, byte[] body, int timeoutMillis, int longestBody) throws IOException {
        reusable = false;
        tls.setTimeout(timeoutMillis);
        byte[] start = (head + "Content-Length: " + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream request = new ByteArrayOutputStream(start.length + body.length);
        request.writeBytes(start);
        request.writeBytes(body);
        tls.write(request.toByteArray());
        int status = status(line());
        Map<String, String> headers = headers();
        byte[] answer = body(status, headers, longestBody);
        reusable = !"close".equalsIgnoreCase(headers.get("connection"));
        return new Response(status, headers, answer);
    }

    private static int status(String line) throws IOException {
        if (!line.startsWith("HTTP/1.1 ") || line.length() < 12) {
            throw new IOException("no HTTP/1.1 answer");
        }
        return number(line.substring(9, 12), 10);
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        String line = line();
        while (!line.isEmpty()) {
            int colon = line.indexOf(':');
            if (colon <= 0 || headers.size() >= HEADERS) {
                throw new IOException("bad headers in the answer");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).trim());
            line = line();
        }
        return headers;
    }

    private byte[] body(int status, Map<String, String> headers, int longest) throws IOException {
        if (status == 204 || status == 304) {
            return new byte[0];
        }
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return chunks(longest);
        }
        String length = headers.get("content-length");
        if (length == null && status == 205) {
            return new byte[0];
        }
        if (length == null) {
            throw new IOException("an answer without a length");
        }
        return exactly(number(length, 10), longest);
    }

    private byte[] chunks(int longest) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int size = chunkSize();
        while (size > 0) {
            body.writeBytes(exactly(size, longest - body.size()));
            line();
            size = chunkSize();
        }
        headers();
        return body.toByteArray();
    }

    private int chunkSize() throws IOException {
        String line = line();
        int end = line.indexOf(';');
        return number(end < 0 ? line : line.substring(0, end).trim(), 16);
    }

    private byte[] exactly(int length, int longest) throws IOException {
        if (length > longest) {
            throw new IOException("an answer of more than " + longest + " bytes");
        }
        byte[] bytes = new byte[length];
        int got = Math.min(length, limit - position);
        System.arraycopy(in, position, bytes, 0, got);
        position += got;
        while (got < length) {
            int count = tls.read(bytes, got, length - got);
            if (count < 0) {
                throw new EOFException("the answer ends too early");
            }
            got += count;
        }
        return bytes;
    }

    private static int number(String text, int radix) throws IOException {
        try {
            int number = Integer.parseInt(text, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // As for a negative one.
        }
        throw new IOException("no number in the answer where one belongs");
    }

    private int read() throws IOException {
        if (position == limit) {
            position = 0;
            limit = Math.max(0, tls.read(in, 0, in.length));
        }
        return limit == 0 ? -1 : in[position++] & 0xff;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        int next = read();
        while (next != '\n') {
            if (next < 0) {
                throw new EOFException("the connection was closed");
            }
            if (line.length() >= LINE_BYTES) {
                throw new IOException("a line of more than " + LINE_BYTES + " bytes in the answer");
            }
            if (next != '\r') {
                line.append((char) next);
            }
            next = read();
        }
        return line.toString();
    }

    @Override
    public void close() {
        reusable = false;
        tls.close();
    }
}
