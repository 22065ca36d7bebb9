import { parseArguments } from "../../grammar/arguments.js";
import type { Fix } from "../../src/engine/finding.js";
import type { Directive } from "../../src/project/directive.js";
import type { Project } from "../../src/project/project.js";
import type { Scope } from "../../src/project/scope.js";
import { allOrNone, type Edit, indentOf, lineRemoval, lineReplacement } from "../../src/text/edits.js";
import { fileBased, mutexLine } from "./locks.js";
import { dumpLevel, rewriteLevel, withLevel } from "./log-levels.js";

/** A directive that is gone, with what there is around it. */
export interface Gone {
  readonly directive: Directive;
  readonly scope: Scope;
  readonly project: Project;
}

/** A change of text; an edit is undefined where the text is not where it seems to be. */
interface Change {
  readonly title: string;
  readonly edits: readonly (Edit | undefined)[];
}

/** Undefined where there is no one right answer. */
type Cure = (gone: Gone) => Change | undefined;

const takeOut: Cure = ({ directive }) => ({ title: "Take the line out", edits: [lineRemoval(directive.span)] });

const cures: ReadonlyMap<string, Cure> = new Map([
  ["acceptmutex", acceptMutex],
  ["dumpiologlevel", (gone: Gone) => inLogLevel(gone, dumpLevel(gone))],
  ["lockfile", (gone: Gone) => (fileBased(acceptMutexOf(gone)) === undefined ? takeOut(gone) : undefined)],
  ["maxrequestsperthread", takeOut],
  ["mcachemaxobjectcount", takeOut],
  ["mcachemaxobjectsize", takeOut],
  ["mcachemaxstreamingbuffer", takeOut],
  ["mcacheminobjectsize", takeOut],
  ["mcacheremovalalgorithm", takeOut],
  ["mcachesize", takeOut],
  // 2.4 has a lock around the programs of maps by itself.
  ["rewritelock", takeOut],
  ["rewritelog", takeOut],
  ["rewriteloglevel", (gone: Gone) => inLogLevel(gone, rewriteLevel(gone))],
  ["ssiaccessenable", takeOut],
  ["ssienableaccess", takeOut],
  ["sslmutex", sslMutex],
  ["win32disableacceptex", acceptFilter],
]);

/** What to write for a directive that is gone, where there is one right answer. */
export function fixOf(gone: Gone): Fix | undefined {
  const change = cures.get(gone.directive.key)?.(gone);
  const edits = change && allOrNone(change.edits);
  return edits && { title: change.title, safety: "unsafe", edits };
}

/** The first word as it is written, with its variables; undefined where the line goes on in the next one. */
function writtenWord({ nameSpan, span }: Directive): string | undefined {
  const text = span.file.text.slice(nameSpan.end, span.end);
  return text.includes("\n") ? undefined : parseArguments(text)[0]?.value;
}

function instead(directive: Directive, ...lines: readonly string[]): Change {
  const text = lines.map((line) => indentOf(directive.span) + line).join("\n");
  return { title: `Write \`${lines.join("` and `")}\``, edits: [lineReplacement(directive.span, text)] };
}

function acceptMutexOf({ project }: Gone): string | undefined {
  const line = project.directives.findLast(({ key }) => key === "acceptmutex");
  return line && writtenWord(line);
}

/** The lock lies where LockFile says, if it is a file. */
function acceptMutex(gone: Gone): Change | undefined {
  const { directive, project } = gone;
  const how = writtenWord(directive);
  // mod_mpm_event has no such lock, and refuses the word.
  if (how === undefined || /^default$/i.test(how) || project.modules.has("mpm_event_module")) return takeOut(gone);
  const lockFile = project.directives.findLast(({ key }) => key === "lockfile");
  const file = fileBased(how) && lockFile && writtenWord(lockFile);
  const line = mutexLine(file === undefined ? how : `${how}:${file}`, "mpm-accept");
  if (line === undefined) return undefined;
  const { title, edits } = instead(directive, line);
  return { title, edits: lockFile && file !== undefined ? [...edits, lineRemoval(lockFile.span)] : edits };
}

/** What 2.4 does by itself is the default; the cache does not do without a lock. */
function sslMutex(gone: Gone): Change | undefined {
  const how = writtenWord(gone.directive);
  if (how === undefined) return undefined;
  if (/^(?:default|yes|none|no)$/i.test(how)) return takeOut(gone);
  const line = mutexLine(how, "ssl-cache");
  return line === undefined ? undefined : instead(gone.directive, line);
}

function acceptFilter({ directive }: Gone): Change | undefined {
  return instead(directive, "AcceptFilter http none", "AcceptFilter https none");
}

/** @param level `rewrite:trace3`; "" where the line comes to nothing, undefined where that is not known */
function inLogLevel(gone: Gone, level: string | undefined): Change | undefined {
  if (level === undefined) return undefined;
  if (level === "") return takeOut(gone);
  const { directive, scope } = gone;
  const line = scope.directives.findLast(({ key }) => key === "loglevel");
  if (line === undefined) return instead(directive, `LogLevel ${level}`);
  const edits = [lineRemoval(directive.span), withLevel(line, level)];
  return { title: `Add \`${level}\` to \`LogLevel\``, edits };
}
