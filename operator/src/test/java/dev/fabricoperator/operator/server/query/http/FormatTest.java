/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FormatTest {
    private static final Set<Format> COSTS = EnumSet.of(Format.json, Format.binary, Format.npy);

    @Test
    void theParameterGoesBeforeTheHeader() throws StatusException {
        assertThat(Format.chosen("npy", "application/json", COSTS)).isEqualTo(Format.npy);
    }

    @Test
    void ofAnAcceptHeaderTheBestQualityCountsAndThenTheOrder() throws StatusException {
        assertThat(Format.chosen(null, null, COSTS)).isEqualTo(Format.json);
        assertThat(Format.chosen(null, "application/json, */*", COSTS)).isEqualTo(Format.json);
        assertThat(Format.chosen(null, "application/json;q=0.5, application/octet-stream", COSTS))
                .isEqualTo(Format.binary);
        assertThat(Format.chosen(null, "application/vnd.kubernetes.protobuf, application/json;q=0.9", COSTS))
                .isEqualTo(Format.json);
        assertThat(Format.chosen(null, "application/*", COSTS)).isEqualTo(Format.json);
    }

    @Test
    void whatIsNotOfferedIsRefused() {
        assertThatThrownBy(() -> Format.chosen(null, "image/png", COSTS)).isInstanceOf(StatusException.class);
        assertThatThrownBy(() -> Format.chosen("slurm", null, COSTS)).isInstanceOf(StatusException.class);
        assertThatThrownBy(() -> Format.chosen(null, "*/*;q=0", COSTS)).isInstanceOf(StatusException.class);
    }
}
