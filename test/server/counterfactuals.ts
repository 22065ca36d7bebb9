import type { Directive } from "../../src/config/model/directive.js";
import type { Project } from "../../src/config/model/project.js";
import { SimulatedServer } from "../../src/server/answer.js";
import type { Answer } from "../../src/server/model/answer.js";
import { findRefusals } from "../../src/startup/validate.js";
import { lineAt, toReadable } from "../../src/text/source.js";
import { CASE_ROOT, type Case, loadCase } from "../support/cases/recorded-cases.js";

/** The results of some cases. */
export interface Counterfactuals {
  /** Number of decisions repeated without a line. */
  readonly checked: number;
  /**
   * Lines that a decision depends on without naming them in its trace, or that it names as deciding and does not need.
   */
  readonly complaints: readonly string[];
}

/**
 * Removes each line of a case in turn. Without a line that the trace does not name, the decision must not change.
 * Without a deciding line, the answer or the deciding lines must change.
 */
export function counterfactuals(recorded: Case): Counterfactuals {
  if (recorded.startup !== undefined) return { checked: 0, complaints: [] };
  const { project, files } = loadCase(recorded);
  const simulatedServer = new SimulatedServer(project, files);
  const decisions = recorded.requests.map((request) => {
    const decision = simulatedServer.answer(request);
    return { request, answer: answerText(decision), named: linesOf(decision), deciding: keysOf(decision.decidedBy) };
  });
  const refusals = refusalsIn(project);
  const complaints: string[] = [];
  let checked = 0;
  for (const directive of ownLines(project, recorded)) {
    const key = keyOf(directive);
    const affected = decisions.filter(({ named, deciding }) => !named.has(key) || deciding.has(key));
    if (affected.length === 0) continue;
    const without = loadCase({ ...recorded, files: { ...recorded.files, ...withoutLine(directive, recorded) } });
    // If removing a line causes an error (an empty container, an Else without an If), the result is meaningless.
    if (refusalsIn(without.project) > refusals) continue;
    // A host without a ServerName has the name of the machine, which is unknown and may be that of any request.
    if (directive.key === "servername") continue;
    const other = new SimulatedServer(without.project, without.files);
    for (const { request, answer, deciding } of affected) {
      checked++;
      const changed = answerText(other.answer(request)) !== answer;
      if (changed !== deciding.has(key))
        complaints.push(
          `${recorded.id}: without ${key} (${toReadable(directive.name)} ${toReadable(directive.argumentText)}): ${answer} -> ${answerText(other.answer(request))} for ${JSON.stringify(request)}`,
        );
    }
  }
  for (const { named, deciding, request } of decisions) {
    const missing = [...deciding].filter((key) => !named.has(key));
    if (missing.length > 0)
      complaints.push(`${recorded.id}: ${missing} decides ${JSON.stringify(request)}, but is not in the trace`);
  }
  return { checked, complaints };
}

function refusalsIn(project: Project): number {
  const { startup, htaccess } = findRefusals(project);
  return startup.length + htaccess.length;
}

function answerText({ status, log, decidedBy, unknown }: Answer): string {
  return [status, ...log, "by", ...keysOf(decidedBy), ...unknown].join(" ");
}

function linesOf({ trace }: Answer): ReadonlySet<string> {
  return keysOf(trace.flatMap(({ lines }) => lines));
}

function keysOf(directives: readonly Directive[]): Set<string> {
  return new Set(directives.map(keyOf));
}

function keyOf({ nameSpan: { file, start } }: Directive): string {
  return `${file.path}:${lineAt(file, start)}`;
}

/** Returns a directive for each line of the case's own files that is in the configuration. */
function ownLines({ directives, htaccess }: Project, { files }: Case): Directive[] {
  const found = new Map<string, Directive>();
  const walk = (list: readonly Directive[]) => {
    for (const directive of list) {
      if (files[pathIn(directive)] !== undefined) found.set(keyOf(directive), directive);
      walk(directive.children ?? []);
    }
  };
  walk(directives);
  for (const file of htaccess) walk(file.directives);
  return [...found.values()];
}

function pathIn({ nameSpan: { file } }: Directive): string {
  return file.path.replace(`${CASE_ROOT}/`, "");
}

/** Returns the file without a line, or without a section and its contents; the other lines keep their numbers. */
function withoutLine(directive: Directive, { files }: Case): Record<string, string> {
  const path = pathIn(directive);
  const lines = (files[path] ?? "").split("\n");
  const first = lineAt(directive.nameSpan.file, directive.nameSpan.start) - 1;
  let last = first;
  if (directive.children) {
    let depth = 0;
    do {
      const text = lines[last]?.trim() ?? "";
      if (text.startsWith("</")) depth--;
      else if (text.startsWith("<")) depth++;
      last++;
    } while (depth > 0 && last < lines.length);
    last--;
  } else while (lines[last]?.endsWith("\\")) last++;
  return { [path]: lines.map((line, index) => (index >= first && index <= last ? "" : line)).join("\n") };
}
