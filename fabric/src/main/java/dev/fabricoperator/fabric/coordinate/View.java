/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

/**
 * How coordinates are to be read: {@code logical} in dense numbers by the hierarchy of the fabric, {@code physical} by
 * cabling, with port numbers as printed on the switch.
 *
 * @see "PMIx Standard, PMIX_FABRIC_COORDS, pmix_coord_view_t"
 */
public enum View {
    logical,
    physical
}
