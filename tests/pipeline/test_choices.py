"""What selection froze, read back; a file that is JSON and no selection is refused by name."""

from typing import Any

import pytest

from pipeline.choices import KEYS, checked_selection, final_choice
from pipeline.errors import InputError

RRF = {
    "method": "rrf",
    "rank_constant": 60,
    "weights": {"a": 1, "b": 1},
    "depths": {"a": 9, "b": 9},
}
SOUND: dict[str, Any] = {
    **dict.fromkeys(KEYS),
    "configuration": RRF,
    "best_branch": "a",
    "hashes": {"selection": "s", "test_set": "t"},
}


def test_a_sound_selection_is_given_back_as_it_is() -> None:
    assert checked_selection(SOUND, where="selection.json") is SOUND
    chosen = final_choice(SOUND)
    assert chosen.selected is not None
    assert (chosen.selected.method, chosen.best_branch) == ("rrf", "a")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "found list; expected a mapping"),
        ({key: value for key, value in SOUND.items() if key != "hashes"}, "found no hashes"),
        (SOUND | {"hashes": {"selection": 7}}, "expected texts under selection and test_set"),
        (SOUND | {"configuration": {"method": "rrf"}}, "found KeyError 'weights'"),
        (SOUND | {"configuration": RRF | {"weights": [1, 1]}}, "found AttributeError"),
        (SOUND | {"configuration": RRF | {"rank_constant": -1}}, "found ParameterError"),
        (SOUND | {"folds": {"one": RRF}}, "found ValueError"),
    ],
)
def test_what_cannot_be_rebuilt_is_refused(content: Any, said: str) -> None:
    with pytest.raises(InputError) as refused:
        checked_selection(content, where="data/selection/selection.json")
    message = str(refused.value)
    assert message.startswith("data/selection/selection.json: not a selection that can be rebuilt")
    assert said in message
    assert message.endswith("Next: dvc repro, which makes it again")
