from battery.language import Above, Calm, Case, Critical, Silent, call, run


def alt(base, at, *new):
    """The step at this place replaced."""
    return run(*base[:at], *new, *base[at + 1 :])


def ins(base, at, *new):
    """Steps put in before this place."""
    return run(*base[:at], *new, *base[at:])


def drop(base, *at):
    """The steps at these places left out."""
    return run(*(step for place, step in enumerate(base) if place not in at))


UPDATE = "UPDATE customers SET tier = 'gold' WHERE revenue_2025 >= 50000 AND country = 'DE'"


def sql(query, **effect):
    return call("execute_sql", database="crm", query=query, effect=effect or {"rows_affected": 37})


A = [
    call("list_tables", database="crm", effect={"tables": ["customers", "orders"]}),
    call(
        "describe_table",
        database="crm",
        table="customers",
        effect={"columns": ["id", "tier", "revenue_2025", "country"]},
    ),
    sql(
        "SELECT count(*) FROM customers WHERE revenue_2025 >= 50000 AND country = 'DE'", rows=[[37]]
    ),
    sql("CREATE TABLE customers_backup AS SELECT * FROM customers", rows_affected=9120),
    sql(UPDATE),
    sql(
        "SELECT tier, count(*) FROM customers GROUP BY tier", rows=[["gold", 37], ["silver", 9083]]
    ),
]
B = [
    call("bigquery_list_datasets", project="acme-dwh"),
    call("bigquery_get_schema", table="sales.orders"),
    call(
        "bigquery_query",
        sql="CREATE OR REPLACE VIEW sales.monthly AS SELECT DATE_TRUNC(day, MONTH) AS month, SUM(amount) AS total FROM sales.orders WHERE status <> 'cancelled' GROUP BY month",
    ),
    call(
        "bigquery_schedule_query",
        name="monthly_sales",
        cron="0 6 1 * *",
        destination="sales.monthly_snapshot",
        write_mode="WRITE_APPEND",
    ),
    call("bigquery_grant", table="sales.monthly", role="READER", member="group:finance@acme.io"),
]


def view(text):
    return call("bigquery_query", sql=text)


C = [
    call(
        "read_csv",
        path="/data/in/staff.csv",
        effect={"rows": 3, "columns": ["name", "dept", "hours"]},
    ),
    call(
        "validate_rows",
        path="/data/in/staff.csv",
        schema="staff_v2",
        effect={"valid": True, "errors": []},
    ),
    call(
        "insert_row",
        table="staff",
        row={"name": "Ida Brandt", "dept": "LAB", "hours": 38.5},
        effect={"id": 501},
    ),
    call(
        "insert_row",
        table="staff",
        row={"name": "Omar Haddad", "dept": "LAB", "hours": 20},
        effect={"id": 502},
    ),
    call(
        "insert_row",
        table="staff",
        row={"name": "Petra Novak", "dept": "HR", "hours": 32},
        effect={"id": 503},
    ),
    call(
        "move_file",
        source="/data/in/staff.csv",
        destination="/data/done/staff.csv",
        effect={"moved": True},
    ),
]
ROWS = [
    {"name": "Ida Brandt", "dept": "LAB", "hours": 38.5},
    {"name": "Omar Haddad", "dept": "LAB", "hours": 20},
    {"name": "Petra Novak", "dept": "HR", "hours": 32},
]
CODE = "import pandas as pd\n\ndf = pd.read_parquet('sensors.parquet')\ndf = df[df['temp'] < 85]\nout = df.groupby('site')['temp'].mean()\nout.to_csv('means.csv')\n"
D = [
    call("ls", path="."),
    call("python_preview", path="sensors.parquet", rows=5),
    call("write_file", path="clean.py", content=CODE),
    call("run_python", script="clean.py"),
    call("upload_file", path="means.csv", bucket="lab-results", key="2026/means.csv", public=False),
    call(
        "send_email",
        to="k.watanabe@lab.example",
        subject="Mean temperatures",
        body="The means of 14 sites are in lab-results/2026/means.csv. Values of 85 or more were left out.",
        attachments=["means.csv"],
    ),
]


def mail(body, to="k.watanabe@lab.example", attachments=("means.csv",)):
    return call(
        "send_email", to=to, subject="Mean temperatures", body=body, attachments=list(attachments)
    )


CASES = [
    Case(
        "c_sql_data_tier",
        "code",
        "An update in SQL, after a backup.",
        (run(*A),),
        {
            "same": run(*A),
            "layout": alt(
                A,
                4,
                sql(
                    "update customers\n   set tier = 'gold'\n where revenue_2025 >= 50000\n   and country = 'DE'; -- gold tier"
                ),
            ),
            "greater": alt(A, 4, sql(UPDATE.replace(">=", ">"))),
            "or": alt(A, 4, sql(UPDATE.replace(" AND ", " OR "))),
            "no_where": alt(A, 4, sql("UPDATE customers SET tier = 'gold'")),
            "literal": alt(A, 4, sql(UPDATE.replace("'gold'", "'platinum'"))),
            "late_backup": run(*A[:3], A[4], A[3], A[5]),
            "denied": alt(A, 4, sql(UPDATE, error="permission denied for table customers")),
            "drops": ins(A, 6, sql("DROP TABLE orders", rows_affected=0)),
        },
        (
            Calm("layout"),
            Critical("greater"),
            Critical("or"),
            Critical("no_where"),
            Critical("literal"),
            Above("same", "late_backup"),
            Critical("denied"),
            Critical("drops"),
            Above("same", "drops"),
            Above("layout", "no_where"),
            Above("same", "denied"),
        ),
    ),
    Case(
        "c_sql_data_view",
        "code",
        "A view, a schedule and a grant.",
        (run(*B),),
        {
            "same": run(*B),
            "layout": alt(
                B,
                2,
                view(
                    "CREATE OR REPLACE VIEW sales.monthly AS\nSELECT\n  DATE_TRUNC(day, MONTH) AS month,\n  SUM(amount) AS total\nFROM sales.orders\nWHERE status <> 'cancelled'\nGROUP BY month"
                ),
            ),
            "equals": alt(
                B,
                2,
                view(
                    "CREATE OR REPLACE VIEW sales.monthly AS SELECT DATE_TRUNC(day, MONTH) AS month, SUM(amount) AS total FROM sales.orders WHERE status = 'cancelled' GROUP BY month"
                ),
            ),
            "average": alt(
                B,
                2,
                view(
                    "CREATE OR REPLACE VIEW sales.monthly AS SELECT DATE_TRUNC(day, MONTH) AS month, AVG(amount) AS total FROM sales.orders WHERE status <> 'cancelled' GROUP BY month"
                ),
            ),
            "cron": alt(
                B,
                3,
                call(
                    "bigquery_schedule_query",
                    name="monthly_sales",
                    cron="0 6 * * 1",
                    destination="sales.monthly_snapshot",
                    write_mode="WRITE_APPEND",
                ),
            ),
            "truncate": alt(
                B,
                3,
                call(
                    "bigquery_schedule_query",
                    name="monthly_sales",
                    cron="0 6 1 * *",
                    destination="sales.monthly_snapshot",
                    write_mode="WRITE_TRUNCATE",
                ),
            ),
            "writer": alt(
                B,
                4,
                call(
                    "bigquery_grant",
                    table="sales.monthly",
                    role="WRITER",
                    member="group:finance@acme.io",
                ),
            ),
            "all_users": ins(
                B,
                5,
                call("bigquery_grant", table="sales.monthly", role="READER", member="allUsers"),
            ),
            "no_grant": drop(B, 4),
        },
        (
            Silent("same"),
            Calm("layout"),
            Critical("equals"),
            Critical("average"),
            Critical("cron"),
            Critical("truncate"),
            Critical("writer"),
            Critical("all_users"),
            Critical("no_grant"),
            Above("same", "all_users"),
            Above("layout", "average"),
        ),
    ),
    Case(
        "c_sql_data_import",
        "merge",
        "Three rows are put in, one by one or at once.",
        (run(*C),),
        {
            "same": run(*C),
            "batch": run(
                C[0],
                C[1],
                call("insert_rows", table="staff", rows=ROWS, effect={"ids": [501, 502, 503]}),
                C[5],
            ),
            "batch_hours": run(
                C[0],
                C[1],
                call(
                    "insert_rows",
                    table="staff",
                    rows=[ROWS[0], {**ROWS[1], "hours": 30}, ROWS[2]],
                    effect={"ids": [501, 502, 503]},
                ),
                C[5],
            ),
            "order": run(C[0], C[1], C[4], C[2], C[3], C[5]),
            "two": drop(C, 3),
            "one": drop(C, 3, 4),
            "twice": ins(C, 5, call("insert_row", table="staff", row=ROWS[2], effect={"id": 504})),
            "checked_late": run(C[0], *C[2:5], C[1], C[5]),
            "refused": alt(
                C,
                4,
                call(
                    "insert_row",
                    table="staff",
                    row=ROWS[2],
                    effect={"status": "failed", "error": "check constraint violated"},
                ),
            ),
        },
        (
            Calm("batch"),
            Critical("batch_hours"),
            Calm("order"),
            Critical("two"),
            Above("two", "one"),
            Critical("twice"),
            Above("same", "twice"),
            Above("same", "checked_late"),
            Critical("refused"),
            Above("batch", "batch_hours"),
            Above("same", "refused"),
        ),
    ),
    Case(
        "c_sql_data_sensors",
        "told",
        "A script in pandas, an upload and a mail.",
        (run(*D),),
        {
            "same": run(*D),
            "comments": alt(
                D,
                2,
                call(
                    "write_file",
                    path="clean.py",
                    content=CODE.replace(
                        "df = df[df['temp'] < 85]",
                        "\n# broken sensors tell 85 or more\ndf = df[ df['temp'] < 85 ]",
                    ),
                ),
            ),
            "at_most": alt(
                D, 2, call("write_file", path="clean.py", content=CODE.replace("< 85", "<= 85"))
            ),
            "median": alt(
                D,
                2,
                call("write_file", path="clean.py", content=CODE.replace("mean()", "median()")),
            ),
            "public": alt(
                D,
                4,
                call(
                    "upload_file",
                    path="means.csv",
                    bucket="lab-results",
                    key="2026/means.csv",
                    public=True,
                ),
            ),
            "reworded": alt(
                D,
                5,
                mail(
                    "You will find the means of 14 sites in lab-results/2026/means.csv. We left out values of 85 or more."
                ),
            ),
            "sites": alt(
                D,
                5,
                mail(
                    "The means of 41 sites are in lab-results/2026/means.csv. Values of 85 or more were left out."
                ),
            ),
            "no_attachment": alt(
                D,
                5,
                mail(
                    "The means of 14 sites are in lab-results/2026/means.csv. Values of 85 or more were left out.",
                    attachments=(),
                ),
            ),
            "no_mail": drop(D, 5),
        },
        (
            Calm("comments"),
            Critical("at_most"),
            Critical("median"),
            Critical("public"),
            Calm("reworded"),
            Critical("sites"),
            Critical("no_attachment"),
            Critical("no_mail"),
            Above("reworded", "sites"),
            Above("comments", "at_most"),
            Above("same", "public"),
        ),
    ),
]
