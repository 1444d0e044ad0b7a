#include "report/layout/layout.h"

#include <fnmatch.h>
#include <math.h>

#include "schema/params.h"

bool condition_takes(const struct condition *condition, const char *word)
{
    bool is_one = false;
    for (size_t i = 0; i < condition->n_words && !is_one; i++)
        is_one = fnmatch(condition->words[i], word, 0) == 0;
    return is_one == (condition->type == CONDITION_IS);
}

static bool number_holds(const struct condition *condition, bool is_there, double number)
{
    if (!is_there || isnan(condition->number)) {
        bool is_same = !is_there && isnan(condition->number);
        return condition->type == CONDITION_IS ? is_same
                                               : condition->type == CONDITION_IS_NOT && !is_same;
    }
    switch (condition->type) {
    case CONDITION_IS:
        return number == condition->number;
    case CONDITION_IS_NOT:
        return number != condition->number;
    case CONDITION_AT_LEAST:
        return number >= condition->number;
    default:
        return number <= condition->number;
    }
}

bool condition_holds(const struct condition *condition, const struct cell *cell, const char *label)
{
    const struct record *key = cell->key;
    switch (condition->field.type) {
    case FIELD_X:
        return number_holds(condition, RECORD_HAS(key, x), key->x);
    case FIELD_THREADS:
        return number_holds(condition, true, (double)key->threads);
    case FIELD_REVISION:
        return number_holds(condition, true, (double)key->revision);
    case FIELD_KERNEL:
        return condition_takes(condition, key->kernel);
    case FIELD_METRIC:
        return condition_takes(condition, key->metric);
    case FIELD_TEST:
        return condition_takes(condition, key->test);
    case FIELD_MACHINE:
        return condition_takes(condition, label);
    case FIELD_VARIANT:
        return condition_takes(condition, key->variant);
    case FIELD_RUN:
        return condition_takes(condition, cell->run);
    case FIELD_REGION:
        return condition_takes(condition, cell->region ? cell->region : "");
    default:
        break;
    }
    struct buffer value = {0};
    params_get(key->params, condition->field.key, &value);
    bool holds = !value.failed && condition_takes(condition, buffer_text(&value));
    buffer_free(&value);
    return holds;
}
