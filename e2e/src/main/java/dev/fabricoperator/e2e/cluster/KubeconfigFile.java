/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;

/** Kubeconfig files with one context, everything inside the file. */
public final class KubeconfigFile {
    private KubeconfigFile() {}

    static void writeWithCertificate(Path file, String server, String authorityPem, Pki.Identity identity) {
        write(
                file,
                server,
                authorityPem,
                "{client-certificate-data: " + base64(identity.certificate()) + ", client-key-data: "
                        + base64(identity.key()) + "}");
    }

    /** For a program that calls with a service account's token. */
    public static void writeWithToken(Path file, String server, String authorityPem, String token) {
        write(file, server, authorityPem, "{token: \"" + token + "\"}");
    }

    private static void write(Path file, String server, String authorityPem, String user) {
        String text = """
                apiVersion: v1
                kind: Config
                clusters:
                - name: fabric-operator
                  cluster: {server: "%s", certificate-authority-data: %s}
                users:
                - name: user
                  user: %s
                contexts:
                - name: fabric-operator
                  context: {cluster: fabric-operator, user: user}
                current-context: fabric-operator
                """.formatted(server, base64(authorityPem), user);
        try {
            Files.deleteIfExists(file);
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
