"""Simulated executors with one fault each, of the kinds that executors have had: the laws of schedules find them."""

from tenfold.engine.executors.simulated import SimulatedExecutor, WorkerLost
from tenfold.engine.executors.tasks import merge_all


class DroppedLoss(SimulatedExecutor):
    """That an output was lost with its worker is not noticed: what needs it waits."""

    def _wanted(self, task):
        if task.state == "done" and not task.places:
            return False
        return super()._wanted(task)


class DoubleMerge(SimulatedExecutor):
    """Where a task was done twice, both outputs are merged."""

    def _end(self, task, worker):
        if task.state == "done" and task.places:
            task.doubled = True
        super()._end(task, worker)

    def _call(self, task):
        if task.function is merge_all:
            twice = [each.output for each in task.inputs if getattr(each, "doubled", False)]
            return merge_all([*(each.output for each in task.inputs), *twice])
        return super()._call(task)


class OrderByArrival(SimulatedExecutor):
    """Summaries merge in the order in which they arrived."""

    def _end(self, task, worker):
        super()._end(task, worker)
        task.arrived = self.clock

    def _call(self, task):
        if task.function is merge_all:
            return merge_all([each.output for each in sorted(task.inputs, key=lambda each: each.arrived)])
        return super()._call(task)


class LeakedHandle(SimulatedExecutor):
    """Handles of what was gathered in vain are kept."""

    def gather(self, handles):
        try:
            return super().gather(handles)
        except WorkerLost:
            self.kept = handles
            raise


class SwallowedError(SimulatedExecutor):
    """A task that cannot read its file ends as if there had been nothing to merge."""

    def _call(self, task):
        flat = [each for each in task.inputs if getattr(each, "state", "") != "swallowed"]
        if task.function is merge_all and len(flat) < len(task.inputs):
            return merge_all([each.output for each in flat])
        return super()._call(task)

    def _fail(self, task, error):
        super()._fail(task, error)
        if isinstance(error, OSError) and any(task in other.needs for other in self.tasks.values()):
            task.state = "swallowed"

    def _wanted(self, task):
        return task.state == "swallowed" or super()._wanted(task)


FAULTY = {
    "a loss is dropped": DroppedLoss,
    "an output is merged twice": DoubleMerge,
    "summaries merge by arrival": OrderByArrival,
    "a handle is leaked": LeakedHandle,
    "an error is swallowed": SwallowedError,
}
