import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import type { Project } from "../project/project.js";
import { nearest } from "../text/nearest.js";
import type { Fault } from "./refusal.js";
import { filled } from "./values.js";

export const levels =
  "emerg alert crit error warn notice info debug trace1 trace2 trace3 trace4 trace5 trace6 trace7 trace8".split(" ");

const levelWords = "Log level keyword must be one of emerg/alert/crit/error/warn/notice/info/debug/trace1/.../trace8";

/** What the server refuses about LogLevel (server/core.c `set_loglevel`). */
export function logLevelFault(directive: Directive, project: Project): Fault | undefined {
  for (const word of filled(directive.arguments)) {
    const fault = levelFault(directive, word, project);
    if (fault) return fault;
  }
  return undefined;
}

function levelFault(directive: Directive, word: Argument, project: Project): Fault | undefined {
  const colon = word.value.lastIndexOf(":");
  const module = word.value.slice(0, Math.max(colon, 0));
  const level = word.value.slice(colon + 1);
  const span = directive.spanOf(word);
  if (colon >= 0 && level === "") {
    const server = `Module specifier '${module}' must be followed by a log level keyword`;
    return { server, wrong: `${quoted(word.value)} names no level`, remedy: "add it: `:info`", span };
  }
  if (!levels.includes(level.toLowerCase())) {
    const near = /^trace/i.test(level) ? "trace1` to `trace8" : likely(level.toLowerCase());
    return {
      server: colon < 0 ? levelWords : `${word.value}: ${levelWords}`,
      wrong: `${quoted(level)} is no level of logging`,
      remedy: near ? `write \`${near}\`` : "write `error`, `warn`, `info` or another of them",
      span,
    };
  }
  return colon < 0 || isThere(module, project) ? undefined : moduleFault(module, project, span);
}

/** `warning` and `err` are more than two slips away from what they mean. */
function likely(level: string): string | undefined {
  const begun = levels.find((known) => level.length > 2 && (level.startsWith(known) || known.startsWith(level)));
  return begun ?? nearest(level, levels);
}

/** The server looks a module up as `IfModule` does, and then with `_module` behind the name. */
function isThere(module: string, { modules }: Project): boolean {
  return modules.matchesGuard(module) || modules.matchesGuard(`${module}_module`);
}

function moduleFault(module: string, { modules, modulesAreKnown }: Project, span: Fault["span"]): Fault | undefined {
  // Who does not say what is loaded may load any module, and one without a table may have any name.
  if (!modulesAreKnown || modules.unknown.length > 0) return undefined;
  const short = module.replace(/^mod_|(?:\.c|_module)$/g, "");
  const isShort = short !== module && modules.matchesGuard(`${short}_module`);
  return {
    server: `Cannot find module ${module}`,
    wrong: `no module ${quoted(module)} is loaded`,
    remedy: isShort ? `write \`${short}\`` : "load it, or take its level out",
    span,
  };
}

/** What may stand behind `%` in a format, by the module that brings it. */
const letters: ReadonlyMap<string, string> = new Map([
  ...[..."haAlutfbBionLeVvpPHmqXCkrDTUsR", "^ti", "^to"].map((letter) => [letter, "log_config_module"] as const),
  ...[..."IOS", "^FB"].map((letter) => [letter, "logio_module"] as const),
  ...[..."cx"].map((letter) => [letter, "ssl_module"] as const),
]);

/** What the server refuses about the format of LogFormat or CustomLog (modules/loggers/mod_log_config.c `parse_log_item`). */
function formatFault(directive: Directive, word: Argument, project: Project): Fault | undefined {
  for (const [text, found = "%"] of word.value.matchAll(/%(?:%|(?:[!<>,\d]|\{[^}]*\}*)*(\^[\s\S]{0,2}|[\s\S]?))/g)) {
    const letter = found.length < 3 ? found.charAt(0) : found;
    const fault = letter === "%" ? undefined : letterFault(text, letter, project);
    if (fault) return { ...fault, span: directive.spanOf(word) };
  }
  return undefined;
}

function letterFault(text: string, letter: string, project: Project): Omit<Fault, "span"> | undefined {
  if (letter === "")
    return {
      server: "Ran off end of LogFormat parsing args to some directive",
      wrong: `${quoted(text)} lacks the letter that says what to log`,
      remedy: "add it, or write `%%` for the character",
    };
  const { modules, modulesAreKnown } = project;
  const module = letters.get(letter);
  if (module !== undefined && (!modulesAreKnown || modules.has(module))) return undefined;
  const server = `Unrecognized LogFormat directive %${letter.charAt(0)}`;
  if (module !== undefined)
    return {
      server,
      wrong: `\`%${letter}\` needs \`${module}\`, which is not loaded`,
      remedy: "load the module, or take the letter out",
      missing: module,
    };
  if (!/[A-Za-z^]/.test(letter))
    return {
      server,
      wrong: `${quoted(text)} lacks the letter that says what to log`,
      remedy: "add it, or write `%%` for the character",
    };
  // A module from elsewhere may bring letters of its own.
  if (project.kind !== "server" || modules.hasForeign()) return undefined;
  return {
    server,
    wrong: `nothing is logged as ${quoted(text)}`,
    remedy: "correct the letter, or write `%%` for the character",
  };
}

export function logFormatFault(directive: Directive, project: Project): Fault | undefined {
  const [format] = directive.arguments;
  return format && formatFault(directive, format, project);
}

/** What the server refuses about CustomLog and GlobalLog (`add_custom_log`). */
export function customLogFault(directive: Directive, project: Project): Fault | undefined {
  const [, format, condition] = directive.arguments;
  return (condition && conditionFault(directive, condition)) ?? (format && formatFault(directive, format, project));
}

function conditionFault(directive: Directive, word: Argument): Fault | undefined {
  const [, kind = "", rest = ""] = /^(env|expr)=([\s\S]*)$/i.exec(word.value) ?? [];
  const span = directive.spanOf(word);
  if (kind === "") {
    return {
      server: "error in condition clause",
      wrong: `${quoted(word.value)} stands where only \`env=…\` or \`expr=…\` may stand`,
      remedy: "take it out, or put a format of several words in quotes",
      span,
    };
  }
  const isVariable = kind.toLowerCase() === "env";
  if (rest !== "" && !(isVariable && rest === "!")) return undefined;
  return {
    server: isVariable ? "missing environment variable name" : "missing condition",
    wrong: `${quoted(word.value)} is empty`,
    remedy: isVariable ? "add the variable's name" : "add the condition",
    span,
  };
}
