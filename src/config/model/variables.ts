import { isSince, type Release } from "../../facts/release.js";
import { type MappedText, MappedTextBuilder } from "../../text/mapped-text.js";
import { fromReadable } from "../../text/source.js";
import { findPlaceholder } from "./placeholders.js";

/**
 * The names from Define, `-D` and the server's environment. On 2.4 `Define X value` and `-D X` both make `<IfDefine X>`
 * true, but only the former gives `${X}` a value. 2.2 has no Define and takes `${X}` only from the environment.
 */
export class Variables {
  private readonly defined = new Set<string>();
  private readonly values = new Map<string, string>();
  /** Names with undefined variables, and whether a Define or an UnDefine names them. */
  private readonly undecided: { readonly name: string; readonly isOn: boolean }[] = [];

  /** @param environment the server's environment (an envvars file): names to values */
  constructor(private readonly environment: ReadonlyMap<string, string> = new Map()) {}

  /** Returns a copy, for definitions that do not apply everywhere. */
  copy(): Variables {
    const copied = new Variables(this.environment);
    for (const each of this.defined) copied.defined.add(each);
    for (const [name, value] of this.values) copied.values.set(name, value);
    copied.undecided.push(...this.undecided);
    return copied;
  }

  define(name: string, value?: string): void {
    if (findUndefinedVariable(name) !== undefined) this.undecided.push({ name, isOn: true });
    this.defined.add(name);
    // The server stores values in a table with case-insensitive keys (apr_table), and names for IfDefine in a
    // case-sensitive list. An empty value counts as undefined: `Define X ""` leaves `${X}` unchanged.
    if (value) this.values.set(name.toLowerCase(), value);
  }

  undefine(name: string): void {
    if (findUndefinedVariable(name) !== undefined) this.undecided.push({ name, isOn: false });
    this.defined.delete(name);
    this.values.delete(name.toLowerCase());
  }

  isDefined(name: string): boolean {
    return this.defined.has(name);
  }

  /** Returns the undefined variable of a Define or an UnDefine that may have changed whether a name is defined. */
  undecidedBy(name: string): string | undefined {
    const isOn = !this.isDefined(name);
    const line = this.undecided.find((each) => each.isOn === isOn && mayExpandTo(each.name, name));
    return line && findUndefinedVariable(line.name);
  }

  valueOf(name: string): string | undefined {
    return this.values.get(name.toLowerCase()) ?? this.environment.get(name);
  }
}

/** A use of an undefined `${NAME}`; offsets refer to the text before expansion. */
export interface UndefinedVariable {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Limit of the expanded line; variables defined by variables could grow without end. */
export const MAX_EXPANSION_BYTES = 1024 * 1024;

/**
 * Replaces each `${NAME}` once: a value is not expanded again, and an unknown name is kept (server/core.c,
 * `ap_resolve_env`). Undefined if the result is too long. 2.4 warns with AH00111 unless the name contains a `:`, as in
 * `%${func:arg}` of other syntaxes.
 */
export function expandVariables(
  mapped: MappedText,
  variables: Variables,
  release: Release,
): { text: MappedText | undefined; undefinedVariables: UndefinedVariable[] } {
  const { text } = mapped;
  const undefinedVariables: UndefinedVariable[] = [];
  const expanded = new MappedTextBuilder();
  let done = 0;
  let grown = 0;
  for (let at = text.indexOf("${"); at >= 0; at = text.indexOf("${", at)) {
    const close = text.indexOf("}", at + 2);
    if (close < 0) break;
    const name = text.slice(at + 2, close);
    const value = variables.valueOf(name);
    if (value === undefined) {
      if (isSince(release, "2.4") && !name.includes(":")) undefinedVariables.push({ name, start: at, end: close + 1 });
      at = close + 1;
      continue;
    }
    grown += value.length;
    if (grown > MAX_EXPANSION_BYTES) return { text: undefined, undefinedVariables };
    expanded.copyMapped(mapped, done, at);
    expanded.replaceMapped(value, mapped, at, close + 1);
    done = close + 1;
    at = done;
  }
  if (done === 0) return { text: mapped, undefinedVariables };
  expanded.copyMapped(mapped, done, text.length);
  return { text: expanded.build(mapped.pieces[0]?.from ?? 0), undefinedVariables };
}

/** Parses a define given by the user: `NAME` or `NAME=VALUE`. */
export function readDefine(text: string): [string, string | undefined] {
  const equals = text.indexOf("=");
  return equals < 0
    ? [fromReadable(text), undefined]
    : [fromReadable(text.slice(0, equals)), fromReadable(text.slice(equals + 1))];
}

/**
 * Returns the first part of a text with an unknown value: an unresolved variable, which the server's environment may
 * define, or the placeholder of a template.
 *
 * @returns as written: `${NAME}`
 */
export function findUndefinedVariable(text: string): string | undefined {
  return findUnresolvedVariable(text) ?? findPlaceholder(text);
}

/** Returns the first unresolved variable. `${map:key}` belongs to mod_rewrite (server/core.c `ap_resolve_env`). */
export function findUnresolvedVariable(text: string): string | undefined {
  const stop = /[}:]/g;
  for (let at = text.indexOf("${"); at >= 0; at = text.indexOf("${", stop.lastIndex)) {
    stop.lastIndex = at;
    const [found] = stop.exec(text) ?? [];
    if (found !== ":") return found && text.slice(at, stop.lastIndex);
    // Every name that starts before the colon contains it, so none is valid.
  }
  return undefined;
}

/** Returns a text up to its first part with an unknown value. */
export function textBeforeUndefined(text: string): string {
  const part = findUndefinedVariable(text);
  return part === undefined ? text : text.slice(0, text.indexOf(part));
}

/** Reports whether a text may be the value of one with unknown parts: it has the same beginning and end. */
export function mayExpandTo(written: string, text: string): boolean {
  const start = textBeforeUndefined(written);
  let end = written;
  for (let part = findUndefinedVariable(end); part !== undefined; part = findUndefinedVariable(end))
    end = end.slice(end.indexOf(part) + part.length);
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}

/** The variables that the `envvars` file of Debian's apache2 package sets, with their values. */
const debianEnvironment: ReadonlyMap<string, string> = new Map([
  ["APACHE_RUN_USER", "www-data"],
  ["APACHE_RUN_GROUP", "www-data"],
  ["APACHE_PID_FILE", "/var/run/apache2/apache2.pid"],
  ["APACHE_RUN_DIR", "/var/run/apache2"],
  ["APACHE_LOCK_DIR", "/var/lock/apache2"],
  ["APACHE_LOG_DIR", "/var/log/apache2"],
]);

/**
 * Returns the environment of a server without an `envvars` file next to its main file. Only Debian names the main file
 * `apache2.conf`; a copy of it often lacks that file.
 */
export function assumeEnvironment(main: string): ReadonlyMap<string, string> {
  return /(?:^|\/)apache2\.conf$/.test(main) ? debianEnvironment : new Map();
}

/**
 * Reads the variables that an envvars file sets: the shell assignments of Debian's `/etc/apache2/envvars` and similar
 * files. The file is never executed. A value that needs a shell (a command, arithmetic, a pattern) leaves its variable
 * undefined. Assignments inside `if` are ignored, since the condition is not evaluated.
 */
export function readEnvvars(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  let depth = 0;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (/^(if|case|for|while)\b/.test(line)) depth++;
    if (depth === 0) readAssignment(line, variables);
    if (/^(fi|esac|done)\b/.test(line)) depth--;
  }
  return variables;
}

function readAssignment(line: string, variables: Map<string, string>): void {
  const match = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line);
  if (!match) return;
  const [, name = "", written = ""] = match;
  const value = valueOfWord(written, variables);
  if (value === undefined) variables.delete(name);
  else variables.set(name, value);
}

/** Returns the value of a shell word: bare, `"…"` with variables, or `'…'`; undefined if it needs a shell. */
function valueOfWord(written: string, variables: ReadonlyMap<string, string>): string | undefined {
  const single = /^'([^']*)'/.exec(written);
  if (single) return single[1];
  const word = /^"([^"]*)"/.exec(written)?.[1] ?? /^[^\s;#"']*/.exec(written)?.[0] ?? "";
  const replaced = word.replace(/\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g, (_, bare, braced) => {
    return variables.get(bare ?? braced) ?? "";
  });
  return /[`$]/.test(replaced) ? undefined : replaced;
}
