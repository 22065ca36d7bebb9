import { compatDirectiveNames } from "../../src/rule-api/access.js";
import type { Argument, Directive, Scope } from "../../src/rule-api/configuration.js";
import { defineRule, formatWordList, quoteText, toReadable } from "../../src/rule-api/rule.js";

/** Why a section never matches, as a clause, and the remedy, as an imperative clause. */
interface FaultText {
  readonly why: string;
  readonly remedy: string;
}

const NO_SLASH = "`<Files>` compares file names, which do not contain `/`";

const faults = {
  host: (path: string): FaultText => ({
    why: "`<Location>` compares the URL path without the host",
    remedy: `use ${quoteText(path)}`,
  }),
  query: (path: string): FaultText => ({
    why: "`<Location>` compares the URL path without the query, and `?` matches one character",
    remedy: `use ${quoteText(path)}, and test the query with \`<If "%{QUERY_STRING} =~ …">\` in the section`,
  }),
  wildcardPath: {
    why: "a URL path begins with `/`, which wildcards do not match",
    remedy: "use a regular expression with `<LocationMatch>`",
  },
  relativePath: (path: string): FaultText => ({
    why: "a URL path begins with `/`",
    remedy: `use ${quoteText(`/${path}`)}`,
  }),
  relativeDirectory: {
    why: "a directory path begins with `/`, and httpd does not prepend the ServerRoot",
    remedy: "use the absolute path",
  },
  url: {
    why: "`<Directory>` compares the path of a directory, not a URL",
    remedy: "use the path of the directory, or a `<Location>` section",
  },
  directoryInLocation: (path: string): FaultText => ({
    why: "`<Location>` compares the URL path, not the path of a file",
    remedy: `use ${quoteText(`<Directory "${path}">`)}`,
  }),
  folder: { why: NO_SLASH, remedy: "use a `<Directory>` section" },
  fileWithFolder: (name: string, folder: string): FaultText => ({
    why: NO_SLASH,
    remedy: `use \`<Files>\` with ${quoteText(name)} in a \`<Directory>\` section for ${folder === "" ? "its directory" : quoteText(folder)}`,
  }),
  regularExpression: (pattern: string): FaultText => ({
    why: "`<Files>` compares the name with a wildcard pattern, not with a regular expression",
    remedy: `use ${quoteText(`<FilesMatch "${pattern}">`)}`,
  }),
  severalNames: (names: readonly string[]): FaultText => ({
    why: "`<Files>` compares one name, and the comma is part of it",
    remedy: `use one section for each of ${formatWordList(names.map(quoteText))}, or \`<FilesMatch>\``,
  }),
  lowerCaseMethod: (method: string, all: readonly Argument[]): FaultText => ({
    why: `method names are case-sensitive, and clients send ${quoteText(method.toUpperCase())}`,
    remedy: `use ${quoteText(
      all
        .map(({ value }) => value)
        .join(" ")
        .toUpperCase(),
    )}`,
  }),
};

const titleOf = ({ name, argumentText }: Directive) => `\`${toReadable(name)} ${toReadable(argumentText.trim())}\``;

const messages = {
  accessControl: (section: Directive, { why, remedy }: FaultText) => ({
    message: `${titleOf(section)} never matches a request`,
    notes: [why, "its access rules do not protect anything"],
    help: [remedy],
  }),
  settings: (section: Directive, { why, remedy }: FaultText) => ({
    message: `${titleOf(section)} never matches a request`,
    notes: [why, "its contents have no effect"],
    help: [remedy],
  }),
};

export const neverMatchingSection = defineRule({
  id: "never-matching-section",
  title: "Section never matches a request",
  group: "access",
  severity: "warning",
  description:
    "A `<Location>`, `<Directory>`, `<Files>` or `<Limit>` with a path, name or method that no request can have.",
  help: "httpd accepts the section, but it silently never matches, and access rules in it do not protect anything. A URL path or a directory begins with `/`. A URL path contains neither host nor query, and a file name does not contain `/`. Method names are upper-case.",
  tags: ["access-control", "correctness", "security"],
  securitySeverity: 7,
  messages,
  check: ({ release, report }) => {
    const documentRoots = new Set<string>();
    const locations: Directive[] = [];
    const ofWholeUrls: (readonly [Directive, SectionFault])[] = [];
    let isForwardProxy = false;
    const reportFault = (section: Directive, fault: SectionFault) => {
      const isAccess = holdsAccess(section);
      report({
        ...(isAccess ? { severity: "error" } : {}),
        message: isAccess ? messages.accessControl(section, fault) : messages.settings(section, fault),
        span: section.spanOf(fault.word),
      });
    };
    const look = (section: Directive, { inHtaccess }: Scope) => {
      // In that context, the server rejects unknown methods.
      if (inHtaccess && section.key === "<limit") return;
      if (section.key === "<location") locations.push(section);
      const wrong = checks.get(section.key)?.(section.arguments);
      if (wrong === undefined || placeholder.test(section.argumentText)) return;
      if (wrong.isWholeUrl) ofWholeUrls.push([section, wrong]);
      else reportFault(section, wrong);
    };
    return {
      forName: ({ key }) => (release === "2.4" && checks.has(key) ? look : undefined),
      directives: {
        documentroot({ arguments: [word] }) {
          // The name of a directory at the top may be that of a URL path as well.
          if (word && /^\/[^/]+\/./.test(word.value)) documentRoots.add(word.value.replace(/\/+$/, ""));
        },
        proxyrequests({ arguments: [word] }) {
          isForwardProxy ||= word?.value.toLowerCase() === "on";
        },
      },
      project() {
        for (const section of locations) {
          const fault = directoryInLocation(section.arguments, documentRoots);
          if (fault) reportFault(section, fault);
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

const checks: ReadonlyMap<string, (words: readonly Argument[]) => SectionFault | undefined> = new Map([
  ["<location", location],
  ["<directory", directory],
  ["<files", files],
  ["<limit", limit],
]);

/** The value of a template or a variable is unknown. */
const placeholder = /@\w+@|%\w+%|\{\{|\$\{|<%/;

function location([word, ...more]: readonly Argument[]): SectionFault | undefined {
  if (word === undefined || more.length > 0) return undefined;
  const { value } = word;
  const url = /^\w+:\/\/[^/]*(\/.*)?$/.exec(value);
  if (url) return { word, ...faults.host(url[1] ?? "/"), isWholeUrl: true };
  const query = /^(\/[^?]*)\?[^=&/?]+=[^/]*$/.exec(value);
  if (query) return { word, ...faults.query(query[1] ?? "/") };
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
  const isInside = [...roots].some((root) => word.value === root || word.value.startsWith(`${root}/`));
  return isInside ? { word, ...faults.directoryInLocation(word.value) } : undefined;
}

function directory([word, ...more]: readonly Argument[]): SectionFault | undefined {
  if (word === undefined || more.length > 0) return undefined;
  const { value } = word;
  if (/^https?:\/\//i.test(value)) return { word, ...faults.url };
  // Windows drives, backends of 1.3, and values that may match everything.
  if (value === "" || value === "*" || value.startsWith("/") || /^[a-z]+:/i.test(value)) return undefined;
  return { word, ...faults.relativeDirectory };
}

function files([word, ...more]: readonly Argument[]): SectionFault | undefined {
  if (word === undefined || more.length > 0) return undefined;
  // No file is expected to have a name with these characters at these places.
  if (/^\^|\$$/.test(word.value)) return { word, ...faults.regularExpression(word.value) };
  if (/,\s/.test(word.value)) return { word, ...faults.severalNames(word.value.split(/,\s*/).filter(Boolean)) };
  if (!word.value.includes("/")) return undefined;
  const slash = word.value.lastIndexOf("/");
  const [folder, name] = [word.value.slice(0, slash), word.value.slice(slash + 1)];
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
