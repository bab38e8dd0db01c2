/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How much a port sends. What is not known is {@code null}, and never zero for that.
 *
 * @param bytesPerSecond that it sends
 * @param utilisation share of what its link can carry
 * @param waitShare share of the time that it had something to send and could not
 * @param discardsPerSecond packets that it could not send, and threw away
 * @param asOf when {@code bytesPerSecond} was known last, as people tell it; {@code null} where it never was
 */
public record PortRate(
        @Nullable Long bytesPerSecond,
        @Nullable Double utilisation,
        @Nullable Double waitShare,
        @Nullable Double discardsPerSecond,
        @Nullable Instant asOf) {}
