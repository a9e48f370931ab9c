// Answers of the methods of `serve`, as far as the page uses them. `docs/serve.md` describes the methods, and
// `docs/json-lines.schema.json` all of their fields.

export type Params = Record<string, unknown>;

export interface At {
  offset: number;
  frame: number;
  packet: number;
  submission?: number;
  context?: number;
}

export interface Faults {
  count: number;
  kinds: { subject: string; kind: string; count: number; problem: string; first: At; last: At; message: string }[];
}

export interface OpenAnswer {
  trace: number;
  frames: number;
  size: [number, number];
  size_bytes: number;
  container_version: number;
  warnings: string[];
  read_error: string | { message: string; offset?: number | null } | null;
  faults: Faults;
}

export interface ImageAnswer {
  frame: number;
  place: string;
  width: number;
  height: number;
  sha256: string;
  /** In base64, in the form `png`. */
  png?: string;
  /** Four bytes a pixel, in the form `pixels`. */
  rgba?: Uint8Array;
  target: string | null;
}

export interface LegendEntry {
  color: string;
  pixels: number;
  meaning: string;
}

export interface OverlayAnswer extends ImageAnswer {
  kind: string;
  legend: LegendEntry[];
}

export interface DrawTarget {
  texture: number | null;
  aspect: "color" | "depth" | "stencil";
  mip: number;
  layer: number;
  name?: string;
}

export interface DrawRow {
  draw: number;
  offset: number;
  packet: number;
  submission: number | null;
  context: number | null;
  markers: string[];
  name: string;
  vertex_count?: number;
  index_count?: number;
  first_vertex?: number;
  first_index?: number;
  base_vertex?: number;
  instance_count?: number;
  first_instance?: number;
  targets: DrawTarget[];
  shaders: Record<string, number>;
}

export interface DrawsAnswer {
  frame: number;
  draw_count: number;
  draws: DrawRow[];
}

export interface EventRow {
  frame: number;
  row: number;
  draw: number | null;
  packet: number | null;
  offset: number;
  size_bytes: number;
  name: string;
  arguments: Record<string, unknown> | null;
  meanings?: Record<string, string | null>;
  marker?: string;
  markers?: string[];
  resource_names?: Record<string, string>;
  notes: { row: number; offset: number; kind: string; message: string }[];
}

export interface EventsAnswer {
  frame: number;
  offset: number;
  size_bytes: number;
  packets: number;
  draws: number;
  matching_rows: number | null;
  rows: EventRow[];
  error: string | { message: string; offset?: number | null } | null;
  notes_dropped: number;
}

export interface Setting {
  group: string;
  name: string;
  value: string;
  handle?: number;
  set_at: At | null;
}

/** Object of a submission, which has a handle, or of Appendix A, which has an id. */
export interface LiveObject {
  kind: string;
  handle?: number;
  id?: number;
  name?: string;
  description?: string;
  size_bytes?: number;
  stage?: string | null;
  is_named?: boolean;
  use_count?: number;
  created_at: At;
}

export interface AppendixAShader {
  id: number;
  entry_point: string | null;
  created_at: At;
}

export interface StateAnswer {
  place: { frame: number; point: string | { draw?: number; packet?: number } };
  drawing: { name?: string; draw?: number; at: At; vertex_count?: number; first_vertex?: number } | null;
  context?: number;
  contexts?: number[];
  settings?: Setting[];
  objects: LiveObject[];
  pipeline?: {
    id: number;
    created_at: At;
    set_at: At;
    vertex: AppendixAShader | null;
    fragment: AppendixAShader | null;
    language: string | null;
    problem: string | null;
  } | null;
  vertices?: {
    id: number;
    set_at: At;
    size_bytes: number;
    layout: { stride_bytes: number; position_offset_bytes: number; color_offset_bytes: number };
    is_replaced: boolean;
  } | null;
  viewport?: { set_at: At; size_px: number[] | null } | null;
}

export interface Issue {
  severity?: string;
  stage?: string | null;
  line: number | null;
  column: number | null;
  message: string;
  hint?: string | null;
}

export interface ShaderText {
  language: string;
  record_offset: number;
  size_bytes: number;
  text: string;
  replacement: string | null;
}

export interface ShaderStage {
  id: number;
  stage: string;
  texts: ShaderText[];
}

export interface Assembly {
  stage: string;
  handle: number;
  code_offset: number;
  size_bytes: number;
  purpose: string | null;
  assembly: string | null;
  error: string | null;
  replacement: string | null;
}

export interface ShadersAnswer {
  shaders?: Assembly[];
  vertex?: ShaderStage | null;
  fragment?: ShaderStage | null;
  compiled?: { language: string; is_used: boolean; issues: Issue[]; remarks?: Issue[] }[];
}

export interface EditAnswer {
  issues: Issue[];
  remarks?: Issue[];
  reverted?: boolean;
  is_used?: boolean;
}

export interface StreamAttribute {
  name: string;
  format: string;
  offset_bytes: number;
}

export interface VertexStream {
  slot: number;
  buffer: number;
  name?: string;
  stride_bytes: number;
  attributes: StreamAttribute[];
  row_count: number;
  rows: { row: number; offset_bytes: number; values: (number[] | null)[] }[];
}

export interface BufferAnswer {
  id?: number;
  name?: string;
  size_bytes?: number;
  start?: number;
  end?: number;
  hex?: string;
  ranges?: { start: number; end: number; origin: { kind: string; at?: At }; written_by?: At }[];
  vertices?: {
    layout: { stride_bytes: number };
    rows: { vertex: number; offset_bytes: number; position: number[]; color: number[] }[];
  } | null;
  streams?: VertexStream[];
}

export interface MeshVertex {
  index: number;
  position: number[] | null;
  color: number[] | null;
  inputs?: (number[] | null)[];
  clip: number[] | null;
  ndc: number[] | null;
  window: number[] | null;
  outputs: (number[] | null)[];
}

export interface MeshAnswer {
  topology: string;
  instance: number;
  instance_count: number;
  target_px: [number, number];
  viewport_px: [number, number] | null;
  inputs: { location: number; name: string; type: string }[];
  outputs: { location: number; name: string; type: string }[];
  vertex_count: number;
  triangle_count: number;
  vertices_omitted: number;
  first: number;
  vertices: MeshVertex[];
  triangles: { vertices: number[]; area_px: number | null; facing: string | null; outcome: string }[];
}

export type Rgba = [number, number, number, number];

export interface PixelRow {
  type: "pixel-start" | "pixel-event" | "pixel-end";
  frame?: number;
  draw?: number | null;
  packet?: number;
  offset?: number;
  command?: string;
  wrote?: boolean;
  before?: Rgba | null;
  after?: Rgba;
  rgba?: Rgba | null;
  rgba_float?: number[] | null;
  reason?: string;
  message?: string;
  cause?: string;
  blending?: string;
  triangle?: number;
  origin?: string;
  origin_frame?: number | null;
  origin_packet?: number | null;
  origin_draw?: number | null;
  texture?: number | null;
  name?: string;
  writes?: number;
  error?: string | null;
  sources?: { texture: number | null; name: string | null; draw: number }[];
}

export interface Finding {
  rule: string;
  offset: number;
  message: string;
  kind: string | null;
  ends_submission: boolean | null;
  frame: number | null;
  packet: number | null;
  group: string;
  count: number;
}

export interface PassId {
  frame: number;
  pass: number;
  /** The packet of its last command. */
  packet: number;
}

export interface PassResource {
  resource: "back_buffer" | "buffer" | "texture" | "guest_memory";
  handle: number | null;
  name?: string;
  size_bytes?: number;
  size_px?: [number, number];
  format?: string;
}

export interface Pass {
  pass: number;
  kind: "uploads" | "draws" | "dispatches" | "copies" | "present";
  offset: number;
  packet: number;
  commands: number;
  first_draw: number | null;
  draw_count: number;
  targets: DrawTarget[];
  reads: (PassResource & { how: "reads" | "tests" | "writes_over"; from: PassId[]; has_unwritten: boolean })[];
  writes: (PassResource & {
    fate: "read" | "own" | "overwritten" | "unread";
    read_by: PassId[];
    more_frames: number;
  })[];
  could_join: number | null;
}

export interface PassesAnswer {
  frame: number;
  pass_count: number;
  passes: Pass[];
}

export interface SettingDifference {
  group: string;
  name: string;
  a: string | null;
  b: string | null;
}

export interface DifferenceSide {
  name: string;
  arguments: string;
  offset: number;
  frame: number;
  packet: number;
  draw: number | null;
}

export interface CompareAnswer {
  frames_a: number;
  frames_b: number;
  identical: number;
  different: number;
  unmatched_a: number[];
  unmatched_b: number[];
  frames: { frame: number; frame_b: number | null; is_same: boolean }[];
  first: {
    frame: number;
    frame_b: number;
    draw: number | null;
    commands: { differs_in: string[]; a: DifferenceSide | null; b: DifferenceSide | null }[];
    has_more_commands: boolean;
    settings: SettingDifference[];
    shaders: { name: string; lines: { side: "a" | "b" | "both"; number: number; text: string }[] }[];
  } | null;
}

export interface TrimAnswer {
  frames: string;
  frame_count: number;
  size_bytes: number;
  source_size_bytes: number;
  earlier_commands: number;
  bytes: string;
}

export interface NoteSpan {
  name: string;
  start: number;
  end: number | null;
  depth: number;
}

export interface NoteTrack {
  name: string;
  /** "stack", "steps", "marks", "ranges", "instants" or "counter". */
  kind: string;
  spans: NoteSpan[];
  instants: { name: string; at: number }[];
  /** Values of a counter, each until the next. */
  samples: { value: number; at: number }[];
}

export interface AnnotationsAnswer {
  format: string;
  title: string | null;
  unit: string;
  start: number;
  end: number;
  /** Number of all frames, of which `frames` has the first. */
  frame_count: number;
  frames: { number: number; start: number; end: number | null }[];
  tracks: NoteTrack[];
  left_out: number;
  warnings: string[];
  error: string | null;
  matched?: { frame: number; note_frame: number; start: number; end: number | null }[];
  /** Sentence about how frames were matched, or why not. */
  alignment?: string | null;
  not_aligned?: string | null;
}

export interface SeekAnswer {
  frame: number;
  draw: number | null;
  packet: number | null;
  place: string;
}

export interface Answers {
  open: OpenAnswer;
  close: null;
  seek: SeekAnswer;
  image: ImageAnswer;
  overlay: OverlayAnswer;
  draws: DrawsAnswer;
  events: EventsAnswer;
  find: EventRow | null;
  state: StateAnswer;
  shaders: ShadersAnswer;
  edit: EditAnswer;
  buffer: BufferAnswer;
  mesh: MeshAnswer;
  pixel: { events: PixelRow[] };
  lint: { findings: Finding[] };
  passes: PassesAnswer;
  compare: CompareAnswer;
  trim: TrimAnswer;
  annotations: AnnotationsAnswer;
}
