/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.pmix;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.PciFunction;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of PMIX_FABRIC_DEVICE that a device answers by itself, in the order in which the standard wants them:
 * PMIX_DEVICE_ID first.
 *
 * <p>An unknown value is absent, never empty; what the chapter demands of every device is told as unknown where it is served. Index and coordinates are the
 * fabric's to give and not here.
 *
 * @see "PMIx Standard, Fabric Support, PMIX_FABRIC_DEVICE; keys from pmix_common.h of libpmix 4.2 to 6.1"
 */
public enum FabricDeviceAttribute {
    PMIX_DEVICE_ID("pmix.dev.id", PmixType.STRING, "spec.deviceId", Device::deviceId),
    PMIX_HOSTNAME("pmix.hname", PmixType.STRING, "spec.hostname", Device::hostname),
    PMIX_FABRIC_DEVICE_NAME("pmix.fabdev.nm", PmixType.STRING, "spec.osName", Device::osName),
    PMIX_FABRIC_DEVICE_VENDOR("pmix.fabdev.vndr", PmixType.STRING, "spec.vendor", Device::vendor),
    PMIX_FABRIC_DEVICE_VENDORID(
            "pmix.fabdev.vendid",
            PmixType.STRING,
            "spec.model, else spec.pci.vendorId:deviceId",
            FabricDeviceAttribute::vendorId),
    PMIX_FABRIC_DEVICE_BUS_TYPE("pmix.fabdev.btyp", PmixType.STRING, "spec.busType", Device::busType),
    PMIX_FABRIC_DEVICE_PCI_DEVID(
            "pmix.fabdev.pcidevid", PmixType.STRING, "spec.pci.address", FabricDeviceAttribute::pciDeviceId),
    PMIX_FABRIC_DEVICE_DRIVER("pmix.fabdev.driver", PmixType.STRING, "spec.driver", Device::driver),
    PMIX_FABRIC_DEVICE_FIRMWARE("pmix.fabdev.fmwr", PmixType.STRING, "spec.firmware", Device::firmware),
    PMIX_FABRIC_DEVICE_ADDRESS(
            "pmix.fabdev.addr", PmixType.STRING, "spec.macAddress, else spec.portGuid", FabricDeviceAttribute::address),
    PMIX_FABRIC_DEVICE_MTU("pmix.fabdev.mtu", PmixType.SIZE, "spec.mtuBytes", Device::mtuBytes),
    PMIX_FABRIC_DEVICE_SPEED("pmix.fabdev.speed", PmixType.SIZE, "spec.speedBitsPerSecond", Device::speedBitsPerSecond),
    PMIX_FABRIC_DEVICE_STATE(
            "pmix.fabdev.state", PmixType.LINK_STATE, "spec.state", device -> LinkState.of(device.state())),
    PMIX_FABRIC_DEVICE_TYPE("pmix.fabdev.type", PmixType.STRING, "spec.linkLayer", Device::linkLayer),
    PMIX_DEVICE_TYPE("pmix.dev.type", PmixType.DEVTYPE, "spec.type", device -> DeviceTypeBits.of(device.type()));

    private static final Pattern PCI_ADDRESS = Pattern.compile("([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})\\.([0-7])");

    private final String key;
    private final PmixType type;
    private final String source;
    private final Function<Device, @Nullable Object> value;

    FabricDeviceAttribute(String key, PmixType type, String source, Function<Device, @Nullable Object> value) {
        this.key = key;
        this.type = type;
        this.source = source;
        this.value = value;
    }

    /** The attribute's string in OpenPMIx. */
    public String key() {
        return key;
    }

    public PmixType type() {
        return type;
    }

    /** The field of a FabricDevice that it comes from, for the documentation. */
    public String source() {
        return source;
    }

    /** The value for {@code device}, or {@code null} where the device does not say. */
    public @Nullable Object of(Device device) {
        return value.apply(device);
    }

    /** What is known of {@code device}, in the standard's order. */
    public static Map<FabricDeviceAttribute, Object> allOf(Device device) {
        Map<FabricDeviceAttribute, Object> known = new EnumMap<>(FabricDeviceAttribute.class);
        for (FabricDeviceAttribute attribute : values()) {
            Object value = attribute.of(device);
            if (value != null) {
                known.put(attribute, value);
            }
        }
        return known;
    }

    private static @Nullable String vendorId(Device device) {
        PciFunction pci = device.pci();
        if (device.model() != null || pci == null || pci.vendorId() == null || pci.deviceId() == null) {
            return device.model();
        }
        return pci.vendorId() + ":" + pci.deviceId();
    }

    private static @Nullable String address(Device device) {
        return device.macAddress() != null ? device.macAddress() : device.portGuid();
    }

    /** The standard's four-part tuple has room for a 16-bit domain only; beyond that the device has none. */
    private static @Nullable String pciDeviceId(Device device) {
        if (device.pci() == null) {
            return null;
        }
        Matcher parts = PCI_ADDRESS.matcher(device.pci().address());
        return parts.matches()
                ? parts.group(1) + ":" + parts.group(2) + ":" + parts.group(3) + ":0" + parts.group(4)
                : null;
    }
}
