/* Temperature, and what was done against it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/fingerprint/probe.h"

#define ZONES "/sys/class/thermal"
#define SENSORS "/sys/class/hwmon"
enum { SENSORS_MAX = 64 };

/* Sensors that do not work say 0, -273, 127 or what is in their memory: no running processor is at
 * any of these. */
static void add_temperature(struct facts *facts, const char *name, const char *text,
                            const char *source)
{
    char *end;
    long thousandths = strtol(text, &end, 10);
    if (end == text)
        facts_add_unknown(facts, name, source, "unparsable: '%.60s'", text);
    else if (thousandths <= -40000 || thousandths == 0 || thousandths >= 125000)
        facts_add_unknown(facts, name, source, "implausible: %s says %.20s thousandths of a degree",
                          source, text);
    else
        facts_add_number(facts, name, (double)thousandths / 1000, "degC", source);
}

static size_t add_zones(const struct probe_root *root, struct facts *facts)
{
    struct buffer type = {0}, text = {0};
    size_t n = 0;
    for (unsigned zone = 0; zone < SENSORS_MAX && probe_exists(root, ZONES "/thermal_zone%u", zone);
         zone++) {
        char word[PROBE_WORD_SIZE], name[80], source[96];
        probe_read(root, &type, ZONES "/thermal_zone%u/type", zone);
        probe_word(buffer_text(&type), word);
        snprintf(name, sizeof name, "heat.zone%u%s%s", zone, word[0] ? "." : "", word);
        snprintf(source, sizeof source, ZONES "/thermal_zone%u/temp", zone);
        int error = probe_read(root, &text, "%s", source);
        if (error != 0)
            facts_add_unknown(facts, name, source, "%s: %s", probe_reason(error), source);
        else
            add_temperature(facts, name, buffer_text(&text), source);
        n++;
    }
    buffer_free(&type);
    buffer_free(&text);
    return n;
}

/* The package's sensor of each chip that watches a processor. */
static size_t add_sensors(const struct probe_root *root, struct facts *facts)
{
    static const char *const chips[] = {"coretemp", "k10temp", "zenpower", "fam15h_power",
                                        "cpu_thermal", "scpi_sensors"};
    struct buffer chip = {0}, text = {0};
    size_t n = 0;
    for (unsigned i = 0; i < SENSORS_MAX; i++) {
        char name[80], source[96];
        bool is_processor = false;
        if (probe_read(root, &chip, SENSORS "/hwmon%u/name", i) != 0)
            continue;
        for (size_t c = 0; c < sizeof chips / sizeof chips[0]; c++)
            is_processor = is_processor || strcmp(buffer_text(&chip), chips[c]) == 0;
        snprintf(source, sizeof source, SENSORS "/hwmon%u/temp1_input", i);
        if (!is_processor || probe_read(root, &text, "%s", source) != 0)
            continue;
        char word[PROBE_WORD_SIZE];
        probe_word(buffer_text(&chip), word);
        snprintf(name, sizeof name, "heat.hwmon%u.%s", i, word);
        add_temperature(facts, name, buffer_text(&text), source);
        n++;
    }
    buffer_free(&chip);
    buffer_free(&text);
    return n;
}

/* How often the processor slowed itself down, summed over its CPUs, since boot. */
static void add_throttled(const struct probe_root *root, struct facts *facts, const char *what)
{
    unsigned cpus[PROBE_CPUS_MAX];
    struct buffer text = {0};
    char name[64], source[96];
    uint64_t sum = 0, count;
    size_t n = probe_cpus_online(root, cpus), n_read = 0;
    snprintf(name, sizeof name, "heat.throttled.%s", what);
    snprintf(source, sizeof source, PROBE_CPUS "/cpu*/thermal_throttle/%s_throttle_count", what);
    for (size_t i = 0; i < n; i++) {
        if (i == 1 && n_read == 0)
            break; /* not there for one, not there for any */
        if (probe_read(root, &text, PROBE_CPUS "/cpu%u/thermal_throttle/%s_throttle_count", cpus[i],
                       what) == 0 &&
            probe_count(buffer_text(&text), &count)) {
            sum += count;
            n_read++;
        }
    }
    if (n_read > 0)
        facts_add_number(facts, name, (double)sum, "1", source);
    else
        facts_add_unknown(facts, name, source, "absent: %s", source);
    buffer_free(&text);
}

/* What a Raspberry Pi's firmware has done since boot; bits as in its documentation, vcgencmd. */
static void add_firmware(const struct probe_root *root, struct facts *facts)
{
    static const char path[] = "/sys/devices/platform/soc/soc:firmware/get_throttled";
    struct buffer text = {0};
    if (probe_read(root, &text, path) == 0)
        facts_add_text(facts, "heat.throttled.firmware", buffer_text(&text), path);
    buffer_free(&text);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    size_t n = add_zones(root, facts);
    if (n + add_sensors(root, facts) == 0)
        facts_add_unknown(facts, "heat.zones", ZONES, "absent: neither " ZONES " nor " SENSORS
                                                      " has a processor's");
    add_throttled(root, facts, "core");
    add_throttled(root, facts, "package");
    add_firmware(root, facts);
}

const struct probe probe_heat = {.name = "heat", .state = state};
