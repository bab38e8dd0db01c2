/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Name, vendor and model of a switch, as far as a dump says them.
 *
 * <p>Managed Mellanox switches describe themselves as {@code MF0;<name>:<model>/U1}, the chips of a modular one as
 * {@code MF0;<name>:<model>/L01/U1}. Vendor ids are IEEE company ids; device ids tell the chip.
 */
record Product(
        @Nullable String name,
        @Nullable String vendor,
        @Nullable String model) {
    private static final Pattern MANAGED =
            Pattern.compile("MF0;([^;:]{1,128}):([A-Za-z0-9._-]{1,32})/((?:[A-Z]\\d{1,2}/)?U\\d{1,2})");

    static Product of(@Nullable String description, @Nullable String vendorId, @Nullable String deviceId) {
        String vendor = vendor(vendorId);
        if (description != null) {
            Matcher managed = MANAGED.matcher(description);
            if (managed.matches()) {
                String unit = managed.group(3);
                String name = unit.equals("U1") ? managed.group(1) : managed.group(1) + "/" + unit;
                return new Product(name, vendor, managed.group(2));
            }
        }
        return new Product(description, vendor, chip(vendorId, deviceId));
    }

    static @Nullable String vendor(@Nullable String vendorId) {
        if (vendorId == null) {
            return null;
        }
        return switch (vendorId) {
            case "2c9" -> "Mellanox";
            case "8f1" -> "Voltaire";
            case "1175", "66a", "1077" -> "QLogic";
            case "5ad" -> "Cisco";
            case "1397" -> "Xsigo";
            case "8086" -> "Intel";
            default -> null;
        };
    }

    private static @Nullable String chip(@Nullable String vendorId, @Nullable String deviceId) {
        if (deviceId == null || !"2c9".equals(vendorId)) {
            return null;
        }
        return switch (deviceId) {
            case "bd36" -> "InfiniScale IV";
            case "c738" -> "SwitchX-2";
            case "cb20" -> "Switch-IB";
            case "cf08" -> "Switch-IB 2";
            case "d2f0" -> "Quantum";
            case "d2f2" -> "Quantum-2";
            default -> null;
        };
    }
}
