//! Constants: numbers, characters, strings.

/// The value of an integer constant, and its suffix in lower case.
pub(crate) fn integer(text: &str) -> Option<(i128, String)> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = lower.get(digits.len()..)?.to_owned();
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        i128::from_str_radix(hex, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        i128::from_str_radix(binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i128::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    Some((value.ok()?, suffix))
}

/// The value of a character constant, with its quotes. Plain characters have a sign.
pub(crate) fn character(text: &str) -> Option<i128> {
    let wide = !text.starts_with('\'');
    let inner = text.trim_start_matches(['L', 'u', 'U']).strip_prefix('\'')?.strip_suffix('\'')?;
    let bytes = unescape(inner);
    if wide {
        return inner
            .chars()
            .next()
            .filter(|c| *c != '\\')
            .map(|c| i128::from(u32::from(c)))
            .or_else(|| bytes.first().map(|b| i128::from(*b)));
    }
    match bytes.as_slice() {
        [] => None,
        [one] => Some(i128::from(*one as i8)),
        many => {
            let value = many.iter().fold(0u32, |value, b| (value << 8) | u32::from(*b));
            Some(i128::from(value as i32))
        }
    }
}

/// The bytes of a string literal, with its quotes; not if its characters are wide.
pub(crate) fn string(text: &str) -> Option<Vec<u8>> {
    let text = text.strip_prefix("u8").unwrap_or(text);
    Some(unescape(text.strip_prefix('"')?.strip_suffix('"')?))
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            bytes.extend(c.to_string().as_bytes());
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let byte = match escape {
            'n' => b'\n',
            't' => b'\t',
            'r' => b'\r',
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            'x' => {
                let mut value = 0u32;
                while let Some(d) = rest.peek().and_then(|d| d.to_digit(16)) {
                    value = (value << 4) | d;
                    rest.next();
                }
                value as u8
            }
            '0'..='7' => {
                let mut value = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(d) = rest.peek().and_then(|d| d.to_digit(8)) else { break };
                    value = value * 8 + d;
                    rest.next();
                }
                value as u8
            }
            other => {
                bytes.extend(other.to_string().as_bytes());
                continue;
            }
        };
        bytes.push(byte);
    }
    bytes
}
