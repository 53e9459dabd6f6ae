#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vectors of the random model (README.md) by numpy in float64, to compare memkit's with.
usage: jq -r .text vectors.ndjson | ./vectors.py >new.ndjson        a text a line; needs numpy"""
import json
import math
import sys

import numpy as np

DIMS, HEADS, INNER, PLACES, ROWS = 384, 12, 1536, 512, 30522
BLOCKS, RANDOM_BLOCKS, RANDOM_ROWS = 6, 2, 1536
LIMIT = 256


# ---- numbers ----------------------------------------------------------------

def mixed(seed, n):
    """n numbers from -1024 to 1023: the finaliser of MurmurHash3 over a counter."""
    h = np.arange(n, dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return (h >> np.uint32(21)).astype(np.int64) - 1024


def tensors():
    """By name, in the order that numbers them from 1."""
    out = {}
    seed = 0

    def put(name, shape, shift, random=True, about=0.0, rows=None):
        nonlocal seed
        seed += 1
        t = np.full(shape, about)
        if random and about:
            t += (mixed(seed, t.size).reshape(shape) >> 2) / 1024
        elif random:
            rows = rows or shape[0]
            t[:rows] = mixed(seed, rows * t[0].size).reshape(t[:rows].shape) / 2.0 ** shift
        out[name] = t

    put("embeddings.word_embeddings.weight", (ROWS, DIMS), 10, rows=RANDOM_ROWS)
    put("embeddings.position_embeddings.weight", (PLACES, DIMS), 11)
    put("embeddings.token_type_embeddings.weight", (2, DIMS), 11)
    put("embeddings.LayerNorm.weight", (DIMS,), 0, about=1.0)
    put("embeddings.LayerNorm.bias", (DIMS,), 13)
    for b in range(BLOCKS):
        r = b < RANDOM_BLOCKS
        for part, rows, cols, shift in (
                ("attention.self.query", DIMS, DIMS, 13), ("attention.self.key", DIMS, DIMS, 13),
                ("attention.self.value", DIMS, DIMS, 13), ("attention.output.dense", DIMS, DIMS, 13),
                ("intermediate.dense", INNER, DIMS, 13), ("output.dense", DIMS, INNER, 14)):
            put(f"encoder.layer.{b}.{part}.weight", (rows, cols), shift, r)
            put(f"encoder.layer.{b}.{part}.bias", (rows,), 13, r)
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            put(f"encoder.layer.{b}.{part}.weight", (DIMS,), 0, r, about=1.0)
            put(f"encoder.layer.{b}.{part}.bias", (DIMS,), 13, r)
    return out


# ---- words ------------------------------------------------------------------

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def vocabulary():
    words = [f"[unused{i}]" for i in range(ROWS)]
    words[0] = "[PAD]"
    words[100:104] = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    alone = list(LETTERS + "0123456789") + [a + b for a in LETTERS for b in LETTERS]
    made = list(".,?!'-:;()") + alone[:36] + ["##" + w for w in alone[:36]] + alone[36:]
    # Pairs go on as pairs of the first thirteen letters only, so that words fall apart in more than one way.
    made += ["##" + w for w in alone[36:] if w[0] < "n"]
    words[104:104 + len(made)] = made
    assert 104 + len(made) <= RANDOM_ROWS
    return {w: i for i, w in enumerate(words)}


def token_ids(text, ids):
    """WordPiece (Schuster and Nakajima 2012) of ASCII text: longest match first."""
    words, word = [], ""
    for c in text.lower() + " ":
        if c.isascii() and c.isalnum():
            word += c
            continue
        words += [word] if word else []
        words += [c] if c != " " else []
        word = ""
    out = []
    for w in words:
        pieces, at = [], 0
        if len(w) > 100:
            out.append(ids["[UNK]"])
            continue
        while at < len(w):
            end = len(w)
            while end > at and ("##" if at else "") + w[at:end] not in ids:
                end -= 1
            if end == at:
                pieces = [ids["[UNK]"]]
                break
            pieces.append(ids[("##" if at else "") + w[at:end]])
            at = end
        out += pieces
    return [ids["[CLS]"]] + out[:LIMIT - 2] + [ids["[SEP]"]]


# ---- the encoder --------------------------------------------------------------

def norm(x, t, name):
    d = x - x.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-12) * t[name + ".weight"] + t[name + ".bias"]


def gelu(x):
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def vector(t, ids):
    """BERT (Devlin et al. 2019), the mean of the last states, at length 1."""
    n, wide = len(ids), DIMS // HEADS
    e = "embeddings."
    x = t[e + "word_embeddings.weight"][ids] + t[e + "position_embeddings.weight"][:n] + t[e + "token_type_embeddings.weight"][0]
    x = norm(x, t, e + "LayerNorm")
    for b in range(BLOCKS):
        p = f"encoder.layer.{b}."

        def dense(y, name):
            return y @ t[p + name + ".weight"].T + t[p + name + ".bias"]

        mixed_in = np.empty_like(x)
        q, k, v = (dense(x, "attention.self." + name) for name in ("query", "key", "value"))
        for h in range(HEADS):
            s = slice(h * wide, (h + 1) * wide)
            a = q[:, s] @ k[:, s].T / math.sqrt(wide)
            a = np.exp(a - a.max(-1, keepdims=True))
            mixed_in[:, s] = a / a.sum(-1, keepdims=True) @ v[:, s]
        x = norm(x + dense(mixed_in, "attention.output.dense"), t, p + "attention.output.LayerNorm")
        x = norm(x + dense(gelu(dense(x, "intermediate.dense")), "output.dense"), t, p + "output.LayerNorm")
    v = x.mean(0)
    return v / np.sqrt(v @ v)


def main():
    t, ids = tensors(), vocabulary()
    for line in sys.stdin:
        text = line.rstrip("\n")
        i = token_ids(text, ids)
        print(json.dumps({"text": text, "token_ids": i, "vector": [round(float(x), 6) for x in vector(t, i)]},
                         separators=(",", ":")))


if __name__ == "__main__":
    main()
