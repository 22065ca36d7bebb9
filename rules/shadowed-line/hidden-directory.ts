import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  type OutsideClient,
  urlRootsOf,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  findUndefinedVariable,
  hasWildcard,
  indexDirectives,
  type Project,
  parseRewriteRules,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import {
  defineVariant,
  encodeUrlPath,
  isWithin,
  quoteText,
  type Report,
  type RuleContext,
  resolvePath,
  stripTrailingSlash,
  withTrailingSlash,
} from "../../src/lint/api/rule.js";

const messages = {
  file: (line: Directive, directory: string, answer: DefiniteAnswer, file: string) => ({
    message: `${titleOf(line)} hides the directory ${quoteText(directory)} of the document root`,
    notes: [describeAnswer(answer), `the file ${quoteText(file)} exists, but no URL leads to it`],
    help: ["rename the directory and its links, or delete this line if nothing uses it"],
  }),
  section: (line: Directive, directory: string, answer: DefiniteAnswer) => ({
    message: `${titleOf(line)} hides the directory ${quoteText(directory)} of the document root`,
    notes: [
      `a request for ${quoteText(answer.request.path)} leads to ${quoteText(answer.file ?? "")}`,
      "the `<Directory>` section for the hidden directory never applies",
    ],
    help: ["rename the directory, or delete this line if nothing uses it"],
  }),
};

const labels = { root: "the document root", section: "this section is for the hidden directory" };

/** Limit of the files that are requested for a line. */
const MAX_FILES = 8;

/** Finds an Alias in front of a directory of the document root whose files no URL leads to (mod_alias.c `translate_alias_redir`). */
export const hiddenDirectory = defineVariant({
  id: "hidden-directory",
  messages,
  check: () => ({
    exposure: {
      fromAnywhere: true,
      holding: ["alias", "scriptalias"],
      *check(exposed, client) {
        const hidden = findHidden(exposed);
        if (hidden === undefined) return;
        const entries = exposed.context.files?.list?.(stripTrailingSlash(hidden.top)) ?? [];
        if (mayLeadElsewhere(exposed, hidden)) return;
        const find = entries.length > 0 ? findHiddenFile : findHiddenSection;
        yield* find(exposed, hidden, client);
      },
    },
  }),
});

/** The directory of a document root that a line hides. All paths end in a slash. */
interface Hidden {
  /** The URL path of the line. */
  readonly from: string;
  readonly directory: string;
  readonly target: string;
  /** The document root, and its line. */
  readonly top: string;
  readonly root: Directive;
}

function findHidden({ line, scope, server, context: { project } }: ExposedLine): Hidden | undefined {
  const [url, path] = line.arguments;
  const isOfServer = scope.place === "server" || scope.place === "virtualhost";
  if (!isOfServer || url === undefined || path === undefined || !/^\/[^/]/.test(url.value)) return undefined;
  const from = withTrailingSlash(url.value);
  const target = withTrailingSlash(resolvePath(project.serverRoot, path.value));
  const root = rootLineOf(server.section, project.directives);
  const top = root && urlRootsOf(project, server.section).find((each) => each.from === "/");
  if (root === undefined || top === undefined || findUndefinedVariable(`${top.to}${path.value}`) !== undefined)
    return undefined;
  const directory = `${top.to}${from.slice(1)}`;
  // The line leads to the directory itself, or to a part of it.
  return isWithin(target, directory) ? undefined : { from, directory, target, top: top.to, root };
}

function rootLineOf(host: Directive | undefined, directives: readonly Directive[]): Directive | undefined {
  const rootIn = (lines: readonly Directive[]) => lines.findLast(({ key }) => key === "documentroot");
  return rootIn(host?.children ?? []) ?? rootIn(directives);
}

/** Finds a file of the disk that only this line keeps from clients. */
function* findHiddenFile(exposed: ExposedLine, hidden: Hidden, client: OutsideClient): Generator<Report> {
  const { line, server, context } = exposed;
  const { from, directory, target, root } = hidden;
  for (const file of filesIn(directory, context.files).slice(0, MAX_FILES)) {
    const path = encodeUrlPath(from + file.slice(directory.length));
    const answer = client.ask(server, { path }, "disk");
    const isLost = answer?.status === 404 && isWithin(answer.file ?? "", target);
    if (!isLost || isServedElsewhere(file, client, "disk")) continue;
    yield {
      message: messages.file(line, directory, answer, file),
      span: line.span,
      related: [{ message: labels.root, span: root.span }],
      witness: witnessOf(answer),
    };
    return;
  }
}

/** Finds a section for the directory that only this line keeps from applying, if the files of the directory are not known. */
function* findHiddenSection(exposed: ExposedLine, hidden: Hidden, client: OutsideClient): Generator<Report> {
  const { line, server, context } = exposed;
  const { from, directory, target } = hidden;
  const section = indexDirectives(context.project)
    .named("<directory")
    .find((each) => isForPartOf(directory, each, context.project));
  if (section === undefined || !isOfServer(section, server.section)) return;
  const below = withTrailingSlash(resolvePath(context.project.serverRoot, section.arguments[0]?.value ?? ""));
  const file = `${below}page.html`;
  const answer = client.ask(server, { path: encodeUrlPath(from + file.slice(directory.length)) });
  if (answer === undefined || !isWithin(answer.file ?? "", target) || isServedElsewhere(file, client, "assumed"))
    return;
  yield {
    message: messages.section(line, directory, answer),
    span: line.span,
    related: [{ message: labels.section, span: section.span }],
    witness: witnessOf(answer),
  };
}

/** Returns files in a directory, and in those in it, that links of a site name: no hidden ones, and no start pages. */
function filesIn(directory: string, files: RuleContext["files"], depth = 1): readonly string[] {
  const entries = files?.list?.(stripTrailingSlash(directory)) ?? [];
  const shown = entries.filter(({ name }) => !name.startsWith("."));
  const own = shown.filter(({ name, kind }) => kind === "file" && !/^(?:index\.|readme|license)/i.test(name));
  const inner = depth === 0 ? [] : shown.filter(({ kind }) => kind === "directory");
  return [
    ...own.map(({ name }) => directory + name),
    ...inner.flatMap(({ name }) => filesIn(`${directory}${name}/`, files, depth - 1)),
  ];
}

/** How the target of a line is used: as one path, or as the start of many. */
interface PossibleTarget {
  readonly text: string;
  readonly isStart: boolean;
}

/** Lines other than `Alias` with a URL path, of which it is not known which files they lead to. */
const otherMappings = [
  ...["alias", "scriptalias", "aliasmatch", "scriptaliasmatch", "wsgiscriptalias", "wsgiscriptaliasmatch"],
  ...["proxypass", "proxypassmatch", "rewriterule"],
  ...["userdir", "virtualdocumentroot", "virtualdocumentrootip", "virtualscriptalias", "virtualscriptaliasip"],
];

/** Reports whether a line with a pattern, a rule or a backend with paths of files may lead into the hidden directory. */
function mayLeadElsewhere({ line, context: { project } }: ExposedLine, { directory, top }: Hidden): boolean {
  const index = indexDirectives(project);
  const others = otherMappings.flatMap((key) => index.named(key)).filter((each) => each !== line);
  // A target may be a path of the disk, or a path below a URL or a directory.
  const starts = [...directory].flatMap((letter, at) => (letter === "/" ? directory.slice(at) : [])).slice(0, -1);
  return others.some((each) =>
    targetsOf(each, top).some(({ text, isStart }) => {
      const path = text.startsWith("/") ? text : `/${text}`;
      return starts.some((start) => `${path}/`.startsWith(start) || (isStart && start.startsWith(path)));
    }),
  );
}

function targetsOf(line: Directive, top: string): readonly PossibleTarget[] {
  const { key, arguments: words } = line;
  if (key === "rewriterule") {
    const [rule] = parseRewriteRules([line]);
    const isRedirect = rule?.flags.names.has("redirect") === true;
    return rule?.output === undefined || isRedirect
      ? []
      : targetOf(rule.output.replace("%{DOCUMENT_ROOT}/", () => top));
  }
  // With a URL path, `Alias` is among the mappings that requests are tried for.
  if (key === "alias" || key === "scriptalias") return words.length > 1 ? [] : startOf(words[0]?.value);
  if (key === "userdir" || key.startsWith("virtual")) return words.flatMap(({ value }) => startOf(value));
  return key === "proxypass" ? startOf(words[words.length > 1 ? 1 : 0]?.value) : targetOf(words[1]?.value ?? "");
}

function targetOf(written: string): readonly PossibleTarget[] {
  return /[$%]/.test(written) ? startOf(written) : startOf(written).map(({ text }) => ({ text, isStart: false }));
}

/** Returns the start of a target that is the same for all requests; none for the URL of a backend without files. */
function startOf(written = ""): readonly PossibleTarget[] {
  const [, scheme = "", path = ""] =
    /^(?:proxy:)?(?:unix:[^|]*\|)?(?:(\w+):\/\/[^/]*|[a-z]:(?=\/))?(.*)$/is.exec(written) ?? [];
  if (scheme !== "" && !/^(?:fcgi|scgi|uwsgi)$/i.test(scheme)) return [];
  return [{ text: /^[^$%*?]*/.exec(path)?.[0] ?? "", isStart: true }];
}

/** Reports whether a URL of any server leads to a file. */
function isServedElsewhere(file: string, client: OutsideClient, files: "assumed" | "disk"): boolean {
  for (const { server, path } of client.urlsOf(file)) {
    const answer = client.ask(server, { path }, files);
    // The main server may have no requests of its own.
    if (answer === undefined ? server.section !== undefined : answer.file === file) return true;
  }
  return false;
}

function isForPartOf(directory: string, { arguments: words }: Directive, { serverRoot }: Project): boolean {
  const [word] = words;
  if (words.length !== 1 || word === undefined || hasWildcard(word.value)) return false;
  return isWithin(withTrailingSlash(resolvePath(serverRoot, word.value)), directory);
}

/** Reports whether a section is outside of virtual hosts, or in this one. */
function isOfServer(section: Directive, host: Directive | undefined): boolean {
  const own = virtualHostAround(section);
  return own === undefined || own === host;
}

function titleOf({ name, arguments: [url] }: Directive): string {
  return quoteText(`${name} ${url?.value ?? ""}`);
}
