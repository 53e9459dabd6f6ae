# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the bats files about nodes and edges written by hand (`load links`, after helper).

# team_store: a store of ada's, who is the operator, in which bob is of team:a.
team_store() {
	need_store
	cat >> store/config.yaml <<-'END'
		agents:
		  bob: {teams: [a]}
	END
}

# field NAME: of the receipt in $output.
field() { jq -r ".$1" <<<"${output-}"; }

# refused_by COMMAND REASON STATUS OFFSET JSON [VERB]: the record is refused so, by a receipt with that place.
refused_by() {
	run "-$3" --separate-stderr "$1" "${6:-add}" <<<"$5"
	[ "$(field verdict)/$(field reason)/$(field offset)/$(field id)" = "rejected/$2/$4/null" ]
}
