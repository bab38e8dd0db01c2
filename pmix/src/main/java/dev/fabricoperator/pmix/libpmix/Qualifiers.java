/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.*;

import dev.fabricoperator.protocol.pmix.PmixStatus;
import org.jspecify.annotations.Nullable;

/**
 * What a query or a fabric request says of what it means.
 *
 * @param status PMIX_ERR_NOT_SUPPORTED where a qualifier is required and unknown here
 * @param deviceName PMIX_FABRIC_DEVICE_NAME, in the node that is named
 * @param deviceTypes PMIX_DEVICE_TYPE, one or more bits
 */
record Qualifiers(
        int status,
        @Nullable String nspace,
        @Nullable String hostname,
        @Nullable Long nodeId,
        @Nullable Long fabricIndex,
        @Nullable String fabricIdentifier,
        @Nullable String fabricVendor,
        @Nullable String plane,
        @Nullable String switchId,
        @Nullable String deviceId,
        @Nullable String deviceName,
        @Nullable Long deviceIndex,
        @Nullable Long deviceTypes,
        @Nullable String processSet) {
    private static final int TEXT_LIMIT = 1024;

    static Qualifiers of(InfoView[] infos) {
        int status = PmixStatus.PMIX_SUCCESS;
        String nspace = null;
        String hostname = null;
        Long nodeId = null;
        Long fabricIndex = null;
        String fabricIdentifier = null;
        String fabricVendor = null;
        String plane = null;
        String switchId = null;
        String deviceId = null;
        String deviceName = null;
        Long deviceIndex = null;
        Long deviceTypes = null;
        String processSet = null;
        for (InfoView info : infos) {
            switch (info.key()) {
                case PMIX_NSPACE -> nspace = info.text(TEXT_LIMIT);
                case PMIX_PROCID -> nspace = info.procNspace();
                case PMIX_HOSTNAME -> hostname = info.text(TEXT_LIMIT);
                case PMIX_NODEID -> nodeId = info.number();
                case PMIX_FABRIC_INDEX -> fabricIndex = info.number();
                case PMIX_FABRIC_IDENTIFIER -> fabricIdentifier = info.text(TEXT_LIMIT);
                case PMIX_FABRIC_VENDOR -> fabricVendor = info.text(TEXT_LIMIT);
                case PMIX_FABRIC_PLANE -> plane = info.text(TEXT_LIMIT);
                case PMIX_FABRIC_SWITCH -> switchId = info.text(TEXT_LIMIT);
                case PMIX_DEVICE_ID -> deviceId = info.text(TEXT_LIMIT);
                case PMIX_FABRIC_DEVICE_NAME -> deviceName = info.text(TEXT_LIMIT);
                case PMIX_FABRIC_DEVICE_INDEX -> deviceIndex = info.number();
                case PMIX_DEVICE_TYPE -> deviceTypes = info.number();
                case PMIX_PSET_NAME -> processSet = info.text(TEXT_LIMIT);
                default -> status = info.isRequired() ? PmixStatus.PMIX_ERR_NOT_SUPPORTED : status;
            }
        }
        return new Qualifiers(
                status,
                nspace,
                hostname,
                nodeId,
                fabricIndex,
                fabricIdentifier,
                fabricVendor,
                plane,
                switchId,
                deviceId,
                deviceName,
                deviceIndex,
                deviceTypes,
                processSet);
    }

    boolean nameNode() {
        return hostname != null || nodeId != null;
    }

    boolean nameDevice() {
        return deviceId != null || deviceName != null || deviceIndex != null;
    }
}
