# Statewise build. GNU make, gcc or clang, Debian 12 packages (tools/setup.sh).
#   make            build ./statewise, libstatewise.a and libstatewise.so
#   make run        set up, build, run the quickstart
#   make test       set up, build, run every test (tests/run.sh)
#   make MPI=1      ./statewise-mpi beside it, for mpirun and srun (docs/cluster.md)
#   make install    PREFIX=/usr/local DESTDIR=; make uninstall
#   make check-long the long checks; make bench; make san; make tsan; make valgrind; make fuzz; make format
CC       ?= gcc
BUILD    ?= build
OPT      ?= -O3
WARN      = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wno-sign-conversion
WERROR   ?= -Werror
CFLAGS   += -std=c11 $(OPT) -g $(WARN) $(WERROR) -D_GNU_SOURCE -Isrc -Iinclude \
            -fPIC -ffp-contract=off -fno-math-errno -fvisibility=hidden -pthread $(SAN)
# The sanitizers' extra branches make gcc guess wrongly about these.
CFLAGS   += $(if $(SAN),$(if $(findstring clang,$(CC)),,-Wno-format-truncation -Wno-maybe-uninitialized))
LDLIBS   += -lsqlite3 -ljansson -lcadical -lstdc++ -lz -llzma -lm -pthread
LDFLAGS  += -pthread $(SAN)
# The page and the remote guide; not part of the public library.
NET_LIBS  = -lmicrohttpd -lcurl

# A kernel directory's flags are its instruction set; everything else is generic.
$(BUILD)/src/nn/avx2/%.o:   CFLAGS += -mavx2 -mfma
$(BUILD)/src/nn/avx512/%.o: CFLAGS += -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512
# clang takes a quarter of an hour for the kernels with its fuzzing sanitizers;
# no fuzz target is about them.
ifneq (,$(findstring fuzzer,$(SAN)))
$(BUILD)/src/nn/%.o: CFLAGS += -fno-sanitize=all
# Every step of a hash, of a random stream or of the writer of JSON as news of
# coverage says nothing.
$(BUILD)/src/base/hash.o $(BUILD)/src/base/rng.o $(BUILD)/src/base/json.o: CFLAGS += -fno-sanitize=fuzzer-no-link
else ifneq (,$(SAN))
# Under the other sanitizers the kernels are most of the time: as fast as can be.
$(BUILD)/src/nn/%.o: CFLAGS += -O3
endif

# One object differs between ./statewise and ./statewise-mpi; it has a directory
# of its own for every MPI (MPICC=mpicc.openmpi, mpicc.mpich, ...).
MPICC    ?= mpicc
MPI_BUILD = $(BUILD)/mpi-$(notdir $(MPICC))

SRC   := $(sort $(filter-out src/base/ranks_mpi.c,$(shell find src -name '*.c' -o -name '*.cc')))
LIB   := $(filter-out src/cli/%,$(SRC))
CLI   := $(filter src/cli/%,$(SRC))
PUBLIC := $(filter-out src/serve/% src/remote/% src/audit/%,$(LIB))
TESTS := $(sort $(shell find tests -name 'test_*.c'))
HELP  := $(sort $(filter-out $(TESTS),$(shell find tests -maxdepth 1 -name '*.c')))
OBJ    = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))
TEST_BIN = $(patsubst tests/%.c,$(BUILD)/tests/%,$(TESTS))
TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
REPLAYS  = $(patsubst %,$(BUILD)/tests/fuzz/replay_%,$(TARGETS))

.PHONY: all run test check-long bench san tsan valgrind fuzz format clean setup setup-test \
        tests-build install uninstall statewise-mpi
all: statewise $(BUILD)/libstatewise.so $(BUILD)/public/libstatewise.a $(if $(MPI),statewise-mpi)

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

tests-build: $(TEST_BIN) $(REPLAYS)

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

san: setup-test
	@$(MAKE) --no-print-directory BUILD=build-san OPT=-O1 \
	   SAN="-fsanitize=address,undefined -fno-sanitize-recover=all" \
	   build-san/libstatewise.a build-san/statewise tests-build
	@sh tests/run.sh build-san

# Data races; the fault and timing tests step aside under a sanitizer.
tsan: setup-test
	@$(MAKE) --no-print-directory BUILD=build-tsan OPT=-O1 SAN="-fsanitize=thread" \
	   build-tsan/libstatewise.a build-tsan/statewise tests-build
	@sh tests/run.sh build-tsan

# A short path of every command under memcheck; needs valgrind.
valgrind: all
	@sh tests/valgrind.sh ./statewise

# libFuzzer over every reader of foreign bytes, and over the C API as sequences
# of calls; needs clang. FUZZ_SECONDS each; TARGET=NAME: only that one.
FUZZ_SECONDS ?= 60
FUZZ_SAN  = address,undefined,float-cast-overflow -fno-sanitize-recover=all
fuzz:
	@$(MAKE) --no-print-directory BUILD=build-fuzz CC=clang CXX=clang++ OPT=-O1 WERROR= \
	   SAN="-fsanitize=fuzzer-no-link,$(FUZZ_SAN)" \
	   $(patsubst %,build-fuzz/fuzz_%,$(or $(TARGET),$(TARGETS)))
	@sh tests/fuzz/run.sh build-fuzz $(FUZZ_SECONDS) $(TARGET)

$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/libstatewise.a
	@echo "  LD $@"
	@$(CXX) $(LDFLAGS) -fsanitize=fuzzer,$(FUZZ_SAN) -o $@ $^ $(NET_LIBS) $(LDLIBS)

# The same targets with an ordinary driver, for make test.
$(BUILD)/tests/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/libstatewise.a
	@echo "  LD $@"
	@$(CC) $(LDFLAGS) -o $@ $^ $(NET_LIBS) $(LDLIBS)

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

statewise: $(BUILD)/statewise
	@cp -f $< $@.tmp && mv -f $@.tmp $@

$(BUILD)/statewise: $(call OBJ,$(CLI)) $(BUILD)/libstatewise.a
	$(CC) $(LDFLAGS) -o $@ $(call OBJ,$(CLI)) $(BUILD)/libstatewise.a $(NET_LIBS) $(LDLIBS)

statewise-mpi: $(MPI_BUILD)/statewise-mpi # phony: MPICC may have changed
	@cmp -s $< $@ || { cp -f $< $@.tmp && mv -f $@.tmp $@; }

# ranks_mpi.o comes first, so that the library's ranks_alone.o is not taken.
$(MPI_BUILD)/statewise-mpi: $(call OBJ,$(CLI)) $(MPI_BUILD)/ranks_mpi.o $(BUILD)/libstatewise.a
	OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC) $(LDFLAGS) -o $@ $(call OBJ,$(CLI)) \
	   $(MPI_BUILD)/ranks_mpi.o $(BUILD)/libstatewise.a $(NET_LIBS) $(LDLIBS)

$(MPI_BUILD)/ranks_mpi.o: src/base/ranks_mpi.c src/base/ranks_link.h src/base/err.h
	@mkdir -p $(@D)
	@echo "  MPICC $<"
	@OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC) $(CFLAGS) -c -o $@ $<

$(BUILD)/libstatewise.a: $(call OBJ,$(LIB))
	@rm -f $@
	@ar rcs $@ $^

# Both public libraries show the functions of statewise.h and nothing else:
# the shared one by its version script, the static one because its objects are
# first joined (C++ groups dissolved, or the linker would take our hidden copies
# for the ones of other C++ objects) and then lose every hidden name.
$(BUILD)/libstatewise.so: $(call OBJ,$(PUBLIC)) src/api/exports.map
	@echo "  LD $@"
	@$(CC) $(LDFLAGS) -shared -Wl,-soname,libstatewise.so.$(MAJOR) \
	   -Wl,--version-script=src/api/exports.map -o $@ $(call OBJ,$(PUBLIC)) $(LDLIBS)

$(BUILD)/public/libstatewise.a: $(call OBJ,$(PUBLIC))
	@mkdir -p $(@D)
	@echo "  AR $@"
	@ld -r --force-group-allocation -o $(@D)/statewise.o $^
	@objcopy --localize-hidden $(@D)/statewise.o
	@rm -f $@ && ar rcs $@ $(@D)/statewise.o && rm -f $(@D)/statewise.o

# make install [PREFIX=/usr/local] [DESTDIR=/staging]; uninstall takes the same.
PREFIX  ?= /usr/local
VERSION := $(shell sed -n 's/.*SW_VERSION "\(.*\)"/\1/p' src/base/version.h)
MAJOR   := $(firstword $(subst ., ,$(VERSION)))
ROOT     = $(DESTDIR)$(PREFIX)
SHARED   = libstatewise.so.$(VERSION)
DOCS     = README.md ARCHITECTURE.md CHANGELOG.md LICENSE $(wildcard docs/*.md docs/*.svg)
MODELS   = $(wildcard models/*)

install: $(BUILD)/statewise $(BUILD)/libstatewise.so $(BUILD)/public/libstatewise.a
	install -d $(ROOT)/bin $(ROOT)/include $(ROOT)/lib/pkgconfig $(ROOT)/share/man/man1 \
	   $(ROOT)/share/bash-completion/completions $(ROOT)/share/statewise/models \
	   $(ROOT)/share/doc/statewise/docs $(ROOT)/share/doc/statewise/examples
	install -m 755 $(BUILD)/statewise $(ROOT)/bin/statewise
	install -m 644 include/statewise.h $(ROOT)/include/statewise.h
	install -m 644 $(BUILD)/public/libstatewise.a $(ROOT)/lib/libstatewise.a
	install -m 755 $(BUILD)/libstatewise.so $(ROOT)/lib/$(SHARED)
	ln -sf $(SHARED) $(ROOT)/lib/libstatewise.so.$(MAJOR)
	ln -sf libstatewise.so.$(MAJOR) $(ROOT)/lib/libstatewise.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(LDLIBS)|' \
	   statewise.pc.in >$(ROOT)/lib/pkgconfig/statewise.pc
	$(BUILD)/statewise help --man >$(ROOT)/share/man/man1/statewise.1
	$(BUILD)/statewise help --completion >$(ROOT)/share/bash-completion/completions/statewise
	for f in $(filter-out docs/%,$(DOCS)); do install -m 644 $$f $(ROOT)/share/doc/statewise/; done
	for f in $(filter docs/%,$(DOCS)); do install -m 644 $$f $(ROOT)/share/doc/statewise/docs/; done
	for f in examples/*; do install -m 644 $$f $(ROOT)/share/doc/statewise/examples/; done
	for f in $(MODELS); do install -m 644 $$f $(ROOT)/share/statewise/models/; done

uninstall:
	rm -f $(ROOT)/bin/statewise $(ROOT)/include/statewise.h $(ROOT)/lib/libstatewise.* \
	   $(ROOT)/lib/pkgconfig/statewise.pc $(ROOT)/share/man/man1/statewise.1 \
	   $(ROOT)/share/bash-completion/completions/statewise
	rm -rf $(ROOT)/share/statewise $(ROOT)/share/doc/statewise

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# The page's files are inside the program.
$(BUILD)/src/serve/assets.o: $(wildcard src/serve/assets/* examples/*)

# The one C++ file: the wall around CaDiCaL.
$(BUILD)/%.o: %.cc
	@mkdir -p $(@D)
	@echo "  CXX $<"
	@$(CXX) -std=c++17 $(OPT) -g -Wall -Wextra -Wshadow -Wconversion $(WERROR) -Isrc \
	   -fPIC -fvisibility=hidden -pthread $(SAN) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(call OBJ,$(HELP)) $(BUILD)/libstatewise.a
	$(CC) $(LDFLAGS) -o $@ $< $(call OBJ,$(HELP)) $(BUILD)/libstatewise.a -lcmocka $(NET_LIBS) $(LDLIBS)

clean:
	rm -rf build build-san build-tsan build-fuzz statewise statewise-mpi

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PRECIOUS: $(BUILD)/%.o
