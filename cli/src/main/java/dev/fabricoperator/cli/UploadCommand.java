/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.upload.ConfigMapParts;
import dev.fabricoperator.cli.upload.Upload;
import dev.fabricoperator.fabric.cabling.DisplayText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code upload}: gives a dump to the operator. */
@Command(
        name = "upload",
        description = {
            "Give a dump to the operator as ConfigMaps.",
            "The dump is checked, packed with gzip and cut into parts; an earlier upload of the same name is replaced."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric upload fabric.txt",
            "  ibnetdiscover | kubectl fabric upload - --name compute",
            "  kubectl fabric upload ibnetdiscover:fabric.txt.gz --context lab --dry-run"
        })
final class UploadCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "[KIND:]FILE",
            description =
                    "The dump; KIND is ibnetdiscover, lldp, slurm or cables, told by the content where it is not given, the file"
                            + " plain, gzip or xz; '-' is standard input.")
    @Nullable
    SourceArgument dump;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description =
                    "Name of the upload; default is the file's name, or KIND for standard input. An upload of this name is"
                            + " replaced; without --name only where it is of the same fabric.")
    @Nullable
    String name;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            defaultValue = "fabric-operator",
            description = "Namespace of the operator; default ${DEFAULT-VALUE}.")
    String namespace = "";

    @Spec
    @Nullable
    CommandSpec spec;

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Option(names = "--dry-run", description = "Check the dump and say what would be done; needs no cluster.")
    boolean dryRun;

    @Option(names = "--part-bytes", hidden = true, paramLabel = "BYTES", description = "Size of a part.")
    int partBytes = Upload.PART_BYTES;

    @Override
    public Integer call() throws IOException, Failure {
        SourceArgument source = Objects.requireNonNull(dump);
        if (partBytes < 1) {
            throw Failure.wrongUsage("--part-bytes must be positive");
        }
        Upload upload = Upload.read(source, name, partBytes);
        FabricOptions.warn(
                Objects.requireNonNull(spec).commandLine().getErr(),
                List.of(source),
                upload.cabling().problems());
        List<String> report = new ArrayList<>();
        report.add(source.shownPath() + ": "
                + DisplayText.count(upload.cabling().switches().size(), "switch", "switches") + ", "
                + DisplayText.count(upload.cabling().adapters().size(), "adapter", "adapters"));
        report.addAll(dryRun ? announce(upload) : apply(upload));
        StandardOutput.print(String.join("\n", report) + "\n");
        return 0;
    }

    private List<String> announce(Upload upload) {
        List<String> lines = new ArrayList<>();
        for (int part = 1; part <= upload.parts().size(); part++) {
            lines.add("configmap/" + upload.name() + "-" + part + " would be applied in namespace " + namespace
                    + " (part " + part + " of " + upload.parts().size() + ", "
                    + upload.parts().get(part - 1).length + " bytes)");
        }
        lines.add("Nothing was changed (--dry-run).");
        return lines;
    }

    private List<String> apply(Upload upload) throws Failure {
        try (ConfigMapParts parts = ConfigMapParts.in(namespace, cluster.context, cluster.kubeconfig)) {
            List<String> lines = new ArrayList<>(parts.replace(upload, name != null));
            lines.add("The operator reads it now. Look at: kubectl get fabrics; kubectl describe fabric");
            return lines;
        }
    }
}
