/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.map;

import dev.fabricoperator.fabric.map.FabricMap.Cell;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A map as one page of HTML that asks for nothing: the drawing, a search for switches, ids and hosts, what is known of the
 * switch under the pointer, and tables of the job's ranks by switch and of the findings.
 */
public final class HtmlWriter {
    private static final int MOST_OF_A_MESSAGE = 1024;
    private static final int MOST_OF_HOSTS = 400;
    private static final int MOST_OF_A_LABEL = 60;

    private static final String STYLE = """
            :root { color-scheme: light; }
            body { font: 14px/1.4 "DejaVu Sans", Verdana, sans-serif; margin: 0; color: #111827; background: #ffffff; }
            header { position: sticky; top: 0; background: #ffffff; padding: 10px 20px; border-bottom: 1px solid #e2e8f0; z-index: 1; }
            header label { font-weight: bold; }
            header input { font: inherit; padding: 4px 8px; width: 22em; border: 1px solid #9ca3af; border-radius: 4px; }
            header output { margin-left: 1em; color: #6b7280; }
            main { display: flex; align-items: flex-start; gap: 10px; }
            #map { overflow-x: auto; flex: 1 1 auto; min-width: 0; }
            #detail { flex: 0 0 20em; position: sticky; top: 60px; padding: 10px 16px; font-size: 13px; max-height: 80vh; overflow: auto; }
            #detail h2 { font-size: 15px; margin: 0 0 6px; overflow-wrap: anywhere; }
            #detail p { margin: 4px 0; overflow-wrap: anywhere; }
            #detail .wrong { color: #b91c1c; }
            .cell { cursor: pointer; }
            .cell:hover rect, .cell.chosen rect { stroke: #f59e0b; stroke-width: 3; }
            .searching .cell { opacity: 0.25; }
            .searching .cell.found { opacity: 1; }
            .searching .cell.found rect { stroke: #f59e0b; stroke-width: 4; }
            section { padding: 0 20px 20px; }
            h2 { font-size: 16px; }
            table { border-collapse: collapse; font-size: 13px; }
            th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid #e2e8f0; vertical-align: top; overflow-wrap: anywhere; }
            td.number { text-align: right; }
            td.finding { overflow-wrap: break-word; }
            @media (max-width: 900px) { main { display: block; } #detail { position: static; } }
            """;

    private static final String SCRIPT = """
            'use strict';
            const data = JSON.parse(document.getElementById('data').textContent);
            const map = document.getElementById('map');
            const detail = document.getElementById('detail');
            const search = document.getElementById('search');
            const found = document.getElementById('found');
            const elements = new Map();
            for (const element of map.querySelectorAll('[data-cell]')) {
              elements.set(Number(element.dataset.cell), element);
            }
            let chosen = null;

            function hostsOf(cell) {
              const hosts = [];
              for (const [from, to] of cell.hosts) {
                for (let i = from; i <= to; i++) hosts.push(data.hosts[i]);
              }
              return hosts;
            }

            function add(name, text, type) {
              const element = document.createElement(name);
              element.textContent = text;
              if (type) element.className = type;
              detail.append(element);
            }

            function show(id) {
              const cell = data.cells[id];
              detail.replaceChildren();
              add('h2', cell.label);
              if (cell.ids.length === 1 && cell.ids[0] !== cell.label) add('p', cell.ids[0]);
              if (cell.ids.length > 1) add('p', cell.names.concat(cell.names.length ? [] : cell.ids).join(', '));
              if (cell.ranks) add('p', cell.ranks + ' ranks on ' + cell.rankHosts);
              for (const remark of cell.remarks) add('p', remark, 'wrong');
              if (cell.devices) add('p', cell.devices + ' devices of ' + hostsOf(cell).join(', '));
            }

            function choose(id) {
              if (chosen !== null) elements.get(chosen).classList.remove('chosen');
              chosen = id === chosen ? null : id;
              if (chosen !== null) elements.get(chosen).classList.add('chosen');
            }

            map.addEventListener('mouseover', event => {
              const element = event.target.closest('[data-cell]');
              if (element && chosen === null) show(Number(element.dataset.cell));
            });
            map.addEventListener('click', event => {
              const element = event.target.closest('[data-cell]');
              if (!element) return;
              choose(Number(element.dataset.cell));
              show(Number(element.dataset.cell));
            });
            function find() {
              const word = search.value.trim().toLowerCase();
              map.classList.toggle('searching', word !== '');
              let first = null;
              let count = 0;
              data.cells.forEach((cell, id) => {
                const hit = word !== '' && (cell.label.toLowerCase().includes(word)
                    || cell.ids.some(one => one.toLowerCase().includes(word))
                    || cell.names.some(one => one.toLowerCase().includes(word))
                    || hostsOf(cell).some(one => one.toLowerCase().includes(word)));
                elements.get(id).classList.toggle('found', hit);
                if (hit) {
                  count++;
                  if (first === null) first = id;
                }
              });
              found.value = word === '' ? '' : count === 1 ? '1 place' : count + ' places';
              if (first !== null) {
                show(first);
                elements.get(first).scrollIntoView({ block: 'nearest', inline: 'nearest' });
              }
            }

            search.addEventListener('input', find);
            if (location.hash.length > 1) {
              try {
                search.value = decodeURIComponent(location.hash.slice(1));
              } catch (e) {
                search.value = location.hash.slice(1);
              }
              find();
            }
            """;

    /** What a browser may do with the page: draw it, and run the one script. A server sends it as a header, too. */
    public static final String CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'sha256-" + digest(STYLE)
            + "'; script-src 'sha256-" + digest(SCRIPT) + "'; base-uri 'none'; form-action 'none'";

    private HtmlWriter() {}

    /** The whole page. */
    public static String write(FabricMap map) {
        StringBuilder out = new StringBuilder(1 << 16);
        out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta http-equiv=\"Content-Security-Policy\" content=\"")
                .append(CONTENT_SECURITY_POLICY)
                .append("\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>")
                .append(DisplayText.markup(map.title()))
                .append("</title>\n<style>")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n")
                .append(
                        "<header><label for=\"search\">Search</label> <input id=\"search\" type=\"search\" autocomplete=\"off\"")
                .append(" placeholder=\"switch, id or host\"> <output id=\"found\"></output></header>\n")
                .append("<main><div id=\"map\">\n")
                .append(SvgWriter.element(map))
                .append(
                        "</div><aside id=\"detail\"><p>Point at a switch, or click it, to see what is known of it.</p></aside></main>\n");
        job(map, out);
        remarks(map, out);
        out.append("<script type=\"application/json\" id=\"data\">");
        data(map, out);
        return out.append("</script>\n<script>")
                .append(SCRIPT)
                .append("</script>\n</body>\n</html>\n")
                .toString();
    }

    private static void job(FabricMap map, StringBuilder out) {
        String sentence = map.jobSentence();
        if (sentence == null) {
            return;
        }
        out.append("<section id=\"job\"><h2>")
                .append(DisplayText.markup(sentence))
                .append("</h2>\n");
        out.append("<table><thead><tr><th>Switch</th><th>Ranks</th><th>Hosts</th></tr></thead><tbody>\n");
        map.cells().stream()
                .filter(cell -> cell.ranks() > 0)
                .sorted(Comparator.comparingInt((Cell cell) -> -cell.ranks()).thenComparingInt(Cell::id))
                .forEach(cell -> out.append("<tr><td>")
                        .append(DisplayText.markup(DisplayText.shown(cell.label(), MOST_OF_HOSTS)))
                        .append("</td><td class=\"number\">")
                        .append(cell.ranks())
                        .append("</td><td>")
                        .append(DisplayText.markup(FabricMap.hosts(cell.rankHosts(), MOST_OF_HOSTS)))
                        .append("</td></tr>\n"));
        out.append("</tbody></table></section>\n");
    }

    private static void remarks(FabricMap map, StringBuilder out) {
        if (map.remarks().isEmpty()) {
            return;
        }
        Map<Remark, List<Cell>> where = new HashMap<>();
        for (Cell cell : map.cells()) {
            cell.remarks()
                    .forEach(remark -> where.computeIfAbsent(remark, r -> new ArrayList<>())
                            .add(cell));
        }
        out.append("<section id=\"findings\"><h2>")
                .append(DisplayText.count(map.remarks().size(), "thing", "things"))
                .append(
                        " to look at</h2>\n<table><thead><tr><th>Finding</th><th>Where</th><th>Message</th></tr></thead><tbody>\n");
        for (Remark remark : map.remarks()) {
            out.append("<tr><td class=\"finding\">")
                    .append(DisplayText.markup(DisplayText.shown(remark.type(), MOST_OF_A_MESSAGE)))
                    .append("</td><td>")
                    .append(DisplayText.markup(where.getOrDefault(remark, List.of()).stream()
                            .map(cell -> DisplayText.shown(cell.label(), MOST_OF_A_LABEL))
                            .collect(Collectors.joining(", "))))
                    .append("</td><td>")
                    .append(DisplayText.markup(DisplayText.shown(remark.message(), MOST_OF_A_MESSAGE)))
                    .append("</td></tr>\n");
        }
        out.append("</tbody></table></section>\n");
    }

    /** Each host once; cells have ranges of them, which are few since hosts are numbered as cells name them. */
    private static void data(FabricMap map, StringBuilder out) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        List<Cell> cells = map.cells();
        for (Cell cell : cells) {
            cell.hosts().forEach(host -> numbers.putIfAbsent(host, numbers.size()));
        }
        out.append("{\"hosts\":").append(strings(List.copyOf(numbers.keySet()))).append(",\"cells\":[");
        for (Cell cell : cells) {
            out.append(cell.id() == 0 ? "\n" : ",\n")
                    .append("{\"label\":")
                    .append(DisplayText.quoted(cell.label()))
                    .append(",\"ids\":")
                    .append(strings(cell.ids()))
                    .append(",\"names\":")
                    .append(strings(cell.names()))
                    .append(",\"devices\":")
                    .append(cell.devices())
                    .append(",\"ranks\":")
                    .append(cell.ranks())
                    .append(",\"rankHosts\":")
                    .append(DisplayText.quoted(FabricMap.hosts(cell.rankHosts(), MOST_OF_HOSTS)))
                    .append(",\"remarks\":")
                    .append(strings(cell.remarks().stream()
                            .map(remark ->
                                    DisplayText.shown(remark.type() + ": " + remark.message(), MOST_OF_A_MESSAGE))
                            .toList()))
                    .append(",\"hosts\":")
                    .append(ranges(cell.hosts(), numbers))
                    .append('}');
        }
        out.append("]}");
    }

    private static String strings(List<String> texts) {
        return texts.stream().map(DisplayText::quoted).collect(Collectors.joining(",", "[", "]"));
    }

    private static String ranges(List<String> hosts, Map<String, Integer> numbers) {
        int[] sorted = hosts.stream()
                .mapToInt(host -> numbers.getOrDefault(host, 0))
                .sorted()
                .toArray();
        StringBuilder ranges = new StringBuilder("[");
        for (int i = 0; i < sorted.length; ) {
            int last = i;
            while (last + 1 < sorted.length && sorted[last + 1] == sorted[last] + 1) {
                last++;
            }
            ranges.append(i == 0 ? "[" : ",[")
                    .append(sorted[i])
                    .append(',')
                    .append(sorted[last])
                    .append(']');
            i = last + 1;
        }
        return ranges.append(']').toString();
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
