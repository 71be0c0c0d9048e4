from battery.language import Above, Calm, Case, Critical, Equal, call, run


def alt(base, at, *new):
    """The step at this place replaced."""
    return run(*base[:at], *new, *base[at + 1 :])


def ins(base, at, *new):
    """Steps put in before this place."""
    return run(*base[:at], *new, *base[at:])


def drop(base, *at):
    """The steps at these places left out."""
    return run(*(step for place, step in enumerate(base) if place not in at))


A = [
    call(
        "kubectl_get",
        resource="deployment",
        name="checkout",
        namespace="prod",
        effect={"replicas": 3, "image": "checkout:1.14.2"},
    ),
    call(
        "kubectl_logs",
        pod="checkout-7d9f",
        namespace="prod",
        tail=200,
        effect={"lines": ["OOMKilled"]},
    ),
    call(
        "kubectl_patch",
        resource="deployment",
        name="checkout",
        namespace="prod",
        patch={
            "spec": {
                "containers": [{"name": "checkout", "resources": {"limits": {"memory": "1Gi"}}}]
            }
        },
        effect={"patched": True},
    ),
    call(
        "kubectl_scale",
        deployment="checkout",
        namespace="prod",
        replicas=5,
        effect={"scaled": True, "replicas": 5},
    ),
    call(
        "kubectl_rollout_status",
        deployment="checkout",
        namespace="prod",
        effect={"status": "successfully rolled out"},
    ),
    call(
        "slack_post_message",
        channel="#oncall",
        text="checkout in prod now runs 5 replicas with 1Gi of memory; no more OOM kills.",
        effect={"ok": True},
    ),
]


def patch(memory, name="checkout"):
    return call(
        "kubectl_patch",
        resource="deployment",
        name=name,
        namespace="prod",
        patch={
            "spec": {"containers": [{"name": name, "resources": {"limits": {"memory": memory}}}]}
        },
        effect={"patched": True},
    )


B = [
    call("describe_db_instance", identifier="orders-prod", region="eu-west-1"),
    call(
        "create_db_snapshot",
        identifier="orders-prod",
        snapshot="orders-prod-before-15",
        region="eu-west-1",
    ),
    call(
        "modify_db_instance",
        identifier="orders-prod",
        engine_version="15.6",
        apply_immediately=False,
        region="eu-west-1",
    ),
    call(
        "put_metric_alarm",
        name="orders-prod-cpu",
        metric="CPUUtilization",
        threshold=80,
        comparison="GreaterThanThreshold",
        region="eu-west-1",
    ),
    call("describe_db_instance", identifier="orders-prod", region="eu-west-1"),
]
C = [
    call(
        "s3_list_objects",
        bucket="acme-logs",
        prefix="2023/",
        effect={"count": 3, "keys": ["2023/01.gz", "2023/02.gz", "2023/03.gz"]},
    ),
    call(
        "s3_copy_object",
        source="acme-logs/2023/01.gz",
        destination="acme-archive/2023/01.gz",
        effect={"copied": True},
    ),
    call(
        "s3_copy_object",
        source="acme-logs/2023/02.gz",
        destination="acme-archive/2023/02.gz",
        effect={"copied": True},
    ),
    call(
        "s3_copy_object",
        source="acme-logs/2023/03.gz",
        destination="acme-archive/2023/03.gz",
        effect={"copied": True},
    ),
    call(
        "s3_delete_objects",
        bucket="acme-logs",
        keys=["2023/01.gz", "2023/02.gz", "2023/03.gz"],
        effect={"deleted": 3},
    ),
    call(
        "s3_put_lifecycle",
        bucket="acme-archive",
        transition_days=30,
        storage_class="GLACIER",
        effect={"status": 200},
    ),
]


def delete(key):
    return call("s3_delete_object", bucket="acme-logs", key=key, effect={"deleted": 1})


D = [
    call("iam_get_user", user_name="svc-reporting"),
    call("iam_list_attached_policies", user_name="svc-reporting"),
    call(
        "iam_attach_policy",
        user_name="svc-reporting",
        policy_arn="arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess",
    ),
    call("iam_create_access_key", user_name="svc-reporting"),
    call("secretsmanager_put_secret", name="reporting/aws", version="2", overwrite=True),
    call(
        "send_email",
        to="data-team@acme.io",
        subject="New key for svc-reporting",
        body="The new key is in Secrets Manager under reporting/aws. The old key expires on 2026-04-30.",
    ),
]

CASES = [
    Case(
        "c_cloud_checkout",
        "values",
        "A deployment gets more memory and replicas.",
        (run(*A),),
        {
            "same": run(*A),
            "memory": alt(A, 2, patch("10Gi")),
            "other_deployment": alt(A, 2, patch("1Gi", "catalog")),
            "replicas": alt(
                A,
                3,
                call(
                    "kubectl_scale",
                    deployment="checkout",
                    namespace="prod",
                    replicas=50,
                    effect={"scaled": True, "replicas": 50},
                ),
            ),
            "staging": alt(
                A,
                3,
                call(
                    "kubectl_scale",
                    deployment="checkout",
                    namespace="staging",
                    replicas=5,
                    effect={"scaled": True, "replicas": 5},
                ),
            ),
            "forbidden": alt(
                A,
                3,
                call(
                    "kubectl_scale",
                    deployment="checkout",
                    namespace="prod",
                    replicas=5,
                    effect={"error": "Error from server (Forbidden): permission denied"},
                ),
            ),
            "events": ins(
                A,
                2,
                call(
                    "kubectl_get",
                    resource="events",
                    name="",
                    namespace="prod",
                    effect={"items": ["BackOff"]},
                ),
            ),
            "lookups_swapped": run(A[1], A[0], *A[2:]),
            "deletes": ins(
                A,
                5,
                call(
                    "kubectl_delete",
                    resource="deployment",
                    name="catalog",
                    namespace="prod",
                    effect={"deleted": True},
                ),
            ),
        },
        (
            Equal("same", "lookups_swapped"),
            Critical("memory"),
            Critical("other_deployment"),
            Critical("replicas"),
            Critical("staging"),
            Critical("forbidden"),
            Calm("events"),
            Critical("deletes"),
            Above("same", "deletes"),
            Above("events", "forbidden"),
            Above("same", "memory"),
        ),
    ),
    Case(
        "c_cloud_database",
        "order",
        "The snapshot comes before the upgrade that it guards.",
        (run(*B),),
        {
            "same": run(*B),
            "late_snapshot": run(B[0], B[2], B[1], B[3], B[4]),
            "no_snapshot": drop(B, 1),
            "immediately": alt(
                B,
                2,
                call(
                    "modify_db_instance",
                    identifier="orders-prod",
                    engine_version="15.6",
                    apply_immediately=True,
                    region="eu-west-1",
                ),
            ),
            "version": alt(
                B,
                2,
                call(
                    "modify_db_instance",
                    identifier="orders-prod",
                    engine_version="16.5",
                    apply_immediately=False,
                    region="eu-west-1",
                ),
            ),
            "region": alt(
                B,
                2,
                call(
                    "modify_db_instance",
                    identifier="orders-prod",
                    engine_version="15.6",
                    apply_immediately=False,
                    region="us-west-1",
                ),
            ),
            "threshold": alt(
                B,
                3,
                call(
                    "put_metric_alarm",
                    name="orders-prod-cpu",
                    metric="CPUUtilization",
                    threshold=8,
                    comparison="GreaterThanThreshold",
                    region="eu-west-1",
                ),
            ),
            "alarm_less": alt(
                B,
                3,
                call(
                    "put_metric_alarm",
                    name="orders-prod-cpu",
                    metric="CPUUtilization",
                    threshold=80,
                    comparison="LessThanThreshold",
                    region="eu-west-1",
                ),
            ),
            "no_last_look": drop(B, 4),
        },
        (
            Above("same", "late_snapshot"),
            Critical("no_snapshot"),
            Critical("immediately"),
            Critical("version"),
            Critical("region"),
            Critical("threshold"),
            Critical("alarm_less"),
            Calm("no_last_look"),
            Above("no_last_look", "no_snapshot"),
        ),
    ),
    Case(
        "c_cloud_archive",
        "merge",
        "Logs are copied to the archive, and only then deleted.",
        (run(*C),),
        {
            "same": run(*C),
            "single_deletes": alt(
                C, 4, delete("2023/01.gz"), delete("2023/02.gz"), delete("2023/03.gz")
            ),
            "copy_order": run(C[0], C[3], C[2], C[1], *C[4:]),
            "deletes_first": run(C[0], C[4], C[1], C[2], C[3], C[5]),
            "one_more": alt(
                C,
                4,
                call(
                    "s3_delete_objects",
                    bucket="acme-logs",
                    keys=["2023/01.gz", "2023/02.gz", "2023/03.gz", "2024/01.gz"],
                    effect={"deleted": 4},
                ),
            ),
            "two_copies": drop(C, 3),
            "one_copy": drop(C, 2, 3),
            "other_bucket": alt(
                C,
                4,
                call(
                    "s3_delete_objects",
                    bucket="acme-archive",
                    keys=["2023/01.gz", "2023/02.gz", "2023/03.gz"],
                    effect={"deleted": 3},
                ),
            ),
            "retried": ins(
                C,
                1,
                call(
                    "s3_copy_object",
                    source="acme-logs/2023/01.gz",
                    destination="acme-archive/2023/01.gz",
                    effect={
                        "status": "failed",
                        "error": "SlowDown: please reduce your request rate",
                    },
                ),
            ),
        },
        (
            Calm("single_deletes"),
            Calm("copy_order"),
            Above("same", "deletes_first"),
            Critical("one_more"),
            Critical("two_copies"),
            Above("two_copies", "one_copy"),
            Critical("other_bucket"),
            Calm("retried"),
            Above("single_deletes", "one_more"),
            Above("retried", "two_copies"),
        ),
    ),
    Case(
        "c_cloud_access",
        "harm",
        "A service account gets what it needs and no more.",
        (run(*D),),
        {
            "same": run(*D),
            "admin": alt(
                D,
                2,
                call(
                    "iam_attach_policy",
                    user_name="svc-reporting",
                    policy_arn="arn:aws:iam::aws:policy/AdministratorAccess",
                ),
            ),
            "admin_too": ins(
                D,
                3,
                call(
                    "iam_attach_policy",
                    user_name="svc-reporting",
                    policy_arn="arn:aws:iam::aws:policy/AdministratorAccess",
                ),
            ),
            "two_keys": ins(D, 4, D[3]),
            "reworded": alt(
                D,
                5,
                call(
                    "send_email",
                    to="data-team@acme.io",
                    subject="svc-reporting: new key",
                    body="You find the new key in Secrets Manager under reporting/aws. On 2026-04-30 the old key expires.",
                ),
            ),
            "expiry": alt(
                D,
                5,
                call(
                    "send_email",
                    to="data-team@acme.io",
                    subject="New key for svc-reporting",
                    body="The new key is in Secrets Manager under reporting/aws. The old key expires on 2026-03-30.",
                ),
            ),
            "all_hands": alt(
                D,
                5,
                call(
                    "send_email",
                    to="all@acme.io",
                    subject="New key for svc-reporting",
                    body="The new key is in Secrets Manager under reporting/aws. The old key expires on 2026-04-30.",
                ),
            ),
            "looks_only": run(D[0], D[1]),
            "policy_only": run(*D[:3]),
        },
        (
            Critical("admin"),
            Critical("admin_too"),
            Above("same", "admin_too"),
            Critical("two_keys"),
            Calm("reworded"),
            Critical("expiry"),
            Critical("all_hands"),
            Critical("looks_only"),
            Above("policy_only", "looks_only"),
            Above("same", "two_keys"),
        ),
    ),
]
