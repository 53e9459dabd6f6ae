# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the bats files about pages (`load vault`, after helper): a folder of notes, and repositories of such.

# notes_here: an empty folder of notes as the working folder.
notes_here() {
	mkdir v
	cd v || return 1
}

# page PATH TEXT: a file of it; \n and \x.. in the text are what they mean.
page() { mkdir -p "$(dirname -- "$1")" && printf '%b' "$2" >"$1"; }
# link: its pages into the store, without vectors.
link() { kg-link -q --no-embed .; }

# git_person: repositories are ada's, and nothing of the surroundings counts in them.
git_person() {
	unset "${!GIT_@}"
	git config --global user.name ada
	git config --global user.email ada@example.org
	git config --global init.defaultBranch main
	git config --global advice.detachedHead false
}

# notes_in_git: an empty repository of notes as the working folder.
notes_in_git() {
	git_person
	git init -q notes
	cd notes || return 1
}

# git: with what its hooks go on with in the background, which is what takes them longer than a second.
git() {
	local status=0
	command git "$@" || status=$?
	eventually no_hook_works
	return $status
}
no_hook_works() { ! pgrep -f "kg-hooks run [a-z-]* -S ${MEM_STORE:-/nonexistent}" >/dev/null; }

# commit MESSAGE: all that is here.
commit() { git add -A && git commit -qm "$1"; }
