# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the bats files about skills that are there (`load skills`, after helper).

# skill N NAME [MORE]: the record of a skill, number N, with these fields besides.
skill() {
	printf '{"id":"0192aaaa-0000-7000-8000-%012d","kind":"skill","ns":"global","created_at":"2026-01-01T00:00:00.000Z","version":1,' "$1"
	printf '"status":"active","ref":"skill/%s","name":"%s","description":"How to %s","tags":[]%s}\n' "${2,,}" "$2" "${2,,}" "${3:+,$3}"
}
skill_id() { printf '0192aaaa-0000-7000-8000-%012d' "$1"; }
# skill_edge KIND FROM TO [MORE]: an edge between the skills of two numbers.
skill_edge() {
	printf '{"edge":"%s","from":"%s","to":"%s"%s,"created_at":"2026-01-01T00:00:00.000Z"}\n' "$1" "$(skill_id "$2")" "$(skill_id "$3")" "${4:+,$4}"
}
# verdicts: of the receipts in $output.
verdicts() { jq -r 'if .reason then "\(.verdict)/\(.reason)" else .verdict end' <<<"${output-}" | tr '\n' ' '; }
