import { compiledInModules } from "../../src/directives/modules.js";
import type { Fix } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import { onePerLine } from "../../src/project/directive.js";
import { unlessBuiltIn } from "../../src/project/load-lines.js";
import type { LoadModule } from "../../src/project/modules.js";
import { listed } from "../../src/project/problems.js";
import { allOrNone, indentOf, lineReplacement } from "../../src/text/edits.js";

export const builtInModule = defineRule({
  id: "built-in-module",
  title: "LoadModule of what may be built in",
  severity: "info",
  description:
    "With `--from 2.2`: LoadModule of a module that some builds of 2.4 have built in, and refuse to load once more.",
  help: "A server stops at a LoadModule line for a module that is part of it. Debian's 2.4 has mod_log_config, mod_logio, mod_version, mod_unixd and mod_watchdog built in, others load them: `httpd -l` tells. A guard such as `<IfModule !log_config_module>` suits both.",
  tags: ["upgrade", "correctness"],
  upgradeOnly: true,
  upgrade: "start",
  check: ({ project, release, report }) => ({
    project() {
      const builtIn = new Set(compiledInModules(release).map(({ identifier }) => identifier));
      const lines = project.loadModules.filter(
        ({ guard, identifier }) => builtIn.has(identifier) && identifier !== "so_module" && !isGuarded(guard),
      );
      const [first, ...others] = onePerLine(lines);
      if (first === undefined) return;
      const names = listed([first, ...others].map(({ identifier }) => `\`${identifier}\``));
      const [is, it, which] = others.length === 0 ? ["is", "it", "this line"] : ["are", "them", "these lines"];
      const fix = guarding(lines);
      report({
        message: `${names} ${is} part of the server in some builds of ${release}, such as Debian's, which do not start with ${which}; where \`httpd -l\` lists ${it}, guard ${which} like \`<IfModule !${first.identifier}>\` (httpd: "module ${first.identifier} is built-in and can't be loaded")`,
        span: first.span,
        related: others.map(({ span }) => ({ message: "so may this one be", span })),
        ...(fix ? { fix } : {}),
      });
    },
  }),
});

/** Whether a guard around the line asks for a module that is not there. */
function isGuarded(guard: LoadModule["guard"]): boolean {
  for (let around = guard; around; around = around.parent)
    if (around.kind === "<ifmodule" && around.negated) return true;
  return false;
}

/** Loads each where it is not there already, which suits either build. */
function guarding(lines: readonly LoadModule[]): Fix | undefined {
  const edits = allOrNone(
    lines.map(({ identifier, span }) => {
      const line = `${indentOf(span)}${span.file.text.slice(span.start, span.end)}`;
      return lineReplacement(span, unlessBuiltIn(line, identifier));
    }),
  );
  return edits && { title: "Load them where they are not built in", safety: "safe", edits };
}
