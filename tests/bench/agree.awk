# SPDX-License-Identifier: Apache-2.0
# How far two runs agree: the mean over the first one's queries of the share of its best ten that
# the second has among its own ten.  Lines are qid, ref and more, tab between them, in rank order.
BEGIN { FS = "\t" }
NR == FNR {
	if (n[$1]++ < 10)
		has[$1, $2]
	next
}
m[$1]++ < 10 && (($1 SUBSEP $2) in has) { both[$1]++ }
END {
	for (q in n) {
		most = n[q] > m[q] ? n[q] : m[q]
		sum += both[q] / (most > 10 ? 10 : most)
		queries++
	}
	for (q in m)
		if (!(q in n))
			queries++
	printf "%.4f\n", (queries > 0 ? sum / queries : 0)
}
