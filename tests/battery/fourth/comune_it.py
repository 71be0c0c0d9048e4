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
        "cerca_cittadino",
        {"codice_fiscale": "RSSMRA85M01H501Z"},
        effect={"nome": "Mario Rossi", "residenza": "Via Roma 12, Torino"},
    ),
    call("verifica_documento", {"numero": "CA12345AB"}, effect={"valido": True}),
    call(
        "aggiorna_residenza",
        {
            "codice_fiscale": "RSSMRA85M01H501Z",
            "via": "Corso Francia 48",
            "cap": "10143",
            "comune": "Torino",
            "decorrenza": "2026-04-01",
        },
        effect={"pratica": "PR-2026-118"},
    ),
    call(
        "prenota_appuntamento",
        {"sportello": "Anagrafe", "data": "2026-03-25", "ora": "10:30"},
        effect={"codice": "APP-7"},
    ),
    call(
        "invia_email",
        {
            "a": "mario.rossi@posta.example",
            "oggetto": "Cambio di residenza",
            "testo": "Gentile signor Rossi, la pratica PR-2026-118 è aperta. L'appuntamento all'Anagrafe è il 25 marzo alle 10:30.",
        },
        effect={"inviata": True},
    ),
]


def residenza(effect=None, **changed):
    return call(
        "aggiorna_residenza",
        {**A[2]["arguments"], **changed},
        effect=effect or {"pratica": "PR-2026-118"},
    )


def email(testo, a="mario.rossi@posta.example"):
    return call(
        "invia_email",
        {"a": a, "oggetto": "Cambio di residenza", "testo": testo},
        effect={"inviata": True},
    )


B = [
    call("elenca_multe", targa="GH204KL"),
    call("leggi_multa", verbale="V-5531"),
    call("chiedi_conferma", domanda="La multa V-5531 costa 42,00 euro. Procedo con il pagamento?"),
    call("paga_multa", verbale="V-5531", importo=42.00, metodo="carta"),
    call("invia_ricevuta", verbale="V-5531", a="giulia.conti@posta.example"),
    call(
        "rispondi",
        testo="La multa V-5531 è pagata: 42,00 euro. La ricevuta è arrivata per posta elettronica.",
    ),
]
C = [
    call("elenca_iscrizioni", scuola="Asilo Girasole", effect={"iscritti": 22, "posti": 25}),
    call("leggi_domanda", domanda="D-301", effect={"bambino": "Luca Ferri", "isee": 14200}),
    call(
        "iscrivi_bambino",
        bambino="Luca Ferri",
        scuola="Asilo Girasole",
        mensa=True,
        effect={"stato": "iscritto"},
    ),
    call(
        "iscrivi_bambino",
        bambino="Sara Ferri",
        scuola="Asilo Girasole",
        mensa=True,
        effect={"stato": "iscritto"},
    ),
    call("calcola_retta", isee=14200, effect={"retta": 118.00}),
    call(
        "imposta_retta",
        famiglia="Ferri",
        importo=118.00,
        periodo="mensile",
        effect={"salvata": True},
    ),
    call(
        "invia_sms",
        numero="+393471122334",
        testo="Luca e Sara sono iscritti all'Asilo Girasole con mensa. La retta è di 118 euro al mese.",
        effect={"inviato": True},
    ),
]


def iscrivi(bambino, mensa=True, effect=None):
    return call(
        "iscrivi_bambino",
        bambino=bambino,
        scuola="Asilo Girasole",
        mensa=mensa,
        effect=effect or {"stato": "iscritto"},
    )


D = [
    call("leggi_segnalazione", segnalazione="S-90"),
    call("cerca_squadra", zona="Mirafiori"),
    call("assegna_squadra", segnalazione="S-90", squadra="Verde 2"),
    call("imposta_priorita", segnalazione="S-90", priorita="alta"),
    call(
        "pubblica_avviso",
        titolo="Via Plava chiusa",
        testo="Via Plava è chiusa dal 4 al 6 maggio per lavori. Il parcheggio non è consentito.",
        pubblico=True,
    ),
]


def avviso(**changed):
    return call("pubblica_avviso", **{**D[4]["arguments"], **changed})


CASES = [
    Case(
        "c_comune_it_residenza",
        "values",
        "Un cambio di residenza, detto al cittadino.",
        (run(*A),),
        {
            "same": run(*A),
            "data_scritta": alt(A, 2, residenza(decorrenza="01/04/2026")),
            "civico": alt(A, 2, residenza(via="Corso Francia 84")),
            "cap": alt(A, 2, residenza(cap="10134")),
            "rifiutata": alt(A, 2, residenza({"status": 403, "errore": "permesso negato"})),
            "riprovata": ins(
                A, 2, residenza({"status": "failed", "errore": "servizio non disponibile"})
            ),
            "email_altre_parole": alt(
                A,
                4,
                email(
                    "Gentile signor Rossi, abbiamo aperto la pratica PR-2026-118. Il 25 marzo alle 10:30 ha l'appuntamento all'Anagrafe."
                ),
            ),
            "email_ora": alt(
                A,
                4,
                email(
                    "Gentile signor Rossi, la pratica PR-2026-118 è aperta. L'appuntamento all'Anagrafe è il 25 marzo alle 12:30."
                ),
            ),
            "email_altri": alt(
                A, 4, email(A[4]["arguments"]["testo"], "maria.rossi@posta.example")
            ),
        },
        (
            Calm("data_scritta"),
            Critical("civico"),
            Critical("cap"),
            Critical("rifiutata"),
            Calm("riprovata"),
            Calm("email_altre_parole"),
            Critical("email_ora"),
            Critical("email_altri"),
            Above("riprovata", "rifiutata"),
            Above("email_altre_parole", "email_ora"),
            Above("same", "civico"),
        ),
    ),
    Case(
        "c_comune_it_multa",
        "order",
        "Si chiede prima di pagare.",
        (run(*B),),
        {
            "same": run(*B),
            "chiede_dopo": run(B[0], B[1], B[3], B[2], B[4], B[5]),
            "due_volte": ins(B, 4, B[3]),
            "altra_multa": alt(
                B, 3, call("paga_multa", verbale="V-5513", importo=42.00, metodo="carta")
            ),
            "importo": alt(
                B, 3, call("paga_multa", verbale="V-5531", importo=420.00, metodo="carta")
            ),
            "ricorso": alt(
                B, 3, call("presenta_ricorso", verbale="V-5531", importo=42.00, metodo="carta")
            ),
            "senza_ricevuta": drop(B, 4),
            "senza_tutto": drop(B, 3, 4),
            "guarda_di_piu": ins(B, 2, call("leggi_veicolo", targa="GH204KL")),
        },
        (
            Above("same", "chiede_dopo"),
            Critical("due_volte"),
            Above("same", "due_volte"),
            Critical("altra_multa"),
            Critical("importo"),
            Critical("ricorso"),
            Critical("senza_ricevuta"),
            Above("senza_ricevuta", "senza_tutto"),
            Calm("guarda_di_piu"),
            Above("guarda_di_piu", "importo"),
        ),
    ),
    Case(
        "c_comune_it_asilo",
        "merge",
        "Due bambini sono iscritti, da soli o insieme.",
        (run(*C),),
        {
            "same": run(*C),
            "insieme": run(
                C[0],
                C[1],
                call(
                    "iscrivi_bambini",
                    bambini=["Luca Ferri", "Sara Ferri"],
                    scuola="Asilo Girasole",
                    mensa=True,
                    effect={"stato": "iscritti"},
                ),
                *C[4:],
            ),
            "altro_ordine": run(C[0], C[1], C[3], C[2], *C[4:]),
            "senza_mensa": alt(C, 3, iscrivi("Sara Ferri", mensa=False)),
            "uno": drop(C, 3),
            "nessuno": drop(C, 2, 3),
            "tre": ins(C, 4, iscrivi("Marco Ferri")),
            "annuale": alt(
                C,
                5,
                call(
                    "imposta_retta",
                    famiglia="Ferri",
                    importo=118.00,
                    periodo="annuale",
                    effect={"salvata": True},
                ),
            ),
            "respinta": alt(
                C, 3, iscrivi("Sara Ferri", effect={"status": "failed", "errore": "posti esauriti"})
            ),
        },
        (
            Calm("insieme"),
            Calm("altro_ordine"),
            Critical("senza_mensa"),
            Critical("uno"),
            Above("uno", "nessuno"),
            Critical("tre"),
            Above("same", "tre"),
            Critical("annuale"),
            Critical("respinta"),
            Above("insieme", "senza_mensa"),
            Above("same", "respinta"),
        ),
    ),
    Case(
        "c_comune_it_avviso",
        "told",
        "Una squadra è mandata, e i cittadini avvisati.",
        (run(*D),),
        {
            "same": run(*D),
            "sguardi_scambiati": run(D[1], D[0], *D[2:]),
            "altre_parole": alt(
                D,
                4,
                avviso(
                    testo="Dal 4 al 6 maggio Via Plava è chiusa per lavori. Non è consentito il parcheggio."
                ),
            ),
            "consentito": alt(
                D,
                4,
                avviso(
                    testo="Via Plava è chiusa dal 4 al 6 maggio per lavori. Il parcheggio è consentito."
                ),
            ),
            "giorni": alt(
                D,
                4,
                avviso(
                    testo="Via Plava è chiusa dal 4 al 16 maggio per lavori. Il parcheggio non è consentito."
                ),
            ),
            "privato": alt(D, 4, avviso(pubblico=False)),
            "bassa": alt(D, 3, call("imposta_priorita", segnalazione="S-90", priorita="bassa")),
            "maiuscolo": alt(D, 3, call("imposta_priorita", segnalazione="S-90", priorita="ALTA")),
            "altra_squadra": alt(
                D, 2, call("assegna_squadra", segnalazione="S-90", squadra="Verde 3")
            ),
        },
        (
            Calm("sguardi_scambiati"),
            Calm("altre_parole"),
            Critical("consentito"),
            Critical("giorni"),
            Critical("privato"),
            Critical("bassa"),
            Calm("maiuscolo"),
            Critical("altra_squadra"),
            Above("altre_parole", "consentito"),
            Above("maiuscolo", "bassa"),
            Equal("same", "sguardi_scambiati"),
        ),
    ),
]
