/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.operator.server.query.http.StatusException;
import org.junit.jupiter.api.Test;

class IndicesTest {
    private static int[] read(String text) throws StatusException {
        return Indices.of("rows", text, 10, 20, new int[] {1});
    }

    @Test
    void rangesAndNumbersKeepTheirOrder() throws StatusException {
        assertThat(read("9,0-2,5")).containsExactly(9, 0, 1, 2, 5);
        assertThat(Indices.of("rows", null, 10, 20, new int[] {1})).containsExactly(1);
    }

    @Test
    void whatIsNoListOfIndicesIsRefused() {
        for (String text : new String[] {"", "a", "-1", "1-", "3-1", "10", "0-10", "1,,2", "99999999999999999999"}) {
            assertThatThrownBy(() -> read(text)).as(text).isInstanceOf(StatusException.class);
        }
    }

    @Test
    void moreThanTheLimitIsRefused() {
        assertThatThrownBy(() -> read("0-9,0-9,0"))
                .isInstanceOfSatisfying(
                        StatusException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(413));
    }
}
