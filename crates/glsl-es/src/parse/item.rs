//! What stands outside functions, and declarations everywhere.

use super::super::ast::{
    BaseType, Block, Declaration, Declarator, Item, Precision, Prototype, Qualifiers, Storage, TypeSpec,
};
use super::super::error::{Fault, Note, Problem, Result};
use super::super::language::Language;
use super::super::lex::{Tok, shorten};
use super::super::source::Stage;
use super::{Parser, number};
use crate::limits::MAX_GLSL_STRUCT_DEPTH;

/// The order of qualifiers (GLSL ES 3.00, 4.8).
const ORDER: &str =
    "'invariant', then 'smooth', 'flat' or 'layout', then 'centroid', 'in' and the like, then a precision";

/// A qualifier's place in [`ORDER`].
fn rank_of(word: &str) -> u32 {
    match word {
        "invariant" => 0,
        "flat" | "smooth" | "layout" => 1,
        "centroid" => 2,
        "lowp" | "mediump" | "highp" => 4,
        _ => 3,
    }
}

impl<'a> Parser<'a, '_> {
    /// One item; `;` alone is none.
    pub(super) fn item(&mut self, items: &mut Vec<Item<'a>>) -> Result<()> {
        if self.take(";") {
            return Ok(());
        }
        if self.peek() == Tok::Ident("precision") {
            return self.precision();
        }
        if self.peek() == Tok::Ident("invariant") && matches!(self.peek_at(2), Tok::Punct("," | ";")) {
            self.advance();
            let mut names = vec![self.name("a variable's name")?];
            while self.take(",") {
                names.push(self.name("a variable's name")?);
            }
            items.push(Item::Invariant(names));
            return self.expect(";");
        }
        self.expect_es100_storage()?;
        let qualifiers = self.qualifiers()?;
        if self.peek() == Tok::Punct(";") {
            self.advance();
            if qualifiers.storage != Some(Storage::Uniform) || qualifiers.layout.is_empty() {
                let what = "qualifiers of nothing: expected 'layout(…) uniform;' or a declaration";
                self.notes.push(Note::oddity(qualifiers.position, what));
            } else {
                items.push(Item::Default(qualifiers));
            }
            return Ok(());
        }
        let item = if self.is_block(&qualifiers) {
            self.uniform_block(qualifiers)?
        } else {
            self.declaration_or_function(qualifiers)?
        };
        items.push(item);
        Ok(())
    }

    /// Words of GLSL ES 3.00 before a declaration, in a text that is none.
    fn expect_es100_storage(&self) -> Result<()> {
        let next = self.peek_at(1);
        match self.peek() {
            Tok::Ident("in") => match self.stage {
                Stage::Vertex => self.only_es300("'in' outside of parameters", "'attribute'"),
                Stage::Fragment => self.only_es300("'in' outside of parameters", "'varying'"),
            },
            Tok::Ident("out") => match self.stage {
                Stage::Vertex => self.only_es300("'out' outside of parameters", "'varying'"),
                Stage::Fragment => self.only_es300("'out' outside of parameters", "'gl_FragColor'"),
            },
            Tok::Ident("layout") if next == Tok::Punct("(") => self.only_es300("'layout'", "no qualifier"),
            Tok::Ident("flat" | "smooth" | "centroid") if matches!(next, Tok::Ident(_)) => {
                self.only_es300("a qualifier of interpolation", "'varying' alone")
            }
            Tok::Ident("uniform") if self.peek_at(2) == Tok::Punct("{") && next != Tok::Ident("struct") => {
                self.only_es300("a block of uniforms", "uniforms of their own")
            }
            _ => Ok(()),
        }
    }

    fn is_block(&self, qualifiers: &Qualifiers<'a>) -> bool {
        qualifiers.storage.is_some()
            && matches!(self.peek(), Tok::Ident(_))
            && self.peek_at(1) == Tok::Punct("{")
            && self.peek() != Tok::Ident("struct")
    }

    fn declaration_or_function(&mut self, mut qualifiers: Qualifiers<'a>) -> Result<Item<'a>> {
        let after_type = self.after_brackets(1).unwrap_or(1);
        let is_function =
            matches!(self.peek_at(after_type), Tok::Ident(_)) && self.peek_at(after_type + 1) == Tok::Punct("(");
        if !is_function || self.peek() == Tok::Ident("struct") {
            let declaration = self.declaration(qualifiers)?;
            self.expect(";")?;
            return Ok(Item::Declare(declaration));
        }
        if qualifiers.storage.is_some() {
            let what = "a storage qualifier".into();
            return Err(Problem::fault(qualifiers.position, Fault::Misplaced { what, place: "on a function" }));
        }
        if qualifiers.has_interpolation() || !qualifiers.layout.is_empty() {
            let what = "a qualifier of a function: expected a precision of what it returns";
            self.notes.push(Note::oddity(qualifiers.position, what));
        }
        let returns = self.type_spec()?;
        self.expect_precision(&mut qualifiers, &returns);
        let (name, position) = self.name("a function's name")?;
        let parameters = self.parameters()?;
        let prototype = Prototype { returns, name, position, parameters };
        if self.take(";") {
            return Ok(Item::Function(prototype, None));
        }
        if !self.take("{") {
            return Err(self.unexpected("';' or '{'"));
        }
        Ok(Item::Function(prototype, Some(self.block()?)))
    }

    fn parameters(&mut self) -> Result<Vec<Declaration<'a>>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        if self.take(")") {
            return Ok(parameters);
        }
        if self.peek() == Tok::Ident("void") && self.peek_at(1) == Tok::Punct(")") {
            self.at += 2;
            return Ok(parameters);
        }
        loop {
            if matches!(self.peek(), Tok::Ident("attribute" | "varying")) {
                return Err(self.unexpected("'const', 'in', 'out', 'inout' or a type"));
            }
            let mut qualifiers = self.qualifiers()?;
            let ty = self.type_spec()?;
            self.expect_precision(&mut qualifiers, &ty);
            if matches!(ty.base, BaseType::Struct(..)) {
                self.notes.push(Note::oddity(ty.position, "a struct is declared in a parameter: expected before it"));
            }
            if qualifiers.has_interpolation() || !qualifiers.layout.is_empty() {
                let what = "a qualifier of a parameter: expected 'const', 'in', 'out', 'inout' or a precision";
                self.notes.push(Note::oddity(qualifiers.position, what));
            }
            let position = self.position();
            let name = match self.peek() {
                Tok::Ident(_) => self.name("a parameter's name")?.0,
                _ => "",
            };
            let array = self.array_suffix()?;
            let declarators = vec![Declarator { name, position, array, init: None }];
            parameters.push(Declaration { qualifiers, ty, declarators });
            if self.take(")") {
                return Ok(parameters);
            }
            if !self.take(",") {
                return Err(self.unexpected("',' or ')'"));
            }
        }
    }

    fn uniform_block(&mut self, qualifiers: Qualifiers<'a>) -> Result<Item<'a>> {
        if qualifiers.has_interpolation() || qualifiers.precision.is_some() {
            self.notes
                .push(Note::oddity(qualifiers.position, "a qualifier of a block: expected 'layout' and 'uniform'"));
        }
        let (name, position) = self.name("a block's name")?;
        self.expect("{")?;
        let members = self.members(true)?;
        let instance = match self.peek() {
            Tok::Ident(_) => {
                let (name, position) = self.name("the block variable's name")?;
                Some(Declarator { name, position, array: self.array_suffix()?, init: None })
            }
            _ => None,
        };
        self.expect(";")?;
        Ok(Item::Block(Block { qualifiers, name, position, members, instance }))
    }

    /// Members of a struct or block, up to and with `}`.
    fn members(&mut self, is_block: bool) -> Result<Vec<Declaration<'a>>> {
        let mut members = Vec::new();
        while !self.take("}") {
            let qualifiers = self.qualifiers()?;
            let may_have_storage = is_block && qualifiers.storage == Some(Storage::Uniform);
            let has_storage = qualifiers.storage.is_some() && !may_have_storage;
            if has_storage || qualifiers.has_interpolation() || !is_block && !qualifiers.layout.is_empty() {
                self.notes
                    .push(Note::oddity(qualifiers.position, "a qualifier of a member: expected a precision only"));
            }
            let is_of_matrices = |name: &str| matches!(name, "row_major" | "column_major");
            if is_block && qualifiers.layout.iter().any(|(name, ..)| !is_of_matrices(name)) {
                let what = "a layout of a member: expected 'row_major' or 'column_major'";
                self.notes.push(Note::oddity(qualifiers.position, what));
            }
            let member = self.declaration(qualifiers)?;
            if matches!(member.ty.base, BaseType::Struct(..)) {
                let what = "a struct is declared within another type: expected before it";
                self.notes.push(Note::oddity(member.ty.position, what));
            }
            self.expect(";")?;
            members.push(member);
        }
        Ok(members)
    }

    /// Type and names, without the `;`.
    pub(super) fn declaration(&mut self, mut qualifiers: Qualifiers<'a>) -> Result<Declaration<'a>> {
        let ty = self.type_spec()?;
        self.expect_precision(&mut qualifiers, &ty);
        let mut declarators = Vec::new();
        if self.peek() == Tok::Punct(";") {
            return Ok(Declaration { qualifiers, ty, declarators });
        }
        loop {
            let (name, position) = self.name("a variable's name")?;
            let array = self.array_suffix()?;
            let init = if self.take("=") { Some(self.assignment()?) } else { None };
            declarators.push(Declarator { name, position, array, init });
            if !self.take(",") {
                return Ok(Declaration { qualifiers, ty, declarators });
            }
        }
    }

    /// A type with its brackets.
    pub(super) fn type_spec(&mut self) -> Result<TypeSpec<'a>> {
        let position = self.position();
        let base = match self.peek() {
            Tok::Ident("struct") => {
                self.advance();
                let name = match self.peek() {
                    Tok::Ident(_) => Some(self.name("a struct's name")?.0),
                    _ => None,
                };
                self.expect("{")?;
                self.struct_depth += 1;
                if self.struct_depth > MAX_GLSL_STRUCT_DEPTH {
                    return Err(Problem::limit(position, "nested structs", MAX_GLSL_STRUCT_DEPTH as u64));
                }
                let members = self.members(false)?;
                self.struct_depth -= 1;
                BaseType::Struct(name, members)
            }
            Tok::Ident(word) => match self.language.type_of(word) {
                Some(ty) => {
                    self.advance();
                    BaseType::Known(ty)
                }
                None if self.language.is_reserved(word) => {
                    return Err(Problem::fault(position, Fault::ReservedWord { word: shorten(word) }));
                }
                None => BaseType::Named(self.name("a type")?.0),
            },
            _ => return Err(self.unexpected("a type")),
        };
        if self.peek() == Tok::Punct("[") {
            self.later("'[' after a type");
        }
        let array = self.array_suffix()?;
        Ok(TypeSpec { base, array, position })
    }

    /// Any qualifiers, in any order, which only GLSL ES 3.10 leaves open.
    pub(super) fn qualifiers(&mut self) -> Result<Qualifiers<'a>> {
        let mut rank = 0;
        let found = self.qualifiers_by(&mut |parser, word, position| {
            let next = rank_of(word);
            if next < rank && parser.language != Language::Es310 {
                let what = format!("'{word}' is in the wrong order: expected {ORDER}");
                parser.notes.push(Note::oddity(position, what));
            }
            rank = next;
        })?;
        if found.flat && found.smooth {
            self.notes.push(Note::oddity(found.position, "'flat' and 'smooth' at once: expected one of them"));
        }
        Ok(found)
    }

    fn qualifiers_by(&mut self, each: &mut dyn FnMut(&mut Self, &str, u32)) -> Result<Qualifiers<'a>> {
        let mut found = Qualifiers { position: self.position(), ..Qualifiers::default() };
        loop {
            let position = self.position();
            let Tok::Ident(word) = self.peek() else { return Ok(found) };
            let storage = match word {
                "const" => Some(Storage::Const),
                "in" => Some(Storage::In),
                "out" => Some(Storage::Out),
                "inout" => Some(Storage::InOut),
                "uniform" => Some(Storage::Uniform),
                "attribute" | "varying" if self.language == Language::Es100 => Some(self.storage_of_es100(word)?),
                _ => None,
            };
            match word {
                "invariant" | "lowp" | "mediump" | "highp" => {}
                "flat" | "smooth" | "centroid" if self.language != Language::Es100 => {}
                "layout" if self.language != Language::Es100 => {
                    each(self, word, position);
                    if !found.layout.is_empty() && self.language != Language::Es310 {
                        self.notes.push(Note::oddity(position, "'layout' after another: expected one of them"));
                    }
                    self.advance();
                    self.layout(&mut found)?;
                    continue;
                }
                _ if storage.is_none() => return Ok(found),
                _ => {}
            }
            let is_repeated = match word {
                "flat" => std::mem::replace(&mut found.flat, true),
                "smooth" => std::mem::replace(&mut found.smooth, true),
                "centroid" => std::mem::replace(&mut found.centroid, true),
                "invariant" => std::mem::replace(&mut found.invariant, true),
                _ => match Precision::from_keyword(word) {
                    Some(precision) => found.precision.replace(precision).is_some(),
                    None => false,
                },
            };
            if is_repeated {
                let what = format!("'{word}' after another qualifier of its kind: expected one of them");
                self.notes.push(Note::oddity(position, what));
            }
            each(self, word, position);
            self.advance();
            match (found.storage, storage) {
                (_, None) => {}
                (None, _) => found.storage = storage,
                (Some(Storage::Const), Some(Storage::In)) => {
                    found.storage = storage;
                    found.constant = true;
                }
                (Some(Storage::In), Some(Storage::Const)) if self.language == Language::Es310 => found.constant = true,
                (Some(_), Some(_)) => {
                    return Err(Problem::expected(position, "one storage qualifier", format!("'{word}'")));
                }
            }
        }
    }

    fn storage_of_es100(&self, word: &str) -> Result<Storage> {
        match (word, self.stage) {
            ("attribute", Stage::Fragment) => {
                let what = "'attribute'".into();
                Err(Problem::fault(self.position(), Fault::Misplaced { what, place: "in a fragment shader" }))
            }
            ("varying", Stage::Vertex) => Ok(Storage::Out),
            _ => Ok(Storage::In),
        }
    }

    fn layout(&mut self, found: &mut Qualifiers<'a>) -> Result<()> {
        self.expect("(")?;
        loop {
            let position = self.position();
            let Tok::Ident(name) = self.peek() else { return Err(self.unexpected("a layout qualifier")) };
            self.advance();
            let mut value = None;
            if self.take("=") {
                let at = self.position();
                let Tok::Number(text) = self.peek() else { return Err(self.unexpected("an integer")) };
                value = match number::number(text, at)? {
                    super::super::ast::ExprKind::Int(value) => Some(value as u32),
                    super::super::ast::ExprKind::Uint(value) => Some(value),
                    _ => return Err(self.unexpected("an integer")),
                };
                self.advance();
            }
            found.layout.push((name, value, position));
            if self.take(")") {
                return Ok(());
            }
            if !self.take(",") {
                return Err(self.unexpected("',' or ')'"));
            }
        }
    }
}
