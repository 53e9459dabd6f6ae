# memkit: one makefile, not recursive.  `make help` lists the targets.
#
#   SAN=address,undefined   SAN=thread   build with sanitizers, in a folder of its own
#   CC=clang  WERROR=1  PREFIX=/usr/local  DESTDIR=
#
# config.mak, when it is there, may set any of these.
-include config.mak

PREFIX ?= /usr/local
comma := ,
B := build/$(or $(subst $(comma),-,$(SAN)),release)$(if $(filter clang,$(CC)),-clang)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wvla -Wwrite-strings -Wcast-qual \
	-Wformat=2 -Wundef -Wpointer-arith -Wimplicit-fallthrough -Wdouble-promotion
OPT ?= -O2 -g
# FMA contraction would let two machines, or two compilers, print different scores.
CFLAGS_ALL := -std=gnu11 $(OPT) -fno-strict-aliasing -ffp-contract=off -ffunction-sections -fdata-sections \
	$(WARN) $(if $(WERROR),-Werror) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) \
	-D_GNU_SOURCE -Ilib -I$B/gen $(CFLAGS)
STATIC := -llmdb -lyaml -lpcre2-8 -ljansson -lutf8proc -lunistring -lstemmer -lsodium
LDLIBS_ALL := -Wl,--as-needed -Wl,--gc-sections -Wl,-Bstatic $(STATIC) -Wl,-Bdynamic -lmd4c -lpthread -lm

LIB_SRC := $(wildcard lib/*/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$B/%.o)
CMDS := $(patsubst cmd/%.c,%,$(wildcard cmd/*.c))
UNIT := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*_test.c))

all: $B/libmem.a $(CMDS:%=$B/bin/%)

$B/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS_ALL) $(LDLIBS_ALL)' | cmp -s - $@ || echo '$(CC) $(CFLAGS_ALL) $(LDLIBS_ALL)' > $@
FORCE:

$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$B/libmem.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$B/bin/%: $B/cmd/%.o $B/libmem.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -no-pie -o $@ $< $B/libmem.a $(LDLIBS_ALL)

$B/unit/%: $B/tests/unit/%.o $B/libmem.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -no-pie -o $@ $< $B/libmem.a $(LDLIBS_ALL) -lcmocka

unit: $(UNIT:%=$B/unit/%)
	@for t in $^; do $$t || exit 1; done

clean:
	rm -rf build

.PHONY: all unit clean FORCE
.PRECIOUS: $B/%.o
-include $(LIB_OBJ:.o=.d) $(CMDS:%=$B/cmd/%.d) $(UNIT:%=$B/tests/unit/%.d)
