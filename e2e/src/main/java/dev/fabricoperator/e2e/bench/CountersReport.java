/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTableReader;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import dev.fabricoperator.fabric.traffic.HotSpots;
import dev.fabricoperator.fabric.traffic.PortRates;
import dev.fabricoperator.formats.counters.CounterNames;
import dev.fabricoperator.formats.counters.PrometheusReader;
import dev.fabricoperator.formats.counters.PrometheusReader.PortCount;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Reader;
import java.io.StringReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;

/** An exporter's answer from its first byte to the hot spots of a fabric; {@code e2e/bench/counters.sh} starts it. */
public final class CountersReport {
    private static final int LIDS = 500;
    private static final long BITS_PER_SECOND = 200_000_000_000L;
    private static final long SECONDS = 10;
    private static final int OCTETS_OF_WORD = 4;

    private final int switches;
    private final int ports;
    private final PortRates<PortCounters.Port> rates = new PortRates<>();
    private final HotSpots<PortCounters.Port> hotSpots = new HotSpots<>();
    private Instant now = Instant.EPOCH;
    private volatile byte[] answer = {};

    private CountersReport(int switches, int ports) {
        this.switches = switches;
        this.ports = ports;
    }

    public static void main(String[] arguments) throws Exception {
        CountersReport report = new CountersReport(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        report.run(Integer.parseInt(arguments[2]));
        report.compareTables();
    }

    private static String guid(int node) {
        return "%016x".formatted(0xfc6a_1c03_0000_0000L + node);
    }

    private void run(int rounds) throws IOException, InterruptedException, BadInputException {
        HttpServer exporter = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        exporter.createContext("/metrics", exchange -> {
            exchange.sendResponseHeaders(200, answer.length);
            try (exchange) {
                exchange.getResponseBody().write(answer);
            }
        });
        exporter.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        exporter.start();
        URI uri = URI.create("http://127.0.0.1:" + exporter.getAddress().getPort() + "/metrics");
        long before = heap();
        List<Double> millis = new ArrayList<>();
        int length = 0;
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (int round = 0; round < rounds; round++) {
                answer = text(round);
                length = answer.length;
                now = now.plusSeconds(SECONDS);
                long start = System.nanoTime();
                take(http, uri);
                millis.add((System.nanoTime() - start) / 1e6);
            }
        } finally {
            exporter.stop(0);
            answer = new byte[0];
        }
        // What the exporter's side and the connections have held is not the server's.
        long kept = heap() - before;
        millis.sort(Double::compare);
        System.out.printf(
                Locale.ROOT,
                "%,d switches with %d ports: read and judged in %.0f ms (median; longest %.0f) of %d looks (%.1f MB each); %d hot; %.1f MiB kept%n",
                switches,
                ports,
                millis.get(millis.size() / 2),
                millis.getLast(),
                rounds,
                length / 1e6,
                hotSpots.all().size(),
                kept / (double) (1 << 20));
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private byte[] text(int number) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Writer out = new OutputStreamWriter(bytes, StandardCharsets.UTF_8)) {
            write(out, number);
        }
        return bytes.toByteArray();
    }

    private void write(Writer out, int number) throws IOException {
        CounterNames names = CounterNames.TREYDOCK_INFINIBAND;
        for (String metric : new String[] {names.sent(), names.received(), names.waits(), names.discards()}) {
            out.write("# TYPE " + metric + " counter\n");
            for (int node = 0; node < switches; node++) {
                String labels = metric + "{guid=\"0x" + guid(node) + "\",switch=\"leaf-" + node + "\",port=\"";
                for (int port = 1; port <= ports; port++) {
                    // One in a hundred is at four fifths of its link.
                    long value = (node * ports + port) % 100 == 0 && metric.equals(names.sent())
                            ? number * SECONDS * (BITS_PER_SECOND / 8 * 4 / 5)
                            : metric.equals(names.discards()) ? 0 : 1_000_000L * number;
                    out.write(labels);
                    out.write(Integer.toString(port));
                    out.write("\"} ");
                    out.write(Long.toString(value));
                    out.write('\n');
                }
            }
        }
    }

    private void take(HttpClient http, URI uri) throws IOException, InterruptedException, BadInputException {
        Map<String, Map<String, PortCount>> counts;
        try (Reader text = new InputStreamReader(
                http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream())
                        .body(),
                StandardCharsets.UTF_8)) {
            counts = PrometheusReader.read(uri.toString(), text, CounterNames.TREYDOCK_INFINIBAND);
        }
        Map<PortCounters.Port, PortRates.Reading<PortCounters.Port>> readings = new HashMap<>();
        counts.forEach((node, ofNode) -> ofNode.forEach((port, count) -> readings.put(
                new PortCounters.Port(node, Integer.parseInt(port)),
                new PortRates.Reading<>(
                        count.sent() / OCTETS_OF_WORD,
                        count.received() / OCTETS_OF_WORD,
                        count.waits(),
                        count.discards(),
                        BITS_PER_SECOND,
                        null))));
        rates.look(readings, now, now);
        hotSpots.look(rates.rates(), now);
    }

    private void compareTables() throws IOException, BadInputException {
        ForwardingTables one = ForwardingTableReader.read("one", new StringReader(tables()));
        ForwardingTables other = ForwardingTableReader.read("other", new StringReader(tables()));
        long start = System.nanoTime();
        boolean same = one.saysTheSameAs(other);
        System.out.printf(
                Locale.ROOT,
                "%,d forwarding tables of %,d LIDs compared in %.0f ms: %s%n",
                one.all().size(),
                LIDS,
                (System.nanoTime() - start) / 1e6,
                same ? "the same" : "not the same");
    }

    /** As dump_fts prints them. */
    private String tables() {
        StringBuilder text = new StringBuilder();
        for (int node = 0; node < switches; node++) {
            text.append("Unicast lids [0x0-0x%x] of switch Lid %d guid 0x%s (leaf-%d):%n"
                    .formatted(LIDS, node + 1, guid(node), node));
            text.append("  Lid  Out   Destination\n       Port     Info \n");
            for (int lid = 1; lid <= LIDS; lid++) {
                text.append("0x%04x %03d : (Channel Adapter portguid 0x%016x: 'node-%d mlx5_0')%n"
                        .formatted(lid, 1 + (lid + node) % ports, 0x248a_0703_0000_0000L + lid, lid));
            }
            text.append(LIDS + " valid lids dumped \n");
        }
        return text.toString();
    }
}
