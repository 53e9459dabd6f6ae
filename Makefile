# memkit: one makefile, not recursive.  `make help` lists the targets.
#
#   CC=clang  SAN=address,undefined  SAN=thread  WERROR=1  V=1 (show commands)
#   PREFIX=/usr/local  DESTDIR=  FUZZ_SECONDS=60 (for each fuzzer)
#
# Each choice of compiler and sanitizer builds in a folder of its own under build/, so
# that changing back and forth rebuilds nothing.  config.mak, when it is there, may set any of these.
-include config.mak

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
comma := ,
B := build/$(or $(subst $(comma),-,$(SAN)),release)$(if $(COV),-coverage)$(if $(findstring clang,$(CC)),-clang)
Q := $(if $(V),,@)
quiet := $(V)$(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(quiet),,@printf '  %-5s %s\n' $(1) $(2))
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# ---- flags ------------------------------------------------------------------

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wvla -Wwrite-strings -Wcast-qual \
	-Wformat=2 -Wundef -Wpointer-arith -Wimplicit-fallthrough -Wdouble-promotion \
	-Werror=int-conversion -Werror=incompatible-pointer-types
OPT ?= -O2 -g
# FMA contraction would let two machines, or two compilers, print different scores.
# Nobody looks at errno after sqrt, which is then an instruction, and most commands need no libm.
# All objects are position independent, so that one archive serves both ways of linking;
# without interposition that costs nothing that can be measured.
CFLAGS_ALL := -std=gnu11 $(OPT) -fPIE -fno-strict-aliasing -ffp-contract=off -fno-math-errno \
	-ffunction-sections -fdata-sections -fstack-protector-strong \
	$(WARN) $(if $(WERROR),-Werror) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=undefined -fno-omit-frame-pointer) \
	$(if $(COV),--coverage) -D_GNU_SOURCE -Ilib $(CFLAGS)

# Static archives of all but libc start fastest; a library without one is linked as usual.
LIBDIR := /usr/lib/$(shell $(CC) -print-multiarch 2>/dev/null || gcc -print-multiarch)
LIBS := lmdb yaml pcre2-8 md4c utf8proc unistring stemmer sodium xxhash
archive = $(wildcard $(LIBDIR)/lib$1.a)
library = $(if $(call archive,$1),-l:lib$1.a,-l$1)
LDLIBS_ALL := -Wl,--as-needed -Wl,--gc-sections -Wl,-z,relro \
	$(foreach l,$(LIBS),$(call library,$l)) -lpthread -lm
# Fixed addresses start faster.  What parses strangers' files is moved about instead; the
# stemmer's tables, which capture and import bring along, would cost them half of their start.
STRANGERS := kg-check kg-hooks kg-import kg-link mem-adapt mem-model skill-ingest skill-version
# What a prompt waits for takes libc along, too: to find, map and relocate it is a fifth of
# the time of a look-up.  Not for what opens libraries while it runs (the linker's warning
# about dlopen is an error here) or writes (the proofs watch writers through a preloaded library).
# vector_bench stands for such a command.
STATIC := kg-backlinks kg-communities kg-neighbors kg-path kg-rank kg-stat mem-audit mem-export mem-fuse mem-gate mem-get mem-history mem-list mem-render mem-rerank mem-search mem-spread mem-stat skill-activate skill-find
static = $(if $(SAN),,$(if $(call archive,c),$(filter $(STATIC) vector_bench,$(notdir $@))))
link = $(if $(static),-static -Wl$(comma)--fatal-warnings,-$(if $(filter $(STRANGERS),$(notdir $@)),,no-)pie)
libs = $(if $(static),$(filter-out $(foreach l,$(LIBS),$(if $(call archive,$l),,-l$l)),$(LDLIBS_ALL)),$(LDLIBS_ALL))

# ---- sources ----------------------------------------------------------------

LIB_SRC := $(sort $(wildcard lib/*/*.c))
# lib/ROOM/NAME.yaml, .txt, .html, .css and .js become `const unsigned char mem_data_ROOM_NAME[]` (a NUL
# behind it) and `const size_t mem_data_ROOM_NAME_len`; the room declares what it uses.
DATA := $(sort $(wildcard $(foreach e,yaml txt html css js,lib/*/*.$e)))
DATA_OBJ := $(DATA:lib/%=$B/gen/%.o)
LIB_OBJ := $(LIB_SRC:%.c=$B/%.o) $(DATA_OBJ) $(if $(wildcard lib/clean/*.yaml),$B/gen/rules.o) \
	$(if $(wildcard lib/token/wordpiece.tsv),$B/gen/wordpiece_table.o)
CMDS := $(sort $(patsubst cmd/%.c,%,$(wildcard cmd/*.c)))
# Programs that commands start, and nobody else.
LIBEXEC := $(sort $(patsubst libexec/%.c,%,$(wildcard libexec/*.c)))
UNIT := $(sort $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*_test.c)))
BENCH := $(sort $(wildcard tests/bench/*.c))
FUZZ := $(sort $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*_fuzz.c)))
PAGES := $(sort $(wildcard man/*.[1-8]))

BINS := $(CMDS:%=$B/bin/%)
LIBEXEC_BINS := $(LIBEXEC:%=$B/libexec/memkit/%)
UNIT_BINS := $(UNIT:%=$B/unit/%)
FUZZ_BINS := $(FUZZ:%=$B/fuzz/%)
BENCH_OBJ := $(BENCH:%.c=$B/%.o)

all: $B/libmem.a $(BINS) $(LIBEXEC_BINS) ## build the commands into build/release/bin

# ---- rules ------------------------------------------------------------------

# -Werror changes no object: what was built with it serves without it.
FLAGS := $(filter-out -Werror,$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(LDLIBS_ALL) $(STATIC))
$B/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
# What the archive holds: a source that was removed must leave it.
$B/members: FORCE
	@mkdir -p $(@D)
	@echo '$(LIB_OBJ)' | cmp -s - $@ || echo '$(LIB_OBJ)' > $@
FORCE:

$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$B/gen/%.c: lib/% scripts/embed
	@mkdir -p $(@D)
	$(call say,EMBED,$<)
	$Qscripts/embed $< > $@

$B/gen/%.o: $B/gen/%.c $B/flags
	$Q$(CC) $(CFLAGS_ALL) -c -o $@ $<

# The rules of cleaning are checked, and the table of their literals is made, while
# building, so that a command that starts need not read YAML.
RULES := lib/clean/cues.yaml lib/clean/cue_weights.tsv lib/clean/redact.yaml lib/clean/markers.yaml
RULES_OBJ := $(patsubst %.c,$B/%.o,$(wildcard lib/base/*.c) lib/conf/yaml.c lib/conf/rule_file.c \
	lib/clean/rule_read.c lib/clean/literals.c lib/text/pattern.c lib/text/pattern_marks.c \
	lib/text/pattern_needs.c lib/text/pattern_start.c)
$B/gen/rules-table: $B/scripts/rules-table.o $(RULES_OBJ)
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -no-pie -o $@ $^ $(LDLIBS_ALL)
$B/gen/rules.c: $B/gen/rules-table $(RULES)
	$(call say,RULES,$@)
	$Q$B/gen/rules-table $(RULES) > $@

# The weights of cues are made of labelled texts that are no part of memkit.
$B/gen/cue-weights: $B/scripts/cue-weights.o $B/libmem.a
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -no-pie -o $@ $^ $(LDLIBS_ALL)
cue-weights: $B/gen/cue-weights ## weigh the cues of lib/clean/cues.yaml by the texts in $MEMKIT_DATA
	$Qfind "$(MEMKIT_DATA)/skills" "$(MEMKIT_DATA)"/vault-* -name '*.md' -print0 | LC_ALL=C sort -z | \
		xargs -0 -x -n 100000 -s 1500000 $B/gen/cue-weights "$(MEMKIT_DATA)" > $B/gen/cue_weights.tsv
	$Qcp $B/gen/cue_weights.tsv lib/clean/cue_weights.tsv

# scripts/model-mean -p runs it.
$B/gen/piece-mean: $B/scripts/piece-mean.o $B/libmem.a
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -no-pie -o $@ $^ $(LDLIBS_ALL)

# So are the tables of what WordPiece does with characters.
$B/gen/wordpiece-table: $B/scripts/wordpiece-table.o
	@mkdir -p $(@D)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -no-pie -o $@ $< $(LDLIBS_ALL)
$B/gen/wordpiece_table.c: $B/gen/wordpiece-table lib/token/wordpiece.tsv
	$(call say,TABLE,$@)
	$Q$B/gen/wordpiece-table < lib/token/wordpiece.tsv > $@

$B/libmem.a: $(LIB_OBJ) $B/members
	$(call say,AR,$@)
	@rm -f $@
	$Q$(AR) rcs $@ $(LIB_OBJ)

$B/bin/%: $B/cmd/%.o $B/libmem.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(link) -o $@ $< $B/libmem.a $(libs)

$B/libexec/memkit/%: $B/libexec/%.o $B/libmem.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(link) -o $@ $< $B/libmem.a $(libs)

$B/unit/%: $B/tests/unit/%.o $B/libmem.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(link) -o $@ $< $B/libmem.a $(LDLIBS_ALL) -lcmocka

# Without libFuzzer a driver of our own feeds the corpus, so that any compiler replays it.
# jansson tells the scanner of lines what is right (record_fuzz); nothing else is linked with it.
FUZZ_MAIN = $(if $(findstring fuzzer,$(SAN)),-fsanitize=fuzzer,$B/tests/fuzz/driver.o)
$B/fuzz/%: $B/tests/fuzz/%.o $B/libmem.a $(if $(findstring fuzzer,$(SAN)),,$B/tests/fuzz/driver.o)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -no-pie -o $@ $< $(FUZZ_MAIN) $B/libmem.a $(LDLIBS_ALL) $(call library,jansson)

# Benches of a single room, by hand: make build/release/bench/index_bench
$B/bench/%: $B/tests/bench/%.o $B/libmem.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(link) -o $@ $< $B/libmem.a $(libs)

# Benches are compiled with the tests, so that a change which breaks one is seen at once.
test-bins: all $(UNIT_BINS) $(FUZZ_BINS) $(BENCH_OBJ)

# ---- tests ------------------------------------------------------------------

check: ## run every test; brings what it needs; SAN= and CC= work too
	@scripts/deps build test
	@$(MAKE) --no-print-directory $(JOBS) test-bins
	@tests/run $B

unit: $(UNIT_BINS) ## the unit tests alone
	@tests/run $B unit

cmd: all ## the tests of commands alone; T=mem-x picks some
	@tests/run $B cmd $(T)

examples: all ## the examples of README and pages alone
	@tests/run $B examples

fuzz: ## libFuzzer on each parser, FUZZ_SECONDS each
fuzz-pack: ## merge what fuzzing found into tests/fuzz/corpus
fuzz fuzz-pack:
	@scripts/deps build fuzz
	@$(MAKE) --no-print-directory $(JOBS) CC=clang SAN=fuzzer-no-link,address,undefined $@-run

fuzz-run: $(FUZZ_BINS)
	@tests/fuzz/run $B $(FUZZ_SECONDS) $(FUZZ)

fuzz-pack-run: $(FUZZ_BINS)
	@tests/fuzz/run --pack $B $(FUZZ)

lint: ## warnings are errors under two compilers; clang-tidy, cppcheck and our own checks
	@scripts/deps build test lint
	@scripts/lint

coverage: ## lines and branches that the tests reach
	@scripts/deps build test coverage
	@$(MAKE) --no-print-directory $(JOBS) COV=1 OPT='-O0 -g' test-bins
	@tests/run build/release-coverage || true
	@gcovr -r . --object-directory build/release-coverage -e 'tests/' --sort-percentage \
		--html-details build/release-coverage/index.html --print-summary

bench: all ## measure against peers; writes tests/bench/RESULTS.md
	@tests/bench/run

tidy: $(patsubst %.c,$B/tidy/%.ok,$(LIB_SRC) $(CMDS:%=cmd/%.c) $(LIBEXEC:%=libexec/%.c))
$B/tidy/%.ok: %.c .clang-tidy $B/flags
	@mkdir -p $(@D)
	$(call say,TIDY,$<)
	$Qclang-tidy --quiet $< -- $(filter-out -W% -Werror,$(CFLAGS_ALL)) 2>/dev/null
	@touch $@

headers: $(patsubst %.h,$B/headers/%.ok,$(sort $(wildcard lib/*/*.h)))
$B/headers/%.ok: %.h $B/flags
	@mkdir -p $(@D)
	$(call say,HDR,$<)
	$Q$(CC) $(CFLAGS_ALL) -Wno-unused-const-variable -Wno-unused-function -fsyntax-only -x c $<
	@touch $@

# ---- installing -------------------------------------------------------------

BINDIR = $(DESTDIR)$(PREFIX)/bin
LIBEXECDIR = $(DESTDIR)$(PREFIX)/libexec/memkit
SHARE = $(DESTDIR)$(PREFIX)/share
INSTALLED = $(CMDS:%=$(BINDIR)/%) $(LIBEXEC:%=$(LIBEXECDIR)/%) \
	$(foreach p,$(PAGES),$(SHARE)/man/man$(subst .,,$(suffix $p))/$(notdir $p)) \
	$(CMDS:%=$(SHARE)/bash-completion/completions/%) \
	$(CMDS:%=$(SHARE)/zsh/site-functions/_%) \
	$(CMDS:%=$(SHARE)/fish/vendor_completions.d/%.fish)

install: all ## commands, pages and completions below DESTDIR/PREFIX
	@install -d $(sort $(dir $(INSTALLED)))
	$(if $(CMDS),$Qinstall -s -m 755 $(BINS) $(BINDIR))
	$(if $(LIBEXEC),$Qinstall -s -m 755 $(LIBEXEC_BINS) $(LIBEXECDIR))
	$Qfor p in $(PAGES); do install -m 644 $$p $(SHARE)/man/man$${p##*.}/ || exit 1; done
	$(if $(CMDS),$Qinstall -m 644 $(CMDS:%=completions/bash/%) $(SHARE)/bash-completion/completions)
	$(if $(CMDS),$Qinstall -m 644 $(CMDS:%=completions/zsh/_%) $(SHARE)/zsh/site-functions)
	$(if $(CMDS),$Qinstall -m 644 $(CMDS:%=completions/fish/%.fish) $(SHARE)/fish/vendor_completions.d)

uninstall: ## remove what install puts there
	rm -f $(INSTALLED)

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

.PHONY: all cue-weights check unit cmd examples fuzz fuzz-run fuzz-pack fuzz-pack-run lint coverage bench tidy headers \
	test-bins install uninstall clean help FORCE
.PRECIOUS: $B/%.o $B/gen/%.c
.DELETE_ON_ERROR:
-include $(LIB_SRC:%.c=$B/%.d) $(CMDS:%=$B/cmd/%.d) $(LIBEXEC:%=$B/libexec/%.d) $(UNIT:%=$B/tests/unit/%.d) \
	$(FUZZ:%=$B/tests/fuzz/%.d) $B/tests/fuzz/driver.d \
	$(BENCH_OBJ:.o=.d) $B/scripts/rules-table.d $B/scripts/wordpiece-table.d $B/scripts/cue-weights.d $B/scripts/piece-mean.d
