"""Agents that look things up: search, documents, tables, memory, answers with sources."""

from battery.language import Above, Case, Equal, Finds, Silent, call, run, think


def search(query: str, *hits: str) -> dict:
    return call("search_documents", query=query, top_k=5, effect=list(hits) or None)


def fetch(document: str, text: str | None = None) -> dict:
    return call("get_document", document_id=document, effect=text)


def sql(query: str, rows: object = None) -> dict:
    return call("query_database", sql=query, effect=rows)


def answer(text: str, *sources: str) -> dict:
    return call("submit_answer", answer=text, sources=list(sources))


def prefixes() -> Case:
    steps = (
        search("parental leave policy", "doc-12", "doc-88"),
        fetch("doc-12", "Parental leave: 14 weeks at full pay."),
        fetch("doc-88", "Part time in parental leave: up to 32 hours."),
        answer("14 weeks at full pay, part time up to 32 hours.", "doc-12", "doc-88"),
    )
    return Case(
        id="retrieval-prefixes",
        phenomenon="always",
        why="Without the answer less was done, and without the reading still less.",
        references=(run(*steps),),
        runs={
            "same": run(*steps),
            "no_answer": run(*steps[:3]),
            "one_document": run(*steps[:2]),
            "searched": run(*steps[:1]),
            "nothing": run(),
        },
        expect=(
            Silent("same"),
            Above("same", "no_answer"),
            Above("no_answer", "one_document"),
            Above("one_document", "searched"),
            Above("no_answer", "nothing"),
            Finds("no_answer", "missing", "4"),
        ),
    )


def documents_in_any_order() -> Case:
    a = fetch("policy-3", "Returns within 30 days.")
    b = fetch("policy-7", "Opened games cannot be returned.")
    c = fetch("order-551", "One game, opened.")
    good = answer("It cannot be returned.", "policy-7", "order-551")
    at_once = [{**step, "turn": 1} for step in (a, b, c)]
    return Case(
        id="retrieval-any-order",
        phenomenon="order",
        why="Documents are read in any order, and the answer comes after them.",
        references=(run(a, b, c, good),),
        runs={
            "same": run(a, b, c, good),
            "other_order": run(c, a, b, good),
            "at_once": run(*at_once, good),
            "answer_first": run(good, a, b, c),
        },
        expect=(
            Equal("same", "other_order"),
            Equal("same", "at_once"),
            Silent("other_order"),
            Above("other_order", "answer_first"),
        ),
    )


def wrong_answer() -> Case:
    find = search("revenue 2023 Nordwind AG", "ar-2023", "ar-2022")
    see = fetch("ar-2023", "Revenue 2023: 412.7 million euros (2022: 389.1).")
    other = fetch("ar-2022", "Revenue 2022: 389.1 million euros.")
    good = answer("412.7 million euros", "ar-2023")
    return Case(
        id="retrieval-wrong-answer",
        phenomenon="wrong value",
        why="Last year's number is wrong; to have read last year's report too is not.",
        references=(run(find, see, good),),
        runs={
            "same": run(find, see, good),
            "read_more": run(find, see, other, good),
            "last_year": run(find, see, answer("389.1 million euros", "ar-2023")),
            "tenfold": run(find, see, answer("4127 million euros", "ar-2023")),
        },
        expect=(
            Above("read_more", "last_year"),
            Above("read_more", "tenfold"),
            Finds("last_year", "arguments", "3"),
            Finds("tenfold", "arguments", "3"),
        ),
    )


def wrong_row_saved() -> Case:
    ask = ("Set the score of candidate C-2291 to 7.",)
    see = sql("SELECT id, name, score FROM candidates", [["C-2291", "Ito"], ["C-2219", "Ueda"]])

    def save(candidate: str, score: int) -> dict:
        return call("update_record", table="candidates", record_id=candidate, score=score)

    history = sql("SELECT * FROM interviews WHERE candidate = 'C-2291'", [["2025-02-02"]])
    return Case(
        id="retrieval-wrong-record",
        phenomenon="wrong value",
        why="Two digits exchanged in the id are another person.",
        references=(run(see, save("C-2291", 7), request=ask),),
        runs={
            "same": run(see, save("C-2291", 7), request=ask),
            "looked": run(see, history, save("C-2291", 7), request=ask),
            "hidden_changes": run(save("C-2291", 7), request=ask),
            "other_person": run(see, save("C-2219", 7), request=ask),
            "other_score": run(see, save("C-2291", 1), request=ask),
        },
        expect=(
            Above("looked", "other_person"),
            Above("looked", "other_score"),
            Above("hidden_changes", "other_person"),
            Finds("other_person", "arguments", "2"),
            Finds("other_score", "arguments", "2"),
        ),
    )


def wrong_tag_of_many(count: int) -> Case:
    def tag(number: int, label: str = "contract") -> dict:
        return call("tag_document", document_id=f"scan-{3000 + 17 * number}", label=label)

    good = [tag(number) for number in range(count)]
    where = count // 4
    wrong = [*good[:where], tag(where, "invoice"), *good[where + 1 :]]
    stranger = [*good[:where], tag(count + 200), *good[where + 1 :]]
    look = search("contracts of 2024", "scan-3000")
    return Case(
        id=f"retrieval-wrong-tag-of-{count}",
        phenomenon="length",
        why="One wrong tag among many is found, and costs more than one more search.",
        references=(run(*good),),
        runs={
            "same": run(*good),
            "searched": run(look, *good),
            "wrong_label": run(*wrong),
            "stranger": run(*stranger),
        },
        expect=(
            Above("same", "wrong_label"),
            Above("searched", "wrong_label"),
            Above("searched", "stranger"),
            Finds("wrong_label", "arguments", str(where + 1)),
            Finds("stranger", "arguments", str(where + 1)),
        ),
    )


def citation_direction() -> Case:
    def link(source: str, target: str) -> dict:
        return call("graph.add_edge", source=source, relation="cites", target=target)

    a = fetch("paper-a", "We build on B [1].")
    b = fetch("paper-b", "First results.")
    return Case(
        id="retrieval-citation-direction",
        phenomenon="direction",
        why="A cites B; B does not cite A.",
        references=(run(a, link("paper-a", "paper-b")),),
        runs={
            "same": run(a, link("paper-a", "paper-b")),
            "read_more": run(a, b, link("paper-a", "paper-b")),
            "backwards": run(a, link("paper-b", "paper-a")),
        },
        expect=(
            Above("same", "backwards"),
            Above("read_more", "backwards"),
            Finds("backwards", "arguments", "2"),
        ),
    )


def who_owes_whom() -> Case:
    find = search("loan between Keller and Moser", "act-90")
    see = fetch("act-90", "Keller lent Moser 5,000 francs.")
    good = answer("Moser owes Keller 5000 francs.", "act-90")
    bad = answer("Keller owes Moser 5000 francs.", "act-90")
    return Case(
        id="retrieval-who-owes-whom",
        phenomenon="direction",
        why="The same words name the debtor and the creditor the other way round.",
        references=(run(find, see, good),),
        runs={
            "same": run(find, see, good),
            "searched_twice": run(find, find, see, good),
            "backwards": run(find, see, bad),
        },
        expect=(
            Above("same", "backwards"),
            Above("searched_twice", "backwards"),
            Finds("backwards", "arguments", "3"),
        ),
    )


def supported_or_not() -> Case:
    claim = "Coffee raises blood pressure."

    def judge(verdict: str) -> dict:
        return call("record_verdict", claim=claim, verdict=verdict)

    find = search("coffee blood pressure", "study-4", "study-9")
    see = fetch("study-4", "A short rise was measured in 21 of 24 people.")
    more = fetch("study-9", "The rise lasts three hours.")
    return Case(
        id="retrieval-verdict",
        phenomenon="opposite",
        why="SUPPORTED and REFUTED are opposites.",
        references=(run(find, see, judge("SUPPORTED")),),
        runs={
            "same": run(find, see, judge("SUPPORTED")),
            "read_more": run(find, see, more, judge("SUPPORTED")),
            "lower_case": run(find, see, judge("supported")),
            "refuted": run(find, see, judge("REFUTED")),
        },
        expect=(
            Equal("same", "lower_case"),
            Above("read_more", "refuted"),
            Finds("refuted", "arguments", "3"),
        ),
    )


def include_or_exclude() -> Case:
    see = call("listSources", workspace="legal", effect=["wiki", "mail", "archive"])
    good = call("includeSource", workspace="legal", source="archive")
    bad = call("excludeSource", workspace="legal", source="archive")
    other = call("includeSource", workspace="legal", source="mail")
    return Case(
        id="retrieval-include-exclude",
        phenomenon="opposite",
        why="Two tools that differ in a prefix, and two sources that differ in a word.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "looked": run(see, see, good),
            "excluded": run(see, bad),
            "other": run(see, other),
        },
        expect=(
            Above("looked", "excluded"),
            Above("looked", "other"),
            Finds("excluded", "tool", "2"),
            Finds("other", "arguments", "2"),
        ),
    )


def negated_answer() -> Case:
    see = fetch("leaflet-2", "Do not take it together with ibuprofen.")
    good = answer("It must not be taken together with ibuprofen.", "leaflet-2")
    reworded = answer("Taking it together with ibuprofen is not allowed.", "leaflet-2")
    bad = answer("It must be taken together with ibuprofen.", "leaflet-2")
    return Case(
        id="retrieval-negation",
        phenomenon="opposite",
        why="One small word is the whole answer.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "looked_twice": run(see, see, good),
            "reworded": run(see, reworded),
            "negated": run(see, bad),
        },
        expect=(
            Above("same", "negated"),
            Above("looked_twice", "negated"),
            Above("reworded", "negated"),
            Finds("negated", "arguments", "2"),
        ),
    )


def wider_query() -> Case:
    count = sql("SELECT count(*) FROM mails WHERE folder = 'spam'", [[310]])
    good = sql("DELETE FROM mails WHERE folder = 'spam' AND age > 30", "DELETE 204")
    wider = sql("DELETE FROM mails WHERE folder = 'spam' OR age > 30", "DELETE 9118")
    younger = sql("DELETE FROM mails WHERE folder = 'spam' AND age < 30", "DELETE 106")
    return Case(
        id="retrieval-wider-query",
        phenomenon="opposite",
        why="OR for AND deletes almost everything.",
        references=(run(count, good),),
        runs={
            "same": run(count, good),
            "counted_twice": run(count, count, good),
            "wider": run(count, wider),
            "younger": run(count, younger),
        },
        expect=(
            Above("counted_twice", "wider"),
            Above("counted_twice", "younger"),
            Finds("wider", "arguments", "2"),
            Finds("younger", "arguments", "2"),
        ),
    )


def sources() -> Case:
    find = search("opening hours of the museum", "web-1", "web-5", "web-8")
    text = "Tuesday to Sunday, 10 to 18 h"
    return Case(
        id="retrieval-sources",
        phenomenon="lists",
        why="The sources of an answer are a set; a source that was not read is another one.",
        references=(run(find, answer(text, "web-1", "web-5", "web-8")),),
        runs={
            "same": run(find, answer(text, "web-1", "web-5", "web-8")),
            "swapped": run(find, answer(text, "web-8", "web-1", "web-5")),
            "replaced": run(find, answer(text, "web-1", "web-5", "web-77")),
            "fewer": run(find, answer(text, "web-1", "web-5")),
        },
        expect=(
            Equal("same", "swapped"),
            Above("swapped", "replaced"),
            Above("swapped", "fewer"),
            Finds("replaced", "arguments", "2"),
        ),
    )


def ids_in_a_batch() -> Case:
    def add(*ids: str) -> dict:
        return call("collections.add", collection="to-read", ids=list(ids))

    find = call("library.search", query="tidal energy", effect=["b-402", "b-771", "b-118", "b-930"])
    return Case(
        id="retrieval-batch",
        phenomenon="lists",
        why="Exchanged ids are the same books, a replaced one is another book.",
        references=(run(find, add("b-402", "b-771", "b-118")),),
        runs={
            "same": run(find, add("b-402", "b-771", "b-118")),
            "swapped": run(find, add("b-402", "b-118", "b-771")),
            "replaced": run(find, add("b-402", "b-771", "b-930")),
            "none": run(find),
        },
        expect=(
            Above("swapped", "replaced"),
            Above("swapped", "none"),
            Finds("replaced", "arguments", "2"),
        ),
    )


def sql_layout() -> Case:
    good = sql("SELECT name, total FROM orders WHERE total > 100 ORDER BY total", [["Ada", 120]])
    layout = sql(
        "SELECT name, total\n  FROM orders\n  WHERE total > 100\n  ORDER BY total", [["Ada", 120]]
    )
    small = sql("select name, total from orders where total > 100 order by total", [["Ada", 120]])
    other = sql("SELECT name, total FROM orders WHERE total < 100 ORDER BY total", [["Bo", 12]])
    export = call("export_csv", file="big_orders.csv", rows=1)
    return Case(
        id="retrieval-sql-layout",
        phenomenon="representation",
        why="Line breaks and the case of key words are layout; > and < are not.",
        references=(run(good, export),),
        runs={
            "same": run(good, export),
            "layout": run(layout, export),
            "small": run(small, export),
            "other": run(other, export),
        },
        expect=(
            Equal("same", "layout"),
            Equal("same", "small"),
            Above("layout", "other"),
            Finds("other", "arguments", "1"),
        ),
    )


def spellings() -> Case:
    def steps(name: str, query: object, day: str) -> tuple[dict, ...]:
        return (
            call(name, query=query, since=day, effect=["n-1"]),
            call("save_note", title="Floods", sources=["n-1"]),
        )

    good = steps("mcp__news__search_articles", "floods in the Rhine valley", "2024-11-05")
    return Case(
        id="retrieval-spellings",
        phenomenon="representation",
        why="Prefix, style, case and how a date is written: the same search.",
        references=(run(*good),),
        runs={
            "same": run(*good),
            "plain": run(*steps("search_articles", "floods in the Rhine valley", "2024-11-05")),
            "camel": run(*steps("searchArticles", "floods in the Rhine valley", "2024-11-05")),
            "case": run(*steps("search_articles", "Floods in the Rhine Valley", "2024-11-05")),
            "date": run(*steps("search_articles", "floods in the Rhine valley", "5 November 2024")),
            "other": run(*steps("search_articles", "elections in the Rhine valley", "2021-03-09")),
        },
        expect=(
            Equal("same", "plain"),
            Equal("same", "camel"),
            Equal("same", "case"),
            Equal("same", "date"),
            Above("date", "other"),
        ),
    )


def keys_and_wrapping() -> Case:
    plain = {"collection": "faq", "text": "We deliver on Saturdays.", "chunk_size": 512}
    camel = {"collection": "faq", "text": "We deliver on Saturdays.", "chunkSize": 512}
    other = {**plain, "text": "We never deliver on Saturdays."}
    find = call("vector.query", collection="faq", text="saturday delivery", effect=[])
    return Case(
        id="retrieval-keys",
        phenomenon="representation",
        why="camelCase keys and one key around them are the same call.",
        references=(run(find, call("vector.upsert", plain)),),
        runs={
            "same": run(find, call("vector.upsert", plain)),
            "camel": run(find, call("vector.upsert", camel)),
            "wrapped": run(find, call("vector.upsert", {"request": plain})),
            "reversed": run(find, call("vector.upsert", dict(reversed(plain.items())))),
            "other": run(find, call("vector.upsert", other)),
        },
        expect=(
            Equal("same", "camel"),
            Equal("same", "wrapped"),
            Equal("same", "reversed"),
            Above("wrapped", "other"),
            Finds("other", "arguments", "2"),
        ),
    )


def session_ids() -> Case:
    def steps(drawn: str, used: str) -> tuple[dict, ...]:
        return (
            call("create_report", title="Heat pumps 2025", effect={"report_id": drawn}),
            call("search_web", query="heat pump sales 2025", effect="Sales rose by 9 %."),
            call("append_section", report_id=used, text="Sales rose by 9 %."),
            call("publish_report", report_id=used, effect="published"),
        )

    return Case(
        id="retrieval-report-ids",
        phenomenon="drawn ids",
        why="A new report has a new id; to publish somebody else's is another matter.",
        references=(run(*steps("rep_8fk2", "rep_8fk2")),),
        runs={
            "same": run(*steps("rep_8fk2", "rep_8fk2")),
            "fresh": run(*steps("rep_q07z", "rep_q07z")),
            "stranger": run(*steps("rep_q07z", "rep_a1m5")),
        },
        expect=(
            Equal("same", "fresh"),
            Silent("fresh"),
            Above("fresh", "stranger"),
        ),
    )


def cursors() -> Case:
    def steps(first: str, second: str) -> tuple[dict, ...]:
        return (
            call("list_mails", query="from:bank", effect={"count": 50, "next": first}),
            call("list_mails", cursor=first, effect={"count": 50, "next": second}),
            call("list_mails", cursor=second, effect={"count": 12, "next": None}),
            call("create_summary", mails=112),
        )

    good = steps("eyJwIjoxfQ", "eyJwIjoyfQ")
    fresh = steps("a9f8e7d6c5", "b1c2d3e4f5")
    return Case(
        id="retrieval-cursors",
        phenomenon="drawn ids",
        why="A page's cursor is drawn by the server; a page that was not read is missing.",
        references=(run(*good),),
        runs={
            "same": run(*good),
            "fresh": run(*fresh),
            "no_summary": run(*fresh[:3]),
            "one_page": run(fresh[0], fresh[3]),
        },
        expect=(
            Equal("same", "fresh"),
            Above("fresh", "no_summary"),
            Above("fresh", "one_page"),
        ),
    )


def search_that_failed() -> Case:
    failed = call(
        "web_search", query="bridge height Fehmarn", effect="429 Too Many", status="error"
    )
    good = call("web_search", query="bridge height Fehmarn", effect="23 m", status="ok")
    final = answer("23 m", "web")
    return Case(
        id="retrieval-search-failed",
        phenomenon="failed calls",
        why="A search that failed and then worked is as good as one that worked.",
        references=(run(good, final),),
        runs={
            "same": run(good, final),
            "retried": run(failed, good, final),
            "gave_up": run(failed),
            "guessed": run(failed, failed, answer("70 m", "web")),
        },
        expect=(
            Above("retried", "gave_up"),
            Above("retried", "guessed"),
            Silent("retried", "failed"),
            Finds("gave_up", "failed", "1"),
        ),
    )


def all_failed() -> Case:
    def put(n: int, status: str, effect: object) -> dict:
        return call("index_file", path=f"minutes/{n}.pdf", status=status, effect=effect)

    good = [put(n, "ok", {"chunks": 9}) for n in range(2015, 2025)]
    failed = [put(n, "error", "PermissionError: read-only index") for n in range(2015, 2025)]
    return Case(
        id="retrieval-all-failed",
        phenomenon="failed calls",
        why="Ten calls that failed have indexed nothing.",
        references=(run(*good),),
        runs={
            "same": run(*good),
            "half": run(*good[:5]),
            "half_failed": run(*good[:5], *failed[5:]),
            "last_failed": run(*good[:9], failed[9]),
            "all_failed": run(*failed),
        },
        expect=(
            Above("half", "all_failed"),
            Above("half_failed", "all_failed"),
            Above("last_failed", "half_failed"),
            Finds("last_failed", "failed", "10"),
            Finds("all_failed", "failed", "4"),
        ),
    )


def research_helper() -> Case:
    def helper(*inner: dict) -> dict:
        steps = [{**step, "id": f"part-{place}"} for place, step in enumerate(inner, 1)]
        return call("delegate", topic="nitrate limits", effect="See notes.", substeps=steps)

    find = search("nitrate limit drinking water", "who-4", "eu-9")
    law = fetch("eu-9", "50 mg per litre")
    note = call("write_note", text="The limit is 50 mg per litre.")
    wrong = call("write_note", text="The limit is 5 mg per litre.")
    final = answer("50 mg per litre", "eu-9")
    return Case(
        id="retrieval-research-helper",
        phenomenon="sub-steps",
        why="What the helper read and wrote is part of the run.",
        references=(run(helper(find, law, note), final),),
        runs={
            "same": run(helper(find, law, note), final),
            "wrong_note": run(helper(find, law, wrong), final),
            "no_note": run(helper(find, law), final),
            "elsewhere": run(helper(call("play_music", title="Blue")), final),
        },
        expect=(
            Silent("same"),
            Above("same", "wrong_note"),
            Above("same", "no_note"),
            Above("no_note", "elsewhere"),
        ),
    )


def answer_before_reading() -> Case:
    find = search("refund rules", "rules-1")
    rules = fetch("rules-1", "No refund after 14 days.")
    order = call("get_order", order_id="W-20", effect={"age_days": 20})
    tell = call("send_reply", to="kai@post.example", text="We cannot refund it after 14 days.")
    note = call("add_note", order_id="W-20", text="Refund refused.")
    return Case(
        id="retrieval-reply-before-reading",
        phenomenon="order",
        why="To reply before the rules were read is to guess.",
        references=(run(find, rules, order, tell, note),),
        runs={
            "same": run(find, rules, order, tell, note),
            "order_first": run(order, find, rules, tell, note),
            "replied_first": run(tell, find, rules, order, note),
        },
        expect=(
            Equal("same", "order_first"),
            Silent("order_first"),
            Above("order_first", "replied_first"),
        ),
    )


def corrected_twice() -> Case:
    def put(text: str) -> dict:
        return call("set_cell", sheet="Plan", cell="B4", value=text)

    see = call("read_range", sheet="Plan", range="A1:C9", effect="...")
    other = call("set_cell", sheet="Plan", cell="F9", value="checked")
    return Case(
        id="retrieval-cell-written-twice",
        phenomenon="order",
        why="The last value stays in the cell; another cell may come first.",
        references=(run(see, put("estimate"), put("final"), other),),
        runs={
            "same": run(see, put("estimate"), put("final"), other),
            "other_first": run(see, other, put("estimate"), put("final")),
            "reversed": run(see, put("final"), put("estimate"), other),
            "hidden_changes": run(put("estimate"), put("final"), other),
        },
        expect=(
            Above("other_first", "reversed"),
            Above("same", "reversed"),
            Above("same", "hidden_changes"),
        ),
    )


def everything_twice() -> Case:
    find = search("board minutes March", "min-3")
    see = fetch("min-3", "The budget was approved.")
    send = call("send_mail", to="board@verein.example", subject="Minutes", attachment="min-3")
    return Case(
        id="retrieval-everything-twice",
        phenomenon="precision and recall",
        why="A mail sent twice annoys, a document read twice does not.",
        references=(run(find, see, send),),
        runs={
            "same": run(find, see, send),
            "read_twice": run(find, see, see, send),
            "sent_twice": run(find, see, send, send),
            "all_twice": run(find, see, send, find, see, send),
            "sent_ten_times": run(find, see, *[send] * 10),
        },
        expect=(
            Above("read_twice", "sent_twice"),
            Above("same", "all_twice"),
            Above("sent_twice", "sent_ten_times"),
            Finds("sent_twice", "repeated", "4"),
        ),
    )


def translated_in_part(count: int) -> Case:
    pages = [
        call("write_translation", page=f"page-{n}", language="de", source=f"text-{100 + n}")
        for n in range(count)
    ]
    other = [call("write_translation", page=f"page-{n}", language="pl") for n in range(count)]
    junk = [call("delete_page", page=f"page-{400 + n}") for n in range(count // 2)]
    return Case(
        id=f"retrieval-translated-{count}",
        phenomenon="precision and recall",
        why="Half of the pages are half of the work, and deleted pages are none.",
        references=(run(*pages),),
        runs={
            "all": run(*pages),
            "half": run(*pages[: count // 2]),
            "one": run(*pages[:1]),
            "half_and_junk": run(*pages[: count // 2], *junk),
            "other_language": run(*other),
        },
        expect=(
            Above("all", "half"),
            Above("half", "one"),
            Above("half", "half_and_junk"),
            Above("all", "other_language"),
            Finds("half", "missing", str(count)),
        ),
    )


def german_documents() -> Case:
    find = search("Kündigungsfrist Mietvertrag", "mv-7")
    near = search("Mietvertrag Kündigungsfristen", "mv-7")
    far = search("Rezept Apfelkuchen", "mv-7")
    see = fetch("mv-7", "Die Kündigungsfrist beträgt drei Monate zum Monatsende.")
    good = answer("Drei Monate zum Monatsende", "mv-7")
    return Case(
        id="retrieval-german-documents",
        phenomenon="languages",
        why="The same German nouns in another order are the same search, a recipe is not.",
        references=(run(find, see, good),),
        runs={
            "same": run(find, see, good),
            "near": run(near, see, good),
            "far": run(far, see, good),
            "six_months": run(find, see, answer("Sechs Monate zum Monatsende", "mv-7")),
            "looked_twice": run(find, see, see, good),
        },
        expect=(
            Above("near", "far"),
            Above("looked_twice", "six_months"),
            Finds("six_months", "arguments", "3"),
        ),
    )


def german_compounds() -> Case:
    def store(title: str, text: str) -> dict:
        return call("ablegen", ordner="Verträge", titel=title, text=text)

    see = call("suchen", begriff="Haftpflichtversicherung", effect=["HV-1"])
    text = "Die Deckungssumme beträgt fünf Millionen Euro."
    less = "Die Deckungssumme beträgt drei Millionen Euro."
    good = store("Haftpflichtversicherung", text)
    return Case(
        id="retrieval-german-compounds",
        phenomenon="languages",
        why="A liability insurance is no car insurance though the words end alike.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "looked": run(see, see, good),
            "car": run(see, store("Kraftfahrzeugversicherung", text)),
            "less": run(see, store("Haftpflichtversicherung", less)),
        },
        expect=(
            Above("looked", "car"),
            Above("looked", "less"),
            Finds("car", "arguments", "2"),
            Finds("less", "arguments", "2"),
        ),
    )


def chinese_documents() -> Case:
    find = search("上海到北京的高铁票价", "文档-3")
    near = search("上海至北京高铁票价", "文档-3")
    far = search("红烧肉的做法", "文档-3")
    see = fetch("文档-3", "二等座 553 元, 一等座 930 元。")
    good = answer("二等座票价是553元。", "文档-3")
    return Case(
        id="retrieval-chinese-documents",
        phenomenon="languages",
        why="A reworded question is near, a recipe is far, another price is wrong.",
        references=(run(find, see, good),),
        runs={
            "same": run(find, see, good),
            "near": run(near, see, good),
            "far": run(far, see, good),
            "price": run(find, see, answer("二等座票价是933元。", "文档-3")),
            "looked_twice": run(find, see, see, good),
        },
        expect=(
            Above("near", "far"),
            Above("near", "price"),
            Above("looked_twice", "price"),
            Finds("price", "arguments", "3"),
        ),
    )


def one_database_tool() -> Case:
    wanted = (
        sql("SELECT table_name FROM information_schema.tables", ["orders", "customers"]),
        sql("SELECT * FROM customers LIMIT 3", [[1, "Ada"], [2, "Bo"]]),
        sql("SELECT customer_id, sum(total) FROM orders GROUP BY customer_id", [[1, 90], [2, 40]]),
        sql("INSERT INTO top_customers SELECT 1", "INSERT 1"),
    )
    near = (
        *wanted[:2],
        sql("SELECT sum(total), customer_id FROM orders GROUP BY customer_id", [[90, 1], [40, 2]]),
        wanted[3],
    )
    unrelated = (
        sql("SELECT temperature FROM sensors WHERE room = 'B2'", [[21.4]]),
        sql("SELECT avg(humidity) FROM sensors", [[0.4]]),
        sql("ALTER TABLE sensors ADD COLUMN battery float", "ALTER TABLE"),
        sql("VACUUM sensors", "VACUUM"),
    )
    return Case(
        id="retrieval-one-database-tool",
        phenomenon="one tool",
        why="All calls are queries; which ones makes the run.",
        references=(run(*wanted),),
        runs={
            "same": run(*wanted),
            "near": run(*near),
            "half": run(*wanted[:2]),
            "unrelated": run(*unrelated),
        },
        expect=(
            Above("near", "half"),
            Above("near", "unrelated"),
            Above("half", "unrelated"),
        ),
    )


def reads_and_writes() -> Case:
    find = search("membership fees", "fees-2025")
    see = fetch("fees-2025", "Adults 90, children 45.")
    first = call("update_page", page="fees", text="Adults 90 EUR, children 45 EUR")
    second = call("notify_members", subject="New fees", page="fees")
    more = fetch("fees-2024", "Adults 85, children 40.")
    harm = call("delete_page", page="statutes")
    return Case(
        id="retrieval-reads-and-writes",
        phenomenon="reads and writes",
        why="One more page read is nothing beside one page deleted or not written.",
        references=(run(find, see, first, second),),
        runs={
            "same": run(find, see, first, second),
            "extra_read": run(find, see, more, first, second),
            "extra_write": run(find, see, harm, first, second),
            "missing_read": run(find, first, second),
            "missing_write": run(find, see, second),
            "missing_both": run(find, see),
        },
        expect=(
            Above("extra_read", "missing_write"),
            Above("extra_read", "extra_write"),
            Above("missing_read", "missing_write"),
            Above("missing_write", "missing_both"),
            Finds("extra_write", "invented", "3"),
            Finds("missing_write", "missing", "3"),
        ),
    )


def harm_or_nothing() -> Case:
    see = call("memory.search", query="old addresses", effect=["m1", "m2", "m3"])
    good = call("memory.delete", memory_id="m1")
    bad = [call("memory.delete", memory_id=name) for name in ("m2", "m3", "m4", "m5")]
    return Case(
        id="retrieval-harm-or-nothing",
        phenomenon="reads and writes",
        why="A memory that was kept is better than four that are lost.",
        references=(run(see, good),),
        runs={
            "same": run(see, good),
            "nothing": run(see),
            "harm": run(see, *bad),
            "done_and_harm": run(see, good, *bad),
            "looked_more": run(see, see, see, good),
        },
        expect=(
            Above("same", "done_and_harm"),
            Above("nothing", "harm"),
            Above("looked_more", "done_and_harm"),
            Above("looked_more", "nothing"),
        ),
    )


def look_up_only(count: int) -> Case:
    reads = [
        call("get_paper", doi=f"10.1000/{300 + 7 * n}", effect={"year": 1990 + n})
        for n in range(count)
    ]
    others = [call("get_recipe", dish=f"soup {n}", effect="...") for n in range(count)]
    wrote = call("delete_library", name="papers")
    return Case(
        id=f"retrieval-look-up-{count}",
        phenomenon="only reads",
        why="Where all that counts is to read, each thing read counts.",
        references=(run(*reads),),
        runs={
            "all": run(*reads),
            "other_order": run(*reads[::-1]),
            "half": run(*reads[: count // 2]),
            "one": run(*reads[:1]),
            "others": run(*others),
            "one_more": run(*reads, others[0]),
            "deleted": run(*reads, wrote),
        },
        expect=(
            Equal("all", "other_order"),
            Above("all", "half"),
            Above("half", "one"),
            Above("half", "others"),
            Above("one_more", "half"),
            Above("one_more", "deleted"),
            Finds("half", "missing", str(count)),
        ),
    )


def ask_a_librarian() -> Case:
    find = search("patent EP 1 234 567", "ep-1")
    see = fetch("ep-1", "Filed in 1999 by Okano.")
    save = call("save_reference", document_id="ep-1", folder="patents")
    human = call("escalate_to_human_agent", reason="The user looks for a patent.")
    return Case(
        id="retrieval-ask-a-librarian",
        phenomenon="hand-over",
        why="Who hands the question over has not answered it.",
        references=(run(find, see, save),),
        runs={
            "same": run(find, see, save),
            "saved_then_asked": run(find, see, save, human),
            "asked": run(find, human),
            "asked_at_once": run(human),
            "looked_twice": run(find, see, see, save),
        },
        expect=(
            Above("same", "saved_then_asked"),
            Above("saved_then_asked", "asked"),
            Above("looked_twice", "asked"),
            Above("looked_twice", "asked_at_once"),
            Finds("asked", "missing"),
        ),
    )


def nothing_to_do() -> Case:
    ask = ("Add the entry only if it is not in the list yet.",)
    look = call("find_entry", name="Lindqvist", effect={"found": True})
    again = call("list_entries", prefix="Li", effect=["Lindqvist"])
    add = call("add_entry", name="Lindqvist", effect="added")
    clear = call("delete_all_entries", effect="deleted")
    return Case(
        id="retrieval-nothing-to-do",
        phenomenon="empty gold",
        why="The entry was there: whoever only looked did right.",
        references=(run(request=ask),),
        runs={
            "nothing": run(request=ask),
            "looked": run(look, again, request=ask),
            "added": run(look, add, request=ask),
            "cleared": run(look, add, clear, request=ask),
        },
        expect=(
            Silent("nothing"),
            Above("looked", "added"),
            Above("looked", "cleared"),
            Above("added", "cleared"),
            Finds("added", "invented", "2"),
        ),
    )


def thinking() -> Case:
    find = search("capital of Burkina Faso", "geo-4")
    good = answer("Ouagadougou", "geo-4")
    bad = answer("Bamako", "geo-4")
    thoughts = (
        think("I know this one, but I had better look it up."),
        think("The document names the city; I can answer now."),
    )
    said = (
        {**find, "action": "Let me look that up for you."},
        {**good, "action": "Here is the answer."},
    )
    return Case(
        id="retrieval-thinking",
        phenomenon="thinking",
        why="Two thoughts and some talk are cheaper than the wrong city.",
        references=(run(find, good),),
        runs={
            "same": run(find, good),
            "thought": run(thoughts[0], find, thoughts[1], good),
            "said": run(*said),
            "wrong": run(find, bad),
            "no_answer": run(find, *thoughts),
        },
        expect=(
            Above("thought", "wrong"),
            Above("said", "wrong"),
            Above("thought", "no_answer"),
            Finds("wrong", "arguments", "2"),
        ),
    )


def two_sources() -> Case:
    by_table = (
        sql("SELECT height FROM peaks WHERE name = 'Zugspitze'", [[2962]]),
        answer("2962 m", "peaks"),
    )
    by_text = (
        search("Zugspitze Höhe", "atlas-2"),
        fetch("atlas-2", "Zugspitze, 2962 m"),
        answer("2962 m", "atlas-2"),
    )
    return Case(
        id="retrieval-two-sources",
        phenomenon="several references",
        why="From the table or from the atlas: the best reference counts.",
        references=(run(*by_table), run(*by_text)),
        runs={
            "table": run(*by_table),
            "text": run(*by_text),
            "wrong": run(by_table[0], answer("2926 m", "peaks")),
            "no_answer": run(*by_text[:2]),
        },
        expect=(
            Equal("table", "text"),
            Silent("text"),
            Above("text", "wrong"),
            Above("table", "no_answer"),
        ),
    )


def searches_without_end() -> Case:
    find = search("warranty of the pump", "man-3")
    see = fetch("man-3", "Five years.")
    good = answer("Five years", "man-3")
    return Case(
        id="retrieval-endless-search",
        phenomenon="always",
        why="To search forty times without an answer is no answer.",
        references=(run(find, see, good),),
        runs={
            "same": run(find, see, good),
            "twice": run(find, find, see, good),
            "forty": run(*[find] * 40),
            "forty_then_done": run(*[find] * 40, see, good),
        },
        expect=(
            Above("twice", "forty"),
            Above("same", "forty_then_done"),
            Above("forty_then_done", "forty"),
        ),
    )


def no_effects() -> Case:
    steps = (
        call("lookup", term="osmosis"),
        call("lookup", term="diffusion"),
        call("create_card", front="Osmosis", back="Diffusion through a membrane"),
    )
    wrong = call("create_card", front="Osmosis", back="Diffusion through a window")
    return Case(
        id="retrieval-no-results",
        phenomenon="always",
        why="Where no results are recorded, the calls are still compared.",
        references=(run(*steps),),
        runs={
            "same": run(*steps),
            "swapped": run(steps[1], steps[0], steps[2]),
            "wrong": run(*steps[:2], wrong),
            "no_card": run(*steps[:2]),
        },
        expect=(
            Silent("same"),
            Equal("same", "swapped"),
            Above("same", "wrong"),
            Finds("no_card", "missing", "3"),
        ),
    )


CASES: list[Case] = [
    prefixes(),
    documents_in_any_order(),
    wrong_answer(),
    wrong_row_saved(),
    wrong_tag_of_many(5),
    wrong_tag_of_many(20),
    wrong_tag_of_many(50),
    citation_direction(),
    who_owes_whom(),
    supported_or_not(),
    include_or_exclude(),
    negated_answer(),
    wider_query(),
    sources(),
    ids_in_a_batch(),
    sql_layout(),
    spellings(),
    keys_and_wrapping(),
    session_ids(),
    cursors(),
    search_that_failed(),
    all_failed(),
    research_helper(),
    answer_before_reading(),
    corrected_twice(),
    everything_twice(),
    translated_in_part(8),
    translated_in_part(30),
    german_documents(),
    german_compounds(),
    chinese_documents(),
    one_database_tool(),
    reads_and_writes(),
    harm_or_nothing(),
    look_up_only(4),
    look_up_only(20),
    ask_a_librarian(),
    nothing_to_do(),
    thinking(),
    two_sources(),
    searches_without_end(),
    no_effects(),
]
