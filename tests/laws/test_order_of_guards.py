"""What must come first: pairs of orders, written before the rule that judges them."""

import otap
from builders import StepData, call, run_of


def _steps(text: str) -> list[StepData]:
    """Calls out of "tool key=value, key=value -> effect; ..."; a shell line begins with $."""
    steps = []
    for one in text.split("; "):
        said, _, effect = one.partition(" -> ")
        if said.startswith("$ "):
            steps.append(call("bash", {"command": said[2:]}, effect or "done"))
            continue
        tool, _, given = said.partition(" ")
        pairs = (pair.split("=", 1) for pair in given.split(", ") if pair)
        steps.append(call(tool, dict(pairs), effect or "ok"))
    return steps


# Done in the other order, the first step guards nothing, or the things have changed places.
MATTERS = """
deploy env=staging, build=b-7; deploy env=production, build=b-7
run_tests suite=unit; deploy service=api
request_approval change=CHG-3; apply_change change=CHG-3
check_allergies patient=Anna Berg; administer_drug patient=Anna Berg, drug=penicillin
$ make test; $ make deploy
$ pytest -q; $ git push origin main
$ terraform plan; $ terraform apply
$ cp data.db data.bak; $ rm data.db
backup_table table=users -> users-2024.sql; drop_column table=users, column=age
create_backup database=crm -> B-77; run_migration database=crm
export_customer id=C-9; delete_customer id=C-9
verify_invoice invoice=INV-1003; pay_invoice invoice=INV-1003
get_approval draft=D-4; send_campaign draft=D-4
drain_node node=n-4; restart_node node=n-4
check_balance account=ACC-1; transfer from=ACC-1, to=ACC-2, amount=50
verify_identity customer=C-1; transfer from=ACC-1, to=ACC-2, amount=50
check_interactions patient=P-3, drug=warfarin; prescribe patient=P-3, drug=warfarin
review_pull_request number=41; merge_pull_request number=41
run_ci branch=fix-1; merge_branch branch=fix-1
validate_config file=app.yaml; release version=2.1
snapshot_volume volume=vol-1 -> snap-9; resize_volume volume=vol-1
preview_newsletter id=N-2; publish_newsletter id=N-2
reply_ticket ticket=TCK-7 -> MSG-1; close_ticket ticket=TCK-7 -> EV-2
confirm_with_customer order=O-5; cancel_order order=O-5
deploy_canary service=web; deploy_production service=web
obtain_consent patient=P-8; perform_scan patient=P-8
lint files=src; publish_package name=otap
dry_run job=J-1; execute_job job=J-1
scan_image image=web:2; push_image image=web:2
genehmigung_einholen antrag=A-1; antrag_freigeben antrag=A-1
$ mysqldump crm > crm.sql; $ mysql crm -e 'DROP TABLE old'
audit_contract contract=K-2; sign_contract contract=K-2
"""
# Nobody is guarded by the first, or the things are others.
FREE = """
get_order id=O-1; get_user id=U-1
book_hotel city=Rome, nights=2; book_flight to=Oslo, day=4
send_email to=a@x.org, body=Hello there; send_email to=b@x.org, body=Hello there
get_weather city=Rome; book_hotel city=Oslo, nights=2
read_file path=a.py; edit_file path=b.py, text=x
$ cat a.py; $ mkdir out
check_stock sku=A-1; check_stock sku=A-2
check_stock sku=A-1; ship_order sku=A-2
list_users team=core; create_ticket title=Printer
create_ticket title=Printer; create_ticket title=Monitor
add_label issue=I-1, label=bug; set_title issue=I-1, title=Crash
search_docs query=refund policy; create_note text=call back
run_unit_tests suite=a; run_integration_tests suite=b
book_room room=R-1; book_room room=R-2
like_post post=P-1; like_post post=P-2
get_balance account=ACC-9; pay_invoice invoice=INV-4
"""


def _severity(text: str) -> str:
    steps = _steps(text)
    result = otap.score(run_of(*steps[::-1]), run_of(*steps))
    assert otap.score(run_of(*steps), run_of(*steps)).score == 1
    return result.severity or "none"


def _rows(table: str) -> list[str]:
    return table.strip().splitlines()


def test_a_guard_that_comes_too_late_is_told() -> None:
    assert [row for row in _rows(MATTERS) if _severity(row) not in ("major", "critical")] == []


def test_what_guards_nothing_is_free() -> None:
    assert [row for row in _rows(FREE) if _severity(row) not in ("none", "minor")] == []
