/* A Fourier transform of one type: included once for each, with REAL the type and NAME(x) a name of
 * its own. */

struct NAME(complex) {
    REAL re, im;
};

/* The memory of a job: arrays of n, one after the other. */
struct NAME(arrays) {
    struct NAME(complex) *source, *result;
    struct NAME(complex) *twiddles; /* exp(-pi i k / h) at [h + k], k < h; h = 1, 2, 4 ... n / 2 */
    uint32_t *reversed;             /* i with its bits in reverse order */
};

static struct NAME(arrays) NAME(arrays_of)(void *memory, size_t n)
{
    struct NAME(arrays) a = {.source = memory};
    a.result = a.source + n;
    a.twiddles = a.result + n;
    a.reversed = (uint32_t *)(void *)(a.twiddles + n);
    return a;
}

/* X[k] = 1/n sum x[i] exp(-2 pi i k i / n): puts the source into reversed order, divided by n, then
 * log2 n stages of butterflies (Cooley and Tukey, Math. Comp. 19 (1965) 297). */
static __attribute__((noinline)) void NAME(transform)(const struct NAME(arrays) *a, size_t n)
{
    const struct NAME(complex) *source = a->source;
    struct NAME(complex) *result = a->result;
    const REAL scale = (REAL)1 / (REAL)n;
    for (size_t i = 0; i < n; i++) {
        result[i].re = source[a->reversed[i]].re * scale;
        result[i].im = source[a->reversed[i]].im * scale;
    }
    for (size_t half = 1; half < n; half *= 2) {
        const struct NAME(complex) *twiddles = a->twiddles + half;
        for (size_t base = 0; base < n; base += 2 * half) {
            struct NAME(complex) *low = result + base, *high = low + half;
            for (size_t k = 0; k < half; k++) {
                const REAL re = high[k].re * twiddles[k].re - high[k].im * twiddles[k].im;
                const REAL im = high[k].re * twiddles[k].im + high[k].im * twiddles[k].re;
                high[k].re = low[k].re - re;
                high[k].im = low[k].im - im;
                low[k].re += re;
                low[k].im += im;
            }
        }
    }
}

/* A tone: one turn in 16 points. */
static void NAME(tone)(struct NAME(complex) *source, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        source[i].re = (REAL)cos(turn * (double)(i % TONE) / TONE);
        source[i].im = (REAL)sin(turn * (double)(i % TONE) / TONE);
    }
}

static void NAME(tables)(const struct NAME(arrays) *a, size_t n)
{
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t k = 0; k < half; k++) {
            double angle = -turn * (double)k / (double)(2 * half);
            a->twiddles[half + k].re = (REAL)cos(angle);
            a->twiddles[half + k].im = (REAL)sin(angle);
        }
    }
    a->reversed[0] = 0;
    for (size_t i = 1; i < n; i++)
        a->reversed[i] = (uint32_t)(a->reversed[i / 2] / 2 + (i % 2) * (n / 2));
}

/* The greatest amplitude outside the tone's bin, n / 16, or the tone's distance from 1. */
static double NAME(tone_error)(const struct NAME(complex) *result, size_t n)
{
    double max = 0;
    for (size_t k = 0; k < n; k++) {
        double re = (double)result[k].re - (k == n / TONE), im = (double)result[k].im;
        max = greater(max, hypot(re, im));
    }
    return max;
}

/* n X[bin] by the definition. Summed in parts: a sum of a million terms would be less exact than
 * what it is to check. */
static void NAME(bin_of)(const struct NAME(complex) *source, size_t n, size_t bin, double *re,
                         double *im)
{
    *re = *im = 0;
    for (size_t first = 0; first < n; first += PART) {
        double part_re = 0, part_im = 0;
        for (size_t i = first; i < n && i < first + PART; i++) {
            const double angle = -turn * (double)((uint64_t)i * bin & (n - 1)) / (double)n;
            const double c = cos(angle), s = sin(angle);
            part_re += (double)source[i].re * c - (double)source[i].im * s;
            part_im += (double)source[i].re * s + (double)source[i].im * c;
        }
        *re += part_re;
        *im += part_im;
    }
}

/* Transforms random values and computes some bins directly; then transforms the result, which must
 * give the values again, in reverse and divided by n. The error is relative to the root mean square
 * of what is right. */
static double NAME(random_error)(const struct NAME(arrays) *a, size_t n, uint64_t seed)
{
    uint64_t random = seed;
    double power = 0, max = 0;
    for (size_t i = 0; i < n; i++) {
        a->source[i].re = (REAL)random_at(seed, 2 * i);
        a->source[i].im = (REAL)random_at(seed, 2 * i + 1);
        power += (double)(a->source[i].re * a->source[i].re + a->source[i].im * a->source[i].im);
    }
    const double mean = sqrt(power / (double)n);
    NAME(transform)(a, n);
    for (size_t probe = 0; probe < PROBES; probe++) {
        const size_t bin = (size_t)kernel_random(&random) & (n - 1);
        double re, im;
        NAME(bin_of)(a->source, n, bin, &re, &im);
        re = (double)a->result[bin].re - re / (double)n;
        im = (double)a->result[bin].im - im / (double)n;
        max = greater(max, hypot(re, im) * sqrt((double)n) / mean);
    }
    struct NAME(arrays) again = *a;
    again.source = a->result;
    again.result = a->source;
    NAME(transform)(&again, n);
    for (size_t i = 0; i < n; i++) {
        const size_t from = (n - i) & (n - 1);
        double re = (double)again.result[i].re - random_at(seed, 2 * from) / (double)n;
        double im = (double)again.result[i].im - random_at(seed, 2 * from + 1) / (double)n;
        max = greater(max, hypot(re, im) * (double)n / mean);
    }
    return max;
}
