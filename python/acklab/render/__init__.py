"""The one room that speaks: facts by templates, tables, and pages, from what the verbs return."""
