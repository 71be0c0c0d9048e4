"""Writes pyperplan.soln: a plan for four blocks, found and written by the planner pyperplan.

python -m venv /tmp/pyperplan && /tmp/pyperplan/bin/pip install pyperplan==2.1 setuptools==65.5.0
/tmp/pyperplan/bin/python tests/formats/made/make_pyperplan.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

DOMAIN = """(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (handempty) (holding ?x))
  (:action pick-up :parameters (?x)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
  (:action put-down :parameters (?x)
    :precondition (holding ?x)
    :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
  (:action stack :parameters (?x ?y)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
  (:action unstack :parameters (?x ?y)
    :precondition (and (on ?x ?y) (clear ?x) (handempty))
    :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (handempty)) (not (on ?x ?y)))))
"""
PROBLEM = """(define (problem four-blocks) (:domain blocks)
  (:objects a b c d)
  (:init (handempty) (on a c) (ontable b) (ontable c) (ontable d) (clear a) (clear b) (clear d))
  (:goal (and (on c a) (on d c) (ontable b))))
"""


def main() -> None:
    """Solves the problem with breadth-first search, which finds a shortest plan."""
    with tempfile.TemporaryDirectory() as name:
        domain, problem = Path(name, "domain.pddl"), Path(name, "problem.pddl")
        domain.write_text(DOMAIN)
        problem.write_text(PROBLEM)
        subprocess.run(
            [sys.executable, "-m", "pyperplan", "-s", "bfs", str(domain), str(problem)], check=True
        )
        plan = Path(f"{problem}.soln").read_text()
    Path(__file__).with_name("pyperplan.soln").write_text(plan)


if __name__ == "__main__":
    main()
