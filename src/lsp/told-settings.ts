import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver/node";
import type { Mistake } from "../settings/mistakes.js";
import type { Published } from "./diagnosing.js";
import type { ToldSettings } from "./settings-book.js";
import { uriOf } from "./uris.js";

/** Tells an editor what is wrong with settings files: as diagnostics of the file, and once in words. */
export class SettingsTeller {
  /** What was said last, by path. */
  private readonly said = new Map<string, string>();

  /** @param show says something to the user */
  constructor(
    private readonly publish: (published: Published) => void,
    private readonly show: (message: string) => void,
  ) {}

  tell(told: ToldSettings): void {
    const { path, mistakes, isTaken } = told;
    const before = this.said.get(path) ?? "";
    const [first] = mistakes;
    const words = first === undefined ? "" : wordsOf(path, first, isTaken);
    if (words === "" && before === "") return;
    this.said.set(path, words);
    this.publish({ uri: uriOf(path), diagnostics: diagnosticsOf(told) });
    if (words !== "" && words !== before) this.show(words);
  }
}

function wordsOf(path: string, { line, column, message }: Mistake, isTaken: boolean): string {
  return `${path}:${line}:${column}: ${message}${isTaken ? "" : "; until that is mended these settings are passed over"}`;
}

function diagnosticsOf({ text, mistakes, isTaken }: ToldSettings): Diagnostic[] {
  const lines = text.split("\n");
  return mistakes.map(({ line, column, message }) => ({
    range: {
      start: { line: line - 1, character: column - 1 },
      end: { line: line - 1, character: Math.max(column, (lines[line - 1] ?? "").trimEnd().length) },
    },
    severity: isTaken ? DiagnosticSeverity.Warning : DiagnosticSeverity.Error,
    source: "httpd-lint",
    message,
  }));
}
