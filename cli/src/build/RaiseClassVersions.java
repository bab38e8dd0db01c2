/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Gives the classes of an archive that were compiled for Java 5 or older, which are picocli's, the form of Java 8. The JVM keeps no older classes in
 * its archive of loaded ones, and verifies them in a way that takes longer: together a fifth of the time of a short command.
 */
class RaiseClassVersions {
    private static final int FIRST_KEPT = ClassFile.JAVA_6_VERSION;

    public static void main(String[] arguments) throws IOException {
        Path from = Path.of(arguments[0]);
        try (ZipFile in = new ZipFile(from.toFile());
                URLClassLoader classes = new URLClassLoader(new URL[] {from.toUri().toURL()});
                OutputStream file = new BufferedOutputStream(Files.newOutputStream(Path.of(arguments[1])));
                ZipOutputStream out = new ZipOutputStream(file)) {
            ClassFile format = ClassFile.of(
                    ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
                    ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(classes)
                            .orElse(ClassHierarchyResolver.defaultResolver())));
            for (ZipEntry entry : Collections.list(in.entries())) {
                byte[] content = in.getInputStream(entry).readAllBytes();
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                out.putNextEntry(copy);
                out.write(entry.getName().endsWith(".class") && version(content) < FIRST_KEPT ? raised(format, content) : content);
                out.closeEntry();
            }
        }
    }

    private static int version(byte[] content) {
        return Byte.toUnsignedInt(content[6]) << 8 | Byte.toUnsignedInt(content[7]);
    }

    private static byte[] raised(ClassFile format, byte[] content) {
        // Code that is passed on as it stands would have no stack maps.
        ClassTransform everyInstruction = ClassTransform.transformingMethodBodies((builder, element) -> builder.with(element));
        ClassTransform newVersion = (builder, element) -> {
            if (element instanceof ClassFileVersion) {
                builder.withVersion(ClassFile.JAVA_8_VERSION, 0);
            } else {
                builder.with(element);
            }
        };
        return format.transformClass(format.parse(content), everyInstruction.andThen(newVersion));
    }
}
