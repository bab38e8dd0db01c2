/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts.CxiDevice;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts.Interface;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts.RdmaPort;
import dev.fabricoperator.protocol.job.EndpointTemplate;
import dev.fabricoperator.protocol.job.EndpointTemplate.Format;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.PodReport.OpenDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the job service is told of the devices that opened in the application's container. Addresses of RDMA ports are
 * read here: both containers see the same sysfs, and the launcher tells only what opens.
 *
 * @see "Documentation/ABI/stable/sysfs-class-infiniband"
 */
final class DeviceReport {
    /** Gives the first of consecutive ports that ranks will listen on at an address. */
    interface Ports {
        int first(InetAddress address, int count) throws IOException;
    }

    private final Path sys;
    private final InetAddress own;
    private final int ranks;
    private final Ports ports;

    /**
     * @param sys where sysfs is
     * @param own the pod's address
     */
    DeviceReport(Path sys, InetAddress own, int ranks, Ports ports) {
        this.sys = sys;
        this.own = own;
        this.ranks = ranks;
        this.ports = ports;
    }

    /**
     * @param gids of RoCE ports
     * @param instance of the launcher
     * @param meshPort of this pod for the others
     * @throws IOException if no ports are free
     */
    static PodReport report(PodSettings settings, LauncherFacts facts, RoceGids gids, byte[] instance, int meshPort)
            throws IOException {
        Ports free = FreePorts.belowEphemeral()::first;
        List<OpenDevice> devices = settings.devices()
                ? new DeviceReport(Path.of("/sys"), settings.address(), facts.ranks(), free).of(facts, gids)
                : List.of();
        return new PodReport(
                instance,
                -1,
                settings.address().getAddress(),
                meshPort,
                facts.ranks(),
                facts.cpus(),
                facts.numaNodes(),
                devices);
    }

    /** @throws IOException if no ports are free */
    List<OpenDevice> of(LauncherFacts facts, RoceGids gids) throws IOException {
        List<OpenDevice> devices = new ArrayList<>();
        for (RdmaPort port : facts.rdma()) {
            devices.add(new OpenDevice(port.device(), port.nodeGuid(), null, port.pci(), false, rdma(port, gids)));
        }
        for (CxiDevice cxi : facts.cxi()) {
            devices.add(new OpenDevice(cxi.device(), null, null, cxi.pci(), false, cxi(cxi)));
        }
        for (Interface each : facts.interfaces()) {
            boolean isOwn = each.pci() == null && has(each, own);
            devices.add(new OpenDevice(each.name(), null, each.mac(), each.pci(), isOwn, network(each)));
        }
        return devices;
    }

    private static boolean has(Interface network, InetAddress address) {
        for (String text : network.addresses()) {
            InetAddress parsed = RoceGids.address(text);
            if (parsed != null && parsed.equals(address)) {
                return true;
            }
        }
        return false;
    }

    /** The pod's own address where the interface has it, else its first one. */
    private @Nullable EndpointTemplate network(Interface network) throws IOException {
        InetAddress address = has(network, own) ? own : null;
        for (String text : network.addresses()) {
            address = address == null ? RoceGids.address(text) : address;
        }
        return address == null ? null : network(address);
    }

    private EndpointTemplate network(InetAddress address) throws IOException {
        byte[] bytes = address.getAddress();
        Format format = bytes.length == 4 ? Format.FI_SOCKADDR_IN : Format.FI_SOCKADDR_IN6;
        return new EndpointTemplate(format, bytes, ports.first(address, ranks), 0);
    }

    private @Nullable EndpointTemplate rdma(RdmaPort port, RoceGids gids) throws IOException {
        Path directory = sys.resolve("class/infiniband").resolve(port.device()).resolve("ports/" + port.port());
        String layer = RoceGids.read(directory.resolve("link_layer"));
        if ("Ethernet".equals(layer)) {
            RoceGids.Entry gidOfPod = gids.of(port);
            return gidOfPod == null ? null : network(gidOfPod.address());
        }
        byte[] gid = gid(RoceGids.read(directory.resolve("gids/0")));
        if (gid == null) {
            return null;
        }
        if ("InfiniBand".equals(layer)) {
            return new EndpointTemplate(Format.FI_SOCKADDR_IB, gid, 0, lid(RoceGids.read(directory.resolve("lid"))));
        }
        return "Unspecified".equals(layer) ? new EndpointTemplate(Format.FI_ADDR_EFA, gid, 0, 0) : null;
    }

    /**
     * {@code struct cxip_addr} of libfabric's prov/cxi, 8 bytes: process id (9 bits, all ones for any, since the rank chooses it),
     * NIC address (20 bits), padding, VNI (16 bits, 0: not known here).
     */
    private @Nullable EndpointTemplate cxi(CxiDevice device) {
        String nid =
                RoceGids.read(sys.resolve("class/cxi").resolve(device.device()).resolve("device/properties/nid"));
        try {
            int number = nid == null ? -1 : Integer.decode(nid);
            return number < 0
                    ? null
                    : new EndpointTemplate(
                            Format.FI_ADDR_CXI,
                            ByteBuffer.allocate(8)
                                    .order(ByteOrder.LITTLE_ENDIAN)
                                    .putInt(number << 9 | 0x1ff)
                                    .array(),
                            0,
                            0);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static int lid(@Nullable String text) {
        try {
            int lid = text == null ? 0 : Integer.decode(text);
            return lid == 0xffff ? 0 : lid;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Eight groups of four hex digits; all zero is none. */
    private static byte @Nullable [] gid(@Nullable String text) {
        InetAddress parsed = text == null ? null : RoceGids.address(text);
        byte[] bytes = parsed == null ? new byte[0] : parsed.getAddress();
        return bytes.length != 16 || Arrays.equals(bytes, new byte[16]) ? null : bytes;
    }
}
