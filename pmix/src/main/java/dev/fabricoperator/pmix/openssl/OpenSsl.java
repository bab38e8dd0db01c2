/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.openssl;

import dev.fabricoperator.pmix.foreign.Native;

/** The library, loaded at first use: libssl and, through it, libcrypto. */
final class OpenSsl {
    private static final String SONAME = "libssl.so.3";
    /** No {@code openssl.cnf}: what a file of the machine says must not change what is trusted. */
    private static final long OPENSSL_INIT_NO_LOAD_CONFIG = 0x80;

    private static final long OPENSSL_INIT_NO_ATEXIT = 0x80000;
    private static final int TEXT_BYTES = 256;

    static final Native CALLS = load();

    private OpenSsl() {}

    private static Native load() {
        Native calls = new Native(SONAME);
        long options = OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT;
        if ((int) calls.call(calls.function("OPENSSL_init_ssl"), options, 0, 0) != 1) {
            throw new IllegalStateException("OpenSSL cannot be initialised");
        }
        return calls;
    }

    static long call(String function, long a, long b, long c) {
        return CALLS.call(CALLS.function(function), a, b, c);
    }

    static long call(String function, long a, long b, long c, long d, long e, long f) {
        return CALLS.call(CALLS.function(function), a, b, c, d, e, f, 0);
    }

    /** For functions that fail only where memory has ended or the arguments are this program's mistake. */
    static void require(String function, long a, long b, long c) {
        if ((int) call(function, a, b, c) != 1) {
            throw new IllegalStateException(function + ": " + reason());
        }
    }

    /** As {@link #require}, for functions that make something. */
    static long pointer(String function, long a, long b, long c) {
        long made = call(function, a, b, c);
        if (made == 0) {
            throw new IllegalStateException(function + ": " + reason());
        }
        return made;
    }

    /** Why the last call of this thread failed; its queue of errors is then empty. */
    static String reason() {
        long code = call("ERR_get_error", 0, 0, 0);
        call("ERR_clear_error", 0, 0, 0);
        String text = code == 0 ? "" : Native.string(call("ERR_reason_error_string", code, 0, 0), TEXT_BYTES);
        return text.isEmpty() ? "OpenSSL's error " + Long.toHexString(code) : text;
    }

    static String text(long address) {
        return Native.string(address, TEXT_BYTES);
    }
}
