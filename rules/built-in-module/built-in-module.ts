import {
  dedupeByLine,
  guardLoadModule,
  type LoadModule,
  listCompiledInModules,
  type Release,
  sharedObjectOf,
} from "../../src/lint/api/configuration.js";
import {
  combineEdits,
  defineRule,
  type Fix,
  formatWordList,
  indentOf,
  NO_START,
  pluralize,
  type Report,
  replaceLines,
} from "../../src/lint/api/rule.js";

/** The modules of a finding. */
interface BuiltIns {
  readonly first: LoadModule;
  readonly identifiers: readonly string[];
}

const describeSubject = ({ first, identifiers: { length } }: BuiltIns) =>
  length === 1
    ? `\`${first.identifier}\``
    : `\`${first.identifier}\` and ${length - 1} more ${pluralize("module", length - 1)}`;

/** Lists the modules, if the header does not name them all. */
const listModules = ({ identifiers }: BuiltIns) =>
  identifiers.length === 1
    ? []
    : [`the modules are ${formatWordList(identifiers.map((identifier) => `\`${identifier}\``))}`];

const describeRefusal = ({ first: { identifier } }: BuiltIns) =>
  `for a built-in module, httpd reports: module ${identifier} is built-in and can't be loaded`;

const describeSection = ({ first: { identifier }, identifiers: { length } }: BuiltIns) =>
  length === 1
    ? `if \`httpd -l\` lists it, wrap this line in \`<IfModule !${identifier}>\``
    : `if \`httpd -l\` lists them, wrap each line in a section such as \`<IfModule !${identifier}>\``;

const messages = {
  noFile: (modules: BuiltIns) => {
    const isOne = modules.identifiers.length === 1;
    return {
      message: `${describeSubject(modules)} ${isOne ? "is loaded, but its file does" : "are loaded, but their files do"} not exist`,
      notes: [
        ...listModules(modules),
        `the files of other modules exist, as in a server that has ${isOne ? "it" : "them"} built in`,
        `${NO_START} with ${isOne ? "this line" : "these lines"}`,
        describeRefusal(modules),
      ],
      help: [
        isOne ? "if `httpd -l` lists it, delete this line" : "if `httpd -l` lists them, delete these lines",
        describeSection(modules),
      ],
    };
  },
  perhaps: (modules: BuiltIns, release: Release) => ({
    message: `${describeSubject(modules)} ${modules.identifiers.length === 1 ? "is" : "are"} built into some builds of ${release}`,
    notes: [
      ...listModules(modules),
      `such builds, for example Debian's, do not start with ${modules.identifiers.length === 1 ? "this line" : "these lines"}`,
      describeRefusal(modules),
    ],
    help: [describeSection(modules)],
  }),
};

const labels = { perhapsToo: "may be built in, too" };

const fixTitles = { guard: "Load the modules only if they are not built in" };

export const builtInModule = defineRule({
  id: "built-in-module",
  title: "LoadModule of a built-in module",
  group: "upgrade",
  severity: "info",
  isAboutServer: true,
  description: "With `--from 2.2`: a LoadModule line for a module that some builds of 2.4 have built in.",
  help: "httpd does not start with a LoadModule line for a module that is built in. Debian's 2.4 has mod_log_config, mod_logio, mod_version, mod_unixd and mod_watchdog built in; other builds load them. `httpd -l` lists the built-in modules. A conditional section such as `<IfModule !log_config_module>` works with both.",
  tags: ["upgrade", "correctness"],
  upgradeOnly: true,
  upgrade: "start",
  messages,
  check: ({ project, release, report }) => ({
    end() {
      const builtIn = new Set(listCompiledInModules(release).map(({ identifier }) => identifier));
      const lines = project.loadModules.filter(
        ({ guard, identifier }) => builtIn.has(identifier) && identifier !== "so_module" && !isGuarded(guard),
      );
      const { sharedObjects } = project;
      // Modules that exist as files there are not built in.
      const reported = lines.filter(({ identifier }) => !sharedObjects?.has(sharedObjectOf(identifier)));
      const problem = reportOf(reported, release, sharedObjects !== undefined);
      if (problem) report(problem);
    },
  }),
});

/** @param isCertain whether the other modules are in a directory without these */
function reportOf(lines: readonly LoadModule[], release: Release, isCertain: boolean): Report | undefined {
  const [first, ...others] = dedupeByLine(lines);
  if (first === undefined) return undefined;
  const modules = { first, identifiers: [first, ...others].map(({ identifier }) => identifier) };
  const fix = createGuardFix(lines);
  return {
    ...(isCertain ? { severity: "error" } : {}),
    message: isCertain ? messages.noFile(modules) : messages.perhaps(modules, release),
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
function createGuardFix(lines: readonly LoadModule[]): Fix | undefined {
  const edits = combineEdits(
    lines.map(({ identifier, span }) => {
      const line = `${indentOf(span)}${span.file.text.slice(span.start, span.end)}`;
      return replaceLines(span, guardLoadModule(line, identifier));
    }),
  );
  return edits && { title: fixTitles.guard, safety: "safe", edits };
}
