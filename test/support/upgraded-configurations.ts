import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultRules } from "../../rules/index.js";
import { listCompiledInModules } from "../../src/directives/modules.js";
import { applyFixes } from "../../src/engine/apply-fixes.js";
import type { Finding } from "../../src/engine/finding.js";
import { lintProject } from "../../src/engine/run-rules.js";
import { loadProject } from "../../src/project/load.js";
import { toBytes } from "../../src/text/bytes.js";
import { loadModules } from "./httpd/httpd.js";

/** What may be part of the server is loaded in a guard. */
const builtIn = new Set(listCompiledInModules("2.4").map(({ identifier }) => identifier));

/** More passes than any configuration takes. */
const MOST_PASSES = 10;

/** The rules that say what keeps 2.4 from starting, what it ignores, and what it goes past without a word. */
const others = ["ignored-directive", "never-matching-guard"];
const rules = defaultRules.filter(({ id, upgrade }) => upgrade === "start" || others.includes(id));

/**
 * Does what the findings of an upgrade say as far as they have a fix, and runs the a2enmod that they name, until nothing
 * changes any more. Access control is left as it is.
 *
 * @returns the rules that spoke, the modules that `modules-to-load` had loaded outside of guards, and what is still found of what keeps 2.4
 *   from starting
 */
export function upgrade(
  entry: string,
  environment: ReadonlyMap<string, string>,
): { readonly told: ReadonlySet<string>; readonly supplied: ReadonlySet<string>; readonly left: readonly Finding[] } {
  const told = new Set<string>();
  const supplied = new Set<string>();
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const loaded = loadProject(entry, { environment, kind: "server", htaccess: false });
    if ("failed" in loaded) throw new Error(loaded.failed);
    const { findings } = lintProject(loaded.project, { rules, from: "2.2" });
    for (const { rule, supplies = [] } of findings) {
      told.add(rule);
      if (rule !== "modules-to-load") continue;
      for (const module of supplies) if (!builtIn.has(module)) supplied.add(module);
    }
    const { texts } = applyFixes(findings, () => true);
    for (const [path, text] of texts) writeFileSync(path, toBytes(text));
    const enabled = findings.flatMap(({ message }) => /`a2enmod ([^`]*)`/.exec(message)?.[1]?.split(" ") ?? []);
    for (const name of enabled)
      writeFileSync(join(dirname(entry), "mods-enabled", `${name}.load`), loadModules([name]));
    if (texts.size + enabled.length === 0) return { told, supplied, left: findings.filter(isOfStart) };
  }
  throw new Error("the fixes come to no end");
}

function isOfStart({ rule, severity }: Finding): boolean {
  return severity !== "info" && defaultRules.some(({ id, upgrade: concern }) => id === rule && concern === "start");
}
