/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix;

/**
 * Data types of PMIx that are used here; the name is the C constant without its prefix.
 *
 * @see "PMIx Standard, pmix_data_type_t; pmix_common.h"
 */
public enum PmixType {
    STRING(3),
    SIZE(4),
    UINT32(14),
    DEVTYPE(57),
    LINK_STATE(51),
    DATA_ARRAY(39),
    BOOL(1),
    INT(6),
    UINT16(13),
    PROC(22),
    INFO(24),
    PROC_RANK(40),
    GEOMETRY(53),
    DEVICE_DIST(54),
    ENDPOINT(55);

    private final int code;

    PmixType(int code) {
        this.code = code;
    }

    /** The value of {@code pmix_data_type_t}, unsigned 16 bit. */
    public int code() {
        return code;
    }
}
