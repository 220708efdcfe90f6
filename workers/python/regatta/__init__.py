"""Makes a training loop of your own an engine of Regatta. Standard library only (`batches` needs NumPy): copy the
folder beside your script.

    import regatta

    settings = regatta.settings(batch=32)    # the values of the sweep, else these
    ...                                      # load and build
    for step in regatta.steps():             # a sweep that measures
        step.loss = train_one_step()         # optional: what arms are compared by
        regatta.result("accuracy", 0.9)      # optional: a column of the results

    while not regatta.should_stop():         # a sweep that trains
        ...
        regatta.report(epoch, validation_loss=...)

Under Regatta each turn of the first loop is a step that it asked for and timed, and each report of the second one a
point of a learning curve. Run by hand, both end after a bounded number of turns. `regatta.batches("x.npy")` gives
batches of data files. docs/guide/your-loop.md has whole examples.
"""

from . import ranks
from .loading import Batches, batches
from .loop import Step, settings, steps
from .told import result
from .training import checkpoint_dir, horizon, opens_test, parts, report, should_stop
from .worker import current

__all__ = [
    "Batches",
    "Step",
    "batches",
    "checkpoint_dir",
    "horizon",
    "opens_test",
    "parts",
    "report",
    "result",
    "settings",
    "should_stop",
    "steps",
]

ranks.show_stacks_when_asked()
current()  # an error before the loop is told as well
ranks.meet()
