#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Facts that agents of a team vouch for.
load helper
load attest

setup() {
	scratch
	team_fact
}

@test "an agent vouches once, with an edge to itself" {
	run -0 mem-attest --agent bob "$fact"
	[ "$(verdict)" = new ]
	run -0 mem-attest --agent bob "${fact:0:18}"
	[ "$(verdict)" = unchanged ]
	vouch ada
	[ "$(kg-edge list --kind attested_by | jq -r .from | sort -u)" = "$fact" ]
	[ "$(kg-edge list --kind attested_by | jq -r .to | sort -u | wc -l)" = 2 ]
	[ "$(mem-list --kind agent | jq -c '[.ns, .name]' | sort | tr '\n' ' ')" = '["team:a","ada"] ["team:a","bob"] ' ]
	[ "$(mem-audit | jq -r 'select(.kind=="attest").actor' | tr '\n' ' ')" = 'bob ada ' ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "what is no fact, not seen or not to be written cannot be attested" {
	run -1 mem-attest --agent out "$fact"
	[ "$(verdict)" = not_found ]
	run -1 mem-attest "$(remember '{"content":"tea"}')"
	[ "$(verdict)" = bad_value ]
	all=$(mem-fact --ns global 'tea is at four' | jq -r .id)
	run -4 mem-attest --agent bob "$all"
	[ "$(verdict)" = namespace_denied ]
	run -2 mem-attest
	run -2 mem-attest --signature ab "$fact"
}

@test "an attestation is signed where signatures are required" {
	command -v openssl >/dev/null || skip "no openssl(1)"
	openssl genpkey -algorithm ed25519 -out bob.pem 2>/dev/null
	agent-key -q add bob "$(openssl pkey -in bob.pem -pubout -outform DER | tail -c 32 | od -An -tx1 | tr -d ' \n')"
	echo 'sign: {require: "on"}' >>store/config.yaml
	run -1 mem-attest --agent bob "$fact"
	[ "$(verdict)" = bad_signature ]
	net() { local LC_ALL=C field; for field; do printf '%d:%s,' ${#field} "$field"; done; }
	net memkit.attestation.v1 bob "$fact" 2026-11-28T09:00:00.000Z >message
	sig=$(openssl pkeyutl -sign -inkey bob.pem -rawin -in message | od -An -tx1 | tr -d ' \n')
	run -1 mem-attest --agent cid --signature "$sig" --at 2026-11-28T09:00:00Z "$fact"
	[ "$(verdict)" = bad_signature ]
	run -0 mem-attest --agent bob --signature "$sig" --at 2026-11-28T09:00:00Z "$fact"
	[ "$(verdict)" = new ]
	[ "$(kg-edge list --kind attested_by | jq -r .signature)" = "$sig" ]
	# With the time that it is of it can be checked again.
	[ "$(kg-edge list --kind attested_by | jq -r .signed_at)" = 2026-11-28T09:00:00.000Z ]
	# Said again without one, where that may be, it stays.
	sed -i '/^sign:/d' store/config.yaml
	run -0 mem-attest --agent bob "$fact"
	[ "$(verdict)" = unchanged ]
	[ "$(kg-edge list --kind attested_by | jq -r .signature)" = "$sig" ]
}

# block: the id of a redline of team:a that is of high sensitivity, whose text is "never push"; its edits need an attestation.
attested_block() {
	echo 'core: {attest: [high, secret]}' >>store/config.yaml
	block=$(mem-core --ns team:a --sensitivity high add redline never push | jq -r .id)
	[ -n "$block" ]
}
hash_of() { printf %s "$1" | sha256sum | cut -d' ' -f1; }

@test "an edit of a core block whose sensitivity is named needs the word of another agent" {
	attested_block
	run -1 mem-core edit "$block" push on fridays
	[ "$(verdict)" = unattested ]
	# One's own word, and that on another text, are none.
	run -0 mem-attest --edit "$(hash_of 'push on fridays')" "$block"
	[ "$(verdict)" = new ]
	run -0 mem-attest --agent bob --edit "$(hash_of 'push on mondays')" "$block"
	run -1 mem-core edit "$block" push on fridays
	[ "$(verdict)" = unattested ]
	run -0 mem-attest --agent bob --edit "$(hash_of 'push on fridays')" "$block"
	[ "$(verdict)" = changed ]
	run -0 mem-attest --agent bob --edit "$(hash_of 'push on fridays')" "$block"
	[ "$(verdict)" = unchanged ]
	[ "$(kg-edge list --kind attested_by | jq -r .prior | sort -u)" = "$(hash_of 'never push')" ]
	run -1 mem-core --if-hash "$(hash_of 'always push')" edit "$block" push on fridays
	[ "$(verdict)" = conflict ]
	run -0 mem-core edit "$block" push on fridays
	[ "$(verdict)" = changed ]
	# It was given for that edit alone, not for the way back and forth again.
	run -0 mem-core edit "$block" push on fridays
	[ "$(verdict)" = unchanged ]
	run -1 mem-core edit "$block" never push
	[ "$(verdict)" = unattested ]
	[ "$(mem-audit | jq -r 'select(.kind=="attest").subject' | sort -u)" = "$block" ]
	run -0 mem-check
	[ -z "$output" ]
}

@test "such a block is retired, and so makes room for another, by the word of another agent alone" {
	attested_block
	run -1 mem-core retire "$block"
	[ "$(verdict)" = unattested ]
	run -0 mem-attest --agent bob --edit "$(hash_of 'push on fridays')" "$block"
	run -1 mem-core retire "$block"
	[ "$(verdict)" = unattested ]
	[ "$(mem-core list | jq -r .content)" = "never push" ]
	run -0 mem-attest --agent bob --edit "$(hash_of '')" "$block"
	run -0 mem-core retire "$block"
	[ "$(verdict)" = changed ]
	[ -z "$(mem-core list)" ]
	run -0 mem-core retire "$block"
	[ "$(verdict)" = unchanged ]
	# Blocks of other sensitivities go without.
	plain=$(mem-core --ns team:a --sensitivity low add redline no tabs | jq -r .id)
	run -0 mem-core retire "$plain"
}

@test "neither is such a block erased before it was retired" {
	attested_block
	run -1 mem-forget --erase "$block"
	[ "$(verdict)" = unattested ]
	run -0 mem-attest --agent bob --edit "$(hash_of '')" "$block"
	run -0 mem-core retire "$block"
	run -0 mem-forget --erase "$block"
	[ "$(verdict)" = removed ]
}

@test "blocks of other sensitivities are edited without, and a fact's attestation is none of an edit" {
	attested_block
	plain=$(mem-core --ns team:a --sensitivity low add redline no tabs | jq -r .id)
	run -0 mem-core edit "$plain" no blanks
	bare=$(mem-core --ns team:a add redline no tea | jq -r .id)
	run -0 mem-core edit "$bare" no coffee
	run -1 mem-attest --agent bob "$block"
	[ "$(verdict)" = bad_value ]
	run -1 mem-attest --agent bob --edit "$(hash_of x)" "$fact"
	[ "$(verdict)" = bad_value ]
	run -2 mem-attest --agent bob --edit 12ab "$block"
	run -1 mem-attest --agent out --edit "$(hash_of x)" "$block"
	[ "$(verdict)" = not_found ]
	mem-attest -q --agent bob --edit "$(hash_of '')" "$block"
	mem-core -q retire "$block"
	run -1 mem-attest --agent bob --edit "$(hash_of x)" "$block"
	[ "$(verdict)" = state_conflict ]
}

@test "the attestation of an edit is signed where signatures are required" {
	command -v openssl >/dev/null || skip "no openssl(1)"
	attested_block
	openssl genpkey -algorithm ed25519 -out bob.pem 2>/dev/null
	agent-key -q add bob "$(openssl pkey -in bob.pem -pubout -outform DER | tail -c 32 | od -An -tx1 | tr -d ' \n')"
	echo 'sign: {require: "on"}' >>store/config.yaml
	run -1 mem-attest --agent bob --edit "$(hash_of tea)" "$block"
	[ "$(verdict)" = bad_signature ]
	net() { local LC_ALL=C field; for field; do printf '%d:%s,' ${#field} "$field"; done; }
	net memkit.core-edit.v1 bob "$block" "$(hash_of 'never push')" "$(hash_of tea)" 2026-11-28T09:00:00.000Z >message
	sig=$(openssl pkeyutl -sign -inkey bob.pem -rawin -in message | od -An -tx1 | tr -d ' \n')
	run -1 mem-attest --agent bob --edit "$(hash_of milk)" --signature "$sig" --at 2026-11-28T09:00:00Z "$block"
	[ "$(verdict)" = bad_signature ]
	run -0 mem-attest --agent bob --edit "$(hash_of tea)" --signature "$sig" --at 2026-11-28T09:00:00Z "$block"
	run -0 mem-core edit "$block" tea
	[ "$(verdict)" = changed ]
}
