import type { Directive } from "../../src/project/directive.js";
import type { Project } from "../../src/project/project.js";
import type { Edit } from "../../src/text/edits.js";
import { replacement } from "../../src/text/edits.js";
import type { Gone } from "./fixes.js";

const levels = ["emerg", "alert", "crit", "error", "warn", "notice", "info", "debug"];

/** What to add to LogLevel for RewriteLogLevel; "" where 2.2 wrote nothing either, undefined where that is not known. */
export function rewriteLevel({ directive, project }: Gone): string | undefined {
  const [word] = directive.arguments;
  if (word === undefined || !/^\d+$/.test(word.value)) return undefined;
  const level = Math.min(Number(word.value), 8);
  return level === 0 || !everywhere(project).some(({ key }) => key === "rewritelog") ? "" : `rewrite:trace${level}`;
}

/** What to add to LogLevel for DumpIOLogLevel: 2.2 wrote at that level, 2.4 writes at the last but one. */
export function dumpLevel({ directive, project, scope }: Gone): string | undefined {
  const isOn = everywhere(project).some(
    ({ key, argumentText }) => /^dumpio(?:in|out)put$/.test(key) && /^on$/i.test(argumentText),
  );
  const at = levels.indexOf(directive.arguments[0]?.value.toLowerCase() ?? "");
  if (at < 0) return undefined;
  const inForce = scope.directives.findLast(({ key }) => key === "loglevel")?.arguments[0]?.value.toLowerCase();
  const upTo = inForce?.startsWith("trace") ? levels.length : levels.indexOf(inForce ?? "warn");
  return isOn && at <= upTo ? "dumpio:trace7" : "";
}

/** A LogLevel line with one more level. */
export function withLevel({ span }: Directive, level: string): Edit | undefined {
  return replacement({ ...span, start: span.end }, ` ${level}`);
}

/** The lines of the server and of its virtual hosts. */
function everywhere({ directives }: Project): readonly Directive[] {
  return [
    ...directives,
    ...directives.flatMap(({ children, key }) => (key === "<virtualhost" ? (children ?? []) : [])),
  ];
}
