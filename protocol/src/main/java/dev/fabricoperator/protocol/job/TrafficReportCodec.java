/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import dev.fabricoperator.protocol.job.TrafficReport.Basis;
import dev.fabricoperator.protocol.job.TrafficReport.DeviceTraffic;
import dev.fabricoperator.protocol.job.TrafficReport.Pair;
import dev.fabricoperator.protocol.job.TrafficReport.Pod;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@link TrafficReport} as bytes: magic {@code FJR}, a version byte, then the record's fields in order; some 20 bytes a pair, and 40 and its name a pod. */
public final class TrafficReportCodec {
    /** Of a job of 16,000 pods whose names are not unusually long, as far as its devices have room. */
    public static final int LONGEST_BYTES = 2 << 20;

    private static final int MAGIC = 'F' << 16 | 'J' << 8 | 'R';
    private static final int VERSION = 1;
    private static final int LONGEST_NAME = 253;
    private static final int LONGEST_DEVICE = 128;
    /** That a number may be longer because others are left out. */
    private static final int LONGEST_NUMBER_BYTES = 9;

    private static final int LEAST_POD_BYTES = 5;
    private static final int LEAST_DEVICE_BYTES = 5;
    private static final int LEAST_PAIR_BYTES = 5;

    private TrafficReportCodec() {}

    /** What would be longer than {@link #LONGEST_BYTES} is without the ids of its devices, and then without those devices that have the fewest bytes. */
    public static byte[] encode(TrafficReport report) {
        byte[] whole = encodeWhole(report);
        if (whole.length <= LONGEST_BYTES) {
            return whole;
        }
        TrafficReport withoutIds = report.withoutDeviceIds();
        byte[] shorter = encodeWhole(withoutIds);
        if (shorter.length <= LONGEST_BYTES) {
            return shorter;
        }
        int excess = shorter.length - LONGEST_BYTES + LONGEST_NUMBER_BYTES;
        return encodeWhole(withoutIds.withoutDevices(excess, TrafficReportCodec::leastBytes));
    }

    /** No more than a device takes. */
    private static int leastBytes(DeviceTraffic device) {
        return LEAST_DEVICE_BYTES + device.name().length() + moreBytes(device.sent()) + moreBytes(device.received());
    }

    /** Of a variable number, after the first. */
    private static int moreBytes(long count) {
        int more = 0;
        for (long rest = count >>> 7; rest != 0; rest >>>= 7) {
            more++;
        }
        return more;
    }

    private static byte[] encodeWhole(TrafficReport report) {
        MessageWriter out = new MessageWriter();
        out.writeInt(MAGIC << 8 | VERSION);
        out.writeCount(report.names().size());
        report.names().forEach(out::writeText);
        out.writeCount(report.pods().size());
        for (Pod pod : report.pods()) {
            out.writeCount(pod.index());
            out.writeCount(pod.millis());
            out.writeByte(pod.connectionsKnown() ? 1 : 0);
            out.writeCount(pod.connectionsMissed());
            out.writeCount(pod.devices().size());
            for (DeviceTraffic device : pod.devices()) {
                out.writeText(device.name());
                out.writeText(device.deviceId());
                out.writeByte(device.basis().ordinal());
                out.writeCount(device.sent());
                out.writeCount(device.received());
            }
        }
        out.writeCount(report.pairs().size());
        for (Pair pair : report.pairs()) {
            out.writeCount(pair.from());
            out.writeCount(pair.to());
            out.writeCount(pair.bytes());
            out.writeCount(pair.retransmits());
            out.writeCount(pair.rttMicroseconds());
        }
        out.writeCount(report.pairsLeftOut());
        out.writeCount(report.bytesLeftOut());
        out.writeCount(report.devicesLeftOut());
        return out.toBytes();
    }

    /**
     * @param jobPods that the job has
     * @throws JobCodecException with a sentence that says what is wrong, where this is no report of such a job
     */
    public static TrafficReport decode(byte[] bytes, int jobPods) throws JobCodecException {
        if (bytes.length > LONGEST_BYTES) {
            throw new JobCodecException("a report of traffic of " + bytes.length + " bytes");
        }
        MessageReader in = new MessageReader(bytes, 0);
        if (in.readInt() != (MAGIC << 8 | VERSION)) {
            throw new JobCodecException("no report of traffic of version " + VERSION);
        }
        List<String> names = names(in, jobPods);
        List<Pod> pods = pods(in, jobPods);
        List<Pair> pairs = pairs(in, jobPods);
        TrafficReport report = new TrafficReport(names, pods, pairs, in.readLong(), in.readLong(), in.readLong());
        in.end();
        return report;
    }

    private static List<String> names(MessageReader in, int jobPods) throws JobCodecException {
        int count = in.readCount("names of pods", 1);
        if (count != 0 && count != jobPods) {
            throw new JobCodecException(count + " names of a job of " + jobPods + " pods");
        }
        List<String> names = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            names.add(text(in, "the name of a pod", LONGEST_NAME));
        }
        return names;
    }

    private static List<Pod> pods(MessageReader in, int jobPods) throws JobCodecException {
        int count = in.readCount("pods", LEAST_POD_BYTES);
        List<Pod> pods = new ArrayList<>(count);
        int before = -1;
        for (int i = 0; i < count; i++) {
            int index = in.readNumber("a pod", jobPods - 1);
            if (index <= before) {
                throw new JobCodecException("pod " + index + " follows pod " + before);
            }
            before = index;
            long millis = in.readLong();
            boolean known = in.readByte() == 1;
            pods.add(new Pod(index, millis, known, in.readLong(), devices(in)));
        }
        return pods;
    }

    private static List<DeviceTraffic> devices(MessageReader in) throws JobCodecException {
        int count = in.readCount("devices", LEAST_DEVICE_BYTES);
        if (count > TrafficReport.MOST_DEVICES) {
            throw new JobCodecException("a pod of " + count + " devices");
        }
        List<DeviceTraffic> devices = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String name = text(in, "the name of a device", LONGEST_DEVICE);
            String id = in.readText("the id of a device");
            int basis = in.readNumber("what a device's bytes are the count of", Basis.values().length - 1);
            if (id.length() > LONGEST_DEVICE) {
                throw new JobCodecException("the id of a device has " + id.length() + " characters");
            }
            devices.add(new DeviceTraffic(name, id, Basis.values()[basis], in.readLong(), in.readLong()));
        }
        return devices;
    }

    private static List<Pair> pairs(MessageReader in, int jobPods) throws JobCodecException {
        int count = in.readCount("pairs", LEAST_PAIR_BYTES);
        if (count > TrafficReport.MOST_PAIRS) {
            throw new JobCodecException(count + " pairs, more than " + TrafficReport.MOST_PAIRS);
        }
        List<Pair> pairs = new ArrayList<>(count);
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < count; i++) {
            int from = in.readNumber("the sender of a pair", jobPods - 1);
            int to = in.readNumber("the receiver of a pair", jobPods - 1);
            if (from == to || !seen.add((long) from << Integer.SIZE | to)) {
                throw new JobCodecException("pods " + from + " and " + to + " are no pair, or twice one");
            }
            pairs.add(new Pair(from, to, in.readLong(), in.readLong(), in.readLong()));
        }
        return pairs;
    }

    private static String text(MessageReader in, String what, int longest) throws JobCodecException {
        String text = in.readText(what);
        if (text.isEmpty() || text.length() > longest) {
            throw new JobCodecException(what + " has " + text.length() + " characters");
        }
        return text;
    }
}
