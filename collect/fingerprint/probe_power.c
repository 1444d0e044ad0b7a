/* Where the power comes from and how much of it the processor may take. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/probe.h"

#define SUPPLIES "/sys/class/power_supply"
#define ZONES "/sys/class/powercap"
enum { CONSTRAINTS_MAX = 8 };

/* Mains or battery. */
static void add_source(const struct probe_root *root, struct facts *facts)
{
    struct buffer names = {0}, text = {0};
    bool has_battery = false, has_mains = false, is_mains_on = false;
    int error = probe_list(root, &names, SUPPLIES);
    char *rest = NULL;
    for (char *name = names.size > 0 ? strtok_r(names.bytes, "\n", &rest) : NULL; name;
         name = strtok_r(NULL, "\n", &rest)) {
        if (probe_read(root, &text, SUPPLIES "/%s/type", name) != 0)
            continue;
        bool is_battery = strcmp(buffer_text(&text), "Battery") == 0;
        has_battery = has_battery || is_battery;
        if (is_battery || probe_read(root, &text, SUPPLIES "/%s/online", name) != 0)
            continue;
        has_mains = true;
        is_mains_on = is_mains_on || buffer_text(&text)[0] == '1';
    }
    if (error != 0)
        facts_add_unknown(facts, "power.source", SUPPLIES, "%s: " SUPPLIES, probe_reason(error));
    else if (has_mains || has_battery)
        facts_add_text(facts, "power.source", is_mains_on ? "mains" : "battery", SUPPLIES);
    else
        facts_add_unknown(facts, "power.source", SUPPLIES, "not applicable: nothing to choose from");
    buffer_free(&names);
    buffer_free(&text);
}

/* One limit of a zone, in uW, and over which time it is an average, in us. */
static void add_limit(const struct probe_root *root, struct facts *facts, const char *zone,
                      const char *zone_name, unsigned constraint, const char *constraint_name)
{
    /* The register holds 15 bits of 1/8 W (Intel SDM volume 3, MSR_PKG_POWER_LIMIT): all of them is what
     * boards set that want none. */
    const uint64_t unlimited = 4095875000;
    struct buffer text = {0};
    char zone_word[PROBE_WORD_SIZE], word[PROBE_WORD_SIZE], name[128], source[192];
    uint64_t uw, us;
    probe_word(zone_name, zone_word);
    probe_word(constraint_name, word);
    snprintf(name, sizeof name, "power.limit.%s.%s", zone_word, word);
    snprintf(source, sizeof source, ZONES "/%.80s/constraint_%u_power_limit_uw", zone, constraint);
    int error = probe_read(root, &text, "%s", source);
    if (error != 0)
        facts_add_unknown(facts, name, source, "%s: %s", probe_reason(error), source);
    else if (!probe_count(buffer_text(&text), &uw))
        facts_add_unknown(facts, name, source, "unparsable: '%.60s'", buffer_text(&text));
    else if (uw >= unlimited)
        facts_add_text(facts, name, "none", source);
    else if (uw == 0)
        facts_add_unknown(facts, name, source, "implausible: %s says 0 W", source);
    else
        facts_add_number(facts, name, (double)uw / 1e6, "W", source);
    bool is_number = facts->n > 0 && facts->facts[facts->n - 1].has_value;
    snprintf(source, sizeof source, ZONES "/%.80s/constraint_%u_time_window_us", zone, constraint);
    if (is_number && probe_read(root, &text, "%s", source) == 0 &&
        probe_count(buffer_text(&text), &us) && us > 0) {
        snprintf(name, sizeof name, "power.limit.%s.%s.window", zone_word, word);
        facts_add_number(facts, name, (double)us / 1e6, "s", source);
    }
    buffer_free(&text);
}

/* Zones such as intel-rapl:0, whose name is package-0 (Linux, Documentation/power/powercap/powercap.rst). */
static void add_limits(const struct probe_root *root, struct facts *facts)
{
    struct buffer zones = {0}, name = {0}, constraint = {0}, enabled = {0};
    size_t n = 0, n_off = 0;
    int error = probe_list(root, &zones, ZONES);
    char *rest = NULL;
    for (char *zone = zones.size > 0 ? strtok_r(zones.bytes, "\n", &rest) : NULL; zone;
         zone = strtok_r(NULL, "\n", &rest)) {
        if (probe_read(root, &name, ZONES "/%s/name", zone) != 0)
            continue;
        for (unsigned i = 0; i < CONSTRAINTS_MAX; i++) {
            if (probe_read(root, &constraint, ZONES "/%s/constraint_%u_name", zone, i) != 0)
                continue;
            if (probe_read(root, &enabled, ZONES "/%s/enabled", zone) == 0 &&
                buffer_text(&enabled)[0] == '0') {
                n_off++;
                continue;
            }
            add_limit(root, facts, zone, buffer_text(&name), i, buffer_text(&constraint));
            n++;
        }
    }
    if (error != 0)
        facts_add_unknown(facts, "power.limits", ZONES, "%s: " ZONES, probe_reason(error));
    else if (n == 0 && n_off > 0)
        facts_add_text(facts, "power.limits", "none in force", ZONES);
    else if (n == 0)
        facts_add_unknown(facts, "power.limits", ZONES, "absent: no zone of " ZONES " has a limit");
    buffer_free(&zones);
    buffer_free(&name);
    buffer_free(&constraint);
    buffer_free(&enabled);
}

static void state(const struct probe_root *root, struct facts *facts)
{
    probe_add_file(root, facts, "power.profile", "/sys/firmware/acpi/platform_profile");
    add_source(root, facts);
    add_limits(root, facts);
}

const struct probe probe_power = {.name = "power", .state = state};
