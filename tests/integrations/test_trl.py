"""A real step of TRL's trainer on the CPU, with a tiny random model whose words are calls."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import otap

LONG = os.environ.get("OTAP_LONG") == "1"
GOLD = ["look", "refund", "mail"]
WORDS = ["<pad>", "<end>", "<start>", *GOLD, "delete", "wait"]
GROUP = 8


def read_calls(text: str) -> dict[str, Any]:
    """The run that a completion writes, a word a call."""
    steps = [
        {"id": str(k), "tool": f"{word}_order", "arguments": {"order": "A-1"}}
        for k, word in enumerate(text.split())
    ]
    return {"steps": steps}


def reward_calls(completions: Sequence[str], gold: Sequence[str], **_: Any) -> list[float | None]:
    """The reward function: gold is a column of the dataset."""
    references = [otap.parse(read_calls(text)) for text in gold]
    return otap.rewards([read_calls(text) for text in completions], references)


@pytest.mark.filterwarnings("ignore")  # the trainer's libraries use each other's old names
@pytest.mark.skipif(not LONG, reason="trains a model; in the long run")
def test_a_step_of_the_trainer(tmp_path: Path) -> None:
    """It logs the mean of the rewards, and the model changes."""
    trl = pytest.importorskip("trl")
    datasets, torch = pytest.importorskip("datasets"), pytest.importorskip("torch")
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    words = Tokenizer(models.WordLevel({word: k for k, word in enumerate(WORDS)}, "<pad>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<end>", bos_token="<start>"
    )
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(WORDS),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            pad_token_id=0,
            eos_token_id=1,
            bos_token_id=2,
        )
    )
    before = [parameter.detach().clone() for parameter in model.parameters()]
    paid: list[float] = []

    def reward(completions: Sequence[str], **columns: Any) -> list[float | None]:
        values = reward_calls(completions, **columns)
        paid.extend(value for value in values if value is not None)
        return values

    rows = [{"prompt": "<start>", "gold": " ".join(GOLD)}] * GROUP
    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=reward,
        args=trl.GRPOConfig(
            output_dir=str(tmp_path),
            per_device_train_batch_size=GROUP,
            num_generations=GROUP,
            max_completion_length=5,
            max_steps=1,
            learning_rate=0.01,
            use_cpu=True,
            bf16=False,
            report_to="none",
            logging_steps=1,
            save_strategy="no",
            seed=0,
        ),
        train_dataset=datasets.Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.train()
    assert len(paid) == GROUP
    assert len(set(paid)) > 1
    logged = next(entry["reward"] for entry in trainer.state.log_history if "reward" in entry)
    assert logged == pytest.approx(sum(paid) / GROUP)
    after = list(trainer.model.parameters())
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))
