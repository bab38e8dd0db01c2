/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.TreeScanner;
import dev.fabricoperator.crds.FabricApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code docs/reference.md}, made of the programs' sources and of the CustomResourceDefinitions.
 *
 * <p>What has no comment in the code is a complaint and not a row without words.
 */
final class ReferencePage {
    private static final String PREFIX = FabricApi.GROUP + "/";
    private static final Pattern KEY_COMMENT =
            Pattern.compile("(Annotation|Label|Condition) of ([^:]+?)(, followed by [^:]+)?: (.*)");
    private static final List<String> KINDS = List.of("fabrics", "fabricdevices", "fabricswitches", "fabricjobs");

    private final Path root;
    private final JavaSources sources;
    private final List<String> complaints = new ArrayList<>();
    private final StringBuilder page = new StringBuilder();

    ReferencePage(Path root) throws IOException {
        this.root = root;
        this.sources = new JavaSources(root);
    }

    /** What has to be said in the code before there can be a page; empty after a good {@link #render}. */
    List<String> complaints() {
        return complaints;
    }

    String render() throws IOException {
        page.append("""
                <!--
                  Copyright The fabric-operator authors.
                  SPDX-License-Identifier: Apache-2.0
                  Generated from the code; "make reference" writes it. Do not edit.
                -->
                # Reference

                Made from the code by a test, which fails where this page says something else.

                """);
        keys();
        settings();
        metrics();
        resources();
        return page.toString().stripTrailing() + "\n";
    }

    // Annotations and labels

    private void keys() throws IOException {
        Map<String, List<String>> rows = new TreeMap<>();
        List<JavaSources.Constant> constants = new ArrayList<>(sources.constants());
        constants.sort(Comparator.comparing(JavaSources.Constant::value));
        for (JavaSources.Constant constant : constants) {
            if (!constant.value().startsWith(PREFIX) || constant.value().startsWith(PREFIX + "v1")) {
                continue;
            }
            Matcher comment = KEY_COMMENT.matcher(constant.comment());
            if (!comment.matches()) {
                complaints.add(constant.name() + ": a comment as \"Label of a Node: what it means\" is wanted, not \""
                        + constant.comment() + '"');
                continue;
            }
            String followed = comment.group(3);
            add(
                    rows,
                    comment.group(1),
                    constant.value(),
                    comment.group(2),
                    (followed == null ? "" : followed.substring(2) + ": ") + comment.group(4));
        }
        ManifestKeys.ALL.forEach(key -> add(rows, "Label", key.name(), key.of(), key.meaning()));
        page.append("## Annotations\n\n").append(table("annotation", "of", "meaning"));
        lines(rows.getOrDefault("Annotation", List.of()));
        page.append("\n## Labels\n\n").append(table("label", "of", "meaning"));
        lines(rows.getOrDefault("Label", List.of()));
        page.append("\n## Conditions of Kubernetes' own objects\n\n").append(table("condition", "of", "meaning"));
        lines(rows.getOrDefault("Condition", List.of()));
        List<String> known = new ArrayList<>(
                constants.stream().map(JavaSources.Constant::value).toList());
        ManifestKeys.ALL.forEach(key -> known.add(key.name()));
        Pattern key = Pattern.compile(Pattern.quote(PREFIX) + "(?!v1)[a-z][a-z-]*");
        try (Stream<Path> files = Files.walk(root.resolve("charts"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Matcher used = key.matcher(Files.readString(file));
                while (used.find()) {
                    String name = used.group();
                    if (known.stream().noneMatch(each -> isKey(each, name))) {
                        complaints.add(root.relativize(file) + " uses " + name + ", which nothing explains");
                    }
                }
            }
        }
    }

    /** A name that is followed by something ends in a dash or a dot. */
    private static boolean isKey(String known, String used) {
        return known.endsWith("-") || known.endsWith(".")
                ? used.startsWith(known) || known.startsWith(used)
                : used.equals(known);
    }

    private static void add(Map<String, List<String>> rows, String section, String key, String of, String meaning) {
        rows.computeIfAbsent(section, s -> new ArrayList<>()).add(row(code(key), of, meaning));
    }

    // Settings

    /** @param path as in {@code application.properties}, without the prefix of its mapping */
    private record Setting(String path, String standard, String comment) {}

    private void settings() {
        page.append("""

                ## Settings

                Environment variables; [operator](operator.md#settings) tells which of them sites change.

                """);
        Map<String, List<String>> mappings = new TreeMap<>();
        sources.types().forEach((name, path) -> {
            String prefix =
                    annotation(((ClassTree) path.getLeaf()).getModifiers().getAnnotations(), "ConfigMapping");
            if (prefix != null) {
                mappings.computeIfAbsent(prefix, p -> new ArrayList<>()).add(name);
            }
        });
        // Interfaces that several mappings hold: described once, with a column for the defaults of each.
        Map<String, Map<String, Map<String, Setting>>> shared = new TreeMap<>();
        mappings.forEach((prefix, types) -> {
            page.append("### ")
                    .append(code(variable(prefix) + "_..."))
                    .append("\n\n")
                    .append(table("variable", "default", "meaning"));
            for (String type : types) {
                Map<String, Setting> own = new LinkedHashMap<>();
                collect(prefix, type, type, "", own, shared);
                own.forEach((path, setting) -> page.append(
                        row(code(variable(prefix + "." + path)), code(setting.standard()), setting.comment())));
            }
            page.append('\n');
        });
        shared.forEach((type, byPrefix) -> {
            List<String> prefixes = List.copyOf(byPrefix.keySet());
            String tail = prefixes.getFirst().substring(prefixes.getFirst().lastIndexOf('.') + 1);
            page.append("### ")
                    .append(code("FABRIC_OPERATOR_..._" + variable(tail) + "_..."))
                    .append("\n\n");
            page.append("The same for each of ")
                    .append(String.join(
                            ", ",
                            prefixes.stream()
                                    .map(p -> code(variable(p) + "_..."))
                                    .toList()))
                    .append(".\n\n");
            List<String> head = new ArrayList<>(List.of("..."));
            prefixes.forEach(prefix -> head.add(prefix.split("\\.")[1]));
            head.add("meaning");
            page.append(table(head.toArray(String[]::new)));
            byPrefix.values().iterator().next().forEach((path, setting) -> {
                List<String> cells = new ArrayList<>(List.of(code(variable(path))));
                byPrefix.values().forEach(settings -> {
                    Setting one = settings.get(path);
                    cells.add(one == null ? "" : code(one.standard()));
                });
                cells.add(setting.comment());
                page.append(row(cells.toArray(String[]::new)));
            });
            page.append('\n');
        });
        sweeper();
        agent();
    }

    /**
     * @param type whose methods are settings, or hold some
     * @param scope type in which names of nested types are looked up first
     */
    private void collect(
            String prefix,
            String type,
            String scope,
            String before,
            Map<String, Setting> into,
            Map<String, Map<String, Map<String, Setting>>> shared) {
        TreePath path = sources.type(type);
        if (path == null) {
            complaints.add(type + " is not found");
            return;
        }
        ClassTree tree = (ClassTree) path.getLeaf();
        for (Tree parent : tree.getImplementsClause()) {
            collect(prefix, parent.toString(), parent.toString(), before, into, shared);
        }
        for (Tree member : tree.getMembers()) {
            if (!(member instanceof MethodTree method)) {
                continue;
            }
            String given = annotation(method.getModifiers().getAnnotations(), "WithName");
            String name = before + (given == null ? kebab(method.getName().toString()) : given);
            String result = String.valueOf(method.getReturnType());
            String nested = sources.type(scope + "." + result) != null ? scope + "." + result : result;
            TreePath group = sources.type(nested);
            if (group != null && group.getLeaf().getKind() == Tree.Kind.INTERFACE) {
                ClassTree groupTree = (ClassTree) group.getLeaf();
                String common = !nested.contains(".")
                        ? nested
                        : groupTree.getImplementsClause().isEmpty()
                                ? null
                                : groupTree.getImplementsClause().getFirst().toString();
                if (common == null) {
                    collect(prefix, nested, scope, name + ".", into, shared);
                } else {
                    collect(
                            prefix,
                            nested,
                            scope,
                            "",
                            shared.computeIfAbsent(common, c -> new TreeMap<>())
                                    .computeIfAbsent(prefix + "." + name, p -> new LinkedHashMap<>()),
                            shared);
                }
                continue;
            }
            String standard = annotation(method.getModifiers().getAnnotations(), "WithDefault");
            String comment = sources.comment(new TreePath(path, method));
            Setting inherited = into.get(name);
            if (comment.isEmpty() && inherited != null) {
                comment = inherited.comment();
            }
            if (comment.isEmpty()) {
                complaints.add(type + "." + method.getName() + " has no comment");
            }
            into.put(name, new Setting(name, standard == null ? "" : standard, comment));
        }
    }

    private void sweeper() {
        page.append("### Sweeper\n\n").append(table("variable", "default", "meaning"));
        TreePath type = sources.type("SweeperConfig");
        if (type == null) {
            complaints.add("SweeperConfig is not found");
            return;
        }
        // Components of the record and arguments of its constructor in "of" stand in one order.
        List<String> meanings = new ArrayList<>();
        Matcher parameter = Pattern.compile("(?m)^ *@param \\w+ (.*)$").matcher(sources.wholeComment(type));
        while (parameter.find()) {
            meanings.add(JavaSources.markdown(parameter.group(1)));
        }
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitNewClass(NewClassTree made, @Nullable Void nothing) {
                if (made.getIdentifier().toString().equals("SweeperConfig")) {
                    for (int i = 0; i < made.getArguments().size(); i++) {
                        List<String> texts = literals(made.getArguments().get(i));
                        if (!texts.isEmpty() && texts.getFirst().startsWith("SWEEPER_")) {
                            String standard = texts.size() > 1
                                    ? texts.get(1)
                                    : duration(made.getArguments().get(i).toString());
                            page.append(row(code(texts.getFirst()), code(standard), meanings.get(i)));
                        }
                    }
                }
                return super.visitNewClass(made, nothing);
            }
        }.scan(type.getLeaf(), null);
        page.append('\n');
    }

    private static String duration(String code) {
        Matcher duration =
                Pattern.compile("Duration\\.of(Seconds|Minutes)\\((\\d+)\\)").matcher(code);
        return duration.find() ? "PT" + duration.group(2) + duration.group(1).charAt(0) : code;
    }

    private void agent() {
        String usage = sources.constants().stream()
                .filter(constant -> constant.name().equals("AgentMain.USAGE"))
                .map(JavaSources.Constant::value)
                .findFirst()
                .orElse("");
        if (usage.isEmpty()) {
            complaints.add("AgentMain.USAGE is not found");
        }
        page.append("### Agent\n\nOptions of its command line.\n\n```\n")
                .append(usage)
                .append("```\n\n");
    }

    // Metrics

    private record Meter(String type, List<String> labels, String description) {}

    private void metrics() {
        Map<String, Meter> meters = new TreeMap<>();
        MeterScanner scanner = new MeterScanner(meters);
        sources.units().forEach(unit -> scanner.scan(unit, null));
        page.append("## Metrics\n\n").append(table("metric", "type", "labels", "meaning"));
        meters.forEach((name, meter) -> page.append(row(
                code(name),
                meter.type(),
                String.join(
                        ", ", meter.labels().stream().map(ReferencePage::code).toList()),
                meter.description())));
        page.append('\n');
    }

    /** Finds {@code Counter.builder("...")} with what follows, and the calls of helpers {@code gauge} and {@code counter}. */
    private final class MeterScanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private static final Set<String> BUILDERS = Set.of("Counter", "Gauge", "Timer");
        private final Map<String, Meter> meters;

        MeterScanner(Map<String, Meter> meters) {
            this.meters = meters;
        }

        @Override
        public @Nullable Void visitLiteral(LiteralTree literal, @Nullable Void nothing) {
            if (literal.getValue() instanceof String name && name.startsWith("fabric_operator_")) {
                meter(name);
            }
            return super.visitLiteral(literal, nothing);
        }

        @Override
        public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void nothing) {
            String method = call.getMethodSelect().toString();
            List<String> texts = direct(call);
            boolean agent = getCurrentPath()
                    .getCompilationUnit()
                    .getSourceFile()
                    .getName()
                    .endsWith("AgentMetrics.java");
            if (agent && (method.equals("gauge") || method.equals("counter")) && texts.size() >= 2) {
                meters.put("fabric_agent_" + texts.get(0), new Meter(method, List.of(), texts.get(1)));
            }
            return super.visitMethodInvocation(call, nothing);
        }

        private void meter(String name) {
            TreePath path = getCurrentPath().getParentPath();
            if (!(path.getLeaf() instanceof MethodInvocationTree call)) {
                complaints.add("where " + name + " is made is not understood: " + path.getLeaf());
                return;
            }
            String made = call.getMethodSelect().toString();
            List<String> texts = direct(call);
            if (made.equals("gauge") && texts.size() >= 2) {
                meters.put(name, new Meter("gauge", texts.subList(2, texts.size()), texts.get(1)));
                return;
            }
            String type = made.endsWith(".builder") ? made.substring(0, made.length() - ".builder".length()) : made;
            List<String> labels = new ArrayList<>();
            String description = "";
            TreePath above = path.getParentPath();
            while (above.getLeaf() instanceof MemberSelectTree select
                    && above.getParentPath().getLeaf() instanceof MethodInvocationTree next) {
                if (select.getIdentifier().contentEquals("tag")) {
                    labels.add(literals(next.getArguments().getFirst()).getFirst());
                } else if (select.getIdentifier().contentEquals("description")) {
                    description = String.join("", literals(next.getArguments().getFirst()));
                }
                above = above.getParentPath().getParentPath();
            }
            if (!BUILDERS.contains(type) || description.isEmpty()) {
                complaints.add(
                        name + " is made without Counter, Gauge or Timer.builder(...).description(...): " + made);
            }
            String suffix = type.equals("Counter") ? "_total" : type.equals("Timer") ? "_seconds" : "";
            meters.put(name + suffix, new Meter(type.toLowerCase(Locale.ROOT), labels, description));
        }
    }

    // Custom resources

    private void resources() throws IOException {
        page.append("## Custom resources\n\n`kubectl explain` says the same in a cluster.\n\n");
        for (String kind : KINDS) {
            JsonNode crd = new ObjectMapper(new YAMLFactory())
                    .readTree(Files.readString(root.resolve("config/crd/" + kind + "." + FabricApi.GROUP + ".yaml")));
            JsonNode schema = crd.at("/spec/versions/0/schema/openAPIV3Schema");
            List<String> names = new ArrayList<>();
            crd.at("/spec/names/shortNames").forEach(name -> names.add(code(name.asText())));
            page.append("### ")
                    .append(crd.at("/spec/names/kind").asText())
                    .append("\n\n")
                    .append(sentence(schema.path("description").asText()))
                    .append(" Short: ")
                    .append(String.join(", ", names))
                    .append(".\n\n")
                    .append(table("field", "type", "meaning"));
            fields("", schema);
            page.append('\n');
        }
    }

    private void fields(String before, JsonNode schema) {
        List<String> required = new ArrayList<>();
        schema.path("required").forEach(name -> required.add(name.asText()));
        schema.path("properties").properties().forEach(field -> {
            JsonNode value = field.getValue();
            String path = before + field.getKey();
            String type = type(value)
                    + (required.contains(field.getKey()) ? ", required" : "")
                    + (value.has("default")
                            ? ", default " + code(value.get("default").asText())
                            : "");
            page.append(row(code(path), type, value.path("description").asText()));
            fields(path + ".", value);
            fields(path + "[].", value.path("items"));
        });
    }

    private static String type(JsonNode schema) {
        if (schema.has("enum")) {
            List<String> values = new ArrayList<>();
            schema.get("enum").forEach(value -> values.add(code(value.asText())));
            return String.join(", ", values);
        }
        if (schema.path("type").asText().equals("array")) {
            return "list of " + type(schema.path("items"));
        }
        return schema.has("additionalProperties") ? "map" : schema.path("type").asText();
    }

    // Text

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : "`" + text + "`";
    }

    private static String table(String... head) {
        return row(head) + "|" + "---|".repeat(head.length) + "\n";
    }

    private static String row(String... cells) {
        List<String> escaped =
                Arrays.stream(cells).map(cell -> cell.replace("|", "\\|")).toList();
        return "| " + String.join(" | ", escaped) + " |\n";
    }

    private void lines(List<String> rows) {
        rows.stream().sorted().forEach(page::append);
    }

    private static String variable(String property) {
        return property.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }

    private static String kebab(String name) {
        return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    private static @Nullable String annotation(List<? extends AnnotationTree> annotations, String name) {
        for (AnnotationTree annotation : annotations) {
            if (annotation.getAnnotationType().toString().equals(name)) {
                ExpressionTree argument = annotation.getArguments().getFirst();
                return literals(argument instanceof AssignmentTree assigned ? assigned.getExpression() : argument)
                        .getFirst();
            }
        }
        return null;
    }

    /** The texts among a call's own arguments. */
    private static List<String> direct(MethodInvocationTree call) {
        return call.getArguments().stream()
                .filter(LiteralTree.class::isInstance)
                .flatMap(argument -> literals(argument).stream())
                .toList();
    }

    private static List<String> literals(Tree tree) {
        List<String> texts = new ArrayList<>();
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitLiteral(LiteralTree literal, @Nullable Void nothing) {
                if (literal.getValue() instanceof String text) {
                    texts.add(text);
                }
                return super.visitLiteral(literal, nothing);
            }
        }.scan(tree, null);
        return texts;
    }
}
