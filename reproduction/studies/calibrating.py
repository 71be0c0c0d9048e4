"""How often a calibrated threshold stops good runs of tasks that it has not seen, and what bad ones.

    python -m reproduction.studies.calibrating ../shared/data

Runs of tau-bench, airline tasks 0-24 and retail tasks 0-49, with their rewards; a run is good if its
reward is 1. Scored with nothing said (and, for comparison, with nothing recognised), against gold
and against one good run a task. The protocol, which was written before any figure was looked at:

- 200 splits by task, seeded. The tasks that have good runs and those that have none are each
  divided: on a half of the first the threshold is calibrated, at 5 %, and everything is measured on
  the good and bad runs of the other tasks. Where half of the tasks are fewer than the 19 that it
  takes, it is calibrated on 19.
- Airline alone has 15 tasks with good runs, 7 against its own: no threshold at 5 % can be
  calibrated on it. It is measured twice: in splits of both domains together; and one airline task
  after the other left out, with all other tasks of both domains calibrated on. That is no proof for
  airline alone: retail makes most of that threshold.
- Airline alone at 10 %, which takes 9 tasks: three left out, 200 times.

False alarms: the share of good runs stopped, each task counting once; the mean of all splits, and
the quantiles 5 and 95 % of single ones. Caught: the share of all bad runs, the mean of all splits.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import otap
from otap.learning.calibration import Sampled, of_scored, promise, scored_cases
from otap.learning.calibration.calibration import On
from otap.learning.runs import Scores, labelled, sample

FILES = {
    "airline": Path("tau-bench") / "gpt-4o-airline.tasks-0-24.json",
    "retail": Path("tau-bench-retail") / "tasks-0-49.json",
}
CONFIGS = {"default": otap.Config(), "nothing recognised": otap.Config(recognise=False)}
SPLITS = 200
