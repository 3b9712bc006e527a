"""Saved counts: damaged ones are refused."""

import numpy as np
import pytest

from puremetrics.exceptions import InputError
from puremetrics.io.first_pass import LabelledScores
from puremetrics.io.packing import pack, unpack
from puremetrics.io.score_keys import Cuts
from tests.io.counting import first_state


def test_damaged_bytes_are_refused():
    data = first_state(np.array([0.5, 0.2]), np.array([0, 1], dtype=np.int8)).to_bytes()
    broken = bytearray(data)
    broken[len(data) // 2] ^= 1
    with pytest.raises(InputError, match="damaged"):
        LabelledScores.from_bytes(bytes(broken))
    with pytest.raises(InputError, match="damaged"):
        LabelledScores.from_bytes(data[:-5])
    with pytest.raises(InputError, match="not saved counts"):
        LabelledScores.from_bytes(b"anything at all, but not counts")
    with pytest.raises(InputError, match="hold labelled scores, not cuts"):
        Cuts.from_bytes(data)
    newer = bytearray(pack("cuts", {}, {}))
    newer[4] = 9
    with pytest.raises(InputError, match="format 9"):
        unpack(bytes(newer), "cuts")
