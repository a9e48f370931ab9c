//! What calls mean for a timeline, by their name.

/// A kind of span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpanKind {
    /// `glPushDebugGroup` .. `glPopDebugGroup`.
    Group,
    /// `glPushGroupMarkerEXT` .. `glPopGroupMarkerEXT`.
    Marker,
    /// `glBeginQuery` .. `glEndQuery`, one at a time for each target.
    Query,
    /// `glBeginTransformFeedback` .. `glEndTransformFeedback`.
    Feedback,
    /// `wip15BeginTest` .. `wip15EndTest`.
    Test,
}

impl SpanKind {
    /// Name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Marker => "marker",
            Self::Query => "query",
            Self::Feedback => "xfb",
            Self::Test => "test",
        }
    }

    /// Heading of its track.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Group => "debug groups",
            Self::Marker => "group markers",
            Self::Query => "queries",
            Self::Feedback => "transform feedback",
            Self::Test => "tests",
        }
    }
}

/// What a call means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A call like any other.
    Plain,
    /// A call that draws.
    Draw,
    /// Ends a frame; the drawable is this argument.
    Swap { drawable: Option<usize> },
    /// Makes the context in this argument current, if its result is true.
    MakeCurrent { context: usize },
    /// Begins a span.
    Begin(SpanKind),
    /// Ends a span.
    End(SpanKind),
    /// `glDebugMessageInsert`.
    Message,
    /// A marker with its length in argument 0 and its text in argument 1.
    TextMarker,
    /// The recorder noticed a new size of the drawable.
    Size,
    /// Names an object; length and text are the last two arguments.
    Label { length: usize },
    /// Asks for the time at which the GPU gets here.
    QueryCounter,
    /// Gets a query's result.
    QueryResult,
    /// Written by the recorder, not called by the program.
    Pseudo,
}

/// The role of the function `name`.
pub(super) fn role_of(name: &[u8]) -> Role {
    match name {
        b"glXSwapBuffers"
        | b"glXSwapBuffersMscOML"
        | b"eglSwapBuffers"
        | b"eglSwapBuffersWithDamageKHR"
        | b"eglSwapBuffersWithDamageEXT" => Role::Swap { drawable: Some(1) },
        b"wglSwapBuffers" | b"SwapBuffers" => Role::Swap { drawable: Some(0) },
        b"glFrameTerminatorGREMEDY" => Role::Swap { drawable: None },
        b"glXMakeCurrent" => Role::MakeCurrent { context: 2 },
        b"glXMakeContextCurrent" => Role::MakeCurrent { context: 3 },
        b"glPushDebugGroup" => Role::Begin(SpanKind::Group),
        b"glPopDebugGroup" => Role::End(SpanKind::Group),
        b"glPushGroupMarkerEXT" => Role::Begin(SpanKind::Marker),
        b"glPopGroupMarkerEXT" => Role::End(SpanKind::Marker),
        b"glBeginQuery" => Role::Begin(SpanKind::Query),
        b"glEndQuery" => Role::End(SpanKind::Query),
        b"glBeginTransformFeedback" => Role::Begin(SpanKind::Feedback),
        b"glEndTransformFeedback" => Role::End(SpanKind::Feedback),
        b"wip15BeginTest" => Role::Begin(SpanKind::Test),
        b"wip15EndTest" => Role::End(SpanKind::Test),
        b"glDebugMessageInsert" => Role::Message,
        b"glInsertEventMarkerEXT" | b"glStringMarkerGREMEDY" => Role::TextMarker,
        b"glDrawableSizeWIP15" | b"wip15DrawableSize" => Role::Size,
        b"glObjectLabel" => Role::Label { length: 2 },
        b"glObjectPtrLabel" => Role::Label { length: 1 },
        b"glQueryCounter" => Role::QueryCounter,
        b"glGetQueryObjectiv" | b"glGetQueryObjectuiv" | b"glGetQueryObjecti64v" | b"glGetQueryObjectui64v" => {
            Role::QueryResult
        }
        b"glDrawBuffer" | b"glDrawBuffers" => Role::Plain,
        _ if name.starts_with(b"glDraw") && !name.ends_with(b"WIP15") => Role::Draw,
        _ if name.starts_with(b"glMultiDraw") => Role::Draw,
        _ if name.starts_with(b"wip15") || name.ends_with(b"WIP15") => Role::Pseudo,
        _ => Role::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_told_from_their_neighbours() {
        assert_eq!(role_of(b"glDrawArrays"), Role::Draw);
        assert_eq!(role_of(b"glMultiDrawElementsIndirect"), Role::Draw);
        assert_eq!(role_of(b"glDrawBuffers"), Role::Plain);
        assert_eq!(role_of(b"glDrawableSizeWIP15"), Role::Size);
        assert_eq!(role_of(b"glTestFBWIP15"), Role::Pseudo);
        assert_eq!(role_of(b"wip15ExpectPropertyi"), Role::Pseudo);
    }
}
