//! Cuts the sentences out of Rust source.
//!
//! A string literal is a sentence if it holds two words, of which a value put in by `{}` may be one: `"{count} frames"` is
//! a sentence, `"{x}:{y}"`, `"frames"` and `"texture_2d"` are not. In a call that puts a text on the screen one word is
//! enough. Literals of macros count as well, for that is where most sentences are.
//!
//! Doc comments are sentences where clap prints them, literals of attributes in `#[error]` and clap's own. Tests say
//! nothing to anybody.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprCall, ExprMethodCall, Field, Item, LitStr, Variant};

/// Attributes whose literals are printed.
const PRINTED_ATTRIBUTES: &[&str] = &["error", "arg", "command", "group", "value", "clap"];

/// Derives that make help texts of doc comments; a longer name that ends so is the derive under another name.
const HELPFUL_DERIVES: &[&str] = &["Parser", "Args", "Subcommand", "ValueEnum"];

/// Functions of egui that put their text on the screen.
const ON_SCREEN: &[&str] = &[
    "Button",
    "Checkbox",
    "CollapsingHeader",
    "Label",
    "Link",
    "RichText",
    "Window",
    "button",
    "checkbox",
    "code",
    "collapsing",
    "colored_label",
    "heading",
    "hint_text",
    "hyperlink_to",
    "label",
    "link",
    "menu_button",
    "monospace",
    "on_disabled_hover_text",
    "on_hover_text",
    "radio",
    "radio_value",
    "selectable_label",
    "selectable_value",
    "shortcut_text",
    "small",
    "small_button",
    "strong",
    "toggle_value",
    "weak",
    "with_title",
];

/// The sentences of one file, in the form of the list. `paints` says whether it puts words on the screen.
pub fn sentences(code: &str, paints: bool) -> Result<BTreeSet<String>, syn::Error> {
    let file = syn::parse_file(code)?;
    let mut cutter = Cutter { paints, ..Cutter::default() };
    cutter.visit_file(&file);
    Ok(cutter.found)
}

/// One line without control characters, which says where a line of the text begins or ends with a space.
pub fn as_line(text: &str) -> String {
    let text = text.replace('\\', "\\\\");
    let text: String =
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.into() }).collect();
    let inner = text.trim_matches(' ');
    let spaces = |count: usize| "␠".repeat(count);
    let start = text.len() - text.trim_start_matches(' ').len();
    format!("{}{inner}{}", spaces(start), spaces(text.len() - start - inner.len()))
}

/// A value is put in where the text has this: no word that anybody writes has such a letter.
const VALUE: char = '\u{0}';

/// The text, with [`VALUE`] for each value that is put into it.
pub fn with_values(text: &str) -> String {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['{', '}']) {
        shown.push_str(&rest[..at]);
        let after = &rest[at..];
        rest = match (after.get(..2), after.find('}')) {
            (Some("{{" | "}}"), _) => {
                shown.push_str(&after[..1]);
                &after[2..]
            }
            (_, Some(end)) if after.starts_with('{') => {
                shown.push(VALUE);
                &after[end + 1..]
            }
            _ => &after[1..],
        };
    }
    shown + rest
}

/// Whether a text holds two words, one of which may be a value.
pub fn is_sentence(text: &str) -> bool {
    let text = with_values(text);
    let bare = |part: &str| {
        part.trim_matches(|c: char| c != VALUE && (c.is_ascii_punctuation() || "…→–·×".contains(c))).to_owned()
    };
    let is_word = |part: &str| {
        let inner = part.trim_end_matches("'s");
        inner.chars().count() >= 2 && inner.chars().all(|c| c.is_alphabetic() || "'’-/".contains(c))
    };
    let parts: Vec<String> = text.split_whitespace().map(bare).collect();
    let counts = |part: &String| is_word(part) || part.contains(VALUE) || matches!(part.as_str(), "a" | "A" | "I");
    parts.windows(2).any(|pair| pair.iter().all(counts) && pair.iter().any(|part| is_word(part)))
}

/// Whether a text that is shown holds a word.
fn holds_a_word(text: &str) -> bool {
    with_values(text).split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() >= 2)
}

#[derive(Default)]
struct Cutter {
    found: BTreeSet<String>,
    paints: bool,
    /// Inside a type of which clap makes help texts.
    is_help: bool,
    /// Inside the arguments of a call that puts its text on the screen.
    is_on_screen: bool,
}

impl Cutter {
    fn literal(&mut self, text: &str) {
        if is_sentence(text) || self.is_on_screen && holds_a_word(text) {
            self.found.insert(as_line(text));
        }
    }

    /// The literals of a macro's arguments. Whatever they mean to it, a sentence among them is printed.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut is_attribute = false;
        for token in tokens {
            match token {
                TokenTree::Group(group) if is_attribute && group.delimiter() == Delimiter::Bracket => {
                    let name = group.stream().into_iter().next().map(|token| token.to_string()).unwrap_or_default();
                    if PRINTED_ATTRIBUTES.contains(&name.as_str()) {
                        self.tokens(group.stream());
                    }
                    is_attribute = false;
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let tokens = TokenStream::from(TokenTree::Literal(literal));
                    if let Ok(literal) = syn::parse2::<LitStr>(tokens) {
                        self.literal(&literal.value());
                    }
                    is_attribute = false;
                }
                TokenTree::Punct(mark) => is_attribute = mark.as_char() == '#',
                TokenTree::Ident(_) => is_attribute = false,
            }
        }
    }

    fn on_screen(&mut self, name: Option<String>, visit: impl FnOnce(&mut Self)) {
        let outer = self.is_on_screen;
        self.is_on_screen |= self.paints && name.is_some_and(|name| ON_SCREEN.contains(&name.as_str()));
        visit(self);
        self.is_on_screen = outer;
    }

    /// A doc comment's paragraphs, each a line of the list.
    fn docs(&mut self, attributes: &[Attribute]) {
        let lines = attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(doc_line);
        let text = lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>().join("\n");
        let paragraphs = text.split("\n\n").map(|paragraph| paragraph.trim().replace('\n', " "));
        self.found.extend(paragraphs.filter(|paragraph| !paragraph.is_empty()).map(|paragraph| as_line(&paragraph)));
    }
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Expr::Lit(literal) = &attribute.meta.require_name_value().ok()?.value else { return None };
    let syn::Lit::Str(text) = &literal.lit else { return None };
    Some(text.value())
}

fn is_test(attributes: &[Attribute]) -> bool {
    let words = |attribute: &Attribute| attribute.meta.require_list().map(|list| list.tokens.to_string());
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        is_cfg && words(attribute).is_ok_and(|words| words == "test") || attribute.path().is_ident("test")
    })
}

/// The attributes of an item that may derive something or be a test.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn makes_help(attributes: &[Attribute]) -> bool {
    let derives = attributes.iter().filter(|attribute| attribute.path().is_ident("derive"));
    let names = derives.filter_map(|attribute| Some(attribute.meta.require_list().ok()?.tokens.to_string()));
    let is_helpful = |name: &str| HELPFUL_DERIVES.iter().any(|derive| name.trim().ends_with(derive));
    names.flat_map(|names| names.split(',').map(str::to_owned).collect::<Vec<_>>()).any(|name| is_helpful(&name))
}

impl<'ast> Visit<'ast> for Cutter {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = attributes(item);
        if is_test(attributes) {
            return;
        }
        let outer = self.is_help;
        self.is_help = makes_help(attributes);
        if self.is_help {
            self.docs(attributes);
        }
        visit::visit_item(self, item);
        self.is_help = outer;
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if self.is_help {
            self.docs(&field.attrs);
        }
        visit::visit_field(self, field);
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        if self.is_help {
            self.docs(&variant.attrs);
        }
        visit::visit_variant(self, variant);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let is_printed = PRINTED_ATTRIBUTES.iter().any(|name| attribute.path().is_ident(name));
        if let (true, Ok(list)) = (is_printed, attribute.meta.require_list()) {
            self.tokens(list.tokens.clone());
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
    }

    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        self.literal(&literal.value());
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        // `RichText::new` is named by its type.
        let name = match &*call.func {
            Expr::Path(path) => path.path.segments.iter().rev().map(|part| part.ident.to_string()).nth(1),
            _ => None,
        };
        self.on_screen(name, |cutter| visit::visit_expr_call(cutter, call));
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        // What it is called on is no text of its own.
        self.visit_expr(&call.receiver);
        self.on_screen(Some(call.method.to_string()), |cutter| {
            call.args.iter().for_each(|argument| cutter.visit_expr(argument));
        });
    }
}
