/* Bodies of triangles, and the matrices that place them: columns first, as OpenGL takes them. */
#ifndef KERNELS_GRAPHICS_MESH_H
#define KERNELS_GRAPHICS_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vertex {
    float position[3], normal[3], texture[2];
};

struct mesh {
    struct vertex *vertices; /* [n_vertices], owned */
    uint16_t *indices;       /* [n_indices], owned: three of each triangle, or two of each line */
    size_t n_vertices, n_indices;
};

/* A point of a surface, and its normal, at 0 <= u, v <= 1. */
typedef void mesh_surface(float u, float v, struct vertex *out);
mesh_surface mesh_egg, mesh_ball, mesh_cone, mesh_ring, mesh_tunnel, mesh_plane;

/* A surface of rings x segments quadrangles, two triangles each; as lines, a grid of
 * (rings + 1) * segments + rings * (segments + 1) of them. False: out of memory, or too large for
 * 16 bits. */
bool mesh_make(struct mesh *mesh, mesh_surface *surface, size_t rings, size_t segments);
bool mesh_make_lines(struct mesh *mesh, mesh_surface *surface, size_t rings, size_t segments);
/* The cube from -1 to 1: 12 triangles. */
bool mesh_make_cube(struct mesh *mesh);
void mesh_free(struct mesh *mesh);

struct matrix {
    float m[16];
};

struct matrix matrix_identity(void);
struct matrix matrix_multiply(const struct matrix *a, const struct matrix *b); /* b first */
struct matrix matrix_move(float x, float y, float z);
struct matrix matrix_scale(float factor);
struct matrix matrix_turn(float angle, float x, float y, float z); /* rad, about a unit vector */
/* angle: rad, from bottom to top; aspect: width / height. */
struct matrix matrix_perspective(float angle, float aspect, float near, float far);

#endif
