/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a text is that is of no {@link SourceKind}: people name the file beside the right one, or the right one in another form. */
final class OtherContent {
    /** Lines by which a dump of ibnetdiscover is told; also where messages stand before them. */
    private static final Pattern DUMP = Pattern.compile(
            "(?m)^\\uFEFF?(\\{ (CA|SW|R)\\S* +Ports:|(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=|(Switch|Ca|Rt)[ \\t]+\\d+[ \\t]+\"|(Non-)?Chassis )");

    /** A line of a node, as in a dump, whose id is a name that a person chose. */
    private static final Pattern SIMULATED =
            Pattern.compile("(?m)^(Switch|Hca|Ca)[ \\t]+\\d+[ \\t]+\"(?![SHR]-\\p{XDigit})[^\"]+\"");

    /** A kind of content, and its words; the first that is found counts. */
    private record Known(Pattern beginning, String words) {
        Known(String beginning, String words) {
            this(Pattern.compile(beginning), words);
        }
    }

    private static final List<Known> KNOWN = List.of(
            new Known("^\\uFFFD{0,2}([^\\x00]\\x00){3}|^(\\x00[^\\x00]){3}", "text in UTF-16: save it as UTF-8"),
            new Known(
                    "(?m)^(CA|SW|RT)\\s+\\d+\\s+\\d+\\s+0x\\p{XDigit}{16}\\s",
                    "the list of ports that ibnetdiscover -p prints: let it print without -p"),
            new Known(
                    "(?m)^#Fields:StartDevice,",
                    "a table of UFM's expected cables (NDT); cables as they are come from"
                            + " ibnetdiscover or from UFM itself"),
            new Known("(?im)^\\uFEFF?\"?from\"?;", "a table with semicolons: save it with commas"),
            new Known("^PK\\x03\\x04", "a zip archive: unpack it"),
            new Known("^BZh\\d", "packed with bzip2: unpack it, or use gzip or xz"),
            new Known("^\\x28\\uFFFD/\\uFFFD", "packed with zstd: unpack it, or use gzip or xz"),
            new Known("(?i)^\\s*(<!doctype html|<html)", "a web page"),
            new Known("(?s)^\\s*<.*<lldp\\b", "XML as lldpctl prints it: let it print -f json"),
            new Known("^\\s*<", "XML"),
            new Known(
                    "==\\(.*\\)==>",
                    "the output of iblinkinfo: ibnetdiscover prints the same cables in the form that is read"),
            new Known(
                    "(?m)^(Ca|Switch)\\s*: 0x\\p{XDigit}+ ports \\d+",
                    "a list of nodes without their cables, as ibhosts and" + " ibswitches print it: use ibnetdiscover"),
            new Known(
                    "(?m)^START_(NODES|LINKS|PORTS|DUMP_INFO)", "a database of ibdiagnet (db_csv): use ibnetdiscover"),
            new Known("(?m)^# .*\\bIBDIAG\\b", "a report of ibdiagnet: use ibnetdiscover"),
            new Known(
                    "(?m)^(LLDP neighbors:|Interface: +\\S+, via: )",
                    "text as lldpctl prints it for people: let it print -f json"),
            new Known(
                    "(?m)^(CA '|\\tCA type:|\\t*State: +(Active|Down|Initializing))",
                    "the output of ibstat, which knows no cables"),
            new Known(
                    "(?im)^(ClusterName|SlurmctldHost|NodeName|PartitionName)\\s*=",
                    "a slurm.conf: the network is in topology.conf"),
            new Known("(?m)^\\s*(strict )?(di)?graph\\b.*\\{", "a graph for Graphviz"),
            new Known(
                    "^[\\uFEFF\\s]*[\\[{]",
                    "JSON, and holds neither what lldpctl -f json prints, nor what UFM's REST"
                            + " interface answers, nor objects of Kubernetes"));

    /** Of texts: what is no letter that people type. */
    private static final Pattern BINARY = Pattern.compile("[\\x00-\\x08\\x0e-\\x1a\\uFFFD]");

    private static final Pattern YAML = Pattern.compile("---.*|(- +)?[\\w-]+:(\\s.*)?");
    private static final int SHOWN = 60;

    private OtherContent() {}

    /** What a text is that begins so; {@code null} for what may be a dump of ibnetdiscover, and for nothing but comments. */
    static @Nullable String of(String beginning) {
        if (SIMULATED.matcher(beginning).find()) {
            return "a network for ibsim: run it there, and ibnetdiscover on it";
        }
        if (DUMP.matcher(beginning).find()) {
            return null;
        }
        for (Known known : KNOWN) {
            if (known.beginning().matcher(beginning).find()) {
                return known.words();
            }
        }
        if (BINARY.matcher(beginning).find()) {
            return beginning.startsWith("\uFFFDPNG") ? "a picture (PNG)" : "no text: it has bytes that no text has";
        }
        String first = beginning
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .findFirst()
                .orElse("");
        if (first.isEmpty()) {
            return null;
        }
        if (first.indexOf(',') > 0) {
            return "a table whose first line is " + quoted(first) + "; a table of cables has the columns from and to";
        }
        return (YAML.matcher(first).matches() ? "YAML of another kind" : "a text of no known kind")
                + ", which begins with " + quoted(first);
    }

    private static String quoted(String line) {
        StringBuilder shown = new StringBuilder("\"");
        line.codePoints().limit(SHOWN).forEach(c -> shown.appendCodePoint(c < ' ' || c > '~' ? '?' : c));
        return shown.append(line.length() > SHOWN ? "...\"" : "\"").toString();
    }
}
