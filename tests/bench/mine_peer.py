# SPDX-License-Identifier: Apache-2.0
"""Mines a FIMI file with pyfim's FP-growth: mine_peer.py FILE PERCENT.  Prints how many sets there are."""
import sys

from fim import fpgrowth

print(len(fpgrowth([line.split() for line in open(sys.argv[1])], target="s", supp=float(sys.argv[2]))))
