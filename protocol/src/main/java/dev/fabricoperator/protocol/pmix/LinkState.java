/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.pmix;

import dev.fabricoperator.fabric.device.PortState;

/**
 * State of a link as PMIx tells it.
 *
 * @see "PMIx Standard, Fabric Support, pmix_link_state_t; pmix_common.h"
 */
public enum LinkState {
    PMIX_LINK_STATE_UNKNOWN(0),
    PMIX_LINK_DOWN(1),
    PMIX_LINK_UP(2);

    private final int code;

    LinkState(int code) {
        this.code = code;
    }

    /** The value of {@code pmix_link_state_t}, unsigned 8 bit. */
    public int code() {
        return code;
    }

    /** Only an Active port carries traffic; Armed and Init wait for the subnet manager, which PMIx has no word for. */
    public static LinkState of(PortState state) {
        return switch (state) {
            case Active -> PMIX_LINK_UP;
            case Armed, Init, Down -> PMIX_LINK_DOWN;
            case Unknown -> PMIX_LINK_STATE_UNKNOWN;
        };
    }
}
