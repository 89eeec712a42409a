"""A client: takes the batches of a graph that is served and says their digests. Run by Cluster.client."""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List

from graph import check_description
from recipes import RECIPES, digest

import gls

FAILED = 3  # exit status where the graph was not to be had


@dataclass
class Job:
    """What is asked of a worker."""

    place: str
    recipes: List[str] = field(default_factory=lambda: ["long"])
    epochs: List[int] = field(default_factory=lambda: [0])
    rounds: int = 1
    """How often all of it; 0: until it is told to end."""
    reopen: bool = False
    """The graph is opened again for each round."""
    pace_ms: int = 0
    """Between batches."""
    brief: bool = False
    """One digest for an epoch, and not for each batch."""
    whole: str = ""
    """The folder of the whole graph: its description is compared."""
    common: Dict[str, Any] = field(default_factory=dict)
    """Arguments of all loaders."""
    serve: Dict[str, Any] = field(default_factory=dict)
    """Arguments of gls.Server: it serves as well, until its standard input ends."""
    told: bool = False
    """It opens the graph when it is told so, by a line: when all who serve are there."""

    def text(self) -> str:
        return json.dumps(asdict(self))


_say = threading.Lock()


def say(event: str, **more: Any) -> None:
    with _say:
        print(json.dumps({"event": event, **more}), flush=True)


def log(level: int, component: str, text: str) -> None:
    say("log", level=level, component=component, text=text)


def run_epoch(dataset: gls.Dataset, job: Job, recipe: str, epoch: int) -> None:
    loader = RECIPES[recipe](dataset, **job.common)
    loader.set_epoch(epoch)
    whole = hashlib.blake2b(digest_size=12)
    number = 0
    for number, batch in enumerate(loader, 1):
        found = digest(batch)
        whole.update(found.encode())
        if not job.brief:
            say("batch", recipe=recipe, epoch=epoch, digest=found)
        time.sleep(job.pace_ms / 1000)
    say("epoch", recipe=recipe, epoch=epoch, batches=number, digest=whole.hexdigest())


def run(job: Job) -> None:
    with ExitStack() as opened:
        dataset = opened.enter_context(gls.Dataset.open(job.place))
        say("open")
        if job.whole:
            check_description(gls.Dataset.open(job.whole), dataset)
            say("described")
        for number in range(job.rounds) if job.rounds else itertools.count():
            if job.reopen and number > 0:
                opened.close()
                dataset = opened.enter_context(gls.Dataset.open(job.place))
            for recipe, epoch in itertools.product(job.recipes, job.epochs):
                run_epoch(dataset, job, recipe, epoch)
            say("round", number=number)


def main() -> int:
    job = Job(**json.loads(sys.argv[1]))
    gls.configure(log=log)
    with ExitStack() as serving:
        if job.serve:
            server = serving.enter_context(gls.Server(**job.serve))
            say("ready", address=server.address)
        if job.told:
            sys.stdin.readline()
        try:
            run(job)
        except gls.Error as error:
            say("error", kind=type(error).__name__, text=str(error))
            return FAILED
        say("end")
        if job.serve:
            sys.stdin.read()
            server.stop(5)
    return 0


if __name__ == "__main__":
    sys.exit(main())
