import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { diskAccess } from "../../src/config/files/disk.js";
import { type FileAccess, memoryAccess } from "../../src/config/files/file-access.js";
import type { EntryKind } from "../../src/config/model/project.js";
import type { Finding } from "../../src/lint/finding.js";
import { type FixOptions, fix } from "../../src/lint/runner/fix.js";
import { LintSession } from "../../src/lint/runner/lint.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { lineAt, toReadable } from "../../src/text/source.js";
import { corpus, corpusTitle } from "../support/corpus.js";
import { sampleOf } from "../support/depth.js";
import { type PageExample, readRulePage } from "../support/rule-pages.js";
import type { Given } from "../support/rules.js";

/*
 * Applies the fixes of every rule, and compares the access control lines before and after. The comparison is a plain count
 * of lines, unlike that of the engine.
 */

const accessLine =
  /^[\t ]*(?:order|allow|deny|satisfy|require|auth\w*|<require(?:all|any|none)|<limit(?:except)?)(?=[\t >]|$)/i;

function accessLinesOf(text: string): readonly string[] {
  return text
    .replace(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .filter((line) => accessLine.test(line))
    .map(normalize);
}

function normalize(line: string): string {
  return toReadable(line).trim().replace(/\s+/g, " ");
}

/** Returns the lines that one text has more often than another. */
function findMissing(before: readonly string[], after: readonly string[]): readonly string[] {
  const left = [...after];
  return before.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Returns whether a report names a line: it quotes it, or a place of the finding is on it. */
function names(finding: Finding, line: string): boolean {
  const { message, notes = [], help = [], fix: change, span, related, additionalLocations = [] } = finding;
  const quoted = line.length > 60 ? line.slice(0, 40) : line;
  if ([message, ...notes, ...help, change?.title ?? ""].some((part) => part.includes(quoted))) return true;
  const places = [span, ...[...related, ...additionalLocations].map((each) => each.span)];
  return places.some(({ file, start }) => {
    const [first, number] = [file.text.split("\n"), lineAt(file, start)];
    return normalize(first[number - 1] ?? "").startsWith(quoted);
  });
}

interface Entry {
  readonly path: string;
  readonly kind: EntryKind;
  /** Returns the files, some with other contents. */
  readonly open: (texts: ReadonlyMap<string, string>) => FileAccess;
  readonly given: Given;
}

function sessionOf({ path, kind, open, given }: Entry): LintSession | undefined {
  const { files: _, links: __, from, now, ...options } = given;
  const load = (texts: ReadonlyMap<string, string>, release = options.release) => {
    const loaded = loadProject(path, { ...options, ...(release ? { release } : {}), kind, access: open(texts) });
    return loaded.ok ? loaded.value : undefined;
  };
  const project = load(new Map());
  if (project === undefined) return undefined;
  const before = from === undefined ? {} : { from, before: () => load(new Map(), from) };
  const files = createFileTree({ by: "existing disk" }, project, open(new Map()));
  return new LintSession(project, { rules: allRules, files, ...before, ...(now ? { now } : {}) }, load);
}

/** Returns the lines that the fixes of a configuration delete, and those among them that no finding names. */
function fixAll(entry: Entry, safety: FixOptions["safety"], isWanted: FixOptions["isWanted"] = () => true) {
  const linted = sessionOf(entry);
  if (linted === undefined) return { applied: 0, deleted: [], unnamed: [] };
  const { findings } = linted.result;
  const { fixed, applied } = fix([linted], { safety, isWanted, mayChange: () => true });
  const sources = new Map([...linted.project.files.values()].map(({ source }) => [source.realPath, source.text]));
  const deleted = [...fixed.texts].flatMap(([file, text]) =>
    findMissing(accessLinesOf(sources.get(file) ?? ""), accessLinesOf(text)),
  );
  return { applied, deleted, unnamed: deleted.filter((line) => !findings.some((each) => names(each, line))) };
}

/** Returns an example of a page as the only file of a server, or as a `.htaccess` file. */
function entryOf({ text, given }: PageExample): Entry {
  const kind = given.kind ?? "server";
  const path = kind === "htaccess" ? "/srv/.htaccess" : "/etc/httpd/httpd.conf";
  const open = (texts: ReadonlyMap<string, string>) => {
    const readable = Object.fromEntries([...texts].map(([name, changed]) => [name, toReadable(changed)]));
    return memoryAccess({ ...given.files, [path]: text, ...readable }, given.links);
  };
  return { path, kind, open, given };
}

function badExamplesOf(id: string): readonly PageExample[] {
  return readRulePage(id).examples.filter(({ verdict }) => verdict === "bad");
}

describe.each(allRules.map(({ id }) => id))("the fix of %s", (id) => {
  test("deletes no access control line of a bad example that the report does not name", () => {
    for (const example of badExamplesOf(id)) {
      const entry = entryOf(example);
      expect(fixAll(entry, "unsafe", ({ rule }) => rule === id).unnamed).toEqual([]);
      expect(fixAll(entry, "unsafe").unnamed).toEqual([]);
      // A safe fix deletes lines only if the section still states the same.
      const { deleted } = fixAll(entry, "safe");
      expect(deleted.filter((line) => !/^(?:order|allow from all$|satisfy all$)/i.test(line))).toEqual([]);
    }
  });
});

/** Returns the lines of the fixed file that begin at the margin, of a text in which each line is indented. */
function findUnindented(entry: Entry): readonly string[] {
  const linted = sessionOf(entry);
  const { fixed } = fix(linted ? [linted] : [], { safety: "unsafe", isWanted: () => true, mayChange: () => true });
  const lines = fixed.texts.get(entry.path)?.split("\n") ?? [];
  return lines.filter((line, index) => /^\S/.test(line) && !lines[index - 1]?.endsWith("\\"));
}

test.each(allRules.map(({ id }) => id))("the fix of %s keeps the indentation", (id) => {
  for (const example of badExamplesOf(id)) {
    const indented = example.text.replace(/^(?=.)/gm, "        ");
    expect(findUnindented(entryOf({ ...example, text: indented }))).toEqual([]);
  }
});

describe.skipIf(corpus.length === 0)(corpusTitle("public files"), () => {
  const files = sampleOf(corpus, 2);

  test("lose no access control line that the report does not name", { timeout: 600_000 }, () => {
    let applied = 0;
    const unnamed = files.flatMap(({ name, path, isHtaccess }) => {
      const kind = isHtaccess ? "htaccess" : /(?:httpd|apache2?)\.conf(?:\.in)?$/.test(name) ? "server" : "fragment";
      const result = fixAll({ path, kind, open: (overlay) => diskAccess({ overlay }), given: {} }, "unsafe");
      applied += result.applied;
      return result.unnamed.map((line) => `${name}: ${line}`);
    });
    expect(unnamed).toEqual([]);
    expect(applied).toBeGreaterThan(0);
  });
});
