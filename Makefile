# The whole build, from the top. `make help` lists the targets. Everything made goes to
# build/<variant>/; overrides: CC=clang M=32 FLAVOR=asan PREFIX= DESTDIR=

# The packages of Debian 12: NAME|WHEN|PROOF|WHY. PROOF, a program or <a header>, shows on other
# systems that it is there. This is the only list.
define PACKAGES
gcc|build|gcc|the default compiler
libc6-dev|build|<stdlib.h>|headers of the C library
libcsv-dev|build|<csv.h>|splits CSV into fields by RFC 4180 (schema/reader.c)
zlib1g-dev|build|<zlib.h>|reads and writes gzip (schema/input.c, schema/gzip.c)
libcairo2-dev|build|<cairo/cairo.h>|draws the graphs as SVG, PNG and PDF
pkg-config|build|pkg-config|knows the flags cairo is built with
fonts-dejavu-core|run||the font of the graphs, the same letters on every machine
gnuplot-nox|run|gnuplot|renders the gnuplot form of every graph
clang|check|clang|the second compiler
libclang-rt-dev|check||the sanitizers of clang: addresses and undefined behaviour
libcmocka-dev|check|<cmocka.h>|unit tests
valgrind|check|valgrind|memory errors in unit tests
locales|check|localedef|locales with a decimal comma, built below build/ for the tests
man-db|check|man|shows that the man pages render
tidy|check|tidy|checks the HTML of the pages
endef
export PACKAGES

CC = gcc
M = 64
FLAVOR = O2
PREFIX = /usr/local
VERSION = 0.1.0
NAME = benchrecords
SHARE = $(PREFIX)/share/$(NAME)

CC_MAJOR := $(shell $(CC) -dumpversion 2>/dev/null | cut -d. -f1)
CC_NAME := $(notdir $(CC))$(if $(findstring -,$(notdir $(CC))),,$(CC_MAJOR))
VARIANT := $(CC_NAME)-m$(M)-$(FLAVOR)
B := build/$(VARIANT)

# Harness and kernel flags apart: the kernels are what is measured, and never see LTO.
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wwrite-strings \
	-Wundef -Wvla -Wstrict-prototypes -Wmissing-prototypes $(if $(CI),-Werror)
COMMON = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -I$(B)/gen $(if $(filter 64,$(M)),,-m$(M)) -pthread
SANITIZE_asan = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPTIMIZE_O2 = -O2
OPTIMIZE_asan = -O1
HARNESS_FLAGS = $(OPTIMIZE_$(FLAVOR)) -g $(SANITIZE_$(FLAVOR))
KERNEL_FLAGS = $(OPTIMIZE_$(FLAVOR)) -g -fno-lto -fno-tree-vectorize $(SANITIZE_$(FLAVOR))
CAIRO_CFLAGS = $(shell pkg-config --cflags cairo 2>/dev/null)
CAIRO_LIBS = $(shell pkg-config --libs cairo 2>/dev/null)

SOURCES = $(wildcard schema/*.c collect/*.c normalize/*.c report/*.c kernels/*.c)
OBJECTS = $(SOURCES:%.c=$(B)/%.o)
PROGRAMS = $(B)/bin/collect $(B)/bin/normalize $(B)/bin/report
KERNELS = $(shell grep -slE '^const struct kernel kernel_' kernels/*.c | sed 's|kernels/||;s|\.c$$||' | LC_ALL=C sort)
PROBES = $(shell grep -slE '^const struct probe probe_' collect/*.c | sed 's|collect/||;s|\.c$$||' | LC_ALL=C sort)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all help demo check install uninstall clean check-layers golden unit fuzz tests programs collect normalize report

## all: build collect, normalize and report (as build/<variant>/bin/...)
all: programs

programs: $(PROGRAMS)

## help: this list
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

# ---- generated: the registries, the build's own facts -------------------------------------------

$(B)/gen:
	@mkdir -p $@

# Written anew only when it differs, so that nothing is rebuilt for nothing.
define write_if_changed
	@cmp -s $@.new $@ || mv $@.new $@; rm -f $@.new
endef

$(B)/gen/registry.c: FORCE | $(B)/gen
	@{ echo '#include "kernels/kernel.h"'; \
	  for k in $(KERNELS); do echo "extern const struct kernel kernel_$$k;"; done; \
	  echo 'const struct kernel *const kernel_registry[] = {'; \
	  for k in $(KERNELS); do echo "    &kernel_$$k,"; done; echo '    0};'; } > $@.new
	$(write_if_changed)

$(B)/gen/probes.c: FORCE | $(B)/gen
	@{ echo '#include "collect/fingerprint.h"'; \
	  for p in $(PROBES); do echo "extern const struct probe $$p;"; done; \
	  echo 'const struct probe *const probe_registry[] = {'; \
	  for p in $(PROBES); do echo "    &$$p,"; done; echo '    0};'; } > $@.new
	$(write_if_changed)

$(B)/gen/build.h: FORCE | $(B)/gen
	@{ echo '#define BUILD_VERSION "$(VERSION)"'; \
	  echo '#define BUILD_VARIANT "$(VARIANT)"'; \
	  echo '#define BUILD_COMPILER "$(shell $(CC) --version | head -n 1)"'; \
	  echo '#define BUILD_HARNESS_FLAGS "$(strip $(HARNESS_FLAGS))"'; \
	  echo '#define BUILD_KERNEL_FLAGS "$(strip $(KERNEL_FLAGS))"'; \
	  echo '#define BUILD_PREFIX "$(PREFIX)"'; \
	  echo '#define BUILD_SHARE "$(SHARE)"'; } > $@.new
	$(write_if_changed)

# Other flags, other objects. build.h changes with PREFIX too, which only its readers need to know.
$(B)/gen/flags: FORCE | $(B)/gen
	@echo '$(COMMON) $(HARNESS_FLAGS) / $(KERNEL_FLAGS)' > $@.new
	$(write_if_changed)

.PHONY: FORCE
FORCE:

# ---- objects and programs -----------------------------------------------------------------------

$(B)/kernels/%.o: kernels/%.c $(B)/gen/flags | $(B)/gen/build.h
	@mkdir -p $(@D)
	$(CC) $(COMMON) $(WARNINGS) $(KERNEL_FLAGS) -MMD -MP -c $< -o $@

$(B)/%.o: %.c $(B)/gen/flags | $(B)/gen/build.h
	@mkdir -p $(@D)
	$(CC) $(COMMON) $(WARNINGS) $(HARNESS_FLAGS) $(if $(filter report/%,$<),$(CAIRO_CFLAGS)) -MMD -MP -c $< -o $@

$(B)/gen/%.o: $(B)/gen/%.c $(B)/gen/flags | $(B)/gen/build.h
	$(CC) $(COMMON) $(WARNINGS) $(HARNESS_FLAGS) -MMD -MP -c $< -o $@

# One library of records; a program takes from it what it uses, so that collect, which uses the
# write half alone, links without libcsv and zlib.
$(B)/libschema.a: $(patsubst %.c,$(B)/%.o,$(wildcard schema/*.c))
	@rm -f $@
	ar rcs $@ $^

# Everything but main.c of a program, for the program and for its unit tests.
part = $(patsubst %.c,$(B)/%.o,$(filter-out $(1)/main.c,$(wildcard $(1)/*.c $(1)/*/*.c)))
$(B)/libcollect.a: $(call part,collect) $(call part,kernels) $(B)/gen/registry.o $(B)/gen/probes.o
	@rm -f $@
	ar rcs $@ $^
$(B)/libnormalize.a: $(call part,normalize)
	@rm -f $@
	ar rcs $@ $^
$(B)/libreport.a: $(call part,report)
	@rm -f $@
	ar rcs $@ $^

LINK = $(CC) $(COMMON) $(HARNESS_FLAGS) $(LDFLAGS)
LIBS_collect = -lm -lpthread
LIBS_normalize = -lcsv -lz -lm
LIBS_report = -lcsv -lz $(CAIRO_LIBS) -lm

$(PROGRAMS): $(B)/bin/%: $(B)/%/main.o $(B)/lib%.a $(B)/libschema.a
	@mkdir -p $(@D)
	$(LINK) $^ $(LIBS_$*) -o $@

# ---- tests: unit programs, fuzz targets that replay their corpus -----------------------------------

TEST_LIBS = $(B)/libcollect.a $(B)/libnormalize.a $(B)/libreport.a $(B)/libschema.a
UNIT_TESTS = $(patsubst tests/unit/%.c,$(B)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ_TESTS = $(patsubst tests/fuzz/%.c,$(B)/tests/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
LIBS_tests = -lcmocka -lcsv -lz $(CAIRO_LIBS) -lm -lpthread

$(UNIT_TESTS): $(B)/tests/%: $(B)/tests/unit/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(LINK) $< -Wl,--start-group $(TEST_LIBS) -Wl,--end-group $(LIBS_tests) -o $@

$(FUZZ_TESTS): $(B)/tests/%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/replay.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(LINK) $(filter %.o,$^) -Wl,--start-group $(TEST_LIBS) -Wl,--end-group $(LIBS_tests) -o $@

tests: $(UNIT_TESTS) $(FUZZ_TESTS)

# In the tests' own folder, so that no rights are needed and the system stays as it is.
build/locales/%:
	@mkdir -p $(@D)
	@if localedef --no-archive -i $(basename $*) -f UTF-8 $@ 2>/dev/null; then :; \
	else rm -rf $@; echo "# no locale $*: localedef cannot make it (package locales)"; fi
LOCALES = build/locales/de_DE.utf8 build/locales/fi_FI.utf8
export LOCPATH = $(CURDIR)/build/locales

## unit: build and run the unit tests; T=test_reader runs one; CC=clang FLAVOR=asan M=32 as ever
unit: $(if $(T),$(addprefix $(B)/tests/,$(T)),$(UNIT_TESTS)) $(LOCALES)
	@set -e; for t in $(filter-out build/locales/%,$^); do echo "# $$t"; $$t; done

-include $(shell find $(B) -name '*.d' 2>/dev/null)

clean:
	rm -rf build
