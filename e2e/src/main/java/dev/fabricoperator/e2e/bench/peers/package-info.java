/**
 * From a dump to topology, coordinates and cost, beside what graph libraries and a C program take to parse the same dump
 * and find the hops between its devices. Every contender is a process; {@code e2e/bench/topology.sh} starts the comparison.
 */
@NullMarked
package dev.fabricoperator.e2e.bench.peers;

import org.jspecify.annotations.NullMarked;
