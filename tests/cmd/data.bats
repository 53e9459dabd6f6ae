#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The data that benches and models rest on is whole, and the mean vectors are what their script makes of vectors.
load helper

setup() { scratch; }

@test "each topic has a page in each of six languages" {
	local pages=$TOP/tests/data/languages/pages.ndjson
	jq -es 'length == 360 and (group_by(.topic) | length == 60 and
		all(.[]; (map(.lang) | sort) == ["ar", "de", "es", "ja", "ru", "zh"] and (map(.title_en) | unique | length) == 1))' "$pages"
	jq -es 'all(.[]; .title != "" and (.content | length) >= 50) and
		(map(.title_en) | unique | length) == 60 and (map([.lang, .title]) | unique | length) == 360' "$pages"
}

@test "the mean vectors: a line of 384 numbers for each model, none longer than 1" {
	awk '/^#/ { next }
		{ sum = 0; for (i = 2; i <= NF; i++) sum += $i * $i / 1e12; print $1; if (NF != 385 || sum > 1) bad = 1 }
		END { exit bad }' "$TOP/lib/model/means.txt" >names
	[ "$(sort names | paste -sd' ')" = "bge e5 me5 minilm" ]
}

@test "model-mean counts each file the same" {
	mkdir bin
	cat >bin/mem-embed <<-'END'
		#!/bin/bash
		# 1 for each line of the first file, -1 for that of the second.
		[ "$*" = "--model m --format f32 $5" ] || exit 3
		while read -r sign; do printf "\0\0\200\\$sign%.0s" {1..384}; done <"$5"
	END
	chmod +x bin/mem-embed
	printf '077\n077\n077\n' >ones
	echo 277 >less
	export MEMKIT_BIN=$PWD/bin
	run -0 "$TOP/scripts/model-mean" -m m "$PWD/ones" "$PWD/less"
	[ "$(wc -w <<<"${lines[1]}")" -eq 385 ]
	[[ ${lines[1]} =~ ^m(\ -?0){384}$ ]]
	run -0 "$TOP/scripts/model-mean" -m m "$PWD/ones"
	[[ ${lines[1]} =~ ^m(\ 1000000){384}$ ]]
	run -3 "$TOP/scripts/model-mean" -m other "$PWD/ones"
}
