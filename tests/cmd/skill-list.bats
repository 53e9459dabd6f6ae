#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper
load skills

setup() {
	scratch
	need_store
	{
		skill 1 Fold '"category":"home","release":"1.1.0"' | sed 's/"tags":\[\]/"tags":["linen","quick"]/'
		skill 2 Iron '"category":"home_care","release":"1.0.0"' | sed 's/"tags":\[\]/"tags":["linen"]/'
		skill 3 Darn '"category":"home"' | sed 's/"active"/"draft"/'
		skill 9 Fold "\"release_of\":\"$(skill_id 1)\",\"release\":\"1.0.0\",\"category\":\"home\"" |
			sed 's|"ref":"skill/fold"|"ref":"skill-release/fold/1.0.0"|; s/"active"/"superseded"/'
		echo '{"id":"0192aaaa-0000-7000-8000-000000000020","kind":"note","ns":"global","created_at":"2026-01-01T00:00:00.000Z","version":1,"status":"active","content":"no skill","ref":"skill/note"}'
	} | mem-import -q
}

names() { skill-list "$@" | jq -r .name | tr '\n' ' '; }

@test "all skills are listed as their nodes are, without releases" {
	[ "$(names)" = 'Fold Iron Darn ' ]
	[ "$(skill-list -n 1)" = "$(mem-get "$(skill_id 1)")" ]
	run -0 skill-list --releases --category home
	[ "$(jq -r '"\(.name)/\(.release)/\(.status)"' <<<"$output" | tr '\n' ' ')" = 'Fold/1.1.0/active Darn/null/draft Fold/1.0.0/superseded ' ]
}

@test "filters of category, tag, status and namespace apply before the limit" {
	[ "$(names --category home,testing)" = 'Fold Darn ' ]
	[ "$(names --category 'Home care')" = 'Iron ' ]
	[ "$(names --tag linen)" = 'Fold Iron ' ]
	[ "$(names --tag linen --tag quick)" = 'Fold ' ]
	[ "$(names --status draft,deprecated)" = 'Darn ' ]
	[ "$(names --live)" = 'Fold Iron ' ]
	[ "$(names -n 1 --status draft)" = 'Darn ' ]
	[ "$(names --ns agent:ada)" = '' ]
	[ "$(names --ns global --category home_care)" = 'Iron ' ]
}

@test "what is assigned to agents and teams" {
	skill-assign -q Iron --agent cy
	skill-assign -q Darn --team home
	[ "$(names --assigned cy)" = 'Iron ' ]
	[ "$(names --team Home)" = 'Darn ' ]
	[ "$(names --assigned cy,dan --team home)" = 'Iron Darn ' ]
	[ "$(names --assigned nobody)" = '' ]
	[ "$(names --assigned cy --category home)" = '' ]
}

@test "skills of others are left out" {
	skill 4 Own | sed 's/"ns":"global"/"ns":"agent:bob"/' | mem-import -q --agent bob
	[ "$(names)" = 'Fold Iron Darn ' ]
	[ "$(names --agent bob)" = 'Fold Iron Darn Own ' ]
	[ "$(names --every-namespace --ns agent:bob)" = 'Own ' ]
}

@test "an unknown category that is like a known one is hinted at, and refused nowhere" {
	run -0 --separate-stderr skill-list --category debuging
	[ "$output$stderr" = "skill-list: --category: no skill of 'debuging'; do you mean debugging?" ]
	run -0 --separate-stderr skill-list --category debugging,kitchen
	[ -z "$output$stderr" ]
	run -1 --separate-stderr skill-find -m keyword --category 'Code reviews' fold
	[[ "$stderr" = *"'code_reviews'; do you mean code_review?" ]]
	run -1 --separate-stderr skill-activate -m keyword --category deploymint cook
	[[ "$stderr" = *"do you mean deployment?" ]]
	# One that skills have is never questioned.
	skill 5 Test '"category":"testings"' | mem-import -q
	run -0 --separate-stderr skill-list --category testings
	[ -z "$stderr" ]
}

@test "mem-records(5) and the completions have the categories that are known" {
	known=$(skill-list --complete | awk -F '\t' '$3 == "category" { print $5 }')
	[ "$(wc -w <<<"$known")" = 21 ]
	[ "$(skill-find --complete | awk -F '\t' '$3 == "category" { print $5 }')" = "$known" ]
	page=$(sed -n '/^These are known, and others/,/^[.]It Cm tags/p' "$TOP/man/mem-records.5" | sed -n 's/^[.]Cm //p' | tr -d ',.' | xargs)
	[ "$page" = "$known" ]
}

@test "a table for people" {
	run -0 skill-list --format text
	[[ ${lines[0]} =~ ^ID\ +NAME\ +STATUS\ +RELEASE\ +CATEGORY\ +USES\ +DESCRIPTION$ ]]
	[[ ${lines[1]} =~ Fold\ +active\ +1\.1\.0\ +home\ +-\ +How\ to\ fold$ ]]
	[ ${#lines[@]} = 4 ]
}

@test "what makes no sense is usage" {
	run -2 skill-list Fold
	run -2 skill-list --status shiny
	run -2 skill-list --ns nowhere
	run -2 skill-list -n 0
}
