//! Questions about buffers, textures and vertices, judged by [`PlainContents`].

use super::support::plain_contents::{PlainContents, PlainMesh, PlainObject, PlainShape};
use super::support::plain_subjects::NO_HANDLE;
use super::support::plain_trace::PlainRow;
use super::support::random::Random;
use super::{ADAPTER, Asked, Subject};
use serde_json::{Value, json};

/// One question in so many about a texture is asked of the program.
const TEXTURES_OF_THE_PROGRAM: u32 = 4;

impl Subject {
    /// A packet of a frame.
    fn packet(&self, random: &mut Random) -> (u32, &PlainRow) {
        loop {
            let frame = random.below(self.frame_count());
            let row = self.row(frame, random.below(self.row_count(frame)));
            if row.packet.is_some() {
                return (frame, row);
            }
        }
    }

    fn contents(&self, frame: u32, row: &PlainRow) -> PlainContents<'_> {
        PlainContents::behind(&self.plain, frame as usize, row.packet.expect("a packet"))
    }
}

/// One of the objects that are alive and of a kind, if there is one.
fn object<'a>(
    contents: &'a PlainContents<'_>,
    random: &mut Random,
    is_wanted: fn(&PlainObject) -> bool,
) -> Option<&'a PlainObject> {
    let alive: Vec<&PlainObject> = contents.alive().into_iter().filter(|object| is_wanted(object)).collect();
    (!alive.is_empty()).then(|| alive[random.below(alive.len() as u32) as usize])
}

impl Asked<'_> {
    /// Bytes of a buffer at a place, and who wrote them.
    pub(super) fn buffer(&mut self, random: &mut Random) {
        let subject = self.subject;
        let (frame, row) = subject.packet(random);
        let contents = subject.contents(frame, row);
        let Some(buffer) = object(&contents, random, |object| object.shape == PlainShape::Buffer) else { return };
        let expected = buffer.contents();
        let start = random.below(expected.len() as u32) as usize;
        let end = start + 1 + random.below((expected.len() - start) as u32) as usize;
        let (packet, id) = (row.packet, buffer.handle);
        let params = json!({ "frame": frame, "packet": packet, "id": id, "start": start, "end": end });
        let answer = self.result("buffer", params);
        self.check_stretches(&answer, buffer, start..end);
        let hex: String = expected[start..end].iter().map(|(byte, _)| format!("{byte:02x}")).collect();
        assert_eq!(answer["hex"], hex, "{}: {answer}", self.what);
        if self.of_the_program {
            let line = format!("--frame {frame} --packet {} --id {id} --range {start}-{end}", packet.unwrap());
            let lines = self.lines("buffer", &line);
            self.check_stretches(&lines[0], buffer, start..end);
        }
    }

    /// Stretches without gaps whose bytes in the file are the object's, each written by whom it names.
    fn check_stretches(&self, answer: &Value, object: &PlainObject, range: std::ops::Range<usize>) {
        let (what, file, expected) = (&self.what, &self.subject.plain.bytes, object.contents());
        assert_eq!(answer["size_bytes"], expected.len(), "{what}: {answer}");
        assert_eq!(answer["created_at"]["offset"], object.created_at, "{what}: {answer}");
        let mut at = range.start;
        for stretch in answer["ranges"].as_array().unwrap() {
            let bound = |name: &str| stretch[name].as_u64().unwrap() as usize;
            let (start, end) = (bound("start"), bound("end").min(range.end));
            assert!(start <= at && end > at, "{what}: {stretch} at {at}");
            let origin = &stretch["origin"];
            let from = origin["file_offset"].as_u64().map(|from| from as usize);
            let written = if stretch["written_by"].is_null() { &origin["at"] } else { &stretch["written_by"] };
            for (number, (byte, writer)) in expected[at..end].iter().enumerate() {
                let found = from.map_or(0, |from| file[from + at + number - start]);
                assert_eq!(found, *byte, "{what}: byte {} of {stretch}", at + number);
                // What guest memory held at the creation is nobody's.
                if let Some(writer) = writer {
                    assert_eq!(written["offset"], *writer, "{what}: byte {} of {stretch}", at + number);
                }
            }
            at = end;
        }
        assert_eq!(at, range.end, "{what}: {answer}");
    }

    /// Size, format and mips of a texture at a place, and its bytes where nothing but uploads wrote them.
    pub(super) fn texture(&mut self, random: &mut Random) {
        let subject = self.subject;
        let (frame, row) = subject.packet(random);
        let contents = subject.contents(frame, row);
        let is_texture = |object: &PlainObject| object.shape != PlainShape::Buffer;
        let Some(texture) = object(&contents, random, is_texture) else { return };
        let PlainShape::Texture { format, width, height, mips, layers, .. } = texture.shape else { unreachable!() };
        let (handle, packet) = (texture.handle, row.packet.unwrap());
        let is_color = ![32, 33].contains(&format);
        if is_color {
            let answer = self.result("hash", json!({ "frame": frame, "packet": packet, "target": handle.to_string() }));
            assert_eq!((&answer["width"], &answer["height"]), (&json!(width), &json!(height)), "{}", self.what);
        }
        if !(self.of_the_program || random.one_in(TEXTURES_OF_THE_PROGRAM)) {
            return;
        }
        let lines = self.lines("texture", &format!("--frame {frame} --packet {packet} {handle}"));
        let size = format!("{width}x{height} of {}", format_name(format));
        assert!(lines[0]["description"].as_str().unwrap().ends_with(&size), "{}: {}", self.what, lines[0]);
        assert_eq!((&lines[0]["mip"], &lines[0]["layer"]), (&json!(0), &json!(0)), "{}", self.what);
        let length = texture.contents().len();
        match texture.is_drawn {
            true => assert_eq!(lines[0]["size_bytes"], length, "{}: {}", self.what, lines[0]),
            false => self.check_stretches(&lines[0], texture, 0..length),
        }
        for beyond in [format!("{handle}:{mips}"), format!("{handle}:0:{layers}")] {
            self.refuses("texture", &format!("--frame {frame} --packet {packet} {beyond}"));
        }
    }

    /// Vertices, instances and triangles of a draw.
    pub(super) fn mesh(&mut self, random: &mut Random) {
        let subject = self.subject;
        let frame = random.below(subject.frame_count());
        let draws = subject.plain.draws(frame as usize);
        if draws.is_empty() {
            return;
        }
        let number = random.below(draws.len() as u32);
        let draw = draws[number as usize];
        let contents = subject.contents(frame, draw);
        // It is one of the faults.
        if contents.vertex_shader(draw) == NO_HANDLE {
            return;
        }
        let expected = contents.mesh(draw);
        let instance = random.below(expected.instances);
        let answer = self.result("mesh", json!({ "frame": frame, "draw": number, "instance": instance }));
        let counts = (&answer["vertex_count"], &answer["triangle_count"]);
        let should_be = (&json!(expected.vertices.len()), &json!(expected.triangles));
        assert_eq!(counts, should_be, "{}: {expected:?}", self.what);
        let indices = |vertices: &mut dyn Iterator<Item = &Value>| -> Vec<u32> {
            vertices.map(|vertex| vertex["index"].as_u64().unwrap() as u32).collect()
        };
        let vertices = answer["vertices"].as_array().unwrap();
        assert_eq!(indices(&mut vertices.iter()), expected.vertices, "{}", self.what);
        self.check_head(&answer, &expected);
        if self.of_the_program {
            let adapter = ADAPTER.join(" ");
            let lines = self.lines("mesh", &format!("--frame {frame} --draw {number} --instance {instance} {adapter}"));
            self.check_head(&lines[0], &expected);
            let is_vertex = |line: &&Value| line["type"] == "mesh-vertex";
            assert_eq!(indices(&mut lines.iter().filter(is_vertex)), expected.vertices, "{}", self.what);
            let triangles = lines.iter().filter(|line| line["type"] == "mesh-triangle");
            assert_eq!(triangles.count(), expected.triangles, "{}", self.what);
        }
    }

    fn check_head(&self, head: &Value, expected: &PlainMesh) {
        // Without a viewport, that of Appendix A is the whole target.
        let target = [0, 1].map(|side| head["target_px"][side].as_u64().unwrap() as f32);
        let whole = [0.0, 0.0, target[0], target[1]];
        let [left, top, width, height] = if expected.viewport == [0.0; 4] { whole } else { expected.viewport };
        let found = (&head["instance_count"], &head["viewport_origin_px"], &head["viewport_px"]);
        let size = [width, height].map(|side| side.ceil() as u32);
        let origin: Vec<f64> = found.1.as_array().unwrap().iter().map(|side| side.as_f64().unwrap()).collect();
        assert_eq!(origin, [left, top].map(f64::from), "{}: {head}", self.what);
        assert_eq!((found.0, found.2), (&json!(expected.instances), &json!(size)), "{}: {head}", self.what);
    }
}

fn format_name(format: u32) -> &'static str {
    match format {
        1 => "B8G8R8A8_UNORM",
        2 => "B8G8R8X8_UNORM",
        3 => "R8G8B8A8_UNORM",
        32 => "D24_UNORM_S8_UINT",
        33 => "D32_FLOAT",
        64 => "BC1_RGBA_UNORM",
        other => panic!("format {other}"),
    }
}
