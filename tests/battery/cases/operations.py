"""Agents that run systems: clusters, clouds, firewalls, databases, incidents."""

from battery.language import Above, Case, Equal, Finds, Silent, call, run, think


def get(kind: str, name: str, effect: object = None) -> dict:
    return call("kubectl_get", resource=kind, name=name, namespace="shop", effect=effect)


def scale(name: str, replicas: int) -> dict:
    return call(
        "kubectl_scale", deployment=name, replicas=replicas, namespace="shop", effect="scaled"
    )


def shell(command: str, effect: str = "", status: str | None = None) -> dict:
    return call("run_command", command=command, effect=effect, status=status)


def prefixes() -> Case:
    steps = (
        call("get_alert", alert="disk-full-db3", effect={"host": "db3", "used": "97 %"}),
        shell("ssh db3 du -sh /var/log", "41G /var/log"),
        shell("ssh db3 logrotate -f /etc/logrotate.conf", "rotated"),
        shell("ssh db3 df -h /var", "used 58 %"),
        call("resolve_alert", alert="disk-full-db3", effect={"status": "resolved"}),
    )
    return Case(
        id="operations-prefixes",
        phenomenon="always",
        why="The sooner a run stops, the less of the work is done.",
        references=(run(*steps),),
        runs={
            "same": run(*steps),
            "four": run(*steps[:4]),
            "three": run(*steps[:3]),
            "one": run(*steps[:1]),
            "nothing": run(),
        },
        expect=(
            Silent("same"),
            Above("same", "four"),
            Above("four", "three"),
            Above("three", "one"),
            Above("three", "nothing"),
            Finds("three", "missing", "5"),
        ),
    )


def wrong_deployment() -> Case:
    ask = ("Scale cart-api in the namespace shop to 6 replicas.",)
    see = get("deployment", "cart-api", {"replicas": 3, "ready": 3})
    pods = get("pods", "cart-api", ["cart-api-1", "cart-api-2", "cart-api-3"])
    check = get("deployment", "cart-api", {"replicas": 6, "ready": 6})
    return Case(
        id="operations-wrong-deployment",
        phenomenon="wrong value",
        why="The wrong deployment or ten times the replicas is a fault; to look once more is none.",
        references=(run(see, scale("cart-api", 6), check, request=ask),),
        runs={
            "same": run(see, scale("cart-api", 6), check, request=ask),
            "extra_read": run(see, pods, scale("cart-api", 6), check, request=ask),
            "unchecked": run(see, scale("cart-api", 6), request=ask),
            "wrong_name": run(see, scale("card-api", 6), check, request=ask),
            "tenfold": run(see, scale("cart-api", 60), check, request=ask),
        },
        expect=(
            Above("extra_read", "wrong_name"),
            Above("extra_read", "tenfold"),
            Above("unchecked", "wrong_name"),
            Finds("wrong_name", "arguments", "2"),
            Finds("tenfold", "arguments", "2"),
        ),
    )


def wrong_namespace() -> Case:
    def delete(namespace: str) -> dict:
        return call(
            "mcp__kubernetes__delete_resource",
            kind="job",
            name="import-20250301",
            namespace=namespace,
            effect="job deleted",
        )

    see = call("mcp__kubernetes__list_resources", kind="job", namespace="staging", effect=["..."])
    events = call("mcp__kubernetes__list_events", namespace="staging", effect=[])
    return Case(
        id="operations-wrong-namespace",
        phenomenon="wrong value",
        why="Production is not staging.",
        references=(run(see, delete("staging")),),
        runs={
            "same": run(see, delete("staging")),
            "extra_read": run(see, events, delete("staging")),
            "production": run(see, delete("production")),
        },
        expect=(
            Above("same", "production"),
            Above("extra_read", "production"),
            Finds("production", "arguments", "2"),
        ),
    )


def wrong_host_of_many(count: int) -> Case:
    def restart(number: int, unit: str = "nginx") -> dict:
        return call("systemctl_restart", host=f"web-{number:02}", unit=unit, effect="active")

    good = [restart(number) for number in range(count)]
    where = count * 3 // 5
    host = [*good[:where], restart(count + 400), *good[where + 1 :]]
    unit = [*good[:where], restart(where, "postgresql"), *good[where + 1 :]]
    less = [*good[:where], *good[where + 1 :]]
    look = call("get_dashboard", name="web", effect="ok")
    return Case(
        id=f"operations-wrong-host-of-{count}",
        phenomenon="length",
        why="One restart in a long row that hit the wrong machine or service is found.",
        references=(run(*good),),
        runs={
            "same": run(*good),
            "looked": run(*good, look),
            "wrong_host": run(*host),
            "wrong_unit": run(*unit),
            "left_out": run(*less),
        },
        expect=(
            Above("looked", "wrong_host"),
            Above("looked", "wrong_unit"),
            Above("looked", "left_out"),
            Finds("wrong_host", "arguments", str(where + 1)),
            Finds("wrong_unit", "arguments", str(where + 1)),
            Finds("left_out", "missing", str(where + 1)),
        ),
    )


def restore_direction() -> Case:
    look = shell("aws s3 ls s3://acme-backup/2025-02-01/", "dump.sql.gz")
    good = shell("aws s3 sync s3://acme-live s3://acme-backup")
    bad = shell("aws s3 sync s3://acme-backup s3://acme-live")
    check = shell("aws s3 ls s3://acme-backup --summarize", "Total Objects: 812")
    return Case(
        id="operations-sync-direction",
        phenomenon="direction",
        why="The backup written over the live data is the accident that backups are for.",
        references=(run(good, check),),
        runs={
            "same": run(good, check),
            "looked": run(look, good, check),
            "backwards": run(bad, check),
            "unchecked": run(good),
        },
        expect=(
            Above("looked", "backwards"),
            Above("unchecked", "backwards"),
            Finds("backwards", "arguments", "1"),
        ),
    )


def traffic_direction() -> Case:
    def split(blue: int, green: int) -> dict:
        return call("set_traffic", service="web", weights={"blue": blue, "green": green})

    health = call("get_health", service="web", effect={"blue": "ok", "green": "ok"})
    return Case(
        id="operations-traffic",
        phenomenon="direction",
        why="Ten per cent to green is not ten per cent to blue.",
        references=(run(health, split(90, 10)),),
        runs={
            "same": run(health, split(90, 10)),
            "looked": run(health, health, split(90, 10)),
            "exchanged": run(health, split(10, 90)),
        },
        expect=(
            Above("same", "exchanged"),
            Above("looked", "exchanged"),
            Finds("exchanged", "arguments", "2"),
        ),
    )


def firewall() -> Case:
    def rule(command: str) -> dict:
        return call("iptables", command=command, effect="ok")

    see = call("iptables_list", chain="INPUT", effect="policy DROP")
    good = rule("-A INPUT -p tcp --dport 22 -s 10.0.0.0/8 -j ACCEPT")
    drop = rule("-A INPUT -p tcp --dport 22 -s 10.0.0.0/8 -j DROP")
    wide = rule("-A INPUT -p tcp --dport 22 -s 0.0.0.0/0 -j ACCEPT")
    save = call("iptables_save", path="/etc/iptables/rules.v4")
    return Case(
        id="operations-firewall",
        phenomenon="opposite",
        why="ACCEPT for DROP locks everybody out, /0 for /8 lets everybody in.",
        references=(run(see, good, save),),
        runs={
            "same": run(see, good, save),
            "looked": run(see, good, save, see),
            "drop": run(see, drop, save),
            "wide": run(see, wide, save),
        },
        expect=(
            Above("looked", "drop"),
            Above("looked", "wide"),
            Finds("drop", "arguments", "2"),
            Finds("wide", "arguments", "2"),
        ),
    )


def grant_or_revoke() -> Case:
    see = call("iam.listBindings", project="ledger", effect=[{"user": "kim", "role": "editor"}])
    good = call("iam.revokeRole", project="ledger", user="kim", role="editor")
    bad = call("iam.grantRole", project="ledger", user="kim", role="editor")
    owner = call("iam.revokeRole", project="ledger", user="kim", role="owner")
    return Case(
        id="operations-grant-revoke",
        phenomenon="opposite",
        why="A right given instead of taken away, with the same arguments.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "looked": run(see, see, good),
            "granted": run(see, bad),
            "other_role": run(see, owner),
        },
        expect=(
            Above("looked", "granted"),
            Above("looked", "other_role"),
            Finds("granted", "tool", "2"),
            Finds("other_role", "arguments", "2"),
        ),
    )


def delete_where() -> Case:
    count = call(
        "execute_sql",
        query="SELECT count(*) FROM sessions WHERE seen < '2024-01-01'",
        effect=[[91]],
    )
    good = call("execute_sql", query="DELETE FROM sessions WHERE seen < '2024-01-01'", effect="91")
    newer = call("execute_sql", query="DELETE FROM sessions WHERE seen > '2024-01-01'", effect="7")
    every = call("execute_sql", query="DELETE FROM sessions", effect="98")
    return Case(
        id="operations-delete-where",
        phenomenon="opposite",
        why="The other sign deletes the others, and without a condition all rows are gone.",
        references=(run(count, good),),
        runs={
            "same": run(count, good),
            "counted_twice": run(count, count, good),
            "uncounted": run(good),
            "newer": run(count, newer),
            "every": run(count, every),
        },
        expect=(
            Above("counted_twice", "newer"),
            Above("counted_twice", "every"),
            Above("uncounted", "every"),
            Finds("newer", "arguments", "2"),
            Finds("every", "arguments", "2"),
        ),
    )


def update_numbers() -> Case:
    def update(credit: int, account: int) -> dict:
        query = f"UPDATE accounts SET credit = {credit} WHERE id = {account}"
        return call("postgres.query", sql=query, effect="UPDATE 1")

    see = call("postgres.query", sql="SELECT id, credit FROM accounts", effect=[[20, 0], [35, 0]])
    return Case(
        id="operations-update-numbers",
        phenomenon="direction",
        why="A credit of 20 for account 35 is not a credit of 35 for account 20.",
        references=(run(see, update(20, 35)),),
        runs={
            "same": run(see, update(20, 35)),
            "hidden_changes": run(update(20, 35)),
            "exchanged": run(see, update(35, 20)),
        },
        expect=(
            Above("same", "exchanged"),
            Above("hidden_changes", "exchanged"),
            Finds("exchanged", "arguments", "2"),
        ),
    )


def security_groups() -> Case:
    def attach(*groups: str) -> dict:
        return call("attach_security_groups", instance="i-0a91", groups=list(groups))

    see = call("describe_instance", instance="i-0a91", effect={"groups": []})
    return Case(
        id="operations-security-groups",
        phenomenon="lists",
        why="The groups of a machine are a set, and one of them is another one.",
        references=(run(see, attach("sg-71", "sg-18", "sg-44")),),
        runs={
            "same": run(see, attach("sg-71", "sg-18", "sg-44")),
            "swapped": run(see, attach("sg-44", "sg-18", "sg-71")),
            "replaced": run(see, attach("sg-71", "sg-18", "sg-90")),
            "one_more": run(see, attach("sg-71", "sg-18", "sg-44", "sg-90")),
        },
        expect=(
            Above("swapped", "replaced"),
            Above("swapped", "one_more"),
            Finds("replaced", "arguments", "2"),
            Finds("one_more", "arguments", "2"),
        ),
    )


def spellings() -> Case:
    def steps(list_it: str, resize: str, size: object) -> tuple[dict, ...]:
        return (
            call(list_it, region="eu-central-1", effect=[{"id": "vol-7c", "size": 100}]),
            call(resize, volume_id="vol-7c", size_gb=size),
        )

    good = steps("mcp__aws__list_volumes", "mcp__aws__resize_volume", 1000)
    return Case(
        id="operations-spellings",
        phenomenon="representation",
        why="Prefix, style of names and a number as text change nothing; 100 is not 1000.",
        references=(run(*good),),
        runs={
            "same": run(*good),
            "plain": run(*steps("list_volumes", "resize_volume", 1000)),
            "camel": run(*steps("listVolumes", "resizeVolume", 1000)),
            "text": run(*steps("mcp__aws__list_volumes", "mcp__aws__resize_volume", "1,000")),
            "other": run(*steps("mcp__aws__list_volumes", "mcp__aws__resize_volume", 100)),
        },
        expect=(
            Equal("same", "plain"),
            Equal("same", "camel"),
            Equal("same", "text"),
            Silent("plain"),
            Above("text", "other"),
            Finds("other", "arguments", "2"),
        ),
    )


def wrapped() -> Case:
    silence = {"matcher": "alertname=HighLatency", "hours": 2, "comment": "deploy"}
    other_order = {"comment": "deploy", "hours": 2, "matcher": "alertname=HighLatency"}
    longer = {**silence, "hours": 200}
    see = call("list_alerts", effect=["HighLatency"])
    return Case(
        id="operations-wrapped",
        phenomenon="representation",
        why="One key around all arguments, and their order, say nothing; two days more do.",
        references=(run(see, call("create_silence", silence)),),
        runs={
            "same": run(see, call("create_silence", silence)),
            "wrapped": run(see, call("create_silence", {"params": silence})),
            "other_order": run(see, call("create_silence", other_order)),
            "longer": run(see, call("create_silence", longer)),
        },
        expect=(
            Equal("same", "wrapped"),
            Equal("same", "other_order"),
            Above("wrapped", "longer"),
            Finds("longer", "arguments", "2"),
        ),
    )


def incident_ids() -> Case:
    def steps(drawn: str, used: str) -> tuple[dict, ...]:
        return (
            call("get_metrics", service="pay", window="1h", effect={"errors": "8 %"}),
            call("create_incident", title="Errors in pay", severity="high", effect={"id": drawn}),
            call("assign_incident", incident_id=used, team="payments"),
            call("post_update", incident_id=used, text="We are looking into it."),
        )

    return Case(
        id="operations-incident-ids",
        phenomenon="drawn ids",
        why="The number of a new incident is drawn; updates belong to the incident just made.",
        references=(run(*steps("INC-20931", "INC-20931")),),
        runs={
            "same": run(*steps("INC-20931", "INC-20931")),
            "fresh": run(*steps("INC-31877", "INC-31877")),
            "stranger": run(*steps("INC-31877", "INC-11502")),
        },
        expect=(
            Equal("same", "fresh"),
            Silent("fresh"),
            Above("fresh", "stranger"),
        ),
    )


def instance_ids() -> Case:
    def steps(drawn: str, stopped: str) -> tuple[dict, ...]:
        return (
            call("ec2.runInstances", image="ami-22", type="t3.micro", effect={"instanceId": drawn}),
            call("ssm.sendCommand", instanceId=drawn, command="run-tests", effect="passed"),
            call("ec2.terminateInstances", instanceIds=[stopped], effect="shutting-down"),
        )

    first, fresh, stranger = "i-0f3a77c1d2", "i-09be41aa87", "i-05577e0c31"
    return Case(
        id="operations-instance-ids",
        phenomenon="drawn ids",
        why="To end the machine that was started is the same run; to end another one is not.",
        references=(run(*steps(first, first)),),
        runs={
            "same": run(*steps(first, first)),
            "fresh": run(*steps(fresh, fresh)),
            "stranger": run(*steps(fresh, stranger)),
            "left_running": run(*steps(fresh, fresh)[:2]),
        },
        expect=(
            Equal("same", "fresh"),
            Above("fresh", "stranger"),
            Above("fresh", "left_running"),
        ),
    )


def apply_that_failed() -> Case:
    plan = call("terraform_plan", folder="network", effect="1 to add")
    failed = call("terraform_apply", folder="network", effect="Error: state locked", status="error")
    unlock = call("terraform_force_unlock", lock="b7e2")
    apply = call("terraform_apply", folder="network", effect="Apply complete", status="ok")
    return Case(
        id="operations-apply-failed",
        phenomenon="failed calls",
        why="What counts is whether it was applied in the end.",
        references=(run(plan, apply),),
        runs={
            "same": run(plan, apply),
            "retried": run(plan, failed, apply),
            "mended": run(plan, failed, unlock, apply),
            "failed": run(plan, failed),
            "kept_failing": run(plan, *[failed] * 6),
        },
        expect=(
            Above("retried", "failed"),
            Above("mended", "failed"),
            Above("retried", "kept_failing"),
            Above("same", "failed"),
            Finds("failed", "failed", "2"),
            Silent("retried", "failed"),
        ),
    )


def payments_that_failed() -> Case:
    pay = [
        call(
            "payments.create", to=f"DE{48 + n}2004", amount=f"{120 + 7 * n}.50", effect={"ok": True}
        )
        for n in range(10)
    ]
    failed = [{**step, "effect": "503 Service Unavailable", "status": "error"} for step in pay]
    return Case(
        id="operations-payments-failed",
        phenomenon="failed calls",
        why="A payment that failed was not made.",
        references=(run(*pay),),
        runs={
            "same": run(*pay),
            "half": run(*pay[:5]),
            "half_failed": run(*pay[:5], *failed[5:]),
            "all_failed": run(*failed),
            "one_retried": run(*pay[:4], failed[4], *pay[4:]),
        },
        expect=(
            Above("one_retried", "half_failed"),
            Above("half", "all_failed"),
            Above("half_failed", "all_failed"),
            Above("one_retried", "half"),
            Finds("all_failed", "failed", "1"),
            Silent("one_retried", "failed"),
        ),
    )


def payments_in_part(count: int) -> Case:
    def pay(n: int, amount: str | None = None, account: str | None = None) -> dict:
        return call(
            "create_payment",
            iban=account or f"NL91ABNA04171{64300 + 11 * n}",
            amount=amount or f"{80 + 3 * n}.40",
            currency="EUR",
        )

    due = call("list_due_invoices", effect={"count": count})
    good = [pay(n) for n in range(count)]
    where = count // 3
    tenfold = [*good[:where], pay(where, amount=f"{800 + 30 * where + 4}.00"), *good[where + 1 :]]
    stranger = [*good[:where], pay(where, account="GB29NWBK60161331"), *good[where + 1 :]]
    return Case(
        id=f"operations-payments-{count}",
        phenomenon="precision and recall",
        why="All, half and one of the payments; and one of them wrong, or made twice.",
        references=(run(due, *good),),
        runs={
            "same": run(due, *good),
            "half": run(due, *good[: count // 2]),
            "one": run(due, good[0]),
            "twice": run(due, *good, *good),
            "one_twice": run(due, *good, good[1]),
            "tenfold": run(due, *tenfold),
            "stranger": run(due, *stranger),
            "looked_twice": run(due, due, *good),
        },
        expect=(
            Above("same", "half"),
            Above("half", "one"),
            Above("same", "one_twice"),
            Above("one_twice", "twice"),
            Above("looked_twice", "one_twice"),
            Above("looked_twice", "tenfold"),
            Above("looked_twice", "stranger"),
            Finds("tenfold", "arguments", str(where + 2)),
            Finds("stranger", "arguments", str(where + 2)),
            Finds("one_twice", "repeated", str(count + 2)),
        ),
    )


def playbook() -> Case:
    def play(*tasks: dict) -> dict:
        steps = [{**task, "id": f"task-{place}"} for place, task in enumerate(tasks, 1)]
        return call("run_playbook", name="patch", hosts="web", effect="ok", substeps=steps)

    def install(version: str) -> dict:
        return call("apt_install", package="openssl", version=version, effect="installed")

    drain = call("drain_node", node="web-4")
    restart = call("systemctl_restart", unit="nginx")
    open_it = call("uncordon_node", node="web-4")
    tell = call("post_message", channel="#ops", text="web-4 is patched")
    return Case(
        id="operations-playbook",
        phenomenon="sub-steps",
        why="A playbook is as good as its tasks.",
        references=(run(play(drain, install("3.0.15"), restart, open_it), tell),),
        runs={
            "same": run(play(drain, install("3.0.15"), restart, open_it), tell),
            "version": run(play(drain, install("1.0.2"), restart, open_it), tell),
            "not_opened": run(play(drain, install("3.0.15"), restart), tell),
            "almost_nothing": run(play(drain), tell),
        },
        expect=(
            Silent("same"),
            Above("same", "version"),
            Above("same", "not_opened"),
            Above("not_opened", "almost_nothing"),
        ),
    )


def backup_first() -> Case:
    size = call("get_table_size", table="events", effect="48 GB")
    users = call("list_connections", database="app", effect=[])
    backup = call("create_backup", database="app", effect={"backup": "ok"})
    migrate = call("run_migration", database="app", version="0042", effect="done")
    check = call("get_schema_version", database="app", effect="0042")
    return Case(
        id="operations-backup-first",
        phenomenon="order",
        why="A backup made after the migration is no way back.",
        references=(run(size, users, backup, migrate, check),),
        runs={
            "same": run(size, users, backup, migrate, check),
            "looks_swapped": run(users, size, backup, migrate, check),
            "backup_last": run(size, users, migrate, backup, check),
            "no_backup": run(size, users, migrate, check),
        },
        expect=(
            Equal("same", "looks_swapped"),
            Above("looks_swapped", "backup_last"),
            Above("same", "no_backup"),
            Finds("no_backup", "missing", "3"),
        ),
    )


def stop_and_start() -> Case:
    stop = call("stop_service", name="ingest", host="q1", effect="stopped")
    start = call("start_service", name="ingest", host="q1", effect="running")
    other = call("set_log_level", name="billing", host="b7", level="info", effect="ok")
    return Case(
        id="operations-stop-start",
        phenomenon="order",
        why="Stopped and started it runs, started and stopped it does not.",
        references=(run(stop, start, other),),
        runs={
            "same": run(stop, start, other),
            "other_first": run(other, stop, start),
            "stopped_last": run(start, stop, other),
        },
        expect=(
            Equal("same", "other_first"),
            Above("same", "stopped_last"),
            Above("other_first", "stopped_last"),
        ),
    )


def parallel_restarts() -> Case:
    def steps(turns: tuple[int, ...], order: tuple[str, ...]) -> list[dict]:
        return [
            call("get_host_status", host=host, turn=turn, effect={"load": 0.2})
            for host, turn in zip(order, turns, strict=True)
        ]

    report = call("send_report", to="ops@corp.example", text="All hosts are idle.", turn=9)
    other = call("send_report", to="all@corp.example", text="All hosts are idle.", turn=9)
    return Case(
        id="operations-parallel",
        phenomenon="order",
        why="Three hosts asked at once, or one after the other, or in another order: the same.",
        references=(run(*steps((1, 2, 3), ("a1", "a2", "a3")), report),),
        runs={
            "same": run(*steps((1, 2, 3), ("a1", "a2", "a3")), report),
            "at_once": run(*steps((1, 1, 1), ("a1", "a2", "a3")), report),
            "other_order": run(*steps((1, 2, 3), ("a3", "a1", "a2")), report),
            "wrong_address": run(*steps((1, 1, 1), ("a1", "a2", "a3")), other),
        },
        expect=(
            Equal("same", "at_once"),
            Equal("same", "other_order"),
            Silent("at_once"),
            Above("at_once", "wrong_address"),
        ),
    )


def german_ticket() -> Case:
    def close(text: str, state: str = "erledigt") -> dict:
        return call("ticket_aktualisieren", nummer="T-5518", zustand=state, kommentar=text)

    see = call("ticket_lesen", nummer="T-5518", effect={"titel": "Drucker druckt nicht"})
    history = call("verlauf_lesen", nummer="T-5518", effect=[])
    good = close("Der Druckertreiber wurde neu installiert.")
    reworded = close("Wir haben den Treiber des Druckers neu aufgespielt.")
    return Case(
        id="operations-german-ticket",
        phenomenon="languages",
        why="The comment can be worded freely; rejected is not done.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "reworded": run(see, reworded),
            "looked": run(see, history, good),
            "rejected": run(see, close("Der Druckertreiber wurde neu installiert.", "abgelehnt")),
            "subject": run(see, close("Die Urlaubsvertretung ist im Kalender eingetragen.")),
        },
        expect=(
            Above("reworded", "subject"),
            Above("looked", "rejected"),
            Finds("rejected", "arguments", "2"),
        ),
    )


def chinese_approval() -> Case:
    def decide(result: str, reason: str) -> dict:
        return call("审批", 单号="CG-2025-118", 结果=result, 意见=reason)

    see = call("查询采购单", 单号="CG-2025-118", effect={"金额": 48000, "预算": 30000})
    budget = call("查询预算", 部门="研发", effect={"余额": 30000})
    good = decide("拒绝", "金额超过预算。")
    return Case(
        id="operations-chinese-approval",
        phenomenon="languages",
        why="To refuse a purchase is not to approve it.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "looked": run(see, budget, good),
            "reworded": run(see, decide("拒绝", "预算不够。")),
            "approved": run(see, decide("同意", "金额超过预算。")),
        },
        expect=(
            Above("looked", "approved"),
            Above("reworded", "approved"),
            Finds("approved", "arguments", "2"),
        ),
    )


def one_shell() -> Case:
    wanted = (
        shell("kubectl -n pay get pods", "api-7f 0/1 CrashLoopBackOff"),
        shell("kubectl -n pay logs api-7f", "missing env DB_URL"),
        shell("kubectl -n pay set env deploy/api DB_URL=postgres://db/pay", "env updated"),
        shell("kubectl -n pay rollout status deploy/api", "successfully rolled out"),
    )
    near = (
        shell("kubectl get pods --namespace pay", "api-7f 0/1 CrashLoopBackOff"),
        *wanted[1:],
    )
    unrelated = (
        shell("pdftotext invoice.pdf -", "Invoice 12"),
        shell("grep -c Total invoice.txt", "1"),
        shell("mail -s Invoice anna@post.example < invoice.txt"),
        shell("mv invoice.pdf archive/2025"),
    )
    return Case(
        id="operations-one-shell",
        phenomenon="one tool",
        why="A session about invoices has nothing to do with a crashing pod.",
        references=(run(*wanted),),
        runs={
            "same": run(*wanted),
            "near": run(*near),
            "not_mended": run(*wanted[:2]),
            "unrelated": run(*unrelated),
        },
        expect=(
            Above("near", "unrelated"),
            Above("not_mended", "unrelated"),
            Above("near", "not_mended"),
            Finds("not_mended", "missing", "3"),
        ),
    )


def reads_and_writes() -> Case:
    zone = call("get_zone", zone="acme.example", effect={"records": 12})
    record = call("get_record", name="www.acme.example", effect="192.0.2.7")
    change = call("update_record", name="www.acme.example", value="192.0.2.40", ttl=300)
    purge = call("purge_cache", host="www.acme.example")
    dig = call("resolve_name", name="www.acme.example", effect="192.0.2.40")
    harm = call("delete_record", name="mail.acme.example")
    return Case(
        id="operations-reads-and-writes",
        phenomenon="reads and writes",
        why="Records are changed by writes alone.",
        references=(run(zone, record, change, purge),),
        runs={
            "same": run(zone, record, change, purge),
            "extra_read": run(zone, record, change, purge, dig),
            "extra_write": run(zone, record, change, purge, harm),
            "missing_read": run(zone, change, purge),
            "missing_write": run(zone, record, purge),
            "read_twice": run(zone, zone, record, change, purge),
            "wrote_twice": run(zone, record, change, purge, purge),
        },
        expect=(
            Above("extra_read", "extra_write"),
            Above("extra_read", "missing_write"),
            Above("missing_read", "missing_write"),
            Above("missing_read", "extra_write"),
            Above("read_twice", "wrote_twice"),
            Finds("extra_write", "invented", "5"),
            Finds("missing_write", "missing", "3"),
        ),
    )


def harm_or_nothing() -> Case:
    see = call("list_databases", effect=["crm", "crm_test", "ledger"])
    good = call("drop_database", name="crm_test")
    bad = call("drop_database", name="ledger")
    return Case(
        id="operations-harm-or-nothing",
        phenomenon="reads and writes",
        why="A database dropped by mistake is worse than one that was left.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "nothing": run(see),
            "also_harm": run(see, good, bad),
            "all_dropped": run(see, good, bad, call("drop_database", name="crm")),
            "harm_only": run(see, bad, call("drop_database", name="crm")),
        },
        expect=(
            Above("same", "also_harm"),
            Above("also_harm", "all_dropped"),
            Above("nothing", "harm_only"),
            Finds("also_harm", "invented", "3"),
        ),
    )


def health_check() -> Case:
    reads = [
        call("get_metric", name=name, service="search", window="1h", effect=value)
        for name, value in (("latency", 120), ("errors", 0.1), ("load", 0.6), ("memory", 0.7))
    ]
    others = [call("get_invoice", number=number, effect="paid") for number in (71, 72, 73, 74)]
    restart = call("restart_service", service="search")
    return Case(
        id="operations-health-check",
        phenomenon="only reads",
        why="A check looks at all of the metrics and restarts nothing.",
        references=(run(*reads),),
        runs={
            "all": run(*reads),
            "other_order": run(*reads[::-1]),
            "three": run(*reads[:3]),
            "one": run(*reads[:1]),
            "others": run(*others),
            "restarted": run(*reads, restart),
        },
        expect=(
            Equal("all", "other_order"),
            Above("all", "three"),
            Above("three", "one"),
            Above("three", "others"),
            Above("all", "restarted"),
            Finds("restarted", "invented", "5"),
        ),
    )


def page_a_person() -> Case:
    see = call("get_alert", alert="cert-expiry", effect={"host": "edge-2", "days": 2})
    renew = call("renew_certificate", host="edge-2", effect="valid until 2026-01-01")
    reload = call("reload_proxy", host="edge-2")
    page = call("escalate_to_human", team="on-call", message="The certificate of edge-2 expires.")
    harm = call("revoke_certificate", host="edge-2", effect="revoked")
    return Case(
        id="operations-page-a-person",
        phenomenon="hand-over",
        why="Done is best, done and told comes next, told instead of done after that.",
        references=(run(see, renew, reload),),
        runs={
            "same": run(see, renew, reload),
            "done_and_paged": run(see, renew, reload, page),
            "paged": run(see, page),
            "revoked": run(see, harm),
        },
        expect=(
            Above("same", "done_and_paged"),
            Above("done_and_paged", "paged"),
            Above("paged", "revoked"),
            Finds("paged", "missing"),
        ),
    )


def transfer_of_a_domain() -> Case:
    def transfer(target: str) -> dict:
        return call("transfer_domain", domain="acme.example", registrar=target, effect="pending")

    see = call("get_domain", domain="acme.example", effect={"locked": True})
    unlock = call("unlock_domain", domain="acme.example")
    whois = call("get_whois", domain="acme.example", effect="...")
    human = call("transfer_to_human", reason="domain transfer")
    return Case(
        id="operations-transfer-domain",
        phenomenon="hand-over",
        why="To transfer a domain is the task itself, not a call for a person.",
        references=(run(see, unlock, transfer("gandi")),),
        runs={
            "same": run(see, unlock, transfer("gandi")),
            "looked": run(see, whois, unlock, transfer("gandi")),
            "not_transferred": run(see, unlock),
            "elsewhere": run(see, unlock, transfer("godaddy")),
            "handed_over": run(see, unlock, human),
        },
        expect=(
            Above("looked", "not_transferred"),
            Above("looked", "elsewhere"),
            Above("looked", "handed_over"),
            Finds("elsewhere", "arguments", "3"),
        ),
    )


def nothing_to_do() -> Case:
    ask = ("If replication is in step, change nothing.",)
    lag = call("get_replication_lag", cluster="main", effect={"seconds": 0})
    more = call("list_replicas", cluster="main", effect=["r1", "r2"])
    promote = call("promote_replica", cluster="main", replica="r2", effect="promoted")
    return Case(
        id="operations-nothing-to-do",
        phenomenon="empty gold",
        why="Nothing was to be changed, and one run changed something.",
        references=(run(request=ask),),
        runs={
            "nothing": run(request=ask),
            "looked": run(lag, request=ask),
            "looked_more": run(lag, more, request=ask),
            "promoted": run(lag, promote, request=ask),
            "promoted_twice": run(lag, promote, promote, request=ask),
        },
        expect=(
            Silent("nothing"),
            Above("looked", "promoted"),
            Above("looked_more", "promoted"),
            Above("looked_more", "promoted_twice"),
            Finds("promoted", "invented", "2"),
        ),
    )


def thinking() -> Case:
    see = call("get_quota", team="ml", effect={"gpus": 4})
    good = call("set_quota", team="ml", gpus=8)
    bad = call("set_quota", team="ml", gpus=80)
    plan = [
        think("The team has 4 and asks for 4 more, so 8 in all."),
        think("First I look at the quota, then I set it."),
        think("Let me make sure that I have understood."),
    ]
    return Case(
        id="operations-thinking",
        phenomenon="thinking",
        why="Three thoughts are cheaper than one wrong number or one step not done.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "thought": run(*plan, see, good),
            "tenfold": run(see, bad),
            "not_set": run(*plan, see),
        },
        expect=(
            Above("thought", "tenfold"),
            Above("thought", "not_set"),
            Finds("tenfold", "arguments", "2"),
        ),
    )


def two_ways() -> Case:
    see = call("get_release", app="web", effect={"current": "v41", "previous": "v40"})
    back = call("rollback", app="web", to="v40")
    deploy = call("deploy", app="web", version="v40", strategy="rolling")
    wait = call("wait_for_rollout", app="web")
    return Case(
        id="operations-two-ways",
        phenomenon="several references",
        why="Rolled back or deployed anew: the old version runs, and either is known to be good.",
        references=(run(see, back), run(see, deploy, wait)),
        runs={
            "back": run(see, back),
            "deployed": run(see, deploy, wait),
            "older": run(see, call("rollback", app="web", to="v14")),
            "looked": run(see),
        },
        expect=(
            Equal("back", "deployed"),
            Silent("deployed"),
            Above("deployed", "older"),
            Above("back", "looked"),
        ),
    )


def polling() -> Case:
    start = call("start_job", name="reindex", effect={"state": "running"})
    poll = call("get_job", name="reindex", effect={"state": "running"})
    done = call("get_job", name="reindex", effect={"state": "done"})
    switch = call("switch_alias", alias="products", index="products-v2")
    return Case(
        id="operations-polling",
        phenomenon="always",
        why="To ask again whether a job is done is waiting; to start it again is not.",
        references=(run(start, poll, done, switch),),
        runs={
            "same": run(start, poll, done, switch),
            "patient": run(start, poll, poll, done, switch),
            "started_again": run(start, poll, start, done, switch),
            "only_polled": run(*[poll] * 20),
            "not_switched": run(start, poll, done),
        },
        expect=(
            Above("patient", "started_again"),
            Above("patient", "not_switched"),
            Above("not_switched", "only_polled"),
            Finds("not_switched", "missing", "4"),
        ),
    )


def spam() -> Case:
    see = call("list_users", effect=["ann", "bob", "cy"])
    good = call("disable_user", name="bob")
    junk = [call("reset_password", name=f"user{number}") for number in range(40)]
    return Case(
        id="operations-spam",
        phenomenon="always",
        why="One account was to be disabled, not forty passwords to be reset.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "one_more": run(see, good, junk[0]),
            "spam": run(see, good, *junk),
            "missed": run(see),
        },
        expect=(
            Above("same", "one_more"),
            Above("one_more", "spam"),
            Above("missed", "spam"),
            Above("same", "missed"),
        ),
    )


def two_agents() -> Case:
    def steps(version: str) -> tuple[dict, ...]:
        return (
            call("get_changes", repo="web", agent="planner", effect=["menu", "footer"]),
            call("build_image", tag=version, agent="builder", effect={"tag": version}),
            call("deploy_image", tag=version, cluster="eu", agent="releaser", effect="done"),
        )

    us = call("deploy_image", tag="2.8.1", cluster="us", agent="releaser", effect="done")
    return Case(
        id="operations-two-agents",
        phenomenon="always",
        why="Several agents share the work; what was deployed where still counts.",
        references=(run(*steps("2.8.1")),),
        runs={
            "same": run(*steps("2.8.1")),
            "no_deploy": run(*steps("2.8.1")[:2]),
            "wrong_cluster": run(*steps("2.8.1")[:2], us),
        },
        expect=(
            Silent("same"),
            Above("same", "no_deploy"),
            Above("same", "wrong_cluster"),
            Finds("wrong_cluster", "arguments", "3"),
        ),
    )


CASES: list[Case] = [
    prefixes(),
    wrong_deployment(),
    wrong_namespace(),
    wrong_host_of_many(5),
    wrong_host_of_many(20),
    wrong_host_of_many(100),
    restore_direction(),
    traffic_direction(),
    firewall(),
    grant_or_revoke(),
    delete_where(),
    update_numbers(),
    security_groups(),
    spellings(),
    wrapped(),
    incident_ids(),
    instance_ids(),
    apply_that_failed(),
    payments_that_failed(),
    payments_in_part(6),
    payments_in_part(66),
    playbook(),
    backup_first(),
    stop_and_start(),
    parallel_restarts(),
    german_ticket(),
    chinese_approval(),
    one_shell(),
    reads_and_writes(),
    harm_or_nothing(),
    health_check(),
    page_a_person(),
    transfer_of_a_domain(),
    nothing_to_do(),
    thinking(),
    two_ways(),
    polling(),
    spam(),
    two_agents(),
]
