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

const oneModule = { is: "is", noFiles: "is no file", it: "it", lines: "this line" };
const severalModules: typeof oneModule = { is: "are", noFiles: "are no files", it: "them", lines: "these lines" };

const describeGuard = ({ identifier }: LoadModule, lines: string) =>
  `guard ${lines} like \`<IfModule !${identifier}>\` (httpd: "module ${identifier} is built-in and can't be loaded")`;

const messages = {
  noFile: (first: LoadModule, names: string, { noFiles, it, lines }: typeof oneModule) =>
    `there ${noFiles} for ${names} beside the other modules, as in a server with ${it} built in, so the server does not start with ${lines}; where \`httpd -l\` lists ${it}, take ${lines} out, or ${describeGuard(first, lines)}`,
  perhaps: (first: LoadModule, names: string, { is, it, lines }: typeof oneModule, release: Release) =>
    `${names} ${is} part of the server in some builds of ${release}, such as Debian's, which do not start with ${lines}; where \`httpd -l\` lists ${it}, ${describeGuard(first, lines)}`,
};

const labels = { perhapsToo: "so may this one be" };

const fixTitles = { guard: "Load them where they are not built in" };

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
  messages,
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
  const words = others.length === 0 ? oneModule : severalModules;
  const fix = guarding(lines);
  return {
    ...(isCertain ? { severity: "error" } : {}),
    message: isCertain ? messages.noFile(first, names, words) : messages.perhaps(first, names, words, release),
    span: first.span,
    related: others.map(({ span }) => ({ message: labels.perhapsToo, span })),
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
  return edits && { title: fixTitles.guard, safety: "safe", edits };
}
