/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.formats.map.FabricMap.Cell;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A map as one page of HTML that asks for nothing: the drawing, which wheel, pinch and keys zoom and move, a search for switches,
 * ids and hosts, the cables of the switch under the pointer, what is known of the one that is clicked, and tables of the job's
 * ranks by switch and of the findings. From afar sections are seen with what is counted in them, near by their switches, and
 * nearest the switches' ports: how much a browser has to draw at a time does not depend on the size of the fabric.
 */
public final class HtmlWriter {
    private static final int MOST_OF_A_MESSAGE = 1024;
    private static final int MOST_OF_HOSTS = 400;
    private static final int MOST_OF_A_LABEL = 60;

    private static final String STYLE = SvgWriter.DARK_STYLE + """
            :root { color-scheme: light dark; --paper: #ffffff; --ink: #111827; --faint: #6b7280; --edge: #e2e8f0; --wrong: #b91c1c; --found: #f59e0b; }
            @media (prefers-color-scheme: dark) {
              :root { --paper: #0b1220; --ink: #e5e7eb; --faint: #9ca3af; --edge: #2b3850; --wrong: #f87171; --found: #fbbf24; }
            }
            body { font: 14px/1.4 "DejaVu Sans", Verdana, sans-serif; margin: 0; color: var(--ink); background: var(--paper); }
            header { padding: 8px 20px; }
            header p { margin: 0 0 6px; }
            header .job { color: #3b82f6; }
            h1 { font-size: 18px; margin: 0; }
            form { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; }
            input[type=search] { font: inherit; padding: 3px 8px; width: 18em; border: 1px solid var(--faint); border-radius: 4px; }
            button { font: inherit; min-width: 2em; border: 1px solid var(--faint); border-radius: 4px; color: inherit; background: transparent; cursor: pointer; }
            output, .keys { color: var(--faint); }
            .legend { display: block; max-width: 100%; height: auto; margin-top: 8px; }
            main { position: relative; border: solid var(--edge); border-width: 1px 0; height: calc(100vh - 12em); min-height: 18em; overflow: hidden; touch-action: none; }
            #drawing { display: block; width: 100%; height: 100%; cursor: grab; user-select: none; text-rendering: geometricPrecision; transform-origin: 0 0; will-change: transform; }
            #detail { position: absolute; top: 8px; right: 8px; bottom: 8px; width: 21em; box-sizing: border-box; padding: 8px 12px; font-size: 13px; overflow: auto; border: 1px solid var(--edge); border-radius: 6px; background: var(--paper); }
            #detail:empty { display: none; }
            #detail h2 { font-size: 15px; margin: 0 2em 6px 0; overflow-wrap: anywhere; }
            #detail p { margin: 4px 0; overflow-wrap: anywhere; }
            #detail .close { position: absolute; top: 6px; right: 6px; }
            .wrong { color: var(--wrong); }
            .cell { cursor: pointer; }
            .cell:hover rect:first-of-type, .cell.chosen rect:first-of-type { stroke: var(--found); stroke-width: 3; }
            .searching .cell { opacity: 0.25; }
            .searching .cell.found { opacity: 1; }
            .searching .cell.found rect:first-of-type { stroke: var(--found); stroke-width: 4; }
            .searching .section.found .far rect { stroke: var(--found); stroke-width: 12; }
            .far, .isfar > .near, .isaway > .near, .off, .name { display: none; }
            .nearest .name { display: inline; }
            .isfar > .far { display: inline; cursor: zoom-in; }
            .linked path[data-plane] { opacity: 0.4; }
            #cables path { fill: none; stroke: var(--found); stroke-width: 2; vector-effect: non-scaling-stroke; }
            #cables text { fill: var(--found); font-weight: bold; paint-order: stroke; stroke: var(--paper); stroke-width: 3; }
            #cables { pointer-events: none; }
            .near > path, .near > line { vector-effect: non-scaling-stroke; }
            .port { fill: var(--faint); }
            .port.toswitch { fill: var(--ink); }
            section { padding: 0 20px 20px; }
            section h2 { font-size: 16px; }
            table { border-collapse: collapse; font-size: 13px; }
            th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--edge); vertical-align: top; overflow-wrap: anywhere; }
            td.number { text-align: right; }
            td.finding { overflow-wrap: break-word; }
            @media (max-width: 900px) { #detail { position: static; width: auto; } #detail { max-height: 40vh; } }
            @media print { form { display: none; } main { height: auto; } }
            """;

    private static final String SCRIPT = """
            'use strict';
            const data = JSON.parse(document.getElementById('data').textContent);
            const drawing = document.getElementById('drawing');
            const detail = document.getElementById('detail');
            const search = document.getElementById('search');
            const found = document.getElementById('found');
            const cables = document.getElementById('cables');
            const stage = drawing.parentElement;
            const SVG = 'http://www.w3.org/2000/svg';

            /* Pixels of the screen for each of the drawing from which on switches, and then their ports, are shown. */
            const NEAR = 0.4;
            const NEAREST = 2.2;
            const FEW = 150;
            const MOST_SCALE = 24;
            const MOST_WITH_PORTS = 60;

            function boxOf(element) {
              const rect = element.querySelector('rect');
              const box = {};
              for (const name of ['x', 'y', 'width', 'height']) box[name] = Number(rect.getAttribute(name));
              return box;
            }

            const elements = [];
            for (const element of drawing.querySelectorAll('[data-cell]')) {
              elements[Number(element.dataset.cell)] = element;
            }
            const boxes = elements.map(boxOf);
            const sections = [...drawing.querySelectorAll('[data-section]')].map(element => ({
              element,
              box: boxOf(element),
              cells: [...element.querySelectorAll('[data-cell]')].map(one => Number(one.dataset.cell)),
            }));
            const sectionOf = [];
            sections.forEach((section, s) => section.cells.forEach(id => { sectionOf[id] = s; }));
            const neighbours = elements.map(() => []);
            for (const [from, to, count, ...ports] of data.links) {
              neighbours[from].push({ to, count, ports, near: 0 });
              neighbours[to].push({ to: from, count, ports, near: 1 });
            }

            /* The part of the drawing that is shown, in its own units. */
            const whole = drawing.viewBox.baseVal;
            const all = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
            const view = { ...all };
            let scale = 1;
            let waiting = false;

            /* A flat drawing leaves the window to what stands below it. */
            function fitWindow() {
              const high = Math.min(innerHeight - 160, drawing.clientWidth * all.height / all.width);
              stage.style.height = Math.max(260, high) + 'px';
              fit(all);
            }

            function fit(box) {
              const wide = drawing.clientWidth || 1;
              const high = drawing.clientHeight || 1;
              scale = Math.min(wide / box.width, high / box.height, MOST_SCALE);
              view.width = wide / scale;
              view.height = high / scale;
              view.x = box.x + (box.width - view.width) / 2;
              view.y = box.y + (box.height - view.height) / 2;
              redraw();
            }

            function zoom(factor, x, y) {
              const wide = drawing.clientWidth || 1;
              const high = drawing.clientHeight || 1;
              const least = 0.5 * Math.min(wide / all.width, high / all.height);
              const next = Math.min(MOST_SCALE, Math.max(least, scale * factor));
              view.x += x / scale - x / next;
              view.y += y / scale - y / next;
              scale = next;
              view.width = wide / scale;
              view.height = high / scale;
              redraw();
            }

            function move(x, y) {
              view.x = Math.min(all.x + all.width, Math.max(all.x - view.width, view.x - x / scale));
              view.y = Math.min(all.y + all.height, Math.max(all.y - view.height, view.y - y / scale));
              redraw();
            }

            function redraw() {
              if (waiting) return;
              waiting = true;
              requestAnimationFrame(() => {
                waiting = false;
                paint();
              });
            }

            function isSeen(box) {
              return box.x < view.x + view.width && box.x + box.width > view.x
                  && box.y < view.y + view.height && box.y + box.height > view.y;
            }

            /* While one zooms or moves the browser only moves the drawing that it has; it is drawn anew when that has stopped. */
            const SETTLED_MS = 120;
            const drawn = { x: 0, y: 0, scale: 0 };
            let settling = 0;

            function paint() {
              const factor = scale / drawn.scale;
              clearTimeout(settling);
              if (factor > 0.25 && factor < 4) {
                drawing.style.transform = 'translate(' + (drawn.x - view.x) * scale + 'px, ' + (drawn.y - view.y) * scale + 'px) scale(' + factor + ')';
                settling = setTimeout(settle, SETTLED_MS);
              } else {
                settle();
              }
            }

            function settle() {
              clearTimeout(settling);
              drawn.x = view.x;
              drawn.y = view.y;
              drawn.scale = scale;
              drawing.style.transform = '';
              drawing.setAttribute('viewBox', view.x + ' ' + view.y + ' ' + view.width + ' ' + view.height);
              const far = scale < NEAR && elements.length > FEW;
              for (const section of sections) {
                section.element.classList.toggle('isfar', far);
                section.element.classList.toggle('isaway', !isSeen(section.box));
              }
              drawing.classList.toggle('nearest', scale >= NEAREST);
              if (!far && scale >= NEAREST) showPorts();
              else if (withPorts.size) dropPorts();
            }

            function svg(name, attributes, text) {
              const element = document.createElementNS(SVG, name);
              for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
              if (text) element.textContent = text;
              return element;
            }

            function portsOf(id) {
              const ports = [];
              for (const link of neighbours[id]) {
                for (let i = 0; i < link.ports.length; i += 2) {
                  ports.push({ number: link.ports[i + link.near], peer: link.to, peerPort: link.ports[i + 1 - link.near] });
                }
              }
              const own = data.cells[id].ports;
              for (let i = 0; i < own.length; i += 2) ports.push({ number: own[i], host: data.hosts[own[i + 1]] });
              return ports.sort((one, other) => one.number - other.number);
            }

            function words(port) {
              return port.host !== undefined ? port.host
                  : data.cells[port.peer].label + (port.peerPort ? ' port ' + port.peerPort : '');
            }

            const withPorts = new Map();

            function dropPorts() {
              withPorts.forEach(group => group.remove());
              withPorts.clear();
            }

            function showPorts() {
              const seen = [];
              for (const section of sections) {
                if (isSeen(section.box)) seen.push(...section.cells.filter(id => isSeen(boxes[id])));
              }
              if (seen.length > MOST_WITH_PORTS) {
                dropPorts();
                return;
              }
              const keep = new Set(seen);
              for (const [id, group] of withPorts) {
                if (!keep.has(id)) {
                  group.remove();
                  withPorts.delete(id);
                }
              }
              for (const id of seen) {
                if (withPorts.has(id)) continue;
                const ports = portsOf(id);
                const box = boxes[id];
                const small = box.width < 40;
                const group = svg('g', {});
                const across = small ? Math.ceil(Math.sqrt(ports.length)) : Math.max(18, Math.ceil(ports.length / 2));
                const width = (box.width - 4) / across;
                const height = small ? Math.min(width, 3) : 3;
                const bottom = box.y + box.height - (small ? 1.5 : 0.5);
                const rows = Math.ceil(ports.length / across);
                ports.forEach((port, i) => {
                  const x = box.x + 2 + i % across * width;
                  const y = bottom - (rows - Math.floor(i / across)) * height;
                  const one = svg('rect', { x, y, width: width * 0.86, height: height * 0.86, class: port.host === undefined ? 'port toswitch' : 'port' });
                  one.append(svg('title', {}, 'port ' + port.number + ': ' + words(port)));
                  group.append(one);
                });
                elements[id].append(group);
                withPorts.set(id, group);
              }
            }

            /* Cables of the switch that one points at, each line with the number of its cables where they are several. */
            function drawCables(id) {
              cables.replaceChildren();
              drawing.classList.toggle('linked', id !== null);
              if (id === null) return;
              const middle = one => {
                const section = sections[sectionOf[one]];
                const box = section.element.classList.contains('isfar') ? section.box : boxes[one];
                return [box.x + box.width / 2, box.y + box.height / 2];
              };
              const [x, y] = middle(id);
              let d = '';
              for (const link of neighbours[id]) {
                if (elements[link.to].classList.contains('off')) continue;
                const [toX, toY] = middle(link.to);
                d += 'M' + x + ' ' + y + 'L' + toX + ' ' + toY;
                if (link.count > 1) {
                  const at = 0.8;
                  cables.append(svg('text', { x: x + (toX - x) * at, y: y + (toY - y) * at, 'font-size': Math.max(3, 10 / Math.max(scale, 0.2)) }, String(link.count)));
                }
              }
              cables.prepend(svg('path', { d }));
            }

            function hostsOf(cell) {
              const hosts = [];
              for (const [from, to] of cell.hosts) {
                for (let i = from; i <= to; i++) hosts.push(data.hosts[i]);
              }
              return hosts;
            }

            function add(to, name, text, type) {
              const element = document.createElement(name);
              element.textContent = text;
              if (type) element.className = type;
              to.append(element);
              return element;
            }

            function show(id) {
              const cell = data.cells[id];
              detail.replaceChildren();
              add(detail, 'h2', cell.label);
              const close = add(detail, 'button', '\u00d7', 'close');
              close.setAttribute('aria-label', 'Close');
              close.addEventListener('click', () => choose(null));
              if (cell.ids.length === 1 && cell.ids[0] !== cell.label) add(detail, 'p', cell.ids[0]);
              if (cell.ids.length > 1) add(detail, 'p', cell.names.concat(cell.names.length ? [] : cell.ids).join(', '));
              if (cell.plane >= 0 && data.planes > 1) add(detail, 'p', 'plane ' + cell.plane);
              if (cell.ranks) add(detail, 'p', cell.rankWords + ' on ' + cell.rankHosts);
              for (const remark of cell.remarks) add(detail, 'p', remark, 'wrong');
              if (cell.devices) add(detail, 'p', cell.devices + ' devices of ' + cell.folded);
              const ports = portsOf(id);
              if (!ports.length) return;
              const table = add(detail, 'table', '');
              const head = add(table, 'tr', '');
              add(head, 'th', 'Port');
              add(head, 'th', 'Peer');
              for (const port of ports) {
                const row = add(table, 'tr', '');
                add(row, 'td', port.number || '', 'number');
                add(row, 'td', words(port));
              }
            }

            let chosen = null;

            function choose(id) {
              if (chosen !== null) elements[chosen].classList.remove('chosen');
              chosen = id === chosen ? null : id;
              drawCables(chosen);
              if (chosen === null) {
                detail.replaceChildren();
                return;
              }
              elements[chosen].classList.add('chosen');
              show(chosen);
            }

            function cellAt(target) {
              const element = target.closest('[data-cell]');
              return element ? Number(element.dataset.cell) : null;
            }

            drawing.addEventListener('mouseover', event => {
              if (chosen === null && !pointers.size) drawCables(cellAt(event.target));
            });

            /* One pointer moves, two pinch; what has hardly moved is a click. */
            const pointers = new Map();
            let moved = 0;
            stage.addEventListener('pointerdown', event => {
              if (detail.contains(event.target)) return;
              pointers.set(event.pointerId, event);
              moved = 0;
            });
            stage.addEventListener('pointermove', event => {
              if (detail.contains(event.target)) return;
              const before = pointers.get(event.pointerId);
              if (!before) return;
              const other = [...pointers.values()].find(one => one.pointerId !== event.pointerId);
              const origin = stage.getBoundingClientRect();
              if (other) {
                const distance = one => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
                zoom(distance(event) / distance(before),
                    (event.clientX + other.clientX) / 2 - origin.left, (event.clientY + other.clientY) / 2 - origin.top);
                moved = 9;
              } else {
                moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
                if (moved > 4) {
                  stage.setPointerCapture(event.pointerId);
                  move(event.clientX - before.clientX, event.clientY - before.clientY);
                }
              }
              pointers.set(event.pointerId, event);
            });
            for (const end of ['pointerup', 'pointercancel', 'pointerleave']) {
              stage.addEventListener(end, event => pointers.delete(event.pointerId));
            }
            drawing.addEventListener('click', event => {
              if (moved > 4) return;
              const id = cellAt(event.target);
              const section = event.target.closest('.isfar');
              if (id !== null) choose(id);
              else if (section) fit(sections[Number(section.dataset.section)].box);
              else if (chosen !== null) choose(null);
            });
            stage.addEventListener('wheel', event => {
              if (detail.contains(event.target)) return;
              event.preventDefault();
              const origin = stage.getBoundingClientRect();
              const lines = event.deltaMode === 1 ? 16 : 1;
              zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002)), event.clientX - origin.left, event.clientY - origin.top);
            }, { passive: false });

            function zoomAtMiddle(factor) {
              zoom(factor, drawing.clientWidth / 2, drawing.clientHeight / 2);
            }

            const STEP = 80;
            const KEYS = {
              '+': () => zoomAtMiddle(1.4),
              '=': () => zoomAtMiddle(1.4),
              '-': () => zoomAtMiddle(1 / 1.4),
              '0': () => fit(all),
              ArrowLeft: () => move(STEP, 0),
              ArrowRight: () => move(-STEP, 0),
              ArrowUp: () => move(0, STEP),
              ArrowDown: () => move(0, -STEP),
              Escape: () => choose(null),
            };
            document.addEventListener('keydown', event => {
              const key = KEYS[event.key];
              if (!key || event.target.tagName === 'INPUT' || event.ctrlKey || event.metaKey || event.altKey) return;
              event.preventDefault();
              key();
            });
            document.getElementById('nearer').addEventListener('click', KEYS['+']);
            document.getElementById('farther').addEventListener('click', KEYS['-']);
            document.getElementById('all').addEventListener('click', KEYS['0']);
            document.querySelector('form').addEventListener('submit', event => event.preventDefault());
            addEventListener('resize', fitWindow);

            /* Planes are layers: a bundle counts the cables of those that are shown. */
            const hidden = new Set();
            for (const box of document.querySelectorAll('[data-layer]')) {
              box.addEventListener('change', () => {
                const plane = Number(box.dataset.layer);
                if (box.checked) hidden.delete(plane);
                else hidden.add(plane);
                for (const element of drawing.querySelectorAll('[data-plane="' + plane + '"]')) {
                  element.classList.toggle('off', !box.checked);
                }
                countBundles();
                drawCables(chosen);
              });
            }

            function countBundles() {
              const counts = new Map();
              const isShown = id => !hidden.has(data.cells[id].plane);
              for (const [from, to, count] of data.links) {
                const one = Math.min(sectionOf[from], sectionOf[to]);
                const other = Math.max(sectionOf[from], sectionOf[to]);
                if (one !== other && isShown(from) && isShown(to)) {
                  counts.set(one + ' ' + other, (counts.get(one + ' ' + other) || 0) + count);
                }
              }
              data.bundles.forEach(([from, to, cables], i) => {
                const count = counts.get(from + ' ' + to) || 0;
                const line = drawing.querySelector('[data-bundle="' + i + '"]');
                const label = drawing.querySelector('[data-count="' + i + '"]');
                line.classList.toggle('off', cables > 0 && count === 0);
                if (label && label.dataset.words === undefined) label.dataset.words = label.textContent;
                if (label) label.textContent = count === cables ? label.dataset.words : label.dataset.words.includes('cable') ? count + (count === 1 ? ' cable' : ' cables') : String(count);
              });
            }

            function find() {
              const word = search.value.trim().toLowerCase();
              drawing.classList.toggle('searching', word !== '');
              let first = null;
              let count = 0;
              for (const section of sections) section.element.classList.remove('found');
              data.cells.forEach((cell, id) => {
                const hit = word !== '' && (cell.label.toLowerCase().includes(word)
                    || cell.ids.some(one => one.toLowerCase().includes(word))
                    || cell.names.some(one => one.toLowerCase().includes(word))
                    || hostsOf(cell).some(one => one.toLowerCase().includes(word)));
                elements[id].classList.toggle('found', hit);
                if (hit) {
                  sections[sectionOf[id]].element.classList.add('found');
                  count++;
                  if (first === null) first = id;
                }
              });
              found.value = word === '' ? '' : count === 1 ? '1 place' : count + ' places';
              if (first !== null) {
                show(first);
                if (!isSeen(boxes[first]) || sections[sectionOf[first]].element.classList.contains('isfar')) {
                  fit(sections[sectionOf[first]].box);
                  settle();
                }
              } else if (chosen === null) {
                detail.replaceChildren();
              }
            }

            fitWindow();
            settle();
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

    /** What a browser may do with the page, or with a picture: draw it, and run the one script. A server sends it as a header, too. */
    public static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; style-src 'sha256-" + digest(STYLE) + "' 'sha256-" + digest(SvgWriter.DARK_STYLE)
                    + "'; script-src 'sha256-" + digest(SCRIPT) + "'; base-uri 'none'; form-action 'none'";

    private HtmlWriter() {}

    /** The whole page. */
    public static String write(FabricMap folded) {
        FabricMap map = folded.whole();
        StringBuilder out = new StringBuilder(1 << 16);
        out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta http-equiv=\"Content-Security-Policy\" content=\"")
                .append(CONTENT_SECURITY_POLICY)
                .append("\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>")
                .append(DisplayText.markup(map.title()))
                .append("</title>\n<style>")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n");
        header(map, out);
        out.append("<main id=\"map\">\n")
                .append(SvgWriter.drawing(map))
                .append("<aside id=\"detail\"></aside></main>\n");
        job(map, out);
        remarks(map, out);
        out.append("<script type=\"application/json\" id=\"data\">");
        data(map, out);
        return out.append("</script>\n<script>")
                .append(SCRIPT)
                .append("</script>\n</body>\n</html>\n")
                .toString();
    }

    private static void header(FabricMap map, StringBuilder out) {
        out.append("<header><h1>").append(DisplayText.markup(map.title())).append("</h1>\n<p>");
        out.append(DisplayText.markup(map.counts())).append("</p>\n<form>");
        out.append("<label for=\"search\">Search</label> <input id=\"search\" type=\"search\" autocomplete=\"off\"")
                .append(" placeholder=\"switch, id or host\"> <output id=\"found\"></output>\n")
                .append("<button type=\"button\" id=\"nearer\" aria-label=\"Nearer\">+</button>")
                .append("<button type=\"button\" id=\"farther\" aria-label=\"Farther\">\u2212</button>")
                .append("<button type=\"button\" id=\"all\">All</button>\n")
                .append("<span class=\"keys\">wheel, pinch, + \u2212 0 and arrows</span>");
        List<Integer> planes = map.cells().stream()
                .map(Cell::plane)
                .filter(plane -> plane >= 0)
                .distinct()
                .sorted()
                .toList();
        if (planes.size() > 1) {
            out.append("\n<span>Planes</span>");
            for (int plane : planes) {
                out.append("\n<label><input type=\"checkbox\" checked data-layer=\"")
                        .append(plane)
                        .append("\"> ")
                        .append(plane)
                        .append("</label>");
            }
        }
        out.append("</form>\n").append(SvgWriter.legend(map)).append("</header>\n");
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
        Map<Remark, List<String>> places = map.placesOfRemarks();
        out.append("<section id=\"findings\"><h2>")
                .append(DisplayText.count(map.remarks().size(), "thing", "things"))
                .append(
                        " to look at</h2>\n<table><thead><tr><th>Finding</th><th>Where</th><th>Message</th></tr></thead><tbody>\n");
        for (Remark remark : map.remarks()) {
            out.append("<tr><td class=\"finding\">")
                    .append(DisplayText.markup(DisplayText.shown(remark.type(), MOST_OF_A_MESSAGE)))
                    .append("</td><td>")
                    .append(DisplayText.markup(places.getOrDefault(remark, List.of()).stream()
                            .map(place -> DisplayText.shown(place, MOST_OF_A_LABEL))
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
        List<List<Integer>> ports = devicePorts(map, numbers);
        out.append("{\"planes\":").append(map.model().planes().size());
        out.append(",\"hosts\":").append(strings(List.copyOf(numbers.keySet()))).append(",\"cells\":[");
        for (Cell cell : cells) {
            out.append(cell.id() == 0 ? "\n" : ",\n")
                    .append("{\"label\":")
                    .append(DisplayText.quoted(cell.label()))
                    .append(",\"ids\":")
                    .append(strings(cell.ids()))
                    .append(",\"names\":")
                    .append(strings(cell.names()))
                    .append(",\"plane\":")
                    .append(cell.plane())
                    .append(",\"devices\":")
                    .append(cell.devices())
                    .append(",\"ranks\":")
                    .append(cell.ranks())
                    .append(",\"rankWords\":")
                    .append(DisplayText.quoted(cell.ranksInWords(MOST_OF_A_MESSAGE)))
                    .append(",\"rankHosts\":")
                    .append(DisplayText.quoted(FabricMap.hosts(cell.rankHosts(), MOST_OF_HOSTS)))
                    .append(",\"remarks\":")
                    .append(strings(cell.remarks().stream()
                            .map(remark ->
                                    DisplayText.shown(remark.type() + ": " + remark.message(), MOST_OF_A_MESSAGE))
                            .toList()))
                    .append(",\"folded\":")
                    .append(DisplayText.quoted(FabricMap.hosts(cell.hosts(), MOST_OF_HOSTS)))
                    .append(",\"hosts\":")
                    .append(ranges(cell.hosts(), numbers))
                    .append(",\"ports\":")
                    .append(ports.get(cell.id()))
                    .append('}');
        }
        out.append("],\"links\":[");
        links(map, out);
        out.append("],\"bundles\":[")
                .append(map.bundles().stream()
                        .map(bundle -> "[" + bundle.from() + "," + bundle.to() + "," + bundle.cables() + "]")
                        .collect(Collectors.joining(",")))
                .append("]}");
    }

    /** By cell of one switch, each port that a device is at, and behind it the number of the device's host. */
    private static List<List<Integer>> devicePorts(FabricMap map, Map<String, Integer> numbers) {
        Topology topology = map.model().topology();
        List<List<Integer>> ports = new ArrayList<>();
        map.cells().forEach(cell -> ports.add(new ArrayList<>()));
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                int cell = map.cellOf(topology.endSwitch(end));
                Integer host = numbers.get(FabricMap.hostOf(topology, end));
                if (host != null && cell >= 0 && !map.cells().get(cell).folded()) {
                    ports.get(cell).add(topology.endSwitchPort(end));
                    ports.get(cell).add(host);
                }
            }
        }
        return ports;
    }

    /** Two cells, the cables between them, and where both are one switch the ports of each cable. */
    private static void links(FabricMap map, StringBuilder out) {
        Topology topology = map.model().topology();
        List<Cell> cells = map.cells();
        Map<Long, Integer> counted = new TreeMap<>();
        String separator = "";
        for (int at = 0; at < topology.switches(); at++) {
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int from = map.cellOf(at);
                int to = map.cellOf(topology.neighbor(n));
                if (topology.neighbor(n) < at || from == to || from < 0 || to < 0) {
                    continue;
                }
                if (cells.get(from).folded() || cells.get(to).folded()) {
                    long pair = (long) Math.min(from, to) << 32 | Math.max(from, to);
                    counted.merge(pair, topology.neighborCables(n), Integer::sum);
                    continue;
                }
                out.append(separator)
                        .append('[')
                        .append(from)
                        .append(',')
                        .append(to)
                        .append(',');
                out.append(topology.neighborCables(n));
                for (int i = 0; i < topology.neighborCables(n); i++) {
                    int cable = topology.firstCable(n) + i;
                    out.append(',')
                            .append(topology.cablePort(cable))
                            .append(',')
                            .append(topology.cableFarPort(cable));
                }
                out.append(']');
                separator = ",";
            }
        }
        for (Map.Entry<Long, Integer> pair : counted.entrySet()) {
            out.append(separator)
                    .append('[')
                    .append(pair.getKey() >> 32)
                    .append(',')
                    .append(pair.getKey().intValue());
            out.append(',').append(pair.getValue()).append(']');
            separator = ",";
        }
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
        byte[] digest = Sha256.of(text);
        return Base64.getEncoder().encodeToString(digest);
    }
}
