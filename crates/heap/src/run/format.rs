//! Output as `printf` writes it.

use super::fault::FaultKind;
use super::value::{Pointer, Value};
use crate::types::IntType;

/// Reads the byte at a place.
pub(super) type ReadByte<'r> = dyn FnMut(Value) -> Result<u8, (FaultKind, Value)> + 'r;

/// The largest width, precision and string that are written.
const LONGEST: usize = 1 << 16;

/// What stands between `%` and the letter.
#[derive(Default)]
struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    width: usize,
    precision: Option<usize>,
    bits: u8,
}

/// The text for a format and values, each with the number that it is. Strings are read byte by byte.
pub(super) fn print(
    args: &[(Value, i128)],
    byte: &mut ReadByte<'_>,
) -> Result<Vec<u8>, (FaultKind, Value)> {
    let Some(((format, _), values)) = args.split_first() else { return Ok(Vec::new()) };
    let format = string(*format, LONGEST, byte)?;
    let mut values = values.iter().copied();
    let mut text = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(c) = rest.next() {
        if c != b'%' {
            text.push(c);
            continue;
        }
        let mut spec = Spec { bits: 32, ..Spec::default() };
        while let Some(flag) = rest.peek() {
            match flag {
                b'-' => spec.left = true,
                b'0' => spec.zero = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                _ => break,
            }
            rest.next();
        }
        let width = count(&mut rest, &mut values).unwrap_or(0);
        spec.left |= width < 0;
        spec.width = width.unsigned_abs().min(LONGEST as u128) as usize;
        if rest.next_if_eq(&b'.').is_some() {
            let n = count(&mut rest, &mut values).unwrap_or(0);
            spec.precision = (n >= 0).then_some(n.clamp(0, LONGEST as i128) as usize);
        }
        while let Some(length) = rest.peek() {
            match length {
                b'h' => spec.bits = if spec.bits == 16 { 8 } else { 16 },
                b'l' | b'z' | b'j' | b't' | b'q' => spec.bits = 64,
                b'L' => {}
                _ => break,
            }
            rest.next();
        }
        let Some(kind) = rest.next() else { break };
        let shown = match kind {
            b'%' => {
                text.push(b'%');
                continue;
            }
            b'c' => vec![values.next().map_or(b'?', |(_, n)| n.rem_euclid(256) as u8)],
            b's' => {
                let start = values.next().map_or(Value::NULL, |(value, _)| value);
                string(start, spec.precision.unwrap_or(LONGEST), byte)?
            }
            b'p' => match values.next() {
                Some((Value::NULL, _)) => b"(nil)".to_vec(),
                _ => b"(pointer)".to_vec(),
            },
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => match values.next() {
                Some((Value::Float(x), _)) => {
                    spec.padded(x.is_sign_negative(), &float(x, kind, &spec))
                }
                _ => b"?".to_vec(),
            },
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                spec.integer(values.next().map_or(0, |(_, n)| n), kind)
            }
            other => vec![b'%', other],
        };
        let fill = vec![b' '; spec.width.saturating_sub(shown.len())];
        let (first, second) = if spec.left { (shown, fill) } else { (fill, shown) };
        text.extend(first);
        text.extend(second);
    }
    Ok(text)
}

/// A width or a precision: digits, or `*` for one of the values.
fn count(
    rest: &mut std::iter::Peekable<impl Iterator<Item = u8>>,
    values: &mut impl Iterator<Item = (Value, i128)>,
) -> Option<i128> {
    if rest.next_if_eq(&b'*').is_some() {
        return Some(values.next().map_or(0, |(_, n)| n));
    }
    let mut n = None;
    while let Some(d) = rest.next_if(u8::is_ascii_digit) {
        let digit = i128::from(d - b'0');
        n = Some(n.unwrap_or(0i128).saturating_mul(10).saturating_add(digit));
    }
    n
}

impl Spec {
    fn integer(&self, n: i128, kind: u8) -> Vec<u8> {
        let signed = matches!(kind, b'd' | b'i');
        let n = IntType { bits: self.bits, signed }.wrap(n);
        let digits = match kind {
            b'x' => format!("{n:x}"),
            b'X' => format!("{n:X}"),
            b'o' => format!("{n:o}"),
            _ => n.unsigned_abs().to_string(),
        };
        let digits = match (n, self.precision) {
            (0, Some(0)) => String::new(),
            _ => format!("{digits:0>0$}", self.precision.unwrap_or(1)),
        };
        let prefix = match (self.alternative && n != 0, kind) {
            (true, b'x') => "0x",
            (true, b'X') => "0X",
            (true, b'o') if !digits.starts_with('0') => "0",
            _ => "",
        };
        let spec = Spec { plus: self.plus && signed, space: self.space && signed, ..*self };
        let zero = self.zero && self.precision.is_none();
        Spec { zero, ..spec }.padded_with(n < 0, prefix, &digits)
    }

    fn padded(&self, negative: bool, digits: &str) -> Vec<u8> {
        self.padded_with(negative, "", digits)
    }

    /// Sign, prefix, zeros up to the width if asked for, digits.
    fn padded_with(&self, negative: bool, prefix: &str, digits: &str) -> Vec<u8> {
        let sign = match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        let taken = sign.len() + prefix.len() + digits.len();
        let fill = if self.zero && !self.left { self.width.saturating_sub(taken) } else { 0 };
        format!("{sign}{prefix}{}{digits}", "0".repeat(fill)).into_bytes()
    }
}

/// The digits of a floating-point number without its sign.
fn float(x: f64, kind: u8, spec: &Spec) -> String {
    let x = x.abs();
    let precision = spec.precision.unwrap_or(6).min(400);
    let shown = match kind.to_ascii_lowercase() {
        _ if x.is_nan() => "nan".to_owned(),
        _ if x.is_infinite() => "inf".to_owned(),
        b'f' => format!("{x:.precision$}"),
        b'e' => scientific(x, precision),
        _ => {
            let precision = precision.max(1);
            let whole = scientific(x, precision - 1);
            let exponent: i32 =
                whole.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
            let shown = match exponent {
                e if e < -4 || e >= precision as i32 => whole,
                e => format!("{x:.*}", (precision as i32 - 1 - e).max(0) as usize),
            };
            match shown.split_once('e') {
                _ if spec.alternative => shown,
                Some((digits, exponent)) => format!("{}e{exponent}", trimmed(digits)),
                None => trimmed(&shown).to_owned(),
            }
        }
    };
    if kind.is_ascii_uppercase() { shown.to_ascii_uppercase() } else { shown }
}

/// Without zeros behind the point.
fn trimmed(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

fn scientific(x: f64, precision: usize) -> String {
    let shown = format!("{x:.precision$e}");
    match shown.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(rest) => ('-', rest),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => shown,
    }
}

fn string(
    start: Value,
    most: usize,
    byte: &mut ReadByte<'_>,
) -> Result<Vec<u8>, (FaultKind, Value)> {
    let mut text = Vec::new();
    for i in 0..most.min(LONGEST) {
        let at = match start {
            Value::Ptr(p) => Value::Ptr(Pointer { offset: p.offset.saturating_add(i as i64), ..p }),
            Value::Int(n) => Value::Int(n.saturating_add(i as i128)),
            other => other,
        };
        match byte(at)? {
            0 => break,
            b => text.push(b),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(format: &str, values: &[Value]) -> String {
        let mut args = vec![(Value::Ptr(Pointer { object: 0, offset: 0 }), 0)];
        args.extend(values.iter().map(|v| match v {
            Value::Int(n) => (*v, *n),
            _ => (*v, 0),
        }));
        let mut byte = |at: Value| match at {
            Value::Ptr(p) => Ok(format.as_bytes().get(p.offset as usize).copied().unwrap_or(0)),
            _ => Err((FaultKind::Null, at)),
        };
        let text = print(&args, &mut byte);
        text.map(|t| String::from_utf8_lossy(&t).into_owned()).unwrap_or_default()
    }

    #[test]
    fn integers() {
        let show = |format, n| printed(format, &[Value::Int(n)]);
        assert_eq!(show("%5d|", 42), "   42|");
        assert_eq!(show("%-5d|", 42), "42   |");
        assert_eq!(show("%05d", -42), "-0042");
        assert_eq!(show("%.3d", 7), "007");
        assert_eq!(show("%#x", 255), "0xff");
        assert_eq!(show("%#o", 8), "010");
        assert_eq!(show("%+d", 5), "+5");
        assert_eq!(show("%u", -1), "4294967295");
        assert_eq!(show("%hhd", 300), "44");
    }

    #[test]
    fn floating_point() {
        let show = |format, x| printed(format, &[Value::Float(x)]);
        assert_eq!(show("%e", 12345.678), "1.234568e+04");
        assert_eq!(show("%g", 0.0001), "0.0001");
        assert_eq!(show("%g", 1e10), "1e+10");
        assert_eq!(show("%.3g", 2.345678), "2.35");
        assert_eq!(show("%G", 1e-10), "1E-10");
        assert_eq!(show("%g", 100000.0), "100000");
        assert_eq!(show("%8.2f|", -1.005), "   -1.00|");
    }

    #[test]
    fn widths_are_values_too() {
        assert_eq!(
            printed(
                "%*d|%.*f",
                &[Value::Int(4), Value::Int(7), Value::Int(2), Value::Float(1.239)]
            ),
            "   7|1.24"
        );
    }
}
