import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { renderCacheFile } from "../../../src/apps/cache/cache-file.js";
import { check } from "../../../src/apps/cli/commands/check.js";
import type { CheckFlags } from "../../../src/apps/cli/commands/check-flags.js";
import type { CommandResult } from "../../../src/apps/cli/output/command-result.js";
import { ProgressLine } from "../../../src/apps/cli/output/progress-line.js";
import { runInline } from "../../../src/apps/workers/task.js";
import { runCount, seedOr } from "../../support/depth.js";
import { type ScratchFolder, scratchFolder, writeFiles } from "../../support/programs/scratch-folder.js";

let folder: ScratchFolder;
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => folder.dispose());

const at = (path: string) => join(folder.path, path);
const cacheFile = () => at("stored/cache");

const main = `ServerRoot "ROOT"
Listen 80
LoadModule access_compat_module modules/mod_access_compat.so
LoadModule mime_module modules/mod_mime.so
<Macro Site $name>
  <Location "/$name">
    Order allow,deny
    Optoins None
  </Location>
</Macro>
Use Site one
Use Site two
DocumentRoot "ROOT/htdocs"
<Directory "ROOT/htdocs">
  AllowOverride All
  Require all granted
</Directory>
# httpd-lint-ignore-next-line unknown-directive it is ours
Ourz On
IncludeOptional conf.d/*.conf
Include linked.conf
`;

function writeServer(path: string): void {
  writeFiles(path, {
    "httpd.conf": main.replaceAll("ROOT", path),
    "conf.d/a.conf": "<Location /a>\n  Order deny,allow\n  Deny from all\n</Location>\n",
    "conf.d/b.conf": "Redirekt /x /y\n",
    "htdocs/sub/index.html": "",
    "htdocs/.htaccess": "Order allow,deny\nAllow from all\n",
    "one.conf": "Header set X-One one\n",
    "two.conf": "<Directory /srv>\n  Satisfy Any\n  Order deny,allow\n</Directory>\n",
    "stored/other": "",
  });
  symlinkSync("one.conf", join(path, "linked.conf"));
}

function runWithoutCache(
  more: Partial<CheckFlags> = {},
  watch: Parameters<typeof check>[1] = (access) => access,
): CommandResult {
  const flags: CheckFlags = {
    ...{ paths: [at("httpd.conf"), at("htdocs")], format: "json", minSeverity: "info", noConfig: true, from: "2.2" },
    ...{ reportIgnored: true, quiet: 1, colour: false, width: undefined, diff: false },
    ...{ failOn: "info", sort: "location", hyperlinks: false },
    ...{ exitZero: false, define: undefined, ...more },
  };
  const outcome = runInline(check(flags, watch, ProgressLine.onTerminal(1)), () => undefined);
  return { ...outcome, output: [Buffer.concat([...outcome.output].map((part) => Buffer.from(part))).toString()] };
}

const runWithCache = (more: Partial<CheckFlags> = {}) => runWithoutCache({ cache: cacheFile(), ...more });

/** A change to the files. */
interface Edit {
  readonly what: string;
  readonly path: string;
  readonly text: string;
}

const places = [
  ...["httpd.conf", "conf.d/a.conf", "conf.d/b.conf", "conf.d/c.conf", "conf.d/notes.txt", "one.conf", "two.conf"],
  ...["htdocs/.htaccess", "htdocs/sub/.htaccess", "htdocs/sub/deep/.htaccess", "envvars"],
];
const texts = [
  ...["", "Order allow,deny\nDeny from all\n", "Optoins None\n", "Require all denied\n", "</Directory>\n"],
  ...["Include conf.d/notes.txt\n", "# httpd-lint-ignore-file unknown-directive\nOptoins x\n", "export A=b\n"],
  "Use Site three\n",
];

const edits: Readonly<Record<string, (path: string, text: string) => void>> = {
  write: (path, text) => {
    if (path !== at("httpd.conf")) put(path, text);
  },
  append: (path, text) => put(path, `${existsSync(path) && statSync(path).isFile() ? readFileSync(path) : ""}${text}`),
  remove: (path) => {
    if (path !== at("httpd.conf")) rmSync(path, { recursive: true, force: true });
  },
  "make unreadable": (path) => existsSync(path) && chmodSync(path, 0),
  "replace with a directory": (path) => {
    if (path === at("httpd.conf")) return;
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
  },
  "change the link": (_, text) => {
    rmSync(at("linked.conf"), { recursive: true, force: true });
    symlinkSync(text === "" ? "nowhere.conf" : text.length % 2 === 0 ? "two.conf" : "one.conf", at("linked.conf"));
  },
  "replace with a link": (path) => {
    if (path === at("httpd.conf")) return;
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(at("two.conf"), path);
  },
  nothing: () => undefined,
};

function put(path: string, text: string): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    chmodSync(path, 0o644);
  } else rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const anyEdit: fc.Arbitrary<Edit> = fc.record({
  what: fc.constantFrom(...Object.keys(edits)),
  path: fc.constantFrom(...places),
  text: fc.constantFrom(...texts),
});

const seed = seedOr(1);

describe("a run with a cache", () => {
  test("has the findings of a run without a cache after any changes", () => {
    fc.assert(
      fc.property(fc.array(anyEdit, { minLength: 1, maxLength: 6 }), (steps) => {
        folder.dispose();
        folder = scratchFolder();
        writeServer(folder.path);
        expect(runWithCache()).toEqual(runWithoutCache());
        for (const { what, path, text } of steps) {
          edits[what]?.(at(path), text);
          expect(runWithCache()).toEqual(runWithoutCache());
        }
        expect(runWithCache()).toEqual(runWithoutCache());
      }),
      { numRuns: runCount(5, 40), seed },
    );
  }, 300_000);

  test("uses stored results if nothing changed", () => {
    writeServer(folder.path);
    runWithCache();
    const [head, body = ""] = readFileSync(cacheFile(), "utf8").split("\n");
    const { by, results } = JSON.parse(body.replaceAll("`Optoins`", "`Stored`"));
    writeFileSync(cacheFile(), renderCacheFile(by, results));
    expect(head).toMatch(/^httpd-lint cache 3 /);
    expect([...runWithCache().output].join("")).toContain("`Stored`");
    // The key covers everything that affects the findings: other flags give other results.
    for (const more of [
      { from: undefined },
      { release: "2.2" },
      { define: ["A"] },
      { select: ["unknown-directive"] },
    ] as const)
      expect(runWithCache(more)).toEqual(runWithoutCache(more));
  });

  test("filters stored findings like new ones: by severity, settings and baseline", () => {
    writeServer(folder.path);
    runWithCache();
    const settings = at("settings.json");
    writeFileSync(
      settings,
      JSON.stringify({
        rules: { "unknown-directive": "info" },
        ignores: [{ paths: ["conf.d/**"], reason: "the panel's" }],
      }),
    );
    const bySettings = { noConfig: false, config: settings };
    runWithCache(bySettings);
    expect(runWithCache(bySettings)).toEqual(runWithoutCache(bySettings));
    expect([...runWithCache(bySettings).output].join("")).toContain("the panel's");
    const baseline = at("known.json");
    const updating = { baseline, updateBaseline: true };
    expect(runWithCache(updating).notes.join()).toContain("written");
    const known = runWithCache({ baseline });
    expect(known).toEqual(runWithoutCache({ baseline }));
    expect(known.exitCode).toBe(0);
  });
});

describe("a cache file", () => {
  test("is ignored with a note and written again if it is damaged or has another version", () => {
    writeServer(folder.path);
    const expected = runWithoutCache();
    runWithCache();
    const whole = readFileSync(cacheFile(), "utf8");
    const later = whole.replace("httpd-lint cache 3", "httpd-lint cache 4");
    for (const [text, why] of [
      [whole.slice(0, -40), "it is damaged"],
      [whole.replace("Optoins", "Options"), "it is damaged"],
      [later, "another version of httpd-lint has written it"],
    ] as const) {
      writeFileSync(cacheFile(), text);
      const { notes, ...rest } = runWithCache();
      expect(notes.filter((note) => !expected.notes.includes(note))).toEqual([
        `httpd-lint: the cache \`${cacheFile()}\` is ignored, because ${why}; it is replaced`,
      ]);
      expect({ ...rest, notes: expected.notes }).toEqual(expected);
      expect(readFileSync(cacheFile(), "utf8")).toBe(whole);
    }
  });

  test("preserves the results that another process stores at the same time", () => {
    writeServer(folder.path);
    writeFiles(folder.path, { "other/httpd.conf": "ServerRoot /\nOptoins None\n" });
    const other = { paths: [at("other/httpd.conf")], cache: cacheFile() };
    let isFirst = true;
    runWithoutCache({ cache: cacheFile() }, (access) => {
      if (isFirst) runWithoutCache(other);
      isFirst = false;
      return access;
    });
    const both = readFileSync(cacheFile(), "utf8");
    runWithoutCache(other);
    runWithCache();
    expect(readFileSync(cacheFile(), "utf8")).toBe(both);
    expect(both).toContain("other/httpd.conf");
    expect(both).toContain("conf.d/a.conf");
  });

  test("is not changed if another program wrote it", () => {
    writeServer(folder.path);
    writeFileSync(cacheFile(), "Listen 80\n");
    expect(runWithCache().notes.join()).toContain("it is not a cache of httpd-lint; name another file");
    expect(readFileSync(cacheFile(), "utf8")).toBe("Listen 80\n");
  });

  test("is not written if an Include would load it, or if its directory does not exist", () => {
    writeServer(folder.path);
    const cacheLocation = at("conf.d/cache.conf");
    expect(runWithCache({ cache: cacheLocation }).notes.join()).toMatch(
      /was not written, because `IncludeOptional conf\.d\/\*\.conf`.* would load it/,
    );
    expect(existsSync(cacheLocation)).toBe(false);
    const nowhere = runWithCache({ cache: at("missing/cache") });
    expect(nowhere.notes.join()).toContain("the cache cannot be written");
    expect(nowhere.output).toEqual(runWithoutCache().output);
  });

  test("is ignored if it was moved, because a server may load it", () => {
    writeServer(folder.path);
    runWithCache();
    execFileSync("cp", [cacheFile(), at("copied")]);
    expect(runWithCache({ cache: at("copied") }).notes.join()).toContain("it was written as");
  });

  test("is readable only by its owner, and is not changed without new results", () => {
    writeServer(folder.path);
    const cacheLocation = at("conf.d/.cache");
    runWithCache({ cache: cacheLocation });
    expect(statSync(cacheLocation).mode & 0o777).toBe(0o600);
    const { mtimeMs } = statSync(cacheLocation);
    runWithCache({ cache: cacheLocation });
    expect(statSync(cacheLocation).mtimeMs).toBe(mtimeMs);
    unlinkSync(cacheLocation);
  });
});
