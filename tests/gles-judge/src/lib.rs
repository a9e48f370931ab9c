//! A headless GLES 3 context that draws two triangles over a target and reads it back, top row first.

use glow::HasContext;
use khronos_egl as egl;

type Egl = egl::DynamicInstance<egl::EGL1_5>;

/// `EGL_PLATFORM_SURFACELESS_MESA`
const SURFACELESS: egl::Enum = 0x31DD;

/// Vertex data of one attribute: four floats or integers a vertex.
pub enum Stream {
    /// Floats.
    Float(Vec<f32>),
    /// Signed integers.
    Int(Vec<i32>),
    /// Unsigned integers.
    Uint(Vec<u32>),
}

/// A texture's shape and content.
#[derive(Clone)]
pub struct Texture {
    /// GL name of the uniform.
    pub name: String,
    /// `2d`, `3d`, `cube` or `2d_array`.
    pub shape: &'static str,
    /// `f`, `i`, `u` or `depth`.
    pub texel: &'static str,
    /// Width, height, depth or layers (6 for cubes).
    pub size: [u32; 3],
    /// Levels, each with its layers one after another: RGBA8, or 16-bit depth.
    pub levels: Vec<Vec<u8>>,
}

/// The value of one uniform outside blocks.
pub struct Uniform {
    /// Name as `glGetActiveUniform` gives it.
    pub name: String,
    /// Words of one element after another, tightly packed.
    pub words: Vec<u32>,
}

/// All that is drawn with.
pub struct Scene {
    /// Target size.
    pub size: u32,
    /// Number of vertices.
    pub vertices: u32,
    /// (name, location, data)
    pub streams: Vec<(String, u32, Stream)>,
    /// (block name, bytes)
    pub blocks: Vec<(String, Vec<u8>)>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Whether the picture is drawn upside down, which turns front faces into back faces.
    pub upside_down: bool,
}

/// The context.
pub struct Gles {
    gl: glow::Context,
    egl: Egl,
    display: egl::Display,
    context: egl::Context,
}

impl Gles {
    /// Opens a context, or says why there is none.
    pub fn new() -> Result<Self, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        // Loads the system's EGL library, whose initialisers are trusted.
        let egl = unsafe { Egl::load_required() }.map_err(|e| text(&e))?;
        let display = unsafe { egl.get_platform_display(SURFACELESS, egl::DEFAULT_DISPLAY, &[egl::ATTRIB_NONE]) }
            .map_err(|e| text(&e))?;
        egl.initialize(display).map_err(|e| text(&e))?;
        egl.bind_api(egl::OPENGL_ES_API).map_err(|e| text(&e))?;
        let wanted = [egl::SURFACE_TYPE, egl::PBUFFER_BIT, egl::RENDERABLE_TYPE, egl::OPENGL_ES3_BIT, egl::NONE];
        let config = egl.choose_first_config(display, &wanted).map_err(|e| text(&e))?.ok_or("no EGL config")?;
        let version = [egl::CONTEXT_MAJOR_VERSION, 3, egl::CONTEXT_MINOR_VERSION, 0, egl::NONE];
        let context = egl.create_context(display, config, None, &version).map_err(|e| text(&e))?;
        egl.make_current(display, None, None, Some(context)).map_err(|e| text(&e))?;
        let gl = unsafe {
            glow::Context::from_loader_function(|name| {
                egl.get_proc_address(name).map_or(std::ptr::null(), |function| function as *const _)
            })
        };
        Ok(Self { gl, egl, display, context })
    }

    /// Name of the renderer that draws.
    pub fn renderer(&self) -> String {
        unsafe { self.gl.get_parameter_string(glow::RENDERER) }
    }

    /// Makes this context the current one of the calling thread, or gives it up.
    pub fn make_current(&self, current: bool) {
        let context = current.then_some(self.context);
        let _ = self.egl.make_current(self.display, None, None, context);
    }

    /// Whether the driver makes a program of two texts; if not, what it says.
    pub fn takes(&self, vertex: &str, fragment: &str) -> Result<(), String> {
        // Nothing but the texts decides, and what is made is dropped.
        unsafe {
            let program = self.program(vertex, fragment, &[])?;
            self.gl.delete_program(program);
        }
        Ok(())
    }

    /// Draws the scene; `uniform` gives the words of each active uniform outside blocks by name and element count.
    pub fn render(
        &self,
        vertex: &str,
        fragment: &str,
        scene: &Scene,
        uniform: &dyn Fn(&str, u32) -> Option<Vec<u32>>,
    ) -> Result<Vec<u8>, String> {
        unsafe { self.render_unchecked(vertex, fragment, scene, uniform) }
    }

    unsafe fn render_unchecked(
        &self,
        vertex: &str,
        fragment: &str,
        scene: &Scene,
        uniform: &dyn Fn(&str, u32) -> Option<Vec<u32>>,
    ) -> Result<Vec<u8>, String> {
        let gl = &self.gl;
        unsafe {
            let program = self.program(vertex, fragment, &scene.streams)?;
            gl.use_program(Some(program));
            let target = gl.create_texture()?;
            gl.active_texture(glow::TEXTURE0 + 15);
            gl.bind_texture(glow::TEXTURE_2D, Some(target));
            let size = scene.size as i32;
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA8, size, size);
            let depth = gl.create_renderbuffer()?;
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(depth));
            gl.renderbuffer_storage(glow::RENDERBUFFER, glow::DEPTH_COMPONENT32F, size, size);
            let framebuffer = gl.create_framebuffer()?;
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D, Some(target), 0);
            gl.framebuffer_renderbuffer(glow::FRAMEBUFFER, glow::DEPTH_ATTACHMENT, glow::RENDERBUFFER, Some(depth));
            gl.viewport(0, 0, size, size);
            gl.disable(glow::DITHER);
            gl.disable(glow::CULL_FACE);
            gl.disable(glow::BLEND);
            gl.front_face(if scene.upside_down { glow::CW } else { glow::CCW });
            gl.enable(glow::DEPTH_TEST);
            gl.depth_func(glow::LEQUAL);
            gl.clear_color(0.0, 0.0, 0.0, 0.0);
            gl.clear_depth_f32(1.0);
            gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
            let array = gl.create_vertex_array()?;
            gl.bind_vertex_array(Some(array));
            let mut buffers = Vec::new();
            for (_, location, stream) in &scene.streams {
                let buffer = gl.create_buffer()?;
                buffers.push(buffer);
                gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
                let (words, kind): (Vec<u32>, u32) = match stream {
                    Stream::Float(data) => (data.iter().map(|v| v.to_bits()).collect(), glow::FLOAT),
                    Stream::Int(data) => (data.iter().map(|v| *v as u32).collect(), glow::INT),
                    Stream::Uint(data) => (data.clone(), glow::UNSIGNED_INT),
                };
                gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes(&words), glow::STATIC_DRAW);
                gl.enable_vertex_attrib_array(*location);
                match kind {
                    glow::FLOAT => gl.vertex_attrib_pointer_f32(*location, 4, kind, false, 0, 0),
                    _ => gl.vertex_attrib_pointer_i32(*location, 4, kind, 0, 0),
                }
            }
            for (binding, (name, content)) in scene.blocks.iter().enumerate() {
                let buffer = gl.create_buffer()?;
                buffers.push(buffer);
                gl.bind_buffer(glow::UNIFORM_BUFFER, Some(buffer));
                gl.buffer_data_u8_slice(glow::UNIFORM_BUFFER, content, glow::STATIC_DRAW);
                gl.bind_buffer_base(glow::UNIFORM_BUFFER, binding as u32, Some(buffer));
                if let Some(index) = gl.get_uniform_block_index(program, name) {
                    gl.uniform_block_binding(program, index, binding as u32);
                }
            }
            let textures = self.textures(program, scene)?;
            self.uniforms(program, uniform);
            gl.draw_arrays(glow::TRIANGLES, 0, scene.vertices as i32);
            let mut pixels = vec![0; (size * size * 4) as usize];
            let slice = glow::PixelPackData::Slice(Some(&mut pixels));
            gl.read_pixels(0, 0, size, size, glow::RGBA, glow::UNSIGNED_BYTE, slice);
            let error = gl.get_error();
            gl.delete_vertex_array(array);
            buffers.into_iter().for_each(|buffer| gl.delete_buffer(buffer));
            textures.into_iter().for_each(|texture| gl.delete_texture(texture));
            gl.delete_framebuffer(framebuffer);
            gl.delete_renderbuffer(depth);
            gl.delete_texture(target);
            gl.delete_program(program);
            if error != glow::NO_ERROR {
                return Err(format!("GL error {error:#x}"));
            }
            let row = size as usize * 4;
            Ok(pixels.chunks(row).rev().flatten().copied().collect())
        }
    }

    unsafe fn program(
        &self,
        vertex: &str,
        fragment: &str,
        streams: &[(String, u32, Stream)],
    ) -> Result<glow::Program, String> {
        let gl = &self.gl;
        unsafe {
            let program = gl.create_program()?;
            let linked = (|| {
                for (kind, text) in [(glow::VERTEX_SHADER, vertex), (glow::FRAGMENT_SHADER, fragment)] {
                    let shader = gl.create_shader(kind)?;
                    gl.shader_source(shader, text);
                    gl.compile_shader(shader);
                    let is_made = gl.get_shader_compile_status(shader);
                    let log = if is_made { String::new() } else { gl.get_shader_info_log(shader) };
                    gl.attach_shader(program, shader);
                    // As soon as the program is gone, too.
                    gl.delete_shader(shader);
                    if !is_made {
                        return Err(format!("compile: {log}"));
                    }
                }
                for (name, location, _) in streams {
                    if !name.is_empty() {
                        gl.bind_attrib_location(program, *location, name);
                    }
                }
                gl.link_program(program);
                match gl.get_program_link_status(program) {
                    true => Ok(()),
                    false => Err(format!("link: {}", gl.get_program_info_log(program))),
                }
            })();
            match linked {
                Ok(()) => Ok(program),
                Err(error) => {
                    gl.delete_program(program);
                    Err(error)
                }
            }
        }
    }

    unsafe fn textures(&self, program: glow::Program, scene: &Scene) -> Result<Vec<glow::Texture>, String> {
        let gl = &self.gl;
        let mut made = Vec::new();
        for (unit, texture) in scene.textures.iter().enumerate() {
            unsafe {
                let name = gl.create_texture()?;
                made.push(name);
                gl.active_texture(glow::TEXTURE0 + unit as u32);
                let target = match texture.shape {
                    "3d" => glow::TEXTURE_3D,
                    "cube" => glow::TEXTURE_CUBE_MAP,
                    "2d_array" => glow::TEXTURE_2D_ARRAY,
                    _ => glow::TEXTURE_2D,
                };
                gl.bind_texture(target, Some(name));
                let (internal, format, kind) = match texture.texel {
                    "i" => (glow::RGBA8I, glow::RGBA_INTEGER, glow::BYTE),
                    "u" => (glow::RGBA8UI, glow::RGBA_INTEGER, glow::UNSIGNED_BYTE),
                    "depth" => (glow::DEPTH_COMPONENT16, glow::DEPTH_COMPONENT, glow::UNSIGNED_SHORT),
                    _ => (glow::RGBA8, glow::RGBA, glow::UNSIGNED_BYTE),
                };
                let filters = matches!(texture.texel, "f");
                let [width, height, layers] = texture.size;
                for (level, content) in texture.levels.iter().enumerate() {
                    let part = |size: u32| (size >> level).max(1) as i32;
                    let (w, h) = (part(width), part(height));
                    let level = level as i32;
                    let data = glow::PixelUnpackData::Slice(Some(content));
                    match texture.shape {
                        "cube" => {
                            for (face, side) in content.chunks(content.len() / 6).enumerate() {
                                let face = glow::TEXTURE_CUBE_MAP_POSITIVE_X + face as u32;
                                let side = glow::PixelUnpackData::Slice(Some(side));
                                gl.tex_image_2d(face, level, internal as i32, w, h, 0, format, kind, side);
                            }
                        }
                        "2d" => gl.tex_image_2d(target, level, internal as i32, w, h, 0, format, kind, data),
                        shape => {
                            let d = if shape == "3d" { part(layers) } else { layers as i32 };
                            gl.tex_image_3d(target, level, internal as i32, w, h, d, 0, format, kind, data);
                        }
                    }
                }
                let (min, mag) = match filters {
                    true => (glow::LINEAR_MIPMAP_LINEAR, glow::LINEAR),
                    false => (glow::NEAREST_MIPMAP_NEAREST, glow::NEAREST),
                };
                gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, min as i32);
                gl.tex_parameter_i32(target, glow::TEXTURE_MAG_FILTER, mag as i32);
                gl.tex_parameter_i32(target, glow::TEXTURE_MAX_LEVEL, texture.levels.len() as i32 - 1);
                for axis in [glow::TEXTURE_WRAP_S, glow::TEXTURE_WRAP_T, glow::TEXTURE_WRAP_R] {
                    gl.tex_parameter_i32(target, axis, glow::REPEAT as i32);
                }
                if texture.texel == "depth" {
                    gl.tex_parameter_i32(target, glow::TEXTURE_COMPARE_MODE, glow::COMPARE_REF_TO_TEXTURE as i32);
                    gl.tex_parameter_i32(target, glow::TEXTURE_COMPARE_FUNC, glow::LEQUAL as i32);
                }
                if let Some(location) = gl.get_uniform_location(program, &texture.name) {
                    gl.uniform_1_i32(Some(&location), unit as i32);
                }
            }
        }
        Ok(made)
    }

    unsafe fn uniforms(&self, program: glow::Program, uniform: &dyn Fn(&str, u32) -> Option<Vec<u32>>) {
        let gl = &self.gl;
        unsafe {
            for index in 0..gl.get_active_uniforms(program) {
                let Some(active) = gl.get_active_uniform(program, index) else { continue };
                let Some(location) = gl.get_uniform_location(program, &active.name) else { continue };
                let Some(words) = uniform(&active.name, active.size as u32) else { continue };
                let floats: Vec<f32> = words.iter().map(|word| f32::from_bits(*word)).collect();
                let ints: Vec<i32> = words.iter().map(|word| *word as i32).collect();
                let at = Some(&location);
                match active.utype {
                    glow::FLOAT => gl.uniform_1_f32_slice(at, &floats),
                    glow::FLOAT_VEC2 => gl.uniform_2_f32_slice(at, &floats),
                    glow::FLOAT_VEC3 => gl.uniform_3_f32_slice(at, &floats),
                    glow::FLOAT_VEC4 => gl.uniform_4_f32_slice(at, &floats),
                    glow::INT | glow::BOOL => gl.uniform_1_i32_slice(at, &ints),
                    glow::INT_VEC2 | glow::BOOL_VEC2 => gl.uniform_2_i32_slice(at, &ints),
                    glow::INT_VEC3 | glow::BOOL_VEC3 => gl.uniform_3_i32_slice(at, &ints),
                    glow::INT_VEC4 | glow::BOOL_VEC4 => gl.uniform_4_i32_slice(at, &ints),
                    glow::UNSIGNED_INT => gl.uniform_1_u32_slice(at, &words),
                    glow::UNSIGNED_INT_VEC2 => gl.uniform_2_u32_slice(at, &words),
                    glow::UNSIGNED_INT_VEC3 => gl.uniform_3_u32_slice(at, &words),
                    glow::UNSIGNED_INT_VEC4 => gl.uniform_4_u32_slice(at, &words),
                    glow::FLOAT_MAT2 => gl.uniform_matrix_2_f32_slice(at, false, &floats),
                    glow::FLOAT_MAT3 => gl.uniform_matrix_3_f32_slice(at, false, &floats),
                    glow::FLOAT_MAT4 => gl.uniform_matrix_4_f32_slice(at, false, &floats),
                    glow::FLOAT_MAT2x3 => gl.uniform_matrix_2x3_f32_slice(at, false, &floats),
                    glow::FLOAT_MAT2x4 => gl.uniform_matrix_2x4_f32_slice(at, false, &floats),
                    glow::FLOAT_MAT3x2 => gl.uniform_matrix_3x2_f32_slice(at, false, &floats),
                    glow::FLOAT_MAT3x4 => gl.uniform_matrix_3x4_f32_slice(at, false, &floats),
                    glow::FLOAT_MAT4x2 => gl.uniform_matrix_4x2_f32_slice(at, false, &floats),
                    glow::FLOAT_MAT4x3 => gl.uniform_matrix_4x3_f32_slice(at, false, &floats),
                    _ => {}
                }
            }
        }
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
