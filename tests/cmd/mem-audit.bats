#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need mem-capture
	need_store
}

count() { mem-audit "$@" | wc -l; }

@test "mem-audit tells who captured what, and when" {
	id=$(remember '{"content":"secret tea"}')
	run -0 mem-audit --kind capture
	[ ${#lines[@]} = 1 ]
	[[ $output == '{"seq":1,"at":"2026-11-28T09:00:00.000Z","kind":"capture","subject":"'"$id"'","ns":"agent:ada","actor":"ada","reason":'* ]]
	[[ $output == *',"detail":'* ]]
	[[ $output != *'secret tea'* ]]
}

@test "mem-audit filters by subject, kind, actor, namespace and time" {
	mapfile -t id < <(remember '{"content":"a"}' '{"content":"b"}')
	MEM_NOW=2026-11-29T00:00:00Z MEM_AGENT=bob remember '{"content":"c"}'
	[ "$(count)" = 2 ]
	[ "$(count --every-namespace)" = 3 ]
	[ "$(count --agent bob)" = 1 ]
	[ "$(count --subject "${id[0]}")" = 1 ]
	[ "$(count --subject "${id[0]^^},${id[1]}")" = 2 ]
	[ "$(count --every-namespace --actor bob)" = 1 ]
	[ "$(count --every-namespace --actor ada --actor bob)" = 3 ]
	[ "$(count --every-namespace --ns agent:bob)" = 1 ]
	[ "$(count --kind capture)" = 2 ]
	[ "$(count --kind forget)" = 0 ]
	[ "$(count --every-namespace --since 2026-11-29)" = 1 ]
	[ "$(count --every-namespace --until 2026-11-29)" = 2 ]
	[ "$(count --after 1)" = 1 ]
	[ "$(count -n 1)" = 1 ]
	[ "$(count --all)" = 2 ]
	run -2 mem-audit --subject nonsense
	run -2 mem-audit operand
	run -4 mem-audit --agent bob --every-namespace
}

@test "mem-audit: a refused line is told in the caller's own namespace" {
	echo '{"content":"x","ns":"agent:bob"}' | mem-capture || true
	run -0 mem-audit --kind namespace_denied
	[ ${#lines[@]} = 1 ]
	[[ $output == *'"subject":null,"ns":"agent:ada","actor":"ada"'* ]]
	[ "$(count --agent bob)" = 0 ]
}

@test "mem-audit --format text is a table" {
	remember '{"content":"a"}'
	run -0 mem-audit --format text
	[ ${#lines[@]} = 2 ]
	[[ ${lines[0]} == WHEN*KIND*SUBJECT*NS*ACTOR*REASON ]]
	[[ ${lines[1]} == "09:00  capture  "*"  agent:ada  ada    {"* ]]
}

@test "each word that the audit gets is in mem-records(5)" {
	# The words of refusals are a table, the others stand where a row is made.
	{ sed -n '/^find_audit_word/,/^}/s/{ "[a-z_]*", "\([a-z_]*\)" }/\n@\1\n/gp' "$TOP/lib/write/batch_commit.c" | sed -n 's/^@//p'
	  grep -rhoE '[.]audit([.]word|_batch)? = (\{ )?"[a-z_]+"' "$TOP/lib" "$TOP/cmd" | grep -oE '[a-z_]+"' | tr -d '"'
	} | sort -u > words
	[ "$(wc -l <words)" -ge 8 ]
	sed -n '/^[.]Ss Audit/,/^[.]Ss Edges/s/^[.]It Cm //p' "$TOP/man/mem-records.5" | sed 's/ , /\n/g' | sort -u > page
	comm -23 words page | diff /dev/null -
}
