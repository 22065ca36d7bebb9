import type { Release } from "../directives/directives.js";
import { type MappedText, MappedTextBuilder } from "../text/mapped.js";
import { fromReadable } from "../text/source.js";
import { mayStandFor, unsetVariable } from "./unset-variables.js";

/**
 * The names that Define, `-D` and the server's environment give. On 2.4 `Define X value` and `-D X` both make `<IfDefine X>`
 * true, only the former gives `${X}` a value. 2.2 has no Define and takes `${X}` from the environment alone.
 */
export class Variables {
  private readonly defined = new Set<string>();
  private readonly values = new Map<string, string>();
  /** Names with variables that have no value: by which Defines, and by which UnDefines. */
  private readonly open: { readonly name: string; readonly isOn: boolean }[] = [];

  /**
   * @param environment what the server process finds in its environment (an envvars file): names to values
   */
  constructor(private readonly environment: ReadonlyMap<string, string> = new Map()) {}

  define(name: string, value?: string): void {
    if (unsetVariable(name) !== undefined) this.open.push({ name, isOn: true });
    this.defined.add(name);
    // The server keeps values in a table whose keys ignore case (apr_table), names for IfDefine in a list that does not.
    // An empty value counts as none: `Define X ""` leaves `${X}` as it was.
    if (value) this.values.set(name.toLowerCase(), value);
  }

  undefine(name: string): void {
    if (unsetVariable(name) !== undefined) this.open.push({ name, isOn: false });
    this.defined.delete(name);
    this.values.delete(name.toLowerCase());
  }

  isDefined(name: string): boolean {
    return this.defined.has(name);
  }

  /** The variable by which a Define or an UnDefine may have turned what `isDefined` says of a name. */
  hangsOn(name: string): string | undefined {
    const isOn = !this.isDefined(name);
    const line = this.open.find((each) => each.isOn === isOn && mayStandFor(each.name, name));
    return line && unsetVariable(line.name);
  }

  valueOf(name: string): string | undefined {
    return this.values.get(name.toLowerCase()) ?? this.environment.get(name);
  }
}

/** A use of `${NAME}` without a value; offsets are into the text before expansion. */
export interface UndefinedVariable {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Values that make more than this of a line are not put in place: variables made of variables grow without end. */
export const LONGEST_EXPANSION = 1024 * 1024;

/**
 * Replaces each `${NAME}` once: a value is not expanded again, and an unknown name stays as it is (server/core.c,
 * `ap_resolve_env`; undefined where too much comes of it; 2.4 warns with AH00111 unless the name holds a `:`, as in `%${func:arg}` of other syntaxes).
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
      if (release === "2.4" && !name.includes(":")) undefinedVariables.push({ name, start: at, end: close + 1 });
      at = close + 1;
      continue;
    }
    grown += value.length;
    if (grown > LONGEST_EXPANSION) return { text: undefined, undefinedVariables };
    expanded.copyMapped(mapped, done, at);
    expanded.replaceMapped(value, mapped, at, close + 1);
    done = close + 1;
    at = done;
  }
  if (done === 0) return { text: mapped, undefinedVariables };
  expanded.copyMapped(mapped, done, text.length);
  return { text: expanded.build(mapped.pieces[0]?.from ?? 0), undefinedVariables };
}

/** What a user defines, from outside: `NAME` or `NAME=VALUE`. */
export function readDefine(text: string): [string, string | undefined] {
  const equals = text.indexOf("=");
  return equals < 0
    ? [fromReadable(text), undefined]
    : [fromReadable(text.slice(0, equals)), fromReadable(text.slice(equals + 1))];
}
