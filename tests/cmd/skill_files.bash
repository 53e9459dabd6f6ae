# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests of the files of skills (`load skill_files`), with a store that `team_store` of links.bash made.

# skill NAME FRONT BODY: the file v/NAME/SKILL.md.
skill() {
	mkdir -p "v/$1"
	printf -- '---\n%s\n---\n%s\n' "$2" "$3" >"v/$1/SKILL.md"
}
# ingest [OPTION...] [PATH...]: without vectors, which none of these tests is about.
ingest() { skill-ingest --no-embed "$@"; }
# verdicts: VERDICT NAME RELEASE of each receipt of the input.
verdicts() { jq -r '"\(.verdict) \(.name) \(.release)"'; }
# node NAME: the skill's record.
node() { mem-list --kind skill --status active,draft,deprecated,archived,retired | jq -c "select(.name == \"$1\" and .release_of == null)"; }
# releases NAME: RELEASE STATUS LICENSE of those that are not active.
releases() { mem-list --kind skill | jq -r "select(.name == \"$1\" and .release_of != null) | \"\(.release) \(.status) \(.license)\""; }
# same_text NAME FILE: the skill's text is the file's, byte for byte.
same_text() {
	mem-list --kind skill | jq -j "select(.name == \"$1\" and .release_of == null) | .front + .content" | cmp - "$2"
}
# edges: KIND FROM TO WEIGHT of all edges that leave skills, by names.
edges() {
	kg-edge list --all | jq -c . >edge.lines
	mem-list --kind skill,page,tag --all >node.lines
	jq -nr --slurpfile e edge.lines --slurpfile n node.lines '($n | map({key: .id, value: .name}) | from_entries) as $name |
		$e[] | "\(.edge) \($name[.from]) \($name[.to])" + (if .edge == "tagged" then "" else " \(.weight)" end)' | LC_ALL=C sort
}
