#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Keys of agents, and events that are signed with them.
load helper
load links

setup() {
	scratch
	command -v openssl >/dev/null || skip "no openssl(1)"
	team_store
	AT=2026-11-28T09:00:00.000Z
}

verdict() { jq -r '.reason // .verdict' <<<"$output"; }
hex() { od -An -tx1 | tr -d ' \n'; }
# pair NAME: a key pair; prints the public key.
pair() {
	openssl genpkey -algorithm ed25519 -out "$1.pem" 2>/dev/null
	openssl pkey -in "$1.pem" -pubout -outform DER | tail -c 32 | hex
}
net() {
	local LC_ALL=C field
	for field; do printf '%d:%s,' ${#field} "$field"; done
}
# sign KEY FIELD...: the signature of a message of these fields.
sign() {
	local key=$1
	shift
	net "$@" >message
	openssl pkeyutl -sign -inkey "$key.pem" -rawin -in message | hex
}
# signed KEY AGENT TIME TEXT: an event of that agent in its own namespace.
signed() { jq -cn --arg c "$4" --arg at "$3" --arg s "$(sign "$1" memkit.capture.v1 "$2" "agent:$2" '' user '' "$3" "$4")" '{content: $c, captured_at: $at, signature: $s}'; }

@test "a key is kept, rotated and retired, by operators alone" {
	one=$(pair one)
	two=$(pair two)
	run -0 agent-key add ada "$one"
	[ "$(verdict)" = new ]
	run -0 agent-key add ada "${one^^}"
	[ "$(verdict)" = unchanged ]
	[ "$(agent-key list | jq -c '[.ns, .name, .state, (.keys | length), .keys[0].public, .keys[0].from]')" = '["global","ada","active",1,"'"$one"'","2026-11-28T09:00:00.000Z"]' ]
	[ "$(agent-key list | jq -r '.keys[0].id')" = "$(xxd -r -p <<<"$one" | sha256sum | head -c 16)" ]
	run -0 agent-key --now 2026-11-29 rotate ada "$two"
	[ "$(agent-key list | jq -c '[.version, (.keys[] | [.public, .from, .to])]')" = '[2,["'"$one"'","2026-11-28T09:00:00.000Z","2026-11-29T00:00:00.000Z"],["'"$two"'","2026-11-29T00:00:00.000Z",null]]' ]
	run -4 agent-key --agent bob add bob "$one"
	run -4 agent-key --agent bob retire ada
	run -0 agent-key --now 2026-11-30 retire ada
	[ "$(agent-key list | jq -c '[.state, .keys[1].to]')" = '["retired","2026-11-30T00:00:00.000Z"]' ]
	run -1 agent-key add ada "$one"
	[ "$(verdict)" = state_conflict ]
	run -0 agent-key retire ada
	[ "$(verdict)" = unchanged ]
	[ "$(mem-audit | jq -c '[.kind, .detail.change]' | tr '\n' ' ')" = '["key_rotation","added"] ["key_rotation","rotated"] ["agent_retired","retired"] ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "what is no key and no agent is refused" {
	run -1 agent-key add ada abc
	[ "$(verdict)" = bad_value ]
	# Points of small order, for which anybody can sign, and what is no point.
	for key in 0 01 ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f 26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05 02; do
		run -1 agent-key add ada "$key$(printf '%0*d' $((64 - ${#key})) 0 | head -c $((64 - ${#key})))"
		[ "$(verdict)" = bad_value ]
		run -1 agent-key rotate ada "$key$(printf '%0*d' $((64 - ${#key})) 0 | head -c $((64 - ${#key})))"
		[ "$(verdict)" = bad_value ]
	done
	run -1 agent-key add 'a b' "$(pair one)"
	[ "$(verdict)" = bad_value ]
	run -1 agent-key rotate nobody "$(pair one)"
	[ "$(verdict)" = not_found ]
	run -1 agent-key retire nobody
	[ "$(verdict)" = not_found ]
	run -2 agent-key add ada
}

@test "the test vector of mem-records(5)" {
	agent-key -q add ada 03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8
	vector=$(grep -A3 '^and the signature$' "$TOP/man/mem-records.5" | grep -E '^[0-9a-f]{64}$' | tr -d '\n')
	[ ${#vector} = 64 ] || vector+=$(grep -A4 '^and the signature$' "$TOP/man/mem-records.5" | tail -1)
	vector=${vector:0:128}
	run -0 mem-capture <<<'{"content":"tea","captured_at":"2026-11-28T09:00:00Z","signature":"'"$vector"'"}'
	[ "$(verdict)" = new ]
	[ "$(mem-list --kind episode | jq -r .origin.signature)" = "$vector" ]
}

@test "a signed event is kept with its signature; where none is required so is one without" {
	agent-key -q add ada "$(pair one)"
	signed one ada "$AT" 'tea is at four' >event
	run -0 mem-capture <event
	[ "$(verdict)" = new ]
	[ "$(jq -c .redactions <<<"$output")" = '[]' ]
	[ "$(mem-list --kind episode | jq -c '[.origin.signature, .origin.model_family, .extra]')" = "[\"$(jq -r .signature event)\",null,null]" ]
	run -0 mem-capture <<<'{"content":"unsigned","model_family":"m","model_version":"2","request_id":"r7"}'
	[ "$(mem-list | tail -1 | jq -c '.origin')" = '{"agent":"ada","via":"mem-capture","model_family":"m","model_version":"2","signature":null,"request_id":"r7"}' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "any change of what is signed breaks it" {
	agent-key -q add ada "$(pair one)"
	signed one ada "$AT" 'tea is at four' >event
	for change in '.content="tea is at five"' '.captured_at="2026-11-28T09:00:00.001Z"' '.ns="global"' '.role="assistant"' '.session_id="s"' \
		'.ref="r"' '.signature|=("0"+.[1:])' '.signature=.signature[2:]' '.signature=7' 'del(.captured_at)'; do
		jq -c "$change" event >changed
		cmp -s event changed && continue
		run -1 mem-capture <changed
		[ "$(verdict)" = bad_signature ] || { echo "$change: $output"; false; }
	done
	# The same time in another zone is the same.
	run -0 mem-capture <<<"$(jq -c '.captured_at="2026-11-28T10:00:00+01:00"' event)"
	[ "$(verdict)" = new ]
}

@test "an unknown writer, a retired one and a bad signature look the same" {
	agent-key -q add ada "$(pair one)"
	agent-key -q add gone "$(pair gone)"
	agent-key -q retire gone
	pair other >/dev/null
	for event in "$(signed other ada "$AT" tea)" "$(signed other bob "$AT" tea)"; do
		run -1 mem-capture <<<"$event"
		[ "$(verdict)" = bad_signature ]
	done
	mem-capture --agent ada <<<"$(signed other ada "$AT" tea)" >a || true
	mem-capture --agent bob <<<"$(signed other bob "$AT" tea)" >b || true
	mem-capture --agent gone <<<"$(signed gone gone "$AT" tea)" >c || true
	cmp a b
	cmp a c
	[ "$(mem-audit --every-namespace | jq -r 'select(.kind=="invalid_signature").reason' | sort -u)" = bad_signature ]
}

@test "the time of what is signed is near now, and a key has its own" {
	agent-key -q --now 2026-11-28T08:00:00Z add ada "$(pair one)"
	run -1 mem-capture <<<"$(signed one ada 2026-11-28T08:58:59.999Z tea)"
	[ "$(verdict)" = clock_skew ]
	run -0 mem-capture <<<"$(signed one ada 2026-11-28T08:59:00.000Z tea)"
	run -1 mem-capture <<<"$(signed one ada 2026-11-28T09:01:00.001Z tea)"
	[ "$(verdict)" = clock_skew ]
	# Before the key was there nobody had it.
	run -1 mem-capture <<<"$(signed one ada 2026-11-28T07:00:00.000Z tea)"
	[ "$(verdict)" = bad_signature ]
	[ "$(mem-audit | jq -r 'select(.kind=="clock_skew_rejected").kind' | wc -l)" = 2 ]
	[ "$(mem-audit | jq -c 'select(.kind=="clock_skew_rejected" or .kind=="invalid_signature") | [.actor, .detail.claimed, .detail.skew_seconds]' | tr '\n' ' ')" = \
		'["ada","ada",-60.001] ["ada","ada",60.001] ["ada","ada",-7200] ' ]
	echo 'sign: {skew: 2h}' >>store/config.yaml
	run -0 mem-capture <<<"$(signed one ada 2026-11-28T08:10:00.000Z coffee)"
	agent-key -q rotate ada "$(pair two)"
	run -1 mem-capture <<<"$(signed one ada "$AT" milk)"
	[ "$(verdict)" = bad_signature ]
	run -0 mem-capture <<<"$(signed two ada "$AT" milk)"
}

@test "sign.require refuses what is not signed" {
	agent-key -q add ada "$(pair one)"
	echo 'sign: {require: "on"}' >>store/config.yaml
	run -1 mem-capture <<<'{"content":"tea"}'
	[ "$(verdict)" = bad_signature ]
	run -1 mem-capture --lines <<<'tea'
	[ "$(verdict)" = bad_signature ]
	run -0 mem-capture <<<"$(signed one ada "$AT" tea)"
}

@test "each refusal says what is wrong, and what to do" {
	word() { run -1 agent-key --format text "$@"; }
	word add ada abc
	[[ $output = 'line 1 is refused: the key is not 64 hexadecimal digits: '*openssl* ]] || false
	word rotate ada "$(printf '%064d' 0)"
	[[ $output = 'line 1 is refused: the key is none for Ed25519'* ]] || false
	word add 'a b' "$(pair one)"
	[[ $output = "line 1 is refused: an agent's name is 1 to 64 of "* ]] || false
	word rotate nobody "$(pair one)"
	[[ $output = 'line 1 is refused: the agent has no key yet: agent-key add '* ]] || false
	word retire nobody
	[[ $output = *'agent-key list shows them' ]] || false
	agent-key -q add ada "$(pair one)"
	agent-key -q retire ada
	word add ada "$(pair two)"
	[[ $output = *'an agent that is retired: it gets no other key'* ]] || false
	run -1 agent-key add ada abc
	[ "$(jq -r .advice <<<"$output" | cut -c1-7)" = 'the key' ]
}
