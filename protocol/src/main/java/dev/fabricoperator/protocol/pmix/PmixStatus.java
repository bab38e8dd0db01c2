/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.pmix;

/**
 * Values of {@code pmix_status_t}, those that are used here.
 *
 * @see "pmix_common.h of libpmix 5.0.7"
 */
public final class PmixStatus {
    public static final int PMIX_SUCCESS = 0;
    public static final int PMIX_ERROR = -1;
    public static final int PMIX_ERR_INVALID_CRED = -12;
    public static final int PMIX_ERR_NO_PERMISSIONS = -23;
    public static final int PMIX_ERR_TIMEOUT = -24;
    public static final int PMIX_ERR_UNREACH = -25;
    public static final int PMIX_ERR_BAD_PARAM = -27;
    public static final int PMIX_ERR_OUT_OF_RESOURCE = -29;
    public static final int PMIX_ERR_NOT_FOUND = -46;
    public static final int PMIX_ERR_NOT_SUPPORTED = -47;
    public static final int PMIX_ERR_PARTIAL_SUCCESS = -52;
    public static final int PMIX_ERR_DUPLICATE_KEY = -53;
    public static final int PMIX_ERR_LOST_CONNECTION = -61;
    public static final int PMIX_FABRIC_UPDATE_ENDPOINTS = -113;
    public static final int PMIX_OPERATION_SUCCEEDED = -157;
    public static final int PMIX_ERR_INVALID_OPERATION = -158;
    public static final int PMIX_FABRIC_UPDATED = -175;
    public static final int PMIX_FABRIC_UPDATE_PENDING = -176;
    public static final int PMIX_EVENT_NODE_DOWN = -231;

    /** PMIX_EXTERNAL_ERR_BASE, from which programs beside the library count their own codes down. */
    public static final int PMIX_EXTERNAL_ERR_BASE = -3000;

    /** A link that ranks use may be about to fail. */
    public static final int LINK_IMPAIRED = PMIX_EXTERNAL_ERR_BASE - 1;
    /** Such a link has been well for the quiet time. */
    public static final int LINK_RESTORED = PMIX_EXTERNAL_ERR_BASE - 2;

    /** What the job of a process has sent, to a process that monitors it. */
    public static final int TRAFFIC_REPORT = PMIX_EXTERNAL_ERR_BASE - 3;

    private PmixStatus() {}
}
