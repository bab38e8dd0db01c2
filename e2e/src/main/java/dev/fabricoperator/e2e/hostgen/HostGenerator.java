/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lays out a host root for each named host of a dump. */
@Command(
        name = "hostgen",
        mixinStandardHelpOptions = true,
        description = "Lays out a host root (sys, proc, etc) for each named host of an ibnetdiscover dump.")
public final class HostGenerator implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DUMP", description = "ibnetdiscover text, plain or .gz")
    private Path dump = Path.of("");

    @Parameters(index = "1", paramLabel = "DIR", description = "where the host roots go, one directory per node name")
    private Path directory = Path.of("");

    @Option(names = "--limit", paramLabel = "N", description = "only the first N hosts")
    private int limit = Integer.MAX_VALUE;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new HostGenerator()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        List<DerivedHost> hosts = DerivedHost.of(Dumps.cabling(dump.toString(), Dumps.read(dump)));
        List<DerivedHost> written = new ArrayList<>(hosts.subList(0, Math.min(limit, hosts.size())));
        for (DerivedHost host : written) {
            HostTree.write(host, directory.resolve(host.nodeName()));
        }
        System.out.printf(
                "%d hosts in %s, derived from %s (see DERIVED.txt in each), not recorded%n",
                written.size(), directory, dump);
        return 0;
    }
}
