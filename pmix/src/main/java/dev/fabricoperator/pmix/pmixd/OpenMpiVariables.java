/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherText;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What Open MPI's mpirun tells each rank in its environment. Programs that do not ask PMIx read the places, as those of Horovod, PyTorch and scripts do
 * that bind a GPU to each rank of a node; Open MPI itself makes MPI_INFO_ENV of the rest.
 *
 * @see "OpenPMIx 5.0.7, src/mca/pmdl/ompi; Open MPI 5.0.7, ompi_mpiinfo_init"
 */
final class OpenMpiVariables {
    private OpenMpiVariables() {}

    /** @param facts of which a run of mpirun has neither command nor directory */
    static void add(LauncherText.Block block, JobMap map, JobPod pod, LauncherFacts facts) {
        String size = Integer.toString(map.size());
        for (String name :
                List.of("OMPI_COMM_WORLD_SIZE", "OMPI_WORLD_SIZE", "OMPI_UNIVERSE_SIZE", "OMPI_MCA_num_procs")) {
            block.set(name, size);
        }
        String local = Integer.toString(pod.rankCount());
        block.set("OMPI_COMM_WORLD_LOCAL_SIZE", local);
        block.set("OMPI_WORLD_LOCAL_SIZE", local);
        block.set("OMPI_NUM_APP_CTX", Integer.toString(map.apps().size()));
        block.set(
                "OMPI_APP_CTX_NUM_PROCS",
                map.apps().stream().map(app -> Integer.toString(app.size())).collect(Collectors.joining(" ")));
        block.set(
                "OMPI_FIRST_RANKS",
                Arrays.stream(map.firstRanks())
                        .filter(rank -> rank >= 0)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" ")));
        String arguments = facts.arguments();
        if (arguments != null) {
            int blank = arguments.indexOf(' ');
            block.set("OMPI_COMMAND", blank < 0 ? arguments : arguments.substring(0, blank));
            if (blank >= 0) {
                block.set("OMPI_ARGV", arguments.substring(blank + 1));
            }
        }
        if (facts.directory() != null) {
            block.set("OMPI_MCA_initial_wdir", facts.directory());
        }
        for (int rank = 0; rank < pod.rankCount(); rank++) {
            int ofJob = pod.firstRank() + rank;
            block.rank(ofJob, "OMPI_COMM_WORLD_RANK", Integer.toString(ofJob));
            block.rank(ofJob, "OMPI_COMM_WORLD_LOCAL_RANK", Integer.toString(rank));
            block.rank(ofJob, "OMPI_COMM_WORLD_NODE_RANK", Integer.toString(rank));
        }
    }
}
