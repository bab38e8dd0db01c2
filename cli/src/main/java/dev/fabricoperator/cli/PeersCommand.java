/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.view.answer.PeersAnswer;
import dev.fabricoperator.view.question.Question;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code peers}: the devices on a device's switch. */
@Command(
        name = "peers",
        description = {
            "Show the switch of a device and the devices on the same switch, itself included.",
            "DEVICE: a device's object name, deviceId, port or node GUID, host/osName[:port]; for several devices",
            "a host, a switch, a port of one (leaf-01:17), a list (node[0001-0004]): those of each of their switches."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric peers node001/mlx5_0",
            "  kubectl fabric peers 248a0703002e61db fabric.txt.gz -o json"
        })
final class PeersCommand extends FabricCommand {
    @Parameters(paramLabel = "DEVICE [KIND:]FILE", description = "What is asked about; " + SourceArgument.BESIDE_WORDS)
    List<String> words = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        Words asked = Words.of(words, 1, 1, "DEVICE");
        List<PeersAnswer> found;
        try (FabricAnswers answers = fabric.answers(asked)) {
            found = answers.ask(new Question.Peers(asked.ids().getFirst())).answers();
        }
        output.print(
                found.size() == 1 ? found.getFirst() : found,
                () -> List.of(table(found)),
                () -> found.stream().flatMap(one -> one.peers().stream()).map(peer -> peer.device()));
        return 0;
    }

    private static TextTable table(List<PeersAnswer> answers) {
        TextTable table = new TextTable("DEVICE", "INDEX", "SWITCH", "NAME", "PORT").leavingOut("SWITCH", "INDEX");
        answers.forEach(answer -> answer.peers()
                .forEach(peer ->
                        table.row(peer.device(), peer.index(), answer.switchId(), answer.name(), peer.switchPort())));
        return table;
    }
}
