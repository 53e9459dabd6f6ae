# SPDX-License-Identifier: Apache-2.0
# Judges a run.  First file: qid, ref, grade; second: qid, ref in rank order; tabs between them.
# Prints recall@10, nDCG@10 and the number of queries.  Gain 2^grade - 1, discount
# log2(rank + 1); a query without gold is not counted, one without hits counts as 0.
BEGIN { FS = "\t" }
NR == FNR {
	if (!($1 in golds))
		order[++queries] = $1
	grade[$1, $2] = $3
	count[$1, $3]++
	golds[$1]++
	if ($3 > top)
		top = $3
	next
}
($1 in golds) && rank[$1] < 10 {
	rank[$1]++
	if (($1 SUBSEP $2) in grade) {
		found[$1]++
		dcg[$1] += (2 ^ grade[$1, $2] - 1) / (log(rank[$1] + 1) / log(2))
	}
}
END {
	for (i = 1; i <= queries; i++) {
		q = order[i]
		ideal = 0
		place = 0
		for (g = top; g > 0; g--)
			for (k = 0; k < count[q, g] && place < 10; k++)
				ideal += (2 ^ g - 1) / (log(++place + 1) / log(2))
		recall += found[q] / golds[q]
		ndcg += dcg[q] / ideal
	}
	if (queries > 0)
		printf "%.3f\t%.3f\t%d\n", recall / queries, ndcg / queries, queries
}
