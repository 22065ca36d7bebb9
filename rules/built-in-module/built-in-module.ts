import {
  dedupeByLine,
  guardLoadModule,
  type LoadModule,
  listCompiledInModules,
  type Release,
  sharedObjectOf,
} from "../../src/rule-api/configuration.js";
import {
  combineEdits,
  defineRule,
  type Fix,
  formatWordList,
  indentOf,
  type Report,
  replaceLines,
} from "../../src/rule-api/rule.js";

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
      const builtIn = new Set(listCompiledInModules(release).map(({ identifier }) => identifier));
      const lines = project.loadModules.filter(
        ({ guard, identifier }) => builtIn.has(identifier) && identifier !== "so_module" && !isGuarded(guard),
      );
      const { sharedObjects } = project;
      // Modules that exist as files there are not built in.
      const told = lines.filter(({ identifier }) => !sharedObjects?.has(sharedObjectOf(identifier)));
      const found = reportOf(told, release, sharedObjects !== undefined);
      if (found) report(found);
    },
  }),
});

/** @param isCertain whether the other modules are in a folder without these */
function reportOf(lines: readonly LoadModule[], release: Release, isCertain: boolean): Report | undefined {
  const [first, ...others] = dedupeByLine(lines);
  if (first === undefined) return undefined;
  const names = formatWordList([first, ...others].map(({ identifier }) => `\`${identifier}\``));
  const isOne = others.length === 0;
  const [it, which] = isOne ? ["it", "this line"] : ["them", "these lines"];
  const where = `where \`httpd -l\` lists ${it}`;
  const guard = `guard ${which} like \`<IfModule !${first.identifier}>\` (httpd: "module ${first.identifier} is built-in and can't be loaded")`;
  const message = isCertain
    ? `there ${isOne ? "is no file" : "are no files"} for ${names} beside the other modules, as in a server with ${it} built in, so the server does not start with ${which}; ${where}, take ${which} out, or ${guard}`
    : `${names} ${isOne ? "is" : "are"} part of the server in some builds of ${release}, such as Debian's, which do not start with ${which}; ${where}, ${guard}`;
  const fix = guarding(lines);
  return {
    ...(isCertain ? { severity: "error" } : {}),
    message,
    span: first.span,
    related: others.map(({ span }) => ({ message: "so may this one be", span })),
    ...(fix ? { fix } : {}),
  };
}

/** Returns whether a conditional section around the line tests for a missing module. */
function isGuarded(guard: LoadModule["guard"]): boolean {
  for (let around = guard; around; around = around.parent)
    if (around.kind === "<ifmodule" && around.negated) return true;
  return false;
}

/** Wraps each line in a test for its absence, which works with either build. */
function guarding(lines: readonly LoadModule[]): Fix | undefined {
  const edits = combineEdits(
    lines.map(({ identifier, span }) => {
      const line = `${indentOf(span)}${span.file.text.slice(span.start, span.end)}`;
      return replaceLines(span, guardLoadModule(line, identifier));
    }),
  );
  return edits && { title: "Load them where they are not built in", safety: "safe", edits };
}
