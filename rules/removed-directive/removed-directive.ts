import { parseArguments } from "../../grammar/arguments.js";
import { findRemovedDirective } from "../../src/directives/directives.js";
import type { Fix } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/model/directive.js";
import { describeConsequence } from "../../src/project/model/problems.js";
import type { Project } from "../../src/project/model/project.js";
import type { Scope } from "../../src/project/model/scope.js";
import { combineEdits, type Edit, indentOf, removeLines, replaceLines, replaceSpan } from "../../src/text/edits.js";
import { toReadable } from "../../src/text/source.js";

export const removedDirective = defineRule({
  id: "removed-directive",
  title: "A directive that 2.4 no longer has",
  severity: "error",
  description: "A directive of 2.2 that 2.4 refuses, with what takes its place.",
  help: "The server stops with `Invalid command`; in a `.htaccess` file every request below answers 500. Lines that a guard such as `<IfVersion < 2.4>` keeps from 2.4 are not looked at.",
  tags: ["upgrade", "correctness"],
  upgrade: "start",
  supersedes: ["unknown-directive", "refused-at-start"],
  check: ({ project, release, report }) => ({
    forName(known) {
      if (release !== "2.4") return undefined;
      if (known.facts.some((facts) => project.modules.provides(facts))) return undefined;
      const removed = findRemovedDirective(known.key);
      if (removed === undefined) return undefined;
      return (directive, scope) => {
        const consequence = describeConsequence(scope.inHtaccess);
        const fix = fixOf({ directive, scope, project });
        report({
          message: `\`${removed.name}\` is gone from 2.4, so ${consequence}; ${removed.replacement} (httpd: "Invalid command '${toReadable(directive.name)}'")`,
          span: directive.nameSpan,
          ...(fix ? { fix } : {}),
        });
      };
    },
  }),
});

/** A directive that is gone, with what there is around it. */
interface RemovedUse {
  readonly directive: Directive;
  readonly scope: Scope;
  readonly project: Project;
}

/** A change of text; an edit is undefined where the text is not where it seems to be. */
interface TextChange {
  readonly title: string;
  readonly edits: readonly (Edit | undefined)[];
}

/** Undefined where there is no one right answer. */
type RemovalFix = (gone: RemovedUse) => TextChange | undefined;

const deleteLine: RemovalFix = ({ directive }) => ({
  title: "Take the line out",
  edits: [removeLines(directive.span)],
});

const removalFixes: ReadonlyMap<string, RemovalFix> = new Map([
  ["acceptmutex", acceptMutex],
  ["dumpiologlevel", (gone: RemovedUse) => addToLogLevel(gone, dumpLevelOf(gone))],
  [
    "lockfile",
    (gone: RemovedUse) => (fileMechanismOf(acceptMutexOf(gone)) === undefined ? deleteLine(gone) : undefined),
  ],
  ["maxrequestsperthread", deleteLine],
  ["mcachemaxobjectcount", deleteLine],
  ["mcachemaxobjectsize", deleteLine],
  ["mcachemaxstreamingbuffer", deleteLine],
  ["mcacheminobjectsize", deleteLine],
  ["mcacheremovalalgorithm", deleteLine],
  ["mcachesize", deleteLine],
  // 2.4 has a lock around the programs of maps by itself.
  ["rewritelock", deleteLine],
  ["rewritelog", deleteLine],
  ["rewriteloglevel", (gone: RemovedUse) => addToLogLevel(gone, rewriteLevelOf(gone))],
  ["ssiaccessenable", deleteLine],
  ["ssienableaccess", deleteLine],
  ["sslmutex", sslMutex],
  ["win32disableacceptex", acceptFilter],
]);

/** What to write for a directive that is gone, where there is one right answer. */
function fixOf(gone: RemovedUse): Fix | undefined {
  const change = removalFixes.get(gone.directive.key)?.(gone);
  const edits = change && combineEdits(change.edits);
  return edits && { title: change.title, safety: "unsafe", edits };
}

/** The first word as it is written, with its variables; undefined where the line goes on in the next one. */
function writtenWord({ nameSpan, span }: Directive): string | undefined {
  const text = span.file.text.slice(nameSpan.end, span.end);
  return text.includes("\n") ? undefined : parseArguments(text)[0]?.value;
}

function replaceLine(directive: Directive, ...lines: readonly string[]): TextChange {
  const text = lines.map((line) => indentOf(directive.span) + line).join("\n");
  return { title: `Write \`${lines.join("` and `")}\``, edits: [replaceLines(directive.span, text)] };
}

function acceptMutexOf({ project }: RemovedUse): string | undefined {
  const line = project.directives.findLast(({ key }) => key === "acceptmutex");
  return line && writtenWord(line);
}

/** The lock lies where LockFile says, if it is a file. */
function acceptMutex(gone: RemovedUse): TextChange | undefined {
  const { directive, project } = gone;
  const how = writtenWord(directive);
  // mod_mpm_event has no such lock, and refuses the word.
  if (how === undefined || /^default$/i.test(how) || project.modules.has("mpm_event_module")) return deleteLine(gone);
  const lockFile = project.directives.findLast(({ key }) => key === "lockfile");
  const file = fileMechanismOf(how) && lockFile && writtenWord(lockFile);
  const line = createMutexLine(file === undefined ? how : `${how}:${file}`, "mpm-accept");
  if (line === undefined) return undefined;
  const { title, edits } = replaceLine(directive, line);
  return { title, edits: lockFile && file !== undefined ? [...edits, removeLines(lockFile.span)] : edits };
}

/** What 2.4 does by itself is the default; the cache does not do without a lock. */
function sslMutex(gone: RemovedUse): TextChange | undefined {
  const how = writtenWord(gone.directive);
  if (how === undefined) return undefined;
  if (/^(?:default|yes|none|no)$/i.test(how)) return deleteLine(gone);
  const line = createMutexLine(how, "ssl-cache");
  return line === undefined ? undefined : replaceLine(gone.directive, line);
}

function acceptFilter({ directive }: RemovedUse): TextChange | undefined {
  return replaceLine(directive, "AcceptFilter http none", "AcceptFilter https none");
}

/** @param level `rewrite:trace3`; "" where the line comes to nothing, undefined where that is not known */
function addToLogLevel(gone: RemovedUse, level: string | undefined): TextChange | undefined {
  if (level === undefined) return undefined;
  if (level === "") return deleteLine(gone);
  const { directive, scope } = gone;
  const line = scope.directives.findLast(({ key }) => key === "loglevel");
  if (line === undefined) return replaceLine(directive, `LogLevel ${level}`);
  const edits = [removeLines(directive.span), addLevel(line, level)];
  return { title: `Add \`${level}\` to \`LogLevel\``, edits };
}

/** The mechanisms of locks that 2.2 and 2.4 call alike; those with files need a folder for them. */
const mechanism = /^(?:fcntl|flock|file|posixsem|sysvsem|sem|pthread)$/i;

/** The mechanism where it is one with files. */
function fileMechanismOf(how: string | undefined): string | undefined {
  return how !== undefined && /^(?:fcntl|flock|file)$/i.test(how) ? how : undefined;
}

/**
 * The Mutex line for a lock of 2.2: where that named a file, 2.4 takes its folder.
 *
 * @param how the mechanism, with a file behind a colon
 */
function createMutexLine(how: string, type: string): string | undefined {
  const [, name = "", file] = /^([^:]*)(?::(.*))?$/s.exec(how) ?? [];
  if (!mechanism.test(name)) return undefined;
  if (file === undefined || fileMechanismOf(name) === undefined) return `Mutex ${name} ${type}`;
  const folder = file.replace(/\/+[^/]*$/, "");
  const place = `${name}:${folder === file ? "." : folder || "/"}`;
  return `Mutex ${/[\t-\r ]/.test(place) ? `"${place}"` : place} ${type}`;
}

const levels = ["emerg", "alert", "crit", "error", "warn", "notice", "info", "debug"];

/** What to add to LogLevel for RewriteLogLevel; "" where 2.2 wrote nothing either, undefined where that is not known. */
function rewriteLevelOf({ directive, project }: RemovedUse): string | undefined {
  const [word] = directive.arguments;
  if (word === undefined || !/^\d+$/.test(word.value)) return undefined;
  const level = Math.min(Number(word.value), 8);
  return level === 0 || !serverLinesOf(project).some(({ key }) => key === "rewritelog") ? "" : `rewrite:trace${level}`;
}

/** What to add to LogLevel for DumpIOLogLevel: 2.2 wrote at that level, 2.4 writes at the last but one. */
function dumpLevelOf({ directive, project, scope }: RemovedUse): string | undefined {
  const isOn = serverLinesOf(project).some(
    ({ key, argumentText }) => /^dumpio(?:in|out)put$/.test(key) && /^on$/i.test(argumentText),
  );
  const at = levels.indexOf(directive.arguments[0]?.value.toLowerCase() ?? "");
  if (at < 0) return undefined;
  const inForce = scope.directives.findLast(({ key }) => key === "loglevel")?.arguments[0]?.value.toLowerCase();
  const upTo = inForce?.startsWith("trace") ? levels.length : levels.indexOf(inForce ?? "warn");
  return isOn && at <= upTo ? "dumpio:trace7" : "";
}

/** A LogLevel line with one more level. */
function addLevel({ span }: Directive, level: string): Edit | undefined {
  return replaceSpan({ ...span, start: span.end }, ` ${level}`);
}

/** The lines of the server and of its virtual hosts. */
function serverLinesOf({ directives }: Project): readonly Directive[] {
  return [
    ...directives,
    ...directives.flatMap(({ children, key }) => (key === "<virtualhost" ? (children ?? []) : [])),
  ];
}
