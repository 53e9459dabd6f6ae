#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The places where pages link to a page.
load helper
load vault

setup() {
	scratch
	need_store
	notes_here
}

# path:line:column of each link.
places() { kg-backlinks --format json "$@" | jq -r '"\(.path):\(.line):\(.column)"'; }

@test "each link is a record with its sentence; the newest page comes first, in a page by line" {
	page tea.md '---\naliases: [Camellia]\n---\n# Tea\n[[tea]]\n'
	page a.md '---\nup: "[[tea]]"\n---\nOne. We drink [[tea]] daily! Two ![[tea]].\n\n\xc3\xa9 [green](tea.md) \xc3\xa9 [[Camellia]].\n`[[tea]]` [[other]]\n'
	link
	page b.md 'tea alone, then [[Tea|a cup]]\n'
	link
	run -0 kg-backlinks --format text tea.md
	[ "$output" = 'b.md:1:17: tea alone, then [[Tea|a cup]]
a.md:4:15: We drink [[tea]] daily!
a.md:4:34: Two ![[tea]].
a.md:6:3: é [green](tea.md) é [[Camellia]].
a.md:6:21: é [green](tea.md) é [[Camellia]].' ]
	run -0 kg-backlinks --format json -n 1 tea.md
	[ "$(jq -c '[.title, .slug, .path, .type, .excerpt, .line, .column, .page_title]' <<<"$output")" = '["b","b","b.md","page","tea alone, then [[Tea|a cup]]",1,17,"Tea"]' ]
	[ "$(jq -r .page <<<"$output")" = "$(mem-list --kind page --name Tea | jq -r .id)" ]
	[ "$(jq -r .id <<<"$output")" = "$(mem-list --kind page --name b | jq -r .id)" ]
}

@test "of a sentence that is too long there are the link and some words before it" {
	page tea.md '# Tea\n'
	words=$(printf 'word%03d ' {1..60})
	page a.md "${words}see [[tea]] and $words\n"
	page b.md "$(printf 'é%.0s' {1..300}) [[tea|$(printf 'y%.0s' {1..280})]] $words\n"
	link
	run -0 kg-backlinks --format json tea.md
	[ "$(jq -r 'select(.path == "a.md").excerpt' <<<"$output" | grep -c '^word0[0-9][0-9] .*word060 see \[\[tea]] and word001 ')" = 1 ]
	[ "$(jq -r 'select(.path == "b.md").excerpt' <<<"$output" | cut -c1-8)" = '[[tea|yy' ]
	[ "$(jq -r .excerpt <<<"$output" | awk '{ print length($0) <= 300 }' | sort -u)" = 1 ]
}

@test "a page is named by id, ref, path, title or alias, also on standard input" {
	page x/tea.md '---\naliases: [Camellia]\n---\n# Green tea\n'
	page a.md '[[tea]]\n'
	link
	id=$(mem-list --kind page --name 'Green tea' | jq -r .id)
	for name in "$id" "${id:0:8}" v/x/tea.md x/tea.md 'GREEN tea' camellia; do
		run -0 places "$name"
		[ "$output" = a.md:1:1 ]
	done
	[ "$(mem-get "$id" | kg-backlinks - | jq -r .path)" = a.md ]
	[ "$(printf 'camellia\0' | kg-backlinks -0 - | jq -r .path)" = a.md ]
}

@test "a tag or an entity of the name does not hide the page" {
	page harbour.md '# Harbour\n'
	page tea.md '---\naliases: [Sencha]\n---\n'
	page y.md 'To [[harbour]], the harbour. #harbour [[tea]] #sencha Sencha\n'
	page z.md '[[harbour]] [[tea]]\n'
	link
	echo '{"kind":"entity","type":"place","name":"Harbour"}' | kg-node add -q
	[ "$(kg-backlinks --format json harbour)" = "$(kg-backlinks --format json harbour.md)" ]
	[ "$(kg-backlinks --format json Sencha)" = "$(kg-backlinks --format json tea.md)" ]
	[ "$(kg-mentions --format json Harbour | jq -r .path)" = y.md ]
	[ "$(kg-mentions --format json sencha | jq -r .path)" = y.md ]
	run -0 --separate-stderr kg-related --format json sencha
	[ "$(jq -r .path <<<"$output" | head -1)" != '' ]
}

@test "several pages come one after the other, and -n counts over all" {
	page a.md '[[b]] [[c]]\n'
	page b.md '[[c]]\n'
	page c.md '[[b]]\n'
	link
	run -0 kg-backlinks --format json c.md b.md
	[ "$(jq -r '"\(.page_title) \(.path)"' <<<"$output" | sort)" = $'b a.md\nb c.md\nc a.md\nc b.md' ]
	[ "$(jq -r .page_title <<<"$output" | uniq | paste -sd' ')" = 'c b' ]
	[ "$(kg-backlinks -n 3 c.md b.md | wc -l)" = 3 ]
	[ "$(kg-backlinks -n 3 --all c.md b.md | wc -l)" = 4 ]
	page many.md "$(printf '[[c]]\\n%.0s' {1..2500})"
	link
	[ "$(kg-backlinks c.md | wc -l)" = 2502 ]
	[ "$(kg-backlinks -n 1200 c.md | jq .line | tail -1)" = 1200 ]
}

@test "an edge that tells no place has a record without line and column" {
	page a.md ''
	page b.md ''
	link
	echo '{"edge":"references","from":"a.md","to":"b.md","link_text":"see b"}' | kg-edge add
	run -0 kg-backlinks --format json b.md
	[ "$(jq -c '[.path, .excerpt, has("line"), has("column")]' <<<"$output")" = '["a.md","see b",false,false]' ]
	run -0 kg-backlinks --format text b.md
	[ "$output" = 'a.md: see b' ]
}

@test "a page's mentions are the pages whose links are printed, edges by hand among them, while they hold" {
	page a.md '[[b]] [[b]] ![[b]]\n'
	page b.md '[[b]]'
	page c.md ''
	page d.md ''
	link
	mentions() { mem-list --kind page | jq 'select(.path == "b.md").mentions'; }
	[ "$(mentions)" = 1 ]
	echo '{"edge":"references","from":"c.md","to":"b.md"}' | kg-edge -q add
	echo '{"edge":"references","from":"d.md","to":"b.md","valid_to":"2026-02-01T00:00:00Z"}' | kg-edge -q add
	echo '{"edge":"relates_to","from":"d.md","to":"b.md"}' | kg-edge -q add
	[ "$(mentions)" = 2 ]
	[ "$(kg-backlinks b.md | jq -r .path | sort -u | paste -sd' ')" = 'a.md c.md' ]
	export MEM_NOW=2026-01-01T00:00:00Z
	[ "$(mentions)" = 3 ]
	[ "$(kg-backlinks b.md | jq -r .path | sort -u | paste -sd' ')" = 'a.md c.md d.md' ]
	unset MEM_NOW
	page c.md 'no link'
	link
	[ "$(mentions)" = 1 ]
}

@test "pages of others' namespaces and pages that are gone do not show" {
	page tea.md '# Tea\n'
	page a.md '[[tea]]\n'
	page b.md '[[tea]]\n'
	link
	mkdir ../w
	page ../w/own.md ''
	(cd ../w && MEM_AGENT=ana kg-link -q --no-embed --ns agent:ana .)
	printf '%s\n' '{"edge":"references","from":"own.md","to":"Tea","link_text":"mine"}' | MEM_AGENT=ana kg-edge add
	[ "$(MEM_AGENT=ana kg-backlinks tea.md | jq -r .path | sort | paste -sd' ')" = 'a.md b.md own.md' ]
	[ "$(MEM_AGENT=ben kg-backlinks tea.md | jq -r .path | sort | paste -sd' ')" = 'a.md b.md' ]
	[ "$(MEM_AGENT=ana kg-backlinks --ns agent:ana tea.md | jq -r .path)" = own.md ]
	[ "$(MEM_AGENT=ana kg-backlinks --ns global -n 1 tea.md | wc -l)" = 1 ]
	rm b.md
	link
	run -0 places tea.md
	[ "$output" = a.md:1:1 ]
}

@test "none, an unknown page, what is no page: exit 1" {
	page a.md '[[b]]\n'
	page b.md ''
	link
	run -1 kg-backlinks a.md
	[ -z "$output" ]
	run -1 kg-backlinks nothing
	[[ $output = *nothing* ]]
	run -1 kg-backlinks nothing b.md
	[[ $output = *'"path":"a.md"'* ]]
	echo '{"kind":"entity","type":"person","name":"Zoe"}' | kg-node add
	run -1 kg-backlinks Zoe
	[[ $output = *"is no live page"* ]]
	run -2 kg-backlinks
}
