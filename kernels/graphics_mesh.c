#include "kernels/graphics_mesh.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const float PI = 3.14159265f;

/* ---- surfaces */

static void texture_at(struct vertex *out, float u, float v)
{
    out->texture[0] = v;
    out->texture[1] = u;
}

/* A profile, its radius and height at u, turned about the axis y; du: their derivatives. */
static void turn_profile(float radius, float height, float d_radius, float d_height, float v,
                         struct vertex *out)
{
    float angle = 2 * PI * v, length = sqrtf(d_radius * d_radius + d_height * d_height);
    length = length > 0 ? length : 1;
    out->position[0] = radius * cosf(angle);
    out->position[1] = height;
    out->position[2] = -radius * sinf(angle);
    out->normal[0] = -d_height / length * cosf(angle);
    out->normal[1] = d_radius / length;
    out->normal[2] = d_height / length * sinf(angle);
}

/* From the pointed top down: the radius of a ball, narrowed towards the top. */
void mesh_egg(float u, float v, struct vertex *out)
{
    float s = sinf(PI * u), c = cosf(PI * u), width = 0.72f - 0.18f * c;
    turn_profile(s * width, c, c * width + 0.18f * s * s, -s, v, out);
    texture_at(out, u, v);
}

void mesh_ball(float u, float v, struct vertex *out)
{
    float s = sinf(PI * u), c = cosf(PI * u);
    turn_profile(s, c, c, -s, v, out);
    texture_at(out, u, v);
}

/* Its side in the first two thirds, then the base. */
void mesh_cone(float u, float v, struct vertex *out)
{
    float w = 3 * u;
    if (w <= 2)
        turn_profile(w / 2, 1 - w, 0.5f, -1, v, out);
    else
        turn_profile(3 - w, -1, -1, 0, v, out);
    texture_at(out, u, v);
}

void mesh_ring(float u, float v, struct vertex *out)
{
    float angle = 2 * PI * u, s = sinf(angle), c = cosf(angle);
    turn_profile(0.7f + 0.3f * c, -0.3f * s, -s, -c, v, out);
    texture_at(out, 2 * u, 4 * v);
}

/* Seen from inside, from z = 0 to z = -1. */
void mesh_tunnel(float u, float v, struct vertex *out)
{
    float angle = 2 * PI * v;
    const struct vertex point = {.position = {cosf(angle), sinf(angle), -u},
                                 .normal = {-cosf(angle), -sinf(angle), 0},
                                 .texture = {8 * v, 24 * u}};
    *out = point;
}

/* From -1 to 1, y upwards. */
void mesh_plane(float u, float v, struct vertex *out)
{
    const struct vertex point = {.position = {2 * v - 1, 0, 2 * u - 1},
                                 .normal = {0, 1, 0},
                                 .texture = {v, u}};
    *out = point;
}

/* ---- meshes */

static bool mesh_room(struct mesh *mesh, size_t n_vertices, size_t n_indices)
{
    *mesh = (struct mesh){.n_vertices = n_vertices, .n_indices = n_indices};
    if (n_vertices > UINT16_MAX)
        return false;
    mesh->vertices = calloc(n_vertices, sizeof *mesh->vertices);
    mesh->indices = calloc(n_indices, sizeof *mesh->indices);
    if (mesh->vertices && mesh->indices)
        return true;
    mesh_free(mesh);
    return false;
}

static void points_make(struct mesh *mesh, mesh_surface *surface, size_t rings, size_t segments)
{
    struct vertex *vertex = mesh->vertices;
    for (size_t i = 0; i <= rings; i++)
        for (size_t k = 0; k <= segments; k++)
            surface((float)i / (float)rings, (float)k / (float)segments, vertex++);
}

bool mesh_make(struct mesh *mesh, mesh_surface *surface, size_t rings, size_t segments)
{
    if (rings > 255 || segments > 254 ||
        !mesh_room(mesh, (rings + 1) * (segments + 1), rings * segments * 6))
        return false;
    points_make(mesh, surface, rings, segments);
    uint16_t *index = mesh->indices;
    for (size_t i = 0; i < rings; i++) {
        for (size_t k = 0; k < segments; k++) {
            size_t here = i * (segments + 1) + k, below = here + segments + 1;
            const size_t corners[] = {here, below, here + 1, here + 1, below, below + 1};
            for (size_t c = 0; c < 6; c++)
                *index++ = (uint16_t)corners[c];
        }
    }
    return true;
}

bool mesh_make_lines(struct mesh *mesh, mesh_surface *surface, size_t rings, size_t segments)
{
    if (rings > 255 || segments > 254 ||
        !mesh_room(mesh, (rings + 1) * (segments + 1),
                   ((rings + 1) * segments + rings * (segments + 1)) * 2))
        return false;
    points_make(mesh, surface, rings, segments);
    uint16_t *index = mesh->indices;
    for (size_t i = 0; i <= rings; i++) {
        for (size_t k = 0; k <= segments; k++) {
            size_t here = i * (segments + 1) + k;
            if (k < segments) {
                *index++ = (uint16_t)here;
                *index++ = (uint16_t)(here + 1);
            }
            if (i < rings) {
                *index++ = (uint16_t)here;
                *index++ = (uint16_t)(here + segments + 1);
            }
        }
    }
    return true;
}

bool mesh_make_cube(struct mesh *mesh)
{
    static const int signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const unsigned char corners[6] = {0, 1, 2, 0, 2, 3};
    if (!mesh_room(mesh, 24, 36))
        return false;
    for (size_t face = 0; face < 6; face++) {
        size_t axis = face / 2;
        int side = face % 2 == 0 ? 1 : -1;
        for (size_t i = 0; i < 4; i++) {
            struct vertex *vertex = &mesh->vertices[face * 4 + i];
            vertex->position[axis] = vertex->normal[axis] = (float)side;
            vertex->position[(axis + 1) % 3] = (float)(signs[i][0] * side);
            vertex->position[(axis + 2) % 3] = (float)signs[i][1];
            vertex->texture[0] = (float)(signs[i][0] + 1) / 2;
            vertex->texture[1] = (float)(signs[i][1] + 1) / 2;
        }
        for (size_t i = 0; i < 6; i++)
            mesh->indices[face * 6 + i] = (uint16_t)(face * 4 + corners[i]);
    }
    return true;
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    mesh->vertices = NULL;
    mesh->indices = NULL;
}

/* ---- matrices */

struct matrix matrix_identity(void)
{
    return matrix_scale(1);
}

struct matrix matrix_multiply(const struct matrix *a, const struct matrix *b)
{
    struct matrix out;
    for (size_t column = 0; column < 4; column++) {
        for (size_t row = 0; row < 4; row++) {
            float sum = 0;
            for (size_t k = 0; k < 4; k++)
                sum += a->m[k * 4 + row] * b->m[column * 4 + k];
            out.m[column * 4 + row] = sum;
        }
    }
    return out;
}

struct matrix matrix_move(float x, float y, float z)
{
    return (struct matrix){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1}};
}

struct matrix matrix_scale(float factor)
{
    return (struct matrix){{factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, 1}};
}

/* Rodrigues' formula. */
struct matrix matrix_turn(float angle, float x, float y, float z)
{
    float s = sinf(angle), c = cosf(angle), d = 1 - c;
    return (struct matrix){{x * x * d + c, y * x * d + z * s, z * x * d - y * s, 0,
                            x * y * d - z * s, y * y * d + c, z * y * d + x * s, 0,
                            x * z * d + y * s, y * z * d - x * s, z * z * d + c, 0, 0, 0, 0, 1}};
}

/* As gluPerspective of the OpenGL Utility Library has it (OpenGL 2.1 reference pages). */
struct matrix matrix_perspective(float angle, float aspect, float near, float far)
{
    float f = 1 / tanf(angle / 2), depth = near - far;
    return (struct matrix){{f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / depth, -1, 0, 0,
                            2 * far * near / depth, 0}};
}
