/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Answers to what a scheduler or a process asks about one fabric, the same for the command line and the query API.
 * Answers are plain records; slots stand for devices, ids of the cabling for switches.
 */
@NullMarked
package dev.fabricoperator.fabric.query;

import org.jspecify.annotations.NullMarked;
