#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Hooks of git: put in beside those that are there, taken out without a trace, and what they do.
load helper
load vault

setup() {
	scratch
	need_store
	notes_in_git
	hooks=.git/hooks
	rm -rf "$hooks"
}

titles() { mem-list --kind page --live | jq -r .title | sort | tr '\n' ' '; }
sums() { (cd "$hooks" && find . -exec stat -c '%n %A' {} + -type f -exec sha256sum {} + -o -type l -printf '%p %l\n' | sort); }

@test "hooks are put in, and taken out without a trace" {
	run -0 kg-hooks install
	[ "$(jq -r '[.hook,.verdict]|join(" ")' <<<"$output")" = $'post-commit new\npost-merge new\npost-checkout new\npost-rewrite new' ]
	[ "$(stat -c %a "$hooks"/* | sort -u)" = 755 ]
	grep -q -- "-S $MEM_STORE --vault notes </dev/null >/dev/null 2>&1 || :" "$hooks/post-commit"
	before=$(sums)
	run -0 kg-hooks install
	[ "$(jq -r .verdict <<<"$output" | sort -u)" = unchanged ]
	[ "$(sums)" = "$before" ]
	run -0 kg-hooks status
	[ "$(jq -c '[.installed,.works,.problem,.last_error]' <<<"$output" | sort -u)" = '[true,true,null,null]' ]
	run -0 kg-hooks remove
	[ "$(jq -r .verdict <<<"$output" | sort -u)" = removed ]
	[ ! -e "$hooks" ]
	run -1 kg-hooks status
	[ "$(jq -c '[.installed,.works]' <<<"$output" | sort -u)" = '[false,false]' ]
}

@test "an empty folder of hooks that was there stays" {
	mkdir "$hooks"
	kg-hooks -q install
	kg-hooks -q remove
	[ -d "$hooks" ]
	mem-hook -q install git
	mem-hook -q remove git
	[ -d "$hooks" ]
	rmdir "$hooks"
	mem-hook -q install git
	mem-hook -q remove git
	[ ! -e "$hooks" ]
}

@test "a page that is refused is told in the log and by status" {
	kg-hooks -q install
	page a.md '\xff'
	page b.md '\xff'
	page c.md 'fine\n'
	commit one
	[[ $(kg-hooks status | jq -r 'select(.event == "post-commit").last_error') = *"refused: 'a.md' (bad_utf8) and 1 more"* ]]
	[ "$(titles)" = 'c ' ]
}

@test "a linked worktree is the vault of its repository, by its name" {
	page a.md '[[b]]\n'
	commit one
	kg-hooks -q install
	kg-link -q --no-embed .
	git worktree add -q ../wl
	(cd ../wl && kg-hooks -q install && kg-link -q --no-embed .)
	[ "$(mem-list --kind page | jq -r .ref)" = notes/a.md ]
	grep -q -- '--vault notes ' "$hooks/post-commit"
	git clone -q --bare . ../store.git
	git -C ../store.git worktree add -q ../w1 main
	git -C ../store.git worktree add -q -b side ../w2
	kg-link -q --no-embed ../w1
	kg-link -q --no-embed ../w2
	[ "$(mem-list --kind page | jq -r .ref | sort)" = $'notes/a.md\nstore/a.md' ]
}

@test "what was there runs behind, and comes back to the byte" {
	mkdir -p "$hooks" other
	printf '#!/bin/bash\n# no line break at the end\necho "bash $0" >> %s/../ran; exit 3' "$PWD" > "$hooks/post-commit"
	printf '#!/usr/bin/env python3\nimport sys\nopen("%s/../ran", "a").write("python " + " ".join(sys.argv[1:]) + sys.stdin.read())\n' "$PWD" > "$hooks/post-rewrite"
	printf '#!/bin/sh\necho never >> %s/../ran\n' "$PWD" > "$hooks/post-checkout"
	printf '#!/bin/sh\necho linked >> %s/../ran\n' "$PWD" > other/merge
	chmod +x "$hooks/post-commit" "$hooks/post-rewrite" other/merge
	chmod 700 "$hooks/post-commit"
	ln -s ../../other/merge "$hooks/post-merge"
	before=$(sums)
	run -0 kg-hooks --dry-run install
	[ "$(sums)" = "$before" ]
	kg-hooks -q install
	after=$(sums)
	kg-hooks -q install
	[ "$(sums)" = "$after" ]
	[ "$(stat -c %a "$hooks/post-commit")" = 700 ]
	page a.md '# One\n'
	commit one
	git commit -q --amend -m uno
	git checkout -q -b side HEAD
	page b.md '# Two\n'
	commit two
	git checkout -q main
	git merge -q --no-ff -m merged side
	[ "$(titles)" = 'One Two ' ]
	[ "$(grep -c '^bash' ../ran)" = 3 ]
	grep -q '^python amend[0-9a-f]* [0-9a-f]*' ../ran
	[ "$(grep -c linked ../ran)" = 1 ]
	! grep -q never ../ran || false
	kg-hooks -q remove
	[ "$(sums)" = "$before" ]
}

@test "hooks of mem-hook and of kg-hooks stand side by side, whichever goes first" {
	mem-hook -q install git
	kg-hooks -q install
	page a.md '# One\n'
	commit one
	[ "$(titles)" = 'One ' ]
	remembered() { [ "$(mem-list --kind episode | wc -l)" = 1 ]; }
	eventually remembered
	mem-hook -q remove git
	run -0 kg-hooks status
	kg-hooks -q remove
	[ ! -e "$hooks" ]
	kg-hooks -q install
	mem-hook -q install git
	kg-hooks -q remove
	run -0 mem-hook status git
	mem-hook -q remove git
	[ ! -e "$hooks" ]
}

@test "the folder of hooks is the one that git names" {
	git config core.hooksPath .shared
	mkdir sub
	(cd sub && kg-hooks -q install)
	[ -x .shared/post-commit ]
	page a.md '# One\n'
	commit one
	[ "$(titles)" = 'One ' ]
	kg-hooks -q remove
	[ ! -e .shared ]
	git config --unset core.hooksPath
	git worktree add -q ../tree -b tree
	(cd ../tree && kg-hooks -q --vault notes install)
	[ -x .git/hooks/post-commit ]
	(cd ../tree && page b.md '# Two\n' && commit two)
	[ "$(titles)" = 'One Two ' ]
	cd ..
	run -3 kg-hooks install
	[[ $output = *"not a git repository"* ]]
}

@test "a hook that was missed is made up for, also after a history that is gone" {
	page a.md '# One\n'
	page gone.md '# Gone\n'
	commit one
	kg-hooks -q install
	page b.md '# Two\n[[a]]\n'
	git rm -q gone.md
	git -c core.hooksPath=/dev/null commit -qm missed -a
	commit two
	[ "$(titles)" = 'One Two ' ]
	id=$(mem-list --kind page --live | jq -r 'select(.path=="a.md").id')
	git checkout -q --orphan fresh
	git mv a.md z.md
	commit all
	git branch -q -D main
	git reflog expire --expire=now --all
	git gc -q --prune=now
	page c.md '# Three\n'
	commit three
	[ "$(titles)" = 'One Three Two ' ]
	[ "$(mem-list --kind page --live | jq -r 'select(.path=="z.md").id')" = "$id" ]
}

@test "git is neither failed nor held up: a store that is gone, one that is taken" {
	kg-hooks -q install
	page a.md '# One\n'
	commit one
	exec 8>"$MEM_STORE/write.lock"
	flock 8
	page b.md '# Two\n'
	run -0 commit two
	[ -z "$output" ]
	exec 8>&-
	[ "$(titles)" = 'One ' ]
	page c.md '# Three\n'
	commit three
	[ "$(titles)" = 'One Three Two ' ]
	mv "$MEM_STORE" "$MEM_STORE.away"
	page d.md '# Four\n'
	run -0 commit four
	[ -z "$output" ]
	run -1 kg-hooks status
	[ "$(jq -r 'select(.event=="post-commit")|[.works,(.last_error|test("store"))]|join(" ")' <<<"$output")" = 'false true' ]
	# What went wrong in one repository is not told of another.
	git init -q ../others
	run -1 env -C ../others kg-hooks status
	[ "$(jq -c .last_error <<<"$output" | sort -u)" = null ]
	mv "$MEM_STORE.away" "$MEM_STORE"
	git commit -q --allow-empty -m five
	[ "$(titles)" = 'Four One Three Two ' ]
}

@test "a script that git cannot run is put aside, and one that became so does not work" {
	mkdir -p "$hooks"
	printf '#!/bin/sh\r\necho never\r\n' > "$hooks/post-commit"
	chmod +x "$hooks/post-commit"
	before=$(sums)
	kg-hooks -q install
	[ -e "$hooks/post-commit.kg-hooks-kept" ]
	run -0 kg-hooks status
	page a.md '# One\n'
	commit one
	[ "$(titles)" = 'One ' ]
	sed -i 's/$/\r/' "$hooks/post-merge"
	run -1 kg-hooks status
	[ "$(jq -c 'select(.works|not)|[.event,.problem]' <<<"$output")" = '["post-merge","git cannot run it, since its first line names no shell"]' ]
	sed -i 's/\r$//' "$hooks/post-merge"
	kg-hooks -q remove
	[ "$(sums)" = "$before" ]
}

@test "a repository of the same name elsewhere is told, and its hooks leave the pages of the first alone" {
	kg-hooks -q install
	page a.md '# One\n'
	commit 1
	git worktree add -q ../tree
	page ../tree/b.md '# Two\n'
	(cd ../tree && commit 2)
	[ "$(titles)" = 'One Two ' ]
	mkdir ../other
	git init -q ../other/notes
	cd ../other/notes
	kg-hooks -q install
	page c.md '# Three\n'
	commit 1
	[ "$(titles)" = 'One Two ' ]
	run -0 kg-hooks --format json status
	[[ $(jq -r 'select(.event == "post-commit").last_error' <<<"$output") = *"the vault 'notes' has its files in '"*/notes"'"*--vault* ]]
	kg-hooks -q --vault other install
	page d.md '# Four\n'
	commit 2
	[ "$(titles)" = 'Four One Three Two ' ]
}

@test "what cannot be is said: a broken mark, a name in the way, no store" {
	kg-hooks -q install
	sed -i '/kg-hooks end/d' "$hooks/post-merge"
	run -3 kg-hooks remove
	[[ $output = *"one is missing: put the file in order"* ]]
	rm -rf "$hooks"
	mkdir -p "$hooks"
	echo binary > "$hooks/post-merge"
	echo other > "$hooks/post-merge.kg-hooks-kept"
	run -3 kg-hooks install
	[[ $output = *"post-merge.kg-hooks-kept' is in the way"* ]]
	[ "$(<"$hooks/post-merge")" = binary ]
	run -2 kg-hooks run post-commit
	run -2 kg-hooks install extra
	rm "$hooks"/*
	run -2 kg-hooks install --vault a/b
	[[ $output = *"no name of a vault: 'a/b'"* ]]
	[ -z "$(ls "$hooks")" ]
	MEM_STORE=$PWD/none run -3 kg-hooks install
}
