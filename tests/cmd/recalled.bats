#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What was recalled is not kept again.
load helper

@test "what mem-render printed is cut out, wherever it comes in" {
	need_store
	remember '{"content":"We own eleven goats.","ref":"first"}' >/dev/null
	for format in fence markdown; do
		block=$(mem-search -m keyword goats | mem-render --format $format)
		[ -n "$block" ]
		for i in 1 2; do
			jq -nc --arg b "$block" --arg r "$format$i" '{content:($b+"\n\nhow many again? "+$r),ref:$r,answer:{shown:("see\n"+$b)}}' | mem-capture --no-embed >receipt
			[ "$(jq -c '[.verdict,[.redactions[]|[.field,.kind]]]' receipt)" = '["new",[["content","recalled_memory"],["answer.shown","recalled_memory"]]]' ]
			mem-get -r "$format$i" >node
			[ "$(jq -r .content node)" = "how many again? $format$i" ]
			[ "$(jq -r .extra.answer.shown node)" = see ]
		done
		printf '%s\n\nof text %s\n' "$block" $format | mem-capture --whole --no-embed -q
		[ "$(mem-list | tail -1 | jq -r .content)" = "of text $format" ]
		# Alone it is nothing to keep.
		[ "$(jq -nc --arg b "$block" '{content:$b}' | mem-capture --no-embed | jq -r .reason)" = residue ]
	done
	[ "$(mem-list | jq -r .content | grep -c eleven)" = 1 ]
	# One who is no operator cannot import it either; an operator's store comes back as it was.
	jq -nc --arg b "$(mem-search -m keyword eleven | mem-render)" \
		'{id:"01980000-0000-7000-8000-000000000001",kind:"episode",ns:"agent:bob",created_at:"2026-08-01T10:00:00.000Z",content:($b+" x")}' >line
	[ "$(mem-import --agent bob <line | jq -r .reason)" = residue ]
	[ "$(sed 's/agent:bob/agent:ada/' line | mem-import | jq -r .verdict)" = new ]
}
