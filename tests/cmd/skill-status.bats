#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper
load skills

setup() {
	scratch
	need_store
	{ skill 1 Fold '"content":"Fold it."'; skill 2 Iron; skill 3 Darn | sed 's/"active"/"draft"/'; } | mem-import -q
}

status_of() { mem-get "$(skill_id "$1")" | jq -r .status; }

@test "a skill goes from draft to active, deprecated, archived, and the reasons stay" {
	run -0 skill-status Darn active --reason 'Tried on ten socks.'
	[ "$(verdicts)" = 'changed ' ]
	[ "$(jq -r .id <<<"$output")" = "$(skill_id 3)" ]
	run -0 skill-status --now 2026-12-01T00:00:00Z darn deprecated
	run -0 skill-status --now 2026-12-02T00:00:00Z skill/darn archived --reason 'Nobody darns.'
	[ "$(mem-get "$(skill_id 3)" | jq -c '[.status, .version, .status_changes]')" = '["archived",4,[{"from":"draft","to":"active","at":"2026-11-28T09:00:00.000Z","by":"ada","reason":"Tried on ten socks."},{"from":"active","to":"deprecated","at":"2026-12-01T00:00:00.000Z","by":"ada"},{"from":"deprecated","to":"archived","at":"2026-12-02T00:00:00.000Z","by":"ada","reason":"Nobody darns."}]]' ]
	[ "$(mem-audit | jq -c 'select(.kind == "skill_status") | [.detail.from, .detail.to]' | tr '\n' ' ')" = \
		'["draft","active"] ["active","deprecated"] ["deprecated","archived"] ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "other steps are refused" {
	for step in 'Fold draft' 'Fold archived' 'Darn deprecated' 'Darn archived'; do
		# shellcheck disable=SC2086
		run -1 skill-status $step
		[ "$(verdicts)" = 'rejected/state_conflict ' ]
	done
	skill-status -q Fold deprecated
	for to in draft active; do
		run -1 skill-status Fold $to
		[ "$(verdicts)" = 'rejected/state_conflict ' ]
	done
	[ "$(status_of 1) $(status_of 3)" = 'deprecated draft' ]
}

@test "the status that it has is unchanged, whatever the reason" {
	run -0 skill-status Fold active --reason again
	[ "$(verdicts)" = 'unchanged ' ]
	[ "$(mem-get "$(skill_id 1)" | jq -c '[.version, .status_changes]')" = '[1,null]' ]
}

@test "several skills; those that are not there are refused, the others changed" {
	run -1 skill-status Fold nothing "$(skill_id 2)" deprecated
	[ "$(verdicts)" = 'changed rejected/not_found changed ' ]
	[ "$(status_of 1) $(status_of 2)" = 'deprecated deprecated' ]
}

@test "a release has its status from another command" {
	{ skill 9 Fold "\"release_of\":\"$(skill_id 1)\"" | sed 's|"ref":"skill/fold"|"ref":"skill-release/fold/0.9.0"|; s/"active"/"superseded"/'; } | mem-import -q
	run -1 skill-status "$(skill_id 9)" active
	[ "$(verdicts)" = 'rejected/bad_value ' ]
}

@test "a reason is cleaned" {
	run -0 skill-status Fold deprecated --reason 'The token ghp_0123456789abcdefghijklmnopqrstuvwxyz was in it.'
	[ "$(jq -r '.redactions[0].kind' <<<"$output")" != null ]
	run -0 mem-export
	[[ $output != *ghp_0123456789* ]]
	run -0 mem-audit
	[[ $output != *ghp_0123456789* ]]
	run -1 skill-status Iron deprecated --reason "$(printf 'x%.0s' {1..2001})"
	[ "$(verdicts)" = 'rejected/too_long ' ]
	[ "$(status_of 2)" = active ]
}

@test "only who may write to the namespace changes a skill" {
	run -4 skill-status --agent bob Fold deprecated
	[ "$(verdicts)" = 'rejected/namespace_denied ' ]
	[ "$(status_of 1)" = active ]
}

@test "--dry-run changes nothing" {
	run -0 skill-status --dry-run Fold deprecated
	[ "$(verdicts)" = 'changed ' ]
	[ "$(status_of 1)" = active ]
}

@test "what makes no sense is usage" {
	run -2 skill-status Fold
	run -2 skill-status Fold retired
	[[ $output = *"'retired' is not one of draft, active, deprecated, archived"* ]]
	run -2 skill-status --ns nowhere Fold active
}
