//! Output as `printf` writes it.

use super::fault::FaultKind;
use super::value::Value;
use crate::types::IntType;

/// The text for a format and values. Strings are read byte by byte.
pub(super) fn print(
    args: &[Value],
    byte: &mut dyn FnMut(Value) -> Result<u8, (FaultKind, Value)>,
) -> Result<String, (FaultKind, Value)> {
    let Some((format, values)) = args.split_first() else { return Ok(String::new()) };
    let format = string(*format, byte)?;
    let mut values = values.iter().copied();
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let (mut left, mut zero, mut plus, mut space) = (false, false, false, false);
        while let Some(flag) = rest.peek() {
            match flag {
                '-' => left = true,
                '0' => zero = true,
                '+' => plus = true,
                ' ' => space = true,
                '#' => {}
                _ => break,
            }
            rest.next();
        }
        let mut number = |values: &mut dyn Iterator<Item = Value>| -> Option<usize> {
            if rest.peek() == Some(&'*') {
                rest.next();
                return match values.next() {
                    Some(Value::Int(n)) => Some(n.clamp(0, 4096) as usize),
                    _ => Some(0),
                };
            }
            let mut digits = String::new();
            while let Some(d) = rest.peek().filter(|d| d.is_ascii_digit()) {
                digits.push(*d);
                rest.next();
            }
            (!digits.is_empty()).then(|| digits.parse::<usize>().unwrap_or(0).min(4096))
        };
        let width = number(&mut values).unwrap_or(0);
        let precision = if rest.peek() == Some(&'.') {
            rest.next();
            let mut digits = String::new();
            while let Some(d) = rest.peek().filter(|d| d.is_ascii_digit()) {
                digits.push(*d);
                rest.next();
            }
            Some(digits.parse::<usize>().unwrap_or(0).min(4096))
        } else {
            None
        };
        let mut bits = 32u8;
        while let Some(length) = rest.peek() {
            match length {
                'h' => bits = if bits == 16 { 8 } else { 16 },
                'l' | 'z' | 'j' | 't' | 'q' => bits = 64,
                'L' => {}
                _ => break,
            }
            rest.next();
        }
        let Some(kind) = rest.next() else { break };
        let shown = match kind {
            '%' => "%".to_owned(),
            'c' => match values.next() {
                Some(Value::Int(n)) => char::from(n.rem_euclid(256) as u8).to_string(),
                _ => "?".to_owned(),
            },
            's' => {
                let mut shown = string(values.next().unwrap_or(Value::NULL), byte)?;
                if let Some(most) = precision {
                    shown = shown.chars().take(most).collect();
                }
                shown
            }
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => match values.next() {
                Some(Value::Float(x)) => format!("{x:.*}", precision.unwrap_or(6)),
                _ => "?".to_owned(),
            },
            'p' => match values.next() {
                Some(Value::NULL) => "(nil)".to_owned(),
                _ => "(pointer)".to_owned(),
            },
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => match values.next() {
                Some(Value::Int(n)) => {
                    let signed = matches!(kind, 'd' | 'i');
                    let n = IntType { bits, signed }.wrap(n);
                    let digits = match kind {
                        'x' => format!("{n:x}"),
                        'X' => format!("{n:X}"),
                        'o' => format!("{n:o}"),
                        _ => n.unsigned_abs().to_string(),
                    };
                    let digits = format!("{digits:0>0$}", precision.unwrap_or(1));
                    let sign = match (n < 0, plus && signed, space && signed) {
                        (true, ..) => "-",
                        (_, true, _) => "+",
                        (_, _, true) => " ",
                        _ => "",
                    };
                    let fill = if zero && !left && precision.is_none() {
                        width.saturating_sub(digits.len() + sign.len())
                    } else {
                        0
                    };
                    format!("{sign}{}{digits}", "0".repeat(fill))
                }
                _ => "?".to_owned(),
            },
            other => format!("%{other}"),
        };
        let fill = " ".repeat(width.saturating_sub(shown.chars().count()));
        match left {
            true => text.push_str(&(shown + &fill)),
            false => text.push_str(&(fill + &shown)),
        }
    }
    Ok(text)
}

const LONGEST: i128 = 1 << 16;

fn string(
    start: Value,
    byte: &mut dyn FnMut(Value) -> Result<u8, (FaultKind, Value)>,
) -> Result<String, (FaultKind, Value)> {
    let mut text = Vec::new();
    for i in 0..LONGEST {
        let at = match start {
            Value::Ptr(p) => Value::Ptr(super::Pointer { offset: p.offset + i as i64, ..p }),
            other => other,
        };
        match byte(at)? {
            0 => break,
            b => text.push(b),
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
