/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix;

/**
 * Data types of PMIx that fabric attributes use; the name is the C constant without its prefix.
 *
 * @see "PMIx Standard, pmix_data_type_t; pmix_common.h"
 */
public enum PmixType {
    STRING,
    SIZE,
    UINT32,
    DEVTYPE,
    LINK_STATE,
    DATA_ARRAY
}
