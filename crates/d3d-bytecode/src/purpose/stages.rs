//! Stages of a combiner, and their text.

use std::fmt;

/// An argument of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// A colour by its name.
    Named(String),
    /// The result of the stages before.
    Current,
    /// One lane of it everywhere, by the lane's name.
    Lane(Box<Argument>, &'static str),
    /// 1 minus it.
    Complement(Box<Argument>),
    /// It with its sign turned.
    Negative(Box<Argument>),
    /// It minus ½.
    Biased(Box<Argument>),
    /// Twice it.
    Doubled(Box<Argument>),
    /// It from −1 to 1 instead of 0 to 1.
    Signed(Box<Argument>),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Current => f.write_str("current"),
            Self::Lane(of, lane) => write!(f, "{of} {lane}"),
            Self::Complement(of) => write!(f, "1 - {of}"),
            Self::Negative(of) => write!(f, "-{of}"),
            Self::Biased(of) => write!(f, "{of} - 0.5"),
            Self::Doubled(of) => write!(f, "2 * {of}"),
            Self::Signed(of) => write!(f, "2 * ({of} - 0.5)"),
        }
    }
}

/// An operation of a stage, as Direct3D 9 names its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub kind: OperationKind,
    pub arguments: Vec<Argument>,
    /// Whether ½ was subtracted from the sum.
    pub is_signed: bool,
    /// The power of two that the result is multiplied by.
    pub doublings: u32,
}

/// The kinds of operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OperationKind {
    Select,
    Modulate,
    Add,
    Subtract,
    AddSmooth,
    MultiplyAdd,
    DotProduct3,
    /// Two arguments by the weight of a third.
    Blend,
    /// Any other, by its instruction.
    Other(&'static str),
}

impl Operation {
    pub(super) fn new(kind: OperationKind, arguments: Vec<Argument>) -> Self {
        Self { kind, arguments, is_signed: false, doublings: 0 }
    }

    /// Adds a product of which `other` is a factor, or takes it away.
    pub(super) fn add_product(&mut self, other: &Argument, is_less: bool) {
        match (&self.kind, is_less) {
            // A sum less the product of both.
            (OperationKind::Add, true) => self.kind = OperationKind::AddSmooth,
            (OperationKind::Modulate, false) => {
                self.kind = OperationKind::Blend;
                // The weight of the first product stands behind both arguments.
                let weight = self.arguments.pop();
                self.arguments.push(other.clone());
                self.arguments.extend(weight);
            }
            _ => {
                self.kind = OperationKind::MultiplyAdd;
                self.arguments.push(other.clone());
            }
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (OperationKind::Select, [argument], false, 0) =
            (&self.kind, self.arguments.as_slice(), self.is_signed, self.doublings)
        {
            return write!(f, "{argument}");
        }
        f.write_str(match self.kind {
            OperationKind::Select => "select",
            OperationKind::Modulate => "modulate",
            OperationKind::Add => "add",
            OperationKind::Subtract => "subtract",
            OperationKind::AddSmooth => "addsmooth",
            OperationKind::MultiplyAdd => "multiplyadd",
            OperationKind::DotProduct3 => "dotproduct3",
            OperationKind::Blend => "blend",
            OperationKind::Other(name) => name,
        })?;
        f.write_str(if self.is_signed { "signed" } else { "" })?;
        if self.doublings > 0 {
            write!(f, "{}x", 1_u64 << self.doublings.min(8))?;
        }
        f.write_str("(")?;
        for (place, argument) in self.arguments.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { ", " })?;
            write!(f, "{argument}")?;
        }
        f.write_str(")")
    }
}

/// A stage of a combiner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CombinerStage {
    pub color: Option<Operation>,
    pub alpha: Option<Operation>,
}

impl CombinerStage {
    /// Whether it hands on the result of the stages before.
    pub(super) fn is_empty(&self) -> bool {
        self.color.is_none() && self.alpha.is_none()
    }
}

impl fmt::Display for CombinerStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.color, &self.alpha) {
            (Some(color), Some(alpha)) if color == alpha => write!(f, "{color}"),
            (Some(color), Some(alpha)) => write!(f, "{color}, alpha {alpha}"),
            (Some(color), None) => write!(f, "{color}, alpha current"),
            (None, Some(alpha)) => write!(f, "current, alpha {alpha}"),
            (None, None) => f.write_str("current"),
        }
    }
}
