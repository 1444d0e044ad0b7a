# The whole build, from the top. `make help` lists the targets. Everything made goes to
# build/<variant>/; overrides: CC=clang M=32 FLAVOR=asan PREFIX= DESTDIR=

# The packages of Debian 12: NAME|WHEN|PROOF|WHY. PROOF, a program or <a header>, shows that it is
# there, also from elsewhere than the package. This is the only list.
define PACKAGES
gcc|build|gcc|the default compiler
libc6-dev|build|<stdlib.h>|headers of the C library
libcsv-dev|build|<csv.h>|splits CSV into fields by RFC 4180 (schema/reader.c)
zlib1g-dev|build|<zlib.h>|reads and writes gzip (schema/input.c, schema/gzip.c)
libjansson-dev|build|<jansson.h>|reads JSON of other programs (normalize/import/json.c)
libexpat1-dev|build|<expat.h>|reads XML of other programs (normalize/import/xml_phoronix.c)
libcairo2-dev|build|<cairo/cairo.h>|draws the graphs as SVG, PNG and PDF
pkg-config|build|pkg-config|knows the flags cairo is built with
fonts-dejavu-core|run||the font of the graphs, the same letters on every machine
gnuplot-nox|run|gnuplot|renders the gnuplot form of every graph
openssl|check|openssl|runs under the kernel openssl_speed, and says what a digest is
sqlite3|check|sqlite3|runs under the kernel database
bzip2|check|bzip2|runs under the kernel compress
clang|check|clang|the second compiler
libclang-rt-dev|check||the sanitizers of clang: addresses and undefined behaviour
libcmocka-dev|check|<cmocka.h>|unit tests
qemu-user|check|qemu-x86_64|runs builds of collect that the kernel of the system cannot
valgrind|check|valgrind|memory errors in unit tests
locales|check|localedef|locales with a decimal comma, built below build/ for the tests
man-db|check|man|shows that the man pages render
tidy|check|tidy|checks the HTML of the pages
libegl1|check||finds a renderer for the scenes of the kernel graphics, at run time
libgles2|check||OpenGL ES for these scenes, at run time
libgl1-mesa-dri|check||llvmpipe, a renderer that needs no graphics processor
chromium|check|chromium|shows the site as readers see it, in tests/browser.sh
nodejs|check|node|drives chromium in tests/browser.sh
npm|check|npm|gets axe-core and playwright-core, which tests/browser.sh uses, into build/
endef
export PACKAGES

CC = gcc
M = 64
FLAVOR = O2
PREFIX = /usr/local
VERSION = 0.1.0
SHARE = $(PREFIX)/share/report

CC_MAJOR := $(shell $(CC) -dumpversion 2>/dev/null | cut -d. -f1)
CC_NAME := $(notdir $(CC))$(if $(findstring -,$(notdir $(CC))),,$(CC_MAJOR))
VARIANT := $(CC_NAME)-m$(M)-$(FLAVOR)
B := build/$(VARIANT)

# Harness and kernel flags apart: the kernels are what is measured, and never see LTO.
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wwrite-strings \
	-Wundef -Wvla -Wstrict-prototypes -Wmissing-prototypes $(if $(CI),-Werror)
# Objects of several versions of gcc are never mixed, so how it once aligned atomics does not matter.
# The headers of the kernel are the same for 32 bits, but only gcc-multilib, which no cross compiler
# tolerates beside it, links /usr/include/asm to them.
WORD_FLAGS_32 = -m32 -Wno-psabi $(if $(wildcard /usr/include/asm),,$(addprefix -idirafter ,$(wildcard /usr/include/$(shell uname -m)-linux-gnu)))
COMMON = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -I$(B)/gen $(WORD_FLAGS_$(M)) -pthread
SANITIZE_asan = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# The flag sets of the kernels. The harness is the same in all, but for sanitizers: what differs between
# two variants is what is measured. Loops are not vectorised: scalar and vector code are tests apart.
FLAVORS = O0 O2 O3 O3-native O3-fast-math Os
OPTIMIZE_O0 = -O0
OPTIMIZE_O2 = -O2
OPTIMIZE_O3 = -O3
OPTIMIZE_O3-native = -O3 -march=native
# For 32 bits gcc takes SSE instead of x87 arithmetic with -ffast-math, where it may: here it may.
OPTIMIZE_O3-fast-math = -O3 -ffast-math $(if $(filter 32,$(M)),-msse2)
OPTIMIZE_Os = -Os
OPTIMIZE_asan = -O1
HARNESS_FLAGS = $(if $(SANITIZE_$(FLAVOR)),-O1,-O2) -g $(SANITIZE_$(FLAVOR))
KERNEL_FLAGS = $(OPTIMIZE_$(FLAVOR)) -g -fno-lto -fno-tree-vectorize $(SANITIZE_$(FLAVOR))
CAIRO_CFLAGS = $(shell pkg-config --cflags cairo 2>/dev/null)
CAIRO_LIBS = $(shell pkg-config --libs cairo 2>/dev/null)

SOURCES = $(wildcard $(foreach d,schema kernels collect normalize report,$(d)/*.c $(d)/*/*.c))
PROGRAMS = $(B)/bin/collect $(B)/bin/normalize $(B)/bin/report
KERNELS = $(shell grep -slE '^const struct kernel kernel_' kernels/*.c | sed 's|kernels/||;s|\.c$$||' | LC_ALL=C sort)
PROBES = $(shell grep -slE '^const struct probe probe_' collect/fingerprint/*.c | sed 's|.*/||;s|\.c$$||' | LC_ALL=C sort)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all help demo demo-installed check check-installed install uninstall clean check-layers \
	golden unit tests where bench variants variant programs collect normalize report datasets-check FORCE

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
	@{ echo '#include "collect/fingerprint/fingerprint.h"'; \
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
	  echo '#define BUILD_PREFIX "$(PREFIX)"'; } > $@.new
	$(write_if_changed)

# Other flags, other objects. build.h changes with PREFIX too, which only its readers need to know.
$(B)/gen/flags: FORCE | $(B)/gen
	@echo '$(COMMON) $(HARNESS_FLAGS) / $(KERNEL_FLAGS)' > $@.new
	$(write_if_changed)

# A library is made anew when a source is gone, too.
$(B)/gen/sources: FORCE | $(B)/gen
	@echo '$(sort $(SOURCES))' > $@.new
	$(write_if_changed)

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

# The objects of a folder without its main.c: for the program and for its unit tests.
part = $(patsubst %.c,$(B)/%.o,$(filter-out $(1)/main.c,$(filter $(1)/%,$(SOURCES))))

# One library of records; a program takes from it what it uses, so that collect, which uses the
# write half alone, links without libcsv and zlib.
$(B)/libschema.a: $(call part,schema) $(B)/gen/sources
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

$(B)/libcollect.a: $(call part,collect) $(call part,kernels) $(addprefix $(B)/gen/,registry.o probes.o kernel_code.o sources)
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)
$(B)/libnormalize.a: $(call part,normalize) $(B)/gen/sources
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)
$(B)/libreport.a: $(call part,report) $(B)/gen/sources
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

LINK = $(CC) $(COMMON) $(HARNESS_FLAGS) $(LDFLAGS)
LIBS_collect = -lm -lpthread
LIBS_normalize = -ljansson -lexpat -lcsv -lz -lm -lpthread
LIBS_report = -lcsv -lz $(CAIRO_LIBS) -lm

$(PROGRAMS): $(B)/bin/%: $(B)/%/main.o $(B)/lib%.a $(B)/libschema.a
	@mkdir -p $(@D)
	$(LINK) $(filter %.o %.a,$^) $(LIBS_$*) -o $@

# ---- variants: collect by other compilers, for other word sizes, with other flags -----------------

# What the kernels were compiled to: a hash of the objects that each is made of, without what does not
# run: notes for debuggers, the name of the compiler. A cross compiler has an objcopy of its own.
OBJCOPY = $(shell $(CC) -print-prog-name=objcopy)
$(B)/gen/kernel_code.c: collect/kernel_code.awk $(call part,kernels) | $(B)/gen
	@set -e; for o in $(sort $(call part,kernels)); do n=$${o##*/}; n=$${n%.o}; \
	  $(OBJCOPY) --strip-debug --remove-section=.comment $$o $@.o; \
	  echo hash $$n $$(sha256sum <$@.o); nm -P $$o | sed "s/^/symbol $$n /"; done >$@.list; \
	awk -v kernels='$(KERNELS)' -f $< $@.list >$@.codes
	@{ echo '#include "collect/variant.h"'; echo 'const struct kernel_code kernel_codes[] = {'; \
	  while read -r k objects; do \
	    set -- $$(echo $$objects | sha256sum); echo "    {\"$$k\", \"$$1\"},"; done <$@.codes; \
	  echo '    {0}};'; } >$@
	@rm -f $@.o $@.list $@.codes

## variants: build collect with each compiler there is, for 64 and 32 bits, with each set of flags
variants:
	@mkdir -p build
	@set -e; for cc in gcc clang; do command -v $$cc >/dev/null || { echo "# no $$cc"; continue; }; \
	  for m in 64 32; do \
	    echo 'int main(void) { return 0; }' | $$cc -m$$m -x c - -o build/links 2>/dev/null || \
	      { echo "# $$cc cannot link for $$m bits (package gcc-multilib)"; continue; }; rm -f build/links; \
	    for f in $(FLAVORS); do $(MAKE) --no-print-directory -s CC=$$cc M=$$m FLAVOR=$$f variant; done; \
	  done; done

variant: $(B)/bin/collect
	@echo $(B)/bin/collect

# ---- tests: unit programs, fuzz targets that replay their corpus -----------------------------------

TEST_LIBS = $(B)/libcollect.a $(B)/libnormalize.a $(B)/libreport.a $(B)/libschema.a
UNIT_TESTS = $(patsubst tests/unit/%.c,$(B)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ_TESTS = $(patsubst tests/fuzz/%.c,$(B)/tests/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
LIBS_tests = -lcmocka -ljansson -lexpat -lcsv -lz $(CAIRO_LIBS) -lm -lpthread

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

## check: every test; installs what they need first (Debian). The last line is the tally
check:
	@tests/install_packages.sh build run check
	@$(MAKE) --no-print-directory check-installed

check-installed: $(LOCALES)
	@MAKE='$(MAKE)' tests/check.sh

## check-layers: includes and libraries go one way, the top level is as it should be
check-layers: $(B)/bin/collect
	@tests/layers.sh $<

## datasets-check: the archived files have the sums of MANIFEST.csv, are sound, in canonical form, described
datasets-check: $(B)/bin/normalize
	@tests/datasets.sh $(B)/bin

## golden: record what the golden cases (CASES=, or all) give now as what is expected
golden: programs $(LOCALES)
	@tests/run_cases.sh --record $(B)/bin $(CASES)

# ---- the bench of normalize -----------------------------------------------------------------------

BENCH_TOOLS = $(addprefix $(B)/bench/,make_rows measure tokenise)

$(BENCH_TOOLS): $(B)/bench/%: $(B)/tests/bench/%.o $(B)/libschema.a
	@mkdir -p $(@D)
	$(LINK) $^ -lcsv -lz -lm -lpthread -o $@

## bench: normalize against sort, sqlite3, mlr, duckdb, clickhouse; BENCH_ROWS=1000000 is quick
bench: $(B)/bin/normalize $(BENCH_TOOLS)
	@tests/bench/bench.sh $(B)/bin $(B)/bench

where:
	@echo $(B)

# ---- the demonstration --------------------------------------------------------------------------

DEMO = build/demo

## demo: measure this machine, show it beside the published machines; installs what is missing (Debian)
demo:
	@tests/install_packages.sh build run
	@$(MAKE) --no-print-directory -j$$(nproc) programs
	@$(MAKE) --no-print-directory demo-installed

demo-installed:
	@mkdir -p $(DEMO)
	@rm -f $(DEMO)/this-machine.csv
	$(B)/bin/collect run --suite=quick -o $(DEMO)/this-machine.csv
	$(B)/bin/normalize merge -o $(DEMO)/archive.csv.gz $(DEMO)/this-machine.csv datasets/*/records.csv
	$(B)/bin/report site -o $(DEMO)/site $(DEMO)/archive.csv.gz
	@echo $(CURDIR)/$(DEMO)/site/index.html

# ---- installation: one list of FILE:MODE:PLACE, used in both directions ---------------------------

data_files = $(sort $(shell find $(1) -type f))
variant_programs = $(filter-out $(B)/% build/%san/bin/collect,$(wildcard build/*/bin/collect))
INSTALL = $(foreach f,$(PROGRAMS),$(f):755:$(PREFIX)/bin/$(notdir $(f))) \
	$(foreach f,$(variant_programs),$(f):755:$(PREFIX)/lib/collect/$(word 2,$(subst /, ,$(f)))/collect) \
	$(foreach f,$(wildcard */*.1),$(f):644:$(PREFIX)/share/man/man1/$(notdir $(f))) \
	$(foreach f,$(wildcard */*.5),$(f):644:$(PREFIX)/share/man/man5/$(notdir $(f))) \
	$(foreach f,$(call data_files,templates datasets),$(f):644:$(SHARE)/$(f))

## install: programs, variants that are built, man pages, templates, datasets below DESTDIR/PREFIX (/usr/local)
install: programs
	@set -e; for entry in $(INSTALL); do \
	  file=$${entry%%:*} rest=$${entry#*:}; \
	  install -D -m "$${rest%%:*}" "$$file" "$(DESTDIR)$${rest#*:}"; echo "$(DESTDIR)$${rest#*:}"; done

## uninstall: removes what install puts there
uninstall:
	@for entry in $(INSTALL); do rm -f "$(DESTDIR)$${entry#*:*:}"; done
	@rm -f "$(DESTDIR)$(PREFIX)/lib/collect"/*/collect
	@for folder in "$(DESTDIR)$(SHARE)" "$(DESTDIR)$(PREFIX)/lib/collect"; do \
	  [ ! -d "$$folder" ] || find "$$folder" -depth -type d -empty -delete; done

## clean: removes build/, that is everything made
clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
