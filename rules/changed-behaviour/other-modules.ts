import type { Directive } from "../../src/rule-api/configuration.js";
import { insertLinesAfter, quoteText, type Span } from "../../src/rule-api/rule.js";
import { argumentAt, type Behaviour, type BehaviourReport, createFix, createSharedReport } from "./behaviour.js";

const substitute: Behaviour = {
  names: ["substitute"],
  takesServer: true,
  check(_, scope, surroundings) {
    if (surroundings.find(scope, ({ key }) => key === "substitutemaxlinelength")) return undefined;
    const message =
      "2.4 answers 500 where a page that Substitute goes through has a line of more than 1 MB (AH01328), where 2.2 knew no limit; write `SubstituteMaxLineLength` with what the longest line needs, such as `10m`, if there are such pages";
    return { severity: "info", ...createSharedReport("substitute", message) };
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
    const keep = "LogLevel dumpio:trace7";
    const behind = server.own("loglevel").at(-1) ?? line;
    return {
      severity: "info",
      message: `2.4 logs what ${quoteText(line.name)} asks for at \`trace7\` alone, so nothing of it is in the error log any more; write \`${keep}\` behind the last LogLevel without a module`,
      ...createFix("Log it again", insertLinesAfter(behind.span, [keep])),
    };
  },
};

function tracesAll({ arguments: words }: Directive): boolean {
  return words.some(({ value }) => /^(?:(?:mod_)?dumpio(?:_module|\.c)?:)?trace[78]$/i.test(value));
}

const davLocks: Behaviour = {
  names: ["davlockdb"],
  check: (line) => ({
    severity: "info",
    message: `2.4 keys the locks in ${quoteText(argumentAt(line))} by path where 2.2 took inodes, so locks that 2.2 wrote there hold nobody off; stop the server, and take the files of that name away before 2.4 first starts`,
  }),
};

export const otherBehaviours: readonly Behaviour[] = [substitute, dumpio, davLocks];

/** Logs piped to a program. */
export const pipedLogBehaviour: Behaviour = {
  names: ["errorlog", "customlog", "transferlog", "forensiclog"],
  check(line) {
    const [, command] = /^\|(?![|$])\s*(.*)$/s.exec(argumentAt(line)) ?? [];
    const told = command === undefined ? undefined : describePipe(command, line);
    return told && { ...told, ...createFix("Have a shell start the program", shellEdit(line)) };
  },
};

function describePipe(command: string, { key }: Directive): BehaviourReport | undefined {
  const name = command.split(/\s/)[0] ?? "";
  // ForensicLog prefixes its program with the folder under both releases.
  if (key !== "forensiclog" && /^[\w.+=-]+$/.test(name))
    return {
      severity: "error",
      ...createSharedReport(
        `piped ${name}`,
        `2.4 starts the program of a piped log without a shell, which looks ${quoteText(name)} up nowhere, so the server does not start, though \`httpd -t\` finds nothing (AH00104); write the whole path of a program, or \`|$\` for \`|\` to have a shell in between`,
      ),
    };
  const syntax = shellSyntax(command);
  if (syntax === undefined) return undefined;
  return {
    severity: "warning",
    ...createSharedReport(
      `piped ${syntax}`,
      `2.4 starts the program of a piped log without a shell, so ${quoteText(syntax)} is handed to it as it is written and the log does not get to where it should; write \`|$\` for \`|\` to have a shell in between`,
    ),
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
