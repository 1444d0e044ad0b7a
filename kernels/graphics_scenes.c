#include "kernels/graphics_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/graphics_mesh.h"
#include "kernels/graphics_shaders.h"
#include "kernels/graphics_texture.h"
#include "kernels/kernel.h"

enum {
    N_CUBES = 500,
    N_OBJECTS = 60,
    BODIES_MAX = 5,
    EGG_RINGS = 64,
    EGG_SEGMENTS = 96,
    WIRE_RINGS = 32,
    WIRE_SEGMENTS = 48,
    TUNNEL_RINGS = 48,
    TUNNEL_SEGMENTS = 32,
    TUNNEL_REPEATS = 24, /* of the texture, in all its length */
    RING_RINGS = 48,
    RING_SEGMENTS = 96,
    BALL_RINGS = 32,
    BALL_SEGMENTS = 48,
    WATER = 200 /* quadrangles in a row, and rows */
};
static const float PI = 3.14159265f;

/* The bodies that the objects are, in turn: ball, cone, ring, cube, egg. */
enum { OBJECT_TRIANGLES = 2 * (16 * 24 + 12 * 24 + 16 * 32 + 16 * 24) + 12 };

const struct scene_facts scene_facts[SCENE_COUNT] = {
    [SCENE_SHADED_EGG] = {2 * EGG_RINGS * EGG_SEGMENTS, 0, 0.15, 0.5, 60},
    [SCENE_WIRE_EGG] = {0, (WIRE_RINGS + 1) * WIRE_SEGMENTS + WIRE_RINGS * (WIRE_SEGMENTS + 1), 0.01,
                        0.4, 2},
    [SCENE_CUBES_500] = {N_CUBES * 12, 0, 0.25, 0.95, 500},
    [SCENE_TEXTURE_TUNNEL] = {2 * TUNNEL_RINGS * TUNNEL_SEGMENTS, 0, 0.9, 1, 500},
    [SCENE_COLOUR_OBJECTS] = {N_OBJECTS / BODIES_MAX * OBJECT_TRIANGLES, 0, 0.15, 0.9, 500},
    [SCENE_TEXTURE_OBJECTS] = {N_OBJECTS / BODIES_MAX * OBJECT_TRIANGLES, 0, 0.15, 0.9, 500},
    [SCENE_PIXEL_SHADER] = {2 * (RING_RINGS * RING_SEGMENTS + BALL_RINGS * BALL_SEGMENTS), 0, 0.15, 0.9,
                            500},
    [SCENE_VERTEX_SHADER] = {2 * WATER * WATER, 0, 0.3, 1, 200}};

enum { NIGHT = 0x0c1430, BLACK = 0x000000, SKY = 0x9cb8d8 };
const uint32_t scene_background[SCENE_COUNT] = {
    0xff000000u | NIGHT, 0xff000000u | BLACK, 0xff000000u | NIGHT, 0xff000000u | BLACK,
    0xff000000u | NIGHT, 0xff000000u | NIGHT, 0xff000000u | NIGHT, 0xff000000u | SKY};

/* A mesh in the memory of the renderer. */
struct body {
    unsigned vertices, indices;
    int n_indices;
    unsigned mode; /* GL_TRIANGLES or GL_LINES */
};

/* A thing that has a place and turns on its own. */
struct object {
    float place[3], axis[3], colour[3];
    float size, start; /* rad */
    int turns;         /* in a round; negative: the other way */
};

struct scene {
    struct gl *gl;
    enum scene_kind kind;
    unsigned program;
    int u_transform, u_model, u_colour, u_fog, u_phase;
    struct body bodies[BODIES_MAX];
    unsigned textures[TEXTURE_COUNT];
    struct object *objects; /* [n_objects], owned */
    size_t n_objects;
    struct matrix projection;
    unsigned n_triangles, n_lines;
};

/* ---- making */

static bool body_make(struct scene *scene, struct body *body, struct mesh *mesh, bool is_made,
                      unsigned mode)
{
    struct gl *gl = scene->gl;
    if (!is_made)
        return false;
    *body = (struct body){.n_indices = (int)mesh->n_indices, .mode = mode};
    gl->GenBuffers(1, &body->vertices);
    gl->BindBuffer(GL_ARRAY_BUFFER, body->vertices);
    gl->BufferData(GL_ARRAY_BUFFER, (ptrdiff_t)(mesh->n_vertices * sizeof *mesh->vertices),
                   mesh->vertices, GL_STATIC_DRAW);
    gl->GenBuffers(1, &body->indices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, body->indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (ptrdiff_t)(mesh->n_indices * sizeof *mesh->indices),
                   mesh->indices, GL_STATIC_DRAW);
    mesh_free(mesh);
    return true;
}

static bool surface_make(struct scene *scene, struct body *body, mesh_surface *surface, size_t rings,
                         size_t segments)
{
    struct mesh mesh;
    return body_make(scene, body, &mesh, mesh_make(&mesh, surface, rings, segments), GL_TRIANGLES);
}

static bool cube_make(struct scene *scene, struct body *body)
{
    struct mesh mesh;
    return body_make(scene, body, &mesh, mesh_make_cube(&mesh), GL_TRIANGLES);
}

static bool textures_make(struct scene *scene, uint64_t seed)
{
    struct gl *gl = scene->gl;
    const size_t n = TEXTURE_SIZE * TEXTURE_SIZE;
    uint32_t *texels = malloc(n * sizeof *texels);
    if (!texels)
        return false;
    gl->GenTextures(TEXTURE_COUNT, scene->textures);
    for (int t = 0; t < TEXTURE_COUNT; t++) {
        texture_make((enum texture)t, seed, texels);
        for (size_t i = 0; i < n; i++) {
            const unsigned char bytes[4] = {(unsigned char)(texels[i] >> 16),
                                            (unsigned char)(texels[i] >> 8),
                                            (unsigned char)texels[i], 255};
            memcpy(texels + i, bytes, sizeof bytes);
        }
        gl->BindTexture(GL_TEXTURE_2D, scene->textures[t]);
        gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_SIZE, TEXTURE_SIZE, 0, GL_RGBA,
                       GL_UNSIGNED_BYTE, texels);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        gl->GenerateMipmap(GL_TEXTURE_2D);
    }
    free(texels);
    return true;
}

static float chance(uint64_t *random, float least, float most)
{
    return least + (most - least) * (float)(kernel_random(random) >> 40) / 16777216.0f;
}

/* Spread evenly over a part of space that the view shows, one in each cell of a grid. */
static bool objects_make(struct scene *scene, size_t n, float size, float near, float far,
                         uint64_t seed)
{
    const size_t columns = 10, rows = 6;
    scene->objects = calloc(n, sizeof *scene->objects);
    scene->n_objects = scene->objects ? n : 0;
    for (size_t i = 0; i < scene->n_objects; i++) {
        struct object *object = &scene->objects[i];
        float depth = chance(&seed, near, far), length = 0;
        float x = ((float)(i % columns) + chance(&seed, 0.1f, 0.9f)) / (float)columns - 0.5f;
        float y = ((float)(i / columns % rows) + chance(&seed, 0.1f, 0.9f)) / (float)rows - 0.5f;
        object->place[0] = x * depth * 1.05f; /* the view is 0.83 as high as it is deep */
        object->place[1] = y * depth * 0.8f;
        object->place[2] = -depth;
        for (size_t k = 0; k < 3; k++) {
            object->axis[k] = chance(&seed, -1, 1);
            object->colour[k] = chance(&seed, 0.2f, 1);
            length += object->axis[k] * object->axis[k];
        }
        length = sqrtf(length);
        for (size_t k = 0; k < 3; k++)
            object->axis[k] = length > 0 ? object->axis[k] / length : k == 0;
        object->colour[i % 3] = 1;
        object->size = size * chance(&seed, 0.7f, 1.3f);
        object->start = chance(&seed, 0, 2 * PI);
        object->turns = kernel_random(&seed) >> 63 ? 1 : -1;
    }
    return scene->n_objects == n;
}

static bool bodies_make(struct scene *scene, uint64_t seed)
{
    struct body *bodies = scene->bodies;
    struct mesh lines;
    switch (scene->kind) {
    case SCENE_SHADED_EGG:
        return surface_make(scene, bodies, mesh_egg, EGG_RINGS, EGG_SEGMENTS);
    case SCENE_WIRE_EGG:
        return body_make(scene, bodies, &lines,
                         mesh_make_lines(&lines, mesh_egg, WIRE_RINGS, WIRE_SEGMENTS), GL_LINES);
    case SCENE_CUBES_500:
        return cube_make(scene, bodies) && objects_make(scene, N_CUBES, 0.28f, 7, 16, seed);
    case SCENE_TEXTURE_TUNNEL:
        return surface_make(scene, bodies, mesh_tunnel, TUNNEL_RINGS, TUNNEL_SEGMENTS) &&
               textures_make(scene, seed);
    case SCENE_COLOUR_OBJECTS:
    case SCENE_TEXTURE_OBJECTS:
        return surface_make(scene, bodies, mesh_ball, 16, 24) &&
               surface_make(scene, bodies + 1, mesh_cone, 12, 24) &&
               surface_make(scene, bodies + 2, mesh_ring, 16, 32) && cube_make(scene, bodies + 3) &&
               surface_make(scene, bodies + 4, mesh_egg, 16, 24) &&
               (scene->kind == SCENE_COLOUR_OBJECTS || textures_make(scene, seed)) &&
               objects_make(scene, N_OBJECTS, 0.5f, 6, 10, seed);
    case SCENE_PIXEL_SHADER:
        return surface_make(scene, bodies, mesh_ring, RING_RINGS, RING_SEGMENTS) &&
               surface_make(scene, bodies + 1, mesh_ball, BALL_RINGS, BALL_SEGMENTS);
    default:
        return surface_make(scene, bodies, mesh_plane, WATER, WATER);
    }
}

static bool program_make(struct scene *scene, char reason[static GL_REASON_SIZE])
{
    static const char *const attributes[] = {"a_position", "a_normal", "a_texture", NULL};
    static const struct {
        const char *vertex, *fragment;
    } shaders[SCENE_COUNT] = {[SCENE_SHADED_EGG] = {shader_lit_vertex, shader_colour_fragment},
                              [SCENE_WIRE_EGG] = {shader_lit_vertex, shader_plain_fragment},
                              [SCENE_CUBES_500] = {shader_lit_vertex, shader_colour_fragment},
                              [SCENE_TEXTURE_TUNNEL] = {shader_lit_vertex, shader_texture_fragment},
                              [SCENE_COLOUR_OBJECTS] = {shader_lit_vertex, shader_colour_fragment},
                              [SCENE_TEXTURE_OBJECTS] = {shader_lit_vertex, shader_texture_fragment},
                              [SCENE_PIXEL_SHADER] = {shader_pixel_vertex, shader_pixel_fragment},
                              [SCENE_VERTEX_SHADER] = {shader_wave_vertex, shader_wave_fragment}};
    struct gl *gl = scene->gl;
    scene->program = gl_program(gl, shaders[scene->kind].vertex, shaders[scene->kind].fragment,
                                attributes, reason);
    if (!scene->program)
        return false;
    gl->UseProgram(scene->program);
    scene->u_transform = gl->GetUniformLocation(scene->program, "u_transform");
    scene->u_model = gl->GetUniformLocation(scene->program, "u_model");
    scene->u_colour = gl->GetUniformLocation(scene->program, "u_colour");
    scene->u_fog = gl->GetUniformLocation(scene->program, "u_fog");
    scene->u_phase = gl->GetUniformLocation(scene->program, "u_phase");
    return true;
}

struct scene *scene_new(struct gl *gl, enum scene_kind kind, uint64_t seed,
                        char reason[static GL_REASON_SIZE])
{
    struct scene *scene = calloc(1, sizeof *scene);
    snprintf(reason, GL_REASON_SIZE, "out of memory");
    if (!scene)
        return NULL;
    scene->gl = gl;
    scene->kind = kind;
    scene->projection =
        matrix_perspective(PI / 4, (float)gl->width / (float)gl->height, 0.2f, 60);
    if (!program_make(scene, reason) || !bodies_make(scene, seed)) {
        scene_free(scene);
        return NULL;
    }
    gl->Enable(GL_DEPTH_TEST);
    for (unsigned i = 0; i < 3; i++)
        gl->EnableVertexAttribArray(i);
    reason[0] = '\0';
    return scene;
}

/* What is in the renderer's memory goes with the context. */
void scene_free(struct scene *scene)
{
    if (!scene)
        return;
    free(scene->objects);
    free(scene);
}

/* ---- drawing */

static void body_bind(const struct scene *scene, const struct body *body)
{
    struct gl *gl = scene->gl;
    const int stride = sizeof(struct vertex);
    gl->BindBuffer(GL_ARRAY_BUFFER, body->vertices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, body->indices);
    /* What is typed as pointers are offsets into the buffer. */
    gl->VertexAttribPointer(0, 3, GL_FLOAT, 0, stride, NULL);
    gl->VertexAttribPointer(1, 3, GL_FLOAT, 0, stride,
                            (const void *)(uintptr_t)offsetof(struct vertex, normal));
    gl->VertexAttribPointer(2, 2, GL_FLOAT, 0, stride,
                            (const void *)(uintptr_t)offsetof(struct vertex, texture));
}

static void body_draw(struct scene *scene, const struct body *body, const struct matrix *model)
{
    struct gl *gl = scene->gl;
    struct matrix transform = matrix_multiply(&scene->projection, model);
    gl->UniformMatrix4fv(scene->u_transform, 1, 0, transform.m);
    gl->UniformMatrix4fv(scene->u_model, 1, 0, model->m);
    gl->DrawElements(body->mode, body->n_indices, GL_UNSIGNED_SHORT, NULL);
    if (body->mode == GL_TRIANGLES)
        scene->n_triangles += (unsigned)body->n_indices / 3;
    else
        scene->n_lines += (unsigned)body->n_indices / 2;
}

static void colour_set(struct scene *scene, float red, float green, float blue)
{
    const float colour[3] = {red, green, blue};
    scene->gl->Uniform3fv(scene->u_colour, 1, colour);
}

static struct matrix placed(float x, float y, float z, const struct matrix *turned)
{
    struct matrix move = matrix_move(x, y, z);
    return matrix_multiply(&move, turned);
}

/* End over end, and a little towards the viewer. */
static void egg_draw(struct scene *scene, float phase)
{
    struct matrix tilt = matrix_turn(0.5f, 1, 0, 0), tumble = matrix_turn(2 * PI * phase, 0, 0, 1);
    struct matrix turned = matrix_multiply(&tumble, &tilt);
    struct matrix model = placed(0, 0, -3.1f, &turned);
    body_bind(scene, scene->bodies);
    if (scene->kind == SCENE_WIRE_EGG)
        colour_set(scene, 0.3f, 1, 0.4f);
    else
        colour_set(scene, 1, 0.85f, 0.6f);
    body_draw(scene, scene->bodies, &model);
}

static struct matrix object_place(const struct object *object, float phase, float sway)
{
    struct matrix size = matrix_scale(object->size);
    struct matrix turn = matrix_turn(object->start + 2 * PI * phase * (float)object->turns,
                                     object->axis[0], object->axis[1], object->axis[2]);
    struct matrix turned = matrix_multiply(&turn, &size);
    float angle = object->start + 2 * PI * phase;
    return placed(object->place[0] + sway * cosf(angle), object->place[1] + sway * sinf(angle),
                  object->place[2], &turned);
}

static void cubes_draw(struct scene *scene, float phase)
{
    body_bind(scene, scene->bodies);
    for (size_t i = 0; i < scene->n_objects; i++) {
        const struct object *object = &scene->objects[i];
        struct matrix model = object_place(object, phase, 0);
        scene->gl->Uniform3fv(scene->u_colour, 1, object->colour);
        body_draw(scene, scene->bodies, &model);
    }
}

/* Objects of the same body one after the other; each goes round its place. */
static void objects_draw(struct scene *scene, float phase)
{
    struct gl *gl = scene->gl;
    for (size_t b = 0; b < BODIES_MAX; b++) {
        body_bind(scene, &scene->bodies[b]);
        for (size_t i = b; i < scene->n_objects; i += BODIES_MAX) {
            const struct object *object = &scene->objects[i];
            struct matrix model = object_place(object, phase, 0.3f);
            if (scene->kind == SCENE_TEXTURE_OBJECTS)
                gl->BindTexture(GL_TEXTURE_2D, scene->textures[i % TEXTURE_COUNT]);
            else
                gl->Uniform3fv(scene->u_colour, 1, object->colour);
            body_draw(scene, &scene->bodies[b], &model);
        }
    }
}

/* Four bricks of the texture forward and an eighth of a turn in each round. */
static void tunnel_draw(struct scene *scene, float phase)
{
    const float radius = 1.5f, length = 48;
    struct matrix shape = matrix_scale(radius), turn = matrix_turn(PI / 4 * phase, 0, 0, 1);
    shape.m[10] = length;
    struct matrix turned = matrix_multiply(&turn, &shape);
    struct matrix model = placed(0.4f, -0.3f, 8 + 4 * phase * length / TUNNEL_REPEATS, &turned);
    scene->gl->Uniform1f(scene->u_fog, 0.11f);
    scene->gl->BindTexture(GL_TEXTURE_2D, scene->textures[TEXTURE_BRICK]);
    body_bind(scene, scene->bodies);
    body_draw(scene, scene->bodies, &model);
}

static void bands_draw(struct scene *scene, float phase)
{
    struct matrix up = matrix_turn(PI / 2, 1, 0, 0), size = matrix_scale(0.33f);
    struct matrix lean = matrix_turn(0.5f + 0.3f * sinf(2 * PI * phase), 0.6f, 0.8f, 0);
    struct matrix turned = matrix_multiply(&lean, &up), ball = matrix_multiply(&lean, &size);
    struct matrix ring_model = placed(0, 0, -2.9f, &turned), ball_model = placed(0, 0, -2.9f, &ball);
    scene->gl->Uniform1f(scene->u_phase, phase);
    body_bind(scene, scene->bodies);
    colour_set(scene, 0.75f, 0.12f, 0.1f);
    body_draw(scene, scene->bodies, &ring_model);
    body_bind(scene, scene->bodies + 1);
    colour_set(scene, 0.1f, 0.35f, 0.7f);
    body_draw(scene, scene->bodies + 1, &ball_model);
}

static void water_draw(struct scene *scene, float phase)
{
    struct matrix size = matrix_scale(4), lean = matrix_turn(0.25f, 1, 0, 0);
    struct matrix turned = matrix_multiply(&lean, &size);
    struct matrix model = placed(0, -1.4f, -5.2f, &turned);
    scene->gl->Uniform1f(scene->u_phase, phase);
    body_bind(scene, scene->bodies);
    body_draw(scene, scene->bodies, &model);
}

void scene_draw(struct scene *scene, unsigned frame)
{
    static void (*const draw[SCENE_COUNT])(struct scene *scene, float phase) = {
        egg_draw, egg_draw, cubes_draw, tunnel_draw, objects_draw, objects_draw, bands_draw, water_draw};
    struct gl *gl = scene->gl;
    uint32_t background = scene_background[scene->kind];
    scene->n_triangles = scene->n_lines = 0;
    gl->ClearColor((float)(background >> 16 & 255) / 255, (float)(background >> 8 & 255) / 255,
                   (float)(background & 255) / 255, 1);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw[scene->kind](scene, (float)(frame % SCENE_FRAMES) / SCENE_FRAMES);
    gl->Finish();
}

unsigned scene_triangles(const struct scene *scene)
{
    return scene->n_triangles;
}

unsigned scene_lines(const struct scene *scene)
{
    return scene->n_lines;
}
