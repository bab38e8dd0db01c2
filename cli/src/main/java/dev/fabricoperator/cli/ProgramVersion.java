/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.crds.FabricApi;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: the build's version and the API that it speaks. */
final class ProgramVersion implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = ProgramVersion.class.getResourceAsStream("version.properties")) {
            properties.load(in);
        }
        return new String[] {"kubectl-fabric " + properties.getProperty("version") + " (" + FabricApi.API_VERSION + ")"
        };
    }
}
