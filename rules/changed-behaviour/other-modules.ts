import { type Directive, iterateDirectives } from "../../src/lint/api/configuration.js";
import { createFix, insertLinesAfter, type Span } from "../../src/lint/api/rule.js";
import { argumentAt, type Behaviour, type BehaviourReport, createSharedReport } from "./behaviour.js";
import { behaviourFixTitles, behaviourMessages, oldBehaviour } from "./messages.js";

const substitute: Behaviour = {
  names: ["substitute"],
  takesServer: true,
  check(_, scope, surroundings) {
    if (surroundings.find(scope, ({ key }) => key === "substitutemaxlinelength")) return undefined;
    return { severity: "info", ...createSharedReport("substitute", behaviourMessages.substituteLimit) };
  },
};

const dumpio: Behaviour = {
  names: ["dumpioinput", "dumpiooutput"],
  takesServer: true,
  check(line, scope, surroundings) {
    const server = surroundings.serverOf(scope);
    const levels = server.effective("loglevel");
    if (!/^on$/i.test(argumentAt(line)) || levels.some(tracesAll)) return undefined;
    // Not a change if 2.2 did not log it either.
    const wasLogged =
      levels.some((level) => /^debug$/i.test(argumentAt(level))) || server.effective("dumpiologlevel").length > 0;
    if (!wasLogged) return undefined;
    const precedingLine = server.own("loglevel").at(-1) ?? line;
    return {
      severity: "info",
      message: behaviourMessages.dumpedData(line),
      ...createFix(
        behaviourFixTitles.logAgain,
        "unsafe",
        insertLinesAfter(precedingLine.span, [oldBehaviour.dumpedData]),
      ),
    };
  },
};

function tracesAll({ arguments: words }: Directive): boolean {
  return words.some(({ value }) => /^(?:(?:mod_)?dumpio(?:_module|\.c)?:)?trace[78]$/i.test(value));
}

const davLocks: Behaviour = {
  names: ["davlockdb"],
  takesServer: true,
  check(line, _, { project }) {
    for (const directive of iterateDirectives(project))
      if (writesLocks(directive)) return { severity: "info", message: behaviourMessages.davLocks(argumentAt(line)) };
    return undefined;
  },
};

/** Returns whether mod_dav_fs, the only module that reads DavLockDB, serves a section; mod_dav_svn has its own locks. */
function writesLocks(directive: Directive): boolean {
  return directive.key === "dav" && /^(?:on|filesystem)$/i.test(argumentAt(directive));
}

export const otherBehaviours: readonly Behaviour[] = [substitute, dumpio, davLocks];

/** Logs piped to a program. */
export const pipedLogBehaviour: Behaviour = {
  names: ["errorlog", "customlog", "transferlog", "forensiclog"],
  check(line) {
    const [, command] = /^\|(?![|$])\s*(.*)$/s.exec(argumentAt(line)) ?? [];
    const found = command === undefined ? undefined : describePipe(command, line);
    return found && { ...found, ...createFix(behaviourFixTitles.addShell, "unsafe", shellEdit(line)) };
  },
};

function describePipe(command: string, { key }: Directive): BehaviourReport | undefined {
  const name = command.split(/\s/)[0] ?? "";
  // ForensicLog prefixes its program with the directory under both releases.
  if (key !== "forensiclog" && /^[\w.+=-]+$/.test(name))
    return {
      severity: "error",
      ...createSharedReport(`piped ${name}`, behaviourMessages.pipedCommand(name)),
    };
  const syntax = shellSyntax(command);
  if (syntax === undefined) return undefined;
  return {
    severity: "warning",
    ...createSharedReport(`piped ${syntax}`, behaviourMessages.pipedSyntax(syntax)),
  };
}

/** Returns text that only a shell interprets, unless it is quoted. */
function shellSyntax(command: string): string | undefined {
  let quote = "";
  for (let i = 0; i < command.length; i++) {
    const c = command[i] ?? "";
    if (quote === "'") quote = c === "'" ? "" : quote;
    else if (c === "\\") i++;
    else if (quote === '"' && c === '"') quote = "";
    else if (quote === "" && (c === "'" || c === '"')) quote = c;
    else if (c === "$" || c === "`") return /^(?:\$\{?\w*\}?|`[^`]*`?)/.exec(command.slice(i))?.[0];
    else if (quote === "") {
      const found = /^(?:\d?>{1,2}&?\d?|<|;|&&?|\|\|?|[*?~()[\]])/.exec(command.slice(i))?.[0];
      if (found && !isInsideWord(found, command, i)) return found;
    }
  }
  return undefined;
}

/** Returns whether a digit before `>` or a tilde is inside a word; they are special only at its start. */
function isInsideWord(found: string, command: string, at: number): boolean {
  return /^[~\d]/.test(found) && /\S/.test(command[at - 1] ?? " ");
}

/** Changes `|` to `|$`, if the argument is in the file as is. */
function shellEdit(line: Directive) {
  const [argument] = line.arguments;
  const span: Span | undefined = argument && line.spanOf(argument);
  if (span === undefined || "macro" in span.file) return undefined;
  const at = span.file.text.indexOf("|", span.start) + 1;
  return at > 0 && at <= span.start + 2 ? { span: { file: span.file, start: at, end: at }, text: "$" } : undefined;
}
