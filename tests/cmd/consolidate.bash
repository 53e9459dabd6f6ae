# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of consolidation share: an extractor that knows one kind of sentence, so that they do not depend on the rules.

# extractor: ./work.sh finds "NAME works at PLACE", "NAME lives in PLACE", "NAME knows NAME" and "NAME frobs THING", which no rule knows.
extractor() {
	cat >work.sh <<-'END'
		#!/bin/bash
		[ ! -e slow ] || sleep 0.2
		[ ! -e at_work ] || echo yes >at_work
		while [ -e at_work ]; do sleep 0.05; done
		jq -c '. as $e | .content | capture("^(?<s>[A-Z][a-z]*) (?<p>works at|lives in|knows|frobs) (?<o>[A-Z][a-z]*)[.]?$")? |
			{episode: $e.id, statement: $e.content, subject: {name: .s, type: "person"},
			 predicate: ({"works at": "works_at", "lives in": "lives_in", "knows": "knows", "frobs": "frobs"}[.p]),
			 object: {name: .o, type: ({"works at": "organisation", "lives in": "place", "knows": "person", "frobs": "thing"}[.p])},
			 confidence: .9, veracity: "stated"}'
	END
	chmod +x work.sh
}

# consolidate [OPTION...]: with it, and nothing that vectors could change.
consolidate() {
	mem-consolidate --no-embed --with ./work.sh "$@"
}

# say AT TEXT...: captured as of that day.
say() {
	local at=$1 text
	shift
	for text; do
		jq -cn --arg at "$at" --arg text "$text" '{content: $text, captured_at: "\($at)T10:00:00Z"}'
	done | mem-capture -q --no-embed
}

# current: statements of facts that hold, in the order of their bytes.
current() {
	mem-list --kind fact --live | jq -r .statement | LC_ALL=C sort
}
