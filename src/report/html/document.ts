import { sha256 } from "@noble/hashes/sha2.js";
import { formatJson } from "../../text/escaping.js";
import { toBinaryString } from "../../text/source.js";
import { codeStyle } from "./code.js";
import { escapeHtml, Html, html } from "./html.js";

/** A self-contained page. */
export interface HtmlPage {
  readonly title: string;
  /** JSON values for the script. */
  readonly data?: object;
  /** The script for the browser; the page is readable without it. */
  readonly script?: string;
  /** The script that this one starts as workers: the element `worker` has its text. */
  readonly worker?: string;
  /** The style of this page besides that of all pages. */
  readonly style?: string;
}

/**
 * Returns the start and end of a page; its body goes in between. It runs only its own script and loads no resources.
 */
export function renderDocument({ title, data, script, worker, style = "" }: HtmlPage): {
  readonly head: string;
  readonly tail: string;
} {
  const code = script === undefined ? undefined : escapeScriptForHtml(script);
  const styles = pageStyle + style;
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHashOf(styles)}'`,
    ...(code === undefined ? [] : [`script-src '${sourceHashOf(code)}'`]),
    ...(worker === undefined ? [] : ["worker-src blob:"]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const head = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(styles)}</style>
</head>
<body>
`;
  const values =
    data === undefined ? "" : `<script type="application/json" id="data">${escapeJsonForHtml(data)}</script>\n`;
  const started =
    worker === undefined ? "" : `<script type="text/plain" id="worker">${escapeScriptForHtml(worker)}</script>\n`;
  const run = code === undefined ? "" : `<script>${code}</script>\n`;
  return { head: head.toString(), tail: `${values}${started}${run}</body>\n</html>\n` };
}

/** Returns JSON that cannot close an HTML element, whatever it contains. */
export function escapeJsonForHtml(value: object): string {
  const codeOf = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  return formatJson(value).replace(/[<>&]/g, codeOf);
}

/**
 * Returns a script that cannot close an HTML element: such text occurs only in strings and patterns, in which an escape
 * is equivalent.
 */
function escapeScriptForHtml(script: string): string {
  return script.replace(/<(?=\/script|!--|script)/gi, "\\x3C");
}

function sourceHashOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return `sha256-${btoa(toBinaryString(sha256(bytes)))}`;
}

/** Returns the link target of a part of a page. */
export function anchorNameOf(kind: string, name: string): string {
  return escapeHtml(`${kind}-${name.replace(/[^\w-]+/g, "-")}`);
}

/** The style of all pages: system fonts, light and dark, without external resources. */
const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #faf9f7; --card: #fff; --ink: #20262b; --quiet: #5a646d; --line: #e3e1dc; --code: #f5f4f0;
  --accent: #1d5c9e; --error: #a9271d; --warning: #855000; --info: #1d5c9e; --good: #1c6a3e;
  --mark: #fde7c4; --added: #e3f3e5; --removed: #fbe6e3;
  --open: #2f8f6b; --limited: #b98000; --password: #7353ba; --closed: #6b7680; --unsure: #a9271d;
  --code-section: #7a2f8f; --code-name: #1d5c9e; --code-string: #1c6a3e; --code-variable: #8f4300;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15181b; --card: #1c2024; --ink: #e4e7ea; --quiet: #a4aeb7; --line: #333a41; --code: #22272c;
    --accent: #8fbcf2; --error: #ff9d93; --warning: #efbe6c; --info: #8fbcf2; --good: #83d2a3;
    --mark: #57421c; --added: #1c3a27; --removed: #4a2524;
    --open: #4db88c; --limited: #d9a53a; --password: #a98be8; --closed: #87929c; --unsure: #ff9d93;
    --code-section: #d3a6ec; --code-name: #8fbcf2; --code-string: #83d2a3; --code-variable: #efbe6c;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: clamp(1.25rem, 4vw, 3rem) clamp(1rem, 4vw, 2.5rem) 5rem; max-width: 66rem;
  background: var(--page); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: clamp(1.6rem, 4.5vw, 2.1rem); line-height: 1.2; letter-spacing: -0.015em; margin: 0 0 .4rem; font-weight: 650; }
h2 { font-size: 1.15rem; line-height: 1.35; margin: 3rem 0 1rem; font-weight: 650; }
h2.first { margin-top: 0; }
h2.path { font-size: 1.05rem; }
h3 { font-size: 1rem; line-height: 1.5; margin: 0; font-weight: 600; }
h3.inline { display: inline; }
h4 { font-size: .9rem; margin: 1.25rem 0 .35rem; font-weight: 650; }
p { margin: .5rem 0; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: .06em; }
code, pre, textarea, .path { font-family: var(--mono); font-size: .9em; font-variant-ligatures: none; }
:not(pre):not(.row) > code { background: var(--code); border-radius: .25rem; padding: .08em .3em; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }
[tabindex="-1"]:focus { outline: none; }
.lead { color: var(--quiet); margin: 0; }
.quiet, .more, .meta { color: var(--quiet); font-size: .9rem; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 9; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.1rem 1.25rem; margin: 0 0 1rem; }
.badge { display: inline-block; font-size: .78rem; font-weight: 650; letter-spacing: .01em; line-height: 1.5; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .6rem; white-space: nowrap; }
.badge.error, .badge.different, .badge.is-403, .badge.is-500, .badge.refused { color: var(--error); }
.badge.warning, .badge.is-401, .badge.unknown { color: var(--warning); }
.badge.info { color: var(--info); }
.badge.allowed, .badge.equivalent, .badge.proved { color: var(--good); }
main > section.card:first-child { margin-top: 1.75rem; }
.tally { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: baseline; margin: 1rem 0 0; }

pre { margin: .75rem 0; padding: .6rem 0; background: var(--code); border-radius: .5rem; line-height: 1.55; white-space: pre-wrap; tab-size: 4; }
pre:not(.frame):not(.diff) { padding: .6rem .9rem; }
.row { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr); padding-right: .9rem; }
.row .number { color: var(--quiet); text-align: right; padding-right: .9rem; user-select: none; }
.row code { font-size: inherit; white-space: pre-wrap; min-height: 1.55em; }
.row.here .number { color: var(--ink); font-weight: 700; }
mark { background: var(--mark); color: inherit; border-bottom: .14em solid var(--tone, var(--accent)); border-radius: .1rem .1rem 0 0; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.row.added { background: var(--added); }
.row.removed { background: var(--removed); }

${codeStyle}
mark [class|="hl"] { color: inherit; }

details > summary { cursor: pointer; }
details.more-of { margin: .75rem 0 0; border-top: 1px solid var(--line); padding-top: .6rem; }
details.more-of > summary { font-size: .92rem; font-weight: 550; }
summary::marker { color: var(--quiet); }

.finding { border-left: .3rem solid var(--tone); }
.finding.error, .error { --tone: var(--error); }
.finding.warning, .warning { --tone: var(--warning); }
.finding.info, .info { --tone: var(--info); }
.finding h3 { margin-top: .5rem; font-weight: 500; }
.finding .top { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
.finding .top a { margin-left: auto; font-size: .9rem; }
.related { margin: 1rem 0 0; padding: 0; list-style: none; }
.related li + li { margin-top: .75rem; }

form { margin: 0; }
.filters { display: flex; flex-wrap: wrap; gap: .9rem 1.25rem; align-items: end; margin: 1.75rem 0 0; }
.filters > div { flex: 1 1 11rem; min-width: 0; }
.filters .wide { flex: 1 0 100%; }
fieldset { border: 0; padding: 0; margin: 0; min-width: 0; }
legend, label.over { display: block; padding: 0; font-size: .85rem; font-weight: 600; color: var(--quiet); margin-bottom: .25rem; }
.checks { display: flex; flex-wrap: wrap; gap: .4rem 1.1rem; min-height: 2.6rem; align-items: center; }
.checks label { display: inline-flex; gap: .45rem; align-items: center; min-height: 2rem; }
input[type=checkbox], input[type=radio] { width: 1.15rem; height: 1.15rem; accent-color: var(--accent); margin: 0; }
input:not([type=checkbox]):not([type=radio]), select, textarea, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: .5rem; padding: .45rem .7rem; min-height: 2.6rem; width: 100%; min-width: 0; }
input[type=checkbox] { flex: none; }
.buttons label { display: inline-flex; gap: .45rem; align-items: center; margin-right: .6rem; }
textarea { font-family: var(--mono); font-size: .9rem; line-height: 1.5; tab-size: 4; resize: vertical; }
button { cursor: pointer; width: auto; font-weight: 600; padding-inline: 1.1rem; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--page); }
button:hover { border-color: var(--accent); }
output, .status { display: block; }

.scopes, .scopes ul { list-style: none; margin: 0; padding: 0; }
.scopes ul { margin-left: 1.1rem; padding-left: .2rem; border-left: 1px solid var(--line); }
.scope { margin: .3rem 0; }
.scope > details { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; overflow: hidden; }
.scope > details > summary { display: grid; grid-template-columns: 1.1rem minmax(0, 1fr) auto 1rem; gap: .35rem .8rem; align-items: center; padding: .55rem .9rem .55rem 0; min-height: 2.75rem; list-style: none; }
.scope > details > summary::after { content: "›"; content: "›" / ""; color: var(--quiet); font-weight: 700; justify-self: center; }
.scope > details[open] > summary::after { rotate: 90deg; }
.scope > details > summary::-webkit-details-marker { display: none; }
.scope > details > summary:focus-visible { outline-offset: -3px; }
.scope .body { padding: .25rem 1.1rem 1.1rem 1.9rem; }
.scope .path { font-weight: 600; font-size: .95rem; }
.swatch { align-self: stretch; min-height: 1.5rem; width: .7rem; margin: -.55rem 0; background-color: var(--shade); }
.legend .swatch { display: inline-block; margin: 0; min-height: 1.1rem; width: 1.4rem; border-radius: .25rem; vertical-align: middle; }
.open { --shade: var(--open); } .limited { --shade: var(--limited); } .password { --shade: var(--password); } .closed { --shade: var(--closed); } .failing { --shade: var(--unsure); }
.limited > .swatch, .swatch.limited { background-image: repeating-linear-gradient(45deg, transparent 0 4px, var(--card) 4px 6px); }
.password > .swatch, .swatch.password { background-image: radial-gradient(var(--card) 1.3px, transparent 1.6px); background-size: 6px 6px; }
.closed > .swatch, .swatch.closed { background-image: repeating-linear-gradient(0deg, transparent 0 3px, var(--card) 3px 5px); }
.failing > .swatch, .swatch.failing { background-image: repeating-linear-gradient(90deg, transparent 0 3px, var(--card) 3px 5px); }
.openness { font-size: .85rem; color: var(--quiet); text-align: right; }
.openness .differs { color: var(--error); font-weight: 650; }
.legend { display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; list-style: none; padding: 0; margin: 1.25rem 0; font-size: .92rem; }
.legend li { display: flex; gap: .55rem; align-items: center; }
.sides { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); margin: .6rem 0; }
.side { border: 1px solid var(--line); border-radius: .6rem; padding: .7rem .9rem; min-width: 0; }
.scope h3 { font-size: .9rem; font-weight: 650; margin: 1.25rem 0 .35rem; }
.scope h3 .quiet { font-weight: 400; }
.side h3 { margin: 0 0 .25rem; }
.side p { margin: 0; }

.request { display: grid; gap: .9rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); align-items: end; }
.request .wide { grid-column: 1 / -1; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 1rem 0 0; }
details.more-of > .request { margin-top: .8rem; }
.answers { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); margin-top: 1.25rem; align-items: start; }
.answers .card { margin: 0; min-width: 0; }
.answer h3 { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; }
.trace { padding-left: 1.4rem; margin: .5rem 0; }
.trace li { margin: .5rem 0; }
.trace li::marker { color: var(--quiet); }
.trace p { margin: 0; }
.wrong { border-left: .3rem solid var(--error); }
.said { white-space: pre-wrap; }

.tabs { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem; }
.tabs button[aria-pressed=true], .tabs button[aria-selected=true] { border-color: var(--accent); box-shadow: inset 0 -3px 0 var(--accent); }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: .92rem; }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
@media (max-width: 30rem) {
  .card { padding: .9rem 1rem; }
  .row { grid-template-columns: 2.4rem minmax(0, 1fr); }
  .row .number { padding-right: .6rem; }
  .scopes ul { margin-left: .35rem; }
  .scope > details > summary { grid-template-columns: 1.1rem minmax(0, 1fr) 1rem; }
  .swatch { grid-row: 1 / 3; }
  .openness { grid-column: 2; grid-row: 2; text-align: left; }
  .scope > details > summary::after { grid-column: 3; grid-row: 1; }
  .scope .body { padding: .25rem .9rem 1rem; }
}
@media print { .filters, .buttons, .skip { display: none; } body { max-width: none; } .card { break-inside: avoid; } }
`;
