//! `switch`, which in WGSL never falls through.
//!
//! If no group falls into the next, groups become WGSL's cases. Else the selector first picks the group to begin with,
//! and every group from there on runs until one breaks:
//!
//! ```wgsl
//! var t1: i32 = 2;                       // past the last group
//! switch s { case 1i: { t1 = 0; } case 2i: { t1 = 1; } default: {} }
//! switch 0i { default: {
//!   if (t1 <= 0) { … }                   // falls on
//!   if (t1 <= 1) { … break; }
//! } }
//! ```

use super::super::error::Result;
use super::super::typed::{Case, Expr, Stmt, VariableKind};
use super::super::value::Component;
use super::{Block, Statement, Value, Writer};

impl Writer<'_> {
    pub(super) fn switch(&mut self, selector: &Expr, cases: &[Case]) -> Result<()> {
        let selector = self.value(selector)?;
        // A variable declared in one group can be used in the next. A constant has its value there, whether or not its
        // declaration was jumped over.
        for statement in cases.iter().flat_map(|case| &case.body) {
            if let Stmt::Declare(id, init) = statement {
                let is_const = self.kind(*id) == VariableKind::Const;
                self.declare(*id, init.as_ref().filter(|_| is_const))?;
                self.hoisted.insert(*id);
            }
        }
        let falls = cases.iter().rev().skip(1).any(|case| !ends(&case.body));
        if falls {
            return self.falling_switch(selector, cases);
        }
        // The switch's own braces.
        self.braces += 1;
        let groups = cases.iter().map(|case| {
            let (_, body) = self.inside(|writer| writer.statements(&case.body))?;
            Ok((labels(case), body))
        });
        let groups = groups.collect::<Result<Vec<_>>>()?;
        self.braces -= 1;
        self.push(Statement::Switch(selector, with_default(groups)));
        Ok(())
    }

    fn falling_switch(&mut self, selector: Value, cases: &[Case]) -> Result<()> {
        let number = |at: usize| Value::literal(at.to_string());
        let name = self.temporary();
        self.declare_var(&name, "i32".to_owned(), Some(number(cases.len())));
        let start = Value::fixed(name);
        let groups = cases.iter().enumerate();
        let groups = groups.map(|(at, case)| (labels(case), vec![Statement::Assign(start.clone(), number(at))]));
        self.push(Statement::Switch(selector, with_default(groups.collect())));
        self.braces += 1;
        let ((), body) = self.inside(|writer| {
            cases.iter().enumerate().try_for_each(|(at, case)| {
                let (_, body) = writer.inside(|writer| writer.statements(&case.body))?;
                writer.push(Statement::If(start.infix("<=", &number(at)), body, Block::new()));
                Ok(())
            })
        })?;
        self.braces -= 1;
        self.push(Statement::Switch(Value::literal("0i"), vec![(vec![None], body)]));
        Ok(())
    }
}

fn labels(case: &Case) -> Vec<Option<Value>> {
    let label = |value: &super::super::value::Value| match value.first() {
        Some(Component::Uint(value)) => Value::literal(format!("{value}u")),
        Some(component) => Value::literal(format!("i32({})", component.integer() as i32)),
        None => Value::nothing(),
    };
    case.labels.iter().map(|value| value.as_ref().map(label)).collect()
}

/// WGSL wants a `default` in every switch.
fn with_default(mut groups: Vec<(Vec<Option<Value>>, Block)>) -> Vec<(Vec<Option<Value>>, Block)> {
    if !groups.iter().any(|(labels, _)| labels.iter().any(Option::is_none)) {
        groups.push((vec![None], Block::new()));
    }
    groups
}

/// Whether a list of statements never reaches its end.
fn ends(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Break | Stmt::Continue | Stmt::Return(_) | Stmt::Discard => true,
        Stmt::Block(inner) => ends(inner),
        Stmt::If(branches, Some(last)) => {
            branches.iter().all(|(_, body)| ends(std::slice::from_ref(body))) && ends(std::slice::from_ref(last))
        }
        _ => false,
    })
}
