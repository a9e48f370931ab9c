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
use super::Writer;

impl Writer<'_> {
    pub(super) fn switch(&mut self, selector: &Expr, cases: &[Case]) -> Result<()> {
        let selector_value = self.value(selector)?;
        let selector_text = super::expr::parenthesised(&selector_value.code);
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
            return self.falling_switch(&selector_text, cases);
        }
        self.open(&format!("switch {selector_text}"))?;
        for case in cases {
            let labels = self.labels(case);
            self.open(&format!("case {labels}:"))?;
            self.statements(&case.body)?;
            self.close();
        }
        self.default_if_missing(cases);
        self.close();
        Ok(())
    }

    fn falling_switch(&mut self, selector: &str, cases: &[Case]) -> Result<()> {
        let start = self.temporary();
        self.line(&format!("var {start}: i32 = {};", cases.len()));
        self.open(&format!("switch {selector}"))?;
        for (at, case) in cases.iter().enumerate() {
            let labels = self.labels(case);
            self.open(&format!("case {labels}:"))?;
            self.line(&format!("{start} = {at};"));
            self.close();
        }
        self.default_if_missing(cases);
        self.close();
        self.open("switch 0i")?;
        self.open("default:")?;
        for (at, case) in cases.iter().enumerate() {
            self.open(&format!("if ({start} <= {at})"))?;
            self.statements(&case.body)?;
            self.close();
        }
        self.close();
        self.close();
        Ok(())
    }

    fn labels(&mut self, case: &Case) -> String {
        let texts: Vec<String> = case
            .labels
            .iter()
            .map(|label| match label.as_ref().and_then(|value| value.first()) {
                Some(super::super::value::Component::Uint(value)) => format!("{value}u"),
                Some(component) => format!("i32({})", component.integer() as i32),
                None => "default".to_owned(),
            })
            .collect();
        texts.join(", ")
    }

    fn default_if_missing(&mut self, cases: &[Case]) {
        if !cases.iter().any(|case| case.labels.iter().any(Option::is_none)) {
            self.line("default: {}");
        }
    }
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
