"""Saved states, plans, maps and caches that somebody has made up: a sentence, never a raw exception."""

import hashlib
import json

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.datasets import load_dataset
from puremetrics.exceptions import InputError, MissingDataError
from puremetrics.io.packing import _START, pack, unpack
from puremetrics.planning.sheets import read_plan
from tests.io.scanning import make_rows, pq

COLUMNS = {"label": "y", "score": "p", "scenario": "case_control", "neg_label": -1}


def signed(header: bytes, rest: bytes = b"") -> bytes:
    body = _START.pack(b"PMCT", 1, len(header)) + header + rest
    return body + hashlib.blake2b(body, digest_size=16).digest()


@pytest.mark.parametrize(
    "data",
    [
        signed(b"not json"),
        signed(b"[" * 100_000),
        signed(b"{}"),
        signed(b"[]"),
        signed(
            json.dumps({"kind": "x", "plain": {}, "arrays": {"a": ["|O", [1]]}}).encode(), b"x" * 8
        ),
        signed(json.dumps({"kind": "x", "plain": {}, "arrays": {"a": ["<f8", [-1]]}}).encode()),
        signed(
            json.dumps({"kind": "x", "plain": {}, "arrays": {"a": ["<f8", [2**62, 8]]}}).encode()
        ),
        signed(json.dumps({"kind": "x", "plain": 3, "arrays": {}}).encode()),
        signed(json.dumps({"kind": "x", "plain": {}, "arrays": {}}).encode(), b"left over"),
    ],
)
def test_signed_nonsense_is_refused(data):
    with pytest.raises(InputError, match="Count again"):
        unpack(data, "x")


def test_a_forged_checkpoint_is_named(tmp_path):
    pq.write_table(make_rows(300), tmp_path / "a.parquet")
    for by in (None, "country"):
        folder = tmp_path / f"kept-{by}"
        options = {**COLUMNS, "by": by, "checkpoint": folder}
        right = pm.scan(tmp_path / "a.parquet", **options)
        kept = {file: file.read_bytes() for file in folder.iterdir()}
        forged = [
            pack("first pass", {"keys": ["p"], "sizes": [3]}, {"data": np.zeros(3, np.uint8)}),
            pack("second pass", {"keys": [], "sizes": []}, {"data": np.zeros(0, np.uint8)}),
            pack("first pass", {}, {}),
            pack("first pass", {"keys": 5, "sizes": ["x"]}, {"data": np.zeros((2, 2))}),
            signed(b"{}"),
        ]
        for file, content in kept.items():
            for data in forged:
                file.write_bytes(data)
                with pytest.raises(InputError, match=r"Remove '.*\.counts' first"):
                    pm.scan(tmp_path / "a.parquet", **options)
            file.write_bytes(content)
        again = pm.scan(tmp_path / "a.parquet", **options)
        found = (again, right) if by is None else (again.total, right.total)
        assert found[0].equals(found[1])


def test_nested_json():
    deep = "[" * 100_000 + "]" * 100_000
    for text in (deep, '{"format": ' + deep + "}"):
        with pytest.raises(InputError, match="Pass what to_json wrote"):
            pm.RecalibrationMap.from_json(text)
        with pytest.raises(InputError, match="plan cannot be read"):
            read_plan(text)


def test_an_incomplete_cache_is_named(tmp_path):
    for arrays in (
        {"X": np.zeros((768, 8))},
        {"y": np.zeros(768)},
        {"bytes": np.zeros(3, np.uint8)},
    ):
        np.savez_compressed(tmp_path / "pima.npz", **arrays)
        with pytest.raises(MissingDataError, match="Delete it"):
            load_dataset("pima", cache=tmp_path)
