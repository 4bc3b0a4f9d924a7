//! A scenario of which many variants are made: its text is read once.

use serde::Deserialize;
use serde_json::Value;

use super::error::Problem;
use super::file::File;
use super::places::Places;
use super::{Format, Overrides, ScenarioError, expanded_toml, explain, readable, resolve, tree};
use crate::spec::Scenario;

/// A scenario's tree, to which overrides are applied again and again.
///
/// ```
/// use acklab_scenario::{Format, Overrides, Template};
/// let text = "link = [{ between = ['S', 'R'], rate = '1Mbps', delay = '5ms' }]\nflow = [{ from = 'S', to = 'R', size = { segments = 9 } }]";
/// let template = Template::new(text, "one-link.toml", Format::Toml).unwrap();
/// let mut faster = Overrides::default();
/// faster.set("link.0.rate=2Mbps").unwrap();
/// assert_eq!(template.check(&faster).unwrap().links[0].rate.bps(), 2e6);
/// let lines = template.lines(&faster, &[1, 2]).unwrap();
/// assert!(lines[1].contains(r#""rate":"2Mbps""#) && lines[1].contains(r#""seed":2"#));
/// assert!(template.lines(&Overrides::default(), &[1]).unwrap()[0].contains(r#""rate":"1Mbps""#));
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    file: String,
    text: String,
    format: Format,
    tree: Value,
}

impl Template {
    /// Reads a text, which need not yet be a whole scenario; `file` is what errors call it.
    ///
    /// # Errors
    /// It is no TOML or JSON.
    pub fn new(text: &str, file: &str, format: Format) -> Result<Template, ScenarioError> {
        let read = || readable(text).and_then(|text| Ok((text, tree::read(text, format)?)));
        let (text, tree) = read().map_err(|problem| ScenarioError::new(file, problem))?;
        Ok(Template { file: file.to_owned(), text: text.to_owned(), format, tree })
    }

    /// The variant with each of `seeds`, each as one line of JSON, as it was written, unchecked.
    ///
    /// # Errors
    /// An override leads nowhere.
    pub fn lines(&self, overrides: &Overrides, seeds: &[u64]) -> Result<Vec<String>, ScenarioError> {
        let mut tree = self.changed(overrides)?;
        let seeded = |&seed: &u64| {
            if let Value::Object(top) = &mut tree {
                top.insert("seed".to_owned(), seed.into());
            }
            tree.to_string()
        };
        Ok(seeds.iter().map(seeded).collect())
    }

    /// The variant, checked.
    ///
    /// # Errors
    /// What is wrong, where, and what is allowed.
    pub fn check(&self, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
        self.resolved(self.changed(overrides)?).map_err(|problem| {
            // Without the overrides, too: then the text itself is wrong, and the key has a place in it.
            let in_text = self.resolved(self.tree.clone()).is_err_and(|plain| plain == problem);
            let places = if in_text { Places::of(&self.text, self.format) } else { Places::default() };
            self.error(places.put_into(problem, &self.text))
        })
    }

    fn resolved(&self, tree: Value) -> Result<Scenario, Problem> {
        match File::deserialize(&tree) {
            Ok(typed) => {
                resolve::resolve(typed).map_err(|problems| Places::of(&self.text, self.format).first(problems))
            }
            Err(error) => Err(explain(tree, error.to_string(), &Places::of(&self.text, self.format))),
        }
    }

    /// The variant as one line of JSON, every shorthand and default written out.
    ///
    /// # Errors
    /// What is wrong, where, and what is allowed.
    pub fn expanded_json(&self, overrides: &Overrides) -> Result<String, ScenarioError> {
        let text = expanded_toml(&self.check(overrides)?);
        tree::read(&text, Format::Toml).map(|tree| tree.to_string()).map_err(|problem| self.error(problem))
    }

    fn changed(&self, overrides: &Overrides) -> Result<Value, ScenarioError> {
        let mut tree = self.tree.clone();
        overrides.apply(&mut tree).map_err(|problem| self.error(problem))?;
        Ok(tree)
    }

    fn error(&self, problem: Problem) -> ScenarioError {
        ScenarioError::new(&self.file, problem)
    }
}
