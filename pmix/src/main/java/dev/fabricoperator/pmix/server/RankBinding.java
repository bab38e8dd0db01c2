/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

/**
 * On which CPUs a rank was bound when it was started.
 *
 * @param cpus the host's numbers, in the kernel's list form ({@code 0-3,8})
 * @param locality in the form of PMIx_server_generate_locality_string ({@code SK0:L30:CR0-3:HT0-3,8:NM0}), with numbers of its own: what the peers of one host compare
 */
public record RankBinding(String cpus, String locality) {}
