/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.FabricApi;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the content of a Secret may go. */
class UfmCredentialsTest {
    private static Secret secret(Map<String, String> labels, Map<String, String> annotations) {
        String token = Base64.getEncoder().encodeToString("abc".getBytes(StandardCharsets.UTF_8));
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace("ops")
                .withName("ufm")
                .withLabels(labels)
                .withAnnotations(annotations)
                .endMetadata()
                .addToData("token", token)
                .build();
    }

    private static Secret secretFor(String hosts) {
        return secret(Map.of(FabricApi.LABEL_CREDENTIALS, "ufm"), Map.of(FabricApi.ANNOTATION_HOST, hosts));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://ufm.example | ufm.example",
                "https://UFM.example | ufm.EXAMPLE",
                "https://ufm.example:443 | ufm.example",
                "https://ufm.example | ufm.example:443",
                "https://ufm.example:8443 | ufm.example:8443",
                "https://second.example | ufm.example, second.example",
                "https://[::1]:8443 | [::1]:8443",
            })
    void aSecretIsSentToTheHostThatItNames(String url, String hosts) throws UfmException {
        assertThat(UfmCredentials.of(secretFor(hosts), URI.create(url)).authorization())
                .isEqualTo("Basic abc");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://thief.example | ufm.example",
                "https://ufm.example.thief.example | ufm.example",
                "https://ufm.example:8443 | ufm.example",
                "https://ufm.example@thief.example | ufm.example",
                "https://thief@ufm.example | ufm.example",
                "http://ufm.example | ufm.example",
                "https://ufm.example | ''",
                "https:///path | ','",
            })
    void aSecretIsSentToNobodyElseAndTheMessageNamesTheNextStep(String url, String hosts) {
        assertThatThrownBy(() -> UfmCredentials.of(secretFor(hosts), URI.create(url)))
                .isInstanceOf(UfmException.class)
                .hasMessageContaining("Secret ufm is not sent there")
                .hasMessageContaining("kubectl -n ops label secret ufm fabric-operator.dev/credentials=ufm")
                .hasMessageNotContaining("abc");
    }

    @Test
    void aSecretWithoutTheLabelIsSentNowhere() {
        Map<String, String> host = Map.of(FabricApi.ANNOTATION_HOST, "ufm.example");
        URI uri = URI.create("https://ufm.example");
        assertThatThrownBy(() -> UfmCredentials.of(secret(Map.of(), host), uri)).isInstanceOf(UfmException.class);
        assertThatThrownBy(() -> UfmCredentials.of(secret(Map.of(FabricApi.LABEL_CREDENTIALS, "other"), host), uri))
                .isInstanceOf(UfmException.class);
    }
}
