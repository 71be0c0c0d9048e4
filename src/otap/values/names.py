"""Finds names of people, places and choices; a different word makes a different name.

Text vectors place Anna Schmidt near Ben Schmidt, New York near New Orleans, and read only near read
write. A few words are a name unless their key holds free text. The order of the words and accents
have no meaning, and a name may lack a title, a second name or an initial.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from otap._patterns import regex
from otap.values.keys import singular
from otap.values.lexicon import lexicon
from otap.values.literals import find_amounts
from otap.values.normalization import fold_word
from otap.values.sets import count_common

Name = tuple[frozenset[str], bool]  # the words of a name, and whether it is an address

_TEXT = regex(r"[^\W_]+(?:\.?[ '\u2019,()&-]+[^\W_]+)*[.)]*\Z")
_WORD = regex(r"[^\W\d_]+")
_NUMBER = regex(r"\d")
_STREET = regex(r"str(?:asse|eet)?\Z")
_MAX_NAME, _MAX_CHOICE = 120, 3  # characters of a name, words of a choice
_MAX_ABBREVIATION = 4  # letters
_LEGAL_FORMS = frozenset((
    "co", "company", "corp", "corporation", "inc", "incorporated", "llc", "limited", "ltd",
))  # fmt: skip
# Keys of a choice if it is in small letters, of free text otherwise.
_CAUSES = frozenset(("reason", "cause", "grund", "motivo", "motif"))
_ADDRESSES = frozenset(("address", "street"))
# The last words of keys that hold free text.
_FREE_TEXT = frozenset((
    "title", "subject", "headline", "heading", "caption", "topic", "description",
    "desc", "summary", "comment", "note", "message", "msg", "text", "body", "content", "query",
    "question", "answer", "search", "keyword", "q", "prompt", "instruction", "thought", "goal",
    "task", "request", "response", "reply", "feedback", "remark", "explanation", "detail",
    "label", "event", "purpose", "memo", "header", "footer", "string", "line", "todo",
    "action", "change", "by", "criterion", "criteria", "objective", "intent", "rationale",
    "justification", "agenda", "bio", "commit",
    "titel", "betreff", "nachricht", "beschreibung", "kommentar", "notiz", "anmerkung", "frage",
    "antwort", "anweisung", "hinweis", "aufgabe", "inhalt", "titulo", "asunto", "mensaje",
    "descripcion", "comentario", "nota", "pregunta", "respuesta", "tarea", "contenido", "titre",
    "sujet", "objet", "commentaire", "contenu", "titolo", "oggetto", "messaggio", "descrizione",
    "commento", "testo", "assunto", "mensagem", "descricao", "conteudo",
))  # fmt: skip


def words_of_name(text: str, key: str) -> Name | None:
    """Returns the words of a name, and whether it is an address; None for other texts.

    Args:
        text: a word or prose.
        key: the last word of the text's key.
    """
    if len(text) > _MAX_NAME or not _TEXT.match(text):
        return None
    words = _WORD.findall(text)
    if _is_key_of(key, _ADDRESSES):
        return frozenset(_STREET.sub("st", fold_word(word)) for word in words), True
    if not key or len(words) > _MAX_CHOICE or _NUMBER.search(text):
        return None
    # Twice daily is a frequency: two times a day.
    if _is_free_text(text, words, key) or find_amounts(text.lower()):
        return None
    folded = frozenset(singular(fold_word(word)) for word in words if len(word) > 1)
    return folded - _LEGAL_FORMS, False


def _is_free_text(text: str, words: list[str], key: str) -> bool:
    """Whether a few words are free text: because of their key, or as part of a sentence."""
    if _is_key_of(key, _CAUSES):
        return not text.islower()
    if _is_key_of(key, _FREE_TEXT):
        return True
    if text.endswith(".") and len(words[-1]) >= _MAX_ABBREVIATION:
        return True
    return text.islower() and not lexicon()["plain"].isdisjoint(words)


def other_name(
    run_name: Name,
    reference_name: Name,
    is_payee: bool = False,
) -> tuple[str, str] | None:
    """Returns the words that only one of two names has, per name; None if the names may be one.

    Args:
        run_name: a name.
        reference_name: another one.
        is_payee: whether a longer name is another name.
    """
    run_words = sorted(run_name[0] - reference_name[0])
    reference_words = sorted(reference_name[0] - run_name[0])
    if run_name[1] or reference_name[1]:
        run_words, reference_words = (
            _without_abbreviations(run_words, reference_words),
            _without_abbreviations(reference_words, run_words),
        )
        if len(run_words) != len(reference_words):
            return None  # NY is New York
    if is_payee and not lexicon()["titles"].issuperset([*run_words, *reference_words]):
        return " ".join(run_words), " ".join(reference_words)
    if not run_words or not reference_words:
        return None
    return " ".join(run_words), " ".join(reference_words)


def find_other_names(
    run_names: Sequence[Name | None], reference_names: Sequence[Name | None]
) -> npt.NDArray[np.bool_]:
    """Returns for which pairs both are names and ``other_name`` returns words, as a matrix."""
    sides = run_names, reference_names
    words = [[name[0] if name else frozenset() for name in side] for side in sides]
    sizes = [np.array([len(name_words) for name_words in side]) for side in words]
    common = count_common(*words)
    are_other: npt.NDArray[np.bool_] = (common < sizes[0][:, None]) & (common < sizes[1])
    addresses = [[k for k, name in enumerate(side) if name and name[1]] for side in sides]
    for i, j in {
        *product(addresses[0], range(len(reference_names))),
        *product(range(len(run_names)), addresses[1]),
    }:
        run_name, reference_name = run_names[i], reference_names[j]
        if run_name and reference_name:
            are_other[i, j] = other_name(run_name, reference_name) is not None
    return are_other


def _is_key_of(key: str, keys: frozenset[str]) -> bool:
    return not {fold_word(key), fold_word(key).removesuffix("s")}.isdisjoint(keys)


def _without_abbreviations(words: list[str], other_words: list[str]) -> list[str]:
    """Returns the words without those that abbreviate or spell out one of the other words."""
    return [
        word
        for word in words
        if not any(_abbreviates(word, name) or _abbreviates(name, word) for name in other_words)
    ]


def _abbreviates(short: str, long: str) -> bool:
    """Whether the letters of a short word occur in order in a long one: St and Street."""
    letters = iter(long)
    if not len(short) <= _MAX_ABBREVIATION < len(long) or short[0] != long[0]:
        return False
    return all(letter in letters for letter in short)
