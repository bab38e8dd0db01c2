/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** What the job service tells the first pod of a job about the job's fabric and of who watches the job, and each pod those below it. */
public sealed interface JobFabricUpdate {
    /** Another generation is on its way; all values still hold. PMIX_FABRIC_UPDATE_PENDING. */
    record Pending() implements JobFabricUpdate {
        @Override
        public byte[] encoded() {
            return new byte[] {PENDING};
        }
    }

    /**
     * Another generation holds. PMIX_FABRIC_UPDATED.
     *
     * @param map the same job with the values of that generation
     * @param encoded as {@link JobMapCodec} does
     */
    record Updated(JobMap map, byte[] encoded) implements JobFabricUpdate {}

    /**
     * Which devices of the job have a link that may be about to fail, as things are now: all others have none. {@link
     * dev.fabricoperator.protocol.pmix.PmixStatus#LINK_IMPAIRED} for those that were not there before, {@code LINK_RESTORED} for those that are not any
     * more. Only a pod that has said what it knows is told it; one of a release before that has no use for it logs a line.
     *
     * @param devices each once, in the order of their pods
     */
    record Impaired(List<ImpairedDevice> devices) implements JobFabricUpdate {
        /** {@link #digest} of none. */
        public static final String NONE = "-";

        private static final int DIGEST_BYTES = 8;
        private static final int LEAST_BYTES = 3;

        public Impaired {
            devices = List.copyOf(devices);
        }

        /** The same for the same devices, whatever is said of them: what a device has more than one sign of is told once. */
        public String digest() {
            if (devices.isEmpty()) {
                return NONE;
            }
            MessageWriter out = new MessageWriter();
            for (ImpairedDevice each : devices) {
                out.writeCount(each.pod());
                out.writeText(each.deviceId());
            }
            return HexFormat.of().formatHex(JobTicketCodec.digestOf(out.toBytes()), 0, DIGEST_BYTES);
        }

        @Override
        public byte[] encoded() {
            MessageWriter out = new MessageWriter();
            out.writeByte(IMPAIRED);
            out.writeCount(devices.size());
            for (ImpairedDevice each : devices) {
                out.writeCount(each.pod());
                out.writeText(each.deviceId());
                out.writeText(each.words());
            }
            return out.toBytes();
        }

        private static Impaired decode(byte[] bytes) throws JobCodecException {
            MessageReader in = new MessageReader(bytes, 1);
            int count = in.readCount("impaired devices", LEAST_BYTES);
            List<ImpairedDevice> devices = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                devices.add(new ImpairedDevice(
                        in.readNumber("a pod's number", Integer.MAX_VALUE),
                        in.readText("a device's id"),
                        in.readText("what is said of a device")));
            }
            in.end();
            return new Impaired(devices);
        }
    }

    /**
     * Whether somebody watches what the job sends: pods then tell it once a second. Only a pod that has said whether it does is told it; one of a release
     * before that is below it logs a line.
     */
    record TrafficWanted(boolean wanted) implements JobFabricUpdate {
        private static final int BYTES = 2;

        @Override
        public byte[] encoded() {
            return new byte[] {TRAFFIC, (byte) (wanted ? 1 : 0)};
        }

        private static TrafficWanted decode(byte[] bytes) throws JobCodecException {
            if (bytes.length != BYTES || bytes[1] < 0 || bytes[1] > 1) {
                throw new JobCodecException("whether traffic is wanted is said in " + bytes.length
                        + " bytes, of which the second is 0 or 1 and the last");
            }
            return new TrafficWanted(bytes[1] == 1);
        }
    }

    /**
     * A device of one pod whose link may be about to fail, or over which packets reach such a link.
     *
     * @param pod place in {@link JobMap#pods}
     * @param deviceId PMIX_DEVICE_ID
     * @param words which link, and why, such as {@code mlx5_0 port 1 of node-3: 40 symbol errors in 2 s}
     */
    record ImpairedDevice(int pod, String deviceId, String words) {}

    /** No map begins with it, nor with the next two. */
    byte PENDING = 'P';

    byte IMPAIRED = 'I';

    byte TRAFFIC = 'T';

    /** Not to be changed. */
    byte[] encoded();

    /** @throws JobCodecException with a sentence that says what is wrong, where this is no update */
    static JobFabricUpdate decode(byte[] bytes) throws JobCodecException {
        if (bytes.length == 1 && bytes[0] == PENDING) {
            return new Pending();
        }
        if (bytes.length > 0 && bytes[0] == TRAFFIC) {
            return TrafficWanted.decode(bytes);
        }
        return bytes.length > 0 && bytes[0] == IMPAIRED
                ? Impaired.decode(bytes)
                : new Updated(JobMapCodec.decode(bytes), bytes);
    }
}
