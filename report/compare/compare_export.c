#include "report/compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "schema/number.h"
#include "schema/quote.h"
#include "report/page/template.h"

/* For programs. A number that is not there is an empty field in CSV and null in JSON. */

static const char *const side_names[SIDES] = {"base", "new"};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static const struct machine *machine_of(const struct comparison *comparison,
                                        const struct cell *cell, enum side side)
{
    return &comparison->sides[side].selection->machines.machines[cell->machine];
}

static void number_add(struct buffer *out, double value)
{
    char text[NUMBER_TEXT_SIZE];
    number_format(text, value);
    buffer_add_text(out, text);
}

/* ---- CSV ---- */

/* A spreadsheet takes a text that begins so for a formula: it gets an apostrophe in front (OWASP,
 * CSV Injection). */
static void csv_label(struct buffer *out, const char *text)
{
    struct buffer label = {0};
    if (text[0] && strchr("=+-@\t\r", text[0]))
        buffer_add_char(&label, '\'');
    buffer_add_text(&label, text);
    quote_csv(out, buffer_text(&label));
    buffer_add_char(out, ',');
    out->failed = out->failed || label.failed;
    buffer_free(&label);
}

static void csv_number(struct buffer *out, bool is_there, double value)
{
    if (is_there && isfinite(value))
        number_add(out, value);
    buffer_add_char(out, ',');
}

static void csv_key(struct buffer *out, const struct record *key)
{
    csv_label(out, key->kernel);
    buffer_add_format(out, "%" PRIu64 ",", key->revision);
    csv_label(out, key->test);
    buffer_add_format(out, "%" PRIu64 ",", key->threads);
    csv_number(out, RECORD_HAS(key, x), key->x);
    csv_label(out, key->x_unit);
    csv_label(out, key->params);
    csv_label(out, key->metric);
}

static void csv_add(const struct comparison *comparison, struct buffer *out)
{
    buffer_add_text(out, "kernel,revision,test,threads,x,x_unit,params,metric,unit,"
                         "base_machine,base_variant,base_median,base_n,base_runs,"
                         "new_machine,new_variant,new_median,new_n,new_runs,"
                         "ratio,low,high,p,p_corrected,minimum_effect,verdict,reason\n");
    for (size_t i = 0; i < comparison->n; i++) {
        const struct compared *compared = &comparison->cells[i];
        const struct change *change = &compared->change;
        struct buffer reason = {0};
        csv_key(out, compared->cells[SIDE_BASE]->key);
        csv_label(out, compared->cells[change->n[SIDE_BASE] > 0 ? SIDE_BASE : SIDE_NEW]->unit);
        for (int s = 0; s < SIDES; s++) {
            csv_label(out, machine_of(comparison, compared->cells[s], (enum side)s)->name);
            csv_label(out, compared->cells[s]->key->variant);
            csv_number(out, change->n[s] > 0, change->median[s]);
            buffer_add_format(out, "%zu,%zu,", change->n[s], change->n_runs[s]);
        }
        csv_number(out, change->has_ratio, change->ratio);
        csv_number(out, change->has_interval, change->low);
        csv_number(out, change->has_interval, change->high);
        csv_number(out, change->has_p, change->p);
        csv_number(out, change->has_p, change->p_corrected);
        csv_number(out, true, change->minimum);
        csv_label(out, verdict_text(change->verdict));
        compared_reason_text(compared, &reason);
        csv_label(out, buffer_text(&reason));
        out->failed = out->failed || reason.failed;
        buffer_free(&reason);
        out->bytes[out->size - 1] = '\n';
    }
    for (size_t i = 0; i < comparison->n_left_out; i++) {
        const struct left_out *left_out = &comparison->left_out[i];
        csv_key(out, left_out->first->key);
        for (int empty = 0; empty < 17; empty++)
            buffer_add_char(out, ',');
        csv_label(out, "not compared");
        struct buffer reason = {0};
        buffer_add_format(&reason, "%zu of the kernel: %s", left_out->n, left_out->reason);
        quote_csv(out, buffer_text(&reason));
        buffer_add_char(out, '\n');
        out->failed = out->failed || reason.failed;
        buffer_free(&reason);
    }
}

/* ---- JSON ---- */

static void json_name(struct buffer *out, const char *name)
{
    if (out->size > 0 && out->bytes[out->size - 1] != '{')
        buffer_add_char(out, ',');
    quote_json(out, name);
    buffer_add_char(out, ':');
}

static void json_text(struct buffer *out, const char *name, const char *text)
{
    json_name(out, name);
    quote_json(out, text);
}

static void json_number(struct buffer *out, const char *name, bool is_there, double value)
{
    json_name(out, name);
    if (is_there && isfinite(value))
        number_add(out, value);
    else
        buffer_add_text(out, "null");
}

static void json_count(struct buffer *out, const char *name, uint64_t count)
{
    json_name(out, name);
    buffer_add_format(out, "%" PRIu64, count);
}

static void json_key(struct buffer *out, const struct record *key)
{
    json_text(out, "kernel", key->kernel);
    json_count(out, "revision", key->revision);
    json_text(out, "test", key->test);
    json_count(out, "threads", key->threads);
    json_number(out, "x", RECORD_HAS(key, x), key->x);
    json_text(out, "x_unit", key->x_unit);
    json_text(out, "params", key->params);
    json_text(out, "metric", key->metric);
}

static void json_cell(const struct comparison *comparison, const struct compared *compared,
                      struct buffer *out)
{
    const struct change *change = &compared->change;
    struct buffer reason = {0};
    buffer_add_char(out, '{');
    json_key(out, compared->cells[SIDE_BASE]->key);
    json_text(out, "unit", compared->cells[change->n[SIDE_BASE] > 0 ? SIDE_BASE : SIDE_NEW]->unit);
    json_text(out, "better", better_text(compared->better));
    for (int s = 0; s < SIDES; s++) {
        json_name(out, side_names[s]);
        buffer_add_char(out, '{');
        json_text(out, "machine",
                  machine_of(comparison, compared->cells[s], (enum side)s)->name);
        json_text(out, "variant", compared->cells[s]->key->variant);
        json_number(out, "median", change->n[s] > 0, change->median[s]);
        json_count(out, "n", change->n[s]);
        json_count(out, "runs", change->n_runs[s]);
        json_count(out, "failed", compared->n_failed[s]);
        buffer_add_char(out, '}');
    }
    json_number(out, "ratio", change->has_ratio, change->ratio);
    json_number(out, "low", change->has_interval, change->low);
    json_number(out, "high", change->has_interval, change->high);
    json_number(out, "p", change->has_p, change->p);
    json_number(out, "p_corrected", change->has_p, change->p_corrected);
    json_number(out, "minimum_effect", true, change->minimum);
    json_name(out, "same_code");
    buffer_add_text(out, change->is_same_code ? "true" : "false");
    json_text(out, "verdict", verdict_text(change->verdict));
    compared_reason_text(compared, &reason);
    json_text(out, "reason", buffer_text(&reason));
    buffer_add_char(out, '}');
    out->failed = out->failed || reason.failed;
    buffer_free(&reason);
}

static void json_means(struct buffer *out, const char *name, const struct compare_means *means)
{
    json_name(out, name);
    buffer_add_char(out, '{');
    json_count(out, "n", means->n);
    json_number(out, "geometric", means->n > 0, means->geometric);
    json_number(out, "low", means->has_interval, means->low);
    json_number(out, "high", means->has_interval, means->high);
    json_number(out, "arithmetic", means->n > 0, means->arithmetic);
    buffer_add_char(out, '}');
}

static void json_add(const struct comparison *comparison, struct buffer *out)
{
    const struct compare_options *options = &comparison->options;
    buffer_add_char(out, '{');
    for (int s = 0; s < SIDES; s++)
        json_text(out, side_names[s], comparison->sides[s].name);
    json_text(out, "compared", comparison->key);
    json_number(out, "alpha", true, options->alpha);
    json_text(out, "correction", correction_text(options->correction));
    json_count(out, "tested", comparison->n_tested);
    json_name(out, "verdicts");
    buffer_add_char(out, '{');
    for (int v = 0; v < VERDICTS; v++)
        json_count(out, verdict_text((enum verdict)v), comparison->n_verdicts[v]);
    buffer_add_char(out, '}');
    json_means(out, "times", &comparison->all);
    if (options->leave_out) {
        json_text(out, "left_out_of_times", options->leave_out);
        json_means(out, "times_without", &comparison->rest);
    }
    json_name(out, "notes");
    buffer_add_char(out, '[');
    for (size_t i = 0; i < comparison->notes.n; i++) {
        buffer_add_text(out, i > 0 ? "," : "");
        quote_json(out, comparison->notes.texts[i]);
    }
    buffer_add_text(out, "]");
    json_name(out, "cells");
    buffer_add_char(out, '[');
    for (size_t i = 0; i < comparison->n; i++) {
        buffer_add_text(out, i > 0 ? ",\n" : "\n");
        json_cell(comparison, &comparison->cells[i], out);
    }
    buffer_add_text(out, "]");
    json_name(out, "not_compared");
    buffer_add_char(out, '[');
    for (size_t i = 0; i < comparison->n_left_out; i++) {
        buffer_add_text(out, i > 0 ? ",\n{" : "\n{");
        json_text(out, "kernel", comparison->left_out[i].kernel);
        json_count(out, "cells", comparison->left_out[i].n);
        json_text(out, "reason", comparison->left_out[i].reason);
        buffer_add_char(out, '}');
    }
    buffer_add_text(out, "]}\n");
}

/* ---- JUnit XML, as CI systems read it: worse is a failure, cannot tell is skipped ---- */

static void xml_attribute(struct buffer *out, const char *name, const char *text)
{
    buffer_add_format(out, " %s=\"", name);
    template_escape(text, out); /* its references are those of XML, too */
    buffer_add_char(out, '"');
}

static void xml_case(const struct compared *compared, struct buffer *out)
{
    const struct record *key = compared->cells[SIDE_BASE]->key;
    const struct change *change = &compared->change;
    struct buffer name = {0}, reason = {0};
    buffer_add_format(&name, "%s %s", key->test, key->metric);
    if (RECORD_HAS(key, x)) {
        buffer_add_char(&name, ' ');
        number_add(&name, key->x);
        buffer_add_format(&name, " %s", key->x_unit);
    }
    buffer_add_format(&name, " threads=%" PRIu64 "%s%s", key->threads, key->params[0] ? " " : "",
                      key->params);
    compared_reason_text(compared, &reason);
    buffer_add_text(out, "    <testcase");
    xml_attribute(out, "classname", key->kernel);
    xml_attribute(out, "name", buffer_text(&name));
    if (change->verdict == VERDICT_WORSE) {
        buffer_clear(&name);
        buffer_add_text(&name, "new / base ");
        number_add(&name, change->ratio);
        buffer_add_text(&name, ", 95 % interval ");
        number_add(&name, change->low);
        buffer_add_text(&name, " to ");
        number_add(&name, change->high);
        buffer_add_format(&name, ", %s is better", better_text(compared->better));
        buffer_add_text(out, "><failure type=\"worse\"");
        xml_attribute(out, "message", buffer_text(&name));
        buffer_add_text(out, "/></testcase>\n");
    } else if (change->verdict == VERDICT_CANNOT_TELL) {
        buffer_add_text(out, "><skipped");
        xml_attribute(out, "message", buffer_text(&reason));
        buffer_add_text(out, "/></testcase>\n");
    } else {
        buffer_add_text(out, "/>\n");
    }
    out->failed = out->failed || name.failed || reason.failed;
    buffer_free(&name);
    buffer_free(&reason);
}

static void xml_add(const struct comparison *comparison, struct buffer *out)
{
    buffer_add_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0, end; i < comparison->n; i = end) {
        const char *kernel = comparison->cells[i].cells[SIDE_BASE]->key->kernel;
        size_t n[VERDICTS] = {0};
        for (end = i; end < comparison->n &&
                      strcmp(comparison->cells[end].cells[SIDE_BASE]->key->kernel, kernel) == 0;
             end++)
            n[comparison->cells[end].change.verdict]++;
        buffer_add_text(out, "  <testsuite");
        xml_attribute(out, "name", kernel);
        buffer_add_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
                          end - i, n[VERDICT_WORSE], n[VERDICT_CANNOT_TELL]);
        for (size_t k = i; k < end; k++)
            xml_case(&comparison->cells[k], out);
        buffer_add_text(out, "  </testsuite>\n");
    }
    buffer_add_text(out, "</testsuites>\n");
}

int compare_export(struct comparison *comparison, enum compare_format format, struct buffer *out,
                   struct err *err)
{
    /* So that the last byte of a row can be put right. */
    if (!buffer_reserve(out, 1))
        return out_of_memory(err);
    if (format == COMPARE_CSV)
        csv_add(comparison, out);
    else if (format == COMPARE_JSON)
        json_add(comparison, out);
    else
        xml_add(comparison, out);
    return out->failed ? out_of_memory(err) : 0;
}
