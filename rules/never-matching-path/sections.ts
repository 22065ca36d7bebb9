import { compatDirectiveNames, formatLineTitle } from "../../src/lint/api/access.js";
import {
  type Argument,
  canonicalizeName,
  type Directive,
  directoryMappingOf,
  findPlaceholder,
  indexDirectives,
  isSince,
  isWholeServer,
  iterateDescendants,
  listConnectionTls,
  type Project,
  type Scope,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineVariant,
  getOrCreate,
  isWindowsPath,
  isWithin,
  quoteText,
  type RuleContext,
  replaceSpan,
  resolvePath,
  stripTrailingSlash,
} from "../../src/lint/api/rule.js";
import { ContradictionFinder } from "./contradictions.js";
import { type FaultText, faultOfContradiction, faults } from "./faults.js";

const titleOf = (section: Directive) =>
  section.key.endsWith("if") ? formatLineTitle(section) : quoteText(`${section.name} ${section.argumentText.trim()}`);

const NEVER = "never matches a request";

const messages = {
  accessControl: (section: Directive, { what = NEVER, why, remedy }: FaultText) => ({
    message: `${titleOf(section)} ${what}`,
    notes: [why, "its access rules do not protect anything"],
    help: [remedy],
  }),
  always: (section: Directive, { what = NEVER, why, remedy }: FaultText) => ({
    message: `${titleOf(section)} ${what}`,
    notes: [why, "the condition has no effect"],
    help: [remedy],
  }),
  settings: (section: Directive, { what = NEVER, why, remedy }: FaultText) => ({
    message: `${titleOf(section)} ${what}`,
    notes: [why, "its contents have no effect"],
    help: [remedy],
  }),
};

const labels = { other: "matches other requests" };

const fixTitles = { replace: (text: string) => `Replace with ${quoteText(text)}` };

export const neverMatchingSection = defineVariant({
  id: "never-matching-section",
  // Nobody is asked for a password there.
  supersedes: ["credentials-in-clear"],
  messages,
  check: ({ project, files, release, report }) => {
    const documentRoots = new Set<string>();
    const served = new ServedDirectories(project);
    const contradictions = new ContradictionFinder((host) => listConnectionTls(project).get(host));
    const locations: Directive[] = [];
    const directories: Directive[] = [];
    const withSpecifiers: Directive[] = [];
    const ofWholeUrls: (readonly [Directive, SectionFault])[] = [];
    let isForwardProxy = false;
    const reportFault = (section: Directive, fault: SectionFault) => {
      const isAccess = holdsAccess(section);
      const { argument, isAlways = false } = fault;
      const describe = isAlways ? messages.always : isAccess ? messages.accessControl : messages.settings;
      report({
        ...(isAccess && !isAlways ? { severity: "error" } : {}),
        message: describe(section, fault),
        span: section.spanOf(fault.word),
        covers: [...iterateDescendants(section.children ?? [])].map(({ span }) => span),
        related: fault.other ? [{ message: labels.other, span: fault.other.span }] : [],
        ...(argument === undefined
          ? {}
          : createFix(fixTitles.replace(argument), "unsafe", replaceSpan(section.spanOf(fault.word), argument))),
      });
    };
    const look = (section: Directive, scope: Scope) => {
      // In that context, the server rejects unknown methods.
      if (scope.inHtaccess && section.key === "<limit") return;
      if (section.key === "<location") locations.push(section);
      if (section.key === "<directory" && files) directories.push(section);
      if (section.key === "<directory" && specifier.test(section.argumentText)) withSpecifiers.push(section);
      const wrong =
        findNesting(section) ??
        checks.get(section.key)?.(section.arguments, scope) ??
        findRepetition(section, scope) ??
        findContradictionIn(section, scope, contradictions);
      if (wrong === undefined || isTemplate(section.argumentText)) return;
      if (wrong.isWholeUrl) ofWholeUrls.push([section, wrong]);
      else reportFault(section, wrong);
    };
    return {
      directives: {
        ...served.directives,
        ...(isSince(release, "2.4") ? Object.fromEntries([...sections].map((key) => [key, look])) : {}),
        documentroot(line) {
          served.add(line);
          const [word] = line.arguments;
          // The name of a directory at the top may be that of a URL path as well.
          if (word && /^\/[^/]+\/./.test(word.value)) documentRoots.add(word.value.replace(/\/+$/, ""));
        },
        proxyrequests({ arguments: [word] }) {
          isForwardProxy ||= word?.value.toLowerCase() === "on";
        },
      },
      end() {
        for (const section of locations) {
          const fault = directoryInLocation(section.arguments, documentRoots);
          if (fault) reportFault(section, fault);
        }
        const urlPaths = files && new UrlPaths([...documentRoots].slice(0, MAX_ROOTS), files);
        for (const section of directories) {
          const isAbandoned = (path: string) => holdsAccess(section) && served.leadsNowhere(path);
          const fault = urlPaths?.findFault(section.arguments, isAbandoned);
          if (fault) reportFault(section, fault);
        }
        const mapped =
          withSpecifiers.length === 0 ? [] : virtualMappings.flatMap((key) => indexDirectives(project).named(key));
        for (const section of withSpecifiers) {
          const fault = specifierIn(section.arguments, mapped);
          if (fault && files?.kindOf(fault.word.value) !== "directory") reportFault(section, fault);
        }
        // The paths of a forward proxy are whole URLs.
        if (!isForwardProxy) for (const [section, wrong] of ofWholeUrls) reportFault(section, wrong);
      },
    };
  },
});

interface SectionFault extends FaultText {
  readonly word: Argument;
  readonly isWholeUrl?: boolean;
}

const checks: ReadonlyMap<string, (words: readonly Argument[], scope: Scope) => SectionFault | undefined> = new Map([
  ["<location", location],
  ["<directory", directory],
  ["<directorymatch", ([word]) => (word ? directoryPattern(word) : undefined)],
  ["<files", files],
  ["<limit", limit],
]);

/** Alternatives in braces, which shells have and httpd does not: no path or name is expected to contain them. */
const braces = /\{[^{}]*,[^{}]*\}/;

const sections: ReadonlySet<string> = new Set([...checks.keys(), "<filesmatch", "<if", "<elseif", "<limitexcept"]);

const unknownPart = /@\w+@|%\w+%|\{\{|\$\{|<%/;

/** Reports whether the value of a template or a variable is in a text. */
function isTemplate(text: string): boolean {
  return unknownPart.test(text) || findPlaceholder(text) !== undefined;
}

function location([word, ...more]: readonly Argument[]): SectionFault | undefined {
  if (word === undefined || more.length > 0) return undefined;
  const { value } = word;
  const url = /^\w+:\/\/[^/]*(\/.*)?$/.exec(value);
  if (url) return { word, ...faults.host(url[1] ?? "/"), isWholeUrl: true };
  const query = /^(\/[^?]*)\?[^=&/?]+=[^/]*$/.exec(value);
  if (query) return { word, ...faults.query(query[1] ?? "/") };
  if (value.startsWith("/") && braces.test(value)) return { word, ...faults.braces("Location", value) };
  // `*` is valid for OPTIONS requests; a wildcard with a slash may match an empty prefix.
  if (value === "" || value === "*" || value.startsWith("/")) return undefined;
  if (/[*?[]/.test(value) && value.includes("/")) return undefined;
  return { word, ...(/[*?[]/.test(value) ? faults.wildcardPath : faults.relativePath(value)) };
}

/** A URL path with the path of the DocumentRoot in it would be that of a copy below the DocumentRoot. */
function directoryInLocation(
  [word, ...more]: readonly Argument[],
  roots: ReadonlySet<string>,
): SectionFault | undefined {
  if (word === undefined || more.length > 0) return undefined;
  const { value } = word;
  return isAtOrBelowAny(value, roots) ? { word, ...faults.directoryInLocation(value) } : undefined;
}

/** Number of document roots in which a path is looked up. */
const MAX_ROOTS = 20;

/** The URL paths of the directories in some document roots. */
class UrlPaths {
  /** The document roots that have a directory of a name, such as `/srv`: most have none, and need no further look-up. */
  private readonly rootsWith = new Map<string, readonly string[]>();

  constructor(
    private readonly roots: readonly string[],
    private readonly files: NonNullable<RuleContext["files"]>,
  ) {}

  /**
   * Finds a path that does not exist, while the directory with that URL does, or one of the same name in a document root.
   *
   * @param isAbandoned whether no URL leads to a path with access rules
   */
  findFault([word, ...more]: readonly Argument[], isAbandoned: (path: string) => boolean): SectionFault | undefined {
    const path = word?.value.replace(/\/+$/, "") ?? "";
    if (word === undefined || more.length > 0 || !/^\/[\w./-]+$/.test(path)) return undefined;
    return this.findUrlPath(word, path) ?? (isAbandoned(path) ? this.findMoved(word, path) : undefined);
  }

  /** Finds the directory with the last names of a path, in a document root. */
  private findMoved(word: Argument, path: string): SectionFault | undefined {
    if (this.files.kindOf(path) !== "missing") return undefined;
    const names = path.slice(1).split("/");
    const ends = names.slice(1).map((_, index) => `/${names.slice(index + 1).join("/")}`);
    for (const end of ends) {
      const root = this.roots.find((each) => this.isDirectory(each + end));
      if (root !== undefined) return { word, ...faults.otherDirectory(path, root + end) };
    }
    return undefined;
  }

  private findUrlPath(word: Argument, path: string): SectionFault | undefined {
    const [first = ""] = /^\/+[^/]*/.exec(path) ?? [];
    const roots = getOrCreate(this.rootsWith, first, () => this.roots.filter((root) => this.isDirectory(root + first)));
    if (roots.length === 0 || this.files.kindOf(path) !== "missing") return undefined;
    const root = roots.find((each) => this.isDirectory(each + path));
    return root === undefined ? undefined : { word, ...faults.urlPath(root + path) };
  }

  private isDirectory(path: string): boolean {
    return this.files.kindOf(path) === "directory";
  }
}

/** The directories that URLs lead to. */
class ServedDirectories {
  private readonly paths = new Set<string>();
  private readonly rewrites: string[] = [];
  private hasOthers = false;
  readonly directives: Readonly<Record<string, (line: Directive) => void>>;

  constructor(private readonly project: Project) {
    const add = (line: Directive) => this.add(line);
    const other = () => {
      this.hasOthers = true;
    };
    this.directives = {
      ...Object.fromEntries(["alias", "scriptalias"].map((key) => [key, add])),
      ...Object.fromEntries(otherMappings.map((key) => [key, other])),
      rewriterule: ({ argumentText }) => this.rewrites.push(argumentText),
    };
  }

  add(line: Directive): void {
    const path = directoryMappingOf(line)?.to;
    if (path !== undefined) this.paths.add(stripTrailingSlash(resolvePath(this.project.serverRoot, path)));
  }

  /** Reports whether no URL leads to a directory or one below it, on a server that is known as a whole. */
  leadsNowhere(path: string): boolean {
    if (this.hasOthers || !isWholeServer(this.project)) return false;
    // A rule of a server may have the path of a file as its target.
    const [top = ""] = /^\/[^/]*/.exec(path) ?? [];
    if (this.rewrites.some((text) => text.includes(`${top}/`))) return false;
    return ![...this.paths].some((each) => isWithin(path, each) || isWithin(each, path));
  }
}

/** Directives whose paths have parts of the name of the host (mod_vhost_alias). */
const virtualMappings = ["virtualdocumentroot", "virtualdocumentrootip", "virtualscriptalias", "virtualscriptaliasip"];

/** A part of the name in such a path (modules/mappers/mod_vhost_alias.c `vhost_alias_interpolate`). */
const specifier = /%(?:p|-?\d\+?(?:\.-?\d\+?)?)/;

/** Finds a section that repeats the path of such a line. @param mapped those lines */
function specifierIn([word, ...more]: readonly Argument[], mapped: readonly Directive[]): SectionFault | undefined {
  const found = word && more.length === 0 ? specifier.exec(word.value) : null;
  if (word === undefined || found === null) return undefined;
  const start = word.value.slice(0, found.index + found[0].length);
  if (!start.startsWith("/") || !mapped.some(({ argumentText }) => argumentText.includes(start))) return undefined;
  const pattern = word.value.replace(/[^/]*%[^/]*/g, "*");
  return { word, ...faults.specifierInDirectory(found[0], pattern) };
}

/** Directives that map URLs to paths which depend on the request, or that other modules have. */
const otherMappings = [
  ...["aliasmatch", "scriptaliasmatch", "userdir", "wsgiscriptalias", "wsgiscriptaliasmatch"],
  ...virtualMappings,
];

/** Looks up the path and its parents instead of comparing all directories: a server may have thousands. */
function isAtOrBelowAny(path: string, folders: ReadonlySet<string>): boolean {
  for (let slash = path.indexOf("/", 1); slash >= 0; slash = path.indexOf("/", slash + 1))
    if (folders.has(path.slice(0, slash))) return true;
  return folders.has(path);
}

/**
 * Finds a `<Files>` in a section that is merged after the files of the request (server/request.c `ap_file_walk`,
 * `ap_if_walk`): it is read, but never selected.
 */
function findNesting(section: Directive): SectionFault | undefined {
  if (!section.key.startsWith("<files")) return undefined;
  const [word] = section.arguments;
  if (word === undefined) return undefined;
  for (let outer = section.parent; outer; outer = outer.parent)
    if (/^<(?:files|if|else)/.test(outer.key)) return { word, ...faults.nested(outer) };
  return undefined;
}

/** Lists the sections before an `<ElseIf>` in its chain. */
function listChainBefore(section: Directive, { content }: Scope): readonly Directive[] {
  if (section.key !== "<elseif") return [];
  const siblings = section.parent?.children ?? content;
  const before = siblings.slice(0, siblings.indexOf(section));
  const chain = before.slice(
    Math.max(
      before.findLastIndex(({ key }) => key === "<if"),
      0,
    ),
  );
  return chain.filter(({ key }) => key === "<if" || key === "<elseif");
}

/** Finds an `<ElseIf>` with the condition of an earlier section of its chain. */
function findRepetition(section: Directive, scope: Scope): SectionFault | undefined {
  const [word] = section.arguments;
  const isRepeated = listChainBefore(section, scope).some((other) => other.argumentText === section.argumentText);
  return isRepeated && word ? { word, ...faults.repeatedCondition } : undefined;
}

/** Finds a condition or methods that do not fit each other, the sections around them, or the values of a variable. */
function findContradictionIn(
  section: Directive,
  scope: Scope,
  contradictions: ContradictionFinder,
): SectionFault | undefined {
  const [word] = section.arguments;
  if (word === undefined || !/^<(?:if|elseif|limit)/.test(section.key)) return undefined;
  const contradiction = contradictions.find(section, listChainBefore(section, scope));
  if (contradiction === undefined) return undefined;
  const isWholeUrl = contradiction.kind === "values" && contradiction.variable === "REQUEST_URI";
  return { word, ...faultOfContradiction(section, contradiction), isWholeUrl };
}

/** A pattern that ends with the name of a directory: a name without an extension, or that of a version control system. */
const directoryEnd =
  /(?:\/\)?(?:\\?\.)?|\\?\.(?=\(?(?:\?:)?(?:git|svn|hg|bzr)\b))(?:[\w-]+|\((?:\?:)?[\w-]+(?:\|[\w-]+)*\))(?:\/\??)?\$$/;

/** Finds a pattern that stops after a directory, while paths of files continue (`ap_directory_walk` on 2.4). */
function directoryPattern(word: Argument): SectionFault | undefined {
  const { value } = word;
  if (!directoryEnd.test(value) || value.replace(/\([^()]*\)/g, "").includes("|")) return undefined;
  return { word, ...faults.directoryEnd(value.replace(/(?:\/\??)?\$$/, "(/|$)")) };
}

function directory([word, ...more]: readonly Argument[]): SectionFault | undefined {
  const [pattern] = more;
  if (word?.value === "~" && pattern) return directoryPattern(pattern);
  if (word === undefined || more.length > 0) return undefined;
  const { value } = word;
  if (/^https?:\/\//i.test(value)) return { word, ...faults.url };
  if (value.startsWith("/") && braces.test(value)) return { word, ...faults.braces("Directory", value) };
  // Backends of 1.3, and values that may match everything.
  if (value === "" || value === "*" || value.startsWith("/") || /^[a-z]+:/i.test(value)) return undefined;
  if (isWindowsPath(value)) return undefined;
  if (/^\^\//.test(value)) return { word, ...faults.directoryPattern(value) };
  return { word, ...faults.relativeDirectory };
}

function files([word, ...more]: readonly Argument[], { inHtaccess }: Scope): SectionFault | undefined {
  if (word === undefined || more.length > 0) return undefined;
  // No file is expected to have a name with these characters at these places.
  if (/^\^|\$$|\|/.test(word.value)) return { word, ...faults.regularExpression(word.value) };
  if (braces.test(word.value) && !word.value.includes("/")) return { word, ...faults.braces("Files", word.value) };
  if (/,\s/.test(word.value)) return { word, ...faults.severalNames(word.value.split(/,\s*/).filter(Boolean)) };
  const compared = canonicalizeName(word.value);
  if (!compared.includes("/")) return undefined;
  const slash = compared.lastIndexOf("/");
  const [folder, name] = [compared.slice(0, slash), compared.slice(slash + 1)];
  if (inHtaccess)
    return {
      word,
      ...(name === "" ? faults.folderInHtaccess(folder) : faults.fileWithFolderInHtaccess(name, folder)),
    };
  return { word, ...(name === "" ? faults.folder : faults.fileWithFolder(name, folder)) };
}

/** Checks the method names: they are case-sensitive, and a name in lower case is a separate method. */
function limit(words: readonly Argument[]): SectionFault | undefined {
  const [first, ...others] = words.filter(({ value }) => methods.has(value.toUpperCase()) && !methods.has(value));
  if (first === undefined || others.length + 1 < words.length) return undefined;
  return { word: first, ...faults.lowerCaseMethod(first.value, words) };
}

const methods: ReadonlySet<string> = new Set(
  "GET HEAD PUT POST DELETE CONNECT OPTIONS TRACE PATCH PROPFIND".split(" "),
);

const accessNames: ReadonlySet<string> = new Set([...compatDirectiveNames, "require", "sslrequiressl", "sslrequire"]);

function holdsAccess({ children = [] }: Directive): boolean {
  return children.some((each) => accessNames.has(each.key) || holdsAccess(each));
}
