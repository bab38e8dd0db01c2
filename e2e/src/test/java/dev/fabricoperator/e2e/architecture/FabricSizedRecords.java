/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.architecture;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Signature;
import java.lang.classfile.attribute.RecordComponentInfo;
import java.lang.classfile.attribute.SignatureAttribute;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records whose {@code hashCode} walks over a whole fabric: it is the compiler's, and a component holds all switches, cables or
 * devices, itself or through other records. One as an element of a hash set or a key of a hash map makes the set quadratic.
 *
 * <p>Read from class files, so that no module needs to be on the class path of another.
 */
final class FabricSizedRecords {
    private static final Set<String> COLLECTIONS = Set.of(
            "java.util.List",
            "java.util.Set",
            "java.util.Collection",
            "java.util.Map",
            "java.util.SortedMap",
            "java.util.NavigableMap",
            "java.util.SortedSet");
    private static final String DOMAIN = "dev.fabricoperator.fabric.";

    /** What a fabric has thousands of. */
    private static final Set<String> PARTS = Set.of(
            DOMAIN + "cabling.Switch",
            DOMAIN + "cabling.Adapter",
            DOMAIN + "topology.Vertex",
            DOMAIN + "model.DevicePosition",
            DOMAIN + "model.SwitchPosition",
            DOMAIN + "numbering.Numbering$OfDevice",
            DOMAIN + "numbering.Numbering$OfSwitch",
            "dev.fabricoperator.crds.Fabric",
            "dev.fabricoperator.crds.FabricDevice",
            "dev.fabricoperator.crds.FabricSwitch",
            "dev.fabricoperator.view.mapping.FabricMember");

    private final Map<String, ClassModel> classes = new HashMap<>();
    private final Map<String, String> found = new HashMap<>();

    /** @param directories of class files */
    FabricSizedRecords(List<Path> directories) throws IOException {
        for (Path directory : directories) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".class")).toList()) {
                    ClassModel parsed = ClassFile.of().parse(file);
                    classes.put(name(parsed.thisClass().asSymbol()), parsed);
                }
            }
        }
    }

    /** @return by name of the record, the component through which it reaches a whole fabric */
    SortedMap<String, String> find() {
        boolean more = true;
        while (more) {
            more = false;
            for (Map.Entry<String, ClassModel> each : classes.entrySet()) {
                String why = found.containsKey(each.getKey()) ? null : reason(each.getValue());
                if (why != null) {
                    found.put(each.getKey(), why);
                    more = true;
                }
            }
        }
        return new TreeMap<>(found);
    }

    private @Nullable String reason(ClassModel type) {
        var components = type.findAttribute(Attributes.record());
        if (components.isEmpty() || !hashesComponents(type)) {
            return null;
        }
        return components.get().components().stream()
                .filter(component -> isFabricSized(signature(component), false))
                .map(component -> component.name().stringValue())
                .findFirst()
                .orElse(null);
    }

    private static Signature signature(RecordComponentInfo component) {
        return component
                .findAttribute(Attributes.signature())
                .map(SignatureAttribute::asTypeSignature)
                .orElseGet(() -> Signature.of(component.descriptorSymbol()));
    }

    /** @param many whether it stands in a collection */
    private boolean isFabricSized(Signature type, boolean many) {
        if (!(type instanceof Signature.ClassTypeSig sig)) {
            return false;
        }
        String name = name(sig.classDesc());
        if (found.containsKey(name) || many && isPart(name)) {
            return true;
        }
        return COLLECTIONS.contains(name)
                && sig.typeArgs().stream()
                        .anyMatch(argument -> argument instanceof Signature.TypeArg.Bounded bound
                                && isFabricSized(bound.boundType(), true));
    }

    /** Itself, what implements it, and records that hold one. */
    private boolean isPart(String name) {
        if (PARTS.contains(name)) {
            return true;
        }
        ClassModel type = classes.get(name);
        return type != null
                && (type.interfaces().stream().anyMatch(one -> isPart(name(one.asSymbol())))
                        || type.findAttribute(Attributes.record()).stream()
                                .flatMap(record -> record.components().stream())
                                .anyMatch(component -> PARTS.contains(name(component.descriptorSymbol()))));
    }

    /** Whether nobody has written a {@code hashCode} for the record. */
    private static boolean hashesComponents(ClassModel type) {
        return type.methods().stream()
                .filter(method -> method.methodName().equalsString("hashCode")
                        && method.methodType().equalsString("()I"))
                .flatMap(method -> method.code().stream())
                .flatMap(code -> code.elementStream())
                .anyMatch(FabricSizedRecords::isMadeByTheCompiler);
    }

    private static boolean isMadeByTheCompiler(CodeElement instruction) {
        return instruction instanceof InvokeDynamicInstruction dynamic
                && name(dynamic.bootstrapMethod().owner()).equals("java.lang.runtime.ObjectMethods");
    }

    private static String name(ClassDesc type) {
        return type.isClassOrInterface() ? type.packageName() + "." + type.displayName() : type.displayName();
    }
}
