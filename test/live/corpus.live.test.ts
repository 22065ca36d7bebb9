import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { dumpConfig } from "../../src/config/dump.js";
import type { Project } from "../../src/config/model/project.js";
import type { LoadOptions } from "../../src/config/read-entry.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { toBytes } from "../../src/text/bytes.js";
import { rangeOf } from "../../src/text/source.js";
import { type CorpusFile, corpus, corpusTitle } from "../support/corpus.js";
import { sampleOf } from "../support/depth.js";
import { httpd, liveTitle, loadModules, packagedModules, runHttpd } from "../support/httpd/httpd.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";

/** Rules without findings in a file that the server reads completely. */
const readingRules = [
  "syntax-error",
  "unknown-directive",
  "misplaced-directive",
  "removed-directive",
  "removed-module",
];
/** Rules without findings in a file that the server accepts. */
const startupRules = [...readingRules, "refused-at-start"];

function load(entry: string, options: LoadOptions = {}): Project {
  const loaded = loadProject(entry, { ...options, htaccess: false });
  if (!loaded.ok) throw new Error(`${entry}: ${loaded.error}`);
  return loaded.value;
}

function listFindings(project: Project, rules: readonly string[]): string[] {
  return lintWithoutProofs(project, { rules: defaultRules })
    .findings.filter((finding) => rules.includes(finding.rule))
    .map(
      (finding) => `${finding.span.file.path}:${rangeOf(finding.span).start.line}: ${finding.rule}: ${finding.message}`,
    );
}

/** Includes a file in a server with every module of its package, and returns whether that server loads it. */
function compare(file: CorpusFile, modules: readonly string[]): boolean {
  return inScratchFolder((folder) => {
    for (const name of ["logs", "conf"]) mkdirSync(`${folder}/${name}`);
    const include = `Include "${file.path}"\n`;
    const body = file.isHtaccess ? `<Directory "${folder}">\n${include}</Directory>\n` : include;
    const entry = `${folder}/httpd.conf`;
    writeFileSync(
      entry,
      `ServerRoot "${folder}"\nServerName localhost\nListen 127.0.0.1:8096\nPidFile pid\nErrorLog error.log\nDefaultRuntimeDir "${folder}"\n${loadModules(modules)}${body}`,
    );
    const server = runHttpd(entry, "-DDUMP_CONFIG");
    // The dump is printed once all directives are accepted; later errors concern files and addresses.
    if (!server.stdout.includes("# In file")) return false;
    const project = load(entry, { defines: new Map([["DUMP_CONFIG", undefined]]) });
    expect({ file: file.name, text: toBytes(dumpConfig(project.directives)).toString("latin1") }).toEqual({
      file: file.name,
      text: server.stdout,
    });
    const rules = server.status === 0 ? startupRules : readingRules;
    const refusals = [...listFindings(project, rules), ...listFindings(load(file.path), rules)];
    expect({ file: file.name, refusals }).toEqual({
      file: file.name,
      refusals: [],
    });
    return true;
  });
}

describe.skipIf(!httpd || corpus.length === 0)(
  liveTitle(corpusTitle("public files that the live server loads")),
  () => {
    test("resolve as on the server, and have no findings about the start", { timeout: 600_000 }, () => {
      const modules = ["mpm_event", ...packagedModules()];
      const compared = sampleOf(corpus, 3);
      const loaded = compared.filter((file) => compare(file, modules));
      const templates = compared.filter((file) => file.isTemplate && !loaded.includes(file));
      process.stdout.write(
        `${loaded.length} of ${compared.length} public files loaded by the server and compared; templates it does not load:\n${templates.map((file) => `  ${file.name}\n`).join("")}`,
      );
      expect(loaded.length).toBeGreaterThanOrEqual(Math.floor((100 * compared.length) / corpus.length) - 10);
    });
  },
);

describe.skipIf(!httpd)(liveTitle("the distribution's own configuration"), () => {
  test.skipIf(!httpd?.endsWith("apache2"))("has no findings about the start", () => {
    const project = load("/etc/apache2/apache2.conf", {
      environment: new Map([
        ["APACHE_RUN_DIR", "/var/run/apache2"],
        ["APACHE_PID_FILE", "/var/run/apache2/apache2.pid"],
        ["APACHE_RUN_USER", "www-data"],
        ["APACHE_RUN_GROUP", "www-data"],
        ["APACHE_LOG_DIR", "/var/log/apache2"],
      ]),
    });
    expect(listFindings(project, startupRules)).toEqual([]);
    expect(project.files.size).toBeGreaterThan(10);
  });
});
