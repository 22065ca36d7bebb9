import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { findClosestWord } from "../../text/closest-word.js";
import { takeUntilEmpty } from "./values.js";

export const logLevels =
  "emerg alert crit error warn notice info debug trace1 trace2 trace3 trace4 trace5 trace6 trace7 trace8".split(" ");

/** Checks LogLevel as the server does (server/core.c `set_loglevel`). */
export function checkLogLevel(directive: Directive, project: Project): Refusal | undefined {
  for (const word of takeUntilEmpty(directive.arguments)) {
    const fault = checkLevel(directive, word, project);
    if (fault) return fault;
  }
  return undefined;
}

function checkLevel(directive: Directive, word: Argument, project: Project): Refusal | undefined {
  const colon = word.value.lastIndexOf(":");
  const module = word.value.slice(0, Math.max(colon, 0));
  const level = word.value.slice(colon + 1);
  const span = directive.spanOf(word);
  if (colon >= 0 && level === "") {
    return { ...wordingOf("missing-log-level", module, word.value), span };
  }
  if (!logLevels.includes(level.toLowerCase())) {
    const near = /^trace/i.test(level) ? "trace1` to `trace8" : likelyLevel(level.toLowerCase());
    return { ...wordingOf("unknown-log-level", colon < 0, word.value, level, near), span };
  }
  return colon < 0 || isModuleLoaded(module, project) ? undefined : checkLogModule(module, project, span);
}

/** `warning` and `err` differ from the intended words by more than two edits. */
function likelyLevel(level: string): string | undefined {
  const begun = logLevels.find((known) => level.length > 2 && (level.startsWith(known) || known.startsWith(level)));
  return begun ?? findClosestWord(level, logLevels);
}

/** The server looks a module up as `IfModule` does, and then with `_module` appended to the name. */
function isModuleLoaded(module: string, { modules }: Project): boolean {
  return modules.matchesGuard(module) || modules.matchesGuard(`${module}_module`);
}

function checkLogModule(
  module: string,
  { modules, modulesAreKnown }: Project,
  span: Refusal["span"],
): Refusal | undefined {
  // If the loaded modules are not known, any may be loaded; a module without a table may have any name.
  if (!modulesAreKnown || modules.unknown.length > 0) return undefined;
  const short = module.replace(/^mod_|(?:\.c|_module)$/g, "");
  const isShort = short !== module && modules.matchesGuard(`${short}_module`);
  return { ...wordingOf("log-module-not-loaded", module, isShort, short), span };
}

/** Format letters after `%`, by the module that provides them. */
const formatLetters: ReadonlyMap<string, string> = new Map([
  ...[..."haAlutfbBionLeVvpPHmqXCkrDTUsR", "^ti", "^to"].map((letter) => [letter, "log_config_module"] as const),
  ...[..."IOS", "^FB"].map((letter) => [letter, "logio_module"] as const),
  ...[..."cx"].map((letter) => [letter, "ssl_module"] as const),
]);

/**
 * Checks the format of LogFormat or CustomLog as the server does (modules/loggers/mod_log_config.c `parse_log_item`).
 */
function checkLogFormatString(directive: Directive, word: Argument, project: Project): Refusal | undefined {
  for (const [text, found = "%"] of word.value.matchAll(/%(?:%|(?:[!<>,\d]|\{[^}]*\}*)*(\^[\s\S]{0,2}|[\s\S]?))/g)) {
    const letter = found.length < 3 ? found.charAt(0) : found;
    const fault = letter === "%" ? undefined : checkFormatLetter(text, letter, project);
    if (fault) return { ...fault, span: directive.spanOf(word) };
  }
  return undefined;
}

function checkFormatLetter(text: string, letter: string, project: Project): RefusalText | undefined {
  if (letter === "") return wordingOf("unfinished-log-format", text);
  const { modules, modulesAreKnown } = project;
  const module = formatLetters.get(letter);
  if (module !== undefined && (!modulesAreKnown || modules.has(module))) return undefined;
  if (module !== undefined) return wordingOf("log-format-module-not-loaded", letter.charAt(0), letter, module);
  if (!/[A-Za-z^]/.test(letter)) return wordingOf("missing-log-format-letter", letter.charAt(0), text);
  // A third-party module may provide its own letters.
  if (project.kind !== "server" || modules.hasAnyThirdParty()) return undefined;
  return wordingOf("unknown-log-format", letter.charAt(0), text);
}

export function checkLogFormat(directive: Directive, project: Project): Refusal | undefined {
  const [format] = directive.arguments;
  return format && checkLogFormatString(directive, format, project);
}

/** Checks CustomLog and GlobalLog as the server does (`add_custom_log`). */
export function checkCustomLog(directive: Directive, project: Project): Refusal | undefined {
  const [, format, condition] = directive.arguments;
  return (
    (condition && checkLogCondition(directive, condition)) ??
    (format && checkLogFormatString(directive, format, project))
  );
}

function checkLogCondition(directive: Directive, word: Argument): Refusal | undefined {
  const [, kind = "", rest = ""] = /^(env|expr)=([\s\S]*)$/i.exec(word.value) ?? [];
  const span = directive.spanOf(word);
  if (kind === "") {
    return { ...wordingOf("unknown-log-condition", word.value), span };
  }
  const isVariable = kind.toLowerCase() === "env";
  if (rest !== "" && !(isVariable && rest === "!")) return undefined;
  return { ...wordingOf("empty-log-condition", isVariable, word.value), span };
}

/** The hooks that LogMessage can follow; the server ignores their case (modules/loggers/mod_log_debug.c `hooks`). */
const messageHooks = [
  ...["log_transaction", "quick_handler", "handler", "pre_translate_name", "translate_name", "map_to_storage"],
  ...["fixups", "type_checker", "check_access", "check_access_ex", "check_authn", "check_authz"],
  ...["insert_filter", "all"],
];

/** Checks the arguments after the text of LogMessage as the server does (`cmd_log_message`). */
export function checkLogMessage(directive: Directive): Refusal | undefined {
  for (const word of directive.arguments.slice(1)) {
    const [, kind = "", value = ""] = /^(hook|expr)=([\s\S]*)$/i.exec(word.value) ?? [];
    const span = directive.spanOf(word);
    if (kind === "") return { ...wordingOf("unknown-log-message-argument", word.value), span };
    if (kind.toLowerCase() === "expr" || messageHooks.includes(value.toLowerCase())) continue;
    const near = findClosestWord(value.toLowerCase(), messageHooks);
    return { ...wordingOf("unknown-hook", value, near), span };
  }
  return undefined;
}
