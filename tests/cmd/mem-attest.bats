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
