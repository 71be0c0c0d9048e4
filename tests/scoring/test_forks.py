"""A process that is forked while other threads score can score as well."""

import os
import subprocess
import sys

import pytest

from hotel import REFERENCE, run_file

CHILDREN = 60 if os.environ.get("OTAP_LONG") == "1" else 12
SECONDS = 60  # for each of them; it needs a few hundredths
SCRIPT = """
import os, signal, sys, threading, time
import otap
from otap.encoders import load_encoder
run, gold = otap.read(sys.argv[1]), otap.read(sys.argv[2])
encoder = load_encoder("wordllama")

def score():
    return otap.Scorer(encoder=encoder).score(run, gold).score

def work():
    while True:
        score()

expected = score()

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
children = []
for _ in range(int(sys.argv[3])):
    time.sleep(0.003)
    child = os.fork()
    if not child:
        signal.alarm(int(sys.argv[4]))
        os._exit(score() != expected)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
os._exit(any(codes))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forks_while_threads_score() -> None:
    """Each child finds the score that its parent found, whatever the threads were doing."""
    arguments = [str(run_file("missing_book")), str(REFERENCE), str(CHILDREN), str(SECONDS)]
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        assert (process.stderr.read(), process.wait()) == (b"", 0)
