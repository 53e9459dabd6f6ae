#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The pages that are related to a page, by what they say and by whom both are joined to.
load helper
load vault

setup() {
	scratch
	need_store
	notes_here
}

# path:shared_links:score of each.
related() { kg-related --format json "$@" | jq -r '"\(.path):\(.shared_links):\(.score)"'; }

@test "without vectors shared links alone tell, and at most three count" {
	page a.md '# A\n[[h1]] [[h2]] ![[h3]] [[h4]] [[h1]]\n'
	page b.md '# B\n\n# More\n\nFirst of all. Second. [[h1]] [[h2]]\n'
	page c.md '[[h1]] [[h2]] [[h3]] [[h4]]\n'
	page d.md ''
	page h1.md ''
	page h2.md '[[d]]\n'
	page h3.md ''
	page h4.md ''
	page lone.md ''
	link
	run -0 --separate-stderr related a
	[ "$output" = 'c.md:4:0.3
b.md:2:0.2
d.md:1:0.1' ]
	[[ $stderr = *"has no vector"* ]]
	run -0 --separate-stderr kg-related --format json a
	[ "$(jq -c '[.title, .slug, .path, .type, .excerpt, has("similarity")]' <<<"$output" | sed -n 2p)" = '["B","b","b.md","page","First of all.",false]' ]
	run -0 --separate-stderr kg-related --format text -n 2 a
	[ "${lines[1]}" = 'b.md: First of all.' ]
	[ "${#lines[@]}" = 2 ]
	run -1 kg-related lone
}

@test "similarity from .4 on, and .1 for each shared link; ten, unless more are wanted" {
	random_model
	for i in $(seq 12); do page "x$i/tea.md" '# Tea\nWe drink tea.\n'; done
	page one.md '[[x1/tea]] [[x2/tea]] and quite other words\n'
	kg-link -q --no-embed .
	mem-embed --model minilm --pending
	run -0 --separate-stderr kg-related --format json x1/tea.md
	[ "${#lines[@]}" = 10 ]
	[ -z "$stderr" ]
	[ "$(jq -c '[.path, .similarity, .shared_links, .score]' <<<"${lines[0]}")" = '["x2/tea.md",1,1,1.1]' ]
	[ "$(jq -c '[.similarity, .shared_links, .score]' <<<"${lines[1]}")" = '[1,0,1]' ]
	[ "$(kg-related --all x1/tea.md | jq -r 'select(.similarity == 1).path' | wc -l)" = 11 ]
	[ "$(kg-related -n 3 x1/tea.md | wc -l)" = 3 ]
	[ "$(kg-related --all x1/tea.md | jq -s 'all(.similarity >= .4) and (map(.path) | index("x1/tea.md")) == null')" = true ]
	[ "$(kg-related --all x1/tea.md | jq -s -c 'map(.score) == (map(.score) | sort | reverse)')" = true ]
}

@test "a shared link raises no page that says something else" {
	need_model e5
	page green.md '# Green tea\nHow to brew green tea: water of eighty degrees, two minutes.\n[[hub]]\n'
	page black.md '# Black tea\nHow to brew black tea: boiling water, four minutes.\n'
	page tax.md '# Tax return\nThe tax office wants the forms by the end of July.\n[[hub]]\n'
	page hub.md '[[x]]\n'
	kg-link -q --no-embed .
	mem-embed --pending
	run -0 related green.md
	[[ ${lines[0]} = black.md:0:* ]]
	[[ $output != *tax.md* ]]
}

@test "pages of others' namespaces and pages that are gone do not show" {
	page a.md '[[hub]]\n'
	page b.md '[[hub]]\n'
	page hub.md ''
	link
	mkdir ../w
	page ../w/own.md ''
	(cd ../w && MEM_AGENT=ana kg-link -q --no-embed --ns agent:ana .)
	printf '%s\n' '{"edge":"references","from":"own.md","to":"hub"}' | MEM_AGENT=ana kg-edge add
	[ "$(MEM_AGENT=ana kg-related a.md | jq -r .path | sort | paste -sd' ')" = 'b.md own.md' ]
	[ "$(MEM_AGENT=ben kg-related a.md | jq -r .path)" = b.md ]
	[ "$(MEM_AGENT=ana kg-related --ns agent:ana a.md | jq -r .path)" = own.md ]
	rm b.md
	link
	run -1 kg-related a.md
}

@test "an unknown page, what is no page: exit 1" {
	page a.md ''
	link
	run -1 kg-related nothing
	[[ $output = *nothing* ]]
	echo '{"kind":"entity","type":"person","name":"Zoe"}' | kg-node add
	run -1 kg-related Zoe
	[[ $output = *"is no live page"* ]]
	run -2 kg-related
	run -2 kg-related a.md a.md
}
