import { compatDirectiveNames } from "../../src/rule-api/access.js";
import type { Argument, Directive, Scope } from "../../src/rule-api/configuration.js";
import { defineRule, quoteText, toReadable } from "../../src/rule-api/rule.js";

/** Why a section matches nothing, and the remedy, as clauses. */
interface FaultText {
  readonly why: string;
  readonly remedy: string;
}

const NO_SLASH = "`<Files>` compares the name of a file, and no `/` stands in one";

const faults = {
  host: (path: string): FaultText => ({
    why: "`<Location>` compares the URL path without the host",
    remedy: `write ${quoteText(path)}`,
  }),
  query: (path: string): FaultText => ({
    why: "`<Location>` compares the URL path without the query, and `?` stands for a character",
    remedy: `write ${quoteText(path)}, and ask for the query with \`<If "%{QUERY_STRING} =~ …">\` in it`,
  }),
  wildcardPath: {
    why: "a URL path begins with `/`, which no wildcard stands for",
    remedy: "write it as a pattern, with `<LocationMatch>`",
  },
  relativePath: (path: string): FaultText => ({
    why: "a URL path begins with `/`",
    remedy: `write ${quoteText(`/${path}`)}`,
  }),
  relativeDirectory: {
    why: "a directory's path begins with `/`",
    remedy: "write the whole path, which the ServerRoot is not put in front of",
  },
  folder: { why: NO_SLASH, remedy: "write a `<Directory>` section" },
  fileWithFolder: (name: string, folder: string): FaultText => ({
    why: NO_SLASH,
    remedy: `write \`<Files>\` with ${quoteText(name)} in a \`<Directory>\` section for ${folder === "" ? "its folder" : quoteText(folder)}`,
  }),
  lowerCaseMethod: (method: string, all: readonly Argument[]): FaultText => ({
    why: `case counts in the names of methods, and clients send ${quoteText(method.toUpperCase())}`,
    remedy: `write ${quoteText(
      all
        .map(({ value }) => value)
        .join(" ")
        .toUpperCase(),
    )}`,
  }),
};

const titleOf = ({ name, argumentText }: Directive) => `\`${toReadable(name)} ${toReadable(argumentText.trim())}\``;

const messages = {
  accessControl: (section: Directive, { why, remedy }: FaultText) =>
    `${why}, so ${titleOf(section)} applies to no request and the access control in it protects nothing; ${remedy}`,
  settings: (section: Directive, { why, remedy }: FaultText) =>
    `${why}, so ${titleOf(section)} applies to no request and what stands in it has no effect; ${remedy}`,
};

export const neverMatchingSection = defineRule({
  id: "never-matching-section",
  title: "A section that applies to nothing",
  severity: "warning",
  description:
    "A `<Location>`, `<Directory>`, `<Files>` or `<Limit>` with a path, a name or a method that no request can have.",
  help: "The server takes the section, compares and finds nothing by it, without a word: access control in it protects nothing. A URL path and a directory begin with `/`, a URL path has no host and no query in it, a file's name no `/`, and methods are written in capitals.",
  tags: ["access-control", "correctness", "security"],
  securitySeverity: 7,
  messages,
  check: ({ release, report }) => {
    const ofWholeUrls: (readonly [Directive, SectionFault])[] = [];
    let isForwardProxy = false;
    const tell = (section: Directive, fault: SectionFault) => {
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
      const wrong = checks.get(section.key)?.(section.arguments);
      if (wrong === undefined || placeholder.test(section.argumentText)) return;
      if (wrong.isWholeUrl) ofWholeUrls.push([section, wrong]);
      else tell(section, wrong);
    };
    return {
      forName: ({ key }) => (release === "2.4" && checks.has(key) ? look : undefined),
      directives: {
        proxyrequests({ arguments: [word] }) {
          isForwardProxy ||= word?.value.toLowerCase() === "on";
        },
      },
      project() {
        // The paths of a forward proxy are whole URLs.
        if (!isForwardProxy) for (const [section, wrong] of ofWholeUrls) tell(section, wrong);
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

function directory([word, ...more]: readonly Argument[]): SectionFault | undefined {
  if (word === undefined || more.length > 0) return undefined;
  const { value } = word;
  // Windows drives, backends of 1.3, and values that may match everything.
  if (value === "" || value === "*" || value.startsWith("/") || /^[a-z]+:/i.test(value)) return undefined;
  return { word, ...faults.relativeDirectory };
}

function files([word, ...more]: readonly Argument[]): SectionFault | undefined {
  if (word === undefined || more.length > 0 || !word.value.includes("/")) return undefined;
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
