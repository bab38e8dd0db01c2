/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.server.ServerConfig;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What {@code PMIx_server_setup_fork} would set, by hand: the address is that of what stands before the library, and
 * nothing has to be asked of it.
 *
 * <p>The name of the variable that holds the address tells a client which dialect the server speaks, so those of later
 * versions than the library's ({@code PMIX_SERVER_URI61}) must be absent. HOME is not here: only the launcher knows whether
 * it is set.
 */
final class ClientEnvironment {
    private static final String[] URIS = {
        "PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI21", "PMIX_SERVER_URI2"
    };

    private ClientEnvironment() {}

    static String uri(ServerConfig config) {
        return config.nspace() + "." + config.rank() + ";tcp4://127.0.0.1:" + config.clientPort();
    }

    static Map<String, String> of(ServerConfig config, String version, String nspace, int rank) {
        Map<String, String> variables = LinkedHashMap.newLinkedHashMap(16);
        variables.put("PMIX_NAMESPACE", nspace);
        variables.put("PMIX_RANK", Integer.toUnsignedString(rank));
        String uri = uri(config);
        for (String name : URIS) {
            variables.put(name, uri);
        }
        variables.put("PMIX_SECURITY_MODE", "native");
        variables.put("PMIX_BFROP_BUFFER_TYPE", "PMIX_BFROP_BUFFER_NON_DESC");
        variables.put("PMIX_GDS_MODULE", "hash");
        variables.put("PMIX_HOSTNAME", config.hostname());
        variables.put("PMIX_VERSION", version);
        variables.put("PMIX_SERVER_TMPDIR", config.clientDirectory());
        variables.put("PMIX_SYSTEM_TMPDIR", config.clientDirectory());
        return variables;
    }
}
