import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { loadProject } from "../../src/startup/load-project.js";
import { ownVerdict } from "../support/cases/own-verdict.js";
import { startupModules } from "../support/cases/startup-lines.js";

/** The verdicts of a running httpd, recorded by test/live/refusals.live.test.ts. */
const verdicts: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync("test/startup/startup-verdicts.json", "utf8"),
);

/** Lines of messages count from the first line: the modules are loaded by another file. */
function verdictOn(lines: string): string {
  const modules = startupModules.map((name) => `LoadModule ${name}_module mod_${name}.so\n`).join("");
  const access = memoryAccess({
    "/httpd.conf": `Include modules.conf\n${lines.replaceAll("¶", "\n")}\n`,
    "/modules.conf": modules,
  });
  const loaded = loadProject("/httpd.conf", { access });
  if (!loaded.ok) throw new Error(loaded.error);
  return ownVerdict(loaded.value);
}

const firstLine = 1;
const relative = (verdict: string) =>
  verdict.replace(/^AH00526 (\d+)/, (_, line: string) => `AH00526 ${Number(line) - firstLine}`);

describe("lines are accepted or rejected as by httpd, with its message", () => {
  test.each(Object.entries(verdicts))("%s", (_, byLine) => {
    for (const [line, verdict] of Object.entries(byLine))
      expect({ line, verdict: relative(verdictOn(line)) }).toEqual({ line, verdict });
  });
});
