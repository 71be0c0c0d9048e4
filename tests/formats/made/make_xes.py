"""Makes orders.xes: an event log of two orders, as pm4py writes it.

pip install pm4py==2.7.23.11
python make_xes.py
"""

from pathlib import Path

import pandas as pd
import pm4py

HERE = Path(__file__).parent
ROWS = [
    ("order-1", "receive order", "Ann", "2026-01-01T10:00:00Z", 20),
    ("order-1", "check credit", "Bob", "2026-01-01T10:05:00Z", 20),
    ("order-1", "ship goods", "Ann", "2026-01-01T12:00:00Z", 20),
    ("order-2", "receive order", "Ann", "2026-01-02T10:00:00Z", 45),
    ("order-2", "ship goods", "Ann", "2026-01-02T11:00:00Z", 45),
]


def main():
    """Writes the log."""
    names = ["case:concept:name", "concept:name", "org:resource", "time:timestamp", "amount"]
    table = pd.DataFrame(ROWS, columns=names)
    table["time:timestamp"] = pd.to_datetime(table["time:timestamp"])
    pm4py.write_xes(pm4py.format_dataframe(table), str(HERE / "orders.xes"))


if __name__ == "__main__":
    main()
