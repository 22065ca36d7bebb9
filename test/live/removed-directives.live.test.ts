import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { removedDirective } from "../../rules/removed-directive/removed-directive.js";
import { drawListing, ownModules } from "../../scripts/draw-directives.js";
import table22 from "../../src/facts/data/2.2.json" with { type: "json" };
import { findDirectiveFacts, findRemovedDirective } from "../../src/facts/directives.js";
import { httpd, liveTitle, loadModules, packagedModules, runHttpd } from "../support/httpd/httpd.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";
import { findingsOf } from "../support/rules.js";

const names = [
  ...new Set(table22.directives.map(([name = "", , , marks = ""]) => (marks.includes("section") ? `<${name}` : name))),
];
const removed = names.filter((name) => findRemovedDirective(name));
const kept = names.filter((name) => !findRemovedDirective(name));

/** Uses a directive so that a server that knows it may reject its arguments, but not its name. */
const lineOf = (name: string) => (name.startsWith("<") ? `${name} x>\n</${name.slice(1)}>\n` : `${name} x\n`);

/** Returns whether a directive is of another MPM or platform, of an example module, or of a debug build. */
function isOfOtherBuilds(name: string): boolean {
  const modules = findDirectiveFacts("2.4", name).map(({ module }) => module);
  const builds = ["GprofDir", "EnableExceptionHook", "ScriptInterpreterSource", "CGIMapExtension", "StartThreads"];
  const others = ["prefork", "mpm_netware", "mod_isapi", "mod_nw_ssl", "mod_example_hooks"];
  return builds.includes(name) || (modules.length > 0 && modules.every((module) => others.includes(module)));
}

/** Returns the server's message for each of some configurations with all modules of its package. */
function answersTo(texts: readonly string[]): readonly string[] {
  return inScratchFolder((folder) => {
    const modules = loadModules(["mpm_event", ...packagedModules()]);
    const main = join(folder, "server.conf");
    return texts.map((text) => {
      writeFileSync(main, `ServerRoot "${folder}"\nDefaultRuntimeDir "${folder}"\n${modules}${text}`);
      return runHttpd(main).stderr;
    });
  });
}

describe("the directives of 2.2 on the live 2.4", () => {
  test.skipIf(!httpd)(liveTitle("are rejected by the server if they are reported as removed"), () => {
    expect(removed).toContain("AuthzDefaultAuthoritative");
    expect(removed.flatMap((name) => findingsOf([removedDirective], lineOf(name))).length).toBe(removed.length);
    for (const [index, answer] of answersTo(removed.map(lineOf)).entries())
      expect(answer).toContain(`Invalid command '${removed[index]}'`);
  });

  test.skipIf(!httpd)(liveTitle("are not reported as removed if a module supports them"), () => {
    expect(kept.flatMap((name) => findingsOf([removedDirective], lineOf(name)))).toEqual([]);
    const server = httpd ?? "apache2";
    const { directives } = drawListing(server, ownModules(server, "event"));
    const known = new Set(directives.map(({ section, name }) => (section ? `<${name}` : name).toLowerCase()));
    const unknown = kept.filter((name) => !known.has(name.toLowerCase()));
    expect(unknown.filter((name) => !isOfOtherBuilds(name))).toEqual([]);
  });
});
