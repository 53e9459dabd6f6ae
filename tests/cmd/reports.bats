#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What users reported (tests/data/reports): each input, and what is right; README there names the kinds.
load helper

setup() {
	scratch
	unset MEM_NOW
	need_store
	mkdir run
	cd run || return 1
}

# report ID: runs it in the empty working folder: $out, $err, $status.
report() {
	local record name
	record=$(grep "^{\"id\": \"$1\"" "$TOP/tests/data/reports/cases.ndjson")
	[ -n "$record" ]
	while read -r name; do
		# shellcheck disable=SC2094 # of the record, not of the file
		jq -rj --arg n "$name" '.files[$n]' <<<"$record" >"$name"
	done < <(jq -r '.files//{}|keys[]' <<<"$record")
	status=0
	jq -rj '.stdin//""' <<<"$record" >../stdin
	bash -c "$(jq -r .cmd <<<"$record")" <../stdin >../out 2>../err || status=$?
	out=$(<../out) err=$(<../err)
}

# said: role and content of each event, joined by spaces.
said() { jq -c '[.role,.content]' <<<"$out" | paste -sd' '; }

# is EXPECTED ACTUAL
is() { [ "$1" = "$2" ] || { printf 'expected %s\ngot      %s\n' "$1" "$2"; return 1; }; }

@test "person's words lost with a wrapper" {
	report reminder-before-question
	is '["user","How many goats do we own?"]' "$(said)"
	report environment-before-question
	is '["user","which barn is older"]' "$(said)"
	report question-about-reminders
	is '["user","<system-reminder> tags show up in my logs, what are they?"]' "$(said)"
	report question-about-skill-tags
	is '["user","<skill> tags are not closed in the template, fix that"]' "$(said)"
}

@test "messages in another envelope" {
	report messages-in-set
	is '["user","how tall is the silo"] ["assistant","Nine metres."] ["user","and how wide"]' "$(said)"
}

@test "a reply replaced by nothing" {
	report update-under-the-same-id
	is '["assistant","the answer"]' "$(said)"
	is 0 $status
}

@test "program's words in the person's name" {
	local id
	for id in origin-hook internal-context hook-prompt patch-warning session-context teammate-message channel-message; do
		report $id
		is '' "$out"
		is 0 $status
	done
	report reminder-after-request
	is '["user","Name the oldest goat."]' "$(said)"
	report editor-context
	is '["user","rename it"]' "$(said)"
	report command-output-under-user
	is '["user","which barn is older"]' "$(said)"
}

@test "sub-agents taken for the person" {
	report spawned-thread
	is '["assistant","Inspect the silo and report"]' "$(said)"
}

@test "copied records stored again" {
	report resumed-copy
	is 'new duplicate 1' "$(sed '$d' <<<"$out" | jq -r .verdict | paste -sd' ') $(tail -1 <<<"$out")"
	is 1 "$(mem-list --live | wc -l)"
}

@test "own recall stored again" {
	report recalled-block-comes-back
	is '20 21 21 21' "$(paste -sd' ' <<<"$out")"
}

@test "unreadable time dropped" {
	report time-with-a-space
	is 2026-01-01T10:00:00.000Z "$(jq -r .captured_at <<<"$out")"
	report created-without-seconds
	is 2026-01-02T10:00:00.000Z "$(jq -r .captured_at <<<"$out")"
	report head-without-seconds
	is 2026-01-25T11:14:00.000Z "$(jq -r .captured_at <<<"$out")"
}

@test "marks and line ends of the input" {
	report mark-at-the-start
	is 'new 0' "$(jq -r .verdict <<<"$out") $status"
	is first "$(mem-list | jq -r .content)"
	report carriage-return-in-lines
	is '"one"' "$(tail -1 <<<"$out")"
}

@test "only the ideal file is known" {
	report banner-with-command-line
	is '["user","which barn is older"] ["assistant","The red one."]' "$(said)"
	is gpt-x "$(jq -r 'select(.role=="assistant").model' <<<"$out")"
}

@test "one bad value loses all" {
	report colon-in-a-title
	is '["text","Kim","2026-01-02T00:00:00.000Z",["a"],"Re: lunch on Friday"]' "$(jq -c '[.content,.speaker,.captured_at,.tags,.title]' <<<"$out")"
	is '' "$err"
}

@test "cut without a word" {
	need_model e5
	report question-behind-a-long-text
	[[ $err == *"the query is longer than the model reads"* ]]
}

@test "unknown part becomes speech" {
	report tool-result-under-user
	is '["tool","the pump runs"] t' "$(said) $(jq -r .tool_call_id <<<"$out")"
}

@test "pages and code differ on rights" {
	report write-to-system
	is 'rejected namespace_denied 1' "$(jq -r '.verdict+" "+.reason' <<<"$out") $status"
}

@test "each reported case is looked at here" {
	for id in $(jq -r .id "$TOP/tests/data/reports/cases.ndjson"); do
		grep -qw -- "$id" "$BATS_TEST_FILENAME" || { echo "$id"; false; }
	done
	is 29 "$(wc -l <"$TOP/tests/data/reports/cases.ndjson")"
}
