#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A vault that lives in a repository: after whatever git does, the store is as a new one made of the same files.
load helper
load vault

setup() {
	scratch
	need_store
	notes_in_git
	words=0
}

# new_page PATH TEXT: with a word that no other text has.
new_page() {
	mkdir -p "$(dirname -- "$1")"
	words=$((words + 1))
	printf '%b\n\n%s\n' "$2" "quartz$words" > "$1"
}

# edges STORE: those that leave pages, by names, so that ids count for nothing.
edges() {
	mem-export -S "$1" | jq -rs '(map(select(.kind) | {(.id): (.ref // (.kind + ":" + .name))}) | add) as $n | .[] | select(.edge) |
		[$n[.from], .edge, $n[.to], .link_text, (.occurrences | tostring)] | join(" ")' | sort
}
pages() { mem-list -S "$1" --kind page --live | jq -r '[.ref,.title,.sha256]|join(" ")' | sort; }

# as_fresh: the store has the pages and edges of one made of the files here, and each page is found by its present word alone.
as_fresh() {
	local fresh=$BATS_TEST_TMPDIR/fresh f n=0
	rm -rf "$fresh"
	mem-init -q "$fresh" >/dev/null
	kg-link -q -S "$fresh" --vault notes .
	diff <(pages "$MEM_STORE") <(pages "$fresh")
	diff <(edges "$MEM_STORE") <(edges "$fresh")
	while IFS= read -r f; do
		n=$((n + 1))
		[ "$(mem-search -m keyword --kind page "$(grep -o 'quartz[0-9]*' "$f")" | jq -r .path)" = "$f" ] || { echo "not found: $f"; return 1; }
	done < <(find . -name .git -prune -o -name '*.md' -printf '%P\n')
	[ "$n" = "$(pages "$MEM_STORE" | wc -l)" ]
	run -0 mem-check
	[ -z "$output" ]
}
id_of() { mem-list --kind page --live | jq -r --arg p "$1" 'select(.path==$p).id'; }

@test "ten commits, moves, merges, a worktree, a rebase, a branch: always as a fresh index" {
	kg-hooks -q install
	new_page a.md '# Start\n[[b]] [[later]] ![[sub/c]] #tag'
	new_page b.md '---\naliases: [bee]\n---\n# Second\n[[a]] [c](sub/c.md)'
	new_page sub/c.md '# Third\n[[bee]] [[Start]] [up](../a.md)'
	commit 1
	as_fresh
	a=$(id_of a.md) c=$(id_of sub/c.md)

	new_page later.md '# Later\n[[a#Start]]'
	old=$(grep -o 'quartz[0-9]*' b.md)
	new_page b.md '# Second, again\n[[c]] [[none]]'
	commit 2
	as_fresh
	run -1 mem-search -m keyword --kind page "$old"

	git mv sub/c.md moved.md
	git mv a.md sub/a.md
	commit 3
	as_fresh
	[ "$(id_of sub/a.md) $(id_of moved.md)" = "$a $c" ]

	git mv moved.md sub/deep.md
	printf '\nand more [[b]]\n' >> sub/deep.md
	git rm -q later.md
	commit 4
	as_fresh
	[ "$(id_of sub/deep.md)" = "$c" ]

	git checkout -q -b side HEAD~2
	as_fresh
	new_page side.md '# Side\n[[a]] [[b]]'
	new_page later.md '# Later, on the side\n[[side]]'
	commit 5
	as_fresh

	git checkout -q main
	as_fresh
	new_page b.md '# Second, on main\n[[side]] [[Side]]'
	commit 6
	as_fresh

	git merge -q -m 7 side || { git rm -q -f later.md && git commit -qm 7; }
	as_fresh

	git worktree add -q ../tree -b tree
	cd ../tree
	as_fresh
	new_page tree.md '# Tree\n[[Second, on main]] #tag/wood'
	git mv b.md bb.md
	commit 8
	as_fresh
	cd ../notes
	git checkout -q -b other main~1
	as_fresh
	new_page other.md '# Other\n[[b]] ![[sub/deep|label]]'
	commit 9
	new_page other2.md '[[other]]'
	commit 10
	as_fresh

	git rebase -q tree
	as_fresh
	git reset -q --hard HEAD~2
	git commit -q --allow-empty -m 'after what no hook is told of'
	as_fresh
	git checkout -q main
	git merge -q --squash other && git commit -qm 11 --allow-empty
	as_fresh
	git commit -q --amend -m 'eleven, again'
	git checkout -q -b pick
	new_page pick.md '# Picked\n[[other]]'
	commit 12
	git checkout -q main
	git cherry-pick pick >/dev/null
	as_fresh
	[ ! -s "$HOME/.local/state/memkit/hook.log" ]
}

@test "--rev reads any commit, from a bare repository, too" {
	new_page a.md '# One\n[[b]]'
	new_page b.md '# Two'
	commit 1
	new_page b.md '# Two, again\n[[a]]'
	git mv a.md c.md
	commit 2
	run -0 kg-link --rev HEAD~
	[ "$(jq -r '[.verdict,.path]|join(" ")' <<<"$output" | sort)" = $'new a.md\nnew b.md' ]
	a=$(id_of a.md)
	run -0 kg-link --rev HEAD~
	[ -z "$output" ]
	run -0 kg-link -q --rev HEAD
	[ -z "$output" ]
	[ "$(id_of c.md)" = "$a" ]
	as_fresh
	# Files of the worktree are read in between: nothing of them stays.
	echo 'not committed [[nowhere]]' >> b.md
	kg-link -q
	git checkout -q b.md
	kg-link -q --rev HEAD
	as_fresh
	git clone -q --bare . ../notes.git
	mem-init -q ../bare >/dev/null
	(cd ../notes.git && kg-link -q -S ../bare --vault notes --rev main)
	[ "$(pages ../bare)" = "$(pages "$MEM_STORE")" ]
	run -3 kg-link --rev nowhere
	[[ $output = *"there is no commit 'nowhere'"* ]]
	run -2 kg-link --rev HEAD a.md
	cd ..
	run -3 kg-link --rev HEAD
	[[ $output = *"not a git repository"* ]]
}

@test "--rev: notes whose ids travel keep their pages, where paths are swapped or used again" {
	new_page a.md '---\nid: K1\n---\nfirst'
	new_page b.md '---\nid: K2\n---\nsecond'
	commit 1
	kg-link -q --no-embed --rev HEAD
	a=$(id_of a.md) b=$(id_of b.md)
	git mv a.md x && git mv b.md a.md && git mv x b.md
	commit 2
	kg-link -q --no-embed --rev HEAD
	[ "$(id_of a.md) $(id_of b.md)" = "$b $a" ]
	mkdir old && git mv a.md old/a.md
	new_page a.md '---\nid: K3\n---\nfresh'
	commit 3
	kg-link -q --no-embed --rev HEAD
	[ "$(id_of old/a.md) $(id_of b.md)" = "$b $a" ]
	[ "$(id_of a.md)" != "$b" ]
	as_fresh
}

@test "a page that moves to where it is refused is gone from where it was" {
	new_page a.md '# One\n[[b]]'
	new_page b.md '# Two'
	new_page c.md '# Three'
	new_page d.md '# Four'
	commit 1
	kg-link -q --rev HEAD
	token=ghp_0123456789abcdefghijABCDEFGHIJ012345
	git mv b.md $'\xff.md'
	git mv c.md "$token.md"
	git mv d.md e.md
	printf '\xff' >>e.md
	commit 2
	run -1 kg-link --rev HEAD
	[ "$(jq -r .verdict <<<"$output" | sort | uniq -c | tr -s ' ')" = $' 3 rejected\n 3 removed' ]
	[ "$(pages "$MEM_STORE" | cut -d' ' -f1)" = notes/a.md ]
	[ -z "$(edges "$MEM_STORE")" ]
	run -1 kg-link -S "$MEM_STORE" .
	[ "$(pages "$MEM_STORE" | cut -d' ' -f1)" = notes/a.md ]
}

@test "names that are hard for git and for shells" {
	kg-hooks -q install
	new_page '- q"uote'\''.md' '# Quoted'
	new_page $'line\nbreak.md' '# Broken'
	new_page ':(top)x.md' '# Magic'
	new_page '*.md' '# Star'
	new_page 'grün/ß é.MD' '# Green'
	commit 1
	[ "$(mem-list --kind page --live | jq -r .title | sort | tr '\n' ' ')" = 'Broken Green Magic Quoted Star ' ]
	git mv '*.md' '[a].md'
	commit 2
	[ "$(mem-list --kind page --live | jq -r 'select(.title=="Star").path')" = '[a].md' ]
}

@test "nothing that the settings of a stranger's repository name is run" {
	printf '#!/bin/sh\necho "$0 $*" >> %s/ran\ncat\n' "$BATS_TEST_TMPDIR" > ../evil && chmod +x ../evil
	evil=$(cd .. && pwd)/evil
	new_page a.md '# One\n[[b]]'
	commit 1
	new_page b.md '# Two'
	commit 2
	for key in core.fsmonitor core.pager core.editor core.sshCommand core.askPass diff.external pager.cat-file pager.ls-tree pager.diff-tree \
		pager.rev-parse filter.e.clean filter.e.smudge filter.e.process diff.e.textconv diff.e.command gpg.program credential.helper; do
		git config "$key" "$evil"
	done
	for name in cat-file diff-tree ls-tree rev-parse; do git config "alias.$name" "!$evil"; done
	echo '* filter=e diff=e' > .git/info/attributes
	mkdir ../evilhooks && cp ../evil ../evilhooks/post-index-change
	git config core.hooksPath "$PWD/../evilhooks"
	rm -f "$BATS_TEST_TMPDIR/ran"
	kg-link -q --rev HEAD~
	kg-link -q --rev HEAD
	kg-link -q .
	run -0 kg-hooks install
	kg-hooks -S "$MEM_STORE" --vault notes run post-commit
	run kg-hooks status
	kg-hooks -q remove
	[ ! -e "$BATS_TEST_TMPDIR/ran" ] || { cat "$BATS_TEST_TMPDIR/ran"; return 1; }
	[ "$(mem-list --kind page --live | jq -r .title | tr '\n' ' ')" = 'One Two ' ]
}

@test "a page that moved and changed keeps its node through kg-link of the folder and the next hook" {
	new_page a.md '# Start\nfirst\nsecond\nthird'
	new_page b.md '# Other\n[[a]]'
	commit one
	kg-link -q .
	a=$(id_of a.md) b=$(id_of b.md)
	kg-hooks -q install
	git mv a.md c.md
	echo more >>c.md
	commit two
	as_fresh
	[ "$(id_of c.md)" = "$a" ]
	git mv b.md sub.md
	kg-link -q .
	[ "$(id_of sub.md)" = "$b" ]
	commit three
	as_fresh
	[ "$(id_of c.md) $(id_of sub.md)" = "$a $b" ]
}
