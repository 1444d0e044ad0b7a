/* The data and the 24 loops of the Livermore Fortran Kernels, shared by the files livermore*.c. */
#ifndef KERNELS_LIVERMORE_H
#define KERNELS_LIVERMORE_H

#include <stddef.h>

enum { LIVERMORE_LOOPS = 24 };

/* The arrays of McMahon's common blocks, first index last. Loops 1, 4 and 14 run over the ends of
 * z, x and rh into what lies behind: these arrays are longer here, and what lies behind is repeated
 * in them. Integers are int (of 64 bits in Longbottom's program where long is). */
struct livermore {
    double u[1001], v[1001], w[1001], x[1001 + 193], y[1001], z[1001 + 11], g[1001];
    double du1[101], du2[101], du3[101];
    double grd[1001], dex[1001], xi[1001], ex[1001], ex1[1001], dex1[1001], vx[1001], xx[1001],
        rx[1001];
    double rh[2048 + 1];
    double vsp[101], vstp[101], vxne[101], vxnd[101], ve3[101], vlr[101], vlin[101], b5[101];
    double plan[300], d[300];
    double sa[101], sb[101];

    double p[512][4];
    double px[101][25], cx[101][25];
    double vy[25][101];
    double vh[7][101], vf[7][101], vg[7][101], vs[7][101];
    double za[7][101], zp[7][101], zq[7][101], zr[7][101], zm[7][101], zb[7][101], zu[7][101],
        zv[7][101], zz[7][101];
    double b[64][64], c[64][64], h[64][64];
    double u1[2][101][5], u2[2][101][5], u3[2][101][5];

    double a11, a12, a13, a21, a22, a23, a31, a32, a33, ar, br, c0, cr, di, dk, dm22, dm23, dm24,
        dm25, dm26, dm27, dm28, dn, e3, e6, expmax, flx, q, qa, r, ri, s, scale, sig, stb5, t, xnc,
        xnei, xnm;

    int e[96], f[96];
    int ix[1001], ir[1001];
    int zone[301];
    int j5, m, n_tests, n_distances; /* of loop 16: its last zone, its group, and counts */
    int at;                          /* of loop 24 */
};

/* One pass of loop 1 to 24, in [0] to [23], over a span of n. */
typedef void livermore_pass_fn(struct livermore *data, int n);
extern livermore_pass_fn *const livermore_passes[LIVERMORE_LOOPS];

/* What the loops of a part of the program, 0 to 2, start from; n16 is its span of loop 16, n that
 * of `loop`, 1 to 24. */
void livermore_fill(struct livermore *data, int part, int loop, int n, int n16);

/* Restores what a pass of the loop changes and a later pass reads. */
void livermore_restore(struct livermore *data, const struct livermore *start, int loop);

/* The program's sum of the loop's results, weighted with their index; for loop 4 see there. */
double livermore_checksum(const struct livermore *data, int loop, int n);

/* One pass over random numbers, with two data for it to overwrite: the sum of all changes, each weighted
 * with another number; of loop 16, a hash of many searches. */
double livermore_random_result(struct livermore data[2], int loop, int n);
/* What it must be, for the n of the short span; computed apart, from McMahon's Fortran. */
extern const double livermore_random_results[LIVERMORE_LOOPS];

#endif
