"""Cells of Python that only look: a whitelist, so that whatever is new writes."""

import pytest

import otap
from battery.language import call, run
from otap.run.cells import only_looks

LOOKING = (
    "print(df.head())",
    "df.describe()",
    "df",
    "print(f'{len(df)} rows', df.shape)\ndf['price'].value_counts().head(10)",
    "df[df['price'] > 5][['a', 'b']]",
    "display(df.groupby('city')['price'].mean().round(2))",
)
ACTING = (
    "",
    "df = df.head()",
    "df.drop(columns='a', inplace=True)",
    "print(df.to_csv('a.csv'))",
    "print(open('a').read())",
    "import os",
    "print(os.remove('a'))",
    "print('a', file=log)",
    "sorted(files, key=remove)",
    "print(*map(remove, files))",
    "[remove(x) for x in files]",
    "print((x := 5))",
    "del df",
    "df['a'].apply(remove)",
    "print(eval('remove()'))",
    "print(**options)",
    "print(df.head()",
    "(lambda: remove('a'))()",
    "head(df)",
)


@pytest.mark.parametrize("cell", LOOKING)
def test_a_cell_that_looks(cell: str) -> None:
    """It shows values, and calls only what is known to change nothing."""
    assert only_looks(cell)


@pytest.mark.parametrize("cell", ACTING)
def test_a_cell_that_may_act(cell: str) -> None:
    """It assigns, or calls something that is not known."""
    assert not only_looks(cell)


def test_an_extra_look_is_no_write() -> None:
    """A cell that looks costs next to nothing; the same text in a tool that saves it is a write."""
    load = call("run_python", {"code": "df = pd.read_csv('a.csv')"})
    look = {"code": "print(df.head())"}
    for tool, severity in (
        ("run_python", None),
        ("jupyter_execute_cell", None),
        ("save_code", "critical"),
    ):
        result = otap.score(run(load, call(tool, look)), run(load))
        assert (result.severity == "critical") is (severity == "critical"), tool
