# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
"""A dump of ibnetdiscover to hops between all devices with a Python library, as a peer of the benchmark.

usage: hops.py LIBRARY FILE

Speaks the protocol of the benchmark: prints "ready NAME" once, then for each line of standard input does one run and prints
  <parse ns> <search ns> <CPU ns of both> <devices> <sum of hops over ordered pairs of devices>
"""

import importlib.metadata
import re
import sys
import time

RECORD = re.compile(r'^(?:(\[)|Switch|Ca)[^"\n]*"([SH]-[0-9a-f]{16})"', re.MULTILINE)


def parse(path):
    """Ids in the order in which they are met, and each pair of cabled ids once, as numbers."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    number = {}
    pairs = set()
    current = -1
    for record in RECORD.finditer(text):
        at = number.setdefault(record[2], len(number))
        if record[1] is None:
            current = at
        else:
            pairs.add((current, at) if current < at else (at, current))
    return list(number), list(pairs)


def devices_of(ids):
    return [n for n, name in enumerate(ids) if name[0] == "H"]


def with_networkx():
    import networkx

    def search(ids, pairs):
        graph = networkx.Graph()
        graph.add_nodes_from(range(len(ids)))
        graph.add_edges_from(pairs)
        devices = set(devices_of(ids))
        total = 0
        for source, hops in networkx.all_pairs_shortest_path_length(graph):
            if source in devices:
                total += sum(hop for target, hop in hops.items() if target in devices)
        return total

    return search


def total(matrix, ids):
    devices = devices_of(ids)
    return int(matrix[devices][:, devices].sum())


def with_igraph():
    import igraph
    import numpy

    def search(ids, pairs):
        graph = igraph.Graph(n=len(ids), edges=pairs)
        return total(numpy.array(graph.distances()), ids)

    return search


def with_scipy():
    import numpy
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    def search(ids, pairs):
        ends = numpy.array(pairs).T
        graph = coo_array((numpy.ones(len(pairs)), (ends[0], ends[1])), shape=(len(ids), len(ids))).tocsr()
        return total(shortest_path(graph, method="D", directed=False, unweighted=True), ids)

    return search


def undirected(rustworkx, count, pairs):
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * count)
    graph.add_edges_from_no_data(pairs)
    return graph


def with_rustworkx():
    import rustworkx

    def search(ids, pairs):
        return total(rustworkx.distance_matrix(undirected(rustworkx, len(ids), pairs)), ids)

    return search


def with_rustworkx_switches():
    """The matrix of the switches only, spread over the devices by NumPy."""
    import numpy
    import rustworkx

    def search(ids, pairs):
        switches = {n: i for i, n in enumerate(n for n, name in enumerate(ids) if name[0] == "S")}
        between = [(switches[a], switches[b]) for a, b in pairs if a in switches and b in switches]
        holder = [switches[a if a in switches else b] for a, b in pairs if (a in switches) != (b in switches)]
        matrix = rustworkx.distance_matrix(undirected(rustworkx, len(switches), between))
        hops = matrix[numpy.ix_(holder, holder)] + 2
        numpy.fill_diagonal(hops, 0)
        return int(hops.sum())

    return search


LIBRARIES = {
    "networkx": with_networkx,
    "igraph": with_igraph,
    "scipy": with_scipy,
    "rustworkx": with_rustworkx,
    "rustworkx-switches": with_rustworkx_switches,
}


def main(library, path):
    search = LIBRARIES[library]()
    print("ready", library, importlib.metadata.version(library.split("-")[0]), flush=True)
    for _ in sys.stdin:
        start, cpu = time.perf_counter_ns(), time.process_time_ns()
        ids, pairs = parse(path)
        parsed = time.perf_counter_ns()
        hops = search(ids, pairs)
        end = time.perf_counter_ns()
        cpu = time.process_time_ns() - cpu
        print(parsed - start, end - parsed, cpu, len(devices_of(ids)), hops, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
