"""Data as people have it: columns, a target and weights of many kinds, from a random generator."""

from __future__ import annotations

from typing import Any

import numpy as np

POWERS = (-300, -160, -100, -30, -10, -4, 4, 10, 30, 100, 150, 300)
WORDS = np.array(["m", "f", "x", "red", "green", "blue", "Ärger", "", "a b"], dtype=object)


def pick(random: Any, choices: Any) -> Any:
    """One of some choices, as it is."""
    return choices[int(random.integers(len(choices)))]


def rows_drawn(random: Any) -> int:
    """How many rows: mostly few, now and then one, two or thousands."""
    at = random.random()
    if at < 0.04:
        return 1
    if at < 0.08:
        return 2
    if at < 0.75:
        return int(random.integers(5, 60))
    return int(random.integers(60, 300)) if at < 0.993 else int(random.integers(300, 2000))


def columns_drawn(random: Any, n: int, need: Any, ordinary: bool) -> tuple[dict[str, Any], list[str]]:
    """Columns that suit a need, or (unless they are to be ordinary) that should be refused, and their kinds."""
    if need.kinds == "text":
        return {"t0": documents_drawn(random, n)}, ["documents"]
    if need.kinds == "date":
        return dates_drawn(random, n), ["dates"]
    text = {"numeric": 0.03, "mixed": 0.35, "unused": 0.35, "categorical": 0.8}[need.kinds]
    if random.random() < text:
        kind = pick(random, ["few_text", "few_text", "mixed_text", "repeated_text", "text_ids", "numbers_as_text"])
    elif need.kinds == "categorical":
        kind = pick(random, ["few_codes", "booleans", "integers"])
    elif ordinary:
        kind = pick(random, ORDINARY)
    else:
        kind = pick(random, list(NUMBERS))
    p = int(random.integers(1, 6))
    if kind in NUMBERS:
        X = NUMBERS[kind](random, n, p)
        columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    else:
        columns = text_columns(random, kind, n, p)
    kinds = [kind]
    if ordinary and need.kinds != "categorical":
        return columns, kinds
    for name, share, change in CHANGES:
        likely = 3 * share if name == "missing" and need.missing else share
        if random.random() < likely:
            columns = change(random, columns, n)
            kinds.append(name)
    return columns, kinds


def above_zero(columns: dict[str, Any]) -> dict[str, Any]:
    """The same columns without signs, for learners that count."""
    return {name: np.abs(values) if values.dtype.kind in "if" else values for name, values in columns.items()}


def text_columns(random: Any, kind: str, n: int, p: int) -> dict[str, Any]:
    """Columns of text: few categories, a unique one a row, or numbers that were stored as text."""
    p = min(p, 3)
    columns: dict[str, Any] = {}
    for j in range(p):
        if kind == "text_ids" and j == 0:
            values = np.array([f"id{i % 40}" for i in random.permutation(n)], dtype=object)
        elif kind == "numbers_as_text" and j == 0:
            values = np.array([str(v) for v in np.round(random.normal(size=n), 1)], dtype=object)
        elif kind == "mixed_text" and j > 0:
            values = random.normal(size=n)
        else:
            values = WORDS[random.integers(0, random.integers(2, len(WORDS)), n)]
        columns[f"t{j}"] = values
    if kind == "repeated_text":
        some = random.integers(0, max(1, min(n, 4)), n)
        columns = {name: values[some] for name, values in columns.items()}
    return columns


def documents_drawn(random: Any, n: int) -> Any:
    """Texts of a few words, some of none: few words, many words, or the same text again and again."""
    words = [*WORDS, "Red", "naïve", "STRASSE", "Straße", "w_1", "42", "ΣΊΣΥΦΟΣ", "日本語", "e-mail", "x"]
    words = words if random.random() < 0.7 else [f"word{k}" for k in range(500)]
    lengths = random.integers(0, pick(random, [2, 8, 30]), n)
    texts = [pick(random, [" ", " ", "\t", ", "]).join(random.choice(words, k)) for k in lengths.tolist()]
    return np.array(texts if random.random() < 0.7 else [texts[i % 3 % n] for i in range(n)], dtype=object)


def dates_drawn(random: Any, n: int) -> dict[str, Any]:
    """Columns of dates in many units, some missing: of a few days, or of centuries."""
    found = {}
    for j in range(int(random.integers(1, 4))):
        unit = pick(random, ["D", "s", "ms", "us", "ns"])
        wide = {"D": 10**5, "s": 10**10, "ms": 10**13, "us": 10**16, "ns": 2**62}[unit]
        values = random.integers(-wide, wide, n) if random.random() < 0.7 else random.integers(0, 5, n)
        found[f"d{j}"] = values.astype(f"M8[{unit}]")
        if random.random() < 0.3:
            found[f"d{j}"][random.random(n) < 0.2] = np.datetime64("NaT")
    return found


def _repeated(random: Any, n: int, p: int) -> Any:
    few = np.round(random.normal(size=(int(random.integers(2, 20)), p)), 2)
    return few[random.integers(0, len(few), n)]


def _scaled(random: Any, n: int, p: int) -> Any:
    powers = [pick(random, POWERS)] * p if random.random() < 0.5 else [pick(random, POWERS) for _ in range(p)]
    return np.round(random.normal(size=(n, p)), 3) * np.array([float(f"1e{k}") for k in powers])


def _outliers(random: Any, n: int, p: int) -> Any:
    X = random.normal(size=(n, p))
    X[random.integers(n), random.integers(p)] = pick(random, [1e6, -1e9, 1e12])
    return X


def _collinear(random: Any, n: int, p: int) -> Any:
    X = np.round(random.normal(size=(n, p)), 2)
    return np.column_stack([X, X[:, 0] * 2, X[:, [-1]] + (1e-9 if random.random() < 0.3 else 0)])


def _wide(random: Any, n: int, p: int) -> Any:
    n_columns = int(random.integers(6, 13))
    X = np.round(random.normal(size=(n, n_columns)), 2)
    return X


NUMBERS: dict[str, Any] = {
    "normal": lambda random, n, p: random.normal(size=(n, p)),
    "rounded": lambda random, n, p: np.round(random.normal(size=(n, p)), 1),
    "integers": lambda random, n, p: random.integers(-5, 6, (n, p)),
    "few_codes": lambda random, n, p: random.integers(0, random.integers(2, 5), (n, p)),
    "booleans": lambda random, n, p: random.random((n, p)) < 0.5,
    "repeated": _repeated,
    "shifted": lambda random, n, p: random.normal(size=(n, p)) + 10.0 ** random.integers(2, 8),
    "scaled": _scaled,
    "outliers": _outliers,
    "collinear": _collinear,
    "zeros": lambda random, n, p: random.normal(size=(n, p)) * (random.random((n, p)) < 0.2),
    "wide": _wide,
    "large_integers": lambda random, n, p: random.integers(-(2**52), 2**52, (n, p)),
    "integers_too_large": lambda random, n, p: random.integers(2**53, 2**62, (n, p)) | 1,
}
ORDINARY = ("normal", "normal", "rounded", "rounded", "integers", "few_codes", "repeated", "zeros", "booleans")
"""kinds that most oracles can speak of"""


def _constant(random: Any, columns: dict[str, Any], n: int) -> dict[str, Any]:
    name = pick(random, list(columns))
    return {**columns, name: np.repeat(columns[name][:1], n)}


def _ids(random: Any, columns: dict[str, Any], n: int) -> dict[str, Any]:
    return {**columns, "id": random.permutation(n)}


def _missing(random: Any, columns: dict[str, Any], n: int) -> dict[str, Any]:
    name = pick(random, list(columns))
    values = columns[name]
    values = values.copy() if values.dtype.kind in "fO" else values.astype(np.float64)
    holes = random.random(n) < pick(random, [0.1, 0.5, 1.0])
    values[holes] = None if values.dtype.kind == "O" else np.nan
    return {**columns, name: values}


def _infinite(random: Any, columns: dict[str, Any], n: int) -> dict[str, Any]:
    name = pick(random, list(columns))
    if columns[name].dtype.kind != "f":
        return columns
    values = columns[name].copy()
    values[random.integers(n)] = pick(random, [np.inf, -np.inf])
    return {**columns, name: values}


def _typed(random: Any, columns: dict[str, Any], n: int) -> dict[str, Any]:
    """All numbers in another type that holds them, perhaps with fewer digits."""
    kind = np.dtype(pick(random, ["f2", "f4", "f4", "i1", "i2", "i4", "i8", "u1", "u8", "?", ">f8"]))
    changed = {}
    for name, values in columns.items():
        changed[name] = values
        if values.dtype.kind in "fiub":
            with np.errstate(all="ignore"):
                top = np.abs(values.astype(np.float64)).max(initial=0.0)
            if kind.kind == "f":
                if not top > np.finfo(kind).max:
                    with np.errstate(under="ignore"):
                        changed[name] = values.astype(kind)
            elif np.isfinite(values.astype(np.float64)).all() and top < 100:
                changed[name] = (np.abs(values) if kind.kind in "ub" else values).astype(kind)
    return changed


CHANGES = (
    ("constant", 0.08, _constant),
    ("ids", 0.06, _ids),
    ("missing", 0.04, _missing),
    ("infinite", 0.02, _infinite),
    ("typed", 0.25, _typed),
)


def signal(random: Any, columns: dict[str, Any], n: int) -> Any:
    """A number a row that depends on the columns, whatever they hold."""
    total = np.zeros(n)
    for values in list(columns.values())[:4]:
        if values.dtype.kind == "O":
            codes = np.unique(values.astype(str), return_inverse=True)[1].astype(np.float64)
        else:
            codes = np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(np.float64)
        spread = codes.std()
        total += random.normal() * (codes - codes.mean()) / (spread or 1.0)
    return total


def classes_drawn(random: Any, s: Any, n: int) -> tuple[Any, str]:
    """Labels of many kinds that depend on a signal, or on nothing."""
    kind = pick(random, ["binary", "binary", "text", "text", "three", "rare", "single", "many", "noise", "odd_labels"])
    noisy = s + random.normal(size=n) * pick(random, [0.0, 0.3, 2.0])
    count = {"binary": 2, "text": 2, "rare": 2, "noise": 2, "single": 1, "many": 8}.get(kind, 3)
    if kind == "noise":
        codes = random.integers(0, 2, n)
    elif kind == "rare":
        codes = (np.argsort(np.argsort(noisy)) < random.integers(1, 3)).astype(np.int64)
    else:
        ranks = np.argsort(np.argsort(noisy, kind="stable"), kind="stable")
        codes = ranks * count // max(n, 1)
    if kind in ("text", "three"):
        return np.array(["yes", "no", "perhaps"], dtype=object)[codes], kind
    if kind == "odd_labels":
        names = pick(
            random,
            [
                np.array([-1, 1, 7]),
                np.array([0.0, 1.0, 2.0]),
                np.array(["ä", "", "b c"], dtype=object),
                np.array([2**40, 2**53, -3]),
                np.array([0, 1, 2], dtype=np.int8),
                np.array(["no", "yes", "no"]),
                np.array([False, True, False]),
            ],
        )
        return names[codes], kind
    return codes, kind


def numbers_drawn(random: Any, s: Any, n: int, positive: bool, ordinary: bool) -> tuple[Any, str]:
    """Targets of many kinds that depend on a signal, or on nothing."""
    kinds = ["real", "real", "whole", "counts", "noise"]
    kind = pick(random, kinds if ordinary else [*kinds, "constant", "scaled", "narrow", "shifted", "heavy", "far"])
    y = s + random.normal(size=n) * pick(random, [0.0, 0.1, 1.0])
    if kind == "noise":
        y = random.normal(size=n)
    elif kind == "whole":
        y = np.rint(3 * y).astype(np.int64)
    elif kind == "counts":
        y = random.poisson(np.exp(np.clip(y, -3, 3)))
    elif kind == "constant":
        y = np.full(n, pick(random, [0.0, 3.0, -1e-3, 1e10]))
    elif kind == "shifted":
        y = y + 10.0 ** random.integers(3, 9)
    elif kind == "heavy":
        y = y * np.exp(3 * random.normal(size=n))
    elif kind == "far":
        y[random.integers(n)] = 10.0 ** random.integers(4, 16)
    y = np.abs(y) + (0 if kind == "counts" and random.random() < 0.5 else 1) if positive else y
    if kind == "scaled":
        y = np.round(y, 4) * float(f"1e{pick(random, POWERS)}")
    if kind == "narrow":
        y = np.clip(np.rint(3 * y), 0 if positive else -100, 100)
        y = y.astype(pick(random, ["f2", "f4", "i1", "i2", "u1", "?"]) if y.min() >= 0 else pick(random, ["f2", "i1"]))
    return y, kind


def weights_drawn(random: Any, n: int, ordinary: bool) -> tuple[Any, str]:
    """Weights of every scale, or none."""
    if random.random() < 0.45:
        return None, "weights_none"
    kinds = ["ones", "whole", "whole", "real", "shares", "narrow"]
    kind = pick(random, kinds if ordinary else [*kinds, "light", "heavy", "ratios", "few", "one_heavy"])
    whole = random.integers(0, 4, n).astype(np.float64)
    whole[random.integers(n)] = 1.0
    real = random.random(n) + 0.01
    few = np.zeros(n)
    few[random.integers(0, n, 2)] = 1.0
    one = np.ones(n)
    one[random.integers(n)] = 1e12
    return {
        "ones": np.ones(n),
        "whole": whole,
        "real": real,
        "shares": np.full(n, 1 / n),
        "light": real * 1e-12,
        "heavy": np.full(n, 1e12) if random.random() < 0.5 else whole * 1e12,
        "ratios": np.where(random.random(n) < 0.5, 1e-12, 1e12),
        "few": few,
        "narrow": whole.astype(pick(random, ["f4", "i8", "u1", "f2"])),
        "one_heavy": one,
    }[kind], f"weights_{kind}"


def sorted_by_target(columns: dict[str, Any], y: Any) -> tuple[dict[str, Any], Any]:
    """The same rows in the order of their target."""
    order = np.argsort(y.astype(str) if y.dtype.kind == "O" else y, kind="stable")
    return {name: values[order] for name, values in columns.items()}, y[order]
