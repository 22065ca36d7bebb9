import type { Directive } from "../../src/project/directive.js";
import { quoted } from "../../src/project/problems.js";
import type { Span } from "../../src/text/source.js";
import { type Behaviour, fixed, shared, type Told, word } from "./behaviour.js";

/** Logs that go to a program. */
export const pipedLogs: Behaviour = {
  names: ["errorlog", "customlog", "transferlog", "forensiclog"],
  look(line) {
    const [, command] = /^\|(?![|$])\s*(.*)$/s.exec(word(line)) ?? [];
    const told = command === undefined ? undefined : toldOf(command, line);
    return told && { ...told, ...fixed("Have a shell start the program", shellEdit(line)) };
  },
};

function toldOf(command: string, { key }: Directive): Told | undefined {
  const name = command.split(/\s/)[0] ?? "";
  // The folder that ForensicLog is relative to stands ahead of its program, under both releases.
  if (key !== "forensiclog" && /^[\w.+=-]+$/.test(name))
    return {
      severity: "error",
      ...shared(
        `piped ${name}`,
        `2.4 starts the program of a piped log without a shell, which looks ${quoted(name)} up nowhere, so the server does not start, though \`httpd -t\` finds nothing (AH00104); write the whole path of a program, or \`|$\` for \`|\` to have a shell in between`,
      ),
    };
  const syntax = shellSyntax(command);
  if (syntax === undefined) return undefined;
  return {
    severity: "warning",
    ...shared(
      `piped ${syntax}`,
      `2.4 starts the program of a piped log without a shell, so ${quoted(syntax)} is handed to it as it is written and the log does not get to where it should; write \`|$\` for \`|\` to have a shell in between`,
    ),
  };
}

/** What only a shell makes something of, as far as no quotes keep it from doing so. */
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

/** A digit ahead of `>` and a tilde have their meaning at the start of a word alone. */
function isInsideWord(found: string, command: string, at: number): boolean {
  return /^[~\d]/.test(found) && /\S/.test(command[at - 1] ?? " ");
}

/** `|` to `|$`, where the word stands in the file as it is. */
function shellEdit(line: Directive) {
  const [argument] = line.arguments;
  const span: Span | undefined = argument && line.spanOf(argument);
  if (span === undefined || "macro" in span.file) return undefined;
  const at = span.file.text.indexOf("|", span.start) + 1;
  return at > 0 && at <= span.start + 2 ? { span: { file: span.file, start: at, end: at }, text: "$" } : undefined;
}
