/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@link PodReport} as bytes: magic {@code FPR}, a version byte, then the record's fields in order. Numbers are variable
 * (seven bits a byte, the lowest first), texts and addresses follow their length, an absent text has a flag.
 *
 * <p>The reader is for reports of untrusted pods: memory and time are linear in a length that is at most
 * {@link #LONGEST_BYTES}. No reflection and no generated classes, since pmixd uses this while it starts.
 */
public final class PodReportCodec {
    /** Longer reports are refused: a report of 256 devices takes less than 32 KiB. */
    public static final int LONGEST_BYTES = 64 * 1024;

    private static final int MAGIC = 'F' << 16 | 'P' << 8 | 'R';
    private static final int VERSION = 2;
    /** Of a report with a {@link RunRequest} behind all else. */
    private static final int VERSION_WITH_RUN = 3;

    private static final int INSTANCE_BYTES = 16;
    private static final int MOST_RANKS = 1 << 16;
    private static final int MOST_RUN_RANKS = 1 << 24;
    private static final int LONGEST_TEXT = 4096;
    private static final int LONGEST_NAME = 255;
    private static final int LEAST_DEVICE_BYTES = 6;
    /** The launcher tells of 256 interfaces at most. Of devices without a name 10,000 fit into a report, and each takes 600 bytes in the job's map. */
    public static final int MOST_DEVICES = 1024;

    private PodReportCodec() {}

    /** @throws IllegalArgumentException where the report has a number that it cannot have, or an instance that is not 16 bytes */
    public static byte[] encode(PodReport report) {
        if (report.instance().length != INSTANCE_BYTES) {
            throw new IllegalArgumentException("an instance has 16 bytes, not " + report.instance().length);
        }
        MessageWriter out = new MessageWriter();
        RunRequest run = report.run();
        out.writeInt(MAGIC << 8 | (run == null ? VERSION : VERSION_WITH_RUN));
        out.writeBytes(report.instance());
        out.writeCount(report.after() + 1L);
        out.writeCounted(report.address());
        out.writeShort(report.port());
        out.writeCount(report.ranks());
        out.writeText(report.cpuset());
        out.writeText(report.numaNodes());
        out.writeCount(report.devices().size());
        for (PodReport.OpenDevice device : report.devices()) {
            out.writeText(device.osName());
            writeOptional(device.nodeGuid(), out);
            writeOptional(device.macAddress(), out);
            writeOptional(device.pciAddress(), out);
            out.writeByte(device.own() ? 1 : 0);
            EndpointCodec.write(device.endpoint(), out);
        }
        if (run != null) {
            out.writeCount(run.ranks());
            out.writeCount(run.ranksPerPod());
            out.writeByte(run.oversubscribe() ? 1 : 0);
        }
        return out.toBytes();
    }

    /** @throws JobCodecException with a sentence that says what is wrong, where this is no report */
    public static PodReport decode(byte[] bytes) throws JobCodecException {
        if (bytes.length > LONGEST_BYTES) {
            throw new JobCodecException("a report of " + bytes.length + " bytes, more than " + LONGEST_BYTES);
        }
        MessageReader in = new MessageReader(bytes, 0);
        int head = in.readInt();
        if (head >>> 8 != MAGIC) {
            throw new JobCodecException("no report of a pod: it begins with other bytes");
        }
        int version = head & 0xff;
        if (version != VERSION && version != VERSION_WITH_RUN) {
            throw new JobCodecException("a report of version " + version + ", and this program reads " + VERSION
                    + " and " + VERSION_WITH_RUN);
        }
        byte[] instance = in.readBytes(INSTANCE_BYTES);
        int after = in.readNumber("the attempt", Integer.MAX_VALUE) - 1;
        byte[] address = in.readAddress("the pod's address");
        int port = in.readShort();
        int ranks = in.readNumber("the number of ranks", MOST_RANKS);
        String cpuset = bounded(in.readText("the cpuset"), "the cpuset", LONGEST_TEXT);
        String numaNodes = bounded(in.readText("the NUMA nodes"), "the NUMA nodes", LONGEST_TEXT);
        int count = in.readCount("devices", LEAST_DEVICE_BYTES);
        if (count > MOST_DEVICES) {
            throw new JobCodecException("a report of " + count + " devices, more than " + MOST_DEVICES);
        }
        List<PodReport.OpenDevice> devices = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            devices.add(device(in));
        }
        RunRequest run = version == VERSION ? null : run(in);
        in.end();
        if (port == 0 || (ranks == 0) != (run != null)) {
            throw new JobCodecException("a pod without a port, or without ranks and what it asks for");
        }
        return new PodReport(instance, after, address, port, ranks, cpuset, numaNodes, devices).asking(run);
    }

    private static RunRequest run(MessageReader in) throws JobCodecException {
        return new RunRequest(
                in.readNumber("the ranks of the run", MOST_RUN_RANKS),
                in.readNumber("the run's ranks of each pod", MOST_RANKS),
                in.readByte() != 0);
    }

    private static PodReport.OpenDevice device(MessageReader in) throws JobCodecException {
        return new PodReport.OpenDevice(
                bounded(in.readText("a device's name"), "a device's name", LONGEST_NAME),
                readOptional("a node GUID", in),
                readOptional("a MAC address", in),
                readOptional("a PCI address", in),
                in.readByte() != 0,
                EndpointCodec.read(in));
    }

    private static void writeOptional(@Nullable String text, MessageWriter out) {
        out.writeByte(text == null ? 0 : 1);
        if (text != null) {
            out.writeText(text);
        }
    }

    private static @Nullable String readOptional(String what, MessageReader in) throws JobCodecException {
        return in.readByte() == 0 ? null : bounded(in.readText(what), what, LONGEST_NAME);
    }

    private static String bounded(String text, String what, int longest) throws JobCodecException {
        if (text.length() > longest) {
            throw new JobCodecException(what + " has " + text.length() + " characters, more than " + longest);
        }
        return text;
    }
}
