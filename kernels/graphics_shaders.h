/* The shaders of the scenes, in the OpenGL ES Shading Language 1.00. */
#ifndef KERNELS_GRAPHICS_SHADERS_H
#define KERNELS_GRAPHICS_SHADERS_H

#define SHADER_PRECISION                                                                           \
    "#ifdef GL_FRAGMENT_PRECISION_HIGH\n"                                                          \
    "precision highp float;\n"                                                                     \
    "#else\n"                                                                                      \
    "precision mediump float;\n"                                                                   \
    "#endif\n"

#define SHADER_ATTRIBUTES                                                                          \
    "attribute vec3 a_position; attribute vec3 a_normal; attribute vec2 a_texture;\n"              \
    "uniform mat4 u_transform; uniform mat4 u_model;\n"

/* Lambert's law for one light, per vertex; what is far is darker where there is fog. */
static const char shader_lit_vertex[] =
    SHADER_ATTRIBUTES
    "uniform float u_fog;\n"
    "varying float v_light; varying vec2 v_texture;\n"
    "void main() {\n"
    "    gl_Position = u_transform * vec4(a_position, 1.0);\n"
    "    vec3 normal = normalize((u_model * vec4(a_normal, 0.0)).xyz);\n"
    "    float light = 0.25 + 0.75 * max(dot(normal, normalize(vec3(-0.5, 0.7, 0.6))), 0.0);\n"
    "    v_light = u_fog > 0.0 ? exp(-u_fog * gl_Position.w) : light;\n"
    "    v_texture = a_texture;\n"
    "}\n";
static const char shader_colour_fragment[] =
    SHADER_PRECISION
    "uniform vec3 u_colour; varying float v_light;\n"
    "void main() { gl_FragColor = vec4(u_colour * v_light, 1.0); }\n";
static const char shader_texture_fragment[] =
    SHADER_PRECISION
    "uniform sampler2D u_texture; varying float v_light; varying vec2 v_texture;\n"
    "void main() { gl_FragColor = vec4(texture2D(u_texture, v_texture).rgb * v_light, 1.0); }\n";
static const char shader_plain_fragment[] =
    SHADER_PRECISION
    "uniform vec3 u_colour;\n"
    "void main() { gl_FragColor = vec4(u_colour, 1.0); }\n";

/* Everything per pixel: bands of two colours, ridges that bend the normal, Blinn's highlights
 * (SIGGRAPH 1977). */
static const char shader_pixel_vertex[] =
    SHADER_ATTRIBUTES
    "varying vec3 v_place; varying vec3 v_normal; varying vec2 v_texture;\n"
    "void main() {\n"
    "    gl_Position = u_transform * vec4(a_position, 1.0);\n"
    "    v_place = (u_model * vec4(a_position, 1.0)).xyz;\n"
    "    v_normal = (u_model * vec4(a_normal, 0.0)).xyz;\n"
    "    v_texture = a_texture;\n"
    "}\n";
static const char shader_pixel_fragment[] =
    SHADER_PRECISION
    "uniform vec3 u_colour; uniform float u_phase;\n"
    "varying vec3 v_place; varying vec3 v_normal; varying vec2 v_texture;\n"
    "void main() {\n"
    "    float wave = 6.2831853 * (4.0 * v_texture.x + 3.0 * v_texture.y);\n"
    "    float band = smoothstep(-0.2, 0.2, sin(wave + 6.2831853 * u_phase));\n"
    "    vec3 ridges = vec3(sin(40.0 * v_place.x), sin(40.0 * v_place.y), sin(40.0 * v_place.z));\n"
    "    vec3 normal = normalize(v_normal + 0.18 * ridges * band);\n"
    "    vec3 eye = normalize(-v_place);\n"
    "    vec3 light = normalize(vec3(-2.0, 3.0, 1.0) - v_place);\n"
    "    float diffuse = max(dot(normal, light), 0.0);\n"
    "    float shine = pow(max(dot(normal, normalize(light + eye)), 0.0), 48.0);\n"
    "    vec3 colour = mix(u_colour, vec3(0.95, 0.9, 0.75), band);\n"
    "    gl_FragColor = vec4(colour * (0.15 + 0.85 * diffuse) + vec3(0.9 * shine), 1.0);\n"
    "}\n";

/* Waves: the height and the slope of each vertex are computed from four sines. */
static const char shader_wave_vertex[] =
    SHADER_ATTRIBUTES
    "uniform float u_phase;\n"
    "varying vec3 v_colour;\n"
    "void main() {\n"
    "    float height = 0.0; vec2 slope = vec2(0.0);\n"
    "    vec2 at = a_position.xz * 4.0;\n"
    "    float turn = 6.2831853 * u_phase;\n"
    "    for (int i = 1; i <= 4; i++) {\n"
    "        float k = float(i);\n"
    "        vec2 way = vec2(cos(k * 1.7), sin(k * 1.7)) * (1.0 + 0.8 * k);\n"
    "        float angle = dot(way, at) + turn * k;\n"
    "        height += 0.11 / k * sin(angle);\n"
    "        slope += 0.44 / k * cos(angle) * way;\n"
    "    }\n"
    "    vec3 normal = normalize(vec3(-slope.x, 1.0, -slope.y));\n"
    "    vec4 place = u_model * vec4(a_position.x, a_position.y + height, a_position.z, 1.0);\n"
    "    gl_Position = u_transform * vec4(a_position.x, a_position.y + height, a_position.z, 1.0);\n"
    "    vec3 light = normalize(vec3(-0.6, 0.5, -0.6));\n"
    "    vec3 middle = normalize(light + normalize(-place.xyz));\n"
    "    float diffuse = max(dot(normal, light), 0.0);\n"
    "    vec3 water = mix(vec3(0.02, 0.12, 0.32), vec3(0.15, 0.55, 0.6), 0.5 + 2.5 * height);\n"
    "    v_colour = water * (0.4 + 0.8 * diffuse) + vec3(pow(max(dot(normal, middle), 0.0), 40.0));\n"
    "}\n";
static const char shader_wave_fragment[] =
    SHADER_PRECISION
    "varying vec3 v_colour;\n"
    "void main() { gl_FragColor = vec4(v_colour, 1.0); }\n";

#endif
