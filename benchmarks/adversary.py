"""Draw cases and look for a wrong answer: `python benchmarks/adversary.py --cases 1000 --seed 0`.

A case is data as people have it, a learner with drawn parameters, a form and a way in, and something to hold the
answer against: scikit-learn, LightGBM, brute force, or a law. Other kinds of cases are pipelines, sequences, graphical
models, concepts, networks, evaluation, files and claims. A case depends on its seed and its number alone, so that
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


def work(seed: int, numbers: range, drawn: dict[str, Any], seconds: float, at: Any, out: Any) -> None:
    """Score some cases, and send what became of each."""
    faulthandler.enable()
    seen: set[Any] = set()
    for index in numbers:
        at.value = index
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        began = time.process_time()
        case = judging.draw(seed, index, **drawn)
        verdict = judging.judge(case)
        text, took = "", time.process_time() - began
        if verdict.outcome == "find" and (key := (*case.tags[:2], verdict.words)) not in seen:
            seen.add(key)
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            text = shrink.code(*shrink.shrunk(case, verdict, seconds))
        out.put((index, case.tags, verdict, text, took))
    faulthandler.cancel_dump_traceback_later()
    out.put(None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--index", type=int, default=0, help="number of the first case")
    parser.add_argument("--kind", default="", help=f"kinds of cases: {', '.join(judging.SHARES)}; default: a mix")
    parser.add_argument("--only", default="", help="a part of the learner's name; --kind learners goes with it")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--no-dask", action="store_true", help="start no cluster")
    parser.add_argument("--shrink", type=float, default=20.0, help="seconds to make a find small")
    parser.add_argument(
        "--until-find", action="store_true", help="stop at the first find, and say after how many cases"
    )
    args = parser.parse_args()
    drawn = {"only": args.only, "dask": not args.no_dask, "kind": args.kind}
    numbers, seconds = range(args.index, args.index + args.cases), 0.0 if args.until_find else args.shrink
    report = run(args.seed, numbers, args.processes, drawn, seconds, args.until_find)
    print(report)
    if args.until_find and report.finds:
        print(f"first find: {report.cases}: {next(iter(report.finds))[1]}")
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

    def add(self, index: int, tags: list[tuple[str, str]], verdict: Any, text: str, took: float, command: str) -> None:
        """Count a case, and print it if it is a find that is new."""
        (_, learner), (_, check), *_ = tags
        for group in tags:
            self.outcomes[group, verdict.outcome] += 1
        for group in tags[:2]:
            self.seconds[group] += took
        self.outcomes[("all", "all"), verdict.outcome] += 1
        self.cases += 1
        if self.cases % 1000 == 0:
            each = [f"{self.outcomes[('all', 'all'), name]} {name}" for name in ("held", "refused", "skipped", "find")]
            counted = f"{self.cases} cases, to index {index}: {', '.join(each)}"
            print(counted, file=sys.stderr, flush=True)  # so that a run that is cut off has said what it has
        if verdict.outcome == "refused":
            self.refusals[learner, verdict.words] += 1
        if verdict.outcome == "find":
            key = (learner, check, verdict.words)
            self.finds[key] += 1
            if text and self.finds[key] == 1:
                print(f"\n=== {verdict.kind}: {', '.join(name for _, name in tags)}")
                print(f"=== {verdict.why[:500]}\n=== {command} --cases 1 --index {index}\n{text}\n", flush=True)
            else:
                print(f"\n=== {learner}, {check} again: {command} --cases 1 --index {index}", flush=True)

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


def run(
    seed: int, numbers: range, processes: int, drawn: dict[str, Any], seconds: float, until_find: bool = False
) -> Report:
    """Score cases in processes of their own: one that crashes or hangs is a find, and the rest goes on."""
    context = multiprocessing.get_context("spawn")
    report = Report()
    options = "".join(f" --{name} {drawn[name]}" for name in ("kind", "only") if drawn[name])
    command = f"python benchmarks/adversary.py --seed {seed}{options}"

    def start(begin: int) -> tuple[Any, ...]:
        at, out = context.Value("q", begin), context.Queue()
        args = (seed, range(begin, numbers.stop, processes), drawn, seconds, at, out)
        process = context.Process(target=work, args=args)
        process.start()
        return process, at, out

    workers = [start(numbers.start + number) for number in range(processes)]
    while workers:
        if until_find and report.finds:
            for process, *_ in workers:
                process.terminate()
            return report
        for worker in list(workers):
            process, at, out = worker
            try:
                done = out.get(timeout=0.2)
            except queue.Empty:
                if process.is_alive() or not out.empty():
                    continue
                verdict = judging.Verdict("find", f"the process ended with {process.exitcode}", "crash")
                case = judging.draw(seed, at.value, **drawn)
                report.add(at.value, case.tags, verdict, shrink.code(case, verdict), 0.0, command)
                workers.remove(worker)
                if at.value + processes < numbers.stop:
                    workers.append(start(at.value + processes))
                continue
            if done is None:
                process.join()
                workers.remove(worker)
            else:
                report.add(*done, command)
    return report


if __name__ == "__main__":
    sys.exit(main())
