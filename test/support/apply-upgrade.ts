import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultRules } from "../../rules/index.js";
import { listCompiledInModules } from "../../src/facts/modules.js";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import type { Finding } from "../../src/lint/finding.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { toBytes } from "../../src/text/bytes.js";
import { loadModules } from "./httpd/httpd.js";

/** Modules that may be built in are loaded in a conditional section. */
const builtIn = new Set(listCompiledInModules("2.4").map(({ identifier }) => identifier));

/** More passes than any configuration needs. */
const MAX_PASSES = 10;

/** Rules about lines that 2.4 silently ignores, in addition to the rules about its start. */
const otherRules = ["ignored-directive", "never-matching-guard"];
const rules = defaultRules.filter(({ id, upgrade }) => upgrade === "start" || otherRules.includes(id));

/**
 * Applies the fixes of an upgrade, and runs the a2enmod commands in its findings, until nothing changes. Access control
 * is left unchanged.
 *
 * @returns the rules that reported findings, the modules that `modules-to-load` added outside of conditional sections,
 *   and the remaining findings that prevent 2.4 from starting
 */
export function upgrade(
  entry: string,
  environment: ReadonlyMap<string, string>,
): {
  readonly reportedRules: ReadonlySet<string>;
  readonly addedModules: ReadonlySet<string>;
  readonly remaining: readonly Finding[];
} {
  const reportedRules = new Set<string>();
  const addedModules = new Set<string>();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const loaded = loadProject(entry, { environment, kind: "server", htaccess: false });
    if (!loaded.ok) throw new Error(loaded.error);
    const { findings } = lintWithoutProofs(loaded.value, { rules, from: "2.2" });
    for (const { rule, supplies = [] } of findings) {
      reportedRules.add(rule);
      if (rule !== "modules-to-load") continue;
      for (const module of supplies) if (!builtIn.has(module)) addedModules.add(module);
    }
    const { texts } = applyFixes(findings, () => true);
    for (const [path, text] of texts) writeFileSync(path, toBytes(text));
    const enabled = findings.flatMap(
      ({ help = [] }) => /`a2enmod ([^`]*)`/.exec(help.join("\n"))?.[1]?.split(" ") ?? [],
    );
    for (const name of enabled)
      writeFileSync(join(dirname(entry), "mods-enabled", `${name}.load`), loadModules([name]));
    if (texts.size + enabled.length === 0)
      return { reportedRules, addedModules, remaining: findings.filter(preventsStart) };
  }
  throw new Error("the fixes do not converge");
}

function preventsStart({ rule, severity }: Finding): boolean {
  return severity !== "info" && defaultRules.some(({ id, upgrade: concern }) => id === rule && concern === "start");
}
