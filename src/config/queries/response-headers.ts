import type { Directive } from "../model/directive.js";
import type { ServerDirectives } from "./server-directives.js";

/** A Header line (modules/metadata/mod_headers.c `header_cmd`). */
export interface HeaderLine {
  readonly directive: Directive;
  /** Whether it is in the table of headers that error responses and redirects have, too. */
  readonly isAlways: boolean;
  /** In lower case: `set`, `unset`. */
  readonly action: string;
  /** In lower case. */
  readonly name: string;
  /** The value, or the pattern of an edit; empty if the action takes none. */
  readonly value: string;
  /** The text that an edit inserts. */
  readonly replacement: string | undefined;
  /** `early`, `env=…` or `expr=…`. */
  readonly condition: string | undefined;
  /** Whether a condition or a section around it limits it to some responses. */
  readonly isLimited: boolean;
}

/** Returns the Header lines about a response header that a server has or inherits, in the order in which they apply. */
export function listHeaderLines(server: ServerDirectives, header: string): readonly HeaderLine[] {
  const whole = new Set(server.effective("header"));
  return [...server.iterateInherited()].flatMap((directive) => {
    if (directive.key !== "header") return [];
    const line = parseHeaderLine(directive, !whole.has(directive));
    return line.name === header ? [line] : [];
  });
}

/** Returns the parts of a Header line. @param isInSection whether a section limits it */
export function parseHeaderLine(directive: Directive, isInSection: boolean): HeaderLine {
  const words = directive.arguments.map(({ value }) => value);
  const table = words[0]?.toLowerCase();
  const [action = "", name = "", ...rest] = table === "always" || table === "onsuccess" ? words.slice(1) : words;
  const isEdit = /^edit/i.test(action);
  const valueCount = isEdit ? 2 : /^(?:unset|echo)$/i.test(action) ? 0 : 1;
  const [value = "", replacement] = rest.slice(0, valueCount);
  const isLimited = isInSection || rest.some((word) => /^(?:env|expr)=|^early$/i.test(word));
  return {
    directive,
    isAlways: table === "always",
    action: action.toLowerCase(),
    // The server ignores a colon and what follows it.
    name: name.toLowerCase().replace(/:[\s\S]*/, ""),
    value,
    replacement,
    condition: rest[valueCount],
    isLimited,
  };
}

/** Reports whether a Header line adds its header to responses. */
export function addsHeader({ action }: HeaderLine): boolean {
  return addingActions.has(action);
}

const addingActions: ReadonlySet<string> = new Set(["add", "append", "merge", "set", "setifempty"]);
