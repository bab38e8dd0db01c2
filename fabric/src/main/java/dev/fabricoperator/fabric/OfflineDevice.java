/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Neighbor;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One port of an adapter in a dump, with what its place in the fabric follows from. The whole {@link Device} is built on
 * request: for large dumps that takes longer than everything else.
 */
final class OfflineDevice implements Comparable<OfflineDevice> {
    private static final String NO_GUID = "0".repeat(16);

    private final String source;
    private final Adapter adapter;
    private final AdapterPort adapterPort;
    private final @Nullable String guid;
    private final String hostname;
    private final String osName;
    /** Eight characters of the hostname behind what all hostnames have in common; a lower one sorts first. */
    private long hostKey;

    private OfflineDevice(String source, Adapter adapter, AdapterPort adapterPort, @Nullable String guid) {
        this.source = source;
        this.adapter = adapter;
        this.adapterPort = adapterPort;
        this.guid = guid;
        hostname = adapter.hostname() == null ? "" : adapter.hostname();
        osName = adapter.osName() == null ? "" : adapter.osName();
    }

    static OfflineDevice of(String source, Adapter adapter, AdapterPort port) {
        return new OfflineDevice(source, adapter, port, NodeId.guid(adapter.id()));
    }

    /** In the offline order of devices; ids tell those apart that are alike in it. */
    static List<OfflineDevice> sorted(List<OfflineDevice> devices) {
        OfflineDevice[] sorted = devices.toArray(OfflineDevice[]::new);
        int common = commonPrefix(sorted);
        for (OfflineDevice device : sorted) {
            device.hostKey = key(device.hostname, common);
        }
        Arrays.sort(sorted);
        return List.of(sorted);
    }

    private static int commonPrefix(OfflineDevice[] devices) {
        String first = devices[0].hostname;
        int common = first.length();
        for (OfflineDevice device : devices) {
            common = Math.min(common, device.hostname.length());
            int i = 0;
            while (i < common && device.hostname.charAt(i) == first.charAt(i)) {
                i++;
            }
            common = i;
        }
        return common;
    }

    /** Never the other way round than the texts from {@code from} on; 0 for an end, 255 for all characters above. */
    private static long key(String text, int from) {
        long key = 0;
        for (int i = from; i < from + Long.BYTES; i++) {
            key = key << Byte.SIZE | (i < text.length() ? Math.min(text.charAt(i), 0xff) : 0);
        }
        return key;
    }

    @Override
    public int compareTo(OfflineDevice other) {
        int order = Long.compareUnsigned(hostKey, other.hostKey);
        if (order == 0) {
            order = hostname.compareTo(other.hostname);
        }
        if (order == 0) {
            order = endId().compareTo(other.endId());
        }
        if (order == 0) {
            order = Integer.compare(port(), other.port());
        }
        return order != 0 ? order : id().compareTo(other.id());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OfflineDevice device
                && adapter.equals(device.adapter)
                && adapterPort.equals(device.adapterPort);
    }

    @Override
    public int hashCode() {
        return 31 * adapter.hashCode() + adapterPort.hashCode();
    }

    private String endId() {
        return guid != null ? guid : hostname + "/" + osName;
    }

    /** How cables name it. */
    String id() {
        return adapter.id();
    }

    PortPeer end() {
        return new PortPeer(adapter.id(), adapterPort.number());
    }

    int port() {
        return adapterPort.number();
    }

    @Nullable
    PortPeer peer() {
        return adapterPort.peer();
    }

    /** 0 where the source does not say it. */
    long speedBitsPerSecond() {
        Long speed = adapterPort.speedBitsPerSecond();
        return speed == null ? 0 : speed;
    }

    /** Empty where the source does not say it. */
    String hostname() {
        return hostname;
    }

    /** Empty where the source does not say it. */
    String osName() {
        return osName;
    }

    Family family() {
        return isAccelerators() ? Family.NVLink : isEthernet() ? Family.Ethernet : Family.InfiniBand;
    }

    /** Those of a host, of which a clique of NVLink knows no more. */
    private boolean isAccelerators() {
        return guid == null && osName.equals(NvlinkClique.ACCELERATORS);
    }

    /** LLDP is spoken on Ethernet only. Who names hosts otherwise does not say on what. */
    private boolean isEthernet() {
        return guid == null && (source.equals("lldp") || NodeId.mac(adapter.id()) != null);
    }

    /**
     * What a source says of a device, and what follows from its id: a node GUID is that of an RDMA device, a MAC that of a
     * network device, and {@code host/osName} is named as PMIx names a device without either.
     */
    Device device() {
        PortPeer peer = adapterPort.peer();
        String mac = guid == null ? NodeId.mac(adapter.id()) : null;
        boolean ethernet = isEthernet();
        return DeviceBuilder.builder()
                .hostname(hostname)
                .osName(osName)
                .port(port())
                .deviceId(deviceId(mac))
                .source(source)
                .type(isAccelerators() ? DeviceType.Gpu : ethernet ? DeviceType.Network : DeviceType.OpenFabrics)
                .family(family())
                .function(Function.Physical)
                .role(Role.Fabric)
                .linkLayer(ethernet ? "Ethernet" : guid != null ? "InfiniBand" : null)
                .vendor("2c9".equals(adapter.vendorId()) ? "Mellanox" : null)
                .nodeGuid(guid)
                .systemImageGuid(adapter.systemImageGuid())
                .portGuid(adapterPort.portGuid())
                .netdev(ethernet && !osName.isEmpty() ? osName : null)
                .macAddress(mac)
                .lid(adapterPort.lid())
                .speedBitsPerSecond(adapterPort.speedBitsPerSecond())
                .width(adapterPort.width())
                .state(
                        peer != null && (adapterPort.lid() != null || source.equals("lldp"))
                                ? PortState.Active
                                : PortState.Unknown)
                .neighbor(peer == null ? null : new Neighbor(peer.id(), String.valueOf(peer.port()), source))
                .build();
    }

    /** Appends {@code 0002c90300f9bfa0} as sysfs prints it: {@code 0002:c903:00f9:bfa0}. */
    private static void appendColons(StringBuilder to, String guid) {
        for (int from = 0; from < guid.length(); from += 4) {
            to.append(from > 0 ? ":" : "").append(guid, from, Math.min(from + 4, guid.length()));
        }
    }

    private String deviceId(@Nullable String mac) {
        StringBuilder id = new StringBuilder(56);
        if (guid != null) {
            appendColons(id.append("fab://"), guid);
            appendColons(id.append("::"), adapter.systemImageGuid() == null ? NO_GUID : adapter.systemImageGuid());
        } else if (mac != null) {
            id.append("ipv4://").append(mac);
        } else if (!hostname.isEmpty() && !osName.isEmpty()) {
            id.append(osName).append('@').append(hostname);
        } else {
            id.append(adapter.id());
        }
        if (adapter.ports().size() > 1) {
            id.append('#').append(port());
        }
        return id.toString();
    }
}
