/* OpenGL ES 2 without a window: the libraries found at run time, a context through EGL that has no
 * surface or one nobody sees, and a framebuffer of its own to draw into.
 *
 * Types, constants and functions are those of the Khronos registry (OpenGL ES 2.0.25, EGL 1.5 and the
 * extensions named in graphics_gl.c); only what is used is declared. */
#ifndef KERNELS_GRAPHICS_GL_H
#define KERNELS_GRAPHICS_GL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GL_REASON_SIZE = 200,
    GL_TRIANGLES = 0x0004,
    GL_LINES = 0x0001,
    GL_FLOAT = 0x1406,
    GL_UNSIGNED_SHORT = 0x1403,
    GL_UNSIGNED_BYTE = 0x1401,
    GL_ARRAY_BUFFER = 0x8892,
    GL_ELEMENT_ARRAY_BUFFER = 0x8893,
    GL_STATIC_DRAW = 0x88E4,
    GL_TEXTURE_2D = 0x0DE1,
    GL_TEXTURE_MAG_FILTER = 0x2800,
    GL_TEXTURE_MIN_FILTER = 0x2801,
    GL_NEAREST = 0x2600,
    GL_LINEAR = 0x2601,
    GL_LINEAR_MIPMAP_LINEAR = 0x2703,
    GL_RGBA = 0x1908,
    GL_DEPTH_TEST = 0x0B71,
    GL_COLOR_BUFFER_BIT = 0x4000,
    GL_DEPTH_BUFFER_BIT = 0x0100
};

/* RESULT, NAME without gl, PARAMETERS. */
#define GL_FUNCTIONS(F)                                                                            \
    F(const unsigned char *, GetString, (unsigned name))                                           \
    F(unsigned, GetError, (void))                                                                  \
    F(void, GetIntegerv, (unsigned name, int *out))                                                \
    F(void, Viewport, (int x, int y, int width, int height))                                       \
    F(void, ClearColor, (float red, float green, float blue, float alpha))                         \
    F(void, Clear, (unsigned mask))                                                                \
    F(void, Enable, (unsigned what))                                                               \
    F(unsigned, CreateShader, (unsigned type))                                                     \
    F(void, ShaderSource, (unsigned shader, int n, const char *const *texts, const int *sizes))    \
    F(void, CompileShader, (unsigned shader))                                                      \
    F(void, GetShaderiv, (unsigned shader, unsigned name, int *out))                               \
    F(void, GetShaderInfoLog, (unsigned shader, int size, int *length, char *out))                 \
    F(unsigned, CreateProgram, (void))                                                             \
    F(void, AttachShader, (unsigned program, unsigned shader))                                     \
    F(void, BindAttribLocation, (unsigned program, unsigned index, const char *name))              \
    F(void, LinkProgram, (unsigned program))                                                       \
    F(void, GetProgramiv, (unsigned program, unsigned name, int *out))                             \
    F(void, GetProgramInfoLog, (unsigned program, int size, int *length, char *out))               \
    F(void, UseProgram, (unsigned program))                                                        \
    F(int, GetUniformLocation, (unsigned program, const char *name))                               \
    F(void, Uniform1f, (int location, float value))                                                \
    F(void, Uniform3fv, (int location, int n, const float *values))                                \
    F(void, UniformMatrix4fv, (int location, int n, unsigned char transpose, const float *values)) \
    F(void, GenBuffers, (int n, unsigned *out))                                                    \
    F(void, BindBuffer, (unsigned target, unsigned buffer))                                        \
    F(void, BufferData, (unsigned target, ptrdiff_t size, const void *bytes, unsigned usage))      \
    F(void, EnableVertexAttribArray, (unsigned index))                                             \
    F(void, VertexAttribPointer, (unsigned index, int size, unsigned type,                         \
                                  unsigned char normalized, int stride, const void *offset))       \
    F(void, DrawElements, (unsigned mode, int n, unsigned type, const void *offset))               \
    F(void, GenTextures, (int n, unsigned *out))                                                   \
    F(void, BindTexture, (unsigned target, unsigned texture))                                      \
    F(void, TexParameteri, (unsigned target, unsigned name, int value))                            \
    F(void, TexImage2D, (unsigned target, int level, int inside, int width, int height,            \
                         int border, unsigned format, unsigned type, const void *texels))          \
    F(void, GenerateMipmap, (unsigned target))                                                     \
    F(void, GenFramebuffers, (int n, unsigned *out))                                               \
    F(void, BindFramebuffer, (unsigned target, unsigned framebuffer))                              \
    F(void, FramebufferTexture2D, (unsigned target, unsigned attachment, unsigned kind,            \
                                   unsigned texture, int level))                                   \
    F(void, FramebufferRenderbuffer, (unsigned target, unsigned attachment, unsigned kind,         \
                                      unsigned renderbuffer))                                      \
    F(void, GenRenderbuffers, (int n, unsigned *out))                                              \
    F(void, BindRenderbuffer, (unsigned target, unsigned renderbuffer))                            \
    F(void, RenderbufferStorage, (unsigned target, unsigned format, int width, int height))        \
    F(unsigned, CheckFramebufferStatus, (unsigned target))                                         \
    F(void, ReadPixels, (int x, int y, int width, int height, unsigned format, unsigned type,      \
                         void *out))                                                               \
    F(void, Finish, (void))

struct gl {
#define GL_MEMBER(result, name, parameters) result(*name) parameters;
    GL_FUNCTIONS(GL_MEMBER)
#undef GL_MEMBER
    struct egl *egl;
    int width, height; /* of the framebuffer */
};

/* The libraries are there and can be loaded by this program; else why not. */
bool gl_is_there(char reason[static GL_REASON_SIZE]);

/* Makes a context and makes it the current one of this thread; gl_close ends it. NULL, and the
 * reason: there is none to be had. */
struct gl *gl_open(char reason[static GL_REASON_SIZE]);
void gl_close(struct gl *gl); /* NULL is fine */

/* Draws go to a framebuffer of that size from now on: 8 bits of each colour, 16 at least of depth. */
bool gl_frame(struct gl *gl, int width, int height, char reason[static GL_REASON_SIZE]);
/* As 0xffRRGGBB, the uppermost row first: out[width * height]. */
void gl_frame_read(struct gl *gl, uint32_t *out);

/* Attributes are bound to 0, 1 ... in the order of their names; ended by NULL. 0, and the reason, when
 * the driver refuses it. */
unsigned gl_program(struct gl *gl, const char *vertex, const char *fragment,
                    const char *const *attributes, char reason[static GL_REASON_SIZE]);

/* What draws, in the driver's words: "llvmpipe (LLVM 15.0.6, 256 bits)", "OpenGL ES 3.2 Mesa 22.3.6",
 * "Mesa". Valid while the context is. */
const char *gl_renderer(struct gl *gl);
const char *gl_version(struct gl *gl);
const char *gl_vendor(struct gl *gl);

/* Known renderers that are programs for the processor, by their names. */
bool gl_is_software(const char *renderer);

#endif
