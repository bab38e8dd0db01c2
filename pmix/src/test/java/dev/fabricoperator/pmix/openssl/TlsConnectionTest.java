/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.openssl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Random;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against Java's own TLS as the server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsConnectionTest {
    private static final String NAME = "fabric-operator-jobs.test.svc";
    private static final String SAN = "san=dns:" + NAME;

    private TestKeys keys;

    /** What a server does with a connection whose hands are shaken. */
    private interface Talk {
        void with(SSLSocket socket) throws IOException;
    }

    @BeforeAll
    void makeKeys(@TempDir Path directory) throws IOException {
        keys = new TestKeys(directory.resolve("keys.p12"));
        keys.make("ca", "ca", "-ext", "bc:c=ca:true");
        keys.make("stranger", "ca", "-ext", "bc:c=ca:true");
        keys.make("middle", "middle", "-signer", "ca", "-ext", "bc:c=ca:true");
        keys.make("server", "server", "-signer", "ca", "-ext", SAN);
        keys.make("below", "below", "-signer", "middle", "-ext", SAN);
        keys.make("rsa", "rsa", "-signer", "ca", "-ext", SAN, "-keyalg", "RSA", "-keysize", "2048");
        keys.make("other", "other", "-signer", "ca", "-ext", "san=dns:other.test.svc");
        keys.make("subject", NAME, "-signer", "ca");
        keys.make("late", "late", "-signer", "ca", "-ext", SAN, "-startdate", "-3d", "-validity", "2");
        keys.make("early", "early", "-signer", "ca", "-ext", SAN, "-startdate", "+1d");
        keys.make("client", "client", "-signer", "ca", "-ext", SAN, "-ext", "eku=clientAuth");
        keys.make("usurper", "usurper", "-signer", "server", "-ext", SAN);
        keys.make("address", "address", "-signer", "ca", "-ext", "san=ip:127.0.0.1");
        keys.make("alone", "alone", "-ext", SAN);
    }

    private static void echo(SSLSocket socket) throws IOException {
        socket.getInputStream().transferTo(socket.getOutputStream());
    }

    private static void echoUntilDot(SSLSocket socket) throws IOException {
        InputStream in = socket.getInputStream();
        int next = in.read();
        while (next >= 0 && next != '.') {
            socket.getOutputStream().write(next);
            next = in.read();
        }
        socket.close();
    }

    private interface Use {
        void of(TlsConnection connection) throws IOException;
    }

    private void connect(String server, String trusted, String name, String protocol, Talk talk, Use use)
            throws IOException, GeneralSecurityException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try (SSLServerSocket listening = (SSLServerSocket)
                        keys.server(server).getServerSocketFactory().createServerSocket(0, 1, loopback);
                TlsTrust trust = TlsTrust.of(trusted)) {
            listening.setEnabledProtocols(new String[] {protocol});
            Thread thread = new Thread(() -> {
                try (SSLSocket socket = (SSLSocket) listening.accept()) {
                    talk.with(socket);
                } catch (IOException e) {
                    // What the other end makes of it is what counts.
                }
            });
            thread.setDaemon(true);
            thread.start();
            try (Socket socket = new Socket(loopback, listening.getLocalPort())) {
                socket.setSoTimeout(60_000);
                try (TlsConnection connection = new TlsConnection(trust, socket, name)) {
                    use.of(connection);
                }
            }
        }
    }

    private void connect(String server, String trusted, String name) throws IOException, GeneralSecurityException {
        connect(server, keys.pem(trusted), name, "TLSv1.3", TlsConnectionTest::echo, connection -> {
            connection.write(new byte[] {1, 2, 3});
            byte[] back = new byte[3];
            for (int got = 0; got < 3; ) {
                got += connection.read(back, got, 3 - got);
            }
            assertThat(back).containsExactly(1, 2, 3);
        });
    }

    /** Pods that come back all at once spare the server its signature each. */
    @Test
    void aLaterConnectionToTheSameServerAndNameResumesAndOneToAnotherServerDoesNot() throws Exception {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try (TlsTrust trust = TlsTrust.of(keys.pem("ca"));
                SSLServerSocket first = (SSLServerSocket)
                        keys.server("server").getServerSocketFactory().createServerSocket(0, 1, loopback);
                SSLServerSocket second = (SSLServerSocket)
                        keys.server("server").getServerSocketFactory().createServerSocket(0, 1, loopback)) {
            assertThat(isResumed(trust, first)).isFalse();
            assertThat(isResumed(trust, first)).isTrue();
            assertThat(isResumed(trust, second)).isFalse();
            assertThat(isResumed(trust, second)).isTrue();
        }
    }

    private static boolean isResumed(TlsTrust trust, SSLServerSocket server) throws IOException {
        Thread thread = new Thread(() -> {
            try (SSLSocket socket = (SSLSocket) server.accept()) {
                echoUntilDot(socket);
            } catch (IOException e) {
                // What the other end makes of it is what counts.
            }
        });
        thread.setDaemon(true);
        thread.start();
        try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                TlsConnection connection = new TlsConnection(trust, socket, NAME)) {
            connection.write(new byte[] {1, '.'});
            assertThat(connection.read(new byte[1], 0, 1)).isOne();
            return connection.isResumed();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "server, ca",
        "rsa, ca",
        "below, ca",
        // Each certificate that is handed in is trusted, whatever stands above it.
        "below, middle",
        "server, server",
        "alone, alone"
    })
    void aServerIsAcceptedThatHasTheNameAndComesFromATrustedCertificate(String server, String trusted)
            throws Exception {
        connect(server, trusted, NAME);
    }

    @Test
    void anAddressIsANameToo() throws Exception {
        connect("address", "ca", "127.0.0.1");
        assertThatThrownBy(() -> connect("server", "ca", "127.0.0.1")).hasMessageContaining("IP address mismatch");
    }

    @ParameterizedTest
    @CsvSource({
        "server, stranger, self-signed certificate in certificate chain",
        "alone, ca, self-signed certificate",
        "other, ca, hostname mismatch",
        "subject, ca, hostname mismatch",
        "late, ca, certificate has expired",
        "early, ca, certificate is not yet valid",
        "client, ca, unsuitable certificate purpose|unsupported certificate purpose",
        "usurper, ca, invalid CA certificate"
    })
    void anyOtherServerIsRefusedAndTheReasonIsSaid(String server, String trusted, String reason) {
        assertThatThrownBy(() -> connect(server, trusted, NAME))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("its certificate is not accepted: ")
                .message()
                .containsAnyOf(reason.split("[|]"));
    }

    @Test
    void anOlderTlsIsRefused() {
        assertThatThrownBy(() ->
                        connect("server", keys.pem("ca"), NAME, "TLSv1.2", TlsConnectionTest::echo, connection -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("TLS");
    }

    @Test
    void manyAuthoritiesMayBeTrusted() throws Exception {
        String both = "Comment\n" + keys.pem("stranger") + keys.pem("ca");
        connect("server", both, NAME, "TLSv1.3", TlsConnectionTest::echo, connection -> {});
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "none", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"})
    void withoutACertificateNobodyCanBeTrusted(String pem) {
        assertThatThrownBy(() -> TlsTrust.of(pem)).isInstanceOf(IOException.class);
    }

    @Test
    void longTextsArriveWhole() throws Exception {
        byte[] text = new byte[300_000];
        new Random(1).nextBytes(text);
        connect("server", keys.pem("ca"), NAME, "TLSv1.3", TlsConnectionTest::echo, connection -> {
            ByteArrayOutputStream back = new ByteArrayOutputStream();
            byte[] part = new byte[50_000];
            for (int from = 0; from < text.length; from += part.length) {
                System.arraycopy(text, from, part, 0, part.length);
                connection.write(part);
                int got = 0;
                while (got < part.length) {
                    got += connection.read(part, got, part.length - got);
                }
                back.writeBytes(part);
            }
            assertThat(back.toByteArray()).isEqualTo(text);
        });
    }

    @Test
    void theEndThatTheServerAnnouncesIsNoError() throws Exception {
        connect("server", keys.pem("ca"), NAME, "TLSv1.3", TlsConnectionTest::echoUntilDot, connection -> {
            connection.write(new byte[] {'a', '.'});
            byte[] back = new byte[10];
            assertThat(connection.read(back, 0, 10)).isEqualTo(1);
            assertThat(connection.read(back, 0, 10)).isEqualTo(-1);
        });
    }

    @Test
    void theTimeLimitOfAReadHolds() throws Exception {
        connect("server", keys.pem("ca"), NAME, "TLSv1.3", TlsConnectionTest::echo, connection -> {
            connection.setTimeout(50);
            assertThatThrownBy(() -> connection.read(new byte[1], 0, 1)).isInstanceOf(SocketTimeoutException.class);
        });
    }

    @Test
    void aConnectionThatIsCutIsAnErrorAndNoEnd() throws Exception {
        // A relay that stops after the handshake, without a farewell in TLS.
        try (var relay = new CutRelay(keys.server("server"));
                TlsTrust trust = TlsTrust.of(keys.pem("ca"));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), relay.port())) {
            socket.setSoTimeout(60_000);
            try (TlsConnection connection = new TlsConnection(trust, socket, NAME)) {
                relay.cut();
                assertThatThrownBy(() -> connection.read(new byte[10], 0, 10)).isInstanceOf(EOFException.class);
            }
        }
    }
}
