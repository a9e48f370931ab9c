//! Random statements.

use glsl_es::{Scalar, Type};

use super::types::vector;
use super::{Generator, Var, Way};

impl Generator {
    pub fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    pub fn declare(&mut self, name: String, ty: Type, writable: bool, constant: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(Var { name, ty, writable, constant });
        }
    }

    /// A value to keep: floats are squeezed into −4..4.
    pub fn kept(&mut self, ty: &Type, depth: usize) -> String {
        let value = self.expression(ty, depth);
        match ty {
            Type::Numeric(Scalar::Float, ..) if !self.constant => format!("t({value})"),
            _ => value,
        }
    }

    /// A name for a local variable, at times one that hides another.
    fn local_name(&mut self) -> String {
        let inner: Vec<String> = self.scopes.last().into_iter().flatten().map(|var| var.name.clone()).collect();
        let outer: Vec<Var> = self.visible().into_iter().filter(|var| !inner.contains(&var.name)).collect();
        let can_hide = |var: &Var| var.name.starts_with('x');
        let hidden: Vec<Var> = outer.into_iter().filter(can_hide).collect();
        if self.scopes.len() > 3 && !hidden.is_empty() && self.one_in(4) {
            return self.pick(&hidden).name;
        }
        self.name("x")
    }

    /// A place that can be assigned, whole or in part.
    fn target(&mut self) -> Option<(String, Type)> {
        let writable: Vec<Var> = self.visible().into_iter().filter(|var| var.writable).collect();
        if writable.is_empty() {
            return None;
        }
        for _ in 0..4 {
            let var = self.pick(&writable);
            let is_global = var.name.starts_with('g');
            if is_global && !self.may_write_globals {
                continue;
            }
            self.wrote_globals |= is_global;
            if !matches!(var.ty, Type::Numeric(..)) && self.one_in(4) {
                return Some((var.name, var.ty));
            }
            if let Some((path, ty)) = self.path(&var.ty, None, 4) {
                return Some((format!("{}{path}", var.name), ty));
            }
        }
        None
    }

    fn assignment(&mut self) {
        let Some((target, ty)) = self.target() else { return };
        let Type::Numeric(scalar, columns, rows) = ty else {
            let value = self.expression(&ty, 2);
            self.line(&format!("{target} = {value};"));
            return;
        };
        if scalar == Scalar::Bool || self.one_in(2) {
            let value = self.kept(&ty, 3);
            self.line(&format!("{target} = {value};"));
            return;
        }
        let by = if self.one_in(3) { vector(scalar, 1) } else { ty.clone() };
        let value = self.expression(&by, 2);
        match scalar {
            Scalar::Float => {
                // A vector times a matrix, too.
                let square = match (columns, rows) {
                    (1, size @ 2..) => Some(Type::Numeric(Scalar::Float, size, size)),
                    (columns @ 2.., _) => Some(Type::Numeric(Scalar::Float, columns, columns)),
                    _ => None,
                };
                match (square, self.choices.below(5)) {
                    (Some(square), 0) => {
                        let value = self.expression(&square, 2);
                        self.line(&format!("{target} *= {value} * 0.3;"));
                    }
                    (_, 1) if columns == 1 || columns == rows || by.is_scalar() => {
                        self.line(&format!("{target} *= {value};"));
                    }
                    (_, 2) if columns == 1 => self.line(&format!("{target} /= abs({value}) + 0.8;")),
                    (_, 3) => self.line(&format!("{target} -= {value};")),
                    _ => self.line(&format!("{target} += {value};")),
                }
                self.line(&format!("{target} = t({target});"));
            }
            _ => {
                let is_int = scalar == Scalar::Int;
                match self.choices.below(8) {
                    0 if is_int => self.line(&format!("{target} /= ({value} & 3) + 1;")),
                    0 => self.line(&format!("{target} %= ({value} & 3u) + 1u;")),
                    1 => {
                        let mask = if is_int { "15" } else { "15u" };
                        let operator = self.pick(&["<<=", ">>="]);
                        self.line(&format!("{target} {operator} {value} & {mask};"));
                    }
                    _ => {
                        let operator = self.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                        self.line(&format!("{target} {operator} {value};"));
                    }
                }
            }
        }
    }

    /// Several effects in one expression, in an order that GLSL fixes.
    fn effects(&mut self) {
        let (Some((a, a_type)), Some((b, b_type))) = (self.target(), self.target()) else { return };
        if !matches!(a_type, Type::Numeric(..)) || !matches!(b_type, Type::Numeric(..)) {
            return;
        }
        let is_bool = |ty: &Type| ty.scalar() == Some(Scalar::Bool);
        match self.choices.below(5) {
            0 => {
                let (x, y) = (self.kept(&a_type, 2), self.kept(&b_type, 2));
                self.line(&format!("{a} = {x}, {b} = {y};"));
            }
            1 if !is_bool(&a_type) => {
                let step = self.pick(&["++", "--"]);
                self.line(&format!("{a}{step};"));
                self.squeeze(&a, &a_type);
            }
            2 if !is_bool(&a_type) => {
                let step = self.pick(&["++", "--"]);
                self.line(&format!("{step}{a};"));
                self.squeeze(&a, &a_type);
            }
            3 => {
                let (x, y) = (self.kept(&a_type, 2), self.expression(&a_type, 2));
                let name = self.name("x");
                let declared = self.declared(&a_type, &name);
                // The comma's right side comes after its left.
                self.line(&format!("{declared} = ({a} = {x}, {y});"));
                self.declare(name, a_type, true, false);
            }
            _ => {
                let condition = self.expression(&Type::BOOL, 2);
                let (x, y) = (self.kept(&a_type, 1), self.kept(&b_type, 1));
                let check = if is_bool(&b_type) { b.clone() } else { "true".to_owned() };
                match (is_bool(&b_type), b_type.is_scalar()) {
                    (true, true) => {
                        let name = self.name("x");
                        self.line(&format!("bool {name} = {condition} && ({b} = {y}) || {check};"));
                        self.declare(name, Type::BOOL, true, false);
                    }
                    _ => self.line(&format!("{condition} ? ({a} = {x}) : ({a} = {x}, {a});")),
                }
            }
        }
    }

    fn squeeze(&mut self, target: &str, ty: &Type) {
        if ty.scalar() == Some(Scalar::Float) {
            self.line(&format!("{target} = t({target});"));
        }
    }

    /// A call for its `out` parameters, or of a function that writes globals.
    fn call_statement(&mut self) {
        let candidates: Vec<_> =
            self.functions.iter().filter(|of| of.pure || self.may_write_globals).cloned().collect();
        if candidates.is_empty() {
            return;
        }
        let function = self.pick(&candidates);
        let mut arguments = Vec::new();
        let mut taken: Vec<String> = Vec::new();
        for (ty, way) in &function.parameters {
            if *way == Way::In {
                arguments.push(self.expression(ty, 2));
                continue;
            }
            // Each place once: in which order they are copied out is open. No global: the function may write it.
            let places: Vec<Var> = self
                .visible()
                .into_iter()
                .filter(|var| var.writable && !var.name.starts_with('g') && !taken.contains(&var.name))
                .collect();
            let mut found = None;
            for var in &places {
                self.indices_first = true;
                let path = self.path(&var.ty, Some(ty), 4);
                self.indices_first = false;
                if let Some((path, _)) = path {
                    found = Some((var.name.clone(), path));
                    break;
                }
            }
            match found {
                Some((name, path)) => {
                    arguments.push(format!("{name}{path}"));
                    taken.push(name);
                }
                None => {
                    let name = self.name("x");
                    let (declared, value) = (self.declared(ty, &name), self.expression(ty, 1));
                    self.line(&format!("{declared} = {value};"));
                    self.declare(name.clone(), ty.clone(), true, false);
                    arguments.push(name.clone());
                    taken.push(name);
                }
            }
        }
        self.wrote_globals |= !function.pure;
        let call = format!("{}({})", function.name, arguments.join(", "));
        if function.returns == Type::Void || self.one_in(4) {
            self.line(&format!("{call};"));
        } else {
            let name = self.name("x");
            let declared = self.declared(&function.returns, &name);
            self.line(&format!("{declared} = {call};"));
            self.declare(name, function.returns, true, false);
        }
    }

    fn declaration(&mut self) {
        let ty = self.any_type();
        let constant = self.one_in(6);
        if constant {
            let before = std::mem::replace(&mut self.constant, true);
            let value = self.expression(&ty, 3);
            self.constant = before;
            let name = self.local_name();
            let declared = self.declared(&ty, &name);
            self.line(&format!("const {declared} = {value};"));
            // naga, drivers and we fold floats in different last bits, which is fine, but not in array sizes.
            self.declare(name, ty, false, true);
            return;
        }
        let value = self.kept(&ty, 3);
        let name = self.local_name();
        match &ty {
            Type::Array(of, _) if self.one_in(3) => self.line(&format!("{of} {name}[] = {value};")),
            _ => {
                let declared = self.declared(&ty, &name);
                self.line(&format!("{declared} = {value};"));
            }
        }
        self.declare(name, ty, true, false);
    }

    pub fn statement(&mut self, depth: usize) {
        match self.choices.below(18) {
            0..=4 => self.declaration(),
            5..=8 => self.assignment(),
            9 | 10 => self.call_statement(),
            11 => self.effects(),
            12 | 13 if depth > 0 => self.branch(depth),
            14 | 15 if depth > 0 && self.loops < 2 => self.loop_statement(depth),
            16 if depth > 0 => self.switch(depth),
            17 if depth > 0 && self.one_in(2) => self.block("{", depth),
            17 => self.leave(),
            _ => self.assignment(),
        }
    }

    /// Statements in a scope of their own.
    fn block(&mut self, head: &str, depth: usize) {
        self.line(head);
        self.inside(depth);
        self.line("}");
    }

    fn inside(&mut self, depth: usize) {
        self.scopes.push(Vec::new());
        for _ in 0..1 + self.choices.below(3) {
            self.statement(depth - 1);
        }
        self.scopes.pop();
    }

    /// `break`, `continue`, `return` or `discard`, under a condition.
    fn leave(&mut self) {
        let condition = self.expression(&Type::BOOL, 2);
        let how = match (self.loops > 0, self.choices.below(3)) {
            (true, 0) if !self.in_do => "break;".to_owned(),
            (true, 1) => "continue;".to_owned(),
            (true, _) if self.do_loops > 0 => "continue;".to_owned(),
            _ => match self.returns.clone() {
                Some(Type::Void) => "return;".to_owned(),
                Some(ty) => format!("return {};", self.kept(&ty, 2)),
                None if !self.vertex && self.one_in(6) => {
                    self.line(&format!("if ({condition} && v_a.w > 0.8171) discard;"));
                    (self.together, self.left) = (false, true);
                    return;
                }
                None => return,
            },
        };
        self.together = false;
        self.line(&format!("if ({condition}) {how}"));
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.expression(&Type::BOOL, 2);
        let together = std::mem::replace(&mut self.together, false);
        self.line(&format!("if ({condition}) {{"));
        self.inside(depth);
        for _ in 0..self.choices.below(3) {
            let condition = self.expression(&Type::BOOL, 2);
            self.line(&format!("}} else if ({condition}) {{"));
            self.inside(depth);
        }
        if self.one_in(2) {
            self.line("} else {");
            self.inside(depth);
        }
        self.line("}");
        self.together = together && !self.left;
    }

    fn loop_statement(&mut self, depth: usize) {
        let together = std::mem::replace(&mut self.together, false);
        self.loops += 1;
        let i = self.name("k");
        let count = match self.choices.below(3) {
            0 => (1 + self.choices.below(4)).to_string(),
            1 => format!("({} & 3)", self.expression(&Type::INT, 1)),
            _ => format!("int({} & 3u)", self.expression(&Type::UINT, 1)),
        };
        self.scopes.push(Vec::new());
        let kind = self.choices.below(6);
        let in_do = std::mem::replace(&mut self.in_do, kind == 3);
        self.do_loops += usize::from(kind == 3);
        match kind {
            0 => {
                self.line(&format!("for (int {i} = 0; {i} < {count}; {i}++) {{"));
                self.declare(i, Type::INT, false, false);
                self.inside(depth);
                self.line("}");
            }
            1 => {
                let j = self.name("k");
                self.line(&format!("for (int {i} = {count}, {j} = 1; {i} > 0; {i}--, {j} += 2) {{"));
                self.declare(i, Type::INT, false, false);
                self.declare(j, Type::INT, false, false);
                self.inside(depth);
                self.line("}");
            }
            2 => {
                self.line(&format!("int {i} = {count};\nwhile ({i}-- > 0) {{"));
                self.declare(i, Type::INT, false, false);
                self.inside(depth);
                self.line("}");
            }
            3 => {
                let count = 1 + self.choices.below(3);
                self.line(&format!("uint {i} = 0u;\ndo {{"));
                self.declare(i.clone(), Type::UINT, false, false);
                self.inside(depth);
                self.line(&format!("}} while (++{i} < {count}u);"));
            }
            4 => {
                let b = self.name("k");
                self.line(&format!("int {i} = 0;\nwhile (bool {b} = {i}++ < {count}) {{"));
                self.declare(i, Type::INT, false, false);
                self.declare(b, Type::BOOL, true, false);
                self.inside(depth);
                self.line("}");
            }
            _ => {
                let step = self.pick(&["0.3137", "0.4411"]);
                self.line(&format!("for (float {i} = 0.0; {i} < 1.0173; {i} += {step}) {{"));
                self.declare(i, Type::FLOAT, false, false);
                self.inside(depth);
                self.line("}");
            }
        }
        self.scopes.pop();
        self.in_do = in_do;
        self.do_loops -= usize::from(kind == 3);
        self.loops -= 1;
        self.together = together && !self.left;
    }

    fn switch(&mut self, depth: usize) {
        let unsigned = self.one_in(3);
        let (ty, suffix) = if unsigned { (Type::UINT, "u") } else { (Type::INT, "") };
        let selector = self.expression(&ty, 2);
        let together = std::mem::replace(&mut self.together, false);
        self.line(&format!("switch ({selector} & 7{suffix}) {{"));
        self.scopes.push(Vec::new());
        let labels = 1 + self.choices.below(5);
        let default_at = self.choices.below(labels + 2);
        for label in 0..labels {
            if label == default_at {
                self.line("default:");
            }
            let shown = label * 5 % 7;
            let sum = if self.one_in(3) { format!(" + 0{suffix}") } else { String::new() };
            self.line(&format!("case {shown}{suffix}{sum}:"));
            // What one group declares is in scope in the next, but was not given a value on every way there.
            match self.choices.below(3) {
                0 => self.block("{", depth),
                1 => {
                    self.assignment();
                    let condition = self.expression(&Type::BOOL, 1);
                    self.line(&format!("if ({condition}) break;"));
                    self.assignment();
                }
                _ => self.assignment(),
            }
            if self.one_in(2) || label + 1 == labels {
                self.line("break;");
            }
        }
        self.scopes.pop();
        self.line("}");
        self.together = together && !self.left;
    }

    /// `return` of a function's end.
    pub fn last_return(&mut self) {
        if let Some(ty) = self.returns.clone().filter(|ty| *ty != Type::Void) {
            let value = self.kept(&ty, 2);
            self.line(&format!("return {value};"));
        }
    }

    /// Some number in a variable, as a colour.
    pub fn shown(&mut self, var: &Var) -> String {
        let found = (0..4).find_map(|_| self.path(&var.ty, None, 3));
        match found {
            Some((path, _)) => format!("enc({}{path})", var.name),
            None => "vec4(0.25)".to_owned(),
        }
    }
}
