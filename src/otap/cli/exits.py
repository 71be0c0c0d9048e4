"""The exit codes of every command; 0 is success."""

GATE_FAILED = 1  # the score is below --fail-under, or there is a finding of --fail-on
BAD_INPUT = 2  # or wrong usage; one line says what, where, and how to mend it
INCONCLUSIVE = 3  # the score is not final, or nothing was understood: the gate decides nothing
INTERNAL = 70  # a mistake of ours, as BSD's sysexits.h numbers it
INTERRUPTED = 130  # by Ctrl-C, as shells number it
