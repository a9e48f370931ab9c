//! Calls: functions of the text, built-in functions, texture functions.

use super::super::ast;
use super::super::builtins::{self, Lookup};
use super::super::error::{Fault, Problem, Result};
use super::super::language::{DERIVATIVES, Language, TEXTURE_LOD};
use super::super::lex::shorten;
use super::super::source::Stage;
use super::super::texture_functions;
use super::super::typed::{Access, Expr, ExprKind, FunctionId, TextureCall, VariableKind};
use super::super::types::Type;
use super::super::value::{self, Value};
use super::Checker;
use super::scope::Entity;

/// Forms of a function, and types of a form, that a message shows.
const MOST_SHOWN: usize = 16;

impl<'a> Checker<'_, 'a> {
    pub(super) fn call(&mut self, name: &'a str, arguments: &[ast::Expr<'a>], position: u32) -> Result<Expr> {
        let entity = self.scopes.find(name).cloned();
        if let Some(Entity::Struct(of)) = entity {
            return self.construct_struct(&of, arguments, position);
        }
        let arguments = arguments.iter().map(|argument| self.expr(argument)).collect::<Result<Vec<_>>>()?;
        match entity {
            Some(Entity::Functions(overloads)) => {
                let types = |id: &&FunctionId| {
                    self.program.functions.get(id.0).is_some_and(|function| {
                        function.signature.len() == arguments.len()
                            && function.signature.iter().zip(&arguments).all(|((ty, _), argument)| *ty == argument.ty)
                    })
                };
                if let Some(id) = overloads.iter().find(types) {
                    return self.call_function(*id, arguments, position);
                }
                let language = self.program.language;
                if matches!(builtins::find(language, name, &[]), Lookup::Unknown)
                    && texture_functions::texture_call(language, name).is_none()
                {
                    return Err(no_overload(name, &arguments, self.candidates(&overloads), position));
                }
            }
            Some(Entity::Unknown) => return Err(Problem::consequence(position)),
            Some(_) => {
                return Err(Problem::expected(position, "a function", format!("the variable '{}'", shorten(name))));
            }
            None => {}
        }
        if let Some(call) = texture_functions::texture_call(self.program.language, name) {
            return self.call_texture(name, call, arguments, position);
        }
        self.call_builtin(name, arguments, position)
    }

    /// What the forms of a function take, behind a message.
    fn candidates(&self, overloads: &[FunctionId]) -> String {
        let types = |id: &FunctionId| {
            let signature = self.program.functions.get(id.0).map(|function| function.signature.as_slice());
            let types = signature.into_iter().flatten().take(MOST_SHOWN).map(|(ty, _)| ty.to_string());
            format!("({})", types.collect::<Vec<_>>().join(", "))
        };
        let shown: Vec<_> = overloads.iter().take(MOST_SHOWN).map(types).collect();
        let more = if overloads.len() > MOST_SHOWN { " and others" } else { "" };
        format!("; it takes {}{more}", shown.join(" or "))
    }

    fn call_function(&mut self, id: FunctionId, arguments: Vec<Expr>, position: u32) -> Result<Expr> {
        let Some(function) = self.program.functions.get(id.0) else {
            return Err(Problem::expected(position, "a function", "none"));
        };
        let (returns, signature) = (function.returns.clone(), function.signature.clone());
        // A function that was not seen whole yet may do anything.
        let callee_effects = function.effects || function.body.is_none();
        let mut effects = callee_effects;
        for ((_, kind), argument) in signature.iter().zip(&arguments) {
            if !matches!(kind, VariableKind::In { .. }) {
                self.assignable(argument)?;
                effects = true;
            }
        }
        if let Some(dynamic) = arguments.iter().find(|argument| argument.dynamic_sampler().is_some()) {
            let what = "a sampler by an index that is no constant";
            return Err(Problem::unsupported(
                dynamic.position,
                what,
                "expected it in a texture function, not in a call",
            ));
        }
        effects |= arguments.iter().any(|argument| argument.effects);
        self.function.effects |= callee_effects;
        self.function.calls.push((id, position));
        Ok(Expr { kind: ExprKind::Call(id, arguments), ty: returns, position, effects, value: None, constant: false })
    }

    fn call_builtin(&mut self, name: &'a str, arguments: Vec<Expr>, position: u32) -> Result<Expr> {
        let types: Vec<&Type> = arguments.iter().map(|argument| &argument.ty).collect();
        let found = match builtins::find(self.program.language, name, &types) {
            Lookup::Found(found) => found,
            Lookup::NoOverload if self.is_of_integers(name, &types) => {
                self.later(position, "a function of integers");
                match builtins::find(Language::Es300, name, &types) {
                    Lookup::Found(found) => found,
                    Lookup::NoOverload | Lookup::Unknown => return Err(self.undeclared("function", name, position)),
                }
            }
            Lookup::NoOverload => {
                let expected = match builtins::signatures(name).len() {
                    0 => String::new(),
                    count => format!("; forms of up to 4 components: {count}"),
                };
                return Err(no_overload(name, &arguments, expected, position));
            }
            Lookup::Unknown => {
                return Err(self.undeclared("function", name, position));
            }
        };
        if builtins::is_fragment_only(name) && self.program.stage == Stage::Vertex {
            let fault = Fault::WrongStage { name: name.to_owned(), belongs: Stage::Fragment, stage: Stage::Vertex };
            return Err(Problem::fault(position, fault));
        }
        if builtins::is_fragment_only(name) {
            self.expect_extension(name, DERIVATIVES, position);
        }
        if builtins::is_later(name) && self.program.language == Language::Es300 {
            self.odd(position, format!("'{name}' is a function of GLSL ES 3.10: expected one of 3.00"));
        }
        if let Some(out) = found.out.and_then(|index| arguments.get(index)) {
            self.assignable(out)?;
        }
        let effects = found.out.is_some() || arguments.iter().any(|argument| argument.effects);
        let foldable = found.out.is_none() && !builtins::is_fragment_only(name);
        let constant = foldable && arguments.iter().all(|argument| argument.constant);
        let values: Option<Vec<Value>> = arguments.iter().map(|argument| argument.value.clone()).collect();
        let value = values.filter(|_| foldable).and_then(|values| value::builtin(found.name, &values, &found.returns));
        let kind = ExprKind::Builtin(found.name, arguments);
        Ok(Expr { kind, ty: found.returns, position, effects, value, constant })
    }

    /// Whether only GLSL ES 3.00 has a function for the arguments.
    fn is_of_integers(&self, name: &str, types: &[&Type]) -> bool {
        self.program.language == Language::Es100
            && matches!(builtins::find(Language::Es300, name, types), Lookup::Found(_))
    }

    fn call_texture(&mut self, name: &str, call: TextureCall, arguments: Vec<Expr>, position: u32) -> Result<Expr> {
        let refuse = |arguments: &[Expr]| Err(no_overload(name, arguments, String::new(), position));
        let Some((Expr { ty: Type::Sampler(sampler), .. }, rest)) = arguments.split_first() else {
            return refuse(&arguments);
        };
        let sampler = *sampler;
        if self.program.language == Language::Es100 {
            match texture_functions::texture_call_of_es100(name) {
                Some((_, dimension)) if dimension == sampler.dimension => {}
                _ => return refuse(&arguments),
            }
            self.expect_place_of_es100(name, call, position);
        }
        let Some((lists, returns)) = texture_functions::texture_signatures(call, sampler, self.program.stage) else {
            return refuse(&arguments);
        };
        let fits = |list: &&Vec<Type>| list.len() == rest.len() && list.iter().zip(rest).all(|(ty, a)| *ty == a.ty);
        let Some(list) = lists.iter().find(fits) else { return refuse(&arguments) };
        if call.offset {
            let bias = usize::from(call.access == Access::Implicit && list.last() == Some(&Type::FLOAT));
            let offset = rest.len().checked_sub(1 + bias).and_then(|at| rest.get(at));
            self.check_offset(offset, position)?;
        }
        let effects = arguments.iter().any(|argument| argument.effects);
        let kind = ExprKind::Texture(call, arguments);
        Ok(Expr { kind, ty: returns, position, effects, value: None, constant: false })
    }

    /// GLSL ES 1.00 gives levels to vertex shaders only, and gradients to none.
    fn expect_place_of_es100(&mut self, name: &str, call: TextureCall, position: u32) {
        if name.ends_with("EXT") || call.access == Access::Gradients {
            self.expect_extension(name, TEXTURE_LOD, position);
        } else if call.access == Access::Level && self.program.stage == Stage::Fragment {
            self.odd(position, format!("'{name}' in a fragment shader: expected '{name}EXT' of {TEXTURE_LOD}"));
        }
    }

    fn check_offset(&self, offset: Option<&Expr>, position: u32) -> Result<()> {
        let Some(value) = offset.and_then(|offset| offset.value.as_ref()) else {
            return Err(Problem::fault(position, Fault::NotConstant { what: "a texel offset" }));
        };
        let outside = value.iter().map(|component| component.integer() as i32).find(|at| !(-8..=7).contains(at));
        match outside {
            None => Ok(()),
            Some(found) => {
                let (found, expected) = (found.to_string(), "-8 to 7".to_owned());
                Err(Problem::fault(position, Fault::OutOfRange { what: "a texel offset", found, expected }))
            }
        }
    }
}

fn no_overload(name: &str, arguments: &[Expr], expected: String, position: u32) -> Box<Problem> {
    let types: Vec<_> = arguments.iter().take(MOST_SHOWN).map(|argument| argument.ty.to_string()).collect();
    Problem::fault(position, Fault::NoOverload { name: shorten(name), found: types.join(", "), expected })
}
