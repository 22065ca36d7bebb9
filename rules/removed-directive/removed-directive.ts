import {
  type Directive,
  findRemovedDirective,
  isSince,
  type Project,
  parseArguments,
  type RemovedDirective,
  type Scope,
} from "../../src/lint/api/configuration.js";
import {
  combineEdits,
  defineRule,
  type Edit,
  type Fix,
  indentOf,
  rejectionEffectOf,
  removeLines,
  replaceLines,
  replaceSpan,
  toReadable,
} from "../../src/lint/api/rule.js";

const messages = {
  removed: ({ name: written }: Directive, { name, replacement, reasons }: RemovedDirective, inHtaccess: boolean) => ({
    message: `\`${name}\` was removed in 2.4`,
    effect: rejectionEffectOf(inHtaccess),
    notes: [...reasons, `httpd reports: Invalid command '${toReadable(written)}'`],
    help: [replacement],
  }),
};

const fixTitles = {
  delete: "Delete this line",
  replace: (lines: readonly string[]) => `Replace with \`${lines.join("` and `")}\``,
  addLevel: (level: string) => `Add \`${level}\` to \`LogLevel\``,
};

export const removedDirective = defineRule({
  id: "removed-directive",
  title: "Directive removed in 2.4",
  group: "upgrade",
  severity: "error",
  description: "A directive of 2.2 that 2.4 rejects, with its replacement.",
  help: "httpd stops with `Invalid command`. In a `.htaccess` file, every request below it returns 500. Lines in a conditional section that excludes 2.4, such as `<IfVersion < 2.4>`, are not checked.",
  tags: ["upgrade", "correctness"],
  upgrade: "start",
  supersedes: ["unknown-directive", "refused-at-start"],
  editorTag: "deprecated",
  impliesRelease: "2.2",
  messages,
  check: ({ project, release, report }) => ({
    directives(known) {
      if (!isSince(release, "2.4")) return undefined;
      if (known.facts.some((facts) => project.modules.provides(facts))) return undefined;
      const removed = findRemovedDirective(known.key);
      if (removed === undefined) return undefined;
      return (directive, scope) => {
        const fix = fixOf({ directive, scope, project });
        report({
          message: messages.removed(directive, removed, scope.inHtaccess),
          span: directive.nameSpan,
          ...(fix ? { fix } : {}),
        });
      };
    },
  }),
});

/** A removed directive with its context. */
interface RemovedUse {
  readonly directive: Directive;
  readonly scope: Scope;
  readonly project: Project;
}

/** A text change; an edit is undefined if the text is not in the file as is. */
interface TextChange {
  readonly title: string;
  readonly edits: readonly (Edit | undefined)[];
}

/** Undefined if there is not a single correct change. */
type RemovalFix = (use: RemovedUse) => TextChange | undefined;

const deleteLine: RemovalFix = ({ directive }) => ({
  title: fixTitles.delete,
  edits: [removeLines(directive.span)],
});

const removalFixes: ReadonlyMap<string, RemovalFix> = new Map([
  ["acceptmutex", acceptMutex],
  ["dumpiologlevel", (use: RemovedUse) => addToLogLevel(use, dumpLevelOf(use))],
  ["lockfile", (use: RemovedUse) => (fileMechanismOf(acceptMutexOf(use)) === undefined ? deleteLine(use) : undefined)],
  ["maxrequestsperthread", deleteLine],
  ["mcachemaxobjectcount", deleteLine],
  ["mcachemaxobjectsize", deleteLine],
  ["mcachemaxstreamingbuffer", deleteLine],
  ["mcacheminobjectsize", deleteLine],
  ["mcacheremovalalgorithm", deleteLine],
  ["mcachesize", deleteLine],
  // 2.4 locks access to map programs itself.
  ["rewritelock", deleteLine],
  ["rewritelog", deleteLine],
  ["rewriteloglevel", (use: RemovedUse) => addToLogLevel(use, rewriteLevelOf(use))],
  ["ssiaccessenable", deleteLine],
  ["ssienableaccess", deleteLine],
  ["sslmutex", sslMutex],
  ["win32disableacceptex", acceptFilter],
]);

/** Returns the replacement for a removed directive, if there is a single correct one. */
function fixOf(use: RemovedUse): Fix | undefined {
  const change = removalFixes.get(use.directive.key)?.(use);
  const edits = change && combineEdits(change.edits);
  return edits && { title: change.title, safety: "unsafe", edits };
}

/** Returns the first argument as written, with its variables; undefined if the line is continued. */
function writtenWord({ nameSpan, span }: Directive): string | undefined {
  const text = span.file.text.slice(nameSpan.end, span.end);
  return text.includes("\n") ? undefined : parseArguments(text)[0]?.value;
}

function replaceLine(directive: Directive, ...lines: readonly string[]): TextChange {
  const text = lines.map((line) => indentOf(directive.span) + line).join("\n");
  return { title: fixTitles.replace(lines), edits: [replaceLines(directive.span, text)] };
}

function acceptMutexOf({ project }: RemovedUse): string | undefined {
  const line = project.directives.findLast(({ key }) => key === "acceptmutex");
  return line && writtenWord(line);
}

/** Replaces AcceptMutex; a lock file is at the path of LockFile. */
function acceptMutex(use: RemovedUse): TextChange | undefined {
  const { directive, project } = use;
  const how = writtenWord(directive);
  // mod_mpm_event does not have this lock, and rejects the argument.
  if (how === undefined || /^default$/i.test(how) || project.modules.has("mpm_event_module")) return deleteLine(use);
  const lockFile = project.directives.findLast(({ key }) => key === "lockfile");
  const file = fileMechanismOf(how) && lockFile && writtenWord(lockFile);
  const line = createMutexLine(file === undefined ? how : `${how}:${file}`, "mpm-accept");
  if (line === undefined) return undefined;
  const { title, edits } = replaceLine(directive, line);
  return { title, edits: lockFile && file !== undefined ? [...edits, removeLines(lockFile.span)] : edits };
}

/** Replaces SSLMutex; a mechanism that is 2.4's default is dropped, and the cache always needs a lock. */
function sslMutex(use: RemovedUse): TextChange | undefined {
  const how = writtenWord(use.directive);
  if (how === undefined) return undefined;
  if (/^(?:default|yes|none|no)$/i.test(how)) return deleteLine(use);
  const line = createMutexLine(how, "ssl-cache");
  return line === undefined ? undefined : replaceLine(use.directive, line);
}

function acceptFilter({ directive }: RemovedUse): TextChange | undefined {
  return replaceLine(directive, "AcceptFilter http none", "AcceptFilter https none");
}

/** @param level `rewrite:trace3`; "" if the line has no effect, undefined if that is unknown */
function addToLogLevel(use: RemovedUse, level: string | undefined): TextChange | undefined {
  if (level === undefined) return undefined;
  if (level === "") return deleteLine(use);
  const { directive, scope } = use;
  const line = scope.directives.findLast(({ key }) => key === "loglevel");
  if (line === undefined) return replaceLine(directive, `LogLevel ${level}`);
  const edits = [removeLines(directive.span), addLevel(line, level)];
  return { title: fixTitles.addLevel(level), edits };
}

/** Lock mechanisms with the same names in 2.2 and 2.4; those with files need a directory. */
const mechanism = /^(?:fcntl|flock|file|posixsem|sysvsem|sem|pthread)$/i;

/** Returns the mechanism if it is based on files. */
function fileMechanismOf(how: string | undefined): string | undefined {
  return how !== undefined && /^(?:fcntl|flock|file)$/i.test(how) ? how : undefined;
}

/**
 * Returns the Mutex line for a lock of 2.2: if that named a file, 2.4 uses its directory.
 *
 * @param how the mechanism, with a file after a colon
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

/** Returns the LogLevel argument for RewriteLogLevel; "" if 2.2 did not log either, undefined if that is unknown. */
function rewriteLevelOf({ directive, project }: RemovedUse): string | undefined {
  const [word] = directive.arguments;
  if (word === undefined || !/^\d+$/.test(word.value)) return undefined;
  const level = Math.min(Number(word.value), 8);
  return level === 0 || !serverLinesOf(project).some(({ key }) => key === "rewritelog") ? "" : `rewrite:trace${level}`;
}

/** Returns the LogLevel argument for DumpIOLogLevel: 2.2 logged at that level, 2.4 logs at the last but one. */
function dumpLevelOf({ directive, project, scope }: RemovedUse): string | undefined {
  const isOn = serverLinesOf(project).some(
    (line) => /^dumpio(?:in|out)put$/.test(line.key) && /^on$/i.test(line.argumentText),
  );
  const at = levels.indexOf(directive.arguments[0]?.value.toLowerCase() ?? "");
  if (at < 0) return undefined;
  const currentLevel = scope.directives.findLast(({ key }) => key === "loglevel")?.arguments[0]?.value.toLowerCase();
  const upTo = currentLevel?.startsWith("trace") ? levels.length : levels.indexOf(currentLevel ?? "warn");
  return isOn && at <= upTo ? "dumpio:trace7" : "";
}

/** Appends a level to a LogLevel line. */
function addLevel({ span }: Directive, level: string): Edit | undefined {
  return replaceSpan({ ...span, start: span.end }, ` ${level}`);
}

/** Returns the lines of the server and of its virtual hosts. */
function serverLinesOf({ directives }: Project): readonly Directive[] {
  return [
    ...directives,
    ...directives.flatMap(({ children, key }) => (key === "<virtualhost" ? (children ?? []) : [])),
  ];
}
