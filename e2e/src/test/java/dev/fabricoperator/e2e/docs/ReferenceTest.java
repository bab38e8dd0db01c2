/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReferenceTest {
    @Test
    void theReferenceIsWhatTheCodeSays() throws IOException {
        Path root = ProjectRoot.find();
        ReferencePage reference = new ReferencePage(root);
        String rendered = reference.render();
        assertThat(reference.complaints()).as("what the code does not explain").isEmpty();
        Path page = root.resolve("docs/reference.md");
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(page, rendered);
        }
        assertThat(Files.readString(page))
                .as("docs/reference.md is not what the code says: run 'make reference'")
                .isEqualTo(rendered);
    }
}
