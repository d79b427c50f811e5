"""Faults of the kinds that users have met, put into the library one at a time: the adversary finds each of them.

    python benchmarks/planted.py                       all of them, at most 20,000 cases each
    python benchmarks/planted.py sources --cases 5000  those whose name begins so
    python benchmarks/planted.py --mixed               by all kinds of cases, not those alone that the name begins with

Each fault is one expression, changed in a copy of the sources. The adversary draws cases against the copy until its
first find. Prints the fault, the check that found it, the number of cases and seconds till then. Exits with 1 if one is
not found: what finds it is then to be written as a law.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from mutants import ROOT, Fault, environment, faulty_sources

FAULTS = (
    Fault(
        "sequences: closed classes of a chain count by their number of symbols",
        "sequence/long_run.py",
        "shares[each] = arrived[each].sum() * _stationary(",
        "shares[each] = len(each) * _stationary(",
    ),
    Fault(
        "sequences: an id that comes back parts later is a new sequence",
        "engine/loop.py",
        "        if len(again):\n",
        "        if len(again) > 1:\n",
    ),
    Fault(
        "sequences: a sequence that is impossible is decoded",
        "sequence/decoding.py",
        "refuse_impossible(chunk.X, starts, found, IMPOSSIBLE_SEQUENCE_REMEDY)\n    return path, found",
        "return path, found",
    ),
    Fault(
        "graphs: intervals of samples forget causes that were not drawn",
        "graphical/likelihood_weighting.py",
        "drawn_all = log_most <= highest + WEIGHT_TIE",
        "drawn_all = log_most <= np.inf",
    ),
    Fault(
        "graphs: the most probable values start from a probability that is not theirs",
        "graphical/bayesian_network.py",
        "return Explanation(best, float(np.exp(log_best - log_rest)))",
        "return Explanation(best, float(np.exp(log_best)))",
    ),
    Fault(
        "concepts: Find-S takes the value ? for any value",
        "concept/find_s.py",
        "        refuse_wildcard(schema)\n",
        "",
    ),
    Fault(
        "claims: the leave-one-out bound of SVC trusts every offset",
        "svm/leave_one_out_bound.py",
        "certain = hard | (judged.primal - np.where(hard, 0.0, price) * slack < price)",
        "certain = hard | (price > 0)",
    ),
    Fault(
        "claims: RidgeCV forgets how far a row decides its own prediction",
        "stats/ridge_leave_one_out.py",
        "np.where(known, e[:, a] / np.where(known, left, 1.0), 0.0) ** 2",
        "np.where(known, e[:, a], 0.0) ** 2",
    ),
    Fault(
        "claims: one start of k-means is several",
        "cluster/kmeans.py",
        "restarts = None if isinstance(self.n_init, str) else int(self.n_init)",
        "restarts = None if self.n_init in ('auto', 1) else int(self.n_init)",
    ),
    Fault(
        "claims: columns too small to be squared look constant",
        "stats/moments/moments.py",
        "small = (size > 0) & (size < least)",
        "small = (size > 0) & (size < 0)",
    ),
    Fault(
        "claims: a regression tree with one far target does not split the others",
        "tree/growing/grower.py",
        "rounded=0.5 * units[0] if criterion == ts.SUMS and not self._equal_targets_sum_alike(setup.ranges) else 0.0",
        "rounded=1e6 * units[0] if criterion == ts.SUMS else 0.0",
    ),
    Fault(
        "claims: bins of trees are not cut beside rare targets",
        "stats/trees/tree_bins.py",
        "return rare_values(self.strata, numbers, levels, (most - 1) // 4, 2 * (most - 1) // 5)",
        "return rare_values(self.strata, numbers, levels, (most - 1) // 4, 2 * (most - 1) // 5)[:, :0]",
    ),
    Fault(
        "evaluation: folds= and cv= together are one of the two",
        "model_selection/cross_validation/folds.py",
        "if folds is not None and cv is not None:",
        "if folds is not None and cv is not None and folds != cv:",
    ),
    Fault(
        "evaluation: a fold is trained on its own rows",
        "engine/plan.py",
        "*self._behind[at + 1 : at + 2]",
        "*self._behind[at : at + 1]",
    ),
    Fault(
        "sources: masked entries are taken as they are",
        "sources/validation.py",
        "    if not mask.any():\n        return X.data\n",
        "    if mask.size:\n        return X.data\n",
    ),
    Fault(
        "sources: integers beyond 2^53 are rounded",
        "sources/validation.py",
        "        far = (each > 2**53) | (each < -(2**53))\n",
        "        return\n",
    ),
    Fault(
        "sources: labels of pandas that may be missing become floats",
        "sources/inputs.py",
        'if getattr(y.dtype, "kind", "O") not in "iub" or y.isna().any():',
        'if getattr(y.dtype, "kind", "O") not in "" or y.isna().any():',
    ),
    Fault(
        "sources: a file that was rewritten to the same length is not noticed",
        "sources/files/storage.py",
        "written = self.size == other.size and any(a // n == b // n and 0 in (a % n, b % n) for n in TIME_STEPS)",
        "written = self.size == other.size",
    ),
    Fault(
        "pipelines: null text reaches the words",
        "core/rows/columns.py",
        "if not self.missing and texts.dtype.hasobject:",
        "if not texts.dtype.hasobject:",
    ),
    Fault(
        "pipelines: encoders know the categories of other folds",
        "preprocessing/categories.py",
        "there = s.count > 0  #",
        "there = s.count > -1  #",
    ),
    Fault(
        "pipelines: terms of many documents weigh as much as rare ones",
        "feature_extraction/text/text_features.py",
        "np.log((weight + more) / (documents + more)) + 1.0",
        "np.log((weight + more) / (documents + 2 * more)) + 1.0",
    ),
    Fault(
        "networks: a loss whose gradient overflows is trained on",
        "neural_network/mlp/mlp.py",
        "if first and not (math.isfinite(value) and math.isfinite(norm(slope))):",
        "if first and not math.isfinite(value):",
    ),
)


def found(fault: Fault, cases: int, seed: int, kind: str) -> tuple[str, int, float]:
    """Draw cases against a fault: which check found it, after how many cases and seconds; an empty name if none did."""
    with faulty_sources(fault) as folder:
        began = time.perf_counter()
        command = [sys.executable, "benchmarks/adversary.py", "--cases", str(cases), "--seed", str(seed)]
        command += ["--no-dask", "--until-find", "--kind", kind]
        done = subprocess.run(command, cwd=ROOT, env=environment(folder), capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - began
    last = done.stdout.strip().splitlines()[-1:] or [""]
    if done.returncode == 0:
        return "", cases, seconds
    if not last[0].startswith("first find"):
        raise SystemExit(f"{fault.name}: the adversary ended with {done.returncode}\n{done.stderr[-2000:]}")
    _, number, check = last[0].split(": ", 2)
    return check, int(number), seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="beginnings of names; default: all")
    parser.add_argument("--cases", type=int, default=20_000, help="at most so many for each fault")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mixed", action="store_true", help="draw cases of all kinds")
    args = parser.parse_args()
    missed = []
    for fault in FAULTS:
        if args.names and not fault.name.startswith(tuple(args.names)):
            continue
        kind = "" if args.mixed else fault.name.partition(":")[0]
        check, cases, seconds = found(fault, args.cases, args.seed, kind)
        missed += [] if check else [fault.name]
        outcome = f"found by {check} after {cases:,} cases" if check else f"not found in {cases:,} cases"
        print(f"{fault.name}: {outcome} ({seconds:.0f} s)", flush=True)
    print(f"{len(missed)} faults are not found")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())
