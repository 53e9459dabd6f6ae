#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Links of files that are checked without a store: in a folder, in a commit, as staged.
load helper
load vault

setup() {
	scratch
	notes_here
	git_person
}

@test "a vault whose links are whole is silent" {
	page a.md '---\naliases: [first]\n---\n# Start\n[[b]] [[b#Part two]] [[b#^id]] [t](sub/c.md#part-1) [[#Start]] ![[x.png]]\n'
	page b.md '[[first]]\n\n# part: TWO!\ntext ^id\n'
	page sub/c.md '## Part 1\n[up](../a.md) [[a]] [licence](../LICENSE.md) [[#anchor]]\n\n<a name="anchor"></a>\n'
	mkdir .hidden && page .hidden/x.md '[[nowhere]]'
	ln -s a.md LICENSE.md
	run -0 kg-check
	[ -z "$output" ]
	git init -q
	run -0 kg-check --format json sub
	[ -z "$output" ]
}

@test "each finding is a line with its place, and a record" {
	page a.md 'See ![[b#Gone]], [[b#^no]] and [[none|label]].\n\tüber [[x]] [t](no.md)\n\n`[[code]]`\n'
	page b.md '[[a]]\n'
	page one/x.md '[[a]]\n'
	page two/x.md '[[a]]\n'
	page alone.md '# Alone\n[[alone]]\n'
	printf '\377' > bad.md
	echo '[[bad]]' >> b.md
	run -1 kg-check
	diff - <(echo "$output") <<-'END'
		a.md:1:5: heading: ![[b#Gone]]: b.md has no heading 'Gone'
		a.md:1:18: block: [[b#^no]]: b.md has no block '^no'
		a.md:1:32: broken: [[none|label]]: no page is meant
		a.md:2:7: ambiguous: [[x]]: 2 pages are meant: one/x.md, two/x.md
		a.md:2:13: broken: [t](no.md): no page is meant
		alone.md:1:1: orphan: no link joins the page to another
		bad.md:1:1: unread: the page cannot be read: it is no text in UTF-8
	END
	run -1 kg-check --format json --only orphan,block
	diff - <(echo "$output") <<-'END'
		{"check":"block","path":"a.md","line":1,"column":18,"link":"[[b#^no]]","message":"b.md has no block '^no'"}
		{"check":"orphan","path":"alone.md","line":1,"column":1,"link":null,"message":"no link joins the page to another"}
	END
	run -0 kg-check --only orphan a.md one
	[ -z "$output" ]
	run -2 kg-check --only typo
	[[ $output = *"'typo' is none of broken,"* ]]
}

@test "a heading is found by what Obsidian and GitHub write for it" {
	printf '## %s\n\n' 'Tom & Jerry' 'A + B' 'R / S' 'Wiki [[t|Lab]] end' 'Emoji 🎉 x' 'Emoji 🎃 x' 'Snake_case: thing?' 'Title' 'Title' '🎉' >t.md
	printf 'Under\n-----\n\n- item ^a-1\n\n> quote\n\n^q2\n' >>t.md
	page a.md '[[t#Tom Jerry]] [[t#A B]] [[t#R S]] [[t#Wiki t Lab end]] [[t#Emoji 🎉 x]] [[t#snake case thing]]\n'
	echo '[a](t.md#tom--jerry) [a](t.md#emoji--x) [a](t.md#emoji--x-1) [a](t.md#emoji-%F0%9F%8E%89-x) [a](t.md#snake_case-thing)' >>a.md
	echo '[a](t.md#title) [a](t.md#title-1) [[t#🎉]] [[t#Under]] [[t#^a-1]] [[t#^A-1]] [[t#^q2]] [a](t.md#^q2)' >>a.md
	page b.md '[a](t.md#title-2) [[t#🎃]] [[t#^a1]] [[t#^a]] [[t#Lab end Wiki]]\n'
	run -0 kg-check --only heading,block a.md
	run -1 kg-check --only heading,block b.md
	diff - <(echo "$output") <<-END
		b.md:1:1: heading: [a](t.md#title-2): t.md has no heading 'title-2'
		b.md:1:19: heading: [[t#🎃]]: t.md has no heading '🎃'
		b.md:1:27: block: [[t#^a1]]: t.md has no block '^a1'
		b.md:1:37: block: [[t#^a]]: t.md has no block '^a'
		b.md:1:46: heading: [[t#Lab end Wiki]]: t.md has no heading 'Lab end Wiki'
	END
}

@test "a heading with HTML in it is found by what is shown of it, and by its names" {
	printf '## %s\n\n' 'Use <kbd>Ctrl</kbd>+C' '<a name="old"></a>New name' 'Install <small class="x">(Linux)</small><br/>' 'New name' \
		'Note <!-- hidden --> here' 'a < b and c > d' 'R&amp;D' >t.md
	page a.md '[a](t.md#use-ctrlc) [[t#Use Ctrl C]] [[t#Use <kbd>Ctrl</kbd>+C]] [a](t.md#old) [a](t.md#new-name) [a](t.md#new-name-1)\n'
	echo '[a](t.md#install-linux) [[t#Install (Linux)]] [a](t.md#note--here) [a](t.md#a--b-and-c--d) [a](t.md#rd) [[t#R&D]]' >>a.md
	page b.md '[a](t.md#ctrl) [a](t.md#older) [a](t.md#new-name-2)\n'
	run -0 kg-check --only heading,block a.md
	[ -z "$output" ]
	run -1 kg-check --only heading,block b.md
	[ "$(wc -l <<<"$output")" = 3 ]
}

@test "links to a heading or block of the same page are looked at in every form" {
	page a.md '# Start\n\n[y](#nope) [[#nope]] [y](#start) [y][r] [s] [y](#Top) [y](#) [y](#^no) ![y](#%6eope)\n\n[r]: #gone\n[s]: <#start>\n'
	run -1 kg-check --only broken,ambiguous,heading,block
	diff - <(echo "$output") <<-'END'
		a.md:3:1: heading: [y](#nope): a.md has no heading 'nope'
		a.md:3:12: heading: [[#nope]]: a.md has no heading 'nope'
		a.md:3:34: heading: [y][r]: a.md has no heading 'gone'
		a.md:3:62: block: [y](#^no): a.md has no block '^no'
		a.md:3:72: heading: ![y](#%6eope): a.md has no heading 'nope'
	END
}

@test "paths are shown as they are reached, and links resolved among all pages" {
	page sub/a.md '[[b]] [[none]]\n'
	page b.md '[[a]]\n'
	cd ..
	run -1 kg-check v
	[ "$output" = 'v/sub/a.md:1:7: broken: [[none]]: no page is meant' ]
	cd v
	run -1 kg-check sub/a.md
	[ "$output" = 'sub/a.md:1:7: broken: [[none]]: no page is meant' ]
	run -0 kg-check b.md
	run -2 kg-check b.md ../
	[[ $output = *"is not in the vault"* ]]
	run -3 kg-check nothing
}

@test "what is ignored is no page, by .gitignore and by patterns" {
	page a.md '[[b]]\n'
	page b.md '[[a]] [[gone]]\n'
	page built/gone.md '[[nowhere]] [[a]]\n'
	run -1 kg-check --only broken
	[ "$output" = 'built/gone.md:1:1: broken: [[nowhere]]: no page is meant' ]
	run -1 kg-check --only broken --ignore /built/
	[ "$output" = 'b.md:1:7: broken: [[gone]]: no page is meant' ]
	echo '!gone.md' > built/.gitignore
	echo '!/built/' > .gitignore
	run -1 kg-check --only broken --ignore /built/
	[ "$output" = 'b.md:1:7: broken: [[gone]]: no page is meant' ]
	rm built/.gitignore
	echo built > .gitignore
	run -1 kg-check --only broken
	[ "$output" = 'b.md:1:7: broken: [[gone]]: no page is meant' ]
	git init -q
	git add a.md b.md && git add -f built/gone.md
	run -1 kg-check --only broken
	[ "$output" = 'built/gone.md:1:1: broken: [[nowhere]]: no page is meant' ]
	run -1 kg-check --only broken --staged
	[ "$output" = 'built/gone.md:1:1: broken: [[nowhere]]: no page is meant' ]
}

@test "a commit and what is staged are checked without a checkout" {
	git init -q
	page a.md '[[b]]\n'
	page 'sub/- b.md' '[[a]]\n'
	git add . && git commit -qm one
	git mv 'sub/- b.md' b.md && git commit -qm two
	page a.md '[[c]]\n'
	git add a.md
	page a.md '[[b]]\n'
	run -0 kg-check
	run -1 kg-check --staged --only broken
	[ "$output" = 'a.md:1:1: broken: [[c]]: no page is meant' ]
	run -0 kg-check --rev HEAD
	run -1 kg-check --rev HEAD~ --only broken
	[ "$output" = 'a.md:1:1: broken: [[b]]: no page is meant' ]
	run -3 kg-check --rev nowhere
	[[ $output = *"there is no commit 'nowhere'"* ]]
	run -2 kg-check --rev HEAD --staged
	# As a hook, whose index is another file while a path is committed alone.
	printf '#!/bin/sh\nexec %s --staged --only broken\n' "$MEM_BUILD/bin/kg-check" > .git/hooks/pre-commit
	chmod +x .git/hooks/pre-commit
	git add a.md
	git commit -qm three --allow-empty
	page c.md '[[nothing]]\n'
	git add c.md
	page d.md '[[a]]\n' && git add d.md
	run -1 git commit -qm four c.md
	git commit -qm five d.md
}

@test "from a folder of the vault a path is the way there; what is no text says why" {
	git init -q
	page a.md '[[none]]\n'
	page sub/b.md '[[none]]\n'
	page sub/deep/c.md 'a\x00b'
	page other/d.md '\xff'
	cd sub
	run -1 kg-check --only broken,unread
	[ "$output" = "../a.md:1:1: broken: [[none]]: no page is meant
../other/d.md:1:1: unread: the page cannot be read: it is no text in UTF-8
b.md:1:1: broken: [[none]]: no page is meant
deep/c.md:1:1: unread: the page cannot be read: it holds a NUL byte" ]
	[ "$(kg-check --only broken b.md)" = 'b.md:1:1: broken: [[none]]: no page is meant' ]
	[ "$(kg-check --only broken ../a.md)" = '../a.md:1:1: broken: [[none]]: no page is meant' ]
	cd ../..
	[ "$(kg-check --only broken v | head -1)" = 'v/a.md:1:1: broken: [[none]]: no page is meant' ]
}

@test "folders that cannot be read are told, links of folders are not followed" {
	[ "$(id -u)" != 0 ] || skip "root reads all"
	page a.md '[[a]]\n'
	mkdir shut && chmod 0 shut
	ln -s . loop
	run -0 kg-check --only broken
	[[ $output = *"cannot read the folder 'shut'"* ]]
}

@test "nothing that the settings of a repository name is run" {
	git init -q
	page a.md '[[a]]\n'
	git add . && git commit -qm one
	printf '#!/bin/sh\ntouch %s/ran\n' "$PWD" > ../evil && chmod +x ../evil
	for key in core.fsmonitor core.pager diff.external pager.cat-file pager.ls-tree filter.e.clean filter.e.smudge diff.e.textconv; do
		git config "$key" "$PWD/../evil"
	done
	git config alias.cat-file '!touch ran'
	echo '* filter=e diff=e' > .gitattributes
	run -0 kg-check --rev HEAD --only broken
	run -0 kg-check --staged --only broken
	run -0 kg-check --only broken
	[ ! -e ran ]
}
