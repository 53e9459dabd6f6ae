#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The graph as a page and as a still.  In a browser, where there is one: the page opens, finds, filters and shows a note, and
# nothing of what the store says runs in it.
load helper
load browser

setup() {
	scratch
	need_store
}

teardown() {
	browser_close
	embed_servers_stop
}

small_graph() {
	kg-node -q add <<-'END'
		{"kind":"entity","name":"Zoë","type":"person","description":"Builds boats at the harbour."}
		{"kind":"entity","name":"Atlas","type":"project"}
		{"kind":"entity","name":"lonely"}
		{"kind":"tag","name":"boats"}
		{"kind":"tag","type":"category","name":"sea"}
	END
	kg-edge -q add <<-'END'
		{"edge":"works_on","from":"Zoë","to":"Atlas","weight":0.5}
		{"edge":"has_tag","from":"Atlas","to":"boats"}
		{"edge":"uses_tag","from":"sea","to":"boats"}
	END
}

hostile_graph() {
	kg-node -q add <<-'END'
		{"kind":"entity","name":"</script><script>window.ran=1</script>","type":"<b>&\"'","description":"<img src=x onerror=window.ran=1> \u2028 \u2029 ]]> <!--"}
		{"kind":"entity","name":"<svg onload=window.ran=1>"}
	END
	kg-edge -q add <<<'{"edge":"relates_to","from":"<svg onload=window.ran=1>","to":"</script><script>window.ran=1</script>"}'
}

text_of() { browser_value "document.getElementById('$1').textContent"; }
type_search() { browser_value "(() => { const s = document.getElementById('search'); s.value = '$1'; s.dispatchEvent(new Event('input')); return document.querySelectorAll('#found li[data-node]').length; })()"; }

@test "a page loads nothing from elsewhere, and what is stored cannot end the element that holds it" {
	hostile_graph
	run -0 kg-export --format html
	[ "$(grep -o '</script' <<<"$output" | wc -l)" = 2 ]
	[ "$(grep -o '<script' <<<"$output" | wc -l)" = 2 ]
	[ "$(sed '/id="graph">/,/<\/script>/d' <<<"$output" | grep -ciE '<(link|img|iframe|object|embed|base|form)|(src|href|action)=')" = 0 ]
	[[ $output = *"default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'sha256-"* ]]
	run ! grep -qP '\x{2028}|\x{2029}' <<<"$output"
	sed -n '/id="graph">/,/<\/script>/p' <<<"$output" | sed '1d;$d' | jq -e '.nodes | map(.l) | index("</script><script>window.ran=1</script>") != null'
}

@test "the same graph gives the same page and the same still" {
	small_graph
	kg-export --format html --orphans > a.html
	kg-export --format html --orphans | cmp - a.html
	kg-export --format svg --orphans > a.svg
	kg-export --format svg --orphans | cmp - a.svg
	[ "$(grep -c '<circle' a.svg)/$(grep -c '<path' a.svg)/$(grep -c '<text' a.svg)" = 5/3/5 ]
	[ "$(grep -o '<circle\|<text' a.svg | uniq -c | xargs)" = '5 <circle 5 <text' ] # no node covers a name
	hostile_graph
	run -0 kg-export --format svg
	[ "$(grep -c '<script\|<svg onload' <<<"$output")" = 0 ]
	[[ $output = *'&#60;svg onload=window.ran=1&#62;'* ]]
}

@test "places differ, and what is joined lies nearer than what is not" {
	for i in {1..6}; do
		for side in a b; do echo "{\"kind\":\"entity\",\"name\":\"$side$i\"}"; done
	done | kg-node -q add
	for i in {1..6}; do
		for j in {1..6}; do
			[ "$i" -ge "$j" ] || for side in a b; do echo "{\"edge\":\"relates_to\",\"from\":\"$side$i\",\"to\":\"$side$j\"}"; done
		done
	done | kg-edge -q add
	kg-export --format html | sed -n '/id="graph">/,/<\/script>/p' | sed '1d;$d' > data.json
	jq -e 'def apart($p; $q): ($p.x - $q.x) * ($p.x - $q.x) + ($p.y - $q.y) * ($p.y - $q.y);
		[.nodes[] as $p | .nodes[] as $q | select($p.i < $q.i) | {same: ($p.l[0:1] == $q.l[0:1]), apart: apart($p; $q)}]
		| (map(select(.same).apart) | add / length) * 2 < (map(select(.same | not).apart) | add / length) and (map(.apart) | min) > 0' data.json
}

@test "an empty store is an empty picture" {
	run -0 kg-export --format html
	[[ $output = *'"nodes":[],"communities":[],"edgeKinds":[],'* ]]
	run -0 kg-export --format svg
	[ "$(grep -c '<circle' <<<"$output")" = 0 ]
}

@test "in a browser: it opens, finds, filters, and shows a note and its links" {
	small_graph
	kg-export --format html --orphans > page.html
	browser_open page.html
	[ "$(text_of count)" = '"5 nodes · 3 edges"' ]
	[ "$(browser_value "[...document.querySelectorAll('#kinds span')].map((e) => e.textContent).join()")" = '"entity,tag,category"' ]
	# Communities: those that are joined, and who is alone.
	[ "$(browser_value "[...document.querySelectorAll('#groups b')].map((e) => e.textContent).join()")" = '"2,2,1"' ]
	browser_value "document.querySelector('#groups input').click()" >/dev/null
	[ "$(text_of count)" = '"3 nodes · 1 edges"' ]
	browser_value "document.querySelector('#groups input').click()" >/dev/null
	browser_value "document.getElementById('swap').click()" >/dev/null
	[ "$(text_of swap)" = '"colour by kind"' ]
	# Find by a part of a name and by a note's text.
	[ "$(type_search AT)" = 3 ]
	[ "$(type_search atl)" = 1 ]
	[ "$(type_search harbour)" = 1 ]
	[ "$(type_search nosuch)" = 0 ]
	[ "$(text_of found)" = '"nothing is found"' ]
	# A slash leads to the search; Enter shows the first that is found.
	type_search '' >/dev/null
	browser_value "document.getElementById('plane').focus()" >/dev/null
	browser_key / a t l a s
	[ "$(browser_value "document.getElementById('search').value")" = '"atlas"' ]
	browser_key Enter
	[ "$(text_of name)" = '"Atlas"' ]
	[ "$(text_of links)" = '"has_tag →boats← works_onZoë"' ] || [ "$(text_of links)" = '"← works_onZoëhas_tag →boats"' ]
	# A link leads on.
	browser_value "[...document.querySelectorAll('#links button')].find((b) => b.textContent === 'Zoë').click()" >/dev/null
	[ "$(text_of name)$(text_of text)" = '"Zoë""Builds boats at the harbour."' ]
	# Escape closes, a click in the middle, where it was brought to, opens it again.
	browser_key Escape Escape
	[ "$(browser_value "document.getElementById('note').hidden")" = true ]
	browser_click 600 400
	[ "$(text_of name)" = '"Zoë"' ]
	# Kinds and edges that are switched off are gone, from what is found, too.
	browser_value "document.querySelector('#kinds input[value=entity]').click()" >/dev/null
	[ "$(text_of count)" = '"2 nodes · 1 edges"' ]
	[ "$(type_search atlas)" = 0 ]
	browser_value "document.querySelector('#kinds input[value=entity]').click()" >/dev/null
	browser_value "document.querySelector('#edges input[value=has_tag]').click()" >/dev/null
	[ "$(text_of count)" = '"5 nodes · 2 edges"' ]
	# Dark and light; zoom and all of it.
	was=$(browser_value "document.documentElement.className")
	type_search '' >/dev/null
	browser_value "document.getElementById('plane').focus()" >/dev/null
	browser_key d + - 0 ArrowLeft
	[ "$(browser_value "document.documentElement.className")" != "$was" ]
	[ -z "$(browser_complaints)" ]
}

@test "in a browser: nothing that is stored runs" {
	hostile_graph
	kg-export --format html > page.html
	browser_open page.html
	type_search svg >/dev/null
	browser_value "document.querySelector('#found li').click()" >/dev/null
	[ "$(text_of name)" = '"<svg onload=window.ran=1>"' ]
	browser_value "document.querySelector('#links button').click()" >/dev/null
	[ "$(text_of name)" = '"</script><script>window.ran=1</script>"' ]
	[ "$(browser_value "typeof window.ran")" = '"undefined"' ]
	[ "$(browser_value "document.scripts.length + document.images.length")" = 2 ]
	# What somebody adds to the page does not run either: only the script that the policy names does.
	browser_value "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.appendChild(s); })()" >/dev/null
	[ "$(browser_value "typeof window.ran")" = '"undefined"' ]
	[ "$(browser_complaints | grep -c 'Content Security Policy')" -ge 1 ]
}
