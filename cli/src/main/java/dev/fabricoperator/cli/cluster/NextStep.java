/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.crds.FabricApi;

/** What somebody does about a condition that is not as it should be. */
final class NextStep {
    private NextStep() {}

    /** @param reason of a condition of a Fabric, or the state of a topology source */
    static String of(String fabric, String reason) {
        return switch (reason) {
            case "NoDevices" -> "kubectl get fabricdevices; without any, look at the logs of the agents";
            case "AgentsNotReady", "AgentNotReady" ->
                "kubectl get pods -A -l app.kubernetes.io/component=agent -o wide";
            case "NodesNotReady", "NodeNotReady" -> "kubectl get nodes";
            case "NoDaemonSet", "DaemonSetNotCounted" -> "install the agents: docs/install.md";
            case "NoSource", "UploadIncomplete" -> "ibnetdiscover > net.txt; kubectl fabric upload net.txt";
            case "UploadInProgress", "WritingDevices" -> "wait: kubectl fabric watch --fabric " + fabric;
            case "SourceUnreadable", "SourceMissing", "SourceUnreachable", "SourceRefused" ->
                "repair the source, then kubectl fabric refresh --fabric " + fabric;
            case "SourceShrank" ->
                "where the loss is real: kubectl annotate fabric " + fabric + " " + FabricApi.ANNOTATION_ACCEPT_LOSS
                        + "=DIGEST, the message names it";
            case "SourcesContradict" -> "kubectl fabric check --fabric " + fabric + "; correct one of the sources";
            case "LinkErrors" ->
                "clean or replace the cables that the findings name: kubectl fabric check --fabric " + fabric;
            case "TooHot" -> "look at the cooling of the hosts: kubectl fabric check --fabric " + fabric;
            case "Partitioned" ->
                "kubectl fabric map --fabric " + fabric + " shows the parts; check the cables between";
            case "ModelFailed" -> "a defect: report it with the controller's log";
            default -> "kubectl describe fabric " + fabric;
        };
    }
}
