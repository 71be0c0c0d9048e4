"""Golden runs: recorded references, checks of runs against them, and accepted differences.

- ``records`` freezes good runs as references, without secrets and personal data.
- ``checking`` lists the failed runs of a check, with the commands that would accept them.
- ``conversion`` turns a recorded run into a plan.
- ``rules`` lists the rules that would make a finding fine, the smallest first.
- ``acceptance`` tries these rules, and keeps the first that changes nothing else.
- ``editing`` writes a rule into a plan or a settings file, one line at a time.
"""
