import type { Fix } from "../../src/engine/finding.js";
import type { Directive } from "../../src/project/directive.js";
import { type Edit, indentOf, lineRemoval, lineReplacement } from "../../src/text/edits.js";

/** What to make of a directive of 2.2 that 2.4 takes in sections alone; undefined where that takes somebody who knows. */
export function fixOutside(directive: Directive): Fix | undefined {
  const edits = [directive.children ? emptyLimit(directive) : clientCertificate(directive)];
  const there = edits.filter((edit) => edit !== undefined);
  if (there.length === 0) return undefined;
  return { title: directive.children ? "Take it out" : "Put it into a section", safety: "unsafe", edits: there };
}

/** To 2.2 a Limit section out here held nothing either. */
function emptyLimit({ key, span }: Directive): Edit | undefined {
  const rest = span.file.text.slice(span.end);
  const end = /^[\t ]*\r?\n(?:[\t ]*\r?\n)*[\t ]*<\/Limit(?:Except)?>/i.exec(rest)?.[0].length;
  if (end === undefined || (key !== "<limit" && key !== "<limitexcept")) return undefined;
  return lineRemoval({ ...span, end: span.end + end });
}

/** What was said of all connections to LDAP servers is said of all requests. */
function clientCertificate({ key, span }: Directive): Edit | undefined {
  const line = span.file.text.slice(span.start, span.end);
  if (key !== "ldaptrustedclientcert" || line.includes("\n")) return undefined;
  const indent = indentOf(span);
  return lineReplacement(span, `${indent}<Location "/">\n${indent}    ${line}\n${indent}</Location>`);
}
