# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# For the bats files about what is computed from the graph (`load graph`, after helper and links).

# nodes NAME...: tags of these names, which all may read.
nodes() { printf '{"kind":"tag","name":"%s"}\n' "$@" | kg-node -q --ns global add; }
# edge FROM TO [WEIGHT [KIND]]
edge() { echo "{\"edge\":\"${4:-relates_to}\",\"from\":\"$1\",\"to\":\"$2\",\"weight\":${3:-1}}" | kg-edge -q add; }
# faded_edge FROM TO: co_occurs with the weight 0.8, strengthened last as 2026 began.
faded_edge() { echo "{\"edge\":\"co_occurs\",\"from\":\"$1\",\"to\":\"$2\",\"weight\":0.8,\"reinforced_at\":\"2026-01-01T00:00:00Z\"}" | kg-edge -q add; }
id_of() { kg-node list --name "$1" | jq -r .id; }
# hide NAME TO...: a tag of bob's own with edges to nodes of all, as the one thing that ada may not see.
hide() {
	local hidden to
	kg-node -q --agent bob --ns agent:bob add <<<"{\"kind\":\"tag\",\"name\":\"$1\"}"
	hidden=$(kg-node --agent bob list --name "$1" | jq -r .id)
	for to in "${@:2}"; do
		kg-edge -q --agent bob add <<<"{\"edge\":\"relates_to\",\"from\":\"$hidden\",\"to\":\"$to\",\"bidirectional\":true}"
	done
}
