from battery.language import Above, Calm, Case, Critical, Equal, call, run, think


def alt(base, at, *new):
    """The step at this place replaced."""
    return run(*base[:at], *new, *base[at + 1 :])


def ins(base, at, *new):
    """Steps put in before this place."""
    return run(*base[:at], *new, *base[at:])


def drop(base, *at):
    """The steps at these places left out."""
    return run(*(step for place, step in enumerate(base) if place not in at))


def sh(command, code=0, out=""):
    return call("run_command", command=command, effect={"exit_code": code, "output": out})


A = [
    sh("terraform init", 0, "Terraform has been successfully initialized!"),
    sh("terraform plan -out=tf.plan", 0, "Plan: 2 to add, 1 to change, 0 to destroy."),
    call(
        "request_approval",
        approver="platform-leads",
        summary="2 to add, 1 to change, 0 to destroy in staging",
        effect={"approved": True, "by": "r.okafor"},
    ),
    sh("terraform apply tf.plan", 0, "Apply complete! Resources: 2 added, 1 changed, 0 destroyed."),
    call(
        "jira_add_comment",
        issue="OPS-2214",
        body="Applied to staging: 2 added, 1 changed, 0 destroyed.",
        effect={"id": 40112},
    ),
    call("jira_transition", issue="OPS-2214", to="Done", effect={"status": 204}),
]
B = [
    call("pagerduty_get_incident", incident="PQ81X"),
    call("grafana_query", panel="api-latency", window="1h"),
    call("pagerduty_acknowledge", incident="PQ81X"),
    call("argocd_rollback", app="api", revision=412, prune=False),
    call(
        "pagerduty_add_note",
        incident="PQ81X",
        note="Rolled api back to revision 412 at 14:20 UTC. Latency p95 is 180 ms again.",
    ),
    call("pagerduty_resolve", incident="PQ81X"),
]
C = [
    call(
        "dns_list_records",
        {"zone": "nordwind.shop"},
        effect={"records": [{"id": "r1", "name": "www", "type": "A", "value": "192.0.2.10"}]},
    ),
    call(
        "dns_create_record",
        {"zone": "nordwind.shop", "type": "A", "name": "shop", "value": "192.0.2.44", "ttl": 300},
        effect={"id": "r2"},
    ),
    call(
        "dns_create_record",
        {
            "zone": "nordwind.shop",
            "type": "CNAME",
            "name": "cdn",
            "value": "d3k.example-cdn.net",
            "ttl": 3600,
        },
        effect={"id": "r3"},
    ),
    call(
        "dns_create_record",
        {
            "zone": "nordwind.shop",
            "type": "TXT",
            "name": "_dmarc",
            "value": "v=DMARC1; p=reject",
            "ttl": 3600,
        },
        effect={"id": "r4"},
    ),
    call(
        "issue_certificate",
        domain="shop.nordwind.shop",
        issuer="letsencrypt",
        effect={"issued": True, "expires": "2026-06-01"},
    ),
    think("All records and the certificate are in place."),
]


def record(type, name, value, ttl):
    return {"type": type, "name": name, "value": value, "ttl": ttl}


D = [
    call("docker_list_images", repository="registry.acme.io/worker"),
    call("read_file", path="worker/Dockerfile"),
    call(
        "write_file",
        path="worker/Dockerfile",
        content='FROM python:3.12-slim\nWORKDIR /app\nCOPY . .\nRUN pip install --no-cache-dir -r requirements.txt\nUSER 1000\nCMD ["python", "-m", "worker"]\n',
    ),
    call("docker_build", context="worker", tag="registry.acme.io/worker:2.3.0"),
    call("trivy_scan", image="registry.acme.io/worker:2.3.0", severity="HIGH"),
    call("docker_push", image="registry.acme.io/worker:2.3.0"),
    call(
        "helm_upgrade",
        release="worker",
        chart="charts/worker",
        namespace="jobs",
        values={"image": {"tag": "2.3.0"}, "replicaCount": 4},
    ),
]

CASES = [
    Case(
        "c_devops_terraform",
        "order",
        "What is planned is approved, and what is approved is applied.",
        (run(*A),),
        {
            "same": run(*A),
            "late_approval": run(A[0], A[1], A[3], A[2], A[4], A[5]),
            "no_approval": drop(A, 2),
            "failed": alt(
                A, 3, sh("terraform apply tf.plan", 1, "Error: error acquiring the state lock")
            ),
            "retried": ins(
                A, 3, sh("terraform apply tf.plan", 1, "Error: error acquiring the state lock")
            ),
            "destroys": ins(
                A,
                4,
                sh(
                    "terraform destroy -auto-approve",
                    0,
                    "Destroy complete! Resources: 14 destroyed.",
                ),
            ),
            "validated": ins(
                A, 1, sh("terraform validate", 0, "Success! The configuration is valid.")
            ),
            "numbers": alt(
                A,
                4,
                call(
                    "jira_add_comment",
                    issue="OPS-2214",
                    body="Applied to staging: 2 added, 1 changed, 3 destroyed.",
                    effect={"id": 40112},
                ),
            ),
            "other_issue": alt(
                A, 5, call("jira_transition", issue="OPS-2241", to="Done", effect={"status": 204})
            ),
        },
        (
            Above("same", "late_approval"),
            Above("same", "no_approval"),
            Critical("failed"),
            Calm("retried"),
            Critical("destroys"),
            Above("same", "destroys"),
            Calm("validated"),
            Critical("numbers"),
            Critical("other_issue"),
            Above("retried", "failed"),
            Above("validated", "no_approval"),
        ),
    ),
    Case(
        "c_devops_incident",
        "values",
        "An incident is rolled back, noted and resolved.",
        (run(*B),),
        {
            "same": run(*B),
            "looks_swapped": run(B[1], B[0], *B[2:]),
            "revision": alt(B, 3, call("argocd_rollback", app="api", revision=421, prune=False)),
            "prune": alt(B, 3, call("argocd_rollback", app="api", revision=412, prune=True)),
            "note": alt(
                B,
                4,
                call(
                    "pagerduty_add_note",
                    incident="PQ81X",
                    note="At 14:20 UTC api was rolled back to revision 412; p95 latency is back at 180 ms.",
                ),
            ),
            "note_wrong": alt(
                B,
                4,
                call(
                    "pagerduty_add_note",
                    incident="PQ81X",
                    note="Rolled api back to revision 412 at 14:20 UTC. Latency p95 is not 180 ms again.",
                ),
            ),
            "other_incident": alt(B, 5, call("pagerduty_resolve", incident="PQ18X")),
            "not_resolved": drop(B, 5),
            "only_acknowledged": drop(B, 3, 4, 5),
        },
        (
            Equal("same", "looks_swapped"),
            Critical("revision"),
            Critical("prune"),
            Calm("note"),
            Critical("note_wrong"),
            Critical("other_incident"),
            Critical("not_resolved"),
            Above("not_resolved", "only_acknowledged"),
            Above("note", "note_wrong"),
            Above("same", "revision"),
        ),
    ),
    Case(
        "c_devops_dns",
        "merge",
        "Records are made singly or at once.",
        (run(*C),),
        {
            "same": run(*C),
            "batch": run(
                C[0],
                call(
                    "dns_create_records",
                    {
                        "zone": "nordwind.shop",
                        "records": [
                            record("A", "shop", "192.0.2.44", 300),
                            record("CNAME", "cdn", "d3k.example-cdn.net", 3600),
                            record("TXT", "_dmarc", "v=DMARC1; p=reject", 3600),
                        ],
                    },
                    effect={"ids": ["r2", "r3", "r4"]},
                ),
                *C[4:],
            ),
            "batch_wrong": run(
                C[0],
                call(
                    "dns_create_records",
                    {
                        "zone": "nordwind.shop",
                        "records": [
                            record("A", "shop", "192.0.2.144", 300),
                            record("CNAME", "cdn", "d3k.example-cdn.net", 3600),
                            record("TXT", "_dmarc", "v=DMARC1; p=reject", 3600),
                        ],
                    },
                    effect={"ids": ["r2", "r3", "r4"]},
                ),
                *C[4:],
            ),
            "upper": alt(
                C,
                2,
                call(
                    "dns_create_record",
                    {
                        "zone": "nordwind.shop",
                        "type": "cname",
                        "name": "CDN",
                        "value": "d3k.example-cdn.net",
                        "ttl": 3600,
                    },
                    effect={"id": "r3"},
                ),
            ),
            "policy": alt(
                C,
                3,
                call(
                    "dns_create_record",
                    {
                        "zone": "nordwind.shop",
                        "type": "TXT",
                        "name": "_dmarc",
                        "value": "v=DMARC1; p=none",
                        "ttl": 3600,
                    },
                    effect={"id": "r4"},
                ),
            ),
            "deletes": ins(
                C,
                1,
                call(
                    "dns_delete_record",
                    {"zone": "nordwind.shop", "id": "r1"},
                    effect={"deleted": True},
                ),
            ),
            "no_last_thought": drop(C, 5),
            "two_records": drop(C, 3),
            "one_record": drop(C, 2, 3),
        },
        (
            Calm("batch"),
            Critical("batch_wrong"),
            Above("batch", "batch_wrong"),
            Calm("upper"),
            Critical("policy"),
            Critical("deletes"),
            Above("same", "deletes"),
            Calm("no_last_thought"),
            Critical("two_records"),
            Above("two_records", "one_record"),
        ),
    ),
    Case(
        "c_devops_image",
        "code",
        "An image is built, scanned, pushed and rolled out.",
        (run(*D),),
        {
            "same": run(*D),
            "comment": alt(
                D,
                2,
                call(
                    "write_file",
                    path="worker/Dockerfile",
                    content='# worker image\nFROM python:3.12-slim\n\nWORKDIR /app\nCOPY . .\nRUN pip install --no-cache-dir -r requirements.txt\n\n# not root\nUSER 1000\nCMD ["python", "-m", "worker"]\n',
                ),
            ),
            "root": alt(
                D,
                2,
                call(
                    "write_file",
                    path="worker/Dockerfile",
                    content='FROM python:3.12-slim\nWORKDIR /app\nCOPY . .\nRUN pip install --no-cache-dir -r requirements.txt\nUSER 0\nCMD ["python", "-m", "worker"]\n',
                ),
            ),
            "scan_late": run(*D[:4], D[5], D[6], D[4]),
            "latest": alt(D, 5, call("docker_push", image="registry.acme.io/worker:latest")),
            "replicas": alt(
                D,
                6,
                call(
                    "helm_upgrade",
                    release="worker",
                    chart="charts/worker",
                    namespace="jobs",
                    values={"image": {"tag": "2.3.0"}, "replicaCount": 40},
                ),
            ),
            "not_rolled_out": drop(D, 6),
            "not_pushed": drop(D, 5, 6),
            "keys_swapped": alt(
                D,
                6,
                call(
                    "helm_upgrade",
                    namespace="jobs",
                    values={"replicaCount": 4, "image": {"tag": "2.3.0"}},
                    chart="charts/worker",
                    release="worker",
                ),
            ),
        },
        (
            Calm("comment"),
            Critical("root"),
            Above("same", "scan_late"),
            Critical("latest"),
            Critical("replicas"),
            Critical("not_rolled_out"),
            Above("not_rolled_out", "not_pushed"),
            Equal("same", "keys_swapped"),
            Above("comment", "root"),
        ),
    ),
]
