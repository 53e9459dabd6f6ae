#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

setup() {
	scratch
	need_store
	export MEM_NOW=2025-11-28T09:00:00Z
}

# A memory of so many days before 2026-11-28, of this importance, last read so many days before ("": never).
memory() {
	local last=null
	[ -z "${3-}" ] || last=\"$(date -u -d "2026-11-28T09:00:00Z - $3 days" +%FT%T.000Z)\"
	printf '{"id":"%s","kind":"episode","ns":"agent:ada","created_at":"%s","content":"memory %s","importance":%s,"last_access":%s}\n' \
		"$4" "$(date -u -d "2026-11-28T09:00:00Z - $1 days" +%FT%T.000Z)" "$4" "$2" "$last"
}
A=11111111-1111-7111-8111-111111111111 B=22222222-2222-7222-8222-222222222222 C=33333333-3333-7333-8333-333333333333
verdict() { "$@" | jq -r '.verdict + " " + (.reason // "-")'; }

three() {
	{ memory 365 0 "" $A; memory 120 0.1 "" $B; memory 365 0.5 365 $C; } | mem-import -q
	export MEM_NOW=2026-11-28T09:00:00Z
}

@test "mem-decay --dry-run: how stale a memory is" {
	three
	[ "$(mem-decay --dry-run | jq -r '"\(.staleness * 1000 | round) \(.fate) \(.dormant)"')" = \
		$'940 archived true\n885 review true\n850 review true' ]
	[ "$(mem-decay --dry-run | jq -c '[.age / 86400, (.idle | if . then . / 86400 else . end)]' | tr -d '\n')" = '[365,null][120,null][365,365]' ]
	run -0 mem-check
}

@test "mem-decay is off as shipped" {
	three
	run -1 --separate-stderr mem-decay
	[ -z "$output" ]
	[[ $stderr = *"decay.sweep is off"* ]]
	[ "$(mem-get $A | jq -r .status)" = null ]
	[ "$(mem-maintain -v decay | jq -c .)" = '{"task":"decay","done":0}' ]
}

@test "mem-decay archives from .9 on, twice a day as once, and --undo takes it back" {
	three
	echo 'decay: {sweep: on}' >>store/config.yaml
	mem-export >before
	[ "$(verdict mem-decay)" = "changed -" ]
	[ "$(mem-get $A $B $C | jq -r '.status // "-"' | tr '\n' ' ')" = "archived - - " ]
	[ "$(mem-get $A $B $C | jq -c .importance | tr '\n' ' ')" = "0 0.1 0.5 " ]
	[ -z "$(mem-search 1111)" ]
	[ "$(mem-audit | tail -n 1 | jq -c '[.kind, .subject, .detail.age_days, .detail.idle_days]')" = "[\"archive\",\"$A\",365,null]" ]
	mem-export >once
	[ -z "$(mem-decay)" ]
	mem-maintain decay
	mem-export | diff once -
	[ "$(verdict mem-decay --undo $A)" = "changed -" ]
	[ "$(mem-get $A | jq -r '.status // "-"')" = "-" ]
	[ "$(mem-decay --dry-run | jq -r 'select(.id == "'$A'") | .fate')" = "" ]
	[ "$(verdict mem-decay --undo $A)" = "unchanged -" ]
	run -0 mem-check
}

@test "mem-decay by the job, with thresholds of the settings, leaves what is pinned" {
	three
	printf 'decay: {sweep: on, archive: 0.86}\n' >>store/config.yaml
	mem-pin -q $A
	[ "$(mem-decay --dry-run | jq -r '.fate + " " + (.reason // "-")')" = $'spared pinned\narchived -\nreview -' ]
	[ "$(mem-maintain -v decay | jq -c .)" = '{"task":"decay","done":1}' ]
	[ "$(mem-get $B | jq -r .status)" = archived ]
}

@test "mem-decay leaves kinds that have rules of their own, and what is not the caller's" {
	three
	echo 'decay: {sweep: on}' >>store/config.yaml
	memory 365 0 "" 44444444-4444-7444-8444-444444444444 | sed 's/"episode"/"learning"/' | mem-import -q
	memory 365 0 "" 55555555-5555-7555-8555-555555555555 | sed 's/"episode"/"core"/' | mem-import -q
	memory 365 0 "" 66666666-6666-7666-8666-666666666666 | sed 's/agent:ada/global/' | mem-import -q
	[ "$(mem-decay --agent bob --dry-run)" = "" ]
	[ "$(mem-decay --dry-run --ns agent:ada | jq -r .id)" = $A$'\n'$B$'\n'$C ]
	[ "$(mem-decay | wc -l)" = 2 ]
}

@test "a memory without importance counts as one of .5" {
	memory 365 null "" $A | sed 's/"importance":null,//' | mem-import -q
	export MEM_NOW=2026-11-28T09:00:00Z
	[ "$(mem-decay --dry-run | jq '.staleness * 1000 | round')" = 790 ]
}

@test "an archived fact that is said again is active again, and not stale the next night" {
	echo 'decay: {sweep: on, archive: 0.7}' >>store/config.yaml
	say() { echo "$2" | mem-capture -q --no-embed --lines --speaker Bob --now "$1" && mem-consolidate -q --no-embed --now "$1"; }
	say 2025-01-01 'Alice works at Acme.'
	mem-fact -q --subject Alice --predicate lives_in --object Bonn --now 2025-01-01
	mapfile -t facts < <(mem-list --kind fact | jq -r .id)
	export MEM_NOW=2025-12-01
	mem-decay -q
	[ "$(mem-get "${facts[@]}" | jq -r .status | sort -u)" = archived ]
	# Of what is told of another matter nothing comes back.
	say 2025-12-02 'Alice works with Carol.'
	[ "$(mem-get "${facts[@]}" | jq -r .status | sort -u)" = archived ]
	say 2025-12-02 'Alice works at Acme.'
	[ "$(mem-fact --subject Alice --predicate lives_in --object Bonn --now 2025-12-02 --from 2025-12-02 | jq -r .verdict)" = changed ]
	[ "$(mem-get "${facts[@]}" | jq -r .status | sort -u)" = active ]
	[ "$(mem-audit | jq -r 'select(.detail.change == "revived").kind' | sort | uniq -c | tr -s ' ')" = ' 2 fact' ]
	[ "$(mem-decay --dry-run --now 2025-12-03 | jq -r .id | grep -cxFf <(printf '%s\n' "${facts[@]}"))" = 0 ]
	mem-decay -q --now 2025-12-03
	[ "$(mem-get "${facts[@]}" | jq -r .status | sort -u)" = active ]
	mem-search --kind fact --now 2025-12-03 'bonn acme' | jq -r .object.name | sort | paste -sd' ' | grep -qx 'Acme Bonn'
	# It ages from then on.
	[ "$(mem-decay --now 2026-11-03 | jq -r .id | grep -cxFf <(printf '%s\n' "${facts[@]}"))" = 2 ]
	run -0 mem-check
}
