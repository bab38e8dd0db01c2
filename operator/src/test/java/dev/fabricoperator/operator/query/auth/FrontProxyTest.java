/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.query.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.MultiMap;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FrontProxyTest {
    @Test
    void withoutAnAuthorityNobodysHeadersAreBelieved() {
        assertThat(FrontProxy.of(Map.of())).isSameAs(FrontProxy.NONE);
        assertThat(FrontProxy.NONE.trusts(List.of(), new Date())).isFalse();
        assertThat(FrontProxy.NONE.caller(MultiMap.caseInsensitiveMultiMap().add("X-Remote-User", "admin")))
                .isNull();
    }

    @Test
    void anAuthorityThatIsNoneIsAnError() {
        assertThatThrownBy(() -> FrontProxy.of(Map.of("requestheader-client-ca-file", "nonsense")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
