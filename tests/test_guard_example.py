"""examples/guard.py: the wrong transfer is never made, the right one is."""

from examples.guard import FIND, PAY, PAY_WRONG, Bank, run_agent


def test_the_run_stops_before_the_wrong_transfer() -> None:
    """It says why, and what it expected."""
    bank, lines = Bank(), list[str]()
    assert not run_agent([FIND, PAY_WRONG, PAY], bank, lines.append)
    assert bank.paid == []
    assert "DE44-666" in lines[1]
    assert "DE44-001" in lines[2]


def test_the_right_run_is_not_stopped() -> None:
    """Its rewards sum to 1; a second transfer is stopped."""
    bank, lines = Bank(), list[str]()
    assert run_agent([FIND, PAY], bank, lines.append)
    assert bank.paid == [("DE44-001", 50)]
    assert not run_agent([FIND, PAY, PAY], bank, lines.append)
    assert bank.paid == [("DE44-001", 50)] * 2
    assert "already" in lines[-2]
