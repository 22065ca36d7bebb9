import {
  findRemovedModule,
  formatLoadModule,
  isBefore,
  type LoadModule,
  listCompiledInModules,
  type Project,
  parseArguments,
  type Release,
  type RemovedModule,
  successorsOf,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineRule,
  type Fix,
  formatWordList,
  rejectionEffectOf,
  removeLines,
  replaceLines,
  toReadable,
} from "../../src/lint/api/rule.js";

/** Remedies, as imperative clauses. */
const advices = {
  delete: ["delete this line"],
  deleteReplaced: ["delete this line: its replacement is already loaded"],
  deleteBuiltIn: (identifier: string) => [
    "delete this line",
    `if \`httpd -l\` does not list the module as built in, load \`${identifier}\` instead`,
  ],
  replace: (identifiers: readonly string[]) => [
    `load ${formatWordList(identifiers.map((identifier) => `\`${identifier}\``))} instead`,
  ],
};

const messages = {
  removed: (
    { identifier, explanation }: RemovedModule,
    help: readonly string[],
    line: LoadModule,
    release: Release,
  ) => ({
    message: `\`${identifier}\` does not exist in ${release}`,
    effect: rejectionEffectOf(false),
    notes: [explanation, `httpd reports: Cannot load ${fileOf(line)}`],
    help,
  }),
};

const fixTitles = {
  delete: "Delete this line",
  replace: (identifier: string) => `Load \`${identifier}\` instead`,
};

export const removedModule = defineRule({
  id: "removed-module",
  title: "Module removed in 2.4",
  group: "upgrade",
  severity: "error",
  description: "LoadModule for a module of 2.0 or 2.2 that 2.4 renamed, split up or removed, with its replacement.",
  help: "httpd stops at the line, because the file does not exist or was built for another release. Lines in a conditional section that excludes 2.4, such as `<IfVersion < 2.4>`, are not checked.",
  tags: ["upgrade", "correctness"],
  upgrade: "start",
  // The missing file has the same cause.
  supersedes: ["refused-at-start"],
  impliesRelease: "2.2",
  messages,
  check: ({ project, release, from, report }) => ({
    end() {
      const replaced = new Set<string>();
      for (const line of project.loadModules) {
        const removal = findRemovedModule(release, line.identifier);
        if (removal === undefined) continue;
        const { fix, supplied } = fixOf(line, project, replaced);
        report({
          message: messages.removed(removal, adviceOn(removal, project), line, release),
          span: line.span,
          ...(fix ? { fix } : {}),
          ...(isBefore(from, "2.4") && supplied !== undefined ? { supplies: [supplied] } : {}),
        });
      }
    },
  }),
});

function adviceOn(removal: RemovedModule, { release, modules, loadModules }: Project): readonly string[] {
  const successors = successorsOf(release, removal).map(({ identifier }) => identifier);
  if (successors.length === 0) return advices.delete;
  const missing = successors.filter((identifier) => !modules.has(identifier));
  const builtIn = listCompiledInModules(release).find(({ identifier }) => identifier === successors[0]);
  const isLoaded = loadModules.some(({ identifier }) => identifier === builtIn?.identifier);
  if (builtIn && !isLoaded) return advices.deleteBuiltIn(builtIn.identifier);
  return missing.length === 0 ? advices.deleteReplaced : advices.replace(missing);
}

/** The fix for a line; none if several modules replaced one. */
interface ModuleFix {
  readonly fix?: Fix;
  /** The module that the fixed line loads. */
  readonly supplied?: string;
}

/**
 * Deletes the line, or replaces the module with its only successor.
 *
 * @param replaced the modules that other lines were rewritten to
 */
function fixOf(line: LoadModule, project: Project, replaced: Set<string>): ModuleFix {
  const removal = findRemovedModule(project.release, line.identifier);
  const successors = removal ? successorsOf(project.release, removal) : [];
  const missing = successors.filter(({ identifier }) => !project.modules.has(identifier) && !replaced.has(identifier));
  const [successor] = missing;
  if (successor === undefined) {
    const edit = removeLines(line.span);
    return createFix(fixTitles.delete, "unsafe", edit);
  }
  const { identifier } = successor;
  const text = successors.length === 1 ? formatLoadModule(line, identifier) : undefined;
  const edit = text === undefined ? undefined : replaceLines(line.span, text);
  if (edit === undefined) return {};
  replaced.add(identifier);
  return {
    fix: { title: fixTitles.replace(identifier), safety: "unsafe", edits: [edit] },
    supplied: identifier,
  };
}

/** Returns the file in the line, as written. */
function fileOf({ span }: LoadModule): string {
  const words = parseArguments(span.file.text.slice(span.start, span.end));
  return toReadable(words[2]?.value ?? "");
}
