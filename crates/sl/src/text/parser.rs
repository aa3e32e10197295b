//! The grammar of the text notation: from `||`, which binds least, to `.field`.

use report::{Diagnostic, FileId, Span};

use super::ast::{Constant, Expr, ExprKind, Ident, Item, Joint, Relation, Text, Typed};
use super::lexer::{Token, is_keyword, tokens};

/// How deep formulas may be nested.
const MAX_DEPTH: usize = 400;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

pub(super) fn parse(file: FileId, text: &str) -> Result<Text> {
    let mut parser = Parser { tokens: tokens(file, text)?, at: 0, depth: 0 };
    let mut parsed = Text::default();
    while parser.token() != &Token::End {
        match parser.item()? {
            Some(items) => parsed.items.extend(items),
            None => parsed.formulas.push(parser.formula()?),
        }
        if parser.is(")") || parser.is("}") {
            return parser.error("this closes nothing");
        }
        if parser.token() != &Token::End {
            parser.expect(";")?;
        }
    }
    Ok(parsed)
}

/// Where a text ends.
pub(super) fn end(file: FileId, text: &str) -> Span {
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    Span { file, start: end, end }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn item(&mut self) -> Result<Option<Vec<Item>>> {
        let Token::Name(word) = self.token() else { return Ok(None) };
        let items = match word.as_str() {
            "sort" => {
                self.at += 1;
                vec![Item::Sort(self.ident()?)]
            }
            "record" => {
                self.at += 1;
                let name = self.ident()?;
                self.expect("{")?;
                let fields = self.typed_list("}")?;
                self.expect("}")?;
                vec![Item::Record { name, fields }]
            }
            "heap" => {
                self.at += 1;
                let mut cells = Vec::new();
                loop {
                    let loc = self.ident()?;
                    self.expect("->")?;
                    cells.push(Item::Heap { loc, content: self.sort_name()? });
                    if !self.eat(",") {
                        break cells;
                    }
                }
            }
            "pred" => {
                self.at += 1;
                let name = self.ident()?;
                self.expect("(")?;
                let params = self.typed_list(")")?;
                self.expect(")")?;
                self.expect(":=")?;
                vec![Item::Pred { name, params, body: self.formula()? }]
            }
            "var" => {
                self.at += 1;
                self.typed_list(";")?.into_iter().map(Item::Var).collect()
            }
            _ => return Ok(None),
        };
        Ok(Some(items))
    }

    fn typed_list(&mut self, end: &str) -> Result<Vec<Typed>> {
        let mut list = Vec::new();
        if self.is(end) {
            return Ok(list);
        }
        loop {
            let name = self.ident()?;
            let sort = if self.eat(":") { Some(self.sort_name()?) } else { None };
            list.push(Typed { name, sort });
            if !self.eat(",") {
                return Ok(list);
            }
        }
    }

    fn formula(&mut self) -> Result<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error(format!("this is nested deeper than {MAX_DEPTH} levels"));
        }
        let result = self.joined(Joint::Or, "||", Parser::conjunction);
        self.depth -= 1;
        result
    }

    fn conjunction(&mut self) -> Result<Expr> {
        self.joined(Joint::And, "&&", Parser::wand)
    }

    fn wand(&mut self) -> Result<Expr> {
        let mut sides = vec![self.separation()?];
        while self.eat("-*") {
            sides.push(self.separation()?);
        }
        let mut result = sides.pop();
        while let Some(left) = sides.pop() {
            result = result.map(|right| {
                let span = left.span.to(right.span);
                Expr { kind: ExprKind::Wand(Box::new(left), Box::new(right)), span }
            });
        }
        match result {
            Some(expr) => Ok(expr),
            None => self.error("a formula is due here"),
        }
    }

    fn separation(&mut self) -> Result<Expr> {
        self.joined(Joint::Sep, "*", Parser::unary)
    }

    fn unary(&mut self) -> Result<Expr> {
        let start = self.span();
        if self.is("!") {
            self.at += 1;
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return self.error(format!("this is nested deeper than {MAX_DEPTH} levels"));
            }
            let part = self.unary()?;
            self.depth -= 1;
            let span = start.to(part.span);
            return Ok(Expr { kind: ExprKind::Not(Box::new(part)), span });
        }
        match self.token() {
            Token::Name(word) if word == "exists" || word == "forall" => {
                let exists = word == "exists";
                self.at += 1;
                let vars = self.typed_list(".")?;
                self.expect(".")?;
                let body = Box::new(self.formula()?);
                let span = start.to(body.span);
                Ok(Expr { kind: ExprKind::Quantified { exists, vars, body }, span })
            }
            _ => self.relation(),
        }
    }

    fn relation(&mut self) -> Result<Expr> {
        let left = self.sum()?;
        let relation = match self.token() {
            Token::Punct("=") => Relation::Eq,
            Token::Punct("!=") => Relation::Ne,
            Token::Punct("<=") => Relation::Le,
            Token::Punct("<") => Relation::Lt,
            Token::Punct(">=") => Relation::Ge,
            Token::Punct(">") => Relation::Gt,
            Token::Punct("|->") => Relation::PointsTo,
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.sum()?;
        let span = left.span.to(right.span);
        let kind = ExprKind::Related(relation, Box::new(left), Box::new(right));
        Ok(Expr { kind, span })
    }

    fn sum(&mut self) -> Result<Expr> {
        let first = self.postfix()?;
        let mut span = first.span;
        let mut parts = vec![first];
        loop {
            if self.eat("+") {
                parts.push(self.postfix()?);
            } else if self.is("-") {
                let start = self.span();
                self.at += 1;
                let part = self.postfix()?;
                let at = start.to(part.span);
                parts.push(Expr { kind: ExprKind::Neg(Box::new(part)), span: at });
            } else {
                break;
            }
            span = parts.last().map_or(span, |last| span.to(last.span));
        }
        Ok(one_or(parts, span, |parts| ExprKind::Joined(Joint::Add, parts)))
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut expr = self.primary()?;
        while self.is(".") {
            self.at += 1;
            let field = self.ident()?;
            let span = expr.span.to(field.span);
            expr = Expr { kind: ExprKind::Field(Box::new(expr), field), span };
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr> {
        let span = self.span();
        let token = self.token().clone();
        self.at += 1;
        let kind = match token {
            Token::Number(text) => ExprKind::Number(text),
            Token::Quoted(name) => return self.name_or_call(name, span),
            Token::Name(word) => match word.as_str() {
                "emp" => ExprKind::Constant(Constant::Emp),
                "true" => ExprKind::Constant(Constant::True),
                "false" => ExprKind::Constant(Constant::False),
                "nil" => {
                    let sort = if self.eat(":") { Some(self.sort_name()?) } else { None };
                    ExprKind::Nil(sort)
                }
                "mul" => {
                    self.expect("(")?;
                    ExprKind::Mul(self.arguments()?)
                }
                word if is_keyword(word) => {
                    self.at -= 1;
                    return self.error(format!("`{word}` cannot stand here"));
                }
                _ => return self.name_or_call(word, span),
            },
            Token::Punct("(") => {
                let inner = self.formula()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Punct("-") => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.error(format!("this is nested deeper than {MAX_DEPTH} levels"));
                }
                let part = self.primary()?;
                self.depth -= 1;
                ExprKind::Neg(Box::new(part))
            }
            Token::Punct("{") => ExprKind::Record(self.record()?),
            _ => {
                self.at -= 1;
                return self.error("a formula or a term is due here");
            }
        };
        Ok(Expr { kind, span: span.to(self.previous()) })
    }

    fn name_or_call(&mut self, name: String, span: Span) -> Result<Expr> {
        if !self.eat("(") {
            return Ok(Expr { kind: ExprKind::Name(name), span });
        }
        let args = self.arguments()?;
        let ident = Ident { text: name, span };
        Ok(Expr { kind: ExprKind::Call(ident, args), span: span.to(self.previous()) })
    }

    /// What is between parentheses, and the closing one.
    fn arguments(&mut self) -> Result<Vec<Expr>> {
        let mut args = Vec::new();
        if self.eat(")") {
            return Ok(args);
        }
        loop {
            args.push(self.formula()?);
            if !self.eat(",") {
                self.expect(")")?;
                return Ok(args);
            }
        }
    }

    fn record(&mut self) -> Result<Vec<(Ident, Expr)>> {
        let mut fields = Vec::new();
        loop {
            let name = self.ident()?;
            self.expect(":")?;
            fields.push((name, self.formula()?));
            if !self.eat(",") {
                self.expect("}")?;
                return Ok(fields);
            }
        }
    }

    fn joined(
        &mut self,
        joint: Joint,
        operator: &str,
        part: fn(&mut Parser) -> Result<Expr>,
    ) -> Result<Expr> {
        let first = part(self)?;
        let mut span = first.span;
        let mut parts = vec![first];
        while self.eat(operator) {
            let next = part(self)?;
            span = span.to(next.span);
            parts.push(next);
        }
        Ok(one_or(parts, span, |parts| ExprKind::Joined(joint, parts)))
    }

    fn ident(&mut self) -> Result<Ident> {
        let span = self.span();
        let text = match self.token() {
            Token::Quoted(text) => text.clone(),
            Token::Name(text) if !is_keyword(text) => text.clone(),
            Token::Name(text) => {
                let message = format!("`{text}` has a meaning of its own; write it in backquotes");
                return self.error(message);
            }
            _ => return self.error("a name is due here"),
        };
        self.at += 1;
        Ok(Ident { text, span })
    }

    fn sort_name(&mut self) -> Result<Ident> {
        self.ident()
    }

    fn token(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(NOWHERE, |(_, span)| *span)
    }

    fn previous(&self) -> Span {
        self.tokens.get(self.at.saturating_sub(1)).map_or(NOWHERE, |(_, span)| *span)
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.token(), Token::Punct(p) if *p == punct)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, punct: &str) -> Result<()> {
        if self.eat(punct) { Ok(()) } else { self.error(format!("`{punct}` is due here")) }
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Box::new(Diagnostic::error("sl.syntax", self.span(), message)))
    }
}

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

fn one_or(mut parts: Vec<Expr>, span: Span, many: impl FnOnce(Vec<Expr>) -> ExprKind) -> Expr {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            Expr { kind: many(parts), span }
        }
    }
}
