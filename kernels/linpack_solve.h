/* Gaussian elimination with partial pivoting as in LINPACK, for one type: included once for each,
 * with REAL the type, FABS its fabs and NAME(x) a name of its own.
 *
 * Matrices are stored by columns, lda elements from one column to the next. */

/* y += t * x. Unrolled by four, the published unrolled form. */
static __attribute__((noinline)) void NAME(axpy)(int n, REAL t, const REAL *x, REAL *y)
{
    if (n <= 0 || t == 0)
        return;
    int i = 0;
    for (; i < n % 4; i++)
        y[i] = y[i] + t * x[i];
    for (; i < n; i += 4) {
        y[i] = y[i] + t * x[i];
        y[i + 1] = y[i + 1] + t * x[i + 1];
        y[i + 2] = y[i + 2] + t * x[i + 2];
        y[i + 3] = y[i + 3] + t * x[i + 3];
    }
}

static void NAME(scale)(int n, REAL t, REAL *x)
{
    for (int i = 0; i < n; i++)
        x[i] = t * x[i];
}

/* The first element of the greatest magnitude. */
static int NAME(index_of_max)(int n, const REAL *x)
{
    int at = 0;
    REAL max = FABS(x[0]);
    for (int i = 1; i < n; i++) {
        if (FABS(x[i]) > max) {
            at = i;
            max = FABS(x[i]);
        }
    }
    return at;
}

/* dgefa: a becomes L and U, pivot[k] the row that was exchanged with row k. */
static __attribute__((noinline)) void NAME(factor)(REAL *a, int lda, int n, int *pivot)
{
    for (int k = 0; k < n - 1; k++) {
        REAL *column = a + (ptrdiff_t)lda * k;
        int l = k + NAME(index_of_max)(n - k, column + k);
        pivot[k] = l;
        if (column[l] == 0)
            continue; /* the column is eliminated already */
        REAL t = column[l];
        column[l] = column[k];
        column[k] = t;
        NAME(scale)(n - k - 1, -1 / t, column + k + 1);
        for (int j = k + 1; j < n; j++) {
            REAL *other = a + (ptrdiff_t)lda * j;
            t = other[l];
            other[l] = other[k];
            other[k] = t;
            NAME(axpy)(n - k - 1, t, column + k + 1, other + k + 1);
        }
    }
    pivot[n - 1] = n - 1;
}

/* dgesl: b becomes the solution. */
static __attribute__((noinline)) void NAME(solve)(const REAL *a, int lda, int n, const int *pivot,
                                                  REAL *b)
{
    for (int k = 0; k < n - 1; k++) {
        int l = pivot[k];
        REAL t = b[l];
        b[l] = b[k];
        b[k] = t;
        NAME(axpy)(n - k - 1, t, a + (ptrdiff_t)lda * k + k + 1, b + k + 1);
    }
    for (int k = n - 1; k >= 0; k--) {
        const REAL *column = a + (ptrdiff_t)lda * k;
        b[k] = b[k] / column[k];
        NAME(axpy)(k, -b[k], column, b);
    }
}

/* matgen: the coefficients, exact in both types, and their row sums as right-hand side. Between the
 * columns of n there are ones. */
static void NAME(generate)(REAL *a, int lda, int n, REAL *b)
{
    int value = 1325;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            value = 3125 * value % 65536;
            a[(ptrdiff_t)lda * j + i] = (REAL)(value - 32768) / 16384;
        }
        for (int i = n; i < lda; i++)
            a[(ptrdiff_t)lda * j + i] = 1;
    }
    for (int i = 0; i < n; i++)
        b[i] = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            b[i] = b[i] + a[(ptrdiff_t)lda * j + i];
}

/* The memory of a job: the system to be solved, then its working copy. */
struct NAME(system) {
    REAL a[LDA_MAX * N], b[N];
    REAL a_copy[LDA_MAX * N], x[N];
};

static void NAME(pass)(struct NAME(system) *s, int lda, int *pivot)
{
    memcpy(s->a_copy, s->a, (size_t)lda * N * sizeof *s->a);
    memcpy(s->x, s->b, sizeof s->x);
    NAME(factor)(s->a_copy, lda, N, pivot);
    NAME(solve)(s->a_copy, lda, N, pivot, s->x);
}

/* After a pass: no multiplier is greater than 1, which is what the exchange of rows is for, but for the
 * rounding of its reciprocal; and what stands between the columns is as it was. */
static bool NAME(is_factored)(const struct NAME(system) *s, int lda, REAL epsilon)
{
    for (int k = 0; k < N; k++) {
        const REAL *column = s->a_copy + (ptrdiff_t)lda * k;
        for (int i = k + 1; i < N; i++)
            if (!(FABS(column[i]) <= 1 + 4 * epsilon))
                return false;
        for (int i = N; i < lda; i++)
            if (column[i] != 1)
                return false;
    }
    return true;
}
