#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mem-eval beside trec_eval: random runs with ties, unjudged and missing records, every figure of every question.

usage: tests/bench/eval_peer.py [--runs N] [--keep DIR]     needs pytrec_eval; mem-eval is looked for in PATH

trec_eval breaks ties by the name of the document, from the last to the first; memkit takes ranks as printed, so that the
hits are written in trec_eval's order and shuffled.  Prints how many figures were compared; exit 1: some differ at the sixth decimal.
--keep writes the judgements, the runs and trec_eval's figures there, a file each.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import pytrec_eval

KS = (1, 5, 10, 20, 100)
NAMES = {"recall": "recall_%d", "hit": "success_%d", "ndcg": "ndcg_cut_%d"}


def make_gold(rng, questions):
    gold = {}
    for q in range(questions):
        judged = rng.sample(range(200), rng.randint(1, 30))
        gold["q%d" % q] = {"d%d" % d: rng.choice((0, 0, 1, 1, 2, 3)) for d in judged}
    return gold


def make_run(rng, gold, most):
    """Scores in few steps, so that many are tied; some questions have no hits, some are not in the gold."""
    run = {}
    for q in list(gold) + ["other1", "other2"]:
        if rng.random() < 0.1:
            continue
        near = list(gold.get(q, {}))
        docs = set(rng.sample(near, rng.randint(0, len(near)))) | {"d%d" % d for d in rng.sample(range(400), rng.randint(1, most))}
        steps = rng.choice((3, 20, 1000))
        run[q] = {d: float(rng.randrange(steps)) for d in docs}
    return run


def write_hits(rng, run, path):
    lines = []
    for q, docs in run.items():
        order = sorted(sorted(docs, reverse=True), key=lambda d: -docs[d])
        for rank, d in enumerate(order, 1):
            lines.append({"id": "x", "ref": d, "qid": q, "rank": rank, "score": docs[d]} if rng.random() < 0.5
                         else {"id": d, "qid": q, "rank": rank, "score": docs[d]})
    rng.shuffle(lines)
    with open(path, "w") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)


def peer_figures(gold, run):
    wanted = {"recall." + ",".join(map(str, KS)), "success." + ",".join(map(str, KS)),
              "ndcg_cut." + ",".join(map(str, KS)), "recip_rank"}
    got = pytrec_eval.RelevanceEvaluator(gold, wanted).evaluate(run)
    out = {}
    for q, grades in gold.items():
        if not any(g > 0 for g in grades.values()):
            continue
        figures = got.get(q, {})
        row = {"mrr": figures.get("recip_rank", 0.0)}
        for ours, theirs in NAMES.items():
            for k in KS:
                row["%s_%d" % (ours, k)] = figures.get(theirs % k, 0.0)
        out[q] = row
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--keep")
    args = parser.parse_args()
    folder = args.keep or tempfile.mkdtemp()
    compared = 0
    for seed in range(args.runs):
        rng = random.Random(seed)
        gold = make_gold(rng, 3 if args.keep else 20)
        run = make_run(rng, gold, 20 if args.keep else 150)
        qrels, hits = os.path.join(folder, "gold.%d" % seed), os.path.join(folder, "run.%d" % seed)
        with open(qrels, "w") as f:
            f.writelines("%s 0 %s %d\n" % (q, d, g) for q, grades in gold.items() for d, g in grades.items())
        write_hits(rng, run, hits)
        want = peer_figures(gold, run)
        if args.keep:
            with open(os.path.join(folder, "figures.%d" % seed), "w") as f:
                f.writelines(json.dumps({"qid": q, **{n: round(v, 6) for n, v in row.items()}}) + "\n" for q, row in want.items())
        lines = subprocess.run(["mem-eval", "--gold", qrels, "--gain", "linear", "--each", "--at", ",".join(map(str, KS)), hits],
                               check=True, capture_output=True, text=True).stdout.splitlines()
        got = {r["qid"]: r for r in map(json.loads, lines)}
        if set(got) != set(want):
            sys.exit("run %d: other questions: %s" % (seed, sorted(set(got) ^ set(want))))
        for q, row in want.items():
            for name, v in row.items():
                compared += 1
                if abs(got[q][name] - v) > 6e-7:
                    sys.exit("run %d, %s, %s: %s, of trec_eval %s" % (seed, q, name, got[q][name], v))
    print("%d figures of %d runs agree to six decimals" % (compared, args.runs))


main()
