# Statewise build. GNU make, gcc or clang, Debian 12 packages (tools/setup.sh).
#   make            build ./statewise, libstatewise.a and libstatewise.so
#   make run        set up, build, run the quickstart
#   make test       set up, build, run every test (tests/run.sh)
#   make MPI=1      ./statewise-mpi beside it, for mpirun and srun (docs/cluster.md)
#   make LOG=1      ./statewise-debug beside it: contracts and a log (docs/debugging.md)
#   make install    PREFIX=/usr/local LIBDIR=... DESTDIR=; install-strip; uninstall
#   make site       the kept results as HTML pages with figures, in build/site
#   make check-long the long checks; make bench; make san; make tsan; make valgrind; make fuzz; make format
#   make check-builds, check-arm64, dist, deb: compilers, ARM, packages (docs/building.md)
# CFLAGS, CXXFLAGS, CPPFLAGS and LDFLAGS are the user's: what the build needs
# itself stands beside them. V=1 shows the commands, WERROR=1 makes warnings errors.

# Started from another folder (make -f ../Makefile): that folder gets the build.
ifneq ($(lastword $(MAKEFILE_LIST)),Makefile)
SOURCE := $(dir $(lastword $(MAKEFILE_LIST)))
GOALS   = $(or $(MAKECMDGOALS),all)
.PHONY: $(GOALS)
$(firstword $(GOALS)):
	@$(MAKE) --no-print-directory -C "$(SOURCE)" BUILD="$(CURDIR)" $(GOALS)
$(wordlist 2,99,$(GOALS)): $(firstword $(GOALS)) ; @:
else

# HOST=aarch64-linux-gnu takes the tools of that name: to build for another machine.
HOST     ?=
TOOL      = $(if $(HOST),$(HOST)-)$(1)
ifeq ($(origin CC),default)
CC        = $(call TOOL,gcc)
endif
ifeq ($(origin CXX),default)
CXX       = $(call TOOL,g++)
endif
ifeq ($(origin AR),default)
AR        = $(call TOOL,ar)
endif
ifeq ($(origin LD),default)
LD        = $(call TOOL,ld)
endif
OBJCOPY  ?= $(call TOOL,objcopy)
STRIP    ?= $(call TOOL,strip)
PKG_CONFIG ?= pkg-config
INSTALL  ?= install
RUN      ?=
BUILD    ?= build
OPT      ?= -O3
CFLAGS   ?= $(OPT) -g
CXXFLAGS ?= $(OPT) -g
MACHINE  := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

# Ours. Warnings may be taken back by the user's flags; the rest stands behind
# them. Nothing may change a result's bits: products and sums are fused and
# ordered only as the source says, on every compiler. clang warns of a loop that
# it does not unroll although asked to; that is no fault.
WARN      = -Wall -Wextra -Wshadow -Wconversion $(if $(filter-out 0,$(WERROR)),-Werror)
C_WARN    = $(WARN) -Wstrict-prototypes -Wno-sign-conversion $(if $(findstring clang,$(CC)),-Wno-pass-failed)
BITS      = -fno-fast-math -fno-unsafe-math-optimizations -fno-finite-math-only -fno-math-errno -ffp-contract=off
FIXED     = -fPIC -fvisibility=hidden -pthread "-ffile-prefix-map=$(CURDIR)=." $(SAN)
INCLUDES  = -D_GNU_SOURCE -Isrc -Iinclude
# The sanitizers' extra branches make gcc guess wrongly about these.
FIXED    += $(if $(SAN),$(if $(findstring clang,$(CC)),,-Wno-format-truncation -Wno-maybe-uninitialized))
COMPILE   = -std=c11 $(C_WARN) $(INCLUDES) $(PACKAGE_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(FIXED) $(BITS) $(ISA)
# What makes the linker add code that changes the float mode stays out of it.
LINK      = $(filter-out -Ofast -ffast-math -funsafe-math-optimizations,$(CFLAGS)) $(LDFLAGS) -pthread $(SAN)
Q         = $(if $(filter-out 0,$(V)),,@)

# What pkg-config knows; tools/needs.sh says what is missing. Those of NET are
# the page's and not part of the public library.
PACKAGES      = sqlite3 jansson yaml-0.1 zlib liblzma libcurl
NET_PACKAGES  = libmicrohttpd
PACKAGE_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES) $(NET_PACKAGES) 2>/dev/null)
LDLIBS    = -lcadical -lstdc++ $(PACKAGE_LIBS) -lm -pthread
PACKAGE_LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null)
NET_LIBS := $(shell $(PKG_CONFIG) --libs $(NET_PACKAGES) 2>/dev/null)

# A kernel directory's flags are its instruction set; everything else is
# generic. A machine builds the sets that it can have.
$(BUILD)/src/nn/avx2/%.o $(BUILD)/debug/src/nn/avx2/%.o: ISA = -mavx2 -mfma
$(BUILD)/src/nn/avx512/%.o $(BUILD)/debug/src/nn/avx512/%.o: ISA = -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512
$(BUILD)/src/nn/avx512bf16/%.o $(BUILD)/debug/src/nn/avx512bf16/%.o: ISA = -mavx512bf16 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512
SETS      = avx2 avx512 avx512bf16 neon
SETS_x86_64 = avx2 avx512 avx512bf16
SETS_aarch64 = neon
# gcc 12 for 64-bit ARM breaks down over some loops of fmax (vect_transform_reduction).
$(BUILD)/tests/%.o: ISA = $(if $(filter aarch64,$(MACHINE)),-fno-tree-vectorize)
# clang takes a quarter of an hour for the kernels with its fuzzing sanitizers;
# no fuzz target is about them.
ifneq (,$(findstring fuzzer,$(SAN)))
$(BUILD)/src/nn/%.o: FIXED += -fno-sanitize=all
# Every step of a hash, of a random stream or of the writer of JSON as news of
# coverage says nothing.
$(BUILD)/src/base/hash.o $(BUILD)/src/base/rng.o $(BUILD)/src/base/json.o: FIXED += -fno-sanitize=fuzzer-no-link
else ifneq (,$(SAN))
# Under the other sanitizers the kernels are most of the time: as fast as can be.
$(BUILD)/src/nn/%.o: FIXED += -O3
endif

# One object differs between ./statewise and ./statewise-mpi; it has a directory
# of its own for every MPI (MPICC=mpicc.openmpi, mpicc.mpich, ...).
MPICC    ?= mpicc
MPI_BUILD = $(BUILD)/mpi-$(notdir $(MPICC))

FOREIGN = $(addprefix src/nn/,$(addsuffix /%,$(filter-out $(SETS_$(MACHINE)),$(SETS))))
SRC   := $(sort $(filter-out src/base/ranks_mpi.c $(FOREIGN),$(shell find src -name '*.c' -o -name '*.cc')))
LIB   := $(filter-out src/cli/%,$(SRC))
CLI   := $(filter src/cli/%,$(SRC))
# Contracts and the log are compiled into debug builds only (src/base/check.h,
# log.h). The test programs link a debug library: the library's own objects but
# for the sources with contracts, which are compiled a second time. Under a
# sanitizer everything is a debug build.
DEBUGGED := $(sort $(shell grep -lE '"(base/(check|log)|nn/contracts)\.h"' -r src --include='*.c'))
DEBUGGED := $(filter-out $(FOREIGN),$(DEBUGGED))
DEBUG_OBJ = $(patsubst %.c,$(BUILD)/debug/%.o,$(1))
ifneq (,$(SAN))
FIXED += -DSW_DEBUG
DEBUG_LIB = $(BUILD)/libstatewise.a
else
DEBUG_LIB = $(BUILD)/libdebug.a
endif
PUBLIC := $(filter-out src/serve/% src/command/bench_%,$(LIB))
TESTS := $(sort $(shell find tests -name 'test_*.c'))
HELP  := $(sort $(filter-out $(TESTS),$(shell find tests -maxdepth 1 -name '*.c')))
OBJ    = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))
TEST_BIN = $(patsubst tests/%.c,$(BUILD)/tests/%,$(TESTS))
TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
REPLAYS  = $(patsubst %,$(BUILD)/tests/fuzz/replay_%,$(TARGETS))

.PHONY: all run site test check-long bench bench-growth bench-peers san tsan valgrind fuzz attack format clean setup setup-test \
        tests-build install install-strip uninstall statewise-mpi statewise-debug check-builds check-arm64 dist deb
# Only the usual build folder has its program beside the sources.
all: $(if $(filter build,$(BUILD)),statewise,$(BUILD)/statewise) $(BUILD)/libstatewise.so $(BUILD)/public/libstatewise.a $(if $(MPI),statewise-mpi) $(if $(LOG),statewise-debug)

setup:
	@sh tools/setup.sh

setup-test:
	@sh tools/setup.sh test

run: setup
	@$(MAKE) --no-print-directory all
	./statewise quickstart

test: setup-test
	@$(MAKE) --no-print-directory -k MPI=1 all tests-build
	@sh tests/run.sh $(BUILD)

tests-build: $(TEST_BIN) $(REPLAYS) $(BUILD)/statewise-debug

# The kept results as pages with figures, in build/site.
site: all
	./statewise repro --pages --site $(BUILD)/site

check-long: setup-test
	@$(MAKE) --no-print-directory all tests-build
	@STATEWISE_LONG=1 sh tests/run.sh $(BUILD)

bench: setup all
	./statewise bench kernels
	./statewise bench train
	./statewise bench train --mask causal
	./statewise bench train --small
	./statewise bench train --small --mask causal
	./statewise bench decide
	./statewise bench decide --protocol cumulative --mask causal --batch 16
	./statewise bench train --architecture lstm --layers 4 --batch 8 --reps 4
	./statewise bench train --architecture mlp --batch 256 --threads 1
	./statewise bench train --architecture factor-gnn --batch 16 --threads 1 --reps 4
	./statewise bench decide --architecture factor-gnn --batch 64
	./statewise bench decide --architecture mlp --batch 64
	./statewise bench gen

# What isolation saves as problems grow, with its figure; and a step of PyTorch
# beside ours, where it is installed (Debian: python3-torch libopenblas0-pthread).
TORCH_PYTHON ?= /usr/bin/python3
bench-growth: setup all
	python3 tools/bench_growth.py --svg docs/notebook/growth.svg
bench-peers: setup all
	@if $(TORCH_PYTHON) -c 'import torch' 2>/dev/null; then $(TORCH_PYTHON) tools/bench_peers.py; \
	else echo "skipped: PyTorch is not installed (Debian: python3-torch libopenblas0-pthread)"; fi

san: setup-test
	@$(MAKE) --no-print-directory BUILD=build-san OPT=-O1 \
	   SAN="-fsanitize=address,undefined -fno-sanitize-recover=all" \
	   build-san/libstatewise.a build-san/libstatewise.so build-san/statewise tests-build
	@sh tests/run.sh build-san

# Data races: the test programs that start threads and scripts
# (tests/threads.txt, which tests/run.sh checks). Fault and timing tests step aside.
THREADED = $(addprefix build-tsan/tests/,$(shell grep '^[a-z]' tests/threads.txt))
tsan: setup-test
	@$(MAKE) --no-print-directory BUILD=build-tsan OPT=-O1 SAN="-fsanitize=thread" \
	   build-tsan/libstatewise.a build-tsan/statewise $(THREADED)
	@THREADS_ONLY=1 sh tests/run.sh build-tsan

# A short path of every command under memcheck; needs valgrind.
valgrind: all
	@sh tests/valgrind.sh ./statewise

# libFuzzer over every reader of foreign bytes, and over the C API as sequences
# of calls; needs clang. FUZZ_SECONDS each; TARGET=NAME: only that one.
FUZZ_SECONDS ?= 60
FUZZ_SAN  = address,undefined,float-cast-overflow -fno-sanitize-recover=all
fuzz:
	@$(MAKE) --no-print-directory BUILD=build-fuzz CC=clang CXX=clang++ OPT=-O1 \
	   SAN="-fsanitize=fuzzer-no-link,$(FUZZ_SAN)" \
	   $(patsubst %,build-fuzz/fuzz_%,$(or $(TARGET),$(TARGETS)))
	@sh tests/fuzz/run.sh build-fuzz $(FUZZ_SECONDS) $(TARGET)

$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(DEBUG_LIB)
	@echo "  LD $@"
	$(Q)$(CXX) $(LINK) -fsanitize=fuzzer,$(FUZZ_SAN) -o $@ $^ $(NET_LIBS) $(LDLIBS)

# The same targets with an ordinary driver, for make test.
$(BUILD)/tests/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(DEBUG_LIB)
	@echo "  LD $@"
	$(Q)$(CC) $(LINK) -o $@ $^ $(NET_LIBS) $(LDLIBS)

# A hostile round: inputs nobody should give, before every command that reads
# them (tests/attack). ATTACK_SECONDS, at most 3600; ATTACK_SEED; ATTACK_ONLY=
# part,part. Files of failures stay in BUILD/attack.
ATTACK_SECONDS ?= 600
ATTACK_SEED ?= 1
attack: all
	@python3 tests/attack/attack.py $(BUILD)/statewise --seconds $(ATTACK_SECONDS) --seed $(ATTACK_SEED) \
	   --only "$(ATTACK_ONLY)" --keep $(BUILD)/attack

# The compilers, flags and machines that are to work, as a table; 64-bit ARM; a
# tar file of the sources; Debian packages.
check-builds: setup-test
	@sh tools/check_builds.sh

check-arm64:
	@sh tools/arm64.sh test

dist:
	@sh tools/dist.sh

deb:
	@sh tools/deb.sh

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

statewise: $(BUILD)/statewise
	@cp -f $< $@.tmp && mv -f $@.tmp $@

$(BUILD)/statewise: $(call OBJ,$(CLI)) $(BUILD)/libstatewise.a
	$(Q)$(CC) $(LINK) -o $@ $(call OBJ,$(CLI)) $(BUILD)/libstatewise.a $(NET_LIBS) $(LDLIBS)

statewise-mpi: $(MPI_BUILD)/statewise-mpi # phony: MPICC may have changed
	@cmp -s $< $@ || { cp -f $< $@.tmp && mv -f $@.tmp $@; }

# ranks_mpi.o comes first, so that the library's ranks_alone.o is not taken.
$(MPI_BUILD)/statewise-mpi: $(call OBJ,$(CLI)) $(MPI_BUILD)/ranks_mpi.o $(BUILD)/libstatewise.a
	$(Q)OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC) $(LINK) -o $@ $(call OBJ,$(CLI)) \
	   $(MPI_BUILD)/ranks_mpi.o $(BUILD)/libstatewise.a $(NET_LIBS) $(LDLIBS)

$(MPI_BUILD)/ranks_mpi.o: src/base/ranks_mpi.c src/base/ranks_link.h src/base/err.h
	@mkdir -p $(@D)
	@echo "  MPICC $<"
	$(Q)OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC) $(COMPILE) -c -o $@ $<

$(BUILD)/libstatewise.a: $(call OBJ,$(LIB))
	@rm -f $@
	$(Q)$(AR) rcsD $@ $^

$(BUILD)/libdebug.a: $(call OBJ,$(filter-out $(DEBUGGED),$(LIB))) $(call DEBUG_OBJ,$(filter $(LIB),$(DEBUGGED)))
	@rm -f $@
	$(Q)$(AR) rcsD $@ $^

# make LOG=1: the program with contracts and the log (docs/debugging.md).
statewise-debug: $(BUILD)/statewise-debug
	@cmp -s $< $@ || { cp -f $< $@.tmp && mv -f $@.tmp $@; }

$(BUILD)/statewise-debug: $(call OBJ,$(CLI)) $(DEBUG_LIB)
	$(Q)$(CC) $(LINK) -o $@ $(call OBJ,$(CLI)) $(DEBUG_LIB) $(NET_LIBS) $(LDLIBS)

# Both public libraries show the functions of statewise.h and nothing else:
# the shared one by its version script, the static one because its objects are
# first joined (C++ groups dissolved, or the linker would take our hidden copies
# for the ones of other C++ objects) and then lose every hidden name.
$(BUILD)/libstatewise.so: $(call OBJ,$(PUBLIC)) src/api/exports.map
	@echo "  LD $@"
	$(Q)$(CC) $(LINK) -shared -Wl,-soname,libstatewise.so.$(ABI) \
	   -Wl,--version-script=src/api/exports.map -o $@ $(call OBJ,$(PUBLIC)) $(LDLIBS)

$(BUILD)/public/libstatewise.a: $(call OBJ,$(PUBLIC))
	@mkdir -p $(@D)
	@echo "  AR $@"
	$(Q)$(LD) -r --force-group-allocation -o $(@D)/statewise.o $^
	$(Q)$(OBJCOPY) --localize-hidden $(@D)/statewise.o
	$(Q)rm -f $@ && $(AR) rcsD $@ $(@D)/statewise.o && rm -f $(@D)/statewise.o

# make install [PREFIX=/usr/local] [LIBDIR=...] [DESTDIR=/staging]; uninstall takes the same.
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR  ?= $(DATADIR)/man
DOCDIR  ?= $(DATADIR)/doc/statewise
COMPLETIONS = $(DATADIR)/bash-completion/completions
VERSION := $(shell sed -n 's/.*SW_VERSION "\(.*\)"/\1/p' src/base/version.h)
ABI     := $(shell sed -n 's/.*SW_ABI //p' src/base/version.h)
SHARED   = libstatewise.so.$(ABI).$(VERSION)
DOCS     = README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md CITATION.cff LICENSE
RESULTS  = answers curves audit tune
PUT      = $(INSTALL) -m 644
PUT_PROGRAM = $(INSTALL) -m 755

$(BUILD)/statewise.1: $(BUILD)/statewise
	@$(RUN) $< help --man >$@.tmp && mv $@.tmp $@

$(BUILD)/statewise.bash: $(BUILD)/statewise
	@$(RUN) $< help --completion >$@.tmp && mv $@.tmp $@

install: $(BUILD)/statewise $(BUILD)/libstatewise.so $(BUILD)/public/libstatewise.a \
         $(BUILD)/statewise.1 $(BUILD)/statewise.bash
	$(INSTALL) -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(INCLUDEDIR)" "$(DESTDIR)$(LIBDIR)/pkgconfig" \
	   "$(DESTDIR)$(MANDIR)/man1" "$(DESTDIR)$(COMPLETIONS)" "$(DESTDIR)$(DATADIR)/statewise/models" $(foreach part,$(RESULTS),"$(DESTDIR)$(DATADIR)/statewise/results/$(part)") \
	   "$(DESTDIR)$(DOCDIR)/docs/notebook" "$(DESTDIR)$(DOCDIR)/examples"
	$(PUT_PROGRAM) $(BUILD)/statewise "$(DESTDIR)$(BINDIR)/statewise"
	$(PUT) include/statewise.h "$(DESTDIR)$(INCLUDEDIR)/statewise.h"
	$(PUT) $(BUILD)/public/libstatewise.a "$(DESTDIR)$(LIBDIR)/libstatewise.a"
	$(PUT) $(BUILD)/libstatewise.so "$(DESTDIR)$(LIBDIR)/$(SHARED)"
	ln -sf $(SHARED) "$(DESTDIR)$(LIBDIR)/libstatewise.so.$(ABI)"
	ln -sf libstatewise.so.$(ABI) "$(DESTDIR)$(LIBDIR)/libstatewise.so"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	   -e 's|@DATADIR@|$(DATADIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(LDLIBS)|' \
	   statewise.pc.in >"$(DESTDIR)$(LIBDIR)/pkgconfig/statewise.pc"
	$(PUT) $(BUILD)/statewise.1 "$(DESTDIR)$(MANDIR)/man1/statewise.1"
	$(RUN) $(BUILD)/statewise help --list | while read -r command; do \
	   page="$(DESTDIR)$(MANDIR)/man1/statewise-$$(echo $$command | tr ' ' '-').1"; \
	   $(RUN) $(BUILD)/statewise help --man $$command >"$$page" && chmod 644 "$$page"; done
	$(PUT) $(BUILD)/statewise.bash "$(DESTDIR)$(COMPLETIONS)/statewise"
	$(PUT) $(DOCS) "$(DESTDIR)$(DOCDIR)"
	$(PUT) docs/*.md docs/*.svg "$(DESTDIR)$(DOCDIR)/docs"
	$(PUT) docs/notebook/*.* "$(DESTDIR)$(DOCDIR)/docs/notebook"
	$(PUT) examples/* "$(DESTDIR)$(DOCDIR)/examples"
	$(PUT) models/* "$(DESTDIR)$(DATADIR)/statewise/models"
	$(PUT) results/*.* "$(DESTDIR)$(DATADIR)/statewise/results"
	for part in $(RESULTS); do $(PUT) results/$$part/* "$(DESTDIR)$(DATADIR)/statewise/results/$$part" || exit 1; done
	ln -srfn "$(DESTDIR)$(DATADIR)/statewise/results" "$(DESTDIR)$(DOCDIR)/results"

# Without debug information.
install-strip: install
	$(STRIP) "$(DESTDIR)$(BINDIR)/statewise"
	$(STRIP) --strip-unneeded "$(DESTDIR)$(LIBDIR)/$(SHARED)"
	$(STRIP) --strip-debug "$(DESTDIR)$(LIBDIR)/libstatewise.a"

uninstall:
	rm -f "$(DESTDIR)$(BINDIR)/statewise" "$(DESTDIR)$(INCLUDEDIR)/statewise.h" \
	   "$(DESTDIR)$(LIBDIR)"/libstatewise.a "$(DESTDIR)$(LIBDIR)"/libstatewise.so* \
	   "$(DESTDIR)$(LIBDIR)/pkgconfig/statewise.pc" "$(DESTDIR)$(MANDIR)/man1/statewise.1" \
	   "$(DESTDIR)$(MANDIR)"/man1/statewise-*.1 "$(DESTDIR)$(COMPLETIONS)/statewise"
	rm -rf "$(DESTDIR)$(DATADIR)/statewise" "$(DESTDIR)$(DOCDIR)"

# Says once what pkg-config or the compiler does not find.
$(BUILD)/needs: Makefile tools/needs.sh
	@mkdir -p $(@D)
	@CXX="$(CXX) $(CPPFLAGS)" PKG_CONFIG="$(PKG_CONFIG)" sh tools/needs.sh $(PACKAGES) $(NET_PACKAGES)
	@touch $@

$(BUILD)/%.o: %.c | $(BUILD)/needs
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(COMPILE) -MMD -MP -c -o $@ $<

$(BUILD)/debug/%.o: %.c | $(BUILD)/needs
	@mkdir -p $(@D)
	@echo "  CC -DSW_DEBUG $<"
	$(Q)$(CC) $(COMPILE) -DSW_DEBUG -MMD -MP -c -o $@ $<

# The page's files are inside the program.
$(BUILD)/src/serve/assets.o: $(wildcard src/serve/assets/* examples/*)
# So are the experiments.
$(BUILD)/src/repro/experiment_texts.o: $(wildcard experiments/*)

# The one C++ file: the wall around CaDiCaL.
$(BUILD)/%.o: %.cc | $(BUILD)/needs
	@mkdir -p $(@D)
	@echo "  CXX $<"
	$(Q)$(CXX) -std=c++17 $(WARN) $(INCLUDES) $(CPPFLAGS) $(CXXFLAGS) $(FIXED) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(call OBJ,$(HELP)) $(DEBUG_LIB)
	@echo "  LD $@"
	$(Q)$(CC) $(LINK) -o $@ $< $(call OBJ,$(HELP)) $(DEBUG_LIB) -lcmocka $(NET_LIBS) $(LDLIBS)

clean:
	rm -rf build build-* statewise statewise-mpi statewise-debug

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
.PRECIOUS: $(BUILD)/%.o

endif
