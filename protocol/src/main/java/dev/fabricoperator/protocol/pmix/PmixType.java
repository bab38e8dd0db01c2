/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.pmix;

/**
 * Data types of PMIx that are used here; the name is the C constant without its prefix.
 *
 * @see "PMIx Standard, pmix_data_type_t; pmix_common.h"
 */
public enum PmixType {
    UNDEF(0),
    BYTE(2),
    STRING(3),
    SIZE(4),
    UINT32(14),
    DEVTYPE(57),
    LINK_STATE(51),
    DATA_ARRAY(39),
    BOOL(1),
    INT(6),
    INT8(7),
    INT16(8),
    INT32(9),
    INT64(10),
    UINT(11),
    UINT8(12),
    UINT16(13),
    UINT64(15),
    STATUS(20),
    VALUE(21),
    PROC(22),
    INFO(24),
    BYTE_OBJECT(27),
    PERSIST(30),
    DATA_RANGE(33),
    PROC_INFO(38),
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
