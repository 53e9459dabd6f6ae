# SPDX-License-Identifier: Apache-2.0
"""The tokenizers library over the same vocabulary and texts, on one thread.
usage: tokens_peer.py WORDS ROUNDS < TEXTS    WORDS as tokens_bench prints them; prints best seconds, ids of all texts"""
import os
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers  # noqa: E402

words = {}
with open(sys.argv[1], encoding="utf-8", newline="\n") as f:
    for line in f:
        n, score, word = line.rstrip("\n").split("\t", 2)
        words[int(n)] = (word, float(score))
if any(word == "[CLS]" for word, _ in words.values()):
    tokens = Tokenizer(models.WordPiece({w: n for n, (w, _) in words.items()}, unk_token="[UNK]"))
    tokens.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokens.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
else:  # the markers are not among the words
    pieces = [words.get(n, ("<%d>" % n, -100.0)) for n in range(max(words) + 1)]
    tokens = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokens.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokens.pre_tokenizer = pre_tokenizers.Metaspace()
tokens.enable_truncation(510)
texts = sys.stdin.buffer.read().decode("utf-8").split("\n")[:-1]


def each():
    return sum(len(tokens.encode(t).ids) for t in texts)


def batch():
    return sum(len(e.ids) for e in tokens.encode_batch_fast(texts))


best, ids = 1e9, 0
for _ in range(int(sys.argv[2])):
    for way in (each, batch):
        begun = time.process_time()
        ids = way()
        best = min(best, time.process_time() - begun)
print("%.6f\t%d" % (best, ids + 2 * len(texts)))
