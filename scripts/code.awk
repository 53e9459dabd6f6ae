# SPDX-License-Identifier: Apache-2.0
# C for awk scripts that look at sources: what a line holds besides comments and literals.
# Not run alone: awk "$(<scripts/code.awk)"'...'

# The code of one line, of lines that come in order: a comment may go on from line to line.
function code(s,   out, c) {
	out = ""
	while (s != "") {
		if (in_comment) {
			if (!match(s, /\*\//)) return out
			in_comment = 0
			s = substr(s, RSTART + 2)
			out = out " "
			continue
		}
		if (!match(s, /\/\*|\/\/|["\047]/)) return out s
		out = out substr(s, 1, RSTART - 1)
		s = substr(s, RSTART)
		c = substr(s, 1, 1)
		if (c == "/") {
			if (substr(s, 2, 1) == "/") return out
			in_comment = 1
			s = substr(s, 3)
		} else {
			if (c == "\"" ? !match(s, /^"([^"\\]|\\.)*"/) : !match(s, /^\047([^\047\\]|\\.)*\047/)) return out
			out = out c c
			s = substr(s, RLENGTH + 1)
		}
	}
	return out
}

# What a typedef names, from its text up to the semicolon.
function typedef_name(s) {
	sub(/__attribute__.*/, "", s)
	if (match(s, /\([ \t]*\*[ \t]*[A-Za-z_][A-Za-z0-9_]*/)) {
		s = substr(s, RSTART, RLENGTH)
		sub(/^[( \t*]*/, "", s)
		return s
	}
	if (match(s, /\(/)) s = substr(s, 1, RSTART - 1)
	sub(/(\[.*)?[; \t]*$/, "", s)
	sub(/.*[^A-Za-z0-9_]/, "", s)
	return s
}
