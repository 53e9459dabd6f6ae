# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of attestations and of promotion share: a fact of team:a.  ada is the operator; all belong to the team but out.

# team_fact: a store whose gate is open, and $fact in it.
team_fact() {
	need_store
	cat >> store/config.yaml <<-'YAML'
		agents:
		  ada: {teams: [a]}
		  bob: {teams: [a]}
		  cid: {teams: [a]}
		  dee: {teams: [a]}
		promote: {gate: "on"}
	YAML
	fact=$(mem-fact --agent bob --ns team:a 'the hub answers on port 8443' | jq -r .id)
	[ -n "$fact" ]
}

# What became of the one input of the last run.
verdict() { jq -r '.reason // .verdict' <<<"${output-}"; }
# vouch AGENT...: for $fact.
vouch() { for who; do mem-attest -q --agent "$who" "$fact"; done; }
