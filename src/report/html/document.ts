import { sha256 } from "@noble/hashes/sha2.js";
import { jsonText } from "../../text/json-text.js";
import { binaryOf } from "../../text/source.js";
import { escaped, Html, html } from "./html.js";
import { style } from "./style.js";

/** A page that stands alone. */
export interface Page {
  readonly title: string;
  /** Values for the script, as JSON. */
  readonly data?: object;
  /** What runs in the browser; a page without it is to be read all the same. */
  readonly script?: string;
}

/** A page's beginning and end; its body goes between them. Nothing runs in it but its script, and nothing is fetched. */
export function documentOf({ title, data, script }: Page): { readonly head: string; readonly foot: string } {
  const code = script === undefined ? undefined : inScript(script);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    ...(code === undefined ? [] : [`script-src '${hashOf(code)}'`]),
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
<style>${new Html(style)}</style>
</head>
<body>
`;
  const values = data === undefined ? "" : `<script type="application/json" id="data">${inJson(data)}</script>\n`;
  const run = code === undefined ? "" : `<script>${code}</script>\n`;
  return { head: head.toString(), foot: `${values}${run}</body>\n</html>\n` };
}

/** JSON that ends no element, whatever it holds. */
export function inJson(value: object): string {
  const codeOf = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  return jsonText(value).replace(/[<>&]/g, codeOf);
}

/** A script that ends no element: what would is inside of texts and patterns, where an escape says the same. */
function inScript(script: string): string {
  return script.replace(/<(?=\/script|!--|script)/gi, "\\x3C");
}

function hashOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return `sha256-${btoa(binaryOf(sha256(bytes)))}`;
}

/** The name of a page's part by which links lead to it. */
export function anchor(kind: string, name: string): string {
  return escaped(`${kind}-${name.replace(/[^\w-]+/g, "-")}`);
}
