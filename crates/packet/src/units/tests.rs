//! Reading and writing of quantities.

use super::*;

#[test]
fn a_prefix_shifts_the_decimal_point() {
    for (text, secs) in [
        ("45ms", 0.045),
        ("0.3ms", 0.0003),
        ("100us", 1e-4),
        ("1e-3s", 1e-3),
        ("2min", 120.0),
        ("0s", 0.0),
        ("0.00189s", 0.00189),
    ] {
        assert_eq!(text.parse::<Time>().unwrap().secs(), secs, "{text}");
    }
    assert_eq!("1e7bps".parse::<Rate>().unwrap().bps(), 1e7);
    assert_eq!("100 Mbps".parse::<Rate>().unwrap().bps(), 100e6);
}

#[test]
fn short_numbers_are_read_as_long_ones() {
    let mut draw = 1_u64;
    for place in (0..10_000).map(|k| k % 16) {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let digits = (draw >> 16).to_string();
        let digits = &digits[..digits.len().min(1 + (draw % 16) as usize)];
        let (whole, fraction) = digits.split_at(place.min(digits.len()));
        let (mantissa, exponent) = (format!("{whole}.{fraction}"), (draw >> 40) as i32 % 30);
        let exact: f64 = format!("{mantissa}e{exponent}").parse().unwrap();
        assert_eq!(decimal(&mantissa, exponent), Some(exact), "{mantissa}e{exponent}");
        let exact: f64 = format!("{mantissa}e-{exponent}").parse().unwrap();
        assert_eq!(decimal(&mantissa, -exponent), Some(exact), "{mantissa}e-{exponent}");
    }
    assert_eq!(
        (short("1.5", 6), short("0045", -3), short(".", 0), short("1..2", 0), short("1.", 0), short("-1", 0)),
        (Some(1.5e6), Some(0.045), None, None, Some(1.0), None)
    );
    for digits in 1..=17 {
        let text = "123456789012345678"[..digits].to_owned();
        assert_eq!(short(&text, 0), (digits <= 15).then(|| text.parse().unwrap()), "{text}");
    }
}

#[test]
fn other_spellings_are_read() {
    for text in ["1.5Mbit", "1.5 Mbit/s", "1.5Mb/s", "1500kbit", "1500Kbps"] {
        assert_eq!(text.parse::<Rate>().unwrap().bps(), 1.5e6, "{text}");
    }
    for text in ["45msec", "0.045 sec", "45000\u{b5}s", "45000\u{3bc}s", "0.045seconds"] {
        assert_eq!(text.parse::<Time>().unwrap().secs(), 0.045, "{text}");
    }
    for text in ["200KB", "200000bytes"] {
        assert_eq!(text.parse::<Bytes>().unwrap().get(), 200_000, "{text}");
    }
    for (there, here) in ALSO_WRITTEN {
        let units = [Time::UNITS, Rate::UNITS, Bytes::UNITS];
        assert!(units.iter().any(|units| units.iter().any(|(name, _)| *name == here)), "{there}");
    }
    assert!("5Mbs".parse::<Rate>().unwrap_err().to_string().contains("did you mean `Mbps`?"));
    assert!("5Mbyte".parse::<Rate>().unwrap_err().to_string().contains("also Mbit, Mb/s"));
    assert!("5M".parse::<Rate>().unwrap_err().to_string().contains("did you mean `Mbps`?"));
    for bytes in ["1mbps", "5MB/s", "5MBps", "5mb/s"] {
        let error = bytes.parse::<Rate>().unwrap_err().to_string();
        assert!(error.contains("did you mean `Mbps`? It counts bits; if `"), "{error}");
    }
    assert!(!"45MS".parse::<Time>().unwrap_err().to_string().contains("bits"));
}

#[test]
fn errors_name_value_and_what_is_allowed() {
    for (text, part) in [
        ("45", "no unit"),
        ("45 parsec", "unknown unit `parsec`"),
        ("45MS", "did you mean `ms`?"),
        ("-1ms", "negative"),
        ("NaNs", "no number and an unknown unit `NaNs`"),
        ("ms", "not a number"),
        ("1.2.3s", "not a number"),
        ("1e999s", "not a number"),
    ] {
        let error = text.parse::<Time>().unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("100ms"), "{text}: {error}");
    }
    assert!("1e308min".parse::<Time>().unwrap_err().to_string().contains("longer than 1e12 s"));
    assert!("0bps".parse::<Rate>().unwrap_err().to_string().contains("not positive"));
    assert!("1.5B".parse::<Bytes>().unwrap_err().to_string().contains("whole number"));
    assert!("1e30GB".parse::<Bytes>().is_err());
}

#[test]
fn what_is_shown_reads_back_the_same() {
    for secs in [0.1, 0.045, 1.0 / 3.0, 1e-9, 123456.789] {
        assert_eq!(Time(secs).to_string().parse::<Time>().unwrap().secs(), secs);
    }
}
