# SPDX-License-Identifier: Apache-2.0
"""onnxruntime on the same weights, from ids, on one thread.
usage: encoder_peer.py ONNX cold < IDS               one vector, and how long its parts took
       encoder_peer.py ONNX time ROUNDS VECTORS < IDS
IDS are those of encoder_bench, a text a line.  Texts are sorted by length and padded in batches of about 2,048 ids, vectors
are means over the ids.  `time` prints best seconds of the clock, best seconds of the processor, ids, and the
least cosine between its vectors and those in VECTORS."""
import sys
import time

import numpy as np
import onnxruntime as ort

options = ort.SessionOptions()
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
session = ort.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
names = [i.name for i in session.get_inputs()]
texts = [[int(x) for x in line.split()] for line in sys.stdin]


def encode(batch):
    long = max(map(len, batch))
    ids = np.array([t + [0] * (long - len(t)) for t in batch], dtype=np.int64)
    mask = np.array([[1] * len(t) + [0] * (long - len(t)) for t in batch], dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(None, {n: feed[n] for n in names})[0]
    v = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
    return v / np.linalg.norm(v, axis=1)[:, None]


def batches():
    batch = []
    for i in sorted(range(len(texts)), key=lambda i: len(texts[i])):
        if batch and (len(batch) + 1) * len(texts[i]) > 2048:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


if sys.argv[2] == "cold":
    print(encode(texts[:1])[0][:4])
    sys.exit(0)
rounds, wall, cpu = int(sys.argv[3]), 1e9, 1e9
vectors = np.zeros((len(texts), 384), dtype=np.float32)
for _ in range(rounds):
    w, c = time.perf_counter(), time.process_time()
    for b in batches():
        vectors[b] = encode([texts[i] for i in b])
    wall, cpu = min(wall, time.perf_counter() - w), min(cpu, time.process_time() - c)
ours = np.fromfile(sys.argv[4], dtype=np.float32).reshape(-1, 384)
print("%.9f\t%.9f\t%d\t%.6f" % (wall, cpu, sum(map(len, texts)), (ours * vectors).sum(axis=1).min()))
