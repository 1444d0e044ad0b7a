/* collect/fingerprint/facts.c and what people and programs are shown of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collect/fingerprint/facts.h"
#include "collect/fingerprint/facts_show.h"
#include "collect/fingerprint/fingerprint.h"

static int buffer_sink(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)err;
    buffer_add(context, bytes, size);
    return 0;
}

static const struct run_identity who = {"r1", "box", "2026-01-02T03:04:05Z"};

static void write_rows(const struct facts *facts, enum fact_class class, const char *when,
                       bool redact, struct buffer *out)
{
    struct writer writer;
    struct err err;
    writer_init(&writer, buffer_sink, out);
    assert_int_equal(facts_write(facts, class, when, redact, &who, &writer, &err), 0);
    writer_free(&writer);
}

static void each_kind_of_fact_has_its_exact_row(void **unused)
{
    (void)unused;
    struct facts facts = {0};
    struct buffer rows = {0};
    facts_add_number(&facts, "memory.total", 25276502016.0, "B", "/proc/meminfo MemTotal");
    facts_add_text(&facts, "cpu.model", "  Intel(R)  Xeon\t@ 2.67GHz\n", "CPUID leaf 4; a=b");
    facts_add_unknown(&facts, "cache.l3", "CPUID leaf 4", "implausible: %s says %d B", "CPUID", 7);
    facts_add_text(&facts, "machine.vendor", "\xff\xc0" "A, \"B\"\x01", "dmi");
    write_rows(&facts, FACT_IDENTITY, "", true, &rows);
    assert_string_equal(
        buffer_text(&rows),
        "1,fact,r1,box,2026-01-02T03:04:05Z,,,,,,,,source=/proc/meminfo MemTotal,memory.total,,"
        "25276502016,B,,,ok,\n"
        "1,fact,r1,box,2026-01-02T03:04:05Z,,,,,,,,source=CPUID leaf 4%3B a%3Db,cpu.model,,,,,,ok,"
        "Intel(R) Xeon @ 2.67GHz\n"
        "1,fact,r1,box,2026-01-02T03:04:05Z,,,,,,,,source=CPUID leaf 4,cache.l3,,,,,,unknown,"
        "implausible: CPUID says 7 B\n"
        "1,fact,r1,box,2026-01-02T03:04:05Z,,,,,,,,source=dmi,machine.vendor,,,,,,ok,"
        "\"\\xff\\xc0A, \"\"B\"\"\\x01\"\n");
    buffer_free(&rows);
    facts_free(&facts);
}

static void a_class_is_written_by_itself_with_its_moment(void **unused)
{
    (void)unused;
    struct facts facts = {.class = FACT_STATE};
    struct buffer rows = {0};
    facts_add_number(&facts, "load.1min", 0.25, "1", "/proc/loadavg");
    facts.class = FACT_IDENTITY;
    facts_add_text(&facts, "system.arch", "riscv64", "uname");
    write_rows(&facts, FACT_STATE, "after", true, &rows);
    assert_string_equal(buffer_text(&rows),
                        "1,fact,r1,box,2026-01-02T03:04:05Z,,,after,,,,,source=/proc/loadavg,"
                        "load.1min,,0.25,1,,,ok,\n");
    buffer_free(&rows);
    facts_free(&facts);
}

static void a_private_fact_needs_consent(void **unused)
{
    (void)unused;
    struct facts facts = {0}, none = {0};
    struct buffer out = {0};
    facts_add_private(&facts, "machine.host_name", "alice-laptop", "/proc/sys/kernel/hostname");
    write_rows(&facts, FACT_IDENTITY, "", true, &out);
    facts_show_text(&facts, &none, true, &out);
    facts_show_json(&facts, &none, true, &who, &out);
    assert_null(strstr(buffer_text(&out), "alice"));
    buffer_clear(&out);
    write_rows(&facts, FACT_IDENTITY, "", false, &out);
    assert_non_null(strstr(buffer_text(&out), ",ok,alice-laptop\n"));
    buffer_clear(&out);
    facts_show_text(&facts, &none, false, &out);
    assert_non_null(strstr(buffer_text(&out), "host name               alice-laptop\n"));
    buffer_free(&out);
    facts_free(&facts);
}

static void an_empty_text_and_an_endless_number_are_unknown(void **unused)
{
    (void)unused;
    struct facts facts = {0};
    facts_add_text(&facts, "machine.firmware", " \n", "dmi");
    facts_add_number(&facts, "load.1min", (double)NAN, "1", "x");
    assert_int_equal(facts.n, 2);
    assert_false(facts.facts[0].is_known);
    assert_string_equal(facts.facts[0].text, "absent: it is empty");
    assert_false(facts.facts[1].is_known || facts.facts[1].has_value);
    assert_string_equal(facts.facts[1].text, "implausible: no finite number");
    assert_null(facts_find(&facts, "machine.firmware"));
    facts_free(&facts);
}

static void the_first_known_fact_of_a_name_is_found(void **unused)
{
    (void)unused;
    struct facts facts = {0};
    facts_add_unknown(&facts, "cache.l3", "sysfs", "absent: no file");
    facts_add_number(&facts, "cache.l3", 1048576, "B", "CPUID leaf 4");
    facts_add_number(&facts, "cache.l3", 2097152, "B", "user");
    facts_add_text(&facts, "limit.memory", "none", "cgroup");
    facts_add_number(&facts, "odd", -1, "1", "x");
    facts_add_number(&facts, "vast", 1e30, "1", "x");
    assert_string_equal(facts_find(&facts, "cache.l3")->source, "CPUID leaf 4");
    assert_int_equal(facts_number(&facts, "cache.l3"), 1048576);
    assert_int_equal(facts_number(&facts, "limit.memory"), 0);
    assert_int_equal(facts_number(&facts, "odd"), 0);
    assert_int_equal(facts_number(&facts, "vast"), 0);
    assert_int_equal(facts_number(&facts, "nowhere"), 0);
    facts_free(&facts);
}

static void many_facts_are_kept_in_order(void **unused)
{
    (void)unused;
    struct facts facts = {0};
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "fact.n%d", i);
        facts_add_number(&facts, name, i, "1", "x");
    }
    assert_int_equal(facts.n, 1000);
    assert_string_equal(facts.facts[999].name, "fact.n999");
    assert_int_equal(facts_number(&facts, "fact.n500"), 500);
    facts_free(&facts);
}

/* The hash of three facts of identity and some that must not count. */
static void hash_of(double memory, const char *model, double load, const char *id, bool is_reversed,
                    char out[65])
{
    struct facts facts = {0};
    for (int i = 0; i < 3; i++) {
        int which = is_reversed ? 2 - i : i;
        if (which == 0)
            facts_add_number(&facts, "memory.total", memory, "B", "meminfo");
        if (which == 1)
            facts_add_text(&facts, "cpu.model", model, is_reversed ? "CPUID" : "cpuinfo");
        if (which == 2)
            facts_add_text(&facts, "system.os", "Debian", "os-release");
    }
    facts_add_number(&facts, "memory.total", load, "B", "a second source");
    facts_add_text(&facts, "machine.id", id, "machine-id");
    facts_add_text(&facts, "memory.dimms.part", id, "DMI, for root");
    facts_add_text(&facts, "virtual.signs", id, "what root saw");
    facts_add_text(&facts, "build.program_sha256", id, "exe");
    facts_add_private(&facts, "machine.host_name", id, "hostname");
    facts_add_unknown(&facts, "cache.l3", "sysfs", "absent: %s", id);
    facts.class = FACT_STATE;
    facts_add_number(&facts, "load.1min", load, "1", "loadavg");
    fingerprint_add_hash(&facts);
    snprintf(out, 65, "%s", facts_find(&facts, "config.hash")->text);
    facts_free(&facts);
}

static void the_hash_follows_the_configuration_alone(void **unused)
{
    (void)unused;
    char one[65], two[65];
    const double gib = 1 << 30, mib = 1 << 20;
    hash_of(gib, "AMD EPYC", 0.5, "aa", false, one);
    assert_int_equal(strlen(one), 64);
    hash_of(gib, "AMD EPYC", 7, "bb", true, two);
    assert_string_equal(one, two);
    hash_of(gib + 2 * mib, "AMD EPYC", 0.5, "aa", false, two); /* of the kernel's own, from boot to boot */
    assert_string_equal(one, two);
    hash_of(gib + 32 * mib, "AMD EPYC", 0.5, "aa", false, two);
    assert_string_not_equal(one, two);
    hash_of(gib, "AMD EPYC ", 0.5, "aa", false, two); /* cleaned: the same */
    assert_string_equal(one, two);
    hash_of(gib, "AMD EPYC 2", 0.5, "aa", false, two);
    assert_string_not_equal(one, two);
}

static void the_hash_has_the_documented_bytes(void **unused)
{
    (void)unused;
    struct facts facts = {0};
    struct sha256 hash;
    char expected[SHA256_HEX_SIZE];
    static const char bytes[] = "9:cpu.model0:0:3:ABC11:memory.page4:40961:B0:";
    facts_add_number(&facts, "memory.page", 4096, "B", "sysconf");
    facts_add_text(&facts, "cpu.model", "ABC", "cpuinfo");
    fingerprint_add_hash(&facts);
    sha256_init(&hash);
    sha256_add(&hash, bytes, sizeof bytes - 1);
    sha256_finish(&hash, expected);
    assert_string_equal(facts_find(&facts, "config.hash")->text, expected);
    facts_free(&facts);
}

static void pieces_of_names_and_texts_do_not_run_together(void **unused)
{
    (void)unused;
    struct facts one = {0}, two = {0};
    facts_add_text(&one, "cpu.a", "1", "x");
    facts_add_text(&one, "cpu.b", "23", "x");
    facts_add_text(&two, "cpu.a", "12", "x");
    facts_add_text(&two, "cpu.b", "3", "x");
    fingerprint_add_hash(&one);
    fingerprint_add_hash(&two);
    assert_string_not_equal(facts_find(&one, "config.hash")->text,
                            facts_find(&two, "config.hash")->text);
    facts_free(&one);
    facts_free(&two);
}

static void people_read_scaled_numbers(void **unused)
{
    (void)unused;
    static const struct {
        double value;
        const char *unit, *shown;
    } cases[] = {
        {0, "B", "0 B"},          {1023, "B", "1023 B"},         {32768, "B", "32 KiB"},
        {25276502016.0, "B", "23.54 GiB"}, {2596152000.0, "Hz", "2.596 GHz"},
        {1e-9, "s", "1 ns"},      {2.218e-8, "s", "22.18 ns"},   {86400, "s", "86400 s"},
        {0, "s", "0 s"},          {0.115, "1", "0.115"},         {4096, "1", "4096"},
        {1.5, "1", "1.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct facts facts = {0}, none = {0};
        struct buffer page = {0};
        char line[64];
        facts_add_number(&facts, "memory.of_it", cases[i].value, cases[i].unit, "x");
        facts_show_text(&facts, &none, true, &page);
        snprintf(line, sizeof line, "\nMemory\n  of it                   %s\n", cases[i].shown);
        if (!strstr(buffer_text(&page), line))
            fail_msg("no '%s' in %s", cases[i].shown, buffer_text(&page));
        buffer_free(&page);
        facts_free(&facts);
    }
}

static void json_has_the_exact_bytes(void **unused)
{
    (void)unused;
    struct facts identity = {0}, state = {.class = FACT_STATE};
    struct buffer out = {0};
    facts_add_text(&identity, "cpu.model", "a \"b\" \\", "x");
    facts_add_unknown(&identity, "cpu.clock.max", "y", "absent: z");
    facts_add_number(&state, "load.1min", 0.25, "1", "w");
    facts_show_json(&identity, &state, true, &who, &out);
    assert_string_equal(
        buffer_text(&out),
        "{\n  \"schema\": 1,\n  \"run\": \"r1\",\n  \"machine\": \"box\",\n"
        "  \"time\": \"2026-01-02T03:04:05Z\",\n  \"facts\": [\n"
        "    {\"name\": \"cpu.model\", \"class\": \"identity\", \"status\": \"ok\", "
        "\"text\": \"a \\\"b\\\" \\\\\", \"source\": \"x\"},\n"
        "    {\"name\": \"cpu.clock.max\", \"class\": \"identity\", \"status\": \"unknown\", "
        "\"text\": \"absent: z\", \"source\": \"y\"},\n"
        "    {\"name\": \"load.1min\", \"class\": \"state\", \"status\": \"ok\", \"value\": 0.25, "
        "\"unit\": \"1\", \"source\": \"w\"}\n  ]\n}\n");
    buffer_free(&out);
    facts_free(&identity);
    facts_free(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_fact_has_its_exact_row),
        cmocka_unit_test(a_class_is_written_by_itself_with_its_moment),
        cmocka_unit_test(a_private_fact_needs_consent),
        cmocka_unit_test(an_empty_text_and_an_endless_number_are_unknown),
        cmocka_unit_test(the_first_known_fact_of_a_name_is_found),
        cmocka_unit_test(many_facts_are_kept_in_order),
        cmocka_unit_test(the_hash_follows_the_configuration_alone),
        cmocka_unit_test(the_hash_has_the_documented_bytes),
        cmocka_unit_test(pieces_of_names_and_texts_do_not_run_together),
        cmocka_unit_test(people_read_scaled_numbers),
        cmocka_unit_test(json_has_the_exact_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
