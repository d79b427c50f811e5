"""Random networks, and brute force over all combinations of values."""

import numpy as np

import tenfold as tn


def random_network(random, n, most_parents=3, most_values=3, zeros=0.0, least_values=1):
    """A random graph over an order of the variables, with random tables."""
    names = [f"v{at}" for at in range(n)]
    order = random.permutation(n)
    sizes = random.integers(least_values, most_values + 1, n)
    values = {name: [f"{name}_{value}" for value in range(sizes[at])] for at, name in enumerate(names)}
    parents, tables = {}, {}
    for place, at in enumerate(order):
        count = int(random.integers(0, min(place, most_parents) + 1))
        some = random.choice(order[:place], count, replace=False) if count else []
        parents[names[at]] = [names[one] for one in some]
        shape = [*(sizes[one] for one in some), sizes[at]]
        table = random.gamma(0.7, size=shape) * (random.random(shape) >= zeros) + 1e-12 * (zeros == 0)
        table[..., 0] += (table.sum(axis=-1) == 0) * 1.0
        tables[names[at]] = table / table.sum(axis=-1, keepdims=True)
    return tn.BayesianNetwork(values, parents, tables)


def joint(network):
    """P of all combinations, an axis to each variable: the product of the tables, nothing clever."""
    sizes = [len(some) for some in network.values.values()]
    out = np.ones(sizes)
    for name in network.names:
        family = [network.names.index(one) for one in (*network.parents[name], name)]
        order = np.argsort(family)
        shape = [1] * len(sizes)
        for one in family:
            shape[one] = sizes[one]
        out = out * network.tables[name].transpose(order).reshape(shape)
    return out


def random_tree(random, n, values=3, sharp=0.25):
    """A tree of columns in which neighbours tell much of each other."""
    names = [f"v{at}" for at in range(n)]
    parents = {names[at]: [names[int(random.integers(at))]] for at in range(1, n)}
    tables = {}
    for name in names:
        shape = (values,) * (1 + len(parents.get(name, ())))
        tables[name] = random.dirichlet(np.full(values, sharp if name in parents else 5.0), size=shape[:-1])
    return tn.BayesianNetwork(dict.fromkeys(names, tuple("abcdef"[:values])), parents, tables)


def undirected(edges):
    """The edges of a graph without their arrows."""
    return {frozenset(edge) for edge in edges}
