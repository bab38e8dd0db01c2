/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EndpointTemplate} in a message: 0 for none, else a number that stays the format's for ever, since the two ends
 * of a message may be of different releases.
 */
final class EndpointCodec {
    private static final int NONE = 0;
    private static final int SOCKADDR_IN = 1;
    private static final int SOCKADDR_IN6 = 2;
    private static final int SOCKADDR_IB = 3;
    private static final int CXI = 4;
    private static final int EFA = 5;
    private static final int LONGEST_ADDRESS = 64;
    private static final int UNSIGNED_16_BIT = 0xffff;

    private EndpointCodec() {}

    static void write(@Nullable EndpointTemplate endpoint, MessageWriter out) {
        if (endpoint == null) {
            out.writeByte(NONE);
            return;
        }
        out.writeByte(
                switch (endpoint.format()) {
                    case FI_SOCKADDR_IN -> SOCKADDR_IN;
                    case FI_SOCKADDR_IN6 -> SOCKADDR_IN6;
                    case FI_SOCKADDR_IB -> SOCKADDR_IB;
                    case FI_ADDR_CXI -> CXI;
                    case FI_ADDR_EFA -> EFA;
                });
        out.writeCounted(endpoint.address());
        out.writeCount(endpoint.firstPort());
        out.writeCount(endpoint.lid());
    }

    static @Nullable EndpointTemplate read(MessageReader in) throws JobCodecException {
        int kind = in.readByte();
        if (kind == NONE) {
            return null;
        }
        EndpointTemplate.Format format = switch (kind) {
            case SOCKADDR_IN -> EndpointTemplate.Format.FI_SOCKADDR_IN;
            case SOCKADDR_IN6 -> EndpointTemplate.Format.FI_SOCKADDR_IN6;
            case SOCKADDR_IB -> EndpointTemplate.Format.FI_SOCKADDR_IB;
            case CXI -> EndpointTemplate.Format.FI_ADDR_CXI;
            case EFA -> EndpointTemplate.Format.FI_ADDR_EFA;
            default ->
                throw new JobCodecException(String.format(Locale.ROOT, "an endpoint of the unknown format %d", kind));
        };
        byte[] address = in.readCounted("an endpoint's address");
        if (address.length > LONGEST_ADDRESS) {
            throw new JobCodecException("an endpoint's address has " + address.length + " bytes, more than 64");
        }
        int firstPort = in.readNumber("an endpoint's port", UNSIGNED_16_BIT);
        int lid = in.readNumber("an endpoint's LID", UNSIGNED_16_BIT);
        return new EndpointTemplate(format, address, firstPort, lid);
    }
}
