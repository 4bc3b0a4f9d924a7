//! Choices whose alternatives have parameters: their declaration, and what a scenario says of one.
//!
//! A parameter stands in the variant that reads it, with its range and default. The macro [`variants`] makes of each
//! declaration the enum, its defaults, the check of ranges, and the JSON Schema.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

/// A rule of a stack, and the form in which a scenario gives it.
pub trait Rule: Sized {
    /// What a scenario gives.
    type Given: Clone + PartialEq + fmt::Debug;
    /// The key that names the variant, for rules that have variants.
    const TAG: Option<&'static str>;

    /// Takes over what a scenario gives.
    ///
    /// # Errors
    /// The table that results, where it is not a value of this rule.
    fn take(&mut self, given: &Self::Given) -> Result<(), Value>;

    /// The rule as a scenario would give it in full.
    fn in_full(&self) -> Self::Given;
}

/// A choice between variants with parameters.
pub trait Variants: Clone + PartialEq + fmt::Debug + 'static {
    /// The key that names the variant.
    const TAG: &'static str;
    /// The variants' names.
    const NAMES: &'static [&'static str];

    /// The variant's name.
    fn name(&self) -> &'static str;

    /// The variant called `name`, with its defaults.
    fn named(name: &str) -> Option<Self>;

    /// Names for values of a variant, each with a sentence. A scenario may give one in place of the variant's name.
    fn presets() -> Vec<Preset<Self>> {
        Vec::new()
    }

    /// Its name and all its parameters.
    fn table(&self) -> Map<String, Value>;

    /// The same with one parameter changed.
    ///
    /// ```
    /// use acklab_tcp::rules::{Frto, RecoveryKind, Variants, named};
    /// let rack = named::<RecoveryKind>("rack").with("frto", Frto::Linux);
    /// assert_eq!(rack.frto(), Frto::Linux);
    /// ```
    ///
    /// # Panics
    /// The variant has no such parameter, or the value is not in its range.
    fn with(self, key: &str, value: impl Serialize) -> Self {
        let mut table = self.table();
        table.insert(key.to_owned(), serde_json::json!(value));
        Self::read(&table).expect("a parameter of this variant, in its range")
    }

    /// The value that a complete table stands for, if every parameter is known, of its type, and in its range.
    fn read(table: &Map<String, Value>) -> Option<Self>;
}

/// A name that stands for a variant and values of its parameters.
#[derive(Clone, Debug)]
pub struct Preset<T> {
    /// The name.
    pub name: &'static str,
    /// What has these values, and where its source says so.
    pub about: &'static str,
    /// The variant with the values.
    pub value: T,
}

/// The variant called `name`, with its defaults.
///
/// # Panics
/// There is no such variant.
pub fn named<T: Variants>(name: &str) -> T {
    T::named(name).expect("a variant's name")
}

impl<T: Variants> Rule for T {
    type Given = Patch<T>;
    const TAG: Option<&'static str> = Some(T::TAG);

    /// Parameters that are not given keep their values where the variant stays, and have their defaults where it
    /// changes.
    fn take(&mut self, given: &Patch<T>) -> Result<(), Value> {
        *self = given.over(self)?;
        Ok(())
    }

    fn in_full(&self) -> Patch<T> {
        self.clone().into()
    }
}

/// What a scenario says of a choice: the variant, some of its parameters, or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch<T> {
    table: Map<String, Value>,
    of: PhantomData<T>,
}

impl<T: Variants> Patch<T> {
    /// Whether it gives the parameter `key`.
    pub fn gives(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The parameters given, beside those of `now` where the variant is the same.
    ///
    /// # Errors
    /// The table that results, where it is not a value.
    fn over(&self, now: &T) -> Result<T, Value> {
        let kind = self.table.get(T::TAG).map_or(now.name(), |kind| kind.as_str().unwrap_or_default());
        let base = if kind == now.name() { Some(now.clone()) } else { T::named(kind) };
        match base {
            Some(base) if self.table.keys().all(|key| key == T::TAG) => Ok(base),
            base => {
                let name = base.as_ref().map(Variants::name);
                let mut table = base.map(|base| base.table()).unwrap_or_default();
                table.extend(self.table.clone());
                // A preset's name gives way to its variant's.
                table.extend(name.map(|name| (T::TAG.to_owned(), name.into())));
                T::read(&table).ok_or(Value::Object(table))
            }
        }
    }

    /// Whether some variant takes it.
    fn fits(&self) -> bool {
        match self.table.get(T::TAG) {
            Some(kind) => kind.as_str().and_then(T::named).is_some_and(|base| self.over(&base).is_ok()),
            None => T::NAMES.iter().filter_map(|name| T::named(name)).any(|base| self.over(&base).is_ok()),
        }
    }
}

impl<T: Variants> From<T> for Patch<T> {
    fn from(value: T) -> Patch<T> {
        Patch { table: value.table(), of: PhantomData }
    }
}

impl<T: Variants> Serialize for Patch<T> {
    /// A variant without parameters is its name.
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        match self.table.get(T::TAG) {
            Some(name) if self.table.len() == 1 => name.serialize(output),
            _ => self.table.serialize(output),
        }
    }
}

impl<'de, T: Variants> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Patch<T>, D::Error> {
        struct WordOrTable<T>(PhantomData<T>);
        impl<'de, T: Variants> Visitor<'de> for WordOrTable<T> {
            type Value = Map<String, Value>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "one of {:?}, or a table with `{}`", T::NAMES, T::TAG)
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
                Ok(Map::from_iter([(T::TAG.to_owned(), word.into())]))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Self::Value, A::Error> {
                let mut table = Map::new();
                while let Some(key) = input.next_key::<String>()? {
                    let NotNull(value) = input.next_value()?;
                    if table.insert(key, value).is_some() {
                        return Err(A::Error::custom("duplicate field"));
                    }
                }
                Ok(table)
            }
        }
        let patch = Patch { table: input.deserialize_any(WordOrTable::<T>(PhantomData))?, of: PhantomData };
        if patch.fits() { Ok(patch) } else { Err(D::Error::custom("no variant takes these parameters")) }
    }
}

/// Reads a variant; what is left out has its default.
pub(super) fn read_whole<'de, T: Variants, D: Deserializer<'de>>(input: D) -> Result<T, D::Error> {
    let patch = Patch::<T>::deserialize(input)?;
    let kind = patch.table.get(T::TAG).and_then(Value::as_str).and_then(T::named);
    let whole = kind.and_then(|kind| patch.over(&kind).ok());
    whole.ok_or_else(|| D::Error::missing_field(T::TAG))
}

/// A value that is there. A number that JSON cannot hold is not, either.
struct NotNull(Value);

impl<'de> Deserialize<'de> for NotNull {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<NotNull, D::Error> {
        match Value::deserialize(input)? {
            Value::Null => Err(D::Error::custom("invalid type: null")),
            value => Ok(NotNull(value)),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Adds a form for each preset: its variant's, with other defaults.
fn add_presets<T: Variants>(forms: &mut Vec<Value>) {
    for Preset { name, about, value } in T::presets() {
        let tagged = |form: &&Value| form["properties"][T::TAG]["const"] == value.name();
        let Some(mut form) = forms.iter().find(tagged).cloned() else { continue };
        form["description"] = about.into();
        for (key, value) in value.table() {
            form["properties"][&key]["default"] = value;
        }
        form["properties"][T::TAG] = serde_json::json!({ "type": "string", "const": name });
        forms.push(form);
    }
}

/// In the schema of a choice: a name alone stands for its variant, and a table may leave out what has a default.
pub(super) fn loosen<T: Variants>(schema: &mut Schema) {
    let Some(Value::Array(mut forms)) = schema.remove("oneOf") else { return };
    add_presets::<T>(&mut forms);
    let mut words = Vec::new();
    for form in &mut forms {
        let Some(form) = form.as_object_mut() else { continue };
        form.remove("required");
        let Some(Value::Object(keys)) = form.get_mut("properties") else { continue };
        // No text is a default: such a key must be given.
        if let Some((key, schema)) = keys.iter_mut().find(|(_, schema)| schema.get("default") == Some(&"".into())) {
            let key = key.clone();
            schema.as_object_mut().map(|schema| schema.remove("default"));
            form.insert("required".to_owned(), vec![key].into());
            continue;
        }
        let keys = keys.iter();
        words.extend(keys.filter_map(|(tag, key)| {
            let name = key.get("const")?;
            let about = format!("`{{ {tag} = {name} }}`.");
            Some(serde_json::json!({ "type": "string", "const": name, "description": about }))
        }));
    }
    forms.extend(words);
    schema.insert("anyOf".to_owned(), forms.into());
}

/// Declares a choice between variants with parameters; each line of a parameter has its sentence, name, type, range
/// and default.
macro_rules! variants {
    ($(#[doc = $about:literal])* $name:ident $(($copy:ident))? by $tag:literal $(with $presets:path)? {
        $($(#[doc = $vdoc:literal])+ $variant:ident = $word:literal {
            $($(#[doc = $doc:literal])+ $(#[neutral($how:ident = $neutral:expr)])? $field:ident : $type:ty $([$min:literal ..= $max:literal])? = $default:expr,)*
        })+
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, $($copy,)? Debug, PartialEq, schemars::JsonSchema)]
        #[schemars(tag = $tag, deny_unknown_fields, transform = crate::rules::variants::loosen::<$name>)]
        pub enum $name { $(
            $(#[doc = $vdoc])+
            #[schemars(rename = $word)]
            $variant { $(
                $(#[doc = $doc])+
                $(#[schemars(range(min = $min, max = $max))])?
                #[schemars(extend("default" = $default))]
                $(#[schemars(extend("neutral" = { stringify!($how): $neutral }))])?
                $field: $type,
            )* },
        )+ }

        impl crate::rules::Variants for $name {
            const TAG: &'static str = $tag;
            const NAMES: &'static [&'static str] = &[$($word),+];

            fn name(&self) -> &'static str {
                match self { $($name::$variant { .. } => $word,)+ }
            }

            fn named(name: &str) -> Option<$name> {
                match name {
                    $($word => Some($name::$variant { $($field: $default),* }),)+
                    _ => Self::presets().into_iter().find(|preset| preset.name == name).map(|preset| preset.value),
                }
            }

            $(fn presets() -> Vec<crate::rules::Preset<$name>> {
                $presets()
            })?

            fn table(&self) -> serde_json::Map<String, serde_json::Value> {
                let mut table = serde_json::Map::new();
                table.insert($tag.to_owned(), self.name().into());
                match self { $($name::$variant { $($field),* } => {
                    $(table.insert(stringify!($field).to_owned(), serde_json::json!($field));)*
                })+ }
                table
            }

            fn read(table: &serde_json::Map<String, serde_json::Value>) -> Option<$name> {
                let (value, parameters) = match table.get($tag)?.as_str()? {
                    $($word => {
                        $(let $field = <$type as serde::Deserialize>::deserialize(table.get(stringify!($field))?).ok()?;)*
                        $($(if !(f64::from($min)..=f64::from($max)).contains(&f64::from($field)) { return None; })?)*
                        let names: &[&str] = &[$(stringify!($field)),*];
                        ($name::$variant { $($field),* }, names.len())
                    })+
                    _ => return None,
                };
                (table.len() == parameters + 1).then_some(value)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<$name, D::Error> {
                crate::rules::variants::read_whole(input)
            }
        }

        impl crate::rules::Shown for $name {
            fn shown(&self) -> String {
                crate::rules::Variants::name(self).to_owned()
            }

            #[allow(unused_mut)]
            fn parameters(&self) -> Vec<(&'static str, &'static str, String)> {
                let mut found = Vec::new();
                match self { $($name::$variant { $($field),* } => {
                    $(if *$field != $default {
                        let about = concat!($($doc),+).trim_ascii_start();
                        found.push((stringify!($field), about, crate::rules::Shown::shown($field)));
                    })*
                })+ }
                found
            }
        }
    };
}
pub(super) use variants;
