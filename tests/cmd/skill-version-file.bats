#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A file as a release of a skill: drafts beside the active one, and releases that become active at once.
load helper
load links
load skill_files

setup() {
	scratch
	team_store
	export MEM_NOW=2026-11-28T09:00:00Z
	skill tea 'name: tea
description: How tea is made' 'Boil the kettle.'
	ingest -q v
	id=$(node tea | jq -r .id)
}

# release [OPTION...] FILE: the file as a release of tea.
release() { skill-version "${@:1:$#-1}" --file "${!#}" tea; }
history() { skill-version tea | jq -c '[.release, .active, .status]' | tr '\n' ' '; }
body() { node tea | jq -r .content; }

@test "an experimental release is a draft beside the active one, which keeps its text" {
	before=$(node tea)
	printf 'Boil the samovar.\n' >samovar.md
	run -0 release --change experimental samovar.md
	[ "$(jq -c '[.verdict, .name, .release, .release_of]' <<<"$output")" = '["new","tea","1.0.1-experimental.1","'"$id"'"]' ]
	draft=$(field id)
	[ "$(node tea)" = "$before" ]
	[ "$(history)" = '["1.0.0",true,"active"] ["1.0.1-experimental.1",false,"draft"] ' ]
	[ "$(skill-version tea | jq -r 'select(.status == "draft").id')" = "$draft" ]
	[ "$(skill-version tea diff 1.0.0 1.0.1-experimental.1 | jq -r 'select(.field == "content").after')" = 'Boil the samovar.' ]
	[ "$(skill-list | jq -r .name)" = tea ]
	run -1 skill-find samovar
	run -1 mem-search -m keyword --kind skill samovar
	[ "$(release --change experimental samovar.md | jq -c '[.verdict, .release, .id]')" = '["unchanged","1.0.1-experimental.1","'"$draft"'"]' ]
	[ "$(ingest v | verdicts)" = 'unchanged tea 1.0.0' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a draft is activated, and what was active is superseded" {
	printf -- '---\nname: Tea\nrequires: kettle\ntags: [hot]\n---\nBoil the samovar.\n' >samovar.md
	release -q --change experimental samovar.md
	[ -z "$(edges)" ]
	run -0 skill-version tea activate 1.0.1-experimental.1
	[ "$(field id)" = "$id" ]
	[ "$(body)" = 'Boil the samovar.' ]
	[ "$(history)" = '["1.0.0",false,"superseded"] ["1.0.1-experimental.1",true,"active"] ' ]
	[ "$(edges)" = 'tagged tea hot' ]
	[ "$(node tea | jq -c '[.missing, .path]')" = "[[\"kettle\"],\"$PWD/v/tea/SKILL.md\"]" ]
	[ "$(ingest v | verdicts)" = 'unchanged tea 1.0.1-experimental.1' ]
	skill-version -q tea rollback
	[ "$(history)" = '["1.0.0",true,"active"] ["1.0.1-experimental.1",false,"superseded"] ' ]
	[ "$(body)" = 'Boil the kettle.' ]
}

@test "of the skill's own file: read again it is unchanged, changed again it is active" {
	skill tea 'name: tea
description: How tea is made' 'Boil the samovar.'
	[ "$(ingest --change experimental v | verdicts)" = 'new tea 1.0.1-experimental.1' ]
	[ "$(body)" = 'Boil the kettle.' ]
	[ "$(node tea | jq -r .file_sha256)" = "$(sha256sum <v/tea/SKILL.md | cut -d' ' -f1)" ]
	[ "$(ingest v | verdicts)" = 'unchanged tea 1.0.0' ]
	skill tea 'name: tea
description: How tea is made' 'Boil the kettle.'
	[ "$(ingest v | verdicts)" = 'changed tea 1.0.0' ]
	skill tea 'name: tea
description: How tea is made' 'Boil the samovar.'
	[ "$(ingest --change experimental v | verdicts)" = 'changed tea 1.0.1-experimental.1' ]
	[ "$(body)" = 'Boil the kettle.' ]
	skill tea 'name: tea
description: How tea is made' 'Boil the urn.'
	[ "$(skill-version --change experimental --file v/tea/SKILL.md tea | verdicts)" = 'new tea 1.0.1-experimental.2' ]
	[ "$(ingest v | verdicts)" = 'unchanged tea 1.0.0' ]
	skill tea 'name: tea
description: How tea is made' 'Boil the pot.'
	[ "$(ingest v | verdicts)" = 'changed tea 1.0.1' ]
	[ "$(history)" = '["1.0.0",false,"superseded"] ["1.0.1-experimental.1",false,"draft"] ["1.0.1-experimental.2",false,"draft"] ["1.0.1",true,"active"] ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a draft is a variant of a comparison, is counted, and may win" {
	printf 'Boil the samovar.\n' >samovar.md
	release -q --change experimental samovar.md
	skill-version -q --share .99 --variant 1.0.1-experimental.1 tea ab start
	[ "$(skill-activate --session s0 tea | grep -c samovar)" = 1 ]
	jq -cn 'range(30) | {skill: "tea", outcome: "success", release: "1.0.1-experimental.1"}' | skill-record -q -
	jq -cn 'range(30) | {skill: "tea", outcome: "failure", release: "1.0.0"}' | skill-record -q -
	[ "$(skill-version tea ab | jq -r .winner)" = 1.0.1-experimental.1 ]
	skill-version -q tea ab promote
	[ "$(body)" = 'Boil the samovar.' ]
	[ "$(skill-version tea | jq -c '[.release, .successes, .failures]' | tr '\n' ' ')" = '["1.0.0",0,30] ["1.0.1-experimental.1",30,0] ' ]
}

@test "any other change becomes active at once; the skill's place stays where it is" {
	printf -- '---\ndescription: How tea is made in Tula\n---\nBoil the samovar.\n' >samovar.md
	run -0 release --change minor samovar.md
	[ "$(verdicts <<<"$output")" = 'changed tea 1.1.0' ]
	[ "$(field id)" = "$id" ]
	[ "$(node tea | jq -c '[.description, .path, .ref]')" = "[\"How tea is made in Tula\",\"$PWD/v/tea/SKILL.md\",\"skill/tea\"]" ]
	[ "$(release samovar.md | verdicts)" = 'unchanged tea 1.1.0' ]
	[ "$(ingest v | verdicts)" = 'unchanged tea 1.1.0' ]
	[ "$(history)" = '["1.0.0",false,"superseded"] ["1.1.0",true,"active"] ' ]
	printf -- '---\nversion: 7.0.0-beta\n---\nBoil the urn.\n' >urn.md
	[ "$(release --change experimental urn.md | verdicts)" = 'new tea 7.0.0-beta' ]
}

@test "refusals leave the skill as it is" {
	before=$(mem-export | wc -l)
	printf -- '---\nname: coffee\n---\nGrind.\n' >coffee.md
	run -1 release --change experimental coffee.md
	[ "$(field reason)" = bad_value ]
	[ "$(field id)" = null ]
	printf -- '---\nname: [\n' >broken.md
	run -1 release --change experimental broken.md
	[ "$(field reason)" = bad_value ]
	run -1 release nothing.md
	run -1 skill-version --file coffee.md coffee
	[[ "$output" = *'no such skill'* ]]
	run -2 release v
	run -2 skill-version --change minor tea
	run -2 skill-version --file coffee.md tea history
	printf 'Boil the samovar.\n' >samovar.md
	run -4 release --agent bob samovar.md
	run -0 release --dry-run --change experimental samovar.md
	[ "$(verdicts <<<"$output")" = 'new tea 1.0.1-experimental.1' ]
	[ "$(mem-export | wc -l)" = "$before" ]
}

@test "what the sanitiser finds in a draft is told and kept with it" {
	printf 'Boil. The token is ghp_%s.\n' 0123456789abcdefghijklmnopqrstuvwxyz >samovar.md
	run -0 release --change experimental samovar.md
	[ "$(jq -r '.redactions[0].kind' <<<"$output")" = github_token ]
	[ "$(mem-get "$(field id)" | jq -r '.redactions[0].kind')" = github_token ]
	[ "$(node tea | jq .redactions)" = null ]
	skill-version -q tea activate 1.0.1-experimental.1
	[ "$(node tea | jq -r '.redactions[0].kind')" = github_token ]
	run -1 grep -rqa ghp_0123456789 "$MEM_STORE"
}

@test "a skill goes with its drafts" {
	printf 'Boil the samovar.\n' >samovar.md
	release -q --change experimental samovar.md
	mem-forget -q --erase "$id"
	[ -z "$(mem-list --kind skill --all)" ]
	mem-maintain compact
	run -1 grep -rqa samovar "$MEM_STORE"
	run -0 mem-check
	[ -z "$output" ]
}

@test "a draft that was forgotten is no release, and its text may come again" {
	printf 'Boil the samovar.\n' >samovar.md
	draft=$(release --change experimental samovar.md | jq -r .id)
	[ "$(skill-show "$draft" | jq -c '[.status, .release_of, .content]')" = "[\"draft\",\"$id\",\"Boil the samovar.\\n\"]" ]
	[ "$(skill-list --releases | jq -r .release | tr '\n' ' ')" = '1.0.0 1.0.1-experimental.1 ' ]
	skill-export -q out
	cmp out/tea/SKILL.md v/tea/SKILL.md
	mem-forget -q "$draft"
	[ "$(history)" = '["1.0.0",true,"active"] ' ]
	[ "$(release --change experimental samovar.md | verdicts)" = 'new tea 1.0.1-experimental.2' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "a comparison ends when another release becomes active, and leaves nothing behind" {
	printf 'Boil the samovar.\n' >samovar.md
	release -q --change experimental samovar.md
	skill-version -q --variant 1.0.1-experimental.1 tea ab start
	[ "$(skill-show tea | jq -c .ab.release)" = '"1.0.1-experimental.1"' ]
	printf 'Boil the pan.\n' >pan.md
	release -q pan.md
	[ "$(skill-show tea | jq -c .ab)" = null ]
}

@test "--format text prints tables of releases and differences, and a comparison in words" {
	printf 'Boil the samovar.\n' >samovar.md
	release -q samovar.md
	run -0 skill-version --format text tea history
	[[ "${lines[0]}" = 'RELEASE '*' ACTIVE '*' EFFECTIVENESS' ]]
	[[ "${lines[2]}" = '1.0.1 '*' true '* ]]
	run -0 skill-version --format text tea diff
	[[ "${lines[0]}" = 'FIELD '* ]]
	skill-version -q --variant 1.0.0 tea ab start
	run -0 skill-version --format text tea ab
	[[ "$output" = *'reason '*'1.0.0 has 0'* ]]
}
