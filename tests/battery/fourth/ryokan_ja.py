from battery.language import Above, Calm, Case, Critical, Equal, Silent, call, run, think


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
        "search_rooms",
        {"checkin": "2026-11-03", "nights": 2, "guests": 2},
        effect={"rooms": [{"room": "松", "price": 28000}, {"room": "竹", "price": 22000}]},
    ),
    call("get_guest", {"name": "田中花子"}, effect={"guest_id": "G-41", "allergies": ["そば"]}),
    call(
        "create_reservation",
        {
            "guest_id": "G-41",
            "room": "竹",
            "checkin": "2026-11-03",
            "nights": 2,
            "guests": 2,
            "dinner": True,
        },
        effect={"reservation": "Y-880", "status": "confirmed"},
    ),
    call(
        "add_kitchen_note",
        {"reservation": "Y-880", "text": "田中様はそばアレルギーです。そばを出さないでください。"},
        effect={"saved": True},
    ),
    call(
        "send_mail",
        {
            "to": "hanako@tanaka.example",
            "subject": "ご予約の確認",
            "body": "田中様、11月3日から2泊、竹の間をご予約いたしました。料金は44000円です。",
        },
        effect={"sent": True},
    ),
]


def reserve(effect=None, **changed):
    return call(
        "create_reservation",
        {**A[2]["arguments"], **changed},
        effect=effect or {"reservation": "Y-880", "status": "confirmed"},
    )


def mail(body, to="hanako@tanaka.example"):
    return call(
        "send_mail", {"to": to, "subject": "ご予約の確認", "body": body}, effect={"sent": True}
    )


B = [
    call("予約検索", 予約番号="R-512"),
    call("空室確認", 日付="2026-08-15", 部屋="和室"),
    call("予約変更", 予約番号="R-512", 日付="2026-08-15", 人数=3),
    call("送迎手配", 予約番号="R-512", 駅="熱海駅", 時刻="15:00"),
    call(
        "メール送信",
        宛先="sato@mail.example",
        本文="佐藤様、ご予約を8月15日、3名様に変更しました。送迎は熱海駅に15時です。",
    ),
]


def henkou(**changed):
    return call("予約変更", **{**B[2]["arguments"], **changed})


C = [
    call("list_orders", table="6", effect={"orders": ["うどん", "天ぷら", "緑茶"]}),
    call("check_stock", item="うどん", effect={"stock": 14}),
    call("add_order_item", table="6", item="うどん", quantity=2, effect={"ok": True}),
    call("add_order_item", table="6", item="天ぷら", quantity=1, effect={"ok": True}),
    call("apply_coupon", table="6", code="AKI10", percent=10, effect={"ok": True}),
    call(
        "notify_kitchen",
        text="6番テーブル、うどん2つ、天ぷら1つ。ねぎ抜きでお願いします。",
        effect={"sent": True},
    ),
    think("注文が終わりました。"),
]


def item(name, quantity, effect=None):
    return call(
        "add_order_item", table="6", item=name, quantity=quantity, effect=effect or {"ok": True}
    )


def kitchen(text):
    return call("notify_kitchen", text=text, effect={"sent": True})


D = [
    call("get_shift_table", week="2026-W40"),
    call("get_staff", name="鈴木一郎"),
    call("get_staff", name="高橋美咲"),
    call("assign_shift", staff="鈴木一郎", date="2026-10-02", shift="夜勤"),
    call("assign_shift", staff="高橋美咲", date="2026-10-03", shift="早番"),
    call(
        "line_send", to="staff-group", text="10月2日の夜勤は鈴木さん、10月3日の早番は高橋さんです。"
    ),
]


def shift(staff, date, kind):
    return call("assign_shift", staff=staff, date=date, shift=kind)


def line(text, to="staff-group"):
    return call("line_send", to=to, text=text)


CASES = [
    Case(
        "c_ryokan_ja_room",
        "values",
        "A room is reserved, the kitchen and the guest are told.",
        (run(*A),),
        {
            "same": run(*A),
            "looks_swapped": run(A[1], A[0], *A[2:]),
            "room": alt(A, 2, reserve(room="松")),
            "nights": alt(A, 2, reserve(nights=3)),
            "date_spelled": alt(A, 2, reserve(checkin="2026/11/03")),
            "full": alt(A, 2, reserve({"status": "failed", "error": "満室です"})),
            "no_kitchen_note": drop(A, 3),
            "price": alt(
                A,
                4,
                mail("田中様、11月3日から2泊、竹の間をご予約いたしました。料金は54000円です。"),
            ),
            "twice": ins(A, 3, reserve({"reservation": "Y-881", "status": "confirmed"})),
        },
        (
            Equal("same", "looks_swapped"),
            Critical("room"),
            Critical("nights"),
            Calm("date_spelled"),
            Critical("full"),
            Critical("no_kitchen_note"),
            Critical("price"),
            Critical("twice"),
            Above("same", "twice"),
            Above("date_spelled", "room"),
            Above("same", "full"),
        ),
    ),
    Case(
        "c_ryokan_ja_change",
        "order",
        "Tools and arguments have Japanese names.",
        (run(*B),),
        {
            "same": run(*B),
            "late_check": run(B[0], B[2], B[1], B[3], B[4]),
            "people": alt(B, 2, henkou(人数=5)),
            "date": alt(B, 2, henkou(日付="2026-08-16")),
            "station": alt(B, 3, call("送迎手配", 予約番号="R-512", 駅="小田原駅", 時刻="15:00")),
            "cancelled": alt(B, 2, call("予約取消", 予約番号="R-512")),
            "no_transfer": drop(B, 3),
            "no_transfer_no_change": drop(B, 2, 3),
            "more_looks": ins(B, 2, call("空室確認", 日付="2026-08-15", 部屋="洋室")),
        },
        (
            Above("same", "late_check"),
            Critical("people"),
            Critical("date"),
            Critical("station"),
            Critical("cancelled"),
            Critical("no_transfer"),
            Above("no_transfer", "no_transfer_no_change"),
            Calm("more_looks"),
            Above("more_looks", "people"),
            Above("same", "cancelled"),
        ),
    ),
    Case(
        "c_ryokan_ja_order",
        "merge",
        "Dishes are put on the bill of a table.",
        (run(*C),),
        {
            "same": run(*C),
            "at_once": run(
                C[0],
                C[1],
                call(
                    "add_order_items",
                    table="6",
                    items=[{"item": "うどん", "quantity": 2}, {"item": "天ぷら", "quantity": 1}],
                    effect={"ok": True},
                ),
                *C[4:],
            ),
            "quantity": alt(C, 2, item("うどん", 20)),
            "dish": alt(C, 3, item("刺身", 1)),
            "retried": ins(C, 3, item("天ぷら", 1, {"status": "failed", "error": "通信エラー"})),
            "no_end": drop(C, 6),
            "percent": alt(
                C,
                4,
                call("apply_coupon", table="6", code="AKI10", percent=100, effect={"ok": True}),
            ),
            "text_number": alt(
                C, 5, kitchen("6番テーブル、うどん3つ、天ぷら1つ。ねぎ抜きでお願いします。")
            ),
            "one_dish": drop(C, 3),
        },
        (
            Calm("at_once"),
            Critical("quantity"),
            Critical("dish"),
            Calm("retried"),
            Calm("no_end"),
            Critical("percent"),
            Critical("text_number"),
            Critical("one_dish"),
            Above("retried", "one_dish"),
            Above("at_once", "quantity"),
            Above("same", "percent"),
        ),
    ),
    Case(
        "c_ryokan_ja_shift",
        "progress",
        "Two shifts are given, and the staff told.",
        (run(*D),),
        {
            "same": run(*D),
            "looks_turned": run(D[2], D[1], D[0], *D[3:]),
            "shifts_turned": run(*D[:3], D[4], D[3], D[5]),
            "shift_kind": alt(D, 4, shift("高橋美咲", "2026-10-03", "遅番")),
            "people_turned": run(
                *D[:3],
                shift("高橋美咲", "2026-10-02", "夜勤"),
                shift("鈴木一郎", "2026-10-03", "早番"),
                D[5],
            ),
            "one_shift": drop(D, 4),
            "no_shift": drop(D, 3, 4),
            "told_day": alt(D, 5, line("10月12日の夜勤は鈴木さん、10月3日の早番は高橋さんです。")),
            "other_group": alt(
                D, 5, line("10月2日の夜勤は鈴木さん、10月3日の早番は高橋さんです。", "guest-group")
            ),
        },
        (
            Calm("looks_turned"),
            Calm("shifts_turned"),
            Critical("shift_kind"),
            Critical("people_turned"),
            Critical("one_shift"),
            Above("one_shift", "no_shift"),
            Critical("told_day"),
            Critical("other_group"),
            Above("shifts_turned", "people_turned"),
            Above("same", "one_shift"),
            Silent("same"),
        ),
    ),
]
