#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A page gets another path: links to it are written anew, each in its own style, and no other byte changes.
load helper
load vault

setup() {
	scratch
	notes_here
}

@test "links to a page keep their style, label, heading and block" {
	page notes/old.md '---\naliases: [first]\n---\n[[#h]] [[old#h]]\n# h\n'
	page a.md '---\nup: "[[old|Up]]"\n---\n[[old]] [[old|l]] ![[old#h]] [[old#^b]] [[Old.md]] [[notes/old]] [[first]] [t](notes/old.md#h) [t](./notes/old.md "x")\n'
	page sub/b.md '[t](../notes/old.md) [r] [[../notes/old]]\n\n|a|\n|-|\n|[[old\\|l]]|\n\n`[[old]]` %%[[old]]%%\n\n[r]: <../notes/old.md> "t"\n'
	run -0 kg-rename --write -q notes/old.md "arch/new name"
	[ -z "$output" ]
	[ ! -e notes/old.md ]
	diff - "arch/new name.md" <<-'END'
		---
		aliases: [first]
		---
		[[#h]] [[new name#h]]
		# h
	END
	diff - a.md <<-'END'
		---
		up: "[[new name|Up]]"
		---
		[[new name]] [[new name|l]] ![[new name#h]] [[new name#^b]] [[new name.md]] [[arch/new name]] [[first]] [t](arch/new%20name.md#h) [t](./arch/new%20name.md "x")
	END
	diff - sub/b.md <<-'END'
		[t](../arch/new%20name.md) [r] [[../arch/new name]]

		|a|
		|-|
		|[[new name\|l]]|

		`[[old]]` %%[[old]]%%

		[r]: <../arch/new name.md> "t"
	END
	run -0 kg-check --only broken,ambiguous
}

@test "the diff is what git and patch take, and nothing is written without --write" {
	page 'o ld.md' 'x\n'
	page a.md '1\n2\n3\n4\n[[o ld]]\n6\n7\n8\n9\n10\n11\n12\n13\r\n[[o ld]]'
	cp a.md before
	kg-rename "o ld.md" new > diff.txt
	cmp a.md before
	[ -e 'o ld.md' ]
	diff - <(cat -A diff.txt) <<-'END'
		diff --git a/a.md b/a.md$
		--- a/a.md$
		+++ b/a.md$
		@@ -2,7 +2,7 @@$
		 2$
		 3$
		 4$
		-[[o ld]]$
		+[[new]]$
		 6$
		 7$
		 8$
		@@ -11,4 +11,4 @@$
		 11$
		 12$
		 13^M$
		-[[o ld]]$
		\ No newline at end of file$
		+[[new]]$
		\ No newline at end of file$
		diff --git a/o ld.md b/new.md$
		rename from o ld.md$
		rename to new.md$
	END
	git init -q . && git apply diff.txt
	[ -e new.md ]
	mkdir ../w && cp before ../w/a.md && cd ../w
	page 'o ld.md' 'x\n'
	kg-rename -q --write 'o ld.md' new
	cmp a.md ../v/a.md
	cmp new.md ../v/new.md
}

@test "links of the moved page follow it: relative ones to pages and to files that are there" {
	page d/p.md '[a](q.md) [b](../r.md#h) ![i](i%20j.png) [f](<my f.pdf>) [s](site/x) [n](none.md) [k](/r.md) [w](https://e.org/q.md) [[q]] [[r]] [u](p.md)\n\n[x]: i%20j.png\n'
	page d/q.md '[p](p.md)\n'
	page r.md ''
	touch 'd/i j.png' 'd/my f.pdf'
	run -0 kg-rename --write d/p.md e/f
	[ -e e/f.md ]
	diff - e/f.md <<-'END'
		[a](../d/q.md) [b](../r.md#h) ![i](../d/i%20j.png) [f](<../d/my f.pdf>) [s](site/x) [n](../d/none.md) [k](/r.md) [w](https://e.org/q.md) [[q]] [[r]] [u](f.md)

		[x]: ../d/i%20j.png
	END
	[ "$(cat d/q.md)" = '[p](../e/f.md)' ]
	mkdir g
	kg-rename -q --write e/f.md g
	grep -q '\[a\](../d/q.md)' g/f.md
	kg-rename -q --write g/f.md .
	grep -q '\[a\](d/q.md)' f.md
	[ "$(cat d/q.md)" = '[p](../f.md)' ]
}

@test "a link that would mean another page is written with as much of the path as it needs" {
	page a/x.md 'ax\n'
	page b/y.md '# Y\n'
	page c/z.md '[[x]] [[x#h|l]] [[y]] [[Y]]\n'
	page b/w.md '[[x]] [[y]]\n'
	kg-rename -q --write b/y.md b/x.md
	[ "$(cat c/z.md)" = '[[a/x]] [[a/x#h|l]] [[b/x]] [[b/x]]' ]
	[ "$(cat b/w.md)" = '[[a/x]] [[x]]' ]
	run -0 kg-check --only broken,ambiguous
}

@test "a markdown link to a name that holds an entity, and what it encoded, stay encoded" {
	page 'R&amp;D.md' 'x\n'
	page 'a&#1;b.md' 'x\n'
	page "it's + x&y (1).md" 'x\n'
	page a.md "[a](R%26amp;D.md) [b](<R%26amp;D.md>) [c](<a%26%231;b.md>) [d](it%27s%20%2B%20x&y%20%281%29.md) [e](a%26%231;b.md)\n"
	run -0 kg-check --only ambiguous
	kg-rename -q --write a.md sub/a.md
	[ "$(cat sub/a.md)" = "[a](../R%26amp;D.md) [b](<../R%26amp;D.md>) [c](<../a%26%231;b.md>) [d](../it%27s%20%2B%20x%26y%20%281%29.md) [e](../a%26%231;b.md)" ]
	kg-rename -q --write 'R&amp;D.md' 'Q&lt;A.md'
	[ "$(cut -d' ' -f1-2 sub/a.md)" = '[a](../Q%26lt;A.md) [b](<../Q%26lt;A.md>)' ]
	kg-rename -q --write 'Q&lt;A.md' 'Q & A.md'
	[ "$(cut -d' ' -f1-2 sub/a.md)" = '[a](../Q%20%26%20A.md) [b](<../Q%20%26%20A.md>)' ]
}

@test "a title or alias that means another page afterwards stays as the label" {
	page p.md '---\naliases: [Tea]\n---\n'
	page q.md 'x\n'
	page r.md '[[Tea]] [[tea|t]] [[Tea#h]] ![[Tea#^b]] [[Tea|]]\n\n|a|\n|-|\n|[[Tea]]|\n|[[Tea#h]]|\n'
	kg-rename -q --write q.md tea.md
	diff - r.md <<-'END'
		[[p|Tea]] [[p|t]] [[p#h|Tea#h]] ![[p#^b|Tea#^b]] [[p|Tea]]

		|a|
		|-|
		|[[p\|Tea]]|
		|[[p#h\|Tea#h]]|
	END
}

@test "bytes that no link has stay: line ends, byte order mark, composition, mode" {
	page old.md 'x'
	page a.md '\xef\xbb\xbf# A\r\n\t[[old]] e\xcc\x81 \xff'
	page b.md '\xef\xbb\xbf[[old]]\r\n\r\nno end [[old]]  '
	page c.md '[t](old.md)\r'
	chmod 640 b.md
	run -0 kg-rename --write old.md 'n\xc3\xa9w (1).md'
	[[ $output = *"'a.md' is no text in UTF-8"* ]]
	cmp a.md <(printf '\xef\xbb\xbf# A\r\n\t[[old]] e\xcc\x81 \xff')
	cmp b.md <(printf '\xef\xbb\xbf[[n\\xc3\\xa9w (1)]]\r\n\r\nno end [[n\\xc3\\xa9w (1)]]  ')
	[ "$(stat -c %a b.md)" = 640 ]
}

@test "a page that can be read the first time alone is told, and nothing is written" {
	[ -x "$(command -v strace)" ] || skip "no strace"
	failing() { # PAGE N: its Nth reading fails
		strace -qq -o trace -P "$PWD/$1" -e trace=openat -e inject=openat:error=EIO:when="$2" kg-rename -q --write old.md new.md
	}
	page old.md 'x'
	page a.md '[[old]]'
	page b.md '[[old]]'
	for n in 1 2; do
		for page in a.md old.md; do
			run -3 --separate-stderr failing $page $n
			[ "${stderr_lines[0]}" = "kg-rename: cannot open '$PWD/$page': Input/output error: its links stay as they are" ]
			[[ ${stderr_lines[1]} = "kg-rename: 'old.md' keeps its name and nothing is written"* ]]
			[ "${#stderr_lines[@]}" = 2 ]
			[ "$(cat a.md b.md)" = '[[old]][[old]]' ]
			[ ! -e new.md ]
		done
	done
}

@test "a folder that is made for the page has what the umask leaves" {
	for mask in 022:755 077:700; do
		page old.md 'x'
		chmod 640 old.md
		(umask ${mask%:*} && kg-rename -q --write old.md new/er/n.md)
		[ "$(stat -c %a new new/er new/er/*.md | paste -sd' ')" = "${mask#*:} ${mask#*:} 640" ]
		rm -r new
	done
}

@test "encoding of paths is as it was" {
	page 'é.md' ''
	page a.md '[a](%C3%A9.md) [b](é.md) [c](<é.md>) [d](./%c3%a9.md)\n'
	kg-rename -q --write 'é.md' 'ü (1) %20.md'
	[ "$(cat a.md)" = '[a](%C3%BC%20%281%29%20%2520.md) [b](ü%20%281%29%20%2520.md) [c](<ü (1) %2520.md>) [d](./%C3%BC%20%281%29%20%2520.md)' ]
	run -0 kg-check --only broken
}

@test "a name that ends in a slash is a folder, there or not" {
	page a.md '[[b]]\n'
	page b.md 'x\n'
	kg-rename -q --write a.md new/deep/
	[ "$(cat new/deep/a.md)" = '[[b]]' ]
	kg-rename -q --write b.md new/deep
	[ "$(cat new/deep/b.md)" = x ]
	kg-rename -q --write new/deep/b.md ./
	[ "$(cat b.md)" = x ]
	run -2 kg-rename b.md .hidden/
}

@test "what cannot be renamed is refused, and nothing changes" {
	page a.md '[[b]]\n'
	page b.md ''
	run -3 kg-rename --write a.md b.md
	[[ $output = *"b.md' is there already"* ]]
	run -3 kg-rename none.md c.md
	touch a.txt
	run -1 kg-rename a.txt c.md
	run -2 kg-rename a.md 'x|y.md'
	run -2 kg-rename a.md 'x[y].md'
	run -2 kg-rename a.md ../c.md
	[[ $output = *"is not in the vault"* ]]
	run -2 kg-rename a.md .hidden/a.md
	run -2 kg-rename a.md .hid.md
	[[ $output = *"'.hid.md' would be no page"* ]]
	run -2 kg-rename a.md $'x\ty.md'
	[[ $output = *"a control character in its path"* ]]
	run -2 kg-rename a.md
	run -2 kg-rename a.md x y
	[ "$(cat a.md)" = '[[b]]' ]
	[ "$(find . -type f | wc -l)" = 3 ]
}

@test "the vault is the worktree of git around the working folder; ignored files are no pages" {
	git init -q .
	page sub/a.md '[b](../b.md)\n'
	page b.md ''
	page built/c.md '[[b]]\n'
	echo built >.gitignore
	cd sub
	kg-rename -q --write ../b.md c.md
	[ "$(cat a.md)" = '[b](c.md)' ]
	[ "$(cat ../built/c.md)" = '[[b]]' ]
	git add -f ../built/c.md
	page ../built/c.md '[[c]] [b](../sub/c.md)\n'
	kg-rename -q --write c.md n.md
	[ "$(cat ../built/c.md)" = '[[c]] [b](../sub/n.md)' ]
	kg-rename -q --write n.md c.md
	git rm -qf --cached ../built/c.md
	cd ../..
	kg-rename -q --write v/sub/c.md v/d.md
	[ "$(cat v/sub/a.md)" = '[b](../d.md)' ]
	page v/x/e.md '[[d]]\n'
	echo '!e.md' >v/x/.gitignore
	kg-rename -q --write --ignore x v/d.md v/f.md
	[ "$(cat v/x/e.md)" = '[[d]]' ]
	page v/x/e.md '[[f]]\n'
	kg-rename -q --write --ignore 'e.*' v/f.md v/g.md
	[ "$(cat v/x/e.md)" = '[[f]]' ]
}

@test "in a vault of real notes each link means the page that it meant" {
	need_data vault-mixed
	cp -r "$MEMKIT_DATA/vault-mixed" m
	cd m
	git init -q . && git add -A
	kg-check --only broken > ../before || true
	n=0
	while IFS= read -r page; do
		n=$((n + 1))
		kg-rename -q --write "$page" "moved/$n/renamed $n"
	done < <(git ls-files -z '*.md' | tr '\0' '\n' | grep -v '"')
	kg-check --only broken > ../after || true
	[ "$(wc -l < ../before)" = "$(wc -l < ../after)" ]
}

@test "the file keeps its name until all links could be written, and then the same command ends it" {
	page old.md 'text\n'
	page a.md '[[old]]\n'
	page b/c.md '[[old]]\n'
	run -3 bash -c 'ulimit -f 0; trap "" XFSZ; kg-rename --write -q old.md new.md'
	[[ $output = *"'old.md' keeps its name"* ]]
	[ -e old.md ]
	[ ! -e new.md ]
	kg-rename --write -q old.md new.md
	[ "$(cat a.md b/c.md)" = $'[[new]]\n[[new]]' ]
	[ ! -e old.md ]
}

@test "a path that differs from another page's by case alone leads to its own page" {
	page d/old.md '# Old\n'
	page d/n.md '[[old]] [t](old.md) [[d/old]]\n'
	run -0 kg-rename --write -q d/old.md D/n.md
	[ "$(<d/n.md)" = '[[D/n]] [t](../D/n.md) [[D/n]]' ]
	run -0 kg-check --only broken,ambiguous
	need_store
	link
	[ "$(kg-edge list --to v/D/n.md | jq -r .link_text)" = '[[D/n]]' ]
	[ "$(kg-edge list --to v/D/n.md | jq '.occurrences | length')" = 3 ]
}

@test "a new path that differs from the old one by case alone is written in links that were the old path" {
	page A.md 'x'
	page B.md '[m](A.md) [n](a.md) [[A]] [[a]] [r] [[A.md]] [[A|l]]\n\n[r]: ./A.md\n'
	kg-rename -q --write A.md a
	[ "$(<B.md)" = '[m](a.md) [n](a.md) [[a]] [[a]] [r] [[a.md]] [[a|l]]

[r]: ./a.md' ]
	page Dir/x.md '[y](y.md) [[y]] [[./y]] [z](../z.md) [own](x.md)'
	page Dir/y.md '[x](x.md) [[Dir/x]] [[x]]'
	page z.md '[x](Dir/x.md) [[/Dir/x]] [x](/Dir/x.md#h) [[dir/x]]'
	kg-rename -q --write Dir/x.md dir/x.md
	[ "$(<dir/x.md)" = '[y](../Dir/y.md) [[y]] [[../Dir/y]] [z](../z.md) [own](x.md)' ]
	[ "$(<Dir/y.md)" = '[x](../dir/x.md) [[dir/x]] [[x]]' ]
	[ "$(<z.md)" = '[x](dir/x.md) [[/dir/x]] [x](/dir/x.md#h) [[dir/x]]' ]
}

# as_owner COMMAND...: also root may do no more with files of its own than their modes say.
as_owner() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set=-dac_override,-dac_read_search "$@"
	else
		"$@"
	fi
}

@test "nothing is written where a page or folder cannot be read, or the file cannot be moved" {
	local before folder
	page d/old.md 'x'
	page a.md '[[old]]\n'
	page e/b.md '[[old]]\n'
	page n/x.md ''
	chmod 000 e/b.md
	run -3 as_owner kg-rename -q --write d/old.md new.md
	[[ $output = *"cannot open"*"'d/old.md' keeps its name"* ]]
	chmod 644 e/b.md
	truncate -s 65M big.md
	run -3 kg-rename -q --write d/old.md new.md
	[[ $output = *"'d/old.md' keeps its name"* ]]
	rm big.md
	before=$(cat a.md e/b.md)
	for folder in d e n .; do
		chmod 500 "$folder"
		run -3 as_owner kg-rename -q --write d/old.md n/m/new.md
		chmod 700 "$folder"
		[[ $output = *"cannot change the folder '"*"'d/old.md' keeps its name"* ]]
		[ "$(cat a.md e/b.md)" = "$before" ]
		[ -e d/old.md ]
	done
	as_owner kg-rename -q --write --ignore e d/old.md n/m/new.md
	[ "$(cat a.md e/b.md)" = $'[[new]]\n[[old]]' ]
}
