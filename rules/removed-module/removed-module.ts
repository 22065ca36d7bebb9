import {
  findRemovedModule,
  formatLoadModule,
  type LoadModule,
  type Project,
  parseArguments,
  type Release,
  type RemovedModule,
  successorsOf,
} from "../../src/rule-api/configuration.js";
import {
  defineRule,
  describeConsequence,
  type Fix,
  formatWordList,
  removeLines,
  replaceLines,
  toReadable,
} from "../../src/rule-api/rule.js";

/** Remedies, as clauses. */
const advices = {
  delete: "take the line out",
  deleteReplaced: "take the line out, what took over is loaded already",
  replace: (identifiers: readonly string[]) =>
    `load ${formatWordList(identifiers.map((identifier) => `\`${identifier}\``))} in its place`,
};

const messages = {
  removed: ({ identifier, fate }: RemovedModule, advice: string, line: LoadModule, release: Release) =>
    `\`${identifier}\` is gone from ${release}, so ${describeConsequence(false)}; ${fate}: ${advice} (httpd: "Cannot load ${fileOf(line)}")`,
};

const fixTitles = {
  delete: "Take the line out",
  replace: (identifier: string) => `Load \`${identifier}\` in its place`,
};

export const removedModule = defineRule({
  id: "removed-module",
  title: "A module that 2.4 no longer has",
  severity: "error",
  description: "LoadModule of a module of 2.0 or 2.2 that 2.4 renamed, split up or dropped, with what takes its place.",
  help: "The server stops at the line, since there is no such file, or it was built for another release. Lines that a guard such as `<IfVersion < 2.4>` keeps from 2.4 are not looked at.",
  tags: ["upgrade", "correctness"],
  upgrade: "start",
  // The missing file has the same cause.
  supersedes: ["refused-at-start"],
  messages,
  check: ({ project, release, from, report }) => ({
    project() {
      const replaced = new Set<string>();
      for (const line of project.loadModules) {
        const gone = findRemovedModule(release, line.identifier);
        if (gone === undefined) continue;
        const { fix, supplied } = fixOf(line, project, replaced);
        report({
          message: messages.removed(gone, adviceOn(gone, project), line, release),
          span: line.span,
          ...(fix ? { fix } : {}),
          ...(from === "2.2" && supplied !== undefined ? { supplies: [supplied] } : {}),
        });
      }
    },
  }),
});

function adviceOn(gone: RemovedModule, { release, modules }: Project): string {
  const successors = successorsOf(release, gone).map(({ identifier }) => identifier);
  if (successors.length === 0) return advices.delete;
  const missing = successors.filter((identifier) => !modules.has(identifier));
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
  const gone = findRemovedModule(project.release, line.identifier);
  const successors = gone ? successorsOf(project.release, gone) : [];
  const missing = successors.filter(({ identifier }) => !project.modules.has(identifier) && !replaced.has(identifier));
  const [successor] = missing;
  if (successor === undefined) {
    const edit = removeLines(line.span);
    return edit ? { fix: { title: fixTitles.delete, safety: "unsafe", edits: [edit] } } : {};
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
