/* Extensions used where they are: EGL_EXT_client_extensions, EGL_EXT_platform_base,
 * EGL_MESA_platform_surfaceless, EGL_EXT_device_enumeration, EGL_EXT_platform_device,
 * EGL_KHR_surfaceless_context, EGL_KHR_no_config_context. */
#include "kernels/graphics_gl.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EGL_LIBRARY "libEGL.so.1"
#define GL_LIBRARY "libGLESv2.so.2"

enum {
    EGL_NONE = 0x3038,
    EGL_EXTENSIONS = 0x3055,
    EGL_SURFACE_TYPE = 0x3033,
    EGL_RENDERABLE_TYPE = 0x3040,
    EGL_PBUFFER_BIT = 0x0001,
    EGL_OPENGL_ES2_BIT = 0x0004,
    EGL_WIDTH = 0x3057,
    EGL_HEIGHT = 0x3056,
    EGL_CONTEXT_CLIENT_VERSION = 0x3098,
    EGL_OPENGL_ES_API = 0x30A0,
    EGL_PLATFORM_SURFACELESS_MESA = 0x31DD,
    EGL_PLATFORM_DEVICE_EXT = 0x313F
};
enum {
    GL_VENDOR = 0x1F00,
    GL_RENDERER = 0x1F01,
    GL_VERSION = 0x1F02,
    GL_FRAGMENT_SHADER = 0x8B30,
    GL_VERTEX_SHADER = 0x8B31,
    GL_COMPILE_STATUS = 0x8B81,
    GL_LINK_STATUS = 0x8B82,
    GL_FRAMEBUFFER = 0x8D40,
    GL_RENDERBUFFER = 0x8D41,
    GL_COLOR_ATTACHMENT0 = 0x8CE0,
    GL_DEPTH_ATTACHMENT = 0x8D00,
    GL_DEPTH_COMPONENT16 = 0x81A5,
    GL_FRAMEBUFFER_COMPLETE = 0x8CD5,
    GL_MAX_RENDERBUFFER_SIZE = 0x84E8
};

/* RESULT, NAME without egl, PARAMETERS. Handles are pointers that EGL alone understands. */
#define EGL_FUNCTIONS(F)                                                                           \
    F(egl_function *, GetProcAddress, (const char *name))                                          \
    F(const char *, QueryString, (void *display, int name))                                        \
    F(void *, GetDisplay, (void *native))                                                          \
    F(unsigned, Initialize, (void *display, int *major, int *minor))                               \
    F(unsigned, Terminate, (void *display))                                                        \
    F(unsigned, BindAPI, (unsigned api))                                                           \
    F(unsigned, ChooseConfig, (void *display, const int *wanted, void **out, int size, int *n))    \
    F(void *, CreateContext, (void *display, void *config, void *shared, const int *attributes))   \
    F(unsigned, DestroyContext, (void *display, void *context))                                    \
    F(void *, CreatePbufferSurface, (void *display, void *config, const int *attributes))          \
    F(unsigned, DestroySurface, (void *display, void *surface))                                    \
    F(unsigned, MakeCurrent, (void *display, void *draw, void *read, void *context))               \
    F(int, GetError, (void))

typedef void egl_function(void);
typedef void *egl_platform_display(unsigned platform, void *native, const int *attributes);
typedef unsigned egl_query_devices(int size, void **out, int *n);

struct egl {
#define EGL_MEMBER(result, name, parameters) result(*name) parameters;
    EGL_FUNCTIONS(EGL_MEMBER)
#undef EGL_MEMBER
    void *display, *context, *surface; /* NULL: none */
};

/* ---- loading */

/* Of the first object, which is the program: stops there. 2: it names a dynamic linker. */
static int program_look(struct dl_phdr_info *program, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (size_t i = 0; i < program->dlpi_phnum; i++)
        if (program->dlpi_phdr[i].p_type == PT_INTERP)
            return 2;
    return 1;
}

/* Never closed: drivers do not survive that. A static program has a dlopen too, but drivers bring
 * another C library into it, and it crashes. */
static void *library(const char *name, char reason[static GL_REASON_SIZE])
{
    if (dl_iterate_phdr(program_look, NULL) != 2) {
        snprintf(reason, GL_REASON_SIZE, "this program is linked statically and cannot load %s",
                 name);
        return NULL;
    }
    void *handle = dlopen(name, RTLD_NOW);
    if (!handle)
        snprintf(reason, GL_REASON_SIZE, "%s is not there or does not load", name);
    return handle;
}

bool gl_is_there(char reason[static GL_REASON_SIZE])
{
    return library(EGL_LIBRARY, reason) && library(GL_LIBRARY, reason);
}

/* An object pointer into a function pointer, which C has no conversion for but POSIX promises. */
static bool symbol(void *handle, const char *name, void *function,
                   char reason[static GL_REASON_SIZE])
{
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    if (!address)
        snprintf(reason, GL_REASON_SIZE, "the library has no %s", name);
    return address != NULL;
}

static bool egl_load(struct egl *egl, char reason[static GL_REASON_SIZE])
{
    void *handle = library(EGL_LIBRARY, reason);
    bool is_loaded = handle != NULL;
#define EGL_LOAD(result, name, parameters)                                                         \
    is_loaded = is_loaded && symbol(handle, "egl" #name, &egl->name, reason);
    EGL_FUNCTIONS(EGL_LOAD)
#undef EGL_LOAD
    return is_loaded;
}

static bool gl_load(struct gl *gl, char reason[static GL_REASON_SIZE])
{
    void *handle = library(GL_LIBRARY, reason);
    bool is_loaded = handle != NULL;
#define GL_LOAD(result, name, parameters)                                                          \
    is_loaded = is_loaded && symbol(handle, "gl" #name, &gl->name, reason);
    GL_FUNCTIONS(GL_LOAD)
#undef GL_LOAD
    return is_loaded;
}

/* ---- a context */

static bool has_extension(const char *list, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += size)
        if ((at == list || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

static bool display_try(struct egl *egl, void *display)
{
    int major, minor;
    if (!display || !egl->Initialize(display, &major, &minor))
        return false;
    egl->display = display;
    return true;
}

/* No window system first, then the first device, then what the system takes for the default. */
static bool display_find(struct egl *egl)
{
    const char *extensions = egl->QueryString(NULL, EGL_EXTENSIONS);
    egl_platform_display *platform = NULL;
    egl_query_devices *query = NULL;
    if (has_extension(extensions, "EGL_EXT_platform_base"))
        platform = (egl_platform_display *)egl->GetProcAddress("eglGetPlatformDisplayEXT");
    if (platform && has_extension(extensions, "EGL_MESA_platform_surfaceless") &&
        display_try(egl, platform(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL)))
        return true;
    if (platform && has_extension(extensions, "EGL_EXT_platform_device"))
        query = (egl_query_devices *)egl->GetProcAddress("eglQueryDevicesEXT");
    void *device;
    int n = 0;
    if (query && query(1, &device, &n) && n > 0 &&
        display_try(egl, platform(EGL_PLATFORM_DEVICE_EXT, device, NULL)))
        return true;
    return display_try(egl, egl->GetDisplay(NULL));
}

static bool context_make(struct egl *egl)
{
    static const int hidden[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE,
                                 EGL_PBUFFER_BIT, EGL_NONE};
    static const int any[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
    static const int version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    static const int small[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    const char *extensions = egl->QueryString(egl->display, EGL_EXTENSIONS);
    bool is_surfaceless = has_extension(extensions, "EGL_KHR_surfaceless_context");
    void *config = NULL;
    int n = 0;
    if (!egl->BindAPI(EGL_OPENGL_ES_API))
        return false;
    egl->ChooseConfig(egl->display, is_surfaceless ? any : hidden, &config, 1, &n);
    if (n == 0 && !(is_surfaceless && has_extension(extensions, "EGL_KHR_no_config_context")))
        return false;
    egl->context = egl->CreateContext(egl->display, n > 0 ? config : NULL, NULL, version);
    if (egl->context && !is_surfaceless)
        egl->surface = egl->CreatePbufferSurface(egl->display, config, small);
    return egl->context && (is_surfaceless || egl->surface) &&
           egl->MakeCurrent(egl->display, egl->surface, egl->surface, egl->context);
}

static void egl_end(struct egl *egl)
{
    if (egl->context)
        egl->MakeCurrent(egl->display, NULL, NULL, NULL);
    if (egl->surface)
        egl->DestroySurface(egl->display, egl->surface);
    if (egl->context)
        egl->DestroyContext(egl->display, egl->context);
    if (egl->display)
        egl->Terminate(egl->display);
}

struct gl *gl_open(char reason[static GL_REASON_SIZE])
{
    struct gl *gl = calloc(1, sizeof *gl);
    struct egl *egl = calloc(1, sizeof *egl);
    bool is_open = gl && egl;
    if (!is_open) {
        snprintf(reason, GL_REASON_SIZE, "out of memory");
        free(egl);
        free(gl);
        return NULL;
    }
    gl->egl = egl;
    is_open = egl_load(egl, reason) && gl_load(gl, reason);
    if (is_open && !display_find(egl)) {
        snprintf(reason, GL_REASON_SIZE, "EGL finds nothing to draw with (error 0x%04x)",
                 (unsigned)egl->GetError());
        is_open = false;
    }
    if (is_open && !context_make(egl)) {
        snprintf(reason, GL_REASON_SIZE, "EGL gives no context for OpenGL ES 2 (error 0x%04x)",
                 (unsigned)egl->GetError());
        is_open = false;
    }
    if (!is_open) {
        gl_close(gl);
        return NULL;
    }
    return gl;
}

void gl_close(struct gl *gl)
{
    if (!gl)
        return;
    egl_end(gl->egl);
    free(gl->egl);
    free(gl);
}

/* ---- drawing */

bool gl_frame(struct gl *gl, int width, int height, char reason[static GL_REASON_SIZE])
{
    unsigned framebuffer, texture, depth;
    int largest = 0;
    gl->GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    if (width > largest || height > largest) {
        snprintf(reason, GL_REASON_SIZE, "%d x %d are more than the %d pixels of this renderer", width,
                 height, largest);
        return false;
    }
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->BindTexture(GL_TEXTURE_2D, 0);
    gl->GenRenderbuffers(1, &depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, width, height);
    gl->GenFramebuffers(1, &framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    unsigned status = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE) {
        snprintf(reason, GL_REASON_SIZE, "no framebuffer of %d x %d (status 0x%04x)", width, height,
                 status);
        return false;
    }
    gl->Viewport(0, 0, width, height);
    gl->width = width;
    gl->height = height;
    return true;
}

static uint32_t pixel_of(const unsigned char *p)
{
    return 0xff000000u | (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

void gl_frame_read(struct gl *gl, uint32_t *out)
{
    size_t width = (size_t)gl->width, height = (size_t)gl->height;
    gl->ReadPixels(0, 0, gl->width, gl->height, GL_RGBA, GL_UNSIGNED_BYTE, out);
    for (size_t low = 0, high = height - 1; low <= high; low++, high--) {
        for (size_t x = 0; x < width; x++) {
            unsigned char below[4], above[4]; /* red, green, blue, alpha */
            memcpy(below, out + low * width + x, sizeof below);
            memcpy(above, out + high * width + x, sizeof above);
            out[low * width + x] = pixel_of(above);
            out[high * width + x] = pixel_of(below);
        }
        if (high == 0)
            break;
    }
}

static unsigned shader_make(struct gl *gl, unsigned type, const char *text,
                            char reason[static GL_REASON_SIZE])
{
    int is_compiled = 0, size = 0;
    unsigned shader = gl->CreateShader(type);
    gl->ShaderSource(shader, 1, &text, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &is_compiled);
    if (is_compiled)
        return shader;
    gl->GetShaderInfoLog(shader, GL_REASON_SIZE, &size, reason);
    return 0;
}

unsigned gl_program(struct gl *gl, const char *vertex, const char *fragment,
                    const char *const *attributes, char reason[static GL_REASON_SIZE])
{
    unsigned parts[2] = {shader_make(gl, GL_VERTEX_SHADER, vertex, reason)};
    parts[1] = parts[0] ? shader_make(gl, GL_FRAGMENT_SHADER, fragment, reason) : 0;
    if (!parts[1])
        return 0;
    int is_linked = 0, size = 0;
    unsigned program = gl->CreateProgram();
    gl->AttachShader(program, parts[0]);
    gl->AttachShader(program, parts[1]);
    for (unsigned i = 0; attributes[i]; i++)
        gl->BindAttribLocation(program, i, attributes[i]);
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &is_linked);
    if (!is_linked)
        gl->GetProgramInfoLog(program, GL_REASON_SIZE, &size, reason);
    return is_linked ? program : 0;
}

/* ---- what draws */

static const char *text_of(struct gl *gl, unsigned name)
{
    const unsigned char *text = gl->GetString(name);
    return text ? (const char *)text : "";
}

const char *gl_renderer(struct gl *gl)
{
    return text_of(gl, GL_RENDERER);
}

const char *gl_version(struct gl *gl)
{
    return text_of(gl, GL_VERSION);
}

const char *gl_vendor(struct gl *gl)
{
    return text_of(gl, GL_VENDOR);
}

bool gl_is_software(const char *renderer)
{
    /* Mesa's (docs.mesa3d.org, Drivers) and Google's. */
    static const char *const programs[] = {"llvmpipe", "softpipe", "swrast", "Software Rasterizer",
                                           "OpenSWR", "SwiftShader", "lavapipe"};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strstr(renderer, programs[i]))
            return true;
    return false;
}
