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
public record RankBinding(String cpus, String locality) {
    private static final String PACKAGE = "SK";

    /** Numbers of the packages that the CPUs are of, in the kernel's list form; empty if unknown. */
    public String packages() {
        int end = locality.indexOf(':');
        return locality.startsWith(PACKAGE)
                ? locality.substring(PACKAGE.length(), end < 0 ? locality.length() : end)
                : "";
    }

    public boolean isOfOnePackage() {
        String packages = packages();
        return !packages.isEmpty() && packages.chars().allMatch(Character::isDigit);
    }
}
