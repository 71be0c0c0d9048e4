"""Names of people, places and choices: another word makes another one.

Anna Schmidt and Ben Schmidt, New York and New Orleans, read only and read write are near to a text
vector. A few words are a name unless their key holds texts of its author's own; what one name
leaves out (a title, a second name, an initial), the order of its words and accents are no
difference.
"""

from otap._patterns import regex
from otap.values.keys import singular
from otap.values.lexicon import lexicon
from otap.values.literals import find_amounts
from otap.values.spelling import fold_word

_TEXT = regex(r"[^\W_]+(?:\.?[ '\u2019,()&-]+[^\W_]+)*[.)]*\Z")
_WORD = regex(r"[^\W\d_]+")
_NUMBER = regex(r"\d")
_STREET = regex(r"str(?:asse|eet)?\Z")
_LONGEST, _FEW, _SHORT = 120, 3, 4  # characters, words of a choice, letters of an abbreviation
_FORMS = frozenset((
    "co", "company", "corp", "corporation", "inc", "incorporated", "llc", "limited", "ltd",
))  # fmt: skip
# What holds a choice where it is written in small letters, and else a text.
_CAUSES = frozenset(("reason", "cause", "grund", "motivo", "motif"))
_PLACES = frozenset(("address", "street"))
# What a key ends with that holds a text of its author's own.
_FREE = frozenset((
    "title", "subject", "headline", "heading", "caption", "topic", "description",
    "desc", "summary", "comment", "note", "message", "msg", "text", "body", "content", "query",
    "question", "answer", "search", "keyword", "q", "prompt", "instruction", "thought", "goal",
    "task", "request", "response", "reply", "feedback", "remark", "explanation", "detail",
    "label", "event", "purpose", "memo", "header", "footer", "string", "line", "todo",
    "action", "change", "by", "criterion", "criteria", "objective", "intent", "rationale",
    "justification", "agenda", "bio",
    "titel", "betreff", "nachricht", "beschreibung", "kommentar", "notiz", "anmerkung", "frage",
    "antwort", "anweisung", "hinweis", "aufgabe", "inhalt", "titulo", "asunto", "mensaje",
    "descripcion", "comentario", "nota", "pregunta", "respuesta", "tarea", "contenido", "titre",
    "sujet", "objet", "commentaire", "contenu", "titolo", "oggetto", "messaggio", "descrizione",
    "commento", "testo", "assunto", "mensagem", "descricao", "conteudo",
))  # fmt: skip


def words_of_name(text: str, key: str) -> tuple[frozenset[str], bool] | None:
    """Returns the words of a text that is a name, and whether of a place; None for other prose.

    Args:
        text: words.
        key: the last word of the key that it stands under.
    """
    if len(text) > _LONGEST or not _TEXT.match(text):
        return None
    words = _WORD.findall(text)
    if _is_of(key, _PLACES):
        return frozenset(_STREET.sub("st", fold_word(word)) for word in words), True
    if not key or len(words) > _FEW or _NUMBER.search(text) or _is_free(text, words, key):
        return None
    if find_amounts(text.lower()):
        return None  # twice daily is two times a day
    return frozenset(singular(fold_word(word)) for word in words if len(word) > 1) - _FORMS, False


def _is_free(text: str, words: list[str], key: str) -> bool:
    """Whether few words are a text of its author's own: by their key, or as part of a sentence."""
    if _is_of(key, _CAUSES):
        return not text.islower()
    if _is_of(key, _FREE):
        return True
    if text.endswith(".") and len(words[-1]) > _SHORT - 1:
        return True
    return text.islower() and not lexicon()["plain"].isdisjoint(words)


def other_name(
    ours: tuple[frozenset[str], bool], theirs: tuple[frozenset[str], bool]
) -> tuple[str, str] | None:
    """Returns the words that each of two names has and the other lacks; None where one has none."""
    left, right = sorted(ours[0] - theirs[0]), sorted(theirs[0] - ours[0])
    if ours[1] or theirs[1]:
        left, right = _long(left, right), _long(right, left)
        if len(left) != len(right):
            return None  # NY is New York
    return (" ".join(left), " ".join(right)) if left and right else None


def _is_of(key: str, keys: frozenset[str]) -> bool:
    return not {fold_word(key), fold_word(key).removesuffix("s")}.isdisjoint(keys)


def _long(words: list[str], others: list[str]) -> list[str]:
    """The words that neither abbreviate another nor are abbreviated by it: St and Street."""
    return [one for one in words if not any(_cuts(one, two) or _cuts(two, one) for two in others)]


def _cuts(short: str, long: str) -> bool:
    letters = iter(long)
    if not len(short) <= _SHORT < len(long) or short[0] != long[0]:
        return False
    return all(letter in letters for letter in short)
