"""Prose: what contradicts, and what only says the same in other words, in several languages."""

import pytest

from otap.values.contradiction import find_text_contradiction

# The way, and two texts.
CONTRADICTS = """
number | Refund 49.90 EUR to the customer. | Refund 94.90 EUR to the customer.
number | The order has three items. | The order has 4 items.
number | Raise the limit to 1,000 dollars. | Raise the limit to 10,000 dollars.
number | Ship twenty-five boxes to the store. | Ship twenty-four boxes to the store.
number | Der Rabatt beträgt fünf Prozent. | Der Rabatt beträgt sechs Prozent.
number | La factura es de doce euros. | La factura es de quince euros.
number | La facture est de douze euros. | La facture est de treize euros.
number | 订单一共300元。 | 订单一共800元。
number | 税率是百分之五。 | 税率是百分之八。
number | 料金は三万円です。 | 料金は五万円です。
duration | Returns are free within 14 days. | Returns are free within 30 days.
duration | Leave is sixteen weeks. | Leave is six weeks.
duration | Die Frist endet nach drei Monaten. | Die Frist endet nach sechs Monaten.
date | The meeting is on May 20, 2024. | The meeting is on May 21, 2024.
date | Abreise am 3. Mai 2024 | Abreise am 5. Mai 2024
time | Call them at 2:30 pm please. | Call them at 3:30 pm please.
time | Das Treffen ist um 14:00 Uhr. | Das Treffen ist um 15:00 Uhr.
address | Write to anna@example.org about it. | Write to ben@example.org about it.
address | See https://a.example/x for details. | See https://a.example/y for details.
identifier | Please cancel order #W5744371 today. | Please cancel order #W5744372 today.
path | Delete the file src/app.py please. | Delete the file src/old.py please.
name | The invoice goes to Keller tomorrow. | The invoice goes to Moser tomorrow.
name | Ask for flights to Lyon please. | Ask for flights to Paris please.
name | Bitte an Herrn Schulz senden. | Bitte an Herrn Krause senden.
opposite | Your return has been approved. | Your return has been rejected.
opposite | We accepted the offer. | We declined the offer.
opposite | Enable dark mode for all users. | Disable dark mode for all users.
opposite | Grant Kim access to the folder. | Revoke Kim access to the folder.
opposite | Sales increased this month. | Sales decreased this month.
opposite | Block the card at once. | Allow the card at once.
opposite | Turn the heating on. | Turn the heating off.
opposite | Please open the gate. | Please close the gate.
opposite | Start the server now. | Stop the server now.
opposite | Lock the door of the office. | Unlock the door of the office.
opposite | Send it before the meeting. | Send it after the meeting.
opposite | Buy ten shares of Acme. | Sell ten shares of Acme.
opposite | Make the folder public. | Make the folder private.
opposite | Subscribe me to the newsletter. | Unsubscribe me from the newsletter.
opposite | Turn left at the church. | Turn right at the church.
opposite | Sort the rows in ascending order. | Sort the rows in descending order.
opposite | Yes, leave is paid in full. | No, leave is paid in part.
opposite | The claim is valid. | The claim is invalid.
opposite | Ihre Erstattung wurde genehmigt. | Ihre Erstattung wurde abgelehnt.
opposite | Bitte öffnen Sie das Ventil. | Bitte schließen Sie das Ventil.
opposite | Su solicitud fue aprobada. | Su solicitud fue rechazada.
opposite | Votre demande est approuvée. | Votre demande est rejetée.
opposite | 本月销售额增长了。 | 本月销售额下降了。
opposite | 申请已批准。 | 申请已拒绝。
opposite | 申請は承認されました。 | 申請は却下されました。
opposite | 会議は3時に始まります。 | 会議は3時に終わります。
word | Paint the door red. | Paint the door blue.
word | The call is on Monday. | The call is on Friday.
word | Book a table for lunch. | Book a table for dinner.
frequency | Send the monthly report. | Send the weekly report.
frequency | Take it twice daily after meals. | Take it four times daily after meals.
frequency | One tablet every 6 hours. | One tablet every 8 hours.
frequency | Dos veces al día. | Tres veces al día.
word | Das Treffen ist am Montag. | Das Treffen ist am Mittwoch.
word | La reunión es el martes. | La reunión es el jueves.
word | 会议在上午。 | 会议在下午。
negated | It must not be taken with ibuprofen. | It must be taken with ibuprofen.
negated | The parcel has arrived. | The parcel hasn't arrived.
negated | You can bring a bag. | You cannot bring a bag.
negated | Ship it without a receipt. | Ship it with a receipt.
negated | Never restart the database. | Restart the database.
negated | Die Ware wurde geliefert. | Die Ware wurde nicht geliefert.
negated | Es gibt einen Rabatt. | Es gibt keinen Rabatt.
negated | El pedido ha llegado. | El pedido no ha llegado.
negated | Le colis est arrivé. | Le colis n'est pas arrivé.
negated | 您的包裹已拦截。 | 您的包裹无法拦截。
negated | 荷物は届きました。 | 荷物は届きません。
exchanged | Anna pays Ben. | Ben pays Anna.
exchanged | Moser owes Keller 5000 francs. | Keller owes Moser 5000 francs.
exchanged | Merge main into feature. | Merge feature into main.
exchanged | Copy the files from alpha to beta. | Copy the files from beta to alpha.
exchanged | Fly from Oslo to Rome. | Fly to Oslo from Rome.
exchanged | Lena schuldet Paul Geld. | Paul schuldet Lena Geld.
exchanged | Marta paga a Luis. | Luis paga a Marta.
exchanged | 小王付钱给小李。 | 小李付钱给小王。
other name | put block c on block d | put block c on block e
"""

SAYS_THE_SAME = """
Your return has been accepted. | We have accepted your return.
Please check the invoice today. | Today please check the invoice.
The order was approved. | The order was not rejected.
Do not hesitate to call us. | Please call us.
Refund 49.90 EUR to the customer. | Refund €49.90 to the customer.
Raise the limit to 1,000 dollars. | Raise the limit to 1000 dollars.
The order has six items. | The order has 6 items.
Take it twice daily. | Take it two times a day.
Take it every 6 hours. | Take it four times daily.
Send it weekly. | Send it once a week.
The meeting is on May 20, 2024. | The meeting is on 2024-05-20.
The meeting is on 20 May. | The meeting is on May 20th, 2024.
Call them at 2:30 pm. | Call them at 14:30.
It takes two weeks. | It takes 14 days.
It takes an hour. | It takes 60 minutes.
Anna and Ben are invited. | Ben and Anna are invited.
Buy apples, pears and plums. | Buy plums, pears and apples.
It must not be taken together with ibuprofen. | Taking it together with ibuprofen is not allowed.
Yes, parental leave is sixteen weeks. | Yes: you get sixteen weeks parental leave.
Cancel the order of Keller. | Please cancel Keller's order.
The parcel is missing. | The parcel has not arrived.
No problem, the refund is on its way. | The refund is on its way.
Don't forget to lock the door. | Remember to lock the door.
Could you not send it today? | Could you send it today?
Check the stock before you pay. | Pay after you check the stock.
Height of Ben Nevis | ben nevis height
Parental Leave Policy | parental leave policies
The user wants a refund. | The customer asks for a refund.
The script starts at noon. | The script begins at noon.
Ihre Erstattung wurde genehmigt. | Wir haben Ihre Erstattung genehmigt.
Kündigungsfrist Mietvertrag | Mietvertrag Kündigungsfristen
Der Druckertreiber wurde neu installiert. | Wir haben den Treiber des Druckers neu aufgespielt.
Bitte zögern Sie nicht, uns zu schreiben. | Bitte schreiben Sie uns.
Die Rechnung wurde heute bezahlt. | Heute wurde die Rechnung bezahlt.
Die Ware kommt am Montag. | Am Montag kommt die Ware.
Die Frist beträgt zwei Wochen. | Die Frist beträgt 14 Tage.
Su pedido fue enviado hoy. | Hoy fue enviado su pedido.
No quiero nada más. | No quiero más.
No dude en llamarnos. | Puede llamarnos.
N'hésitez pas à nous écrire. | Vous pouvez nous écrire.
Le colis est parti hier. | Hier le colis est parti.
本月销售额增长了百分之五。 | 销售额本月增长百分之五。
本月销售额增长了百分之五。 | 本月销售额增长了5%。
您的包裹已成功拦截。 | 已成功为您拦截包裹。
会议在下午三点。 | 会议在下午3点。
您不必客气,请联系我们。 | 请联系我们。
明日までに提出しなければなりません。 | 明日までに提出してください。
荷物は本日届きました。 | 本日荷物は届きました。
料金は３００円です。 | 料金は300円です。
The room costs 142 euros with no cancellation fee. | The room costs 142 euros, free cancellation.
The test fails on Windows. | The test does not pass on Windows.
Send the files to Anna and Ben. | Send Anna and Ben the files.
Use tests/conftest.py for the fixture. | Use conftest.py for the fixture.
"""


def _rows(table: str) -> list[list[str]]:
    return [line.split(" | ") for line in table.strip().splitlines()]


def test_texts_that_say_something_else_contradict_and_it_is_said_how() -> None:
    found = [
        (way, a, b, find_text_contradiction(a, b), find_text_contradiction(b, a))
        for way, a, b in _rows(CONTRADICTS)
    ]
    assert [one for one in found if not (one[3] and one[4] and one[0] in one[3].kind)] == []


def test_the_same_in_other_words_does_not_contradict() -> None:
    found = [
        (a, b, find_text_contradiction(a, b), find_text_contradiction(b, a))
        for a, b in _rows(SAYS_THE_SAME)
    ]
    assert [one for one in found if one[2] or one[3]] == []


def test_it_is_told_with_the_pieces_that_differ() -> None:
    told = find_text_contradiction(
        "Your return has been approved.", "Your return has been rejected."
    )
    assert str(told) == "says the opposite: approved instead of rejected"
    assert str(find_text_contradiction("Pay 49.90 EUR now.", "Pay 94.90 EUR now.")) == (
        "has another number: 49.90 instead of 94.90"
    )


def test_what_only_one_text_says_is_no_contradiction() -> None:
    assert (
        find_text_contradiction("Refund the order.", "Refund the order of 49.90 EUR to Anna.")
        is None
    )


@pytest.mark.parametrize(
    "unit", ["1", "a-", "a.@", "不", "二十", "'", "億", "may 1 ", "\n", "/", "_a"]
)
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    text = unit * (30_000 // len(unit))
    find_text_contradiction(text, text[:15_000] + " x " + text[15_000:])
