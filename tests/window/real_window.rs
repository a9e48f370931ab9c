//! The window, for real: the program under Xvfb, driven by keys, its screen compared with the headless pictures.

use crate::support;
use support::harness::Trial;

#[cfg(not(target_os = "linux"))]
pub fn trials() -> Vec<Trial> {
    let trial = Trial::test("the_window_test_needs_linux", || Ok(())).with_ignored_flag(true);
    vec![trial]
}

#[cfg(target_os = "linux")]
pub fn trials() -> Vec<Trial> {
    use std::process::Command;
    let has_xvfb = Command::new("Xvfb").arg("-help").output().is_ok();
    let can_run = has_xvfb && support::software::gpu().is_some() || support::is_ci();
    let tests: [(&str, fn()); 18] = [
        ("keys_step_through_the_frames_and_the_screen_shows_them", on_x11::keys_step_through_the_frames),
        ("panels_surround_the_picture", on_x11::panels_surround_the_picture),
        ("every_spelling_of_a_place_shows_it", on_x11::every_spelling_of_a_place_shows_it),
        ("alone_the_program_opens_its_start_page", on_x11::alone_the_program_opens_its_start_page),
        ("where_no_portal_answers_there_is_our_dialog", on_x11::where_no_portal_answers_there_is_our_dialog),
        ("a_resized_window_shows_the_picture_in_its_middle", on_x11::a_resized_window_fits_the_picture),
        ("a_minimised_window_comes_back_with_its_picture", on_x11::a_minimised_window_comes_back),
        ("a_change_of_dpi_resizes_the_window_and_its_picture", on_x11::a_change_of_dpi_is_followed),
        ("a_window_that_is_taken_away_ends_the_program", on_x11::a_window_that_is_taken_away_ends_the_program),
        ("playing_paces_frames_and_stops_at_the_end", on_x11::playing_stops_at_the_end),
        (
            "a_driver_that_does_not_come_back_holds_up_nothing",
            on_x11::a_driver_that_does_not_come_back_holds_up_nothing,
        ),
        ("a_signal_saves_what_was_written", on_x11::a_signal_saves_what_was_written),
        ("a_signal_does_not_wait_for_the_driver", on_x11::a_signal_does_not_wait_for_the_driver),
        ("what_is_odd_about_a_trace_is_counted_in_the_bar", on_x11::what_is_odd_about_a_trace_is_counted),
        ("at_rest_nothing_is_drawn", on_x11::at_rest_nothing_is_drawn),
        ("the_window_closes_by_itself", on_x11::the_window_closes_by_itself),
        ("without_a_display_there_is_an_error", on_x11::without_a_display_there_is_an_error),
        ("a_scale_factor_that_is_none_is_refused", on_x11::a_scale_factor_that_is_none_is_refused),
    ];
    let trial = |(name, test): (&str, fn())| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(!can_run)
    };
    tests.map(trial).into()
}

#[cfg(target_os = "linux")]
mod on_x11 {
    use std::fs::File;
    use std::io::{BufRead, BufReader};
    use std::path::Path;
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::sync::Arc;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use aerogpu_replay::abi::reference::Packet;
    use aerogpu_replay::bytes::{Diagnostics, FileSource};
    use aerogpu_replay::command::Place;
    use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
    use aerogpu_replay::pixels::{Picture, Size, read_png};
    use aerogpu_replay::player::{DrawSelection, Player, Variant};
    use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};
    use x11rb::connection::Connection;
    use x11rb::protocol::xproto::{
        self, AtomEnum, ConfigureWindowAux, ConnectionExt as _, ImageFormat, InputFocus, PropMode,
    };
    use x11rb::protocol::xtest::ConnectionExt as _;
    use x11rb::rust_connection::RustConnection;
    use x11rb::wrapper::ConnectionExt as _;

    use super::support::raw::RawTrace;
    use super::support::scene::{BLUE, GREEN, Scene, VERTEX_WGSL, rectangle, vertices};
    use super::support::{fixture, software};

    const PATIENCE: Duration = Duration::from_secs(90);

    /// Asks until there is an answer.
    fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(answer) = ask() {
                return answer;
            }
            assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
            sleep(Duration::from_millis(20));
        }
    }

    /// An X server without a screen.
    struct Display {
        server: Child,
        name: String,
    }

    impl Display {
        fn start() -> Self {
            let arguments = ["-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"];
            let mut command = Command::new("Xvfb");
            command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut server = command.spawn().expect("Xvfb is missing: .ci/setup installs it");
            let mut number = String::new();
            BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
            Self { server, name: format!(":{}", number.trim()) }
        }
    }

    impl Drop for Display {
        fn drop(&mut self) {
            let _ = self.server.kill();
            let _ = self.server.wait();
        }
    }

    /// The program, and a client that looks at its window.
    struct Session {
        program: Child,
        client: RustConnection,
        root: u32,
        window: u32,
        folder: tempfile::TempDir,
        _display: Display,
    }

    impl Session {
        fn start(trace: &Path, arguments: &[&str]) -> Self {
            Self::start_on(Display::start(), trace, arguments)
        }

        fn start_on(display: Display, trace: &Path, arguments: &[&str]) -> Self {
            let name = trace.file_name().unwrap().to_str().unwrap().to_owned();
            Self::start_titled(display, &name, |command| command.arg(trace).args(arguments))
        }

        /// The program with the arguments that `with` gives it; its window's title has `name` in it.
        fn start_titled(display: Display, name: &str, with: impl FnOnce(&mut Command) -> &mut Command) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let mut command = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
            // A pipe would tell that a script has called.
            command.current_dir(folder.path()).stdout(Stdio::null());
            with(&mut command);
            command.env("XDG_STATE_HOME", folder.path().join("state"));
            command.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY");
            command.stderr(File::create(folder.path().join("stderr.txt")).unwrap());
            let program = command.spawn().unwrap();
            let (client, screen) = x11rb::connect(Some(&display.name)).unwrap();
            let root = client.setup().roots[screen].root;
            let window = wait_for("the window", || {
                let children = client.query_tree(root).ok()?.reply().ok()?.children;
                let is_shown = |window: &u32| {
                    let attributes = client.get_window_attributes(*window).ok().and_then(|cookie| cookie.reply().ok());
                    attributes.is_some_and(|attributes| attributes.map_state == xproto::MapState::VIEWABLE)
                };
                children.into_iter().filter(is_shown).find(|window| title(&client, *window).contains(name))
            });
            // There is no window manager that would give it the focus.
            client.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).unwrap().check().unwrap();
            Self { program, client, root, window, folder, _display: display }
        }

        fn press(&self, keysym: u32) {
            self.send(keysym, xproto::KEY_PRESS_EVENT);
            self.send(keysym, xproto::KEY_RELEASE_EVENT);
        }

        /// Presses a letter with Ctrl.
        fn control(&self, letter: u8) {
            self.send(CONTROL, xproto::KEY_PRESS_EVENT);
            self.press(u32::from(letter));
            self.send(CONTROL, xproto::KEY_RELEASE_EVENT);
        }

        fn quit(&self) {
            self.control(b'q');
        }

        fn send(&self, keysym: u32, event: u8) {
            let setup = self.client.setup();
            let (first, last) = (setup.min_keycode, setup.max_keycode);
            let mapping = self.client.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
            let per_key = usize::from(mapping.keysyms_per_keycode);
            let index = mapping.keysyms.chunks(per_key).position(|keysyms| keysyms[0] == keysym).unwrap();
            let keycode = first + index as u8;
            self.client.xtest_fake_input(event, keycode, 0, self.root, 0, 0, 0).unwrap().check().unwrap();
        }

        fn wait_for_title(&self, part: &str) {
            wait_for(part, || title(&self.client, self.window).contains(part).then_some(()));
        }

        /// The window's pixels: width, height, and red, green, blue of each.
        fn screenshot(&self) -> (u32, u32, Vec<[u8; 3]>) {
            let geometry = self.client.get_geometry(self.window).unwrap().reply().unwrap();
            let (width, height) = (geometry.width, geometry.height);
            let image = self.client.get_image(ImageFormat::Z_PIXMAP, self.window, 0, 0, width, height, u32::MAX);
            let data = image.unwrap().reply().unwrap().data;
            let pixels = data.chunks_exact(4).map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
            (u32::from(width), u32::from(height), pixels)
        }

        /// Waits until every pixel of the window is the one of `picture` that belongs there.
        fn wait_for_picture(&self, picture: &Picture, what: &str) {
            wait_for(what, || {
                let (width, height, pixels) = self.screenshot();
                let expected = expected_screen(picture, width, height);
                (pixels == expected).then_some(())
            });
        }

        /// Output of the program so far.
        fn words(&self) -> String {
            std::fs::read_to_string(self.folder.path().join("stderr.txt")).unwrap()
        }

        fn wait_for_exit(mut self) -> ExitStatus {
            wait_for("the program's end", || self.program.try_wait().unwrap())
        }
    }

    impl Drop for Session {
        fn drop(&mut self) {
            let _ = self.program.kill();
            let _ = self.program.wait();
        }
    }

    fn title(client: &RustConnection, window: u32) -> String {
        let property = client.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 1000);
        let reply = property.ok().and_then(|cookie| cookie.reply().ok());
        reply.map_or(String::new(), |reply| String::from_utf8_lossy(&reply.value).into_owned())
    }

    /// Picture in a window of this size: as large as fits, in the middle, nearest pixel, on a dark margin.
    fn expected_screen(picture: &Picture, width: u32, height: u32) -> Vec<[u8; 3]> {
        let size = picture.size();
        let scale = (f64::from(width) / f64::from(size.width_px)).min(f64::from(height) / f64::from(size.height_px));
        let side = |side: u32| (f64::from(side) * scale).round() as u32;
        let (shown_width, shown_height) = (side(size.width_px), side(size.height_px));
        let (left, top) = ((width - shown_width) / 2, (height - shown_height) / 2);
        let pixel = |x: u32, y: u32| -> [u8; 3] {
            let inside = (left..left + shown_width).contains(&x) && (top..top + shown_height).contains(&y);
            if !inside {
                return [33; 3];
            }
            let texel = |at: u32, shown: u32, texels: u32| {
                ((f64::from(at) + 0.5) * f64::from(texels) / f64::from(shown)) as u32
            };
            let (column, row) =
                (texel(x - left, shown_width, size.width_px), texel(y - top, shown_height, size.height_px));
            let [red, green, blue, _] = picture.pixel(column, row).unwrap();
            [red, green, blue]
        };
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| pixel(x, y)).collect()
    }

    fn pictures(trace: &Path) -> Vec<Picture> {
        let source = Arc::new(FileSource::open(trace).unwrap());
        let trace = Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap());
        let frame_count = trace.frames().len() as u32;
        let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
        let mut player = Player::new(trace, software::gpu().expect("software Vulkan is missing"), size).unwrap();
        (0..frame_count).map(|frame| player.render(FrameIndex(frame)).unwrap()).collect()
    }

    const RIGHT: u32 = 0xff53;
    const LEFT: u32 = 0xff51;
    const HOME: u32 = 0xff50;
    const END: u32 = 0xff57;
    const CONTROL: u32 = 0xffe3;
    const RETURN: u32 = 0xff0d;
    const F11: u32 = 0xffc8;

    pub fn keys_step_through_the_frames() {
        let trace = fixture("frames");
        let pictures = pictures(&trace);
        let session = Session::start(&trace, &["--backend", "vulkan", "--bare"]);
        let steps = [
            (None, 0),
            (Some(RIGHT), 1),
            (Some(END), 3),
            (Some(RIGHT), 3),
            (Some(LEFT), 2),
            (Some(HOME), 0),
            (Some(LEFT), 0),
        ];
        for (key, frame) in steps {
            if let Some(key) = key {
                session.press(key);
            }
            session.wait_for_title(&format!("frame {frame} of 0–3"));
            session.wait_for_picture(&pictures[frame], &format!("frame {frame} on the screen"));
        }
        session.press(RIGHT);
        session.press(u32::from(b's'));
        let saved = session.folder.path().join("frames.frame0001.png");
        let saved = wait_for("the saved picture", || File::open(&saved).ok());
        assert_eq!(read_png(BufReader::new(saved)).unwrap(), pictures[1]);
        session.quit();
        assert!(session.wait_for_exit().success());
    }

    /// For each way to name a place: the window first shows the picture that is drawn there.
    pub fn every_spelling_of_a_place_shows_it() {
        let trace = fixture("redefinition");
        let source = Arc::new(FileSource::open(&trace).unwrap());
        let opened = Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap());
        let size = largest_viewport(&opened).unwrap_or(DEFAULT_SIZE);
        let mut player = Player::new(opened, software::gpu().expect("software Vulkan is missing"), size).unwrap();
        let (frame, at_draw) = (FrameIndex(0), Place::at_draw(FrameIndex(0), 1));
        let draws = DrawSelection::Without([1, 2].into());
        let left = Variant { draws, ..Variant::default() };
        let lines = [
            ("--frame 0", player.render(frame).unwrap()),
            ("--frames last", player.render(frame).unwrap()),
            ("--frame 0 --draw 1", player.render(at_draw).unwrap()),
            ("--frame -1 --draw -3 --keep-going", player.render(at_draw).unwrap()),
            ("--place 0/draw=1", player.render(at_draw).unwrap()),
            ("--place 0/start", player.render(Place::start_of(frame)).unwrap()),
            ("--frame 0 --packet 9", player.render(Place::after_packet(frame, 9)).unwrap()),
            ("--frame 0 --skip-draws 1,2", player.render_variant(Place::end_of(frame), &left).unwrap()),
            ("--frame 0 --only-draws 0,3", player.render_variant(Place::end_of(frame), &left).unwrap()),
        ];
        for (line, picture) in lines {
            let words: Vec<&str> = line.split(' ').chain(["--bare", "--backend", "vulkan"]).collect();
            let session = Session::start(&trace, &words);
            session.wait_for_picture(&picture, line);
            session.quit();
            assert!(session.wait_for_exit().success(), "{line}");
        }
    }

    pub fn alone_the_program_opens_its_start_page() {
        let session = Session::start_titled(Display::start(), "aerogpu-replay", |command| command);
        // The first thing to try: the example, where it is wrong.
        wait_for("the example", || {
            session.press(u32::from(b'1'));
            title(&session.client, session.window).contains("courtyard.aerogputrace – frame 42 of 0–59").then_some(())
        });
        let kept = session.folder.path().join("state/aerogpu-replay");
        assert!(kept.join("courtyard.aerogputrace").is_file());
        session.quit();
        let words = session.words();
        assert!(session.wait_for_exit().success(), "{words}");
    }

    /// Neither without a session bus nor with one that never answers is anybody waited for.
    pub fn where_no_portal_answers_there_is_our_dialog() {
        let bus = tempfile::tempdir().unwrap();
        let silent = std::os::unix::net::UnixListener::bind(bus.path().join("bus")).unwrap();
        for address in ["nowhere", "bus"].map(|name| format!("unix:path={}", bus.path().join(name).display())) {
            let session = Session::start_titled(Display::start(), "aerogpu-replay", |command| {
                command.env("DBUS_SESSION_BUS_ADDRESS", &address)
            });
            std::fs::copy(fixture("frames"), session.folder.path().join("t")).unwrap();
            // What has the keyboard has a white frame: first a button, as wide as the page.
            let has_frame = |session: &Session| {
                let (width, _, pixels) = session.screenshot();
                let whites = |row: &[[u8; 3]]| row.iter().filter(|pixel| **pixel == [255; 3]).count();
                pixels.chunks(width as usize).any(|row| whites(row) > 500)
            };
            wait_for("the focus", || has_frame(&session).then_some(()));
            session.control(b'o');
            wait_for("the field of the dialog", || (!has_frame(&session)).then_some(()));
            // It holds the folder of the program.
            for key in [END, u32::from(b'/'), u32::from(b't'), RETURN] {
                session.press(key);
            }
            session.wait_for_title("t – frame 0 of 0–3");
            session.quit();
            assert!(session.wait_for_exit().success(), "{address}");
        }
        drop(silent);
    }

    /// Where `picture` lies on the screen, pixel on pixel.
    fn find_on_screen(session: &Session, picture: &Picture) -> Option<(u32, u32)> {
        let (width, height, pixels) = session.screenshot();
        let size = picture.size();
        let row = |y: u32| -> Vec<[u8; 3]> {
            let pixel = |x: u32| picture.pixel(x, y).map(|[red, green, blue, _]| [red, green, blue]).unwrap();
            (0..size.width_px).map(pixel).collect()
        };
        let rows: Vec<Vec<[u8; 3]>> = (0..size.height_px).map(row).collect();
        let is_at = |left: u32, top: u32| {
            (top..).zip(&rows).all(|(y, row)| {
                let start = (y * width + left) as usize;
                pixels[start..start + row.len()] == row[..]
            })
        };
        let places =
            (0..=height - size.height_px).flat_map(|top| (0..=width - size.width_px).map(move |left| (left, top)));
        places.into_iter().find(|(left, top)| is_at(*left, *top))
    }

    /// With all panels, driven by keys, wheel and clicks: what is in their middle are the PNG's pixels.
    pub fn panels_surround_the_picture() {
        let trace = fixture("interpolated");
        let picture = &pictures(&trace)[0];
        let session = Session::start(&trace, &["--backend", "vulkan"]);
        session.wait_for_title("frame 0 of 0–0 – llvmpipe");
        let at_rest = || find_on_screen(&session, picture);
        session.press(u32::from(b'9'));
        let (left, top) = wait_for("the picture among the panels, pixel on pixel", at_rest);
        // Over it the wheel enlarges, and 9 takes that back.
        let (x, y) = (left as i16 + 20, top as i16 + 20);
        session.client.xtest_fake_input(xproto::MOTION_NOTIFY_EVENT, 0, 0, session.root, x, y, 0).unwrap();
        let wheel_up = 4;
        for event in [xproto::BUTTON_PRESS_EVENT, xproto::BUTTON_RELEASE_EVENT] {
            session.client.xtest_fake_input(event, wheel_up, 0, session.root, 0, 0, 0).unwrap().check().unwrap();
        }
        wait_for("a larger picture", || at_rest().is_none().then_some(()));
        session.press(u32::from(b'9'));
        assert_eq!(wait_for("the picture", at_rest), (left, top));
        // A click selects a pixel: a frame is drawn around it, and its history comes to the front.
        for event in [xproto::BUTTON_PRESS_EVENT, xproto::BUTTON_RELEASE_EVENT] {
            session.client.xtest_fake_input(event, 1, 0, session.root, 0, 0, 0).unwrap().check().unwrap();
        }
        wait_for("the mark of the selected pixel", || at_rest().is_none().then_some(()));
        session.quit();
        assert!(session.wait_for_exit().success());
    }

    pub fn a_resized_window_fits_the_picture() {
        let trace = fixture("viewport");
        let pictures = pictures(&trace);
        assert_eq!(pictures[0].size(), Size { width_px: 96, height_px: 48 });
        let session = Session::start(&trace, &["--bare"]);
        session.wait_for_picture(&pictures[0], "the picture");
        for (width, height) in [(200, 400), (700, 96), (96, 48), (500, 333)] {
            let size = ConfigureWindowAux::new().width(width).height(height);
            session.client.configure_window(session.window, &size).unwrap().check().unwrap();
            session.wait_for_picture(&pictures[0], &format!("the picture in {width}x{height}"));
        }
        session.quit();
        assert!(session.wait_for_exit().success());
    }

    /// Iconifies and restores as a window manager does (ICCCM 4.1.4); under Xvfb there is none that would.
    impl Session {
        fn set_shown(&self, is_shown: bool) {
            let (normal_state, iconic_state) = (1u32, 3u32);
            let state = self.client.intern_atom(false, b"WM_STATE").unwrap().reply().unwrap().atom;
            let value = [if is_shown { normal_state } else { iconic_state }, x11rb::NONE];
            self.client.change_property32(PropMode::REPLACE, self.window, state, state, &value).unwrap();
            if is_shown {
                self.client.map_window(self.window).unwrap().check().unwrap();
                self.client.set_input_focus(InputFocus::PARENT, self.window, x11rb::CURRENT_TIME).unwrap();
            } else {
                self.client.unmap_window(self.window).unwrap().check().unwrap();
            }
            let wanted = if is_shown { xproto::MapState::VIEWABLE } else { xproto::MapState::UNMAPPED };
            let attributes = self.client.get_window_attributes(self.window).unwrap().reply().unwrap();
            assert_eq!(attributes.map_state, wanted);
        }
    }

    /// A client that owns the XSETTINGS of the screen, which tells programs on a desktop how dense the screen is.
    struct SettingsDaemon {
        client: RustConnection,
        window: u32,
    }

    impl SettingsDaemon {
        fn start(display: &Display) -> Self {
            let (client, screen) = x11rb::connect(Some(&display.name)).unwrap();
            let root = client.setup().roots[screen].root;
            let window = client.generate_id().unwrap();
            let (class, same) = (xproto::WindowClass::INPUT_ONLY, x11rb::COPY_FROM_PARENT);
            let attributes = xproto::CreateWindowAux::new();
            client.create_window(0, window, root, 0, 0, 1, 1, 0, class, same, &attributes).unwrap().check().unwrap();
            let selection = client.intern_atom(false, b"_XSETTINGS_S0").unwrap().reply().unwrap().atom;
            client.set_selection_owner(window, selection, x11rb::CURRENT_TIME).unwrap().check().unwrap();
            let daemon = Self { client, window };
            daemon.set_dots_per_inch(96);
            daemon
        }

        /// One integer setting, in little-endian order, as the XSETTINGS specification lays it out.
        fn set_dots_per_inch(&self, dpi: u32) {
            let (order, serial, settings, is_integer) = (0u32, dpi, 1u32, 0u16);
            let mut bytes: Vec<u8> = [order, serial, settings].iter().flat_map(|field| field.to_le_bytes()).collect();
            let name = b"Xft/DPI";
            bytes.extend([is_integer, name.len() as u16].iter().flat_map(|field| field.to_le_bytes()));
            bytes.extend(name.iter().chain(&[0]));
            bytes.extend([serial, dpi * 1024].iter().flat_map(|field| field.to_le_bytes()));
            let property = self.client.intern_atom(false, b"_XSETTINGS_SETTINGS").unwrap().reply().unwrap().atom;
            let change = self.client.change_property8(PropMode::REPLACE, self.window, property, property, &bytes);
            change.unwrap().check().unwrap();
        }
    }

    pub fn a_minimised_window_comes_back() {
        let trace = fixture("frames");
        let pictures = pictures(&trace);
        let session = Session::start(&trace, &["--backend", "vulkan", "--fps", "5", "--bare"]);
        session.wait_for_picture(&pictures[0], "the first frame");
        session.press(u32::from(b' '));
        session.wait_for_title(", playing");
        session.set_shown(false);
        // It plays on to its end where nobody sees it, and is even resized.
        session.wait_for_title("frame 3 of 0–3 –");
        let size = ConfigureWindowAux::new().width(300).height(200);
        session.client.configure_window(session.window, &size).unwrap().check().unwrap();
        session.set_shown(true);
        session.wait_for_picture(&pictures[3], "the last frame in the restored window");
        for (key, frame) in [(HOME, 0), (END, 3)] {
            session.set_shown(false);
            session.set_shown(true);
            // Keys go nowhere until it has heard that it has the focus again.
            wait_for(&format!("frame {frame}"), || {
                session.press(key);
                title(&session.client, session.window).contains(&format!("frame {frame} of 0–3")).then_some(())
            });
            session.wait_for_picture(&pictures[frame], &format!("frame {frame} after minimising once more"));
        }
        session.quit();
        let words = session.words();
        let status = session.wait_for_exit();
        assert!(status.success(), "{status:?} {words}");
    }

    /// Follows what a settings daemon says: 144 dots per inch are half as large again as 96.
    pub fn a_change_of_dpi_is_followed() {
        let trace = fixture("viewport");
        let pictures = pictures(&trace);
        let display = Display::start();
        let daemon = SettingsDaemon::start(&display);
        let session = Session::start_on(display, &trace, &["--bare"]);
        session.wait_for_picture(&pictures[0], "the picture");
        let size = || {
            let geometry = session.client.get_geometry(session.window).unwrap().reply().unwrap();
            (u32::from(geometry.width), u32::from(geometry.height))
        };
        let (width, height) = size();
        for (dpi, percent) in [(144, 150), (96, 100), (120, 125)] {
            daemon.set_dots_per_inch(dpi);
            let wanted = (width * percent / 100, height * percent / 100);
            wait_for(&format!("a window of {wanted:?}"), || (size() == wanted).then_some(()));
            session.wait_for_picture(&pictures[0], &format!("the picture at {dpi} dots per inch"));
        }
        session.quit();
        assert!(session.wait_for_exit().success());
    }

    /// A surface on X11 is lost when somebody destroys its window. There is nothing to come back to, but an end in order.
    pub fn a_window_that_is_taken_away_ends_the_program() {
        let trace = fixture("frames");
        let picture = &pictures(&trace)[0];
        for backend in ["vulkan", "gl"] {
            let mut session = Session::start(&trace, &["--backend", backend, "--quit-after", "1000000", "--bare"]);
            session.wait_for_picture(picture, "the picture");
            session.client.destroy_window(session.window).unwrap().check().unwrap();
            let status = wait_for("the program's end", || session.program.try_wait().unwrap());
            let words = session.words();
            // Whether the surface is found to be lost, or the window's end is heard of first, is a matter of chance.
            assert!([Some(0), Some(6)].contains(&status.code()), "{backend}: {status:?} {words}");
            assert_eq!(words.contains("error: "), !status.success(), "{backend}: {words}");
            assert!(!words.contains("panicked"), "{backend}: {words}");
        }
    }

    pub fn playing_stops_at_the_end() {
        let trace = fixture("frames");
        let pictures = pictures(&trace);
        let session = Session::start(&trace, &["--fps", "20", "--bare"]);
        session.wait_for_title("frame 0 of 0–3 –");
        session.press(u32::from(b' '));
        session.wait_for_title("frame 3 of 0–3 –");
        session.wait_for_picture(&pictures[3], "the last frame");
        // Play at the end starts over; pause keeps the frame.
        session.press(u32::from(b' '));
        session.wait_for_title(", playing");
        session.wait_for_title("frame 3 of 0–3 –");
        session.quit();
        assert!(session.wait_for_exit().success());
    }

    /// Asks as a window manager does when the cross is clicked (ICCCM 4.2.8.1).
    fn close(session: &Session) {
        let atom = |name: &[u8]| session.client.intern_atom(false, name).unwrap().reply().unwrap().atom;
        let (protocols, delete) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
        let message = xproto::ClientMessageEvent::new(32, session.window, protocols, [delete, 0, 0, 0, 0]);
        session.client.send_event(false, session.window, xproto::EventMask::NO_EVENT, message).unwrap();
        session.client.flush().unwrap();
    }

    /// Frame 1 keeps a software driver busy for longer than anybody waits: each of its many draws as long as llvmpipe lets a
    /// shader run, which ends every loop after 65,536 rounds.
    fn endless_trace() -> Vec<u8> {
        const SLOW: &str = "@fragment fn main(@location(0) color: vec4<f32>) -> @location(0) vec4<f32> {
            var x = u32(color.x * 255.0) + 3u;
            for (var i = 0u; i < 65000u; i++) { x = (x * x + i) ^ (x >> 7u); }
            if x == 7u { discard; }
            return vec4(f32(x & 255u) / 255.0);
        }";
        let triangle = vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), GREEN);
        let mut scene = Scene::with_pipeline();
        scene.viewport(2048, 2048).buffer(1, &triangle).bind(1).clear(BLUE).draw(0, 6).end();
        scene.begin().shaders(11, 12, VERTEX_WGSL, SLOW).pipeline(13, 11, 12);
        scene.packet(Packet::SetPipeline { pipeline_id: 13 });
        for _ in 0..1000 {
            scene.draw(0, 6);
        }
        scene.end_and_finish()
    }

    pub fn a_driver_that_does_not_come_back_holds_up_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("endless.aerogputrace");
        std::fs::write(&trace, endless_trace()).unwrap();
        // Without the panels there are no thumbnails: frame 1 is drawn when it is asked for.
        let arguments = ["--backend", "vulkan", "--bare", "--timeout", "1000", "--size", "640x480"];
        let mut session = Session::start(&trace, &arguments);
        session.wait_for_title("frame 0 of 0–1");
        let is_bright = || session.screenshot().2.contains(&[0, 255, 0]);
        wait_for("the first frame", || is_bright().then_some(()));
        session.press(RIGHT);
        // What there was is dimmed, and the panels still come and go.
        wait_for("a dimmed picture", || (!is_bright()).then_some(()));
        let before = session.screenshot().2;
        session.press(F11);
        wait_for("the panels", || (session.screenshot().2 != before).then_some(()));
        // They say for how long it has been waited for, and nothing else moves any more.
        sleep(Duration::from_secs(3));
        for second in 1..=3 {
            let before = session.screenshot().2;
            wait_for(&format!("second {second}"), || (session.screenshot().2 != before).then_some(()));
        }
        close(&session);
        let asked = Instant::now();
        let status = wait_for("the program's end", || session.program.try_wait().unwrap());
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
        assert!(status.success(), "{status:?} {}", session.words());
        let kept = std::fs::read_dir(session.folder.path().join("state/aerogpu-replay")).unwrap();
        let kept: Vec<String> = kept.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
        assert!(kept.iter().any(|text| text.contains("\"place\": \"1\"")), "where one was is kept: {kept:?}");
    }

    fn signal(session: &Session, name: &str) {
        let status = Command::new("kill").args([name, &session.program.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    fn click(session: &Session, x: i16, y: i16) {
        session.client.xtest_fake_input(xproto::MOTION_NOTIFY_EVENT, 0, 0, session.root, x, y, 0).unwrap();
        for event in [xproto::BUTTON_PRESS_EVENT, xproto::BUTTON_RELEASE_EVENT] {
            session.client.xtest_fake_input(event, 1, 0, session.root, 0, 0, 0).unwrap().check().unwrap();
        }
    }

    /// Clicks on a tab, then into the field that is in its middle, and types `letters` there.
    fn write_into(session: &Session, [x, y]: [i16; 2], letters: &[u8]) {
        let settled = |what: &str| {
            let mut last = Vec::new();
            wait_for(what, || {
                let now = session.screenshot().2;
                sleep(Duration::from_millis(300));
                let is_settled = now == last;
                last = now;
                is_settled.then_some(())
            });
        };
        let (first, rest) = letters.split_first().unwrap();
        // Neither tab nor field may be there yet; clicks and letters that nothing takes mean nothing.
        wait_for("a field", || {
            click(session, x, y);
            settled("the tab");
            click(session, 1150, 300);
            settled("the field");
            let before = session.screenshot().2;
            session.press(u32::from(*first));
            // A machine with much else to do takes a while to show it.
            (0..30)
                .any(|_| {
                    sleep(Duration::from_millis(100));
                    session.screenshot().2 != before
                })
                .then_some(())
        });
        rest.iter().for_each(|letter| session.press(u32::from(*letter)));
        settled("the letters");
    }

    /// Notes, and an edited text that nobody was asked about.
    pub fn a_signal_saves_what_was_written() {
        // Where they are in a new window.
        const SHADERS_TAB: [i16; 2] = [990, 120];
        const NOTES_TAB: [i16; 2] = [1116, 120];
        for name in ["-INT", "-TERM"] {
            let session = Session::start(&fixture("triangle"), &["--backend", "vulkan"]);
            session.wait_for_title("frame 0 of 0–0 – llvmpipe");
            write_into(&session, SHADERS_TAB, b"zzz");
            write_into(&session, NOTES_TAB, b"remember");
            signal(&session, name);
            let folder = session.folder.path().to_owned();
            let texts = |folder: std::path::PathBuf| -> Vec<String> {
                let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
                files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
            };
            let mut session = session;
            let status = wait_for("the program's end", || session.program.try_wait().unwrap());
            assert_eq!(status.code(), Some(130), "{name}: {}", session.words());
            let notes = texts(folder.join("state/aerogpu-replay"));
            assert!(notes.iter().any(|text| text.contains("remember")), "{name}: {notes:?}");
            let edited = texts(folder.join("triangle.aerogputrace.shaders"));
            assert!(edited.iter().any(|text| text.contains("zzz")), "{name}: {edited:?}");
            assert!(session.words().contains("edited shader texts saved in"), "{name}: {}", session.words());
        }
    }

    pub fn a_signal_does_not_wait_for_the_driver() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("endless.aerogputrace");
        std::fs::write(&trace, endless_trace()).unwrap();
        let arguments = ["--backend", "vulkan", "--bare", "--timeout", "1000", "--frame", "1", "--size", "640x480"];
        let end_after = |signals: u32| {
            let mut session = Session::start(&trace, &arguments);
            session.wait_for_title("frame 1 of 0–1");
            // The device is opened, and is busy.
            sleep(Duration::from_secs(3));
            let asked = Instant::now();
            for number in 0..signals {
                // Two that wait to be delivered are one.
                sleep(Duration::from_millis(if number > 0 { 100 } else { 0 }));
                signal(&session, "-INT");
            }
            let status = wait_for("the program's end", || session.program.try_wait().unwrap());
            assert_eq!(status.code(), Some(130), "{}", session.words());
            asked.elapsed()
        };
        // The thread that draws is waited for, for a second: drivers crash in threads that outlive `main`.
        let after_one = end_after(1);
        assert!(after_one >= Duration::from_secs(1), "the driver comes back: {after_one:?}");
        assert!(after_one < Duration::from_secs(10), "{after_one:?}");
        // Whoever asks twice waits for nothing. A machine with much else to do may be late once.
        let after_two = (0..3).map(|_| end_after(2)).find(|after| *after < Duration::from_secs(1));
        assert!(after_two.is_some(), "a second signal is waited for as long as the first");
    }

    /// Messages printed when a trace is opened are in the window, too: the bar at the top counts them, in orange.
    pub fn what_is_odd_about_a_trace_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unlisted.aerogputrace");
        let mut trace = RawTrace::new();
        let start = trace.offset();
        let clear = [8, 6, 0, 1f32.to_bits(), 0, 1f32.to_bits()];
        trace.begin(0).packet(&clear).present(0).frame_since(start);
        for counts in [false, true] {
            std::fs::write(&path, trace.finish()).unwrap();
            let session = Session::start(&path, &["--backend", "vulkan"]);
            session.wait_for_title("frame 0 of 0–0 – llvmpipe");
            wait_for("the picture", || session.screenshot().2.contains(&[0, 255, 0]).then_some(()));
            let (width, _, pixels) = session.screenshot();
            let bar = &pixels[..width as usize * 24];
            assert_eq!(bar.contains(&[255, 143, 0]), counts, "{}", session.words());
            assert_eq!(session.words().contains("lies after the last frame of the TOC"), counts);
            session.quit();
            assert!(session.wait_for_exit().success());
            // One more frame that nobody has listed.
            trace.begin(1).packet(&clear).present(1);
        }
    }

    /// Clock ticks that the program has used so far (proc(5): fields 14 and 15 of `stat`).
    fn ticks(session: &Session) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", session.program.id())).unwrap();
        let after_name = stat.rsplit(')').next().unwrap();
        after_name.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum()
    }

    pub fn at_rest_nothing_is_drawn() {
        let session = Session::start(&fixture("frames"), &["--backend", "vulkan"]);
        session.wait_for_title("frame 0 of 0–3 – llvmpipe");
        // Thumbnails, panels and timeline come to rest: three seconds in a row without work.
        wait_for("rest", || {
            let before = ticks(&session);
            sleep(Duration::from_secs(3));
            (ticks(&session) - before <= 3).then_some(())
        });
        session.quit();
        assert!(session.wait_for_exit().success());
    }

    pub fn the_window_closes_by_itself() {
        let session = Session::start(&fixture("triangle"), &["--quit-after", "40", "--play"]);
        assert!(session.wait_for_exit().success());
    }

    /// winit panics on one where there is a display.
    pub fn a_scale_factor_that_is_none_is_refused() {
        let display = Display::start();
        for (value, is_taken) in [("nonsense", false), ("0", false), ("-2", false), ("1.5", true), ("randr", true)] {
            let folder = tempfile::tempdir().unwrap();
            let mut command = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
            command.args(["--quit-after", "1"]).current_dir(folder.path());
            command.env("XDG_STATE_HOME", folder.path().join("state")).env("WINIT_X11_SCALE_FACTOR", value);
            command.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
            let output = command.arg(fixture("triangle")).output().unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(if is_taken { 0 } else { 2 }), "{value}: {error}");
            let told = format!("WINIT_X11_SCALE_FACTOR is {value:?}: expected a number greater than 0, or randr");
            assert_eq!(error.contains(&told), !is_taken, "{value}: {error}");
        }
    }

    pub fn without_a_display_there_is_an_error() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
        command
            .arg(fixture("triangle"))
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET");
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(5), "{error}");
        assert!(error.contains("cannot open a window") && error.contains("--frame N --out PATH"), "{error}");
    }
}
