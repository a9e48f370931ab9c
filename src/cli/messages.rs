//! Errors, warnings and notes on stderr: sentences, or under `--json` one object per line.

use std::fmt::Display;
use std::path::Path;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::tone::Tone;
use crate::error::{Classified, ErrorKind};
use crate::replay::FaultGroup;
use crate::text::{counted, json_line, say, say_marked};

/// How this run says on stderr what is wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Messages {
    form: Form,
    is_quiet: bool,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// For people: `error: …`.
    Sentences,
    /// For programs.
    JsonLines,
}

/// What is wrong with a file that was read as far as it goes.
#[derive(Clone, Debug)]
pub(super) struct FileDamage {
    pub message: String,
    pub kind: ErrorKind,
    /// Absolute file offset of it, if it has a place.
    pub offset: Option<u64>,
}

impl<E: Classified + ?Sized> From<&E> for FileDamage {
    fn from(error: &E) -> Self {
        Self { message: error.to_string(), kind: error.kind(), offset: error.offset() }
    }
}

/// Tells what is wrong with a file while it is read on; of very much the beginning.
pub(super) struct DamageLog {
    messages: Messages,
    name: String,
    told: usize,
    untold: u64,
    exit: Exit,
}

impl DamageLog {
    /// Errors that are told one by one; a stream can have millions.
    const TOLD: usize = 100;

    pub(crate) fn new(common: &CommonArgs, path: &Path) -> Self {
        Self { messages: common.messages(), name: path.display().to_string(), told: 0, untold: 0, exit: Exit::Done }
    }

    pub(crate) fn tell(&mut self, error: &impl Classified) {
        let exit = error.kind().into();
        self.exit = self.exit.worse(exit);
        if self.told < Self::TOLD {
            self.told += 1;
            self.messages.damage(&self.name, &error.into(), exit);
        } else {
            self.untold += 1;
        }
    }

    /// The code that the verb ends in.
    pub(crate) fn finish(self) -> Exit {
        if self.untold > 0 {
            self.messages.note(format!("{}: and {}", self.name, counted(self.untold, "more error")), None);
        }
        self.exit
    }
}

/// An error as it is told.
struct Told<'a> {
    message: &'a dyn Display,
    kind: ErrorKind,
    exit: Exit,
    offset: Option<u64>,
}

impl CommonArgs {
    /// How this run says what is wrong.
    pub(crate) fn messages(&self) -> Messages {
        Messages { form: if self.json { Form::JsonLines } else { Form::Sentences }, is_quiet: self.quiet }
    }
}

impl Messages {
    /// Those of a run whose command line was not understood, or asks for help.
    pub(crate) const SENTENCES: Self = Self { form: Form::Sentences, is_quiet: false };
    /// The same, of one that asks for JSON.
    pub(crate) const JSON_LINES: Self = Self { form: Form::JsonLines, is_quiet: false };

    /// Says how something failed; gives back the code that it ends in, where one bad file of several does not end the
    /// work.
    pub(crate) fn failure(self, failure: &Failure) -> Exit {
        let (kind, exit, offset) = (failure.kind(), failure.exit(), failure.offset());
        self.tell(&Told { message: failure, kind, exit, offset });
        exit
    }

    /// Says an error that nothing came of: the verb ends in `exit`, or goes on.
    pub(crate) fn error(self, kind: ErrorKind, exit: Exit, message: impl Display, offset: Option<u64>) {
        self.tell(&Told { message: &message, kind, exit, offset });
    }

    /// Says what is wrong with the file `name`.
    pub(crate) fn damage(self, name: &str, damage: &FileDamage, exit: Exit) {
        self.error(damage.kind, exit, format!("{name}: {}", damage.message), damage.offset);
    }

    /// Says what is wrong in the trace `name`: faults of one kind.
    pub(crate) fn fault(self, name: &str, group: &FaultGroup, exit: Exit) {
        let message = format!("{name}: {group}");
        let FaultGroup { kind, offset, .. } = *group;
        match self.form {
            Form::JsonLines if !self.is_quiet => {
                let line = json_line!("error", {
                    "kind": kind, "exit_code": exit as u8, "offset": offset, "message": message,
                    "count": group.count, "subject": group.subject.noun(), "problem": group.problem,
                    "first": group.first, "last": group.last,
                });
                say!("{}", line.text());
            }
            _ => self.tell(&Told { message: &message, kind, exit, offset }),
        }
    }

    /// Says that something is not as it should be, and was gone on from.
    pub(crate) fn warning(self, message: impl Display, offset: Option<u64>) {
        self.remark("warning", &message, offset);
    }

    /// Says how something was decided, or what was left out.
    pub(crate) fn note(self, message: impl Display, offset: Option<u64>) {
        self.remark("note", &message, offset);
    }

    /// Says what became of the work, whoever wants to hear it or not.
    #[cfg(feature = "gpu")]
    pub(crate) fn say(self, sentence: impl Display) {
        match self.form {
            Form::Sentences => say!("{sentence}"),
            Form::JsonLines => Self { is_quiet: false, ..self }.remark("note", &sentence, None),
        }
    }

    fn tell(self, told: &Told<'_>) {
        let Told { message, kind, exit, offset } = told;
        match self.form {
            _ if self.is_quiet => {}
            Form::Sentences => say_marked(&Tone::Bad.on_stderr("error:"), format_args!(" {message}")),
            Form::JsonLines => {
                let line = json_line!("error", {
                    "kind": kind, "exit_code": *exit as u8, "offset": offset, "message": message.to_string(),
                });
                say!("{}", line.text());
            }
        }
    }

    fn remark(self, of: &str, message: &dyn Display, offset: Option<u64>) {
        match self.form {
            _ if self.is_quiet => {}
            Form::Sentences => {
                let word = format!("{of}:");
                let word = if of == "warning" { Tone::Odd.on_stderr(&word) } else { word };
                say_marked(&word, format_args!(" {message}"));
            }
            Form::JsonLines => {
                say!("{}", json_line!(of, { "offset": offset, "message": message.to_string() }).text());
            }
        }
    }
}
