//! What is wrong with a tree, found by walking it along the JSON Schema: the one description of a scenario that the
//! reader's types, editors and these messages share. Only texts that failed to read come here.

use acklab_tcp::rules::{ReceiverPatch, SenderPatch, Wrong};
use serde_json::{Map, Value};

use super::error::{Problem, clip};
use super::moved::moved;
use super::path::Path;
use super::places::Places;
use super::quantity::unit;
use super::schema::SCHEMA;
use super::suggest::{did_you_mean, listed, meant_elsewhere, nearest, one_of};

type Object = Map<String, Value>;

/// The first place where `tree` departs from the schema `root`, as its text orders the keys.
pub(super) fn diagnose(root: &Value, tree: &Value, places: &Places) -> Option<Problem> {
    Walk { root, places }.value(root, tree, &Path::Root).err()
}

/// What is wrong with the value of a rule, which stands in the table `definition` of the schema at `path`.
pub(super) fn diagnose_rule(definition: &str, path: &Path<'_>, (key, value): Wrong) -> Problem {
    let (root, places): (&Value, _) = (&SCHEMA, Places::default());
    let place = path.key(key);
    let schema = &root["$defs"][definition]["properties"][key];
    let found = Walk { root, places: &places }.value(schema, &value, &place).err();
    let problem = found.unwrap_or_else(|| Problem::at(place, "is not a value of this rule"));
    // A number that JSON cannot hold is a text.
    if let Value::String(number) = value { problem.given(number) } else { problem }
}

struct Walk<'s> {
    root: &'s Value,
    places: &'s Places,
}

impl<'s> Walk<'s> {
    /// Follows a `$ref`.
    fn resolve(&self, schema: &'s Value) -> &'s Value {
        match schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#')) {
            Some(pointer) => self.root.pointer(pointer).unwrap_or(schema),
            None => schema,
        }
    }

    fn value(&self, schema: &'s Value, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        if let Some(checked) = unit(schema, value) {
            return checked.map_err(|what| Problem::at(path, what).given(value));
        }
        let schema = self.resolve(schema);
        if let Some(choices) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array) {
            return self.choice(schema, choices, value, path);
        }
        if schema.get("const").is_some_and(|only| only != value) {
            return Err(self.not(schema, value, path));
        }
        match (kind(schema).unwrap_or_default(), value) {
            ("", _) => Ok(()),
            ("object", Value::Object(table)) => self.table(schema, table, path),
            ("array", Value::Array(list)) => self.list(schema, list, path),
            ("integer", Value::Number(number)) if number.is_u64() || number.is_i64() => self.range(schema, value, path),
            ("number", Value::Number(_)) => self.range(schema, value, path),
            ("string", Value::String(_)) | ("boolean", Value::Bool(_)) => Ok(()),
            _ => Err(self.not_so(schema, value, path)),
        }
    }

    fn table(&self, schema: &'s Value, table: &Object, path: &Path<'_>) -> Result<(), Problem> {
        let none = Object::new();
        let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_cached_key(|(key, _)| self.places.order(&path.key(key)));
        for (key, value) in entries {
            match known.get(key).or(others) {
                None => return Err(unknown_key(key, known.keys().map(String::as_str), path)),
                Some(_) if value.is_null() => {}
                Some(schema) => self.value(schema, value, &path.key(key))?,
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str) {
            if table.get(key).is_none_or(Value::is_null) {
                let allowed = known.get(key).map(|schema| self.allowed(schema)).unwrap_or_default();
                return Err(Problem::at(path.key(key), format!("missing; must be {allowed}")));
            }
        }
        Ok(())
    }

    fn list(&self, schema: &'s Value, list: &[Value], path: &Path<'_>) -> Result<(), Problem> {
        let limit = |key| schema.get(key).and_then(Value::as_u64);
        let enough = limit("minItems").is_none_or(|least| list.len() as u64 >= least);
        if !enough || limit("maxItems").is_some_and(|most| list.len() as u64 > most) {
            return Err(self.not(schema, &Value::Array(list.to_vec()), path));
        }
        let places = schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
        for (at, (place, item)) in places.zip(list).enumerate() {
            self.value(place, item, &path.index(at))?;
        }
        let Some(items) = schema.get("items") else { return Ok(()) };
        list.iter().enumerate().try_for_each(|(at, item)| self.value(items, item, &path.index(at)))
    }

    fn range(&self, schema: &'s Value, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let (least, most) = bounds(schema);
        let number = value.as_f64().unwrap_or(f64::NAN);
        let too_big = match schema.get("format").and_then(Value::as_str) {
            Some("uint64") => !value.is_u64(),
            _ => most.is_some_and(|most| number > most),
        };
        if too_big || least.is_some_and(|least| number < least) {
            return Err(self.not(schema, value, path));
        }
        Ok(())
    }

    /// A value that may take several forms: complains about the form that was most likely meant.
    fn choice(&self, schema: &'s Value, choices: &'s [Value], value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        if choices.iter().any(|choice| self.value(choice, value, path).is_ok()) {
            return Ok(());
        }
        match value {
            Value::String(text) => {
                let known: Vec<_> = choices.iter().filter_map(|choice| choice.get("const")?.as_str()).collect();
                let mut hint = did_you_mean(text, known);
                if let Some((tag, known)) = self.tagged(choices)
                    && let Some(name) = nearest(text, known)
                {
                    hint = Some(format!("; write {{ {tag} = \"{name}\" }}"));
                }
                if let Some(hint) = hint {
                    let mut problem = self.not(schema, value, path);
                    problem.what += &hint;
                    return Err(problem);
                }
            }
            Value::Object(table) => return Err(self.table_choice(schema, choices, table, path)),
            _ => {}
        }
        // A number that is out of range, a text that is no quantity: the one form of the same type says it best.
        let alike: Vec<_> = choices.iter().filter(|choice| same_type(self.resolve(choice), value)).collect();
        match alike.as_slice() {
            [only] if only.get("const").is_none() => self.value(only, value, path),
            // A number without a unit, where a quantity would do.
            [] if value.is_number() => match choices.iter().find_map(|choice| unit(choice, value)) {
                Some(Err(what)) => Err(Problem::at(path, what).given(value)),
                _ => Err(self.not_so(schema, value, path)),
            },
            _ => Err(self.not_so(schema, value, path)),
        }
    }

    /// A table that may take several forms, distinguished by a tag (`kind`, `policy`) or by which keys they have.
    fn table_choice(&self, schema: &'s Value, choices: &'s [Value], table: &Object, path: &Path<'_>) -> Problem {
        let forms: Vec<(&Value, &Object)> = choices
            .iter()
            .flat_map(|choice| {
                let choice = self.resolve(choice);
                // A choice among the choices: its forms.
                let inner = choice.get("oneOf").and_then(Value::as_array).map(Vec::as_slice);
                inner.unwrap_or(std::slice::from_ref(choice)).iter().map(|choice| self.resolve(choice))
            })
            .filter_map(|choice| Some((choice, choice.get("properties")?.as_object()?)))
            .collect();
        let tag = forms.first().and_then(|(_, keys)| keys.iter().find(|(_, schema)| schema.get("const").is_some()));
        if let Some((tag, _)) = tag {
            let named = |keys: &'s Object| keys.get(tag).and_then(|schema| schema.get("const")).and_then(Value::as_str);
            let known: Vec<_> = forms.iter().filter_map(|(_, keys)| named(keys)).collect();
            let given = table.get(tag).filter(|given| !given.is_null());
            let Some(given) = given else {
                // The tag misspelt is an unknown key; everything else known to no form is one too.
                let keys = |(_, keys): &(_, &'s Object)| keys.keys().map(String::as_str).collect::<Vec<_>>();
                let all: Vec<_> = forms.iter().flat_map(keys).collect();
                if let Some(key) = table.keys().find(|key| !all.contains(&key.as_str())) {
                    return unknown_key(key, all, path);
                }
                // Where the tag may be left out, the form that was meant is one that has all keys.
                let whole = |keys: &Object| table.keys().all(|key| keys.contains_key(key));
                return match forms.iter().find(|(form, keys)| form.get("required").is_none() && whole(keys)) {
                    Some((form, _)) => self.complaint(form, &Value::Object(table.clone()), path),
                    None => Problem::at(path.key(tag), format!("missing; must be {}", one_of(known))),
                };
            };
            let form = forms.iter().find(|(_, keys)| named(keys).is_some() && named(keys) == given.as_str());
            return match form {
                Some((form, mine)) => {
                    let other = |key: &&String| {
                        !mine.contains_key(*key) && forms.iter().any(|(_, keys)| keys.contains_key(*key))
                    };
                    match table.keys().find(other) {
                        Some(key) => self.of_another_form(key, (tag, given), form, path),
                        None => self.complaint(form, &Value::Object(table.clone()), path),
                    }
                }
                None => {
                    let hint = given.as_str().and_then(|given| did_you_mean(given, known.iter().copied()));
                    let what = format!("must be {}{}", one_of(known), hint.unwrap_or_default());
                    Problem::at(path.key(tag), what).given(given)
                }
            };
        }
        let keys: Vec<_> = forms.iter().flat_map(|(_, keys)| keys.keys().map(String::as_str)).collect();
        if let Some(key) = table.keys().find(|key| !keys.contains(&key.as_str())) {
            return unknown_key(key, keys, path);
        }
        let meant: Vec<_> = forms.iter().filter(|(_, keys)| table.keys().any(|key| keys.contains_key(key))).collect();
        match meant.as_slice() {
            [(form, _)] => self.complaint(form, &Value::Object(table.clone()), path),
            _ => self.not(schema, &Value::Object(table.clone()), path),
        }
    }

    /// A key of other forms than `form`: often what was left standing when the tag alone was changed.
    fn of_another_form(&self, key: &str, (tag, given): (&str, &Value), form: &'s Value, path: &Path<'_>) -> Problem {
        let known = listed(keys(form));
        let problem = Problem::at(path.key(key), format!("unknown key with {tag} = {given}; known here: {known}"));
        let alone = Value::Object(Object::from_iter([(tag.to_owned(), given.clone())]));
        match self.value(form, &alone, path) {
            Ok(()) => problem.help(format!("to replace the whole table: {path}={{{tag}={given}}}")),
            Err(_) => problem,
        }
    }

    /// The key by which all of `choices`, tables, are distinguished, and its values.
    fn tagged(&self, choices: &'s [Value]) -> Option<(&'s str, Vec<&'s str>)> {
        let keys = |choice| self.resolve(choice).get("properties")?.as_object();
        let (tag, _) = keys(choices.first()?)?.iter().find(|(_, schema)| schema.get("const").is_some())?;
        let known = choices.iter().map(|choice| keys(choice)?.get(tag)?.get("const")?.as_str());
        Some((tag, known.collect::<Option<_>>()?))
    }

    fn complaint(&self, schema: &'s Value, value: &Value, path: &Path<'_>) -> Problem {
        self.value(schema, value, path).err().unwrap_or_else(|| self.not(schema, value, path))
    }

    /// `value` is not what `schema` allows.
    fn not(&self, schema: &'s Value, value: &Value, path: &Path<'_>) -> Problem {
        let problem = Problem::at(path, format!("must be {}", self.allowed(schema)));
        if let (Some("array"), Value::Object(_), Path::Key(Path::Root, key)) = (kind(schema), value, path) {
            return Problem { what: format!("must be a list; write [[{key}]]"), ..problem };
        }
        if matches!(path, Path::Root) {
            return problem;
        }
        problem.given(clip(&value.to_string(), 60))
    }

    /// The same, with what would be allowed in its place if that is plain.
    fn not_so(&self, schema: &'s Value, value: &Value, path: &Path<'_>) -> Problem {
        let problem = self.not(schema, value, path);
        let what = format!("{}{}", problem.what, self.as_table(schema, value).unwrap_or_default());
        Problem { what, ..problem }
    }

    /// How `value` would be written where a table with one key takes it: the only such key, or a stack's name.
    fn as_table(&self, schema: &'s Value, value: &Value) -> Option<String> {
        if matches!(value, Value::Null | Value::Array(_) | Value::Object(_)) {
            return None;
        }
        let schema = self.resolve(schema);
        let forms = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
        let forms = forms.map_or_else(|| vec![schema], |all| all.iter().collect());
        let takes = |form: &'s Value| {
            let keys = self.resolve(form).get("properties").and_then(Value::as_object).into_iter().flatten();
            let takers = keys.map(|(key, _)| key.as_str()).filter(move |key| {
                let table = Value::Object(Object::from_iter([((*key).to_owned(), value.clone())]));
                self.value(form, &table, &Path::Root).is_ok()
            });
            takers.map(move |key| (form, key))
        };
        let takers: Vec<(&Value, &str)> = forms.into_iter().flat_map(takes).collect();
        let stack = takers.iter().find(|(_, key)| *key == "stack");
        let &(form, key) = stack.or_else(|| takers.first().filter(|_| takers.len() == 1))?;
        let kind = tag(form).map(|tag| format!("{tag} = {}, ", form["properties"][tag]["const"])).unwrap_or_default();
        Some(format!("; write {{ {kind}{key} = {} }}", clip(&value.to_string(), 60)))
    }

    /// What `schema` allows, for a sentence.
    fn allowed(&self, schema: &'s Value) -> String {
        let schema = self.resolve(schema);
        if let Some(only) = schema.get("const") {
            return only.as_str().map_or_else(|| only.to_string(), |name| one_of([name]));
        }
        if let Some(choices) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array) {
            let names: Vec<_> = choices.iter().filter_map(|choice| choice.get("const")?.as_str()).collect();
            if names.len() == choices.len() {
                return one_of(names);
            }
            if let Some((tag, known)) = self.tagged(choices) {
                return format!("a table with `{tag}`, {}", one_of(known));
            }
            if !names.is_empty() && choices.iter().all(|choice| choice.get("const").is_some() || tag(choice).is_some())
            {
                let tag = choices.iter().find_map(tag).unwrap_or_default();
                // Those that need keys of their own stand in a table only.
                let tables = choices.iter().filter_map(|choice| choice["properties"][tag]["const"].as_str());
                let tables: Vec<_> = tables.filter(|name| !names.contains(name)).collect();
                let more =
                    if tables.is_empty() { String::new() } else { format!(", or {} in a table", listed(tables)) };
                return format!("{}, alone or as `{tag}` of a table{more}", one_of(names));
            }
            let mut forms: Vec<String> = choices.iter().map(|choice| self.allowed(choice)).collect();
            forms.dedup();
            return forms.join(" or ");
        }
        match kind(schema).unwrap_or_default() {
            "boolean" => "true or false".to_owned(),
            "integer" => format!("a whole number{}", span(schema)),
            "number" => format!("a number{}", span(schema)),
            "array" => match (schema.get("minItems").and_then(Value::as_u64), schema.get("items")) {
                (Some(length), Some(items)) => format!("a list of {length}, each {}", self.allowed(items)),
                (None, Some(items)) => format!("a list, each entry {}", self.allowed(items)),
                _ => "a list".to_owned(),
            },
            "object" => {
                let required: Vec<_> = schema.get("required").and_then(Value::as_array).into_iter().flatten().collect();
                let known = keys(schema);
                match required.iter().filter_map(|key| key.as_str()).collect::<Vec<_>>() {
                    keys if !keys.is_empty() => format!("a table with {}", listed(keys)),
                    _ if (1..=8).contains(&known.len()) => format!("a table with some of {}", listed(known)),
                    _ => "a table".to_owned(),
                }
            }
            _ => match schema.get("pattern").and(schema.get("description")).and_then(Value::as_str) {
                Some(quantity) => quantity.to_owned(),
                None => "a text".to_owned(),
            },
        }
    }
}

/// A table's keys by the alphabet. The maps of `serde_json` keep the order of a text if any crate of the build asks for it.
fn keys(schema: &Value) -> Vec<&str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut keys: Vec<_> = properties.into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys
}

fn unknown_key<'k>(key: &str, known: impl IntoIterator<Item = &'k str>, path: &Path<'_>) -> Problem {
    let known: Vec<_> = known.into_iter().collect();
    let place = path.key(key);
    let hint = moved(key).or_else(|| did_you_mean(key, known.iter().copied()));
    if let Some(hint) = hint.or_else(|| meant_elsewhere(key, &known)) {
        return Problem::at(place, format!("unknown key{hint}"));
    }
    let elsewhere = if SenderPatch::NAMES.contains(&key) {
        "; it is a sender's rule"
    } else if ReceiverPatch::NAMES.contains(&key) {
        "; it is a receiver's rule"
    } else {
        ""
    };
    Problem::at(place, format!("unknown key{elsewhere}")).help(format!("known here: {}", listed(known)))
}

/// The key by which a table is distinguished from others.
fn tag(form: &Value) -> Option<&str> {
    let keys = form.get("properties")?.as_object()?;
    keys.iter().find(|(_, schema)| schema.get("const").is_some()).map(|(key, _)| key.as_str())
}

/// The JSON type a schema asks for.
fn kind(schema: &Value) -> Option<&str> {
    schema.get("type")?.as_str()
}

fn same_type(schema: &Value, value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) => kind(schema) == Some("boolean"),
        Value::Number(_) => matches!(kind(schema), Some("integer" | "number")),
        Value::String(_) => kind(schema) == Some("string"),
        Value::Array(_) => kind(schema) == Some("array"),
        Value::Object(_) => kind(schema) == Some("object"),
    }
}

fn bounds(schema: &Value) -> (Option<f64>, Option<f64>) {
    let most = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => Some(f64::from(u32::MAX)),
        _ => None,
    };
    let limit = |key| schema.get(key).and_then(Value::as_f64);
    (limit("minimum"), limit("maximum").or(most))
}

fn span(schema: &Value) -> String {
    match bounds(schema) {
        (Some(least), None) if schema.get("format").and_then(Value::as_str) == Some("uint64") => {
            format!(" from {least} to {}", u64::MAX)
        }
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(", at least {least}"),
        (None, Some(most)) => format!(", at most {most}"),
        (None, None) => String::new(),
    }
}
