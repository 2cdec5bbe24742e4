# ioproof. `make help` says what there is; S=asan builds with sanitizers, V=1 shows the commands.
VERSION := 0.1.0
PREFIX  ?= /usr/local
B       ?= build$(if $(S),-$(S))
CFLAGS  ?= -O2 -g
JOBS    ?= $(shell nproc)
ifeq ($(origin CC),default)
CC      := gcc
endif
PKGS    := mount blkid ext2fs com_err jansson

# Ours first: what a packager passes in CPPFLAGS, CFLAGS and LDFLAGS is added, never lost.
cppflags := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DIOPROOF_VERSION='"$(VERSION)"' -Iharness -I. \
            $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CPPFLAGS)
cflags   := -std=gnu17 -pthread -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wwrite-strings -Wvla -Wno-unused-parameter $(CFLAGS)
ldflags  := $(LDFLAGS)
ldlibs   := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm $(LDLIBS)

ifeq ($(S),asan)
cflags  += -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all
ldflags += -fsanitize=address,undefined
# Some tests preload a library into the program, as people do with eatmydata.
export ASAN_OPTIONS  ?= verify_asan_link_order=0
export UBSAN_OPTIONS ?= print_stacktrace=1
else ifneq ($(S),)
$(error S=$(S) is not known; there is S=asan)
endif

ifneq ($(V),1)
Q   := @
say  = @printf '  %-6s %s\n' '$(1)' '$(2)';
endif

SRC     := $(sort $(shell find harness probes fixtures -name '*.c'))
OBJ     := $(SRC:%.c=$B/%.o)
CORE    := $(filter-out $B/harness/main.o,$(OBJ))
UNIT    := $(patsubst %.c,$B/%,$(sort $(wildcard tests/unit/test_*.c)))
E2E     := $(patsubst %.c,$B/%,$(sort $(wildcard tests/end-to-end/test_*.c)))
BENCH   := $(patsubst %.c,$B/%,$(sort $(wildcard tests/bench/*.c)))
SUPPORT := $(patsubst %.c,$B/%.o,$(sort $(wildcard tests/support/*.c)))
# FUSE filesystems that lie on request; tests that need one are skipped where libfuse is missing.
LIARS   := $(if $(shell pkg-config --exists fuse3 2>/dev/null && echo yes), \
             $(patsubst %.c,$B/%,$(sort $(wildcard tests/liars/*.c))))
LAYERS  := $(sort $(wildcard tests/end-to-end/*.sh tests/liars/*.sh))
# Sanitizers are for what a hostile machine makes the program do; the rest is about the machine.
ifneq ($(S),)
LAYERS  := $(filter tests/liars/probe.sh tests/end-to-end/%_bad_input.sh \
             tests/end-to-end/%_unprivileged.sh tests/end-to-end/probe_trace.sh \
             tests/end-to-end/fixture_run.sh,$(LAYERS))
endif
LONG    := $(sort $(wildcard tests/long/*.sh))
SOURCES := $(SRC) $(shell find harness probes fixtures -name '*.h') \
           $(sort $(shell find tests -name '*.[ch]'))
SCRIPTS := $(sort $(shell grep -rlE '^#!.*sh$$' scripts tests .ci)) tests/tap.sh \
           harness/manual/ioproof.bash
SCHEMAS := $(wildcard harness/manual/*.json)

ifneq ($(filter-out help clean format,$(or $(MAKECMDGOALS),all)),)
ifneq ($(shell pkg-config --exists $(PKGS) 2>/dev/null && echo found),found)
$(error pkg-config does not find all of: $(PKGS). As root: scripts/install-deps.sh build)
endif
endif

all: $B/ioproof ## build the program (default)

# A deleted or added file changes the list, and the list relinks; other flags recompile.
stamp = @mkdir -p $B; echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' > $@
$B/objects: FORCE
	$(call stamp,$(CC) $(ldflags) $(ldlibs) $(OBJ) $(SUPPORT))
$B/flags: FORCE
	$(call stamp,$(CC) $(cppflags) $(cflags))

$B/ioproof: $(OBJ) $B/objects
	$(call say,LINK,$@)$(CC) $(cflags) $(ldflags) -o $@ $(OBJ) $(ldlibs)

$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(cppflags) $(cflags) -MMD -MP -c -o $@ $<

$(UNIT) $(E2E) $(BENCH): %: %.o $(CORE) $(SUPPORT) $B/objects
	$(call say,TEST,$@)$(CC) $(cflags) $(ldflags) -o $@ $< $(CORE) $(SUPPORT) $(ldlibs) -lcmocka

.PRECIOUS: $B/tests/liars/%.o
$B/tests/liars/%: $B/tests/liars/%.o $B/objects
	$(call say,TEST,$@)$(CC) $(cflags) $(ldflags) -o $@ $< $(shell pkg-config --libs fuse3) $(LDLIBS)

# What every test finds in its environment; a make in a test builds with the same variables.
run-tests = IOPROOF='$(abspath $B/ioproof)' IOPROOF_SOURCE='$(CURDIR)' \
            MAKEFLAGS='$(if $(MAKEOVERRIDES),-- $(MAKEOVERRIDES))' tests/run
# `make check check-root` runs one after the other, also under -j.
after     = $(filter $(1),$(MAKECMDGOALS))

check: $B/ioproof $(UNIT) ## run all tests that need no root: unit, recorded machines, golden texts
	$(Q)$(run-tests) -j $(JOBS) -t 120 $(UNIT) tests/golden/run.sh

unit: $(UNIT) ## run the unit tests alone
	$(Q)$(run-tests) -j $(JOBS) -t 120 $(UNIT)

check-root: $B/ioproof $(E2E) $(LIARS) | $(call after,check) ## run the tests on real layers (as root)
	$(Q)$(run-tests) -A -j $(JOBS) -t 600 $(E2E) $(LAYERS)

check-long: $B/ioproof $(E2E) $(LIARS) | $(call after,check check-root) ## the same for a night: many kills, a fresh machine
	$(Q)IOPROOF_LONG=1 $(run-tests) -A -t 7200 $(E2E) $(LAYERS) $(LONG)

bench: $B/ioproof $(BENCH) ## measure the engine's own cost, and the passive probe's
	$(Q)set -e; for b in $(BENCH); do $$b; done

lint: lint-layout lint-shell lint-house lint-cppcheck lint-tidy ## look for mistakes and bad layout
lint-layout:
	$(call say,LINT,clang-format)clang-format -n -Werror $(SOURCES)
lint-shell:
	$(call say,LINT,shellcheck)shellcheck $(SCRIPTS)
lint-house:
	$(call say,LINT,lint-house)scripts/lint-house.sh $(SOURCES) $(SCRIPTS)
lint-cppcheck:
	$(call say,LINT,cppcheck)cppcheck -q -j $(JOBS) --std=c11 --error-exitcode=1 --inline-suppr \
		--enable=warning,performance,portability --suppressions-list=tests/cppcheck.txt \
		--library=tests/cppcheck.cfg \
		-D_GNU_SOURCE -Iharness -I. harness probes fixtures tests
lint-tidy:
	$(call say,LINT,clang-tidy)printf '%s\n' $(filter %.c,$(SOURCES)) | xargs -P $(JOBS) -n 4 \
		scripts/lint-tidy.sh $(cppflags) -std=gnu17 --

format: ## lay out all C files by .clang-format
	$(call say,FORMAT,$(words $(SOURCES)) files)clang-format -i $(SOURCES)

install: $B/ioproof ## install below PREFIX (/usr/local), in DESTDIR
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1' \
		'$(DESTDIR)$(PREFIX)/share/bash-completion/completions' \
		'$(DESTDIR)$(PREFIX)/share/ioproof'
	install -m 755 $B/ioproof '$(DESTDIR)$(PREFIX)/bin/ioproof'
	install -m 644 harness/manual/ioproof.1 '$(DESTDIR)$(PREFIX)/share/man/man1/ioproof.1'
	install -m 644 harness/manual/ioproof.bash \
		'$(DESTDIR)$(PREFIX)/share/bash-completion/completions/ioproof'
	$(if $(SCHEMAS),install -m 644 $(SCHEMAS) '$(DESTDIR)$(PREFIX)/share/ioproof/')

clean: ## remove what was built
	rm -rf build build-*

help: ## show this
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' Makefile | column -t -s @ 2>/dev/null || \
		sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1  \2/p' Makefile

FORCE:
.DELETE_ON_ERROR:
.PHONY: all check unit check-root check-long bench format install clean help FORCE
.PHONY: lint lint-layout lint-shell lint-house lint-cppcheck lint-tidy
-include $(OBJ:.o=.d) $(addsuffix .d,$(UNIT) $(E2E) $(BENCH)) $(SUPPORT:.o=.d)
