# SPDX-License-Identifier: Apache-2.0
# Shares of samples by room.  First file: symbol and room; second: perf script -F ip,sym,dso.
# Functions of the archives that memkit links are known by their names.
NR == FNR {
	room[$1] = $2
	next
}
NF >= 2 {
	sym = $2
	dso = $NF
	sub(/\+0x.*/, "", sym)
	where = "other"
	if (dso ~ /kernel|vmlinux/)
		where = "kernel"
	else if (sym in room)
		where = room[sym]
	else if (sym ~ /^mdb_/)
		where = "LMDB"
	else if (sym ~ /^(pcre2|_pcre2|match|internal_match)/)
		where = "PCRE2"
	else if (sym ~ /^(utf8proc|u8_|uc_|unistr|sb_|SN_|english_|r_|eq_|find_among|slice_|in_grouping|out_grouping|skip_)/)
		where = "Unicode and stems"
	else if (sym ~ /^(crypto_|blake2b|sodium|siphash)/)
		where = "libsodium"
	else if (sym ~ /^\[unknown\]/ && dso !~ /\.so/)
		where = "PCRE2"
	else if (dso ~ /libc/)
		where = "libc"
	n[where]++
	total++
}
END {
	for (w in n)
		printf "%s\t%.1f\n", w, 100 * n[w] / total
}
