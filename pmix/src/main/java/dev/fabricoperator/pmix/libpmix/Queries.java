/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.*;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers to PMIx_Query_info and PMIx_Fabric_register from the job's map: on the library's thread, before the question returns, since 5.0.7
 * writes them to the client's queue where they are given. It asks for one key at a time, those that it cannot answer by itself.
 *
 * @see "PMIx Standard, chapters Query Operations and Fabric Support"
 */
final class Queries {
    private static final int FIRST_CHUNK = 16 * 1024;
    private static final byte PROC_STATE_CONNECTED = 6;
    private static final int REQUEST_INFO = 0;
    /** A table of more would take more memory than a pod leaves to its server: 296 bytes for each, and the library copies it. */
    private static final int MOST_PROCS_IN_TABLE = 16_384;

    /** Of those that are answered here, for who asks for the list. */
    private static final String SUPPORTED_KEYS = String.join(
            ",",
            PMIX_QUERY_NAMESPACES,
            PMIX_QUERY_NAMESPACE_INFO,
            PMIX_QUERY_JOB_STATUS,
            PMIX_QUERY_PROC_TABLE,
            PMIX_QUERY_LOCAL_PROC_TABLE,
            PMIX_QUERY_NUM_PSETS,
            PMIX_QUERY_PSET_NAMES,
            PMIX_QUERY_PSET_MEMBERSHIP);

    private final Native calls;
    private final LocalProcesses processes;
    private final JobMap map;
    private final int pod;

    /** @param pod index in the map of the pod that this server is in */
    Queries(Native calls, LocalProcesses processes, JobMap map, int pod) {
        this.calls = calls;
        this.processes = processes;
        this.map = map;
        this.pod = pod;
    }

    /**
     * @param refused gets the keys that nobody answers here
     * @return PMIX_SUCCESS if the callback was called
     */
    long query(long queries, long count, long callback, long callbackData, List<String> refused) {
        int status = PmixStatus.PMIX_SUCCESS;
        try (NativeBlock block = new NativeBlock(calls, FIRST_CHUNK)) {
            List<Key> keys = keys(queries, count);
            InfoArray results = block.infos(keys.size());
            for (Key key : keys) {
                int found = answer(key, block, results);
                if (found == PmixStatus.PMIX_ERR_NOT_SUPPORTED) {
                    refused.add(key.name());
                }
                status = found == PmixStatus.PMIX_SUCCESS ? status : found;
            }
            if (results.size() == 0) {
                return status == PmixStatus.PMIX_SUCCESS ? PmixStatus.PMIX_ERR_NOT_FOUND : status;
            }
            int overall = results.size() < keys.size() ? PmixStatus.PMIX_ERR_PARTIAL_SUCCESS : PmixStatus.PMIX_SUCCESS;
            reply(overall, results, callback, callbackData);
            return PmixStatus.PMIX_SUCCESS;
        }
    }

    /** What the library has copied when the call returns. */
    private void reply(int status, InfoArray infos, long callback, long callbackData) {
        calls.call(new Native.Function(callback), status, infos.address(), infos.size(), callbackData, 0, 0, 0);
    }

    /**
     * PMIx_Fabric_register and _update: 5.0.7 asks here only where no directives were given. It tells clients of no other status than
     * PMIX_SUCCESS.
     */
    long fabric(int operation, long directives, long count, long callback, long callbackData) {
        Qualifiers qualifiers = Qualifiers.of(InfoView.array(directives, count));
        // An update names the index that is in the client's structure, where 5.0.7 writes none.
        Long index = qualifiers.fabricIndex();
        boolean anyIndex = operation != REQUEST_INFO && index != null && index == 0;
        try (NativeBlock block = new NativeBlock(calls, FIRST_CHUNK)) {
            InfoArray results = block.infos(FabricInfos.JOB_VALUES);
            int status = new FabricQueries(map, pod, block, anyIndex ? Qualifiers.of(new InfoView[0]) : qualifiers)
                    .all(results);
            if (status == PmixStatus.PMIX_SUCCESS) {
                reply(status, results, callback, callbackData);
            }
            return status;
        }
    }

    private record Key(String name, Qualifiers qualifiers) {}

    private static List<Key> keys(long queries, long count) {
        List<Key> keys = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            ByteBuffer query = Native.view(queries + i * Layout.QUERY_SIZE, Layout.QUERY_SIZE);
            Qualifiers qualifiers = Qualifiers.of(
                    InfoView.array(query.getLong(Layout.QUERY_QUALIFIERS), query.getLong(Layout.QUERY_NQUAL)));
            for (String name : JobUpcalls.strings(query.getLong(0))) {
                keys.add(new Key(name, qualifiers));
            }
        }
        return keys;
    }

    private int answer(Key key, NativeBlock block, InfoArray results) {
        Qualifiers qualifiers = key.qualifiers();
        if (qualifiers.status() != PmixStatus.PMIX_SUCCESS) {
            return qualifiers.status();
        }
        if (qualifiers.nspace() != null && !qualifiers.nspace().equals(map.nspace())) {
            return PmixStatus.PMIX_ERR_NOT_FOUND;
        }
        switch (key.name()) {
            case PMIX_QUERY_SUPPORTED_KEYS -> results.string(key.name(), SUPPORTED_KEYS);
            case PMIX_QUERY_NAMESPACES -> results.string(key.name(), map.nspace());
            case PMIX_QUERY_NAMESPACE_INFO -> addNamespace(block, results);
            case PMIX_QUERY_NUM_PSETS -> results.size(key.name(), map.apps().size());
            case PMIX_QUERY_PSET_NAMES ->
                results.string(key.name(), map.apps().stream().map(JobApp::name).collect(Collectors.joining(",")));
            case PMIX_QUERY_PSET_MEMBERSHIP -> {
                return addMembers(qualifiers.processSet(), block, results);
            }
            case PMIX_QUERY_JOB_STATUS, PMIX_QUERY_PROC_TABLE, PMIX_QUERY_LOCAL_PROC_TABLE -> {
                if (qualifiers.nspace() == null) {
                    return PmixStatus.PMIX_ERR_BAD_PARAM;
                }
                return addOfJob(key.name(), block, results);
            }
            default -> {
                return new FabricQueries(map, pod, block, qualifiers).answer(key.name(), qualifiers, results);
            }
        }
        return PmixStatus.PMIX_SUCCESS;
    }

    private void addNamespace(NativeBlock block, InfoArray results) {
        InfoArray namespaces = block.infos(1);
        namespaces.infos(
                PMIX_QUERY_NAMESPACE_INFO,
                block.infos(4)
                        .string(PMIX_NSPACE, map.nspace())
                        .uint32(PMIX_JOB_SIZE, map.size())
                        .uint32(PMIX_NUM_NODES, map.pods().size())
                        .uint32(PMIX_JOB_NUM_APPS, map.apps().size()));
        results.infos(PMIX_QUERY_NAMESPACE_INFO, namespaces);
    }

    /** A process set is an app of the job. */
    private int addMembers(@Nullable String name, NativeBlock block, InfoArray results) {
        for (JobApp app : map.apps()) {
            if (app.name().equals(name) && app.size() > MOST_PROCS_IN_TABLE) {
                return PmixStatus.PMIX_ERR_OUT_OF_RESOURCE;
            }
            if (app.name().equals(name)) {
                NativeBlock.Part part = block.part(app.size() * Layout.PROC_SIZE);
                int at = 0;
                for (JobPod each : map.pods()) {
                    for (int i = 0; each.app() == app.number() && i < each.rankCount(); i++) {
                        block.putProc(part, at, map.nspace(), each.firstRank() + i);
                        at += Layout.PROC_SIZE;
                    }
                }
                results.array(PMIX_QUERY_PSET_MEMBERSHIP, PmixType.PROC, app.size(), part.address());
                return PmixStatus.PMIX_SUCCESS;
            }
        }
        return name == null ? PmixStatus.PMIX_ERR_BAD_PARAM : PmixStatus.PMIX_ERR_NOT_FOUND;
    }

    private int addOfJob(String key, NativeBlock block, InfoArray results) {
        if (key.equals(PMIX_QUERY_JOB_STATUS)) {
            // A job with an error is ended: whoever asks is in one that runs.
            results.status(key, PmixStatus.PMIX_SUCCESS);
        } else {
            boolean whole = key.equals(PMIX_QUERY_PROC_TABLE);
            if (whole && map.size() > MOST_PROCS_IN_TABLE) {
                return PmixStatus.PMIX_ERR_OUT_OF_RESOURCE;
            }
            addTable(key, whole ? map.pods() : List.of(map.pods().get(pod)), block, results);
        }
        return PmixStatus.PMIX_SUCCESS;
    }

    private void addTable(String key, List<JobPod> pods, NativeBlock block, InfoArray results) {
        int ranks = pods.stream().mapToInt(JobPod::rankCount).sum();
        NativeBlock.Part part = block.part(ranks * Layout.PROC_INFO_SIZE);
        int at = 0;
        for (JobPod each : pods) {
            long hostname = block.string(each.name());
            for (int rank = each.firstRank(); rank < each.firstRank() + each.rankCount(); rank++) {
                block.putProc(part, at, map.nspace(), rank);
                int entry = part.offset() + at;
                part.buffer().putLong(entry + Layout.PROC_INFO_HOSTNAME, hostname);
                part.buffer().putInt(entry + Layout.PROC_INFO_PID, processes.pidOf(rank));
                if (processes.isConnected(rank)) {
                    part.buffer().put(entry + Layout.PROC_INFO_STATE, PROC_STATE_CONNECTED);
                }
                at += Layout.PROC_INFO_SIZE;
            }
        }
        results.array(key, PmixType.PROC_INFO, ranks, part.address());
    }
}
