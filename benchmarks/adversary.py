"""Draw cases and look for a wrong answer: `python benchmarks/adversary.py --cases 1000 --seed 0`.

A case is data as people have it, a learner with drawn parameters, a form and a way in, and something to hold the
answer against: scikit-learn, LightGBM, brute force, or a law. It depends on its seed and its number alone, so that
`--cases 1 --index I` repeats it. A find is made small and printed as code; any find makes the command fail.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import queue
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from adversary import judging, shrink

PATIENCE = 600
"""seconds after which a case hangs"""


def work(seed: int, start: int, stop: int, step: int, only: str, dask: bool, seconds: float, at: Any, out: Any) -> None:
    """Score some cases, and send what became of each."""
    faulthandler.enable()
    seen: set[Any] = set()
    for index in range(start, stop, step):
        at.value = index
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        began = time.process_time()
        case = judging.draw(seed, index, only, dask)
        verdict = judging.judge(case)
        text, took = "", time.process_time() - began
        name = type(case.learner).__name__
        if verdict.outcome == "find" and (key := (name, case.check.__name__, verdict.words)) not in seen:
            seen.add(key)
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            text = shrink.code(*shrink.shrunk(case, verdict, seconds))
        tags = (name, case.check.__name__, case.way.__name__, case.form.__name__, *case.kinds)
        out.put((index, tags, verdict, text, took))
    faulthandler.cancel_dump_traceback_later()
    out.put(None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--index", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", default="", help="a part of the learner's name")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--no-dask", action="store_true", help="start no cluster")
    parser.add_argument("--shrink", type=float, default=20.0, help="seconds to make a find small")
    args = parser.parse_args()
    report = run(args.seed, args.index, args.cases, args.only, args.processes, not args.no_dask, args.shrink)
    print(report)
    return 1 if report.finds else 0


class Report:
    """What became of all cases."""

    def __init__(self) -> None:
        self.outcomes: Counter[Any] = Counter()
        self.seconds: Counter[Any] = Counter()
        self.finds: Counter[Any] = Counter()
        self.refusals: Counter[Any] = Counter()
        self.began = time.perf_counter()
        self.cases = 0

    def add(self, index: int, tags: tuple[str, ...], verdict: Any, text: str, took: float, command: str) -> None:
        """Count a case, and print it if it is a find that is new."""
        learner, check, way, form, *kinds = tags
        groups = (("learner", learner), ("check", check), ("way", way), ("form", form), *(("data", k) for k in kinds))
        for group in groups:
            self.outcomes[group, verdict.outcome] += 1
        self.seconds["check", check] += took
        self.seconds["learner", learner] += took
        self.outcomes[("all", "all"), verdict.outcome] += 1
        self.cases += 1
        if self.cases % 1000 == 0:
            print(f"{self.cases} cases, {sum(self.finds.values())} finds", file=sys.stderr, flush=True)
        if verdict.outcome == "refused":
            self.refusals[learner, verdict.words] += 1
        if verdict.outcome == "find":
            key = (learner, check, verdict.words)
            self.finds[key] += 1
            if text and self.finds[key] == 1:
                print(f"\n=== {verdict.kind}: {learner}, {check}, {way}, {form}, {', '.join(kinds)}")
                print(f"=== {verdict.why[:500]}\n=== {command} --cases 1 --index {index}\n{text}\n", flush=True)

    def __str__(self) -> str:
        groups = sorted({group for group, _ in self.outcomes})
        lines = [f"{'':42s}    held  refused  skipped  finds  ms a case"]
        for group in groups:
            counts = [self.outcomes[group, o] for o in ("held", "refused", "skipped", "find")]
            each = self.seconds[group] / max(sum(counts), 1)
            time_ = f"{1000 * each:8.1f}" if each else ""
            lines.append(f"{group[0]:8s}{group[1]:34s}" + "".join(f"{c:9d}" for c in counts) + time_)
        lines += ["", "finds:"] + [f"{n:6d} {' | '.join(key)}" for key, n in self.finds.most_common()]
        lines.append(f"{time.perf_counter() - self.began:.0f} s")
        return "\n".join(lines)


def run(seed: int, first: int, cases: int, only: str, processes: int, dask: bool, seconds: float) -> Report:
    """Score cases in processes of their own: one that crashes or hangs is a find, and the rest goes on."""
    context = multiprocessing.get_context("spawn")
    report = Report()
    command = f"python benchmarks/adversary.py --seed {seed}" + (f" --only {only}" if only else "")
    workers = []

    def start(number: int, begin: int) -> tuple[Any, ...]:
        at, out = context.Value("q", begin), context.Queue()
        args = (seed, begin, first + cases, processes, only, dask, seconds, at, out)
        process = context.Process(target=work, args=args)
        process.start()
        return number, process, at, out

    workers = [start(number, first + number) for number in range(processes)]
    while workers:
        for worker in list(workers):
            number, process, at, out = worker
            try:
                done = out.get(timeout=0.2)
            except queue.Empty:
                if process.is_alive() or not out.empty():
                    continue
                verdict = judging.Verdict("find", f"the process ended with {process.exitcode}", "crash")
                case = judging.draw(seed, at.value, only, dask)
                tags = (type(case.learner).__name__, case.check.__name__, case.way.__name__, case.form.__name__)
                text = shrink.code(case, verdict)
                report.add(at.value, (*tags, *case.kinds), verdict, text, 0.0, command)
                workers.remove(worker)
                if at.value + processes < first + cases:
                    workers.append(start(number, at.value + processes))
                continue
            if done is None:
                process.join()
                workers.remove(worker)
            else:
                report.add(*done, command)
    return report


if __name__ == "__main__":
    sys.exit(main())
