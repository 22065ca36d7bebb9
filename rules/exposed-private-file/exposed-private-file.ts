import {
  defineExposureRule,
  describeAnswer,
  type ListedDirectory,
  type OutsideAnswer,
} from "../../src/rule-api/access.js";
import { createFix, getOrCreate, insertLinesAfter, toReadable } from "../../src/rule-api/rule.js";

/** Private files of one kind. */
interface PrivateKind {
  /** The kind or content of the file: completes "the file …". */
  readonly holds: string;
  readonly help: string;
  /** The recommendation of the CIS benchmark about these files, if there is one. */
  readonly cis?: string;
  /** Matches the name of a file, or of a directory with some of the files. */
  readonly name: RegExp;
  /** For a directory: files that it always has. */
  readonly inside?: readonly string[];
}

const repositoryLine = 'RedirectMatch 404 "/\\.(git|hg|svn)(/|$)"';
const denyRepositories = `add \`${repositoryLine}\`, or move the directory out of the served one`;
const denyHidden = 'add `<FilesMatch "^\\.">` with `Require all denied`, or move the file out of the served directory';
const denyCopies =
  'delete the file, or add `<FilesMatch "~$|(?i)\\.(bak|old|orig|save|sql|key|sw[a-z])$">` with `Require all denied`';

const kinds: readonly PrivateKind[] = [
  {
    holds: "is part of a Git repository",
    help: denyRepositories,
    cis: "5.11",
    name: /^\.git$/,
    inside: ["config", "HEAD"],
  },
  {
    holds: "is part of a Subversion working copy",
    help: denyRepositories,
    cis: "5.12",
    name: /^\.svn$/,
    inside: ["wc.db", "entries"],
  },
  { holds: "is part of a Mercurial repository", help: denyRepositories, name: /^\.hg$/, inside: ["hgrc", "requires"] },
  {
    holds: "contains settings of an application, often with passwords",
    help: denyHidden,
    cis: "5.13",
    name: /^\.env(?:\.|$)/,
  },
  { holds: "contains users, passwords or settings of the server", help: denyHidden, cis: "5.10", name: /^\.ht/ },
  { holds: "contains the names of other files", help: denyHidden, cis: "5.13", name: /^\.DS_Store$/ },
  { holds: "is a private key", help: denyCopies, cis: "5.13", name: /\.key$/i },
  { holds: "is a copy of a database", help: denyCopies, cis: "5.13", name: /\.sql$/i },
  {
    holds: "is a copy of another file",
    help: denyCopies,
    cis: "5.13",
    name: /^wp-config\.php\.|~$|\.(?:bak|old|orig|save)$|^\..*\.sw[a-z]$/i,
  },
];

/** Files that are public by intent: examples to copy. */
const example = /[.-](?:dist|example|sample|template)$/i;

const messages = {
  exposed: (url: string, kind: PrivateKind, answer: OutsideAnswer, others: number) => ({
    message: `\`${url}\` is served to every client`,
    notes: [
      `the file ${kind.holds}`,
      ...(others === 0 ? [] : [`${others} more of these files in the directory are served`]),
      describeAnswer(answer),
    ],
    help: [kind.help],
  }),
};

const fixTitle = "Return 404 for the files of repositories";

export const exposedPrivateFile = defineExposureRule({
  id: "exposed-private-file",
  title: "Private file served to everyone",
  severity: "error",
  description: "A file that is private by its name, such as .git/config, .env or a backup, is served to every client.",
  help: "Scanners request such files on every server. They contain passwords, source code or data. Move them out of the served directories, or deny their names.",
  securitySeverity: 7.5,
  references: { cis: ["5.10", "5.11", "5.12", "5.13"], cwe: [527, 530, 538] },
  tags: ["security"],
  messages,
  holding: ["documentroot", "alias"],
  *check({ line, server, context: { project } }, client) {
    const served = client.directoriesOf(line);
    for (const { path, entries } of served?.all ?? [])
      for (const [kind, files] of findPrivateFiles(path, entries)) {
        const answers = files.map((file) => served && client.askForFile(server, served.mapping, file));
        const [first, ...others] = answers.filter((answer) => answer !== undefined);
        if (first === undefined) continue;
        const text = messages.exposed(toReadable(first.request.path), kind, first, others.length);
        const isFixable = kind.help === denyRepositories && project.modules.has("alias_module");
        const edit = isFixable ? insertLinesAfter(line.span, [repositoryLine]) : undefined;
        const references = { cis: kind.cis === undefined ? [] : [kind.cis] };
        const fix = createFix(fixTitle, "unsafe", edit);
        yield { message: text, span: line.span, witness: first.witness, references, ...fix };
      }
  },
});

/** Returns the private files in a directory, by kind. */
function findPrivateFiles(
  path: string,
  entries: ListedDirectory["entries"],
): ReadonlyMap<PrivateKind, readonly string[]> {
  const found = new Map<PrivateKind, string[]>();
  for (const { name, kind: type } of entries) {
    const kind = example.test(name)
      ? undefined
      : kinds.find((each) => each.name.test(name) && (each.inside === undefined) === (type === "file"));
    if (kind === undefined) continue;
    const files = kind.inside?.map((inner) => `${path}${name}/${inner}`) ?? [path + name];
    getOrCreate(found, kind, () => []).push(...files);
  }
  return found;
}
