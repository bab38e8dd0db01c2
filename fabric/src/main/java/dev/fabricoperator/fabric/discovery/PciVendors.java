/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.PciFunction;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What PCI ids say of network devices.
 *
 * @see "pci.ids; device tables of the Linux drivers"
 */
final class PciVendors {

    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("15b3", "Mellanox"),
            Map.entry("17db", "HPE"),
            Map.entry("1590", "HPE"),
            Map.entry("1d0f", "Amazon"),
            Map.entry("8086", "Intel"),
            Map.entry("10de", "NVIDIA"),
            Map.entry("434e", "Cornelis"),
            Map.entry("14e4", "Broadcom"),
            Map.entry("1077", "QLogic"),
            Map.entry("1425", "Chelsio"),
            Map.entry("10df", "Emulex"),
            Map.entry("1137", "Cisco"),
            Map.entry("1924", "Solarflare"),
            Map.entry("10ee", "AMD"),
            Map.entry("1022", "AMD"),
            Map.entry("1dd8", "AMD"),
            Map.entry("1414", "Microsoft"),
            Map.entry("1ae0", "Google"),
            Map.entry("19e5", "Huawei"),
            Map.entry("1ded", "Alibaba"),
            Map.entry("1af4", "Red Hat"),
            Map.entry("15ad", "VMware"),
            Map.entry("10ec", "Realtek"),
            Map.entry("1d6a", "Aquantia"),
            Map.entry("177d", "Cavium"),
            Map.entry("1cc4", "Marvell"),
            Map.entry("11ab", "Marvell"),
            Map.entry("1b4b", "Marvell"),
            Map.entry("19ee", "Netronome"));

    /**
     * Virtual functions by vendor:device. A guest sees no {@code physfn} link, so the id is all that tells it that its
     * device is a slice of another.
     */
    private static final Set<String> VIRTUAL_FUNCTIONS = Set.of(
            // mlx4, mlx5
            "15b3:1002",
            "15b3:1004",
            "15b3:1012",
            "15b3:1014",
            "15b3:1016",
            "15b3:1018",
            "15b3:101a",
            "15b3:101c",
            "15b3:101e",
            "15b3:a2d3",
            // igbvf, ixgbevf, iavf
            "8086:10ca",
            "8086:1520",
            "8086:10ed",
            "8086:1515",
            "8086:1565",
            "8086:15a8",
            "8086:15c5",
            "8086:154c",
            "8086:1571",
            "8086:1889",
            "8086:37cd",
            // bnxt
            "14e4:1606",
            "14e4:1609",
            "14e4:16c1",
            "14e4:16cb",
            "14e4:16d3",
            "14e4:16dc",
            "14e4:16e1",
            "14e4:16e5",
            "14e4:1806",
            "14e4:1807",
            "14e4:1808",
            "14e4:1809",
            "14e4:1819",
            // mana, gve has none, hns3
            "1414:00ba",
            "19e5:a22e",
            "19e5:a22f",
            // ionic
            "1dd8:1003",
            // cxi
            "17db:0502",
            "1590:0372");

    private PciVendors() {}

    static @Nullable String name(@Nullable String vendorId) {
        return vendorId == null ? null : NAMES.get(vendorId);
    }

    static boolean isVirtualFunction(@Nullable String vendorId, @Nullable String deviceId) {
        return vendorId != null && deviceId != null && VIRTUAL_FUNCTIONS.contains(vendorId + ":" + deviceId);
    }

    static boolean speaksNvlink(@Nullable String vendorId) {
        return "10de".equals(vendorId);
    }

    /** HPE Slingshot: Cassini 1 and 2, and their virtual functions. */
    static boolean isSlingshot(@Nullable String vendorId, @Nullable String deviceId) {
        return deviceId != null
                && (("17db".equals(vendorId) && deviceId.startsWith("050"))
                        || ("1590".equals(vendorId) && deviceId.startsWith("037")));
    }

    /** Elastic Fabric Adapter of any generation. */
    static boolean isElasticFabricAdapter(@Nullable String vendorId, @Nullable String deviceId) {
        return "1d0f".equals(vendorId) && deviceId != null && deviceId.startsWith("efa");
    }

    /** How the vital product data of a ConnectX tells that it manages NVLink switches. */
    static final String SWITCH_MANAGER = "SW_MNG";

    /** Whether a function's vital product data may say {@link #SWITCH_MANAGER}. */
    static boolean mayManageSwitches(@Nullable String vendorId) {
        return "15b3".equals(vendorId);
    }

    /**
     * Whether a function may manage NVLink switches by its id: a ConnectX-7 beside GPUs of a B100, B200 or B300 board,
     * whose switches are on no PCI bus. Cards for computing have the same id.
     */
    static boolean mayManageSwitches(PciFunction function, Collection<PciFunction> accelerators) {
        return "15b3".equals(function.vendorId())
                && "1021".equals(function.deviceId())
                && accelerators.stream()
                        .anyMatch(a -> "10de".equals(a.vendorId())
                                && a.deviceId() != null
                                && a.deviceId().matches("29[0-3].|31[89ab]."));
    }

    /** Adapters whose drivers give all of a host's one system image GUID: Intel's and Cornelis' OmniPath, QLogic's. */
    static boolean hasSystemImageOfHost(@Nullable String driver, @Nullable String vendorId, @Nullable String deviceId) {
        return driver != null && driver.matches("hfi[0-9].*|ib_qib|qib.*") || isOmniPath(vendorId, deviceId);
    }

    /** OmniPath host fabric interfaces: Intel's 100 series, Cornelis' own. */
    static boolean isOmniPath(@Nullable String vendorId, @Nullable String deviceId) {
        return "434e".equals(vendorId)
                || ("8086".equals(vendorId)
                        && deviceId != null
                        && (deviceId.equals("24f0") || deviceId.equals("24f1")));
    }
}
