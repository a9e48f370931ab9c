//! The text of a filter → its tree: one function per rule of the grammar.

use regex::Regex;

use super::{FilterError, Literal, MAX_DEPTH, Node, Operator, Pattern, Test};

pub(super) fn parse_filter(text: &str) -> Result<Node, FilterError> {
    let mut parser = Parser { text, position: 0 };
    let root = parser.expression(0)?;
    parser.skip_space();
    if parser.position < text.len() { Err(parser.unexpected("and, or, or the end")) } else { Ok(root) }
}

struct Parser<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    fn unexpected(&self, expected: &'static str) -> FilterError {
        let found = self.rest().chars().next().map_or("the end".into(), |found| format!("'{found}'"));
        FilterError::Syntax { expected, found, position: self.position }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let is_here = self.rest().starts_with(token);
        self.position += if is_here { token.len() } else { 0 };
        is_here
    }

    /// Eats a keyword that ends where a word ends.
    fn eat_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let after = self.rest().strip_prefix(word);
        let is_here = after.is_some_and(|after| !after.starts_with(is_word));
        self.position += if is_here { word.len() } else { 0 };
        is_here
    }

    fn expression(&mut self, depth: usize) -> Result<Node, FilterError> {
        if depth > MAX_DEPTH {
            return Err(FilterError::TooDeep { position: self.position });
        }
        let mut any = vec![self.all(depth)?];
        while self.eat_word("or") {
            any.push(self.all(depth)?);
        }
        Ok(Node::Any(any))
    }

    fn all(&mut self, depth: usize) -> Result<Node, FilterError> {
        let mut all = vec![self.part(depth)?];
        while self.eat_word("and") {
            all.push(self.part(depth)?);
        }
        Ok(Node::All(all))
    }

    fn part(&mut self, depth: usize) -> Result<Node, FilterError> {
        if self.eat_word("not") {
            return if depth > MAX_DEPTH {
                Err(FilterError::TooDeep { position: self.position })
            } else {
                Ok(Node::Not(Box::new(self.part(depth + 1)?)))
            };
        }
        if self.eat("(") {
            let inside = self.expression(depth + 1)?;
            return if self.eat(")") { Ok(inside) } else { Err(self.unexpected("a closing parenthesis")) };
        }
        self.test()
    }

    fn test(&mut self) -> Result<Node, FilterError> {
        if self.eat_word("@duration") {
            let operator = self.operator()?;
            let amount = self.number()?;
            return Ok(Node::Duration { operator, amount, unit_nanos: self.time_unit() });
        }
        if self.eat_word("@depth") {
            return Ok(Node::Depth { operator: self.operator()?, amount: self.number()? });
        }
        self.skip_space();
        let start = self.position;
        let name = if self.eat("*") { None } else { Some(self.pattern("a name, /regex/, @duration or @depth")?) };
        if !self.rest().starts_with('(') {
            self.refuse_comparison(start)?;
            return Ok(Node::Name(name.unwrap_or(Pattern::Contains(String::new()))));
        }
        self.position += 1;
        let argument = self.word("the name of an argument")?;
        let operator = self.operator()?;
        let test = match (operator, self.pattern("a value")?) {
            (Operator::Unlike, Pattern::Matches(regex)) => Test::Matches(regex, false),
            (_, Pattern::Matches(regex)) => Test::Matches(regex, operator != Operator::NotEqual),
            (Operator::Like | Operator::Unlike, Pattern::Contains(text)) => {
                let regex = self.regex(&text, self.position)?;
                Test::Matches(regex, operator == Operator::Like)
            }
            (_, Pattern::Contains(text)) => Test::Compare(operator, literal(text)),
        };
        if !self.eat(")") {
            return Err(self.unexpected("a closing parenthesis"));
        }
        Ok(Node::Argument { name, argument, test })
    }

    /// Refuses a name that is compared as if it were an argument: `draws > 3`.
    fn refuse_comparison(&self, start: usize) -> Result<(), FilterError> {
        let mut ahead = Parser { text: self.text, position: self.position };
        if ahead.operator().is_err() || ahead.pattern("a value").is_err() {
            return Ok(());
        }
        let text = self.text.get(start..ahead.position).unwrap_or_default().to_owned();
        Err(FilterError::BareComparison { text, position: start })
    }

    fn operator(&mut self) -> Result<Operator, FilterError> {
        use Operator::*;
        let all = [
            ("==", Equal),
            ("!=", NotEqual),
            ("<=", LessOrEqual),
            (">=", GreaterOrEqual),
            ("=~", Like),
            ("!~", Unlike),
            ("<", Less),
            (">", Greater),
            ("=", Equal),
        ];
        let found = all.into_iter().find(|(token, _)| self.eat(token));
        found.map(|(_, operator)| operator).ok_or_else(|| self.unexpected("an operator"))
    }

    fn number(&mut self) -> Result<f64, FilterError> {
        self.skip_space();
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest.get(..length).and_then(|digits| digits.parse().ok());
        self.position += if number.is_some() { length } else { 0 };
        number.ok_or_else(|| self.unexpected("a number"))
    }

    fn time_unit(&mut self) -> Option<f64> {
        let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
        units.into_iter().find(|(unit, _)| self.eat_word(unit)).map(|(_, nanos)| nanos)
    }

    fn word(&mut self, expected: &'static str) -> Result<String, FilterError> {
        self.skip_space();
        let rest = self.rest();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.unexpected(expected));
        }
        self.position += length;
        Ok(rest.get(..length).unwrap_or_default().to_owned())
    }

    /// A word, a quoted text, or a regular expression.
    fn pattern(&mut self, expected: &'static str) -> Result<Pattern, FilterError> {
        self.skip_space();
        let start = self.position;
        for quote in ['"', '\'', '/'] {
            if self.eat(quote.encode_utf8(&mut [0; 4])) {
                let text = self.quoted(quote)?;
                let regex = |regex| self.regex(regex, start).map(Pattern::Matches);
                return if quote == '/' { regex(&text) } else { Ok(Pattern::Contains(text)) };
            }
        }
        self.word(expected).map(Pattern::Contains)
    }

    fn quoted(&mut self, quote: char) -> Result<String, FilterError> {
        let mut text = String::new();
        let mut characters = self.rest().char_indices();
        while let Some((at, character)) = characters.next() {
            if character == quote {
                self.position += at + 1;
                return Ok(text);
            }
            match characters.clone().next() {
                Some((_, escaped)) if character == '\\' && escaped == quote => {
                    text.push(escaped);
                    characters.next();
                }
                _ => text.push(character),
            }
        }
        self.position = self.text.len();
        Err(self.unexpected("a closing quote"))
    }

    fn regex(&self, text: &str, position: usize) -> Result<Regex, FilterError> {
        Regex::new(text).map_err(|_| FilterError::Regex { text: text.to_owned(), position })
    }
}

/// Names of calls, events and scopes consist of these; anything else is quoted.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_.#:$-[]+".contains(c)
}

fn literal(text: String) -> Literal {
    let integer = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(i128::from),
        None => text.parse().ok(),
    };
    match (integer, text.parse()) {
        (Some(integer), _) => Literal::Integer(integer),
        (None, Ok(number)) => Literal::Number(number),
        (None, Err(_)) => Literal::Text(text),
    }
}
