//! A scenario's values in messages, and values that need not be written.

/// A value that a scenario writes as a text, as messages show it.
pub(crate) fn quoted(value: impl std::fmt::Display) -> String {
    format!("\"{value}\"")
}

/// For serde's `skip_serializing_if`.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
