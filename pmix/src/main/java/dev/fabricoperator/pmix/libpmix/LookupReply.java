/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.pmix.server.PmixException;
import dev.fabricoperator.pmix.server.Published.Found;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a lookup: {@code void (*pmix_lookup_cbfunc_t)(pmix_status_t status, pmix_pdata_t data[], size_t ndata, void *cbdata)}.
 * 5.0.7 writes it to the client's queue where it is called, so that it is called on the library's own thread, there also before the question has returned, and
 * copies the data before it returns. It hands on data only with PMIX_SUCCESS.
 */
final class LookupReply extends CReply<List<Found>> {
    private static final int FIRST_CHUNK = 4 * 1024;

    private final ServerModule module;

    LookupReply(ServerModule module, Native calls, long function, long callbackData) {
        super(calls, function, callbackData);
        this.module = module;
    }

    @Override
    void deliver(Native.Function target, int status, @Nullable List<Found> found) {
        if (module.isLibraryThread()) {
            answerHere(target, status, found);
        } else {
            module.onLibraryThread(() -> answerHere(target, status, found));
        }
    }

    private void answerHere(Native.Function target, int status, @Nullable List<Found> found) {
        if (found == null || status != PmixStatus.PMIX_SUCCESS) {
            calls.call(target, status, 0, 0, callbackData, 0, 0, 0);
        } else {
            answerHere(target, found);
        }
    }

    private void answerHere(Native.Function target, List<Found> found) {
        try (NativeBlock block = new NativeBlock(calls, FIRST_CHUNK)) {
            NativeBlock.Part part = block.part(found.size() * Layout.PDATA_SIZE);
            int status = PmixStatus.PMIX_SUCCESS;
            for (int i = 0; i < found.size(); i++) {
                Found each = found.get(i);
                int at = i * Layout.PDATA_SIZE;
                block.putProc(
                        part, at, each.publisher().nspace(), each.publisher().rank());
                part.buffer()
                        .put(
                                part.offset() + at + Layout.PDATA_KEY,
                                each.datum().key().getBytes(StandardCharsets.ISO_8859_1));
                try {
                    PackedValue.unpack(calls, block, each.datum().value(), part.address() + at + Layout.PDATA_VALUE);
                } catch (PmixException e) {
                    status = e.status();
                }
            }
            calls.call(target, status, part.address(), found.size(), callbackData, 0, 0, 0);
            for (int i = 0; i < found.size(); i++) {
                calls.call(
                        calls.function("PMIx_Value_destruct"),
                        part.address() + (long) i * Layout.PDATA_SIZE + Layout.PDATA_VALUE,
                        0,
                        0);
            }
        }
    }
}
