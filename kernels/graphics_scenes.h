/* The scenes of the DirectX 9 benchmark by their names, drawn with OpenGL ES 2. What exactly they showed
 * is not known beyond the names; what they show here is defined by this file, frame by frame. */
#ifndef KERNELS_GRAPHICS_SCENES_H
#define KERNELS_GRAPHICS_SCENES_H

#include "kernels/graphics_gl.h"

/* Frames of one round; after the last comes the first again. */
enum { SCENE_FRAMES = 12 };

enum scene_kind {
    SCENE_SHADED_EGG,
    SCENE_WIRE_EGG,
    SCENE_CUBES_500,
    SCENE_TEXTURE_TUNNEL,
    SCENE_COLOUR_OBJECTS,
    SCENE_TEXTURE_OBJECTS,
    SCENE_PIXEL_SHADER,
    SCENE_VERTEX_SHADER,
    SCENE_COUNT
};

/* What every frame of a scene must be. */
struct scene_facts {
    unsigned n_triangles, n_lines; /* drawn, hidden ones included */
    double covered_least, covered_most; /* share of the pixels that are not the background */
    unsigned n_colours;                 /* different ones, at least */
};
extern const struct scene_facts scene_facts[SCENE_COUNT];
extern const uint32_t scene_background[SCENE_COUNT]; /* 0xffRRGGBB */

struct scene;

/* Into the framebuffer of gl; scene_free first, then gl_close. NULL, and the reason: the driver
 * refuses a shader, or memory ran out. */
struct scene *scene_new(struct gl *gl, enum scene_kind kind, uint64_t seed,
                        char reason[static GL_REASON_SIZE]);
void scene_free(struct scene *scene); /* NULL is fine */

/* One frame, complete when it returns. */
void scene_draw(struct scene *scene, unsigned frame);
/* Of the frame drawn last, counted as it was drawn. */
unsigned scene_triangles(const struct scene *scene);
unsigned scene_lines(const struct scene *scene);

#endif
