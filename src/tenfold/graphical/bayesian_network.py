"""Bayesian networks: a joint distribution as a product, P(x) = Π P(xᵢ | parents of xᵢ), over a directed acyclic graph.

Whatever is asked (a probability, a posterior, the most probable values) is a sum or a maximum of products of the
tables, planned before it is computed: a question whose answer needs too large a table is refused with advice.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Codes, DataError, Labels
from tenfold.graphical import bif
from tenfold.graphical.contraction import (
    MAX_PRODUCT_NUMBERS,
    ROW_AXIS,
    Axes,
    ContractionPlan,
    TooLarge,
    derivatives,
    forward,
    most_probable,
    plan,
)
from tenfold.graphical.dag import Parents, ancestors, parents_first, reachable
from tenfold.graphical.likelihood_weighting import SampledPosterior, weighted_posterior
from tenfold.graphical.probability_table import PROBABILITY_TOLERANCE, ProbabilityTable

MAX_TABLE_CELLS = 1 << 40
"""numbers of a table, at most: no machine has room for more"""
WEIGHT_LIMIT = 1 << 20
"""numbers of a table from which the largest weight of samples is looked for: less than the samples take"""

Evidence = Mapping[str, Hashable]
"""values of some variables, by name"""


class Explanation(NamedTuple):
    """The most probable values of variables, and how probable they are."""

    values: dict[str, Hashable]
    probability: float
    """given the evidence"""


class BayesianNetwork:
    """A joint distribution of variables with few values each, as a product of conditional tables.

    Parameters
    ----------
    values : dict of str to sequence
        The variables by name, each with its values.
    parents : dict of str to sequence of str
        The parents of each variable; variables that are not listed have none.
    tables : dict of str to array
        P(variable | parents): an axis to each parent, in their order, then one to the variable, along which the
        probabilities sum to 1.

    Attributes
    ----------
    names : tuple of str
        The variables.
    order : tuple of str
        The variables, parents first.

    Examples
    --------
    >>> from tenfold import BayesianNetwork
    >>> yes_no = [True, False]
    >>> network = BayesianNetwork(
    ...     {"rain": yes_no, "sprinkler": yes_no, "wet": yes_no},
    ...     {"sprinkler": ["rain"], "wet": ["rain", "sprinkler"]},
    ...     {"rain": [0.2, 0.8], "sprinkler": [[0.01, 0.99], [0.4, 0.6]],
    ...      "wet": [[[0.99, 0.01], [0.8, 0.2]], [[0.9, 0.1], [0.0, 1.0]]]},
    ... )
    >>> network.query("rain", evidence={"wet": True}).p.round(4).tolist()
    [0.3577, 0.6423]
    >>> network.most_probable(evidence={"wet": True}).values
    {'rain': False, 'sprinkler': True}
    >>> network.do({"wet": True}).query("rain").p.tolist()  # to wet the grass makes no rain
    [0.2, 0.8]
    """

    def __init__(
        self,
        values: Mapping[str, Sequence[Hashable]],
        parents: Mapping[str, Sequence[str]],
        tables: Mapping[str, ArrayLike],
    ) -> None:
        self.values = {str(name): tuple(some) for name, some in values.items()}
        if not self.values:
            raise ValueError("a network needs at least one variable")
        for name, some in self.values.items():
            if len(set(some)) != len(some) or not some:
                raise ValueError(f"variable {name!r} must have values, each of them once, not {some!r}")
        for word, given in (("parents", parents), ("tables", tables)):
            if unknown := [name for name in given if name not in self.values]:
                raise ValueError(f"{word} names {unknown[0]!r}, which is not a variable, only {list(self.names)[:10]}")
        self.parents = {name: tuple(parents.get(name, ())) for name in self.values}
        self._places = {name: at for at, name in enumerate(self.values)}
        self._graph: Parents = tuple(tuple(self._at(one) for one in some) for some in self.parents.values())
        for name, some in self.parents.items():
            if len(set(some)) != len(some):
                raise ValueError(f"variable {name!r} has a parent twice: {list(some)}")
        order = parents_first(self._graph)
        if len(order) < len(self.values):
            cycle = [name for name in self.names if self._places[name] not in set(order)]
            raise ValueError(f"the graph has a cycle among {cycle[:10]}: a variable may not be its own ancestor")
        self._order = order
        self.tables = {name: self._table(name, tables) for name in self.values}
        self._sizes = tuple(len(some) for some in self.values.values())

    def _table(self, name: str, tables: Mapping[str, ArrayLike]) -> Array:
        """The table of a variable, checked."""
        if name not in tables:
            raise ValueError(f"variable {name!r} has no table")
        shape = tuple(len(self.values[one]) for one in (*self.parents[name], name))
        if math.prod(shape) > MAX_TABLE_CELLS or len(shape) > bif.MAX_NUMPY_AXES:
            raise ValueError(
                f"variable {name!r} has {len(shape) - 1} parents: its table would have {math.prod(shape):.2g} numbers "
                f"in {len(shape)} axes, and it can have {MAX_TABLE_CELLS:.2g} in {bif.MAX_NUMPY_AXES}. "
                "Remedy: fewer parents"
            )
        table = np.array(tables[name], dtype=np.float64)
        if table.shape != shape:
            raise ValueError(
                f"the table of {name!r} must have shape {shape}, an axis to each of {[*self.parents[name], name]}, not "
                f"{table.shape}"
            )
        if not (np.isfinite(table) & (table >= 0)).all():
            raise ValueError(f"the table of {name!r} must be probabilities, from 0 to 1")
        if (np.abs(table.sum(axis=-1) - 1) > 1e3 * PROBABILITY_TOLERANCE).any():
            worst = np.unravel_index(np.abs(table.sum(axis=-1) - 1).argmax(), shape[:-1])
            known = {one: self.values[one][int(at)] for one, at in zip(self.parents[name], worst, strict=True)}
            raise ValueError(
                f"the probabilities of {name!r} sum to {table.sum(axis=-1)[worst]:.6g}, not 1"
                + (f", where {known}" if known else "")
            )
        table.flags.writeable = False
        return table

    @classmethod
    def read_bif(cls, path: str | PathLike[str]) -> BayesianNetwork:
        """The network of a file in the Bayesian interchange format (BIF), gzipped if its name ends with `.gz`.

        Values are text. Probabilities are divided by their sums, since many files have few digits.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        network : BayesianNetwork
        """
        raw = Path(path).read_bytes()
        if str(path).endswith(".gz"):
            raw = gzip.decompress(raw)
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise DataError(
                f"{path} is not text in UTF-8: byte {error.start} is 0x{raw[error.start]:02x}. Remedy: save it so"
            ) from None
        return cls(*bif.read(text))

    def write_bif(self, path: str | PathLike[str], name: str = "network") -> None:
        """Write the network to a file in the Bayesian interchange format (BIF), with all digits; values become text.

        Parameters
        ----------
        path : str or path
        name : str, default="network"

        Examples
        --------
        >>> import os, tempfile
        >>> from tenfold import BayesianNetwork
        >>> coin = BayesianNetwork({"coin": ["head", "tail"]}, {}, {"coin": [0.25, 0.75]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     coin.write_bif(os.path.join(folder, "coin.bif"))
        ...     BayesianNetwork.read_bif(os.path.join(folder, "coin.bif")).tables
        {'coin': array([0.25, 0.75])}
        """
        text = bif.written(self.values, self.parents, self.tables, name).encode()
        Path(path).write_bytes(gzip.compress(text, mtime=0) if str(path).endswith(".gz") else text)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in order."""
        return tuple(self.values)

    @property
    def order(self) -> tuple[str, ...]:
        """The variables in an order in which parents come first."""
        return tuple(self.names[at] for at in self._order)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The arrows of the graph: pairs of a parent and its child."""
        return tuple((parent, name) for name, some in self.parents.items() for parent in some)

    # ---- exact answers -------------------------------------------------------------------------

    def query(
        self, *names: str, evidence: Evidence | None = None, limit: int = MAX_PRODUCT_NUMBERS
    ) -> ProbabilityTable:
        """The joint posterior of some variables: P(names | evidence), exact.

        Parameters
        ----------
        *names : str
            In the order of the axes that are wanted.
        evidence : dict of str to value, optional
            What is known.
        limit : int, default=2**27
            Numbers that the largest product of two tables may have. A question that needs more is refused before
            anything is computed.

        Returns
        -------
        table : ProbabilityTable
        """
        known = self._known(evidence)
        asked = self._asked(names, known)
        tables, todo = self._planned(asked, known, limit)
        found = forward(todo, tables)
        if not found.result.sum() > 0:
            raise self._impossible(evidence)
        shape = tuple(self._sizes[at] for at in asked)
        return ProbabilityTable({name: self.values[name] for name in names}, found.result.reshape(shape)).normalized()

    def marginals(
        self, evidence: Evidence | None = None, limit: int = MAX_PRODUCT_NUMBERS
    ) -> dict[str, ProbabilityTable]:
        """The posterior of every variable that is not known: P(x | evidence) of each x, in one sweep forth and back.

        Parameters
        ----------
        evidence : dict of str to value, optional
        limit : int, default=2**27
            Numbers that the products of all steps together may have.

        Returns
        -------
        tables : dict of str to ProbabilityTable
        """
        known = self._known(evidence)
        rest = [at for at in range(len(self.names)) if at not in known]
        ones = [np.ones(self._sizes[at]) for at in rest]
        tables, axes = self._operands(range(len(self.names)), known)
        todo = self._plan([*axes, *((at,) if self._sizes[at] > 1 else () for at in rest)], (), limit, back=True)
        found = forward(todo, [*tables, *(one if len(one) > 1 else np.ones(()) for one in ones)])
        if not found.result > 0:
            raise self._impossible(evidence)
        slopes = derivatives(todo, found, 1.0 / found.result)[len(tables) :]
        out = {}
        for at, slope in zip(rest, slopes, strict=True):
            name = self.names[at]
            count = np.maximum(slope.reshape(self._sizes[at]), 0.0)
            out[name] = ProbabilityTable({name: self.values[name]}, count).normalized()
        return out

    def log_probability(self, event: Evidence, limit: int = MAX_PRODUCT_NUMBERS) -> float:
        """Logarithm of the marginal probability that variables have these values.

        Parameters
        ----------
        event : dict of str to value
        limit : int, default=2**27

        Returns
        -------
        log_p : float
        """
        known = self._known(event)
        tables, todo = self._planned((), known, limit)
        found = forward(todo, tables)
        with np.errstate(divide="ignore"):
            return float(np.log(found.result) + found.log_scale)

    def probability(self, event: Evidence, evidence: Evidence | None = None, limit: int = MAX_PRODUCT_NUMBERS) -> float:
        """The probability that variables have these values: the joint one, if all are named.

        Parameters
        ----------
        event : dict of str to value
        evidence : dict of str to value, optional
            What is known.
        limit : int, default=2**27

        Returns
        -------
        p : float

        Examples
        --------
        >>> from tenfold import BayesianNetwork
        >>> tables = {"a": [0.5, 0.5], "b": [[0.9, 0.1], [0.2, 0.8]]}
        >>> coins = BayesianNetwork({"a": "ht", "b": "ht"}, {"b": "a"}, tables)
        >>> round(coins.probability({"a": "h", "b": "t"}), 6)
        0.05
        """
        given = dict(evidence or {})
        if clash := [name for name in event if name in given and given[name] != event[name]]:
            raise ValueError(f"variable {clash[0]!r} has one value in the event and another in the evidence")
        both = self.log_probability({**given, **event}, limit)
        rest = self.log_probability(given, limit) if given else 0.0
        if rest == -np.inf:
            raise self._impossible(evidence)
        return float(np.exp(both - rest))

    def most_probable(
        self, *names: str, evidence: Evidence | None = None, limit: int = MAX_PRODUCT_NUMBERS
    ) -> Explanation:
        """The most probable values (MAP) of some variables together, or of all that are not known.

        Parameters
        ----------
        *names : str
            By default all variables without evidence: the most probable explanation. If some are named, the others
            are summed out, and the answer may differ.
        evidence : dict of str to value, optional
        limit : int, default=2**27

        Returns
        -------
        explanation : Explanation
            `values`, and their `probability` given the evidence.
        """
        known = self._known(evidence)
        if names:
            table = self.query(*names, evidence=evidence, limit=limit)
            where = np.unravel_index(int(table.p.argmax()), table.p.shape)
            best = {name: self.values[name][int(at)] for name, at in zip(names, where, strict=True)}
            return Explanation(best, float(table.p.max()))
        tables, axes = self._operands(range(len(self.names)), known)
        places, log_best = most_probable(self._plan(axes, (), limit), tables)
        log_rest = self.log_probability(evidence or {}, limit) if evidence else 0.0
        if log_best == -np.inf:
            raise self._impossible(evidence)
        rest = [at for at in range(len(self.names)) if at not in known]
        best = {self.names[at]: self.values[self.names[at]][places.get(at, 0)] for at in rest}
        return Explanation(best, float(np.exp(log_best - log_rest)))

    def predict_proba(self, target: str, columns: Mapping[str, ArrayLike], limit: int = MAX_PRODUCT_NUMBERS) -> Array:
        """The posterior of a variable for each of many rows: the network as a classifier.

        Parameters
        ----------
        target : str
            Name of the variable to predict; it may be a hidden variable.
        columns : dict of str to array, or DataFrame
            A column for each observed variable. NaN and None are missing values, which are summed out.
        limit : int, default=2**27

        Returns
        -------
        p : array of shape (rows, values of the target)
            NaN where a row has probability 0.
        """
        from tenfold.graphical.rows_of_a_network import posterior  # which imports this file

        return posterior(self, target, columns, limit)

    # ---- the graph -----------------------------------------------------------------------------

    def d_separated(self, a: str | Iterable[str], b: str | Iterable[str], given: Iterable[str] = ()) -> bool:
        """Whether a and b are d-separated by some variables: independent for all probability tables.

        Parameters
        ----------
        a, b : str or iterable of str
        given : iterable of str

        Returns
        -------
        separated : bool

        Examples
        --------
        >>> from tenfold import BayesianNetwork
        >>> coin, same = [0.5, 0.5], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
        >>> network = BayesianNetwork({"a": "ht", "b": "ht", "equal": "yn"}, {"equal": "ab"},
        ...                           {"a": coin, "b": coin, "equal": same})
        >>> network.d_separated("a", "b"), network.d_separated("a", "b", given=["equal"])
        (True, False)
        """
        mine, theirs, known = ({self._at(one) for one in _several(some)} for some in (a, b, given))
        if mine & theirs or (mine | theirs) & known:
            raise ValueError("a, b and given must have no variable in common")
        return not reachable(self._graph, mine, sorted(known)) & theirs

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and their other parents: given these, a variable is independent of all others.

        Parameters
        ----------
        name : str

        Returns
        -------
        names : tuple of str
        """
        at = self._at(name)
        families = [(child, *some) for child, some in enumerate(self._graph) if child == at or at in some]
        return tuple(self.names[one] for one in sorted({one for family in families for one in family} - {at}))

    def do(self, values: Evidence) -> BayesianNetwork:
        """The network after an intervention that sets variables to values, independent of their parents.

        Observing wet grass makes rain more probable; watering it does not. The variables lose their parents, and have
        the value for sure.

        Parameters
        ----------
        values : dict of str to value

        Returns
        -------
        network : BayesianNetwork
        """
        known = self._known(values)
        parents = {name: () if self._places[name] in known else some for name, some in self.parents.items()}
        tables: dict[str, ArrayLike] = dict(self.tables)
        for at, code in known.items():
            tables[self.names[at]] = np.eye(self._sizes[at])[code]
        return BayesianNetwork(self.values, parents, tables)

    # ---- sampling ------------------------------------------------------------------------------

    def sample(self, n_samples: int = 1, *, random_state: int | None = 0) -> dict[str, Labels]:
        """Draw rows: each variable given its parents, parents first.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, default=0

        Returns
        -------
        columns : dict of str to array
            A column to each variable: `pandas.DataFrame(network.sample(100))` is a frame.
        """
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1, not {n_samples}")
        codes, _ = self._draw(n_samples, np.random.default_rng(random_state), {}, set(self._order))
        return {name: column(some)[codes[at]] for at, (name, some) in enumerate(self.values.items())}

    def likelihood_weighting(
        self,
        *names: str,
        evidence: Evidence | None = None,
        n_samples: int = 10_000,
        level: float = 0.95,
        random_state: int | None = 0,
    ) -> SampledPosterior:
        """Estimate the joint posterior of some variables from samples, with intervals: for networks too large for
        exact inference.

        Rows are drawn parents first, evidence is set, and each row counts by the probability of the evidence given
        its parents.

        Parameters
        ----------
        *names : str
        evidence : dict of str to value, optional
        n_samples : int, default=10_000
        level : float, default=0.95
            At which the interval of each probability covers the exact one.
        random_state : int, default=0

        Returns
        -------
        posterior : SampledPosterior
            `p`, its `interval`, how many rows of equal weight the sample is worth, `effective`, and the share of the
            posterior that rows which explain the evidence better than any that was drawn may have, `unseen`.

        Examples
        --------
        >>> from tenfold import BayesianNetwork
        >>> tables = {"a": [0.5, 0.5], "b": [[0.9, 0.1], [0.2, 0.8]]}
        >>> coins = BayesianNetwork({"a": "ht", "b": "ht"}, {"b": "a"}, tables)
        >>> coins.likelihood_weighting("a", evidence={"b": "h"}).interval.round(2).tolist()  # exact: 9/11 and 2/11
        [[0.81, 0.17], [0.83, 0.19]]
        """
        if n_samples < 2 or not 0 < level < 1:
            raise ValueError(f"n_samples={n_samples}, level={level}: at least 2 samples, and a level between 0 and 1")
        known = self._known(evidence)
        asked = self._asked(names, known)
        needed = ancestors(self._graph, [*asked, *known])
        codes, log_weight = self._draw(n_samples, np.random.default_rng(random_state), known, needed)
        if log_weight.max() == -np.inf:
            raise ValueError(
                f"none of {n_samples:,} samples agrees with the evidence {dict(evidence or {})!r}. Remedy: more "
                "samples, or less evidence; it may be impossible"
            )
        values = {name: self.values[name] for name in names}
        log_most = self._log_most(known, needed)
        return weighted_posterior(values, tuple(codes[at] for at in asked), log_weight, level, log_most)

    def _log_most(self, known: Mapping[int, int], needed: set[int]) -> float:
        """Upper bound on the log-probability of the evidence given its parents, over all values of the other variables.

        It is the largest one, if that is cheap to know, among values that are possible; else of any values, or with
        parents that may have other values for each variable of the evidence.
        """
        tables, axes = self._operands(known, known)
        possible, more = self._operands(sorted(needed - {*known}), known)
        support = [(table > 0).astype(np.float64) for table in possible]
        with_possible = ([*tables, *support], [*axes, *more])
        for some, over in (with_possible, (tables, axes)):
            try:
                return most_probable(self._plan(over, (), WEIGHT_LIMIT), some)[1] if known else 0.0
            except TooLarge:
                continue
        with np.errstate(divide="ignore"):
            return float(sum(np.log(table.max()) for table in tables))

    def _draw(
        self, n: int, random: np.random.Generator, known: Mapping[int, int], needed: set[int]
    ) -> tuple[dict[int, Codes], Array]:
        """Codes of n rows in which some variables are set, and the log-probability of those given their parents."""
        codes: dict[int, Codes] = {}
        log_weight = np.zeros(n)
        for at in (one for one in self._order if one in needed):
            table = self.tables[self.names[at]]
            rows = table[tuple(codes[parent] for parent in self._graph[at])] if self._graph[at] else table
            if at in known:
                with np.errstate(divide="ignore"):
                    log_weight = log_weight + np.log(rows[..., known[at]])
                codes[at] = np.full(n, known[at])
                continue
            below = np.cumsum(rows, axis=-1)
            drawn = (random.random(n)[:, None] * below[..., -1:] >= below).sum(axis=-1)
            codes[at] = np.minimum(drawn, self._sizes[at] - 1)
        return codes, log_weight

    # ---- within --------------------------------------------------------------------------------

    def _planned(self, asked: Axes, known: Mapping[int, int], limit: int) -> tuple[list[Array], ContractionPlan]:
        """The tables that a question needs, with the evidence put in, and how to multiply them."""
        needed = ancestors(self._graph, [*asked, *known])
        tables, axes = self._operands(sorted(needed) or self._order[:1], known)
        return tables, self._plan(axes, tuple(at for at in asked if self._sizes[at] > 1), limit)

    def _operands(self, nodes: Iterable[int], known: Mapping[int, int]) -> tuple[list[Array], list[Axes]]:
        """The tables of some variables at the values that are known, and the axes that are left of each."""
        tables, axes = [], []
        for at in nodes:
            family = (*self._graph[at], at)
            # a variable with a single value has no axis: tables have a limited number of these
            places = [known.get(one, 0 if self._sizes[one] == 1 else slice(None)) for one in family]
            tables.append(np.asarray(self.tables[self.names[at]][tuple(places)]))
            axes.append(tuple(one for one, place in zip(family, places, strict=True) if isinstance(place, slice)))
        return tables, axes

    def _plan(self, axes: Sequence[Axes], output: Axes, limit: int, *, back: bool = False) -> ContractionPlan:
        there = sorted({axis for some in axes for axis in some})
        sizes = tuple((axis, 1 if axis == ROW_AXIS else self._sizes[axis]) for axis in there)
        found = plan(tuple(axes), output, sizes)
        found.check(self.names, limit, back=back)
        return found

    def _at(self, name: str) -> int:
        if name not in self._places:
            raise ValueError(f"there is no variable {name!r}, only {list(self.names)[:10]}")
        return self._places[name]

    def _known(self, evidence: Evidence | None) -> dict[int, int]:
        """The number of each variable that is known, and of its value."""
        found = {}
        for name, value in (evidence or {}).items():
            at = self._at(name)
            if value not in self.values[name]:
                raise ValueError(f"variable {name!r} has no value {value!r}, only {list(self.values[name])[:10]}")
            found[at] = self.values[name].index(value)
        return found

    def _asked(self, names: Sequence[str], known: Mapping[int, int]) -> Axes:
        asked = tuple(self._at(name) for name in names)
        if len(set(asked)) != len(asked) or not asked:
            raise ValueError("name at least one variable, and each once")
        if both := [name for name in names if self._places[name] in known]:
            raise ValueError(f"variable {both[0]!r} is asked for, and is evidence: leave it out of one of them")
        return asked

    def _impossible(self, evidence: Evidence | None) -> ValueError:
        return ValueError(f"evidence of probability 0, {dict(evidence or {})!r}: nothing follows from it")

    def __repr__(self) -> str:
        return f"BayesianNetwork({len(self.names)} variables, {len(self.edges)} edges)"


def column(values: Sequence[Hashable]) -> Any:
    """Values as an array of their own kind, if they have one."""
    kinds = {type(value) for value in values}
    if len(kinds) == 1 and kinds <= {bool, int, float, str}:
        return np.array(values)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _several(names: str | Iterable[str]) -> Iterable[str]:
    return (names,) if isinstance(names, str) else names
