//! Random traces of rectangles on whole pixels, and a model on the CPU that knows every pixel of them.
//!
//! The model shares nothing with what it judges: it is written beside the trace, command by command, in pixels and
//! bytes. Corners lie at eighths of a viewport whose sides are multiples of eight, so every edge lies between two
//! pixels, and colours are whole 255ths, so there is nothing to round.

use aerogpu_trace::abi::reference::Packet;
use aerogpu_trace::container::BlobKind;

use super::random::Random;
use super::scene::{FRAGMENT_WGSL, Scene, VERTEX_WGSL, vertices};

/// The target that these traces are made for. It is not square, and smaller than some viewports.
pub const WIDTH_PX: u32 = 24;
pub const HEIGHT_PX: u32 = 16;

pub type Rgba = [u8; 4];

const VERTEX_BYTES: usize = 24;
const CORNERS: usize = 6;
const RECTANGLE_BYTES: usize = CORNERS * VERTEX_BYTES;
const POSITION_ONLY_WGSL: &str = "@vertex fn v(@location(0) at: vec2f) -> @builtin(position) vec4f {
  return vec4f(at, 0.0, 1.0);
}";
const BROKEN_WGSL: &str = "@fragment fn f() -> @location(0) vec4f { return nothing; }";
/// Pipeline 1 passes colours through, 2 and 3 have their own, and 4 does not compile.
const OWN_COLORS: [(u32, Rgba); 2] = [(2, [51, 102, 153, 255]), (3, [255, 0, 204, 128])];
const BROKEN_PIPELINE: u32 = 4;
/// No device has a viewport of this side.
const TOO_LARGE_PX: u32 = 1 << 20;

/// The text of a fragment shader of one colour.
pub fn one_color_wgsl(rgba: Rgba) -> String {
    let [r, g, b, a] = rgba.map(|channel| f32::from(channel) / 255.0);
    format!("@fragment fn f() -> @location(0) vec4f {{ return vec4f({r:?}, {g:?}, {b:?}, {a:?}); }}")
}

/// Paint of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    /// Its own colour.
    Vertices(Rgba),
    /// That of a fragment shader, which can be edited.
    Shader(usize),
}

/// First column and row, and those after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pixels {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl Pixels {
    fn contains(&self, [x, y]: [u32; 2]) -> bool {
        (self.left..self.right).contains(&x) && (self.top..self.bottom).contains(&y)
    }
}

/// Effect of a command on the target.
#[derive(Clone, Debug)]
enum Mark {
    /// Nothing.
    None,
    Clear(Rgba),
    Draw(Vec<(Pixels, Paint)>),
    /// It is a draw that cannot be drawn.
    Bad,
}

/// Distance into a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// Before its first packet.
    Nothing,
    Frame,
    Draw(u32),
    Packet(u32),
}

/// Why there is no picture: some draw that it shows, or that its frame has, cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CannotBeDrawn;

/// Effect of a CLEAR or a DRAW of a frame on a pixel: its colour, if it wrote it.
pub type Touches = Vec<Option<Rgba>>;

/// A trace whose every pixel is known.
pub struct Rectangles {
    pub bytes: Vec<u8>,
    /// By frame, by command.
    frames: Vec<Vec<Mark>>,
    /// By fragment shader: its blob's id and colour.
    shaders: Vec<(u64, Rgba)>,
}

impl Rectangles {
    /// A random trace. One `with_bad_draws` has some that cannot be drawn.
    pub fn random(seed: u64, with_bad_draws: bool) -> Self {
        Maker::new(seed, with_bad_draws).make()
    }

    pub fn frame_count(&self) -> u32 {
        self.frames.len() as u32
    }

    pub fn packet_count(&self, frame: u32) -> u32 {
        self.frames[frame as usize].len() as u32
    }

    pub fn draw_count(&self, frame: u32) -> u32 {
        self.frames[frame as usize].iter().filter(|mark| is_draw(mark)).count() as u32
    }

    /// Number of shaders that can be edited.
    pub fn shader_count(&self) -> usize {
        self.shaders.len()
    }

    /// The id of a shader's blob.
    pub fn shader_blob(&self, shader: usize) -> u64 {
        self.shaders[shader].0
    }

    /// Gives a shader another colour.
    pub fn edit_shader(&mut self, shader: usize, rgba: Rgba) {
        self.shaders[shader].1 = rgba;
    }

    /// The picture of a frame as far as `end`, without the draws of the frame that `omits` names.
    pub fn picture(&self, frame: u32, end: End, omits: impl Fn(u32) -> bool) -> Result<Vec<u8>, CannotBeDrawn> {
        let mut rgba = vec![0; (WIDTH_PX * HEIGHT_PX * 4) as usize];
        self.paint(frame, self.own(frame, end), omits, |at, color, _| {
            let start = ((at[1] * WIDTH_PX + at[0]) * 4) as usize;
            rgba[start..start + 4].copy_from_slice(&color);
        })?;
        Ok(rgba)
    }

    /// The number of the command that wrote each pixel last, over all frames.
    pub fn writers(&self, frame: u32, end: End) -> Result<Vec<Option<u32>>, CannotBeDrawn> {
        let mut writers = vec![None; (WIDTH_PX * HEIGHT_PX) as usize];
        let note = |at: [u32; 2], _, number| writers[(at[1] * WIDTH_PX + at[0]) as usize] = Some(number);
        self.paint(frame, self.own(frame, end), |_| false, note)?;
        Ok(writers)
    }

    /// Number of writes to each pixel by the draws of a frame.
    pub fn counts(&self, frame: u32, end: End) -> Result<Vec<u32>, CannotBeDrawn> {
        let mut counts = vec![0; (WIDTH_PX * HEIGHT_PX) as usize];
        for mark in self.own(frame, end) {
            match mark {
                Mark::Bad => return Err(CannotBeDrawn),
                Mark::Draw(rectangles) => {
                    for (pixels, _) in rectangles {
                        each_pixel(pixels, |at| counts[(at[1] * WIDTH_PX + at[0]) as usize] += 1);
                    }
                }
                Mark::None | Mark::Clear(_) => {}
            }
        }
        Ok(counts)
    }

    /// Effects of the CLEARs and DRAWs of a frame on a pixel, and the colour that it had before.
    pub fn touches(&self, frame: u32, end: End, at: [u32; 2]) -> Result<(Rgba, Touches), CannotBeDrawn> {
        let mut before = [0; 4];
        let note = |painted, color, _| before = if painted == at { color } else { before };
        self.paint(frame, &[], |_| false, note)?;
        let mut touches = Vec::new();
        for mark in self.own(frame, end) {
            match mark {
                Mark::None => {}
                Mark::Bad => return Err(CannotBeDrawn),
                Mark::Clear(rgba) => touches.push(Some(*rgba)),
                Mark::Draw(rectangles) => {
                    let last = rectangles.iter().rfind(|(pixels, _)| pixels.contains(at));
                    touches.push(last.map(|(_, paint)| self.color(*paint)));
                }
            }
        }
        Ok((before, touches))
    }

    /// Whether a CLEAR of the frame is followed and preceded by draws, `end` being after it: what going back passes.
    pub fn clears_between_draws(&self, frame: u32, end: End) -> bool {
        let own = self.own(frame, end);
        let clear = own.iter().rposition(|mark| matches!(mark, Mark::Clear(_)));
        clear.is_some_and(|clear| own[..clear].iter().any(is_draw) && own[clear..].iter().any(is_draw))
    }

    /// Paints all before a frame and what it does itself, in order: at, colour, number of the command.
    fn paint(
        &self,
        frame: u32,
        own: &[Mark],
        omits: impl Fn(u32) -> bool,
        mut write: impl FnMut([u32; 2], Rgba, u32),
    ) -> Result<(), CannotBeDrawn> {
        let (mut number, mut is_known) = (0, true);
        for before in 0..=frame {
            let is_own = before == frame;
            let marks = if is_own { own } else { &self.frames[before as usize] };
            let mut draw = 0;
            for mark in marks {
                let is_omitted = is_own && is_draw(mark) && omits(draw);
                draw += u32::from(is_draw(mark));
                match mark {
                    _ if is_omitted => {}
                    Mark::None => {}
                    Mark::Clear(rgba) => {
                        is_known = true;
                        each_pixel(&WHOLE, |at| write(at, *rgba, number));
                    }
                    Mark::Draw(rectangles) => {
                        for (pixels, paint) in rectangles {
                            each_pixel(pixels, |at| write(at, self.color(*paint), number));
                        }
                    }
                    Mark::Bad if is_own => return Err(CannotBeDrawn),
                    Mark::Bad => is_known = false,
                }
                number += 1;
            }
        }
        if is_known { Ok(()) } else { Err(CannotBeDrawn) }
    }

    fn own(&self, frame: u32, end: End) -> &[Mark] {
        let marks = &self.frames[frame as usize];
        let count = match end {
            End::Nothing => 0,
            End::Frame => marks.len(),
            End::Packet(packet) => marks.len().min(packet as usize + 1),
            End::Draw(draw) => {
                let draws = marks.iter().enumerate().filter(|(_, mark)| is_draw(mark));
                draws.map(|(place, _)| place + 1).nth(draw as usize).unwrap()
            }
        };
        &marks[..count]
    }

    fn color(&self, paint: Paint) -> Rgba {
        match paint {
            Paint::Vertices(rgba) => rgba,
            Paint::Shader(shader) => self.shaders[shader].1,
        }
    }
}

const WHOLE: Pixels = Pixels { left: 0, top: 0, right: WIDTH_PX, bottom: HEIGHT_PX };

fn is_draw(mark: &Mark) -> bool {
    matches!(mark, Mark::Draw(_) | Mark::Bad)
}

fn each_pixel(pixels: &Pixels, mut each: impl FnMut([u32; 2])) {
    for y in pixels.top..pixels.bottom {
        for x in pixels.left..pixels.right {
            each([x, y]);
        }
    }
}

/// Corners in eighths of the viewport, from its top left; a colour.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
    rgba: Rgba,
}

impl Rectangle {
    fn to_bytes(self) -> Vec<u8> {
        let x = |eighths: i32| eighths as f32 / 4.0 - 1.0;
        let y = |eighths: i32| 1.0 - eighths as f32 / 4.0;
        let positions = super::scene::rectangle(x(self.left), y(self.bottom), x(self.right), y(self.top));
        vertices(&positions, self.rgba.map(|channel| f32::from(channel) / 255.0))
    }

    /// The pixels that it covers; `viewport_px` cuts, and so does the target.
    fn pixels(self, viewport_px: [u32; 2]) -> Pixels {
        let [width, height] = viewport_px.map(|side| side as i32);
        let x = |eighths: i32| (eighths * width / 8).clamp(0, width.min(WIDTH_PX as i32)) as u32;
        let y = |eighths: i32| (eighths * height / 8).clamp(0, height.min(HEIGHT_PX as i32)) as u32;
        Pixels { left: x(self.left), top: y(self.top), right: x(self.right), bottom: y(self.bottom) }
    }
}

/// A trace under construction, and what it means.
struct Maker {
    random: Random,
    scene: Scene,
    frames: Vec<Vec<Mark>>,
    shaders: Vec<(u64, Rgba)>,
    /// By id, what the rectangles in it are.
    buffers: Vec<Vec<Rectangle>>,
    bound: usize,
    /// The shader of the pipeline that is set, if it has a colour of its own.
    shader: Option<usize>,
    pipeline: u32,
    viewport_px: [u32; 2],
    with_bad_draws: bool,
}

impl Maker {
    fn new(seed: u64, with_bad_draws: bool) -> Self {
        Self {
            random: Random::new(seed),
            scene: Scene::new(),
            frames: Vec::new(),
            shaders: Vec::new(),
            buffers: Vec::new(),
            bound: 0,
            shader: None,
            pipeline: 1,
            viewport_px: [0, 0],
            with_bad_draws,
        }
    }

    fn make(mut self) -> Rectangles {
        for frame in 0..3 + self.random.below(5) {
            self.frame(frame);
        }
        Rectangles { bytes: self.scene.finish(), frames: self.frames, shaders: self.shaders }
    }

    fn frame(&mut self, frame: u32) {
        self.frames.push(Vec::new());
        self.scene.begin();
        if frame == 0 {
            self.prologue();
        }
        // A frame without a CLEAR draws on what is there.
        if self.random.one_in(2) {
            self.clear();
        }
        let draws = 1 + self.random.below(40);
        for _ in 0..draws {
            for _ in 0..self.random.below(3) {
                self.change();
            }
            self.draw();
        }
        if self.with_bad_draws && self.random.one_in(3) {
            self.bad_draw();
            if self.random.one_in(3) {
                self.clear();
            }
            self.draw();
        }
        self.mark(Mark::None);
        self.scene.end();
    }

    fn prologue(&mut self) {
        self.scene.shaders(1, 2, VERTEX_WGSL, FRAGMENT_WGSL).pipeline(1, 1, 2);
        self.scene.shader(3, 0, POSITION_ONLY_WGSL);
        self.marks(4);
        for (id, rgba) in OWN_COLORS {
            let wgsl_blob_id = self.scene.blob(BlobKind::ShaderWgsl, one_color_wgsl(rgba).as_bytes());
            let shader_id = 10 + id;
            self.scene.packet(Packet::CreateShader {
                shader_id,
                stage: 1,
                glsl_blob_id: 0,
                wgsl_blob_id,
                dxbc_blob_id: 0,
            });
            self.scene.pipeline(id, 3, shader_id);
            self.marks(2);
            self.shaders.push((wgsl_blob_id, rgba));
        }
        if self.with_bad_draws {
            self.scene.shader(20, 1, BROKEN_WGSL).pipeline(BROKEN_PIPELINE, 3, 20);
            self.marks(2);
        }
        self.set_pipeline(1);
        self.create_buffer();
        self.bind(0);
    }

    /// Takes note of a command.
    fn mark(&mut self, mark: Mark) {
        self.frames.last_mut().unwrap().push(mark);
    }

    fn marks(&mut self, count: usize) {
        self.frames.last_mut().unwrap().extend(std::iter::repeat_n(Mark::None, count));
    }

    /// Adds a command between two draws.
    fn change(&mut self) {
        match self.random.below(10) {
            0..=4 => self.upload(),
            5 => self.create_buffer(),
            6 => {
                let buffer = self.random.below(self.buffers.len() as u32) as usize;
                self.bind(buffer);
            }
            7 => {
                let pipeline = self.random.pick(&[1, 1, 2, 3]);
                self.set_pipeline(pipeline);
            }
            8 => {
                let sides = [0, 8, 16, 24, 32];
                let viewport_px = [0; 2].map(|_| self.random.pick(&sides));
                self.set_viewport(viewport_px);
            }
            _ if self.random.one_in(3) => self.clear(),
            _ => {}
        }
    }

    fn clear(&mut self) {
        let rgba = self.color();
        self.scene.clear(rgba.map(|channel| f32::from(channel) / 255.0));
        self.mark(Mark::Clear(rgba));
    }

    fn color(&mut self) -> Rgba {
        [0; 4].map(|_| self.random.below(256) as u8)
    }

    fn rectangle(&mut self) -> Rectangle {
        // One in eight reaches outside of the viewport, which cuts it.
        let reach = if self.random.one_in(8) { 4 } else { 0 };
        let mut pair = || {
            let start = self.random.below(8 + 2 * reach) as i32 - reach as i32;
            (start, start + 1 + self.random.below((8 + reach as i32 - start) as u32) as i32)
        };
        let ((left, right), (top, bottom)) = (pair(), pair());
        Rectangle { left, top, right, bottom, rgba: self.color() }
    }

    fn create_buffer(&mut self) {
        let count = 1 + self.random.below(5);
        let rectangles: Vec<Rectangle> = (0..count).map(|_| self.rectangle()).collect();
        let bytes: Vec<u8> = rectangles.iter().flat_map(|rectangle| rectangle.to_bytes()).collect();
        self.scene.buffer(self.buffers.len() as u32, &bytes);
        self.buffers.push(rectangles);
        self.marks(2);
    }

    fn bind(&mut self, buffer: usize) {
        self.scene.bind(buffer as u32);
        self.bound = buffer;
        self.mark(Mark::None);
    }

    fn set_pipeline(&mut self, pipeline_id: u32) {
        self.scene.packet(Packet::SetPipeline { pipeline_id });
        self.pipeline = pipeline_id;
        self.shader = OWN_COLORS.iter().position(|(id, _)| *id == pipeline_id);
        self.mark(Mark::None);
    }

    fn set_viewport(&mut self, viewport_px: [u32; 2]) {
        self.scene.viewport(viewport_px[0], viewport_px[1]);
        self.viewport_px = viewport_px;
        self.mark(Mark::None);
    }

    /// Replaces a rectangle, mostly in the buffer that is bound, in up to three pieces.
    fn upload(&mut self) {
        let others = self.random.below(self.buffers.len() as u32) as usize;
        let buffer = if self.random.one_in(4) { others } else { self.bound };
        let place = self.random.below(self.buffers[buffer].len() as u32) as usize;
        let mut new = self.rectangle();
        let old = self.buffers[buffer][place];
        if self.random.one_in(3) {
            // The same place in another colour.
            new = Rectangle { rgba: new.rgba, ..old };
        }
        self.buffers[buffer][place] = new;
        let bytes = new.to_bytes();
        let mut start = 0;
        for _ in 0..self.random.below(3) {
            let end = start + self.random.below((RECTANGLE_BYTES - start) as u32) as usize;
            self.upload_bytes(buffer, place, start, &bytes[start..end]);
            start = end;
        }
        self.upload_bytes(buffer, place, start, &bytes[start..]);
    }

    fn upload_bytes(&mut self, buffer: usize, place: usize, start: usize, bytes: &[u8]) {
        self.scene.upload(buffer as u32, (place * RECTANGLE_BYTES + start) as u32, bytes);
        self.mark(Mark::None);
    }

    fn draw(&mut self) {
        let rectangles = &self.buffers[self.bound];
        let first = self.random.below(rectangles.len() as u32) as usize;
        let count = 1 + self.random.below((rectangles.len() - first) as u32) as usize;
        let is_whole = self.viewport_px.contains(&0);
        let viewport_px = if is_whole { [WIDTH_PX, HEIGHT_PX] } else { self.viewport_px };
        let paint = |rgba| self.shader.map_or(Paint::Vertices(rgba), Paint::Shader);
        let drawn = rectangles[first..first + count].iter();
        let drawn: Vec<_> = drawn.map(|drawn| (drawn.pixels(viewport_px), paint(drawn.rgba))).collect();
        // One or two vertices more make no triangle.
        let more = if first + count < rectangles.len() { self.random.below(3) } else { 0 };
        self.scene.draw((first * CORNERS) as u32, (count * CORNERS) as u32 + more);
        self.mark(Mark::Draw(drawn));
    }

    /// A draw past its buffer, with a shader that does not compile, or with a viewport that no device has.
    fn bad_draw(&mut self) {
        match self.random.below(3) {
            0 => {
                let vertices = self.buffers[self.bound].len() * CORNERS;
                self.scene.draw(0, vertices as u32 + 3);
                self.mark(Mark::Bad);
            }
            1 => {
                let before = self.pipeline;
                self.set_pipeline(BROKEN_PIPELINE);
                self.scene.draw(0, 3);
                self.mark(Mark::Bad);
                self.set_pipeline(before);
            }
            _ => {
                let before = self.viewport_px;
                self.set_viewport([TOO_LARGE_PX, 8]);
                self.scene.draw(0, 3);
                self.mark(Mark::Bad);
                self.set_viewport(before);
            }
        }
    }
}
