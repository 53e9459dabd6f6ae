# SPDX-License-Identifier: Apache-2.0
"""Times pyfim's FP-growth on a FIMI file: mine_peer.py FILE PERCENT ROUNDS.  Prints seconds (the best) and sets.

The call alone counts, without starting Python and reading the file."""
import sys
import time

from fim import fpgrowth

transactions = [line.split() for line in open(sys.argv[1])]
best = None
for _ in range(int(sys.argv[3])):
    begun = time.perf_counter()
    sets = fpgrowth(transactions, target="s", supp=float(sys.argv[2]))
    took = time.perf_counter() - begun
    best = took if best is None else min(best, took)
print(best, len(sets))
