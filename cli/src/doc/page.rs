//! Groups of modules -> `index.html`, a page for each module, `search.js` and `style.css`.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use leat_driver::docs::{Item, Module, Named};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("search.js");

/// Where things are, by name.
struct Links<'g> {
    /// Signatures, structures and functors -> their pages.
    pages: HashMap<&'g str, String>,
    /// Of a structure's or signature's types -> page and anchor; of a structure also by way of its signature.
    types: HashMap<(&'g str, &'g str), String>,
    /// Of a signature: the structures that have it.
    structures: HashMap<&'g str, Vec<&'g str>>,
    signatures: HashMap<&'g str, &'g Module>,
}

/// Modules that belong together: a project, a library.
pub struct Group {
    pub title: String,
    pub modules: Vec<Module>,
}

/// Writes all pages.
pub fn write(folder: &Path, title: &str, groups: &[Group]) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let links = links(groups);
    for module in groups.iter().flat_map(|group| &group.modules) {
        fs::write(folder.join(page_name(module)), module_page(title, module, &links))?;
    }
    fs::write(folder.join("index.html"), index(title, groups))?;
    fs::write(folder.join("search.js"), format!("const entries = {};\n{SCRIPT}", entries(groups, &links)))?;
    fs::write(folder.join("style.css"), STYLE)
}

/// `structure-Queue.html`: file systems that do not tell `QUEUE` from `Queue` have both.
fn page_name(module: &Module) -> String {
    format!("{}-{}.html", module.kind, module.name)
}

fn links(groups: &[Group]) -> Links<'_> {
    let mut links =
        Links { pages: HashMap::new(), types: HashMap::new(), structures: HashMap::new(), signatures: HashMap::new() };
    let modules = || groups.iter().flat_map(|group| &group.modules);
    for module in modules() {
        links.pages.entry(&module.name).or_insert_with(|| page_name(module));
        if module.kind == "signature" {
            links.signatures.entry(&module.name).or_insert(module);
        } else if let Some(signature) = &module.signature {
            links.structures.entry(signature).or_default().push(&module.name);
        }
    }
    let mut types = HashMap::new();
    for module in modules() {
        let source = match &module.signature {
            Some(signature) if module.items.is_empty() => links.signatures.get(signature.as_str()).copied(),
            _ => Some(module),
        };
        let Some(source) = source else { continue };
        for named in source.items.iter().flat_map(|item| &item.names).filter(|named| named.kind == "type") {
            let link = format!("{}#{}", page_name(source), place(named));
            types.insert((module.name.as_str(), named.name.as_str()), link);
        }
    }
    links.types = types;
    links
}

/// Symbolic names have no place in an address.
fn anchor(name: &str) -> String {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    name.chars().map(|c| if good(c) { c.to_string() } else { format!("-{:x}", c as u32) }).collect()
}

/// Where a page tells of a name: a type, a structure and a value may have the same one.
fn place(named: &Named) -> String {
    match named.kind {
        kind @ ("type" | "structure") => format!("{kind}.{}", anchor(&named.name)),
        _ => anchor(&named.name),
    }
}

fn head(title: &str, page: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{page}</title>\n<link rel=\"stylesheet\" \
         href=\"style.css\">\n<script defer src=\"search.js\"></script>\n</head>\n<body>\n<header><a \
         href=\"index.html\">{title}</a> <input id=\"search\" type=\"search\" placeholder=\"name or type  ( / )\" \
         autocomplete=\"off\"></header>\n<div id=\"found\" hidden></div>\n<main>\n",
        title = escape(title),
        page = escape(page),
    )
}

const FOOT: &str = "</main>\n</body>\n</html>\n";

fn index(title: &str, groups: &[Group]) -> String {
    let mut html = head(title, title);
    let _ = write!(html, "<h1>{}</h1>\n", escape(title));
    for group in groups {
        let _ = write!(html, "<h2>{}</h2>\n<table>\n", escape(&group.title));
        for module in &group.modules {
            let _ = writeln!(
                html,
                "<tr><td><span class=\"kind\">{}</span> <a href=\"{}\">{}</a></td><td>{}</td></tr>",
                module.kind,
                page_name(module),
                escape(&module.name),
                inline(&first_sentence(&module.comment))
            );
        }
        html.push_str("</table>\n");
    }
    html + FOOT
}

fn module_page(title: &str, module: &Module, links: &Links<'_>) -> String {
    let mut html = head(title, &module.name);
    let _ = write!(html, "<h1><span class=\"kind\">{}</span> {}</h1>\n", module.kind, escape(&module.name));
    if module.kind != "signature" || module.head.contains('=') {
        let _ = write!(html, "<pre class=\"spec\">{}</pre>\n", linked(&module.head, module, links));
    }
    html.push_str(&blocks(&module.comment));
    if let Some(structures) = links.structures.get(module.name.as_str()).filter(|_| module.kind == "signature") {
        let names: Vec<String> = structures.iter().map(|name| link_to(name, links)).collect();
        let _ = write!(html, "<p class=\"has\">Of: {}</p>\n", names.join(", "));
    }
    items(&mut html, &module.items, module, links, 2, "");
    // A structure whose signature has a name is read there; and so is a signature that is another one.
    let mut seen = vec![module.name.as_str()];
    let mut last = module;
    while last.items.is_empty()
        && let Some(signature) = last.signature.as_deref().and_then(|name| links.signatures.get(name))
        && (last.kind != "signature" || !seen.contains(&signature.name.as_str()))
    {
        let _ = write!(html, "<h2>From signature {}</h2>\n", link_to(&signature.name, links));
        if signature.head.contains('=') {
            let _ = write!(html, "<pre class=\"spec\">{}</pre>\n", linked(&signature.head, signature, links));
        }
        html.push_str(&blocks(&signature.comment));
        items(&mut html, &signature.items, signature, links, 3, "");
        seen.push(&signature.name);
        last = signature;
    }
    let _ = write!(html, "<p class=\"source\">{}:{}</p>\n", escape(&module.file), module.line);
    html + FOOT
}

/// `within`: what places have before them inside of a structure.
fn items(html: &mut String, items: &[Item], module: &Module, links: &Links<'_>, level: usize, within: &str) {
    for item in items {
        if item.names.is_empty() {
            let lines: Vec<&str> = item.comment.lines().collect();
            match lines[..] {
                [line] if line.len() < 70 => {
                    let _ = write!(html, "<h{level}>{}</h{level}>\n", inline(line.trim_end_matches('.')));
                }
                _ => html.push_str(&blocks(&item.comment)),
            }
            continue;
        }
        let anchors: String =
            item.names.iter().map(|named| format!("<a id=\"{within}{}\"></a>", place(named))).collect();
        let _ = write!(
            html,
            "<div class=\"item\">{anchors}<pre class=\"spec\">{}</pre>\n",
            linked(&item.text, module, links)
        );
        html.push_str(&blocks(&item.comment));
        if !item.items.is_empty() {
            html.push_str("<div class=\"inner\">\n");
            let within = format!("{within}{}.", place(&item.names[0]));
            self::items(html, &item.items, module, links, (level + 1).min(6), &within);
            html.push_str("</div>\n");
        }
        html.push_str("</div>\n");
    }
}

fn link_to(name: &str, links: &Links<'_>) -> String {
    match links.pages.get(name) {
        Some(page) => format!("<a href=\"{page}\">{}</a>", escape(name)),
        None => escape(name),
    }
}

/// Source text with keywords set off, and names of types and modules linked to where they are declared.
fn linked(text: &str, module: &Module, links: &Links<'_>) -> String {
    const KEYWORDS: [&str; 14] = [
        "val",
        "type",
        "eqtype",
        "datatype",
        "exception",
        "structure",
        "signature",
        "functor",
        "include",
        "sharing",
        "where",
        "of",
        "and",
        "withtype",
    ];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    let mut html = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("(*") {
            let end = rest.find("*)").map_or(rest.len(), |i| i + 2);
            let _ = write!(html, "<span class=\"comment\">{}</span>", escape(&rest[..end]));
            rest = &rest[end..];
        } else if is_part(c) {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            rest = &rest[end..];
            let (qualifier, last) = match word.rsplit_once('.') {
                Some((qualifier, last)) => (qualifier.rsplit('.').next().unwrap_or(qualifier), last),
                None => (module.name.as_str(), word),
            };
            if KEYWORDS.contains(&word) {
                let _ = write!(html, "<b>{word}</b>");
            } else if let Some(link) = links.types.get(&(qualifier, last)) {
                let _ = write!(html, "<a href=\"{link}\">{}</a>", escape(word));
            } else if word.starts_with(|c: char| c.is_ascii_uppercase()) && !word.contains('.') {
                html.push_str(&link_to(word, links));
            } else {
                html.push_str(&escape(word));
            }
        } else {
            html.push_str(&escape(&rest[..c.len_utf8()]));
            rest = &rest[c.len_utf8()..];
        }
    }
    html
}

/// Paragraphs; those that are indented are code.
fn blocks(comment: &str) -> String {
    let mut html = String::new();
    for block in comment.split("\n\n").filter(|block| !block.trim().is_empty()) {
        if block.lines().all(|line| line.is_empty() || line.starts_with("  ")) {
            let lines: Vec<&str> = block.lines().map(|line| line.get(2..).unwrap_or("")).collect();
            let _ = write!(html, "<pre>{}</pre>\n", escape(&lines.join("\n")));
        } else {
            let _ = write!(html, "<p>{}</p>\n", inline(block));
        }
    }
    html
}

/// Text with code between back quotes.
fn inline(text: &str) -> String {
    let mut html = String::new();
    for (i, part) in text.split('`').enumerate() {
        let _ =
            if i % 2 == 1 { write!(html, "<code>{}</code>", escape(part)) } else { write!(html, "{}", escape(part)) };
    }
    html
}

fn first_sentence(comment: &str) -> String {
    let text = comment.split("\n\n").next().unwrap_or("").replace('\n', " ");
    match text.find(". ") {
        Some(end) => text[..=end].to_string(),
        None => text,
    }
}

/// What the search knows: name, kind, address, text.
fn entries(groups: &[Group], links: &Links<'_>) -> serde_json::Value {
    let mut rows = Vec::new();
    for module in groups.iter().flat_map(|group| &group.modules) {
        let page = page_name(module);
        rows.push(serde_json::json!([module.name, module.kind, page, first_sentence(&module.comment)]));
        // Readers look for `List.map`, not for `LIST.map`.
        let structures = links.structures.get(module.name.as_str()).filter(|_| module.kind == "signature");
        let owners = structures.map_or_else(|| vec![module.name.as_str()], Clone::clone);
        for item in &module.items {
            for named in &item.names {
                let text: String =
                    item.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect();
                let address = format!("{page}#{}", place(named));
                for owner in &owners {
                    rows.push(serde_json::json!([format!("{owner}.{}", named.name), named.kind, address, text]));
                }
            }
        }
    }
    serde_json::Value::Array(rows)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_of_symbols() {
        assert_eq!((anchor("a'"), anchor("::"), anchor("x_1")), ("a-27".into(), "-3a-3a".into(), "x_1".into()));
    }

    #[test]
    fn code_in_comments() {
        assert_eq!(blocks("a `b<c`\n\n  x\n    y"), "<p>a <code>b&lt;c</code></p>\n<pre>x\n  y</pre>\n");
    }
}
