/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.answer.PeersAnswer;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code peers}: the devices on a device's switch. */
@Command(
        name = "peers",
        description = {
            "Show the switch of a device and the devices on the same switch, itself included.",
            "ID: an object name, deviceId, port or node GUID, host/osName[:port]."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric peers node001/mlx5_0",
            "  kubectl fabric peers 248a0703002e61db fabric.txt.gz -o json"
        })
final class PeersCommand extends FabricCommand {
    @Parameters(index = "0", paramLabel = "DEVICE", description = "ID of the device.")
    String device = "";

    @Parameters(index = "1..*", paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        PeersAnswer answer;
        try (FabricAnswers answers = fabric.answers(files)) {
            answer = answers.peers(device);
        }
        output.print(answer, () -> List.of(table(answer)));
        return 0;
    }

    private static TextTable table(PeersAnswer answer) {
        TextTable table = new TextTable("DEVICE", "INDEX", "SWITCH", "NAME", "PORT");
        answer.peers()
                .forEach(peer ->
                        table.row(peer.device(), peer.index(), answer.switchId(), answer.name(), peer.switchPort()));
        return table;
    }
}
