/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The programs' sources, parsed and not compiled: comments are wanted, and a default as it is written. */
final class JavaSources {
    private static final List<String> MODULES =
            List.of("fabric", "protocol", "pmix", "crds", "view", "formats", "agent", "operator", "sweeper", "cli");

    /** @param name {@code Type.FIELD} */
    record Constant(String name, String value, String comment) {}

    private final List<CompilationUnitTree> units = new ArrayList<>();
    private final DocTrees docs;
    private final Map<String, ExpressionTree> initializers = new TreeMap<>();
    private final Map<String, TreePath> fields = new TreeMap<>();
    private final Map<String, TreePath> types = new TreeMap<>();

    JavaSources(Path root) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> found = Files.walk(root.resolve(module).resolve("src/main/java"))) {
                found.filter(file -> file.toString().endsWith(".java")).sorted().forEach(files::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            task.parse().forEach(units::add);
            docs = DocTrees.instance(task);
        }
        Index index = new Index();
        units.forEach(unit -> index.scan(unit, null));
    }

    List<CompilationUnitTree> units() {
        return units;
    }

    /** A top-level or nested type by its simple name, {@code Outer.Inner} for a nested one. */
    @Nullable
    TreePath type(String name) {
        return types.get(name);
    }

    Map<String, TreePath> types() {
        return types;
    }

    /** The comment before a declaration, as Markdown; empty without one. */
    String comment(TreePath declaration) {
        return markdown(wholeComment(declaration));
    }

    /** The comment as it stands in the file, with its tags. */
    String wholeComment(TreePath declaration) {
        String comment = docs.getDocComment(declaration);
        return comment == null ? "" : comment;
    }

    /** Fields whose value is a text that literals and other such fields make; not those that are another field by another name. */
    List<Constant> constants() {
        List<Constant> constants = new ArrayList<>();
        initializers.forEach((name, initializer) -> {
            if (initializer instanceof MemberSelectTree) {
                return;
            }
            String value = value(name.substring(0, name.lastIndexOf('.')), initializer);
            TreePath field = fields.get(name);
            if (value != null && field != null) {
                constants.add(new Constant(name, value, comment(field)));
            }
        });
        return constants;
    }

    private @Nullable String value(String type, Tree expression) {
        return switch (expression) {
            case LiteralTree literal when literal.getValue() instanceof String text -> text;
            case IdentifierTree name -> constant(type + "." + name.getName());
            case MemberSelectTree select -> constant(select.toString());
            case BinaryTree sum
            when sum.getKind() == Tree.Kind.PLUS -> {
                String left = value(type, sum.getLeftOperand());
                String right = value(type, sum.getRightOperand());
                yield left == null || right == null ? null : left + right;
            }
            default -> null;
        };
    }

    private @Nullable String constant(String name) {
        ExpressionTree initializer = initializers.get(name);
        return initializer == null ? null : value(name.substring(0, name.lastIndexOf('.')), initializer);
    }

    static String markdown(String comment) {
        return comment.replaceAll("(?s)\\n\\s*@(param|see|return|throws)\\b.*", "")
                .replaceAll("\\{@code ([^}]*)}", "`$1`")
                .replaceAll("\\{@link [^ }]*[# ]?([A-Za-z]+)}", "`$1`")
                .replace("<p>", "")
                .replaceAll("</?em>", "*")
                .replaceAll("\\s+", " ")
                .strip();
    }

    private final class Index extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final List<String> outer = new ArrayList<>();

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
            outer.add(type.getSimpleName().toString());
            types.put(String.join(".", outer), getCurrentPath());
            super.visitClass(type, nothing);
            outer.removeLast();
            return null;
        }

        @Override
        public @Nullable Void visitVariable(VariableTree variable, @Nullable Void nothing) {
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            ExpressionTree initializer = variable.getInitializer();
            if (parent instanceof ClassTree && initializer != null) {
                String name = String.join(".", outer) + "." + variable.getName();
                initializers.put(name, initializer);
                fields.put(name, getCurrentPath());
            }
            return super.visitVariable(variable, nothing);
        }
    }
}
