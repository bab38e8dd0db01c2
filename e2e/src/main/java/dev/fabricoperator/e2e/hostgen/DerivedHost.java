/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.Cabling;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One named host of a dump, with the places in a machine that its adapters are given.
 *
 * @param hostname as the dump spells it
 * @param adapters ascending by the kernel's number
 */
public record DerivedHost(String hostname, List<Placed> adapters) {
    private static final Pattern TRAILING_NUMBER = Pattern.compile("(\\d+)$");
    private static final int NUMA_NODES = 2;
    private static final int FIRST_BUS = 0x18;
    private static final int BUS_STEP = 9;
    private static final int MOST_CARDS = (0xff - FIRST_BUS) / BUS_STEP;

    public DerivedHost {
        adapters = List.copyOf(adapters);
    }

    /**
     * An adapter and where it sits.
     *
     * @param number the kernel's, as in {@code mlx5_4} and {@code ib4}
     * @param bus PCI bus of its card; the functions of one card are told apart by {@code function}
     */
    public record Placed(Adapter adapter, int number, int bus, int function, int numaNode) {
        public String osName() {
            return "mlx5_" + number;
        }

        public String netdev() {
            return "ib" + number;
        }

        public String pciAddress() {
            return "0000:%02x:00.%x".formatted(bus, function);
        }

        /** Path of the PCI function below {@code sys/devices}: a root port above each card, as on a real board. */
        public String pciPath() {
            return "pci0000:%02x/0000:%02x:01.0/%s".formatted(bus - 1, bus - 1, pciAddress());
        }
    }

    /** Name of the Kubernetes node: the host's, in lower case as node names are. */
    public String nodeName() {
        return hostname.toLowerCase(Locale.ROOT);
    }

    /** The hosts that the dump names, by hostname. Adapters whose description names no host belong to none. */
    public static List<DerivedHost> of(Cabling cabling) {
        Map<String, List<Adapter>> byHost = new TreeMap<>();
        for (Adapter adapter : cabling.adapters()) {
            if (adapter.hostname() != null) {
                byHost.computeIfAbsent(adapter.hostname(), host -> new ArrayList<>())
                        .add(adapter);
            }
        }
        return byHost.entrySet().stream()
                .map(entry -> new DerivedHost(entry.getKey(), place(entry.getKey(), entry.getValue())))
                .toList();
    }

    private static List<Placed> place(String host, List<Adapter> adapters) {
        List<Adapter> sorted = adapters.stream()
                .sorted(Comparator.comparingInt(DerivedHost::kernelNumber).thenComparing(Adapter::id))
                .toList();
        Map<String, Integer> cards = new LinkedHashMap<>();
        Map<String, Integer> functions = new LinkedHashMap<>();
        sorted.forEach(adapter -> cards.putIfAbsent(card(adapter), cards.size()));
        if (cards.size() > MOST_CARDS) {
            throw new IllegalArgumentException(
                    host + " has " + cards.size() + " cards; at most " + MOST_CARDS + " fit");
        }
        Set<Integer> taken = new HashSet<>();
        List<Placed> placed = new ArrayList<>();
        for (Adapter adapter : sorted) {
            int number = kernelNumber(adapter);
            while (!taken.add(number)) {
                number++;
            }
            int slot = Objects.requireNonNull(cards.get(card(adapter)));
            int function = functions.merge(card(adapter), 1, Integer::sum) - 1;
            int numaNode = slot * NUMA_NODES / cards.size();
            placed.add(new Placed(adapter, number, FIRST_BUS + slot * BUS_STEP, function, numaNode));
        }
        return placed;
    }

    // Functions of one card share the system image GUID.
    private static String card(Adapter adapter) {
        return adapter.systemImageGuid() == null ? adapter.id() : adapter.systemImageGuid();
    }

    // Older tools write HCA-1 for the first device, which the kernel calls mlx5_0.
    private static int kernelNumber(Adapter adapter) {
        String name = adapter.osName() == null ? "" : adapter.osName();
        Matcher number = TRAILING_NUMBER.matcher(name);
        if (!number.find()) {
            return 0;
        }
        int value = Integer.parseInt(number.group(1)) % 1000;
        return name.startsWith("HCA-") ? Math.max(0, value - 1) : value;
    }
}
