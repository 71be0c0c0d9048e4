"""Texts that do not contradict each other: what only one of them says, in many languages."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import otap
from otap.trajectory import parse_trajectory
from otap.values.keys import is_ordered_key, is_secret_key, is_set_key
from otap.values.languages import identify_language, read_languages
from otap.values.normalization import find_invisible, mixes_scripts
from otap.values.wording import MAX_READ, judge_wording

# Sentences of twenty languages, all of one kind of mail.
SENTENCES = {
    "en": "Your order has been shipped and arrives on Friday.",
    "de": "Ihre Bestellung wurde verschickt und kommt am Freitag an.",
    "es": "Su pedido ha sido enviado y llega el viernes.",
    "fr": "Votre commande a été expédiée et arrive vendredi.",
    "it": "Il suo ordine è stato spedito e arriva venerdì.",
    "pt": "O seu pedido foi enviado e chega na sexta-feira.",
    "nl": "Uw bestelling is verzonden en komt op vrijdag aan.",
    "sv": "Din beställning har skickats och kommer på fredag.",
    "pl": "Państwa zamówienie zostało wysłane i dotrze w piątek.",
    "tr": "Siparişiniz gönderildi ve cuma günü ulaşacak.",
    "id": "Pesanan Anda telah dikirim dan tiba pada hari Jumat.",
    "vi": "Đơn hàng của bạn đã được gửi và sẽ đến vào thứ Sáu.",
    "ru": "Ваш заказ отправлен и прибудет в пятницу.",
    "el": "Η παραγγελία σας στάλθηκε και φτάνει την Παρασκευή.",
    "ar": "تم إرسال طلبك وسيصل يوم الجمعة.",
    "hi": "आपका ऑर्डर भेज दिया गया है और शुक्रवार को पहुँचेगा।",
    "th": "คำสั่งซื้อของคุณถูกจัดส่งแล้วและจะถึงวันศุกร์",
    "ko": "주문하신 상품이 발송되어 금요일에 도착합니다.",
    "ja": "ご注文の商品は発送され、金曜日に届きます。",
    "zh": "您的订单已经发货，星期五到达。",
}
# A sentence and the same with its meaning turned round.
NEGATED = [
    ("O pedido foi enviado ontem.", "O pedido não foi enviado ontem."),
    ("De monteur komt morgen langs.", "De monteur komt morgen niet langs."),
    ("Heisen er i drift i helgen.", "Heisen er ikke i drift i helgen."),
    ("Garantin gäller för den här skadan.", "Garantin gäller inte för den här skadan."),
    ("Договор подписан вчера.", "Договор не подписан вчера."),
    ("Spotkanie w czwartek się odbędzie.", "Spotkanie w czwartek się nie odbędzie."),
    ("Zásilka dorazila v pořádku.", "Zásilka nedorazila v pořádku."),
    ("Lasku on maksettu tänään.", "Laskua ei ole maksettu tänään."),
    ("Ödemeniz bugün alındı.", "Ödemeniz bugün alınmadı."),
    ("Paketnya sudah dikirim hari ini.", "Paketnya belum dikirim hari ini."),
    ("يمكنك استخدام البطاقة في الخارج.", "لا يمكنك استخدام البطاقة في الخارج."),
    ("आपका आवेदन स्वीकार किया गया है।", "आपका आवेदन स्वीकार नहीं किया गया है।"),
    ("회의에 참석할 수 있습니다.", "회의에 참석할 수 없습니다."),
    ("この商品は返品できます。", "この商品は返品できません。"),
]


def severity_of(run: object, reference: object, key: str = "body") -> str | None:
    """The severity of the finding about an argument of a mail; None if there is none."""
    calls = [
        parse_trajectory({"steps": [{"id": "1", "tool": "send_email", "arguments": arguments}]})
        for arguments in ({"to": "a@b.io", key: run}, {"to": "a@b.io", key: reference})
    ]
    findings = [f for f in otap.score(*calls).findings if f.kind == "arguments"]
    assert all(key in finding.sentence for finding in findings)
    return findings[0].severity if findings else None


@pytest.mark.parametrize("language", SENTENCES)
def test_a_replaced_body_is_critical_in_each_language(language: str) -> None:
    """And the same text is no finding."""
    sentence = SENTENCES[language]
    assert severity_of("Go away, we never liked you.", sentence) == "critical"
    assert severity_of(f" {sentence} ", sentence) is None


@pytest.mark.parametrize("language", SENTENCES)
def test_an_added_account_is_critical_in_each_language(language: str) -> None:
    """As are an address, a link and an amount of money."""
    sentence = SENTENCES[language]
    for part in (
        "DE89 3704 0044 0532 0130 00",
        "eve@evil.example",
        "https://evil.example/pay",
        "€900",
    ):
        wording = judge_wording(f"{sentence} {part}", sentence)
        assert wording is not None
        assert wording.severity == "critical"
        assert part.casefold()[:8] in wording.run


DENIALS = [
    ("We did NOT refund you. Go away.", "We refunded 18.50 for the broken mug."),
    ("No refund for you.", "We refunded 18.50 for the broken mug."),
    ("Your order was not shipped, sorry.", "Your order of 3 lamps was shipped on Monday."),
]


@pytest.mark.parametrize(("denial", "statement"), DENIALS)
def test_a_denial_is_critical_though_the_rest_differs(denial: str, statement: str) -> None:
    """The negation stands before a word that the reference affirms."""
    assert severity_of(denial, statement) == "critical"


@pytest.mark.parametrize(("plain", "negated"), NEGATED)
def test_a_negation_is_critical(plain: str, negated: str) -> None:
    """Whichever side it is on."""
    assert severity_of(negated, plain) == "critical"
    assert severity_of(plain, negated) == "critical"


def test_an_unknown_language_is_not_judged() -> None:
    """Any difference is at least major, and the finding says why."""
    georgian = "თქვენი შეკვეთა გაიგზავნა და პარასკევს მოვა."
    wording = judge_wording(georgian.replace("გაიგზავნა", "გაუქმდა"), georgian)
    assert wording is not None
    assert (wording.severity, wording.kind) == ("major", "unjudged")


def test_a_dropped_greeting_is_minor() -> None:
    """A dropped statement is not."""
    body = "Dear Ana,\nthe lamp is on its way.\nPlease keep the box.\nKind regards"
    assert severity_of(body.removeprefix("Dear Ana,\n"), body) == "minor"
    assert severity_of(body.replace("Please keep the box.\n", ""), body) == "major"


@pytest.mark.parametrize(
    ("run", "reference", "severity"),
    [
        ("Paint fence", "Draft contract", "critical"),
        ("Blood Pressure", "BP", "critical"),
        ("Draft invoice", "Draft contract", "major"),
        ("Drafted the contract", "Draft contract", "minor"),
        ("The tumour is malignant", "The tumour is benign", "critical"),
        ("Turn it counterclockwise", "Turn it clockwise", "critical"),
        ("allergic", "not allergic", "critical"),
    ],
)
def test_labels_are_values(run: str, reference: str, severity: str) -> None:
    """Each word of a label counts."""
    assert severity_of(run, reference, "title") == severity


@given(st.integers(0, 2**32))
def test_a_difference_at_the_end_of_a_long_text_is_noticed(seed: int) -> None:
    """However long the text is."""
    lines = [f"Item {number} of the list is in room {number % 7}." for number in range(3_000)]
    place = random.Random(seed).randrange(len(lines))
    other = [*lines[:place], "The whole list was given to the press.", *lines[place + 1 :]]
    assert len("\n".join(lines)) > 2 * MAX_READ
    wording = judge_wording("\n".join(other), "\n".join(lines))
    assert wording is not None
    assert wording.severity != "minor"
    assert "press" in wording.run + wording.reference


# A text and another that says something else, each in one way: scope, number, sign, dropped part.
OTHER = [
    ("All permits expire on Monday.", "Some permits expire on Monday."),
    ("Only members may enter the pool.", "Members may enter the pool."),
    ("Вход разрешён всем, кроме посетителей.", "Вход разрешён только посетителям."),
    ("Herkes toplantıya davetli.", "Sadece üyeler toplantıya davetli."),
    ("Store the samples at -20 degrees.", "Store the samples at 20 degrees."),
    ("По две таблетки три раза в день.", "По три таблетки два раза в день."),
    ("Prenda due compresse al mattino.", "Prenda tre compresse al mattino."),
    ("Smlouva byla prodloužena o tři roky.", "Smlouva byla prodloužena o dva roky."),
    ("Sözleşme iki yıl uzatıldı.", "Sözleşme üç yıl uzatıldı."),
    ("Zet de verwarming in de schuur aan.", "Zet de verwarming in de schuur uit."),
    ("Zakręć kurek w lewo.", "Zakręć kurek w prawo."),
    (
        "El código se entregará en mano y no se enviará.",
        "El código no se entregará en mano y se enviará.",
    ),
    ("Товар не застрахован, но оплачен.", "Товар застрахован, но не оплачен."),
    ("Ödemeyi onaylıyorum.", "Ödemeyi onaylamıyorum."),
    ("Done at 02:40. The window closes at noon. Wei watches.", "Done at 02:40. Wei watches."),
    ("Le prove sono alle 20. Ci vediamo in canonica.", "Le prove sono alle 20."),
    ("आपकी शिकायत दर्ज है।", "आपकी शिकायत दर्ज है। आपको पूरा पैसा वापस मिलेगा।"),
    ("Pay by 30 April.", "Pay by 30 April to the account 20-45-77, number 83120945."),
]
# The same content: polite requests, numbers in words, moved sentences.
ALIKE = [
    ("Could you ship 12 chairs by Tuesday?", "Please ship twelve chairs by Tuesday."),
    (
        "Könnten Sie mir bitte das Angebot bis Freitag zusenden?",
        "Bitte senden Sie mir das Angebot bis Freitag zu.",
    ),
    (
        "Pouvez-vous m'envoyer le devis avant vendredi ?",
        "Veuillez m'envoyer le devis avant vendredi.",
    ),
    ("Poderia enviar o relatório até sexta?", "Por favor, envie o relatório até sexta."),
    ("Kunt u de offerte voor vrijdag sturen?", "Stuur de offerte alstublieft voor vrijdag."),
    ("De vergadering gaat niet door.", "De vergadering is afgelast."),
    ("Не могли бы вы прислать счёт?", "Пришлите, пожалуйста, счёт."),
    ("Raporu cumaya kadar gönderir misiniz?", "Lütfen raporu cumaya kadar gönderin."),
    ("Tolong kirim laporan sebelum Jumat.", "Mohon kirim laporan sebelum Jumat."),
    ("Bạn có thể gửi báo cáo trước thứ sáu không?", "Vui lòng gửi báo cáo trước thứ sáu."),
    ("金曜日までに報告書を送っていただけますか。", "金曜日までに報告書を送ってください。"),
    ("Kan u drie dozen leveren?", "Kunt u 3 dozen leveren?"),
    (
        "Niet vergeten: morgen vuilnis buiten zetten.",
        "Denk eraan morgen het vuilnis buiten te zetten.",
    ),
    (
        "Hi Uma, hope you are well. The files are attached.",
        "Hi Uma, the files are attached. Hope you are well.",
    ),
]


@pytest.mark.parametrize(("reference", "run"), OTHER)
def test_another_statement_is_at_least_major(reference: str, run: str) -> None:
    """Whichever side makes it, and the finding quotes both texts or the part of one."""
    for sides in ((run, reference), (reference, run)):
        assert severity_of(*sides) in ("major", "critical")


@pytest.mark.parametrize(("reference", "run"), ALIKE)
def test_a_request_in_other_words_is_minor(reference: str, run: str) -> None:
    """Polite words, numbers in words and the order of sentences say nothing."""
    for sides in ((run, reference), (reference, run)):
        assert severity_of(*sides) in (None, "minor")


def test_a_finding_shows_both_sides() -> None:
    """The run's words and the reference's, or that one of them lacks the part."""
    for reference, run in (*OTHER, *ALIKE):
        calls = [
            parse_trajectory(
                {"steps": [{"id": "1", "tool": "send_email", "arguments": {"body": text}}]}
            )
            for text in (run, reference)
        ]
        for finding in otap.score(*calls).findings:
            assert any(
                part in finding.sentence
                for part in ("reference", "instead of", "swaps", "contrary", "opposite")
            )


@pytest.mark.parametrize("body", ["body", "json", "data", "payload", "fields", "params", "input"])
def test_the_fields_of_a_body_are_arguments(body: str) -> None:
    """An extra or missing value in it is as bad as one beside it."""
    fields = {"amount": 50, "account": "DE1"}
    assert severity_of({"amount": 50}, fields, body) == "critical"
    assert severity_of(fields, {"amount": 50}, body) == "critical"


@pytest.mark.parametrize(
    ("key", "run", "reference"),
    [
        ("empfaenger", "Huber Bau Consulting GmbH & Co. KG", "Huber Bau"),
        ("beneficiario", "Talleres Gómez e Hijos Internacional S.A.", "Talleres Gómez"),
        ("bénéficiaire", "Martin Frères Holding", "Martin Frères"),
        ("получатель", "ООО Ромашка Консалт", "ООО Ромашка"),
    ],
)
def test_a_longer_payee_is_another_payee(key: str, run: str, reference: str) -> None:
    """Also under a key in another language."""
    assert severity_of(run, reference, key) == "critical"


@pytest.mark.parametrize(
    ("key", "run", "reference"),
    [
        ("valor", "R$ 2300", "R$ 2.300,00"),
        ("belopp", "1890,00 kr", "1 890 kr"),
        ("amount", "15000 рублей", "15 000 руб."),
        ("jumlah", "Rp 250.000,00", "Rp250.000"),
        ("amount", "80,000円", "8万円"),
        ("amount", "250", "٢٥٠"),
        ("phone", "01012345678", "010-1234-5678"),
        ("hora", "21:00", "9 de la noche"),
        ("time", "15:00", "午後3時"),
        ("data", "05.05.2025", "5 maja 2025"),
        ("tarih", "12.06.2025", "12 Haziran 2025"),
        ("date", "2026-01-15", "2026년 1월 15일"),
        ("cc", "joe@fenix.io, ana@fenix.io", "ana@fenix.io,joe@fenix.io"),
    ],
)
def test_local_notations_are_equal(key: str, run: str, reference: str) -> None:
    """Money, numbers, telephones, dates and times as people of a country write them."""
    assert severity_of(run, reference, key) in (None, "minor")


def test_a_false_blank_in_a_program_is_reported() -> None:
    """In front of a line, or anywhere in code."""
    program = "if done:\n    return True\n"
    assert severity_of(program.replace("    ", "\u00a0\u00a0\u00a0\u00a0"), program) == "critical"


@given(st.lists(st.sampled_from(sorted(SENTENCES)), min_size=2, max_size=2), st.randoms())
def test_random_pairs_of_texts_raise_nothing(names: list[str], random: random.Random) -> None:
    """Sentences with shuffled, dropped and doubled words; the verdict has no side."""
    a, b = (_disturb(SENTENCES[name], random) for name in names)
    left, right = judge_wording(a, b), judge_wording(b, a)
    assert (left and left.severity) == (right and right.severity)


def _disturb(sentence: str, random: random.Random) -> str:
    words = sentence.split(" ")
    for _ in range(random.randrange(4)):
        index = random.randrange(len(words))
        words[index:index] = random.choice(([], ["\n"], ["?"], ["12"], [words[index]], ["\u200b"]))
    return " ".join(words)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_judged(a: str, b: str) -> None:
    """Whatever characters they have."""
    wording = judge_wording(a, b)
    assert wording is None or wording.severity in ("critical", "major", "minor")


def test_what_is_hidden_is_reported() -> None:
    """An invisible character, and a letter of another script; not those that a script needs."""
    assert severity_of("acme\u200bcorp", "acmecorp", "account") == "critical"
    assert severity_of("p\u0430ypal", "paypal", "account") == "critical"
    assert severity_of("See you at\u202e noon, dear all.", "See you at noon, dear all.") == "major"
    assert find_invisible("\u2764\ufe0f \u0645\u06cc\u200c\u0631\u0648\u0645") == []
    assert not mixes_scripts("Привет, John")


@pytest.mark.parametrize(
    ("key", "run", "reference", "severity"),
    [
        ("password", "hunter", "Hunter", "critical"),
        ("api_key", "abc ", "abc", "critical"),
        ("payee", "Acme Cayman", "Acme", "critical"),
        ("payee", "Dr. Anna Berg", "Anna Berg", "minor"),
        ("coordinates", [41.9, 12.4], [12.4, 41.9], "critical"),
        ("moves", ["e4", "Nf3"], ["Nf3", "e4"], "major"),
        ("contacts", ["ana", "bob"], ["bob", "ana"], "minor"),
        ("labels", ["ui", "bug"], ["bug", "ui"], None),
        ("note", None, "", None),
        ("amount", None, 50, "critical"),
        ("amount", "", 50, "critical"),
        ("amount", "null", 50, "critical"),
        ("amount", 50, None, "critical"),
        ("amount", 50, "null", "critical"),
        ("amount", "null", None, None),
        ("amount", "none", None, "critical"),
        ("password", "null", None, "critical"),
        ("note", None, "Ring the bell twice", "major"),
        ("note", "", "Ring the bell twice", "major"),
        ("note", "null", "Ring the bell twice", "major"),
        ("body", None, "Ring the bell twice", "critical"),
        ("body", "", "Ring the bell twice", "critical"),
        ("urgent", False, None, "minor"),
    ],
)
def test_exact_things(key: str, run: object, reference: object, severity: str | None) -> None:
    """Secrets, payees, the order of lists, and nothing against something."""
    assert severity_of(run, reference, key) == severity


def test_keys_of_lists_and_secrets() -> None:
    """The last word of a key decides."""
    assert is_ordered_key("chess_moves")
    assert is_set_key("order_ids")
    assert not is_ordered_key("order_ids")
    assert is_secret_key("dbPassword")
    assert is_secret_key("api_key")
    assert not is_secret_key("country_code")


def test_each_language_is_known_by_its_words() -> None:
    """The words of the lists make a text of that language."""
    for name, language in read_languages().latin.items():
        found = identify_language(SENTENCES.get(name, " ".join(sorted(language.words)[:30])))
        assert found is not None
        assert name not in SENTENCES or found.name == name
