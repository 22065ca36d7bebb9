import {
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  type ListedDirectory,
  witnessOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, getOrCreate, insertLinesAfter, toReadable } from "../../src/lint/api/rule.js";
import { denyRepositories, type PrivateKind, privateKinds, publicExample, repositoryLine } from "./private-kinds.js";

const messages = {
  exposed: (
    url: string,
    kind: PrivateKind,
    answer: DefiniteAnswer,
    others: number,
    overriding: Directive | undefined,
  ) => ({
    message: `\`${url}\` is served to every client`,
    notes: [
      `the file ${kind.holds}`,
      ...(others === 0 ? [] : [`${others} more of these files in the directory are served`]),
      describeAnswer(answer),
      ...(overriding === undefined || kind.help === kind.helpByUrl
        ? []
        : [`${formatLineTitle(overriding)} overrides the access rules of \`<FilesMatch>\``]),
    ],
    help: [overriding === undefined ? kind.help : kind.helpByUrl],
    addsLines: true as const,
  }),
};

const fixTitle = "Return 404 for the files of repositories";

export const exposedPrivateFile = defineRule({
  id: "exposed-private-file",
  title: "Private file served to everyone",
  group: "exposure",
  severity: "error",
  advice: "if its file is exposed",
  description: "A file that is private by its name, such as .git/config, .env or a backup, is served to every client.",
  help: "Scanners request such files on every server. They contain passwords, source code or data. Move them out of the served directories, or deny their names.",
  securitySeverity: 7.5,
  references: { cis: ["5.10", "5.11", "5.12", "5.13"], cwe: [527, 530, 538] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["documentroot", "alias"],
      *check({ line, server, context: { project } }, client) {
        const served = client.directoriesOf(line);
        for (const { path, entries } of served?.all ?? [])
          for (const [kind, files] of findPrivateFiles(path, entries)) {
            const answers = files.map((file) => served && client.askForFile(server, served.mapping, file));
            const [first, ...others] = answers.filter((answer) => answer !== undefined);
            if (first === undefined) continue;
            const text = messages.exposed(
              toReadable(first.request.path),
              kind,
              first,
              others.length,
              findOverriding(first),
            );
            const isFixable = kind.help === denyRepositories && project.modules.has("alias_module");
            const edit = isFixable ? insertLinesAfter(line.span, [repositoryLine]) : undefined;
            const references = { cis: kind.cis === undefined ? [] : [kind.cis] };
            const fix = createFix(fixTitle, "unsafe", edit);
            yield { message: text, span: line.span, witness: witnessOf(first), references, ...fix };
          }
      },
    },
  }),
});

/**
 * Returns what allows a request although a `<FilesMatch>` may deny it: a section that is merged later, or mod_access_compat
 * with Satisfy Any.
 */
function findOverriding({ decidedBy }: DefiniteAnswer): Directive | undefined {
  for (const line of decidedBy) {
    if (line.key === "satisfy") return line;
    for (let section = line.parent; section; section = section.parent)
      if (/^<(?:location|if|else)/.test(section.key)) return section;
  }
  return undefined;
}

/** Returns the private files in a directory, by kind. */
function findPrivateFiles(
  path: string,
  entries: ListedDirectory["entries"],
): ReadonlyMap<PrivateKind, readonly string[]> {
  const found = new Map<PrivateKind, string[]>();
  for (const { name, kind: type } of entries) {
    const kind = publicExample.test(name)
      ? undefined
      : privateKinds.find((each) => each.name.test(name) && (each.inside === undefined) === (type === "file"));
    if (kind === undefined) continue;
    const files = kind.inside?.map((inner) => `${path}${name}/${inner}`) ?? [path + name];
    getOrCreate(found, kind, () => []).push(...files);
  }
  return found;
}
