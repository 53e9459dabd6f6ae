#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Pages that others name without a link: listed, shown as a diff that links them, linked.
load helper
load vault

setup() {
	scratch
	need_store
	notes_here
}

# What the pages of the vault mention: path:line:column:name of each.
mentions() { kg-mentions --all --format json "$@" | jq -r '"\(.path):\(.line):\(.column):\(.name)"'; }

@test "titles and aliases in the text of other pages are mentions, links and code are none" {
	page tea.md '---\naliases: [Camellia sinensis, "Caf\xc3\xa9"]\n---\n# Green Tea\nGreen tea is tea.\n'
	page a.md 'We drink GREEN  TEA. And camellia Sinensis, cafe\xcc\x81s, cafe.\n\n[[green tea]] `Green Tea` [Green Tea](x.md)\n'
	page b.md '# About green tea\n\n- \xc3\xa9 Green Tea: evergreen tea, green-tea, Green Teas\n> $Green Tea$ %%Green Tea%%\n'
	link
	run -0 mentions tea.md
	[ "$output" = 'b.md:1:9:green tea
b.md:3:5:Green Tea
a.md:1:10:GREEN  TEA
a.md:1:26:camellia Sinensis
a.md:1:53:cafe' ]
	run -0 mentions 'Green Tea'
	[ "${#lines[@]}" = 5 ]
}

@test "a mention is a record of its page, with its sentence; the newest page comes first, 20 of them" {
	page t.md '# Tea\n'
	link
	page a.md 'One. Two with tea in it! Three.\n'
	link
	run -0 kg-mentions --format json t.md
	[ "$(jq -c '[.title, .slug, .path, .type, .excerpt, .line, .column, .name, .page_title]' <<<"$output")" = '["a","a","a.md","page","Two with tea in it!",1,15,"tea","Tea"]' ]
	[ "$(jq -r .page <<<"$output")" = "$(mem-list --kind page --name Tea | jq -r .id)" ]
	[ "$(jq -r .id <<<"$output")" = "$(mem-list --kind page --name a | jq -r .id)" ]
	run -0 kg-mentions --format text t.md
	[ "$output" = 'a.md:1:15: Two with tea in it!' ]
	page b.md "$(printf 'tea\\n%.0s' {1..30})"
	link
	[ "$(kg-mentions t.md | wc -l)" = 20 ]
	[ "$(kg-mentions t.md | jq -r .path | sort -u)" = b.md ]
	[ "$(kg-mentions --all t.md | wc -l)" = 31 ]
	[ "$(kg-mentions -n 31 t.md | jq -r .path | tail -1)" = a.md ]
	[ "$(kg-mentions -n 3 t.md | jq -c .line)" = $'1\n2\n3' ]
}

@test "without a page all are looked for, but names that several have" {
	page a.md '# Alpha\nbeta and gamma\n'
	page b.md '# Beta\nAlpha\n'
	page x/gamma.md ''
	page y/gamma.md 'gamma beta\n'
	link
	run -0 mentions
	[ "$(sort <<<"$output")" = 'a.md:2:1:beta
b.md:2:1:Alpha
y/gamma.md:1:7:beta' ]
	run -0 mentions x/gamma.md
	[ "$(sort <<<"$output")" = 'a.md:2:10:gamma
y/gamma.md:1:1:gamma' ]
	run -1 kg-mentions y/gamma.md --vault v -n 1 nothing
}

@test "the diff links them, and --write does it, by the text, else by the path with the text as label" {
	page tea.md '---\naliases: [Drink]\n---\n# Green Tea\n'
	page x/deep.md ''
	page y/deep.md ''
	page a.md '\xef\xbb\xbfSome green tea\r\n\r\n> a Drink, [[tea]] \xf0\x9f\x8d\xb5 green tea'
	page z/t.md '|a|\n|-|\n|deep|\n'
	link
	cp a.md before
	kg-mentions --diff tea.md >diff.txt
	cmp a.md before
	git init -q . && git apply diff.txt
	cmp a.md <(printf '\xef\xbb\xbfSome [[green tea]]\r\n\r\n> a [[Drink]], [[tea]] \xf0\x9f\x8d\xb5 [[green tea]]')
	mv before a.md
	kg-mentions --write tea.md >written.txt
	cmp diff.txt written.txt
	cmp a.md <(printf '\xef\xbb\xbfSome [[green tea]]\r\n\r\n> a [[Drink]], [[tea]] \xf0\x9f\x8d\xb5 [[green tea]]')
	kg-mentions --write x/deep.md
	[ "$(cat z/t.md)" = $'|a|\n|-|\n|[[x/deep\\|deep]]|' ]
	link
	run -1 kg-mentions --write tea.md
	[ -z "$output" ]
	run -0 kg-check --only broken,ambiguous
}

@test "a part of an address, path, file name, option, number or longer name is no mention, and stays as it is" {
	local name
	for name in Oslo York 2024 'C++' net; do page "p/$name.md" ''; done
	# shellcheck disable=SC1003
	printf '%s\n' 'Mail ada@oslo.example, ada.oslo@x.no, @oslo, www.oslo.no, www.x.no/a?oslo, oslo.no.' 'Foot[^oslo] [^my-oslo] \Oslo \\Oslo' '' '[^oslo]: note' '' \
		'york.md docs/york.txt my-york.md york.my-md /york/path york/ C:\York York\docs' '' '^York' '' '- item' '^my-york' '' \
		'2024-01 v2024.5 1.2024 10:2024 2024:10 x=2024 2024=x $2024 COVID-2024 2024-x' '' 'c++x C++11 C+++ xC++' '' '.net asp.net --net -net &net; :net: {net} [net] !net net(x) #net# net:: x' \
		'`a`/oslo https://x.no/oslo' >t.md
	cp t.md before
	link
	run -1 kg-mentions --all --format text
	[ -z "$output" ]
	run -1 kg-mentions --write --all
	cmp t.md before
}

@test "punctuation, a hyphen between words, and marks of emphasis leave a mention" {
	local name
	for name in Oslo York 'C++' 東京; do page "p/$name.md" ''; done
	# shellcheck disable=SC1003
	printf '%s\n' "Oslo, Oslo's (Oslo) \"Oslo\" Oslo. ...Oslo *Oslo* _Oslo_ ==Oslo== ~~Oslo~~ Oslo: x" 'Oslo-based new-York York–Oslo Oslo[^1] Oslo\' 'C++, C++. 東京は' >t.md
	link
	kg-mentions --write --all >/dev/null
	[ "$(cat t.md)" = "[[Oslo]], [[Oslo]]'s ([[Oslo]]) \"[[Oslo]]\" [[Oslo]]. ...[[Oslo]] *[[Oslo]]* _[[Oslo]]_ ==[[Oslo]]== ~~[[Oslo]]~~ [[Oslo]]: x
[[Oslo]]-based new-[[York]] [[York]]–[[Oslo]] [[Oslo]][^1] [[Oslo]]\\
[[C++]], [[C++]]. [[東京]]は" ]
	cp t.md before
	link
	run -1 kg-mentions --write --all
	cmp t.md before
}

@test "a file that has changed since it was indexed is left as it is" {
	page tea.md '# Tea\n'
	page a.md 'tea\n'
	page b.md 'tea\n'
	link
	echo more >>a.md
	run -1 kg-mentions --write tea.md
	[[ $output = *"'a.md' has changed since it was indexed"* ]]
	[ "$(cat a.md)" = $'tea\nmore' ]
	[ "$(cat b.md)" = '[[tea]]' ]
	rm a.md
	link
	page b.md 'tea\n'
	link
	kg-mentions --write -n 1 tea.md
	[ "$(cat b.md)" = '[[tea]]' ]
	run -1 kg-mentions --diff --vault other tea.md
}

@test "the title line of a page is no mention of another page of that title" {
	page one/tea.md '# Tea\nCups.\n'
	page two/tea.md '# Tea\n\nOther tea.\n\n# Tea\n'
	page c.md 'Cups\n====\n'
	page cups.md '# *Cups*\n\nSee.\n'
	page d.md '# Tea and cups\n'
	link
	[ "$(mentions one/tea.md | sort)" = $'d.md:1:3:Tea\ntwo/tea.md:3:7:tea\ntwo/tea.md:5:3:Tea' ]
	[ "$(mentions c.md | sort)" = $'d.md:1:11:cups\none/tea.md:2:1:Cups' ]
}

@test "what is no page is told, and unseen pages are neither named nor looked at" {
	page tea.md '# Tea\n'
	page a.md 'tea\n'
	link
	run -1 kg-mentions nothing
	echo '{"kind":"entity","type":"person","name":"Zoe"}' | kg-node add
	run -1 kg-mentions Zoe
	[[ $output = *"is no live page"* ]]
	printf 'Tea\n' | kg-mentions -
	rm tea.md
	link
	run -1 kg-mentions
	[ -z "$output" ]
}

@test "a record of a page outside the vault or in a hidden folder has no file written" {
	local path out
	mkdir out .git sub
	ln -s ../out link
	page tea.md '# Tea\n'
	printf 'Tea\n' | tee ../abs.md .git/info.md .git/info.txt out/o.md >/dev/null
	mv out ../out
	link
	for path in ../abs.md .git/info.md .git/info.txt link/o.md sub/../../abs.md; do
		printf '{"id":"%s","kind":"page","ns":"global","created_at":"2026-01-01T00:00:00.000Z","ref":"v/%s","title":"o","path":"%s","sha256":"%s","content":"Tea\\n"}\n' \
			"$(cat /proc/sys/kernel/random/uuid)" "$path" "$path" "$(sha256sum <../abs.md | cut -d' ' -f1)"
	done >records
	run -1 mem-import -q <records
	[ "$(jq -r '"\(.line) \(.reason)"' <<<"$output")" = $'1 bad_value\n2 bad_value\n3 bad_value\n5 bad_value' ]
	run kg-mentions --write --all tea.md
	[ "$status" -ne 0 ]
	[[ $output = *"'link/o.md' is no page below"* ]]
	for out in ../abs.md .git/info.md .git/info.txt ../out/o.md; do
		[ "$(cat "$out")" = Tea ]
	done
}
