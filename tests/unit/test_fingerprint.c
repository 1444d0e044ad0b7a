/* The probes, on captured trees with their exact output, and on this machine. To record what trees
 * give, and read the difference: tests/machines.sh --record BIN. It looks at the larger trees too, which
 * are made by a script each. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/fingerprint/cpuid.h"
#include "collect/fingerprint/probe.h"
#include "collect/fingerprint/smbios.h"
#include "collect/system.h"
#include "tests/unit/folder.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

static int buffer_sink(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)err;
    buffer_add(context, bytes, size);
    return 0;
}

static void read_file(const char *path, struct buffer *out)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: cannot open", path);
    char bytes[4096];
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        buffer_add(out, bytes, n);
    fclose(file);
}

static const char *const machines[] = {"container-with-limits", "garbage-dmi", "nothing",
                                       "raspberry-pi", "vm-without-dmi"};
enum { MACHINES = sizeof machines / sizeof machines[0] };

static void take(const char *machine, enum system_format format, bool redact, struct buffer *out)
{
    char path[128];
    struct err err;
    snprintf(path, sizeof path, "tests/machines/%s", machine);
    struct probe_root root = {.path = path, .folder = "/"};
    assert_int_equal(system_write(&root, format, redact, "1970-01-01T00:00:00Z", buffer_sink, out,
                                  &err),
                     0);
}

static void captured_machines_give_their_exact_rows_and_pages(void **unused)
{
    (void)unused;
    static const char *const endings[] = {[SYSTEM_TEXT] = "txt", [SYSTEM_CSV] = "csv"};
    for (size_t i = 0; i < MACHINES; i++)
        for (int format = SYSTEM_TEXT; format <= SYSTEM_CSV; format++) {
            struct buffer got = {0}, expected = {0};
            char path[128];
            snprintf(path, sizeof path, "tests/machines/%s/expected.%s", machines[i],
                     endings[format]);
            read_file(path, &expected);
            take(machines[i], (enum system_format)format, true, &got);
            assert_string_equal(buffer_text(&got), buffer_text(&expected));
            buffer_free(&got);
            buffer_free(&expected);
        }
}

static void what_a_tree_keeps_secret_stays_there(void **unused)
{
    (void)unused;
    /* Host name, password, MAC address, serial numbers, UUIDs, users' folders, ids of groups. */
    static const char *const secrets[] = {
        "secret-host", "hunter2", "DC:A6", "deadbeef", "SN-SECRET", "4c4c4544", "0x12345678",
        "alice",       "cafe-02", "7424c13c", "/var/swap", "0123456789abcdef0123456789abcdef"};
    for (size_t i = 0; i < MACHINES; i++)
        for (int format = SYSTEM_TEXT; format <= SYSTEM_JSON; format++) {
            struct buffer got = {0};
            take(machines[i], (enum system_format)format, true, &got);
            for (size_t j = 0; j < sizeof secrets / sizeof secrets[0]; j++)
                if (strstr(buffer_text(&got), secrets[j]))
                    fail_msg("%s: shows %s", machines[i], secrets[j]);
            buffer_free(&got);
        }
    struct buffer got = {0};
    take("vm-without-dmi", SYSTEM_CSV, false, &got);
    assert_non_null(strstr(buffer_text(&got), ",ok,secret-host\n"));
    assert_non_null(strstr(buffer_text(&got), "password=hunter2"));
    buffer_free(&got);
}

static void pages_fit_in_100_columns(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < MACHINES; i++) {
        struct buffer page = {0};
        take(machines[i], SYSTEM_TEXT, false, &page);
        for (const char *p = buffer_text(&page); *p; p += strcspn(p, "\n") + 1)
            assert_true(strcspn(p, "\n") <= 100);
        buffer_free(&page);
    }
}

static void fingerprint_of(const struct probe_root *root, struct facts *identity,
                           struct facts *state)
{
    struct err err;
    assert_int_equal(fingerprint_identity(root, identity, &err), 0);
    assert_int_equal(fingerprint_state(root, state, &err), 0);
}

static void an_empty_tree_knows_nothing_and_says_why(void **unused)
{
    (void)unused;
    struct probe_root root = {.path = "tests/machines/nothing", .folder = "/"};
    struct facts all[2] = {{.n = 0}, {.n = 0}};
    fingerprint_of(&root, &all[0], &all[1]);
    assert_true(all[0].n > 60 && all[1].n > 10);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < all[i].n; j++)
            if (!all[i].facts[j].is_private) {
                if (all[i].facts[j].is_known)
                    fail_msg("%s is known", all[i].facts[j].name);
                if (strncmp(all[i].facts[j].text, "absent: ", 8) != 0 &&
                    strncmp(all[i].facts[j].text, "not applicable: ", 16) != 0)
                    fail_msg("%s: %s", all[i].facts[j].name, all[i].facts[j].text);
            }
    struct kernel_host host;
    fingerprint_host(&all[0], &all[1], &host);
    assert_int_equal(host.l1d_bytes + host.l2_bytes + host.l3_bytes + host.memory_bytes +
                         host.available_bytes + host.swap_bytes,
                     0);
    assert_int_equal(host.n_cpus, 1);
    facts_free(&all[0]);
    facts_free(&all[1]);
}

static void limits_of_the_container_bind_the_kernels(void **unused)
{
    (void)unused;
    struct probe_root root = {.path = "tests/machines/container-with-limits", .folder = "/"};
    struct facts identity = {0}, state = {0};
    struct kernel_host host;
    fingerprint_of(&root, &identity, &state);
    fingerprint_host(&identity, &state, &host);
    assert_int_equal(host.memory_bytes, 2147483648u);
    assert_int_equal(host.available_bytes, 2147483648u - (1073741824u - 536870912u));
    assert_int_equal(host.swap_bytes, 0);
    assert_int_equal(host.n_cpus, 3);
    facts_free(&identity);
    facts_free(&state);
}

static void a_cache_that_cannot_be_is_not_used(void **unused)
{
    (void)unused;
    struct probe_root root = {.path = "tests/machines/garbage-dmi", .folder = "/"};
    struct facts identity = {0}, state = {0};
    struct kernel_host host;
    fingerprint_of(&root, &identity, &state);
    fingerprint_host(&identity, &state, &host);
    assert_int_equal(host.l1d_bytes, 0);
    assert_int_equal(host.l3_bytes, 0);
    facts_free(&identity);
    facts_free(&state);
}

static void cpuid_caches_are_decoded(void **unused)
{
    (void)unused;
    /* The L3 of an AMD EPYC 9004, leaf 0x8000001D subleaf 3. */
    struct cache_claim l3 = cpuid_cache(&(struct cpuid){0x4163, 0x03c0003f, 0x7fff, 1});
    assert_int_equal(l3.kind, CACHE_UNIFIED);
    assert_int_equal(l3.level, 3);
    assert_int_equal(l3.ways, 16);
    assert_int_equal(l3.sets, 32768);
    assert_int_equal(l3.line_bytes, 64);
    assert_int_equal(l3.size_bytes, 33554432);
    assert_null(cache_implausible(&l3));
    assert_int_equal(cpuid_cache(&(struct cpuid){0, 0, 0, 0}).kind, CACHE_NONE);
    struct cache_claim vast =
        cpuid_cache(&(struct cpuid){0x163, 0xffffffff, 0xffffffff, 0});
    assert_string_equal(cache_implausible(&vast), "larger than 4 GiB");
}

static void the_sum_of_all_third_level_caches_is_no_size_of_one(void **unused)
{
    (void)unused;
    /* 1016 units of 512 KiB and associativity code 9, as seen in a virtual machine. */
    struct cpuid regs = {0, 0, 0x04006140, 1016u << 18 | 0x9140};
    struct cache_claim l3 = cpuid_amd_l3(&regs);
    assert_int_equal(l3.size_bytes, 532676608);
    assert_string_equal(cache_implausible(&l3), "no associativity");
    struct cache_claim l2 = cpuid_amd_l2(&regs);
    assert_int_equal(l2.size_bytes, 1048576);
    assert_null(cache_implausible(&l2));
    regs.edx = 0;
    assert_int_equal(cpuid_amd_l3(&regs).kind, CACHE_NONE);
}

static void a_size_must_be_the_product_of_its_parts(void **unused)
{
    (void)unused;
    struct cache_claim claim = {.kind = CACHE_DATA,
                                .level = 1,
                                .size_bytes = 32768,
                                .has_ways = true,
                                .ways = 8,
                                .sets = 64,
                                .line_bytes = 64};
    assert_null(cache_implausible(&claim));
    claim.sets = 128;
    assert_string_equal(cache_implausible(&claim), "not the product of its ways, sets and lines");
    claim.sets = UINT64_MAX;
    assert_string_equal(cache_implausible(&claim), "not the product of its ways, sets and lines");
    claim.size_bytes = 0;
    assert_string_equal(cache_implausible(&claim), "no size at all");
}

static void signatures_follow_both_makers(void **unused)
{
    (void)unused;
    struct cpuid_signature amd = cpuid_signature(0x00a10f11), intel = cpuid_signature(0x000806f8),
                           old = cpuid_signature(0x00000543);
    assert_int_equal(amd.family, 25);
    assert_int_equal(amd.model, 17);
    assert_int_equal(amd.stepping, 1);
    assert_int_equal(intel.family, 6);
    assert_int_equal(intel.model, 143);
    assert_int_equal(intel.stepping, 8);
    assert_int_equal(old.family, 5);
    assert_int_equal(old.model, 4);
    assert_int_equal(old.stepping, 3);
    assert_int_equal(cpuid_signature_code(&amd), 0x00a10f11);
    assert_int_equal(cpuid_signature_code(&intel), 0x000806f8);
    assert_int_equal(cpuid_signature_code(&old), 0x00000543);
}

/* Two modules as the specification lays them out: 16 GiB of DDR5 with both rates, 64 GiB by the longer
 * field; an empty slot; then a table that ends too early. */
static void memory_modules_are_decoded(void **unused)
{
    (void)unused;
    static const unsigned char table[] = {
        /* a structure of another type, without strings */
        126, 5, 0, 0, 9, 0, 0,
        17, 0x28, 1, 0, 0xfe, 0xff, 0, 0, 64, 0, 64, 0, 0x00, 0x40, 9, 0, 1, 0, 0x22, 0x80, 0,
        0x70, 0x17, 2, 3, 0, 4, 0, 0, 0, 0, 0, 0xe0, 0x15, 0, 0, 0, 0, 0, 0,
        'D', 'I', 'M', 'M', 0, 'M', 0, 'S', 'N', 0, 'P', '1', 0, 0,
        17, 0x28, 2, 0, 0xfe, 0xff, 0, 0, 64, 0, 64, 0, 0xff, 0x7f, 9, 0, 0, 0, 0x7e, 0x80, 0,
        0, 0, 0, 0, 0, 9, 0, 0x00, 0x00, 0x01, 0x00, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0,
        17, 0x15, 3, 0, 0xfe, 0xff, 0, 0, 64, 0, 64, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 0,
        17, 0x28, 4, 0, 0xfe};
    struct smbios_dimm dimm;
    size_t offset = 0;
    assert_true(smbios_next_dimm(table, sizeof table, &offset, &dimm));
    assert_int_equal(dimm.size_bytes, UINT64_C(16) << 30);
    assert_string_equal(dimm.type, "DDR5");
    assert_int_equal(dimm.rated, 6000);
    assert_int_equal(dimm.configured, 5600);
    assert_string_equal(dimm.maker, "M");
    assert_string_equal(dimm.part, "P1");
    assert_true(dimm.is_memory && dimm.is_size_known);
    assert_true(smbios_next_dimm(table, sizeof table, &offset, &dimm));
    assert_int_equal(dimm.size_bytes, UINT64_C(64) << 30);
    assert_null(dimm.type);
    assert_string_equal(dimm.type_text, "type 0x7e");
    assert_int_equal(dimm.rated + dimm.configured, 0);
    assert_string_equal(dimm.part, "");
    assert_true(smbios_next_dimm(table, sizeof table, &offset, &dimm));
    assert_true(dimm.is_size_known && dimm.size_bytes == 0);
    assert_false(smbios_next_dimm(table, sizeof table, &offset, &dimm));
    for (size_t size = 0; size < sizeof table; size++) /* cut anywhere, and read no further */
        for (offset = 0; smbios_next_dimm(table, size, &offset, &dimm);)
            assert_true(offset <= size);
}

static void lines_are_found_by_their_whole_key(void **unused)
{
    (void)unused;
    static const char text[] = "model\t\t: 17\nmodel name\t: AMD  EPYC \nMemTotal:  12 kB\n"
                               "cpu  1 2 3\ncpu0 4 5\nempty:\n";
    struct buffer value = {0};
    assert_true(probe_line_value(text, "model", &value));
    assert_string_equal(buffer_text(&value), "17");
    assert_true(probe_line_value(text, "model name", &value));
    assert_string_equal(buffer_text(&value), "AMD  EPYC");
    assert_true(probe_line_value(text, "MemTotal", &value));
    assert_string_equal(buffer_text(&value), "12 kB");
    assert_true(probe_line_value(text, "cpu", &value));
    assert_string_equal(buffer_text(&value), "1 2 3");
    assert_true(probe_line_value(text, "empty", &value));
    assert_string_equal(buffer_text(&value), "");
    assert_false(probe_line_value(text, "Mem", &value));
    assert_false(probe_line_value(text, "name", &value));
    assert_string_equal(buffer_text(&value), "");
    buffer_free(&value);
}

static void lists_of_cpus_are_read(void **unused)
{
    (void)unused;
    unsigned cpus[PROBE_CPUS_MAX];
    assert_int_equal(probe_cpu_list("0-3,8\n", cpus), 5);
    assert_int_equal(cpus[3], 3);
    assert_int_equal(cpus[4], 8);
    assert_int_equal(probe_cpu_list("0", cpus), 1);
    assert_int_equal(probe_cpu_list("0-2047,4096-8191", cpus), 6144);
    assert_int_equal(cpus[2048], 4096);
    struct buffer list = {0};
    probe_add_cpu_list(cpus, 6144, &list);
    assert_string_equal(buffer_text(&list), "0-2047,4096-8191");
    buffer_clear(&list);
    probe_add_cpu_list((const unsigned[]){0, 2, 3, 9}, 4, &list);
    assert_string_equal(buffer_text(&list), "0,2-3,9");
    buffer_free(&list);
    static const char *const bad[] = {"", "\n", "3-1", "0-8192", "1,1", "0-", "a", "0-3x", "-1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(probe_cpu_list(bad[i], cpus), 0);
}

static void decimals_are_read_in_thousandths(void **unused)
{
    (void)unused;
    uint64_t value;
    assert_true(probe_thousandths("1.4", &value) && value == 1400);
    assert_true(probe_thousandths("0.07 0.1", &value) && value == 70);
    assert_true(probe_thousandths("2596.1529", &value) && value == 2596152);
    assert_true(probe_thousandths("12 5", &value) && value == 12000);
    assert_false(probe_thousandths("nan", &value));
    assert_false(probe_thousandths("18446744073709551615", &value));
}

static void placeholders_are_known(void **unused)
{
    (void)unused;
    static const char *const yes[] = {"To Be Filled By O.E.M.", " default string\n", "00000000",
                                      "None", "\xff\xff\xff", "xxxx", "0123456789"};
    static const char *const no[] = {"X5650", "", "0", "None of it", "00000001", "ThinkPad"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(probe_is_placeholder(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(probe_is_placeholder(no[i]));
}

/* "outside", and "tree" beside it with links to it, absolute and upwards. */
static void a_tree_has_no_way_out(void **unused)
{
    (void)unused;
    struct folder folder;
    struct buffer text = {0};
    folder_make(&folder);
    char tree[300], link[400], outside[300];
    snprintf(outside, sizeof outside, "%s/outside", folder.path);
    snprintf(tree, sizeof tree, "%s/tree", folder.path);
    folder_write(&folder, "outside", "secret\n", 7);
    assert_int_equal(mkdir(tree, 0700), 0);
    struct probe_root root = {.path = tree, .folder = "/"};
    snprintf(link, sizeof link, "%s/absolute", tree);
    assert_int_equal(symlink(outside, link), 0);
    assert_int_not_equal(probe_read(&root, &text, "/absolute"), 0);
    unlink(link);
    snprintf(link, sizeof link, "%s/upwards", tree);
    assert_int_equal(symlink("../outside", link), 0);
    assert_int_not_equal(probe_read(&root, &text, "/upwards"), 0);
    assert_int_not_equal(probe_read(&root, &text, "/../outside"), 0);
    assert_false(probe_exists(&root, "/upwards"));
    assert_int_equal(text.size, 0);
    unlink(link);
    char inside[320];
    snprintf(inside, sizeof inside, "%s/inside", tree);
    FILE *file = fopen(inside, "w");
    assert_non_null(file);
    fputs("ours\n", file);
    fclose(file);
    static const char *const targets[] = {"/inside", "../../inside", "inside", "./../inside"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        snprintf(link, sizeof link, "%s/link", tree);
        assert_int_equal(symlink(targets[i], link), 0);
        assert_int_equal(probe_read(&root, &text, "/link"), 0);
        assert_string_equal(buffer_text(&text), "ours");
        unlink(link);
    }
    assert_int_equal(symlink("link", link), 0);
    assert_int_equal(probe_read(&root, &text, "/link"), ELOOP);
    unlink(link);
    unlink(inside);
    assert_int_not_equal(probe_read(&root, &text, "/"), 0);
    assert_true(probe_exists(&root, "/"));
    assert_false(probe_exists(&root, "/outside"));
    rmdir(tree);
    buffer_free(&text);
    folder_remove(&folder);
}

static void label_is(const char *model, const char *id, const char *expected)
{
    struct facts facts = {0};
    char label[64];
    if (model)
        facts_add_text(&facts, "cpu.model", model, "x");
    if (id)
        facts_add_text(&facts, "machine.id", id, "x");
    fingerprint_label(&facts, label, sizeof label);
    assert_string_equal(label, expected);
    facts_free(&facts);
}

static void labels_name_the_processor(void **unused)
{
    (void)unused;
    label_is("AMD EPYC", "1f3a9c0123456789", "amd-epyc-1f3a9c");
    label_is("Intel(R) Xeon(R) CPU X5650 @ 2.67GHz", "1f3a9c", "intel-xeon-x5650-1f3a9c");
    label_is("Cortex-A76 x4, Cortex-A55 x4", "1f3a9c", "cortex-a76-x4-1f3a9c");
    label_is("12th Gen Intel(R) Core(TM) i7-1260P", NULL, "12th-gen-intel-i7-1260p");
    label_is("\"<script>\xc0", NULL, "script-xc0");
    label_is("(R)", NULL, "machine");
    label_is(NULL, "1f3a9c", "machine-1f3a9c");
}

static void two_fingerprints_of_this_machine_agree(void **unused)
{
    (void)unused;
    struct probe_root root = {.path = "", .folder = "."};
    char hash[2][65];
    clock_t least = CLOCKS_PER_SEC;
    for (int i = 0; i < 2; i++) {
        struct facts identity = {0}, state = {0};
        clock_t start = clock();
        fingerprint_of(&root, &identity, &state);
        clock_t took = clock() - start;
        least = took < least ? took : least;
        snprintf(hash[i], sizeof hash[i], "%s", facts_find(&identity, "config.hash")->text);
        assert_int_equal(facts_number(&identity, "memory.page"), (uint64_t)sysconf(_SC_PAGESIZE));
        assert_int_equal(facts_number(&identity, "system.process_bits"), 8 * sizeof(void *));
        assert_non_null(facts_find(&identity, "build.kernel_flags"));
        assert_true(facts_number(&identity, "cpu.count.allowed") >= 1);
        struct kernel_host host;
        fingerprint_host(&identity, &state, &host);
        assert_true(host.available_bytes <= host.memory_bytes);
        facts_free(&identity);
        facts_free(&state);
    }
    assert_string_equal(hash[0], hash[1]);
    /* Time of this process alone: others may have the machine. Checkers take it tenfold. */
    const char *preload = getenv("LD_PRELOAD");
    if (!IS_SANITIZED && (!preload || !strstr(preload, "vgpreload")))
        assert_true(least < CLOCKS_PER_SEC / 10);
}

static void a_limit_of_the_address_space_changes_the_configuration(void **unused)
{
    (void)unused;
    struct probe_root root = {.path = "", .folder = "."};
    struct facts before = {0}, after = {0};
    struct rlimit old, low;
    struct err err;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    assert_int_equal(fingerprint_identity(&root, &before, &err), 0);
    low = old;
    low.rlim_cur = (rlim_t)1 << 30;
    if (IS_SANITIZED || setrlimit(RLIMIT_AS, &low) != 0) {
        print_message("skipped: the address space cannot be limited here\n");
        facts_free(&before);
        skip();
    }
    int result = fingerprint_identity(&root, &after, &err);
    setrlimit(RLIMIT_AS, &old);
    assert_int_equal(result, 0);
    assert_int_equal(facts_number(&after, "limit.address_space"), (uint64_t)low.rlim_cur);
    assert_string_not_equal(facts_find(&before, "config.hash")->text,
                            facts_find(&after, "config.hash")->text);
    facts_free(&before);
    facts_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_machines_give_their_exact_rows_and_pages),
        cmocka_unit_test(what_a_tree_keeps_secret_stays_there),
        cmocka_unit_test(pages_fit_in_100_columns),
        cmocka_unit_test(an_empty_tree_knows_nothing_and_says_why),
        cmocka_unit_test(limits_of_the_container_bind_the_kernels),
        cmocka_unit_test(a_cache_that_cannot_be_is_not_used),
        cmocka_unit_test(cpuid_caches_are_decoded),
        cmocka_unit_test(the_sum_of_all_third_level_caches_is_no_size_of_one),
        cmocka_unit_test(a_size_must_be_the_product_of_its_parts),
        cmocka_unit_test(signatures_follow_both_makers),
        cmocka_unit_test(memory_modules_are_decoded),
        cmocka_unit_test(lines_are_found_by_their_whole_key),
        cmocka_unit_test(lists_of_cpus_are_read),
        cmocka_unit_test(decimals_are_read_in_thousandths),
        cmocka_unit_test(placeholders_are_known),
        cmocka_unit_test(a_tree_has_no_way_out),
        cmocka_unit_test(labels_name_the_processor),
        cmocka_unit_test(two_fingerprints_of_this_machine_agree),
        cmocka_unit_test(a_limit_of_the_address_space_changes_the_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
