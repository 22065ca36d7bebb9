import { formatLineTitle } from "../../src/lint/api/access.js";
import type { Argument, Directive } from "../../src/lint/api/configuration.js";
import { doubleQuote, formatWordList, quoteText } from "../../src/lint/api/rule.js";
import type { Contradiction } from "./contradictions.js";

/** Why a section never matches, as a clause, and the remedy, as an imperative clause. */
export interface FaultText {
  /** The effect of the section if some requests match. */
  readonly what?: string;
  /** Whether the section matches each request, and not none. */
  readonly isAlways?: boolean;
  readonly why: string;
  readonly remedy: string;
  /** The arguments to use instead, if only they change. */
  readonly argument?: string;
  /** A section that matches other requests. */
  readonly other?: Directive;
}

const NO_SLASH = "`<Files>` compares file names, which do not contain `/`";

export const faults = {
  host: (path: string): FaultText => ({
    why: "`<Location>` compares the URL path without the host",
    remedy: `use ${quoteText(path)}`,
    argument: doubleQuote(path),
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
    argument: doubleQuote(`/${path}`),
  }),
  relativeDirectory: {
    why: "a directory path begins with `/`, and httpd does not prepend the ServerRoot",
    remedy: "use the absolute path",
  },
  /** @param specifier as in VirtualDocumentRoot: `%0` */
  specifierInDirectory: (specifier: string, pattern: string): FaultText => ({
    why: `${quoteText(specifier)} is not replaced in a section: only \`VirtualDocumentRoot\` and similar lines do so`,
    remedy: `use a wildcard: ${quoteText(`<Directory "${pattern}">`)}`,
    argument: doubleQuote(pattern),
  }),
  directoryPattern: (pattern: string): FaultText => ({
    why: "`<Directory>` compares the path with a wildcard pattern, not with a regular expression",
    remedy: `use ${quoteText(`<DirectoryMatch "${pattern}">`)}`,
    argument: `~ ${doubleQuote(pattern)}`,
  }),
  /** @param directory the one that exists below a document root */
  otherDirectory: (path: string, directory: string): FaultText => ({
    why: `${quoteText(path)} does not exist, and no URL leads there`,
    remedy: `use ${quoteText(`<Directory "${directory}">`)}`,
  }),
  url: {
    why: "`<Directory>` compares the path of a directory, not a URL",
    remedy: "use the path of the directory, or a `<Location>` section",
  },
  urlPath: (directory: string): FaultText => ({
    why: "`<Directory>` compares the path of a directory, not the path of a URL",
    remedy: `use ${quoteText(`<Directory "${directory}">`)}`,
  }),
  directoryInLocation: (path: string): FaultText => ({
    why: "`<Location>` compares the URL path, not the path of a file",
    remedy: `use ${quoteText(`<Directory "${path}">`)}`,
  }),
  folder: { why: NO_SLASH, remedy: "use a `<Directory>` section" },
  /** A `.htaccess` file must not have `<Directory>`. @param folder without the slash at its end */
  folderInHtaccess: (folder: string): FaultText => ({
    why: NO_SLASH,
    remedy: `put the lines of the section into ${htaccessOf(folder)}`,
  }),
  fileWithFolder: (name: string, folder: string): FaultText => ({
    why: NO_SLASH,
    remedy: `use \`<Files>\` with ${quoteText(name)} in a \`<Directory>\` section for ${folder === "" ? "its directory" : quoteText(folder)}`,
  }),
  fileWithFolderInHtaccess: (name: string, folder: string): FaultText => ({
    why: NO_SLASH,
    remedy: `use \`<Files>\` with ${folder === "" ? `only ${quoteText(name)}` : `${quoteText(name)} in ${htaccessOf(folder)}`}`,
  }),
  regularExpression: (pattern: string): FaultText => ({
    why: "`<Files>` compares the name with a wildcard pattern, not with a regular expression",
    remedy: `use ${quoteText(`<FilesMatch "${pattern}">`)}`,
    argument: `~ ${doubleQuote(pattern)}`,
  }),
  braces: (section: string, pattern: string): FaultText => ({
    why: "wildcard patterns do not have alternatives: httpd compares the braces as characters",
    remedy: `use ${quoteText(`<${section}Match "${convertBraces(pattern)}">`)}`,
    argument: `~ ${doubleQuote(convertBraces(pattern))}`,
  }),
  severalNames: (names: readonly string[]): FaultText => ({
    why: "`<Files>` compares one name, and the comma is part of it",
    remedy: `use one section for each of ${formatWordList(names.map(quoteText))}, or \`<FilesMatch>\``,
  }),
  nested: (outer: Directive): FaultText => ({
    why: `httpd ignores ${quoteText("<Files>")} sections in ${quoteText(`${outer.name}>`)}`,
    remedy: outer.key.startsWith("<files")
      ? "use one section, which matches the inner name"
      : `put ${quoteText(`${outer.name}>`)} into the \`<Files>\` section`,
  }),
  repeatedCondition: {
    why: "an earlier section of the chain has the same condition",
    remedy: "correct the condition, or merge the sections",
  },
  directoryEnd: (pattern: string): FaultText => ({
    what: "does not match the files of the directory",
    why: "the pattern is compared with the path of the requested file, which continues after the directory",
    remedy: `use ${quoteText(pattern)}`,
    argument: doubleQuote(pattern),
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

/** Describes why a condition never holds, or why a section for some methods never applies. */
export function faultOfContradiction({ key, argumentText }: Directive, contradiction: Contradiction): FaultText {
  const what = key.startsWith("<limit") ? "methods" : "condition";
  switch (contradiction.kind) {
    case "values": {
      const { variable, note, isUsual, holds } = contradiction;
      return {
        ...(holds || isUsual ? { what: whatMatches(holds, isUsual) } : {}),
        isAlways: holds,
        why: note,
        remedy: remedyFor(variable, argumentText),
      };
    }
    case "itself":
      return contradiction.holds
        ? {
            what: whatMatches(true, false),
            isAlways: true,
            why: "one of the parts of the condition always holds",
            remedy: "correct the condition: use `&&` if all parts must hold",
          }
        : { why: "the parts of the condition exclude each other", remedy: "correct the condition" };
    case "outer": {
      const { section } = contradiction;
      const isHost = section.key === "<virtualhost";
      return {
        why: isHost
          ? "`%{HTTPS}` has another value for each request to this virtual host"
          : `it is in ${formatLineTitle(section)}, which matches other requests`,
        remedy: `correct the ${what}, or move the section out of ${isHost ? "the virtual host" : formatLineTitle(section)}`,
        other: section,
      };
    }
    case "earlier":
      return {
        why: `${formatLineTitle(contradiction.section)} matches all of its requests, and only the first that matches applies`,
        remedy: "put this section before it",
        other: contradiction.section,
      };
  }
}

function whatMatches(holds: boolean, isUsual: boolean): string {
  return `${holds ? "matches every" : "never matches a"} ${isUsual ? "usual request" : "request"}`;
}

/** A comparison of the address with a network; the last group is the parenthesis of a negation around it only. */
const networkComparison = /(?:(!\s*)\(\s*)?(%\{REMOTE_ADDR\}\s*([=!])=\s*\\?["']([0-9a-f.:]+\/\d+)\\?["'])(\s*\))?/i;

/** Returns the remedy for a condition about a variable that does not have such values. */
function remedyFor(variable: string, condition: string): string {
  if (variable === "REQUEST_URI" && condition.includes("?")) return "test the query with `%{QUERY_STRING}`";
  const [all, negation, comparison, operator, network, end] = networkComparison.exec(condition) ?? [];
  if (network === undefined) return "correct the condition";
  const isNegation = negation !== undefined && end !== undefined;
  const test = `${isNegation === (operator === "=") ? "! " : ""}-R '${network}'`;
  return `use ${quoteText(test)} instead of ${quoteText((isNegation ? all : comparison) ?? "")}`;
}

/** Converts a wildcard pattern with alternatives in braces to a regular expression: `*.{env,ini}` to `\.(env|ini)$`. */
function convertBraces(pattern: string): string {
  const isPath = pattern.startsWith("/");
  const wildcards: Readonly<Record<string, string>> = isPath ? { "*": "[^/]*", "?": "[^/]" } : { "*": ".*", "?": "." };
  const convert = (text: string) => text.replace(/[\\^$.+()|[\]{}*?]/g, (each) => wildcards[each] ?? `\\${each}`);
  const converted = pattern.replace(/\{([^{}]*)\}|[^{]+|\{/g, (part, words: string | undefined) =>
    words === undefined
      ? convert(part)
      : `(${words
          .split(/\s*,\s*/)
          .map(convert)
          .join("|")})`,
  );
  return isPath ? `^${converted}` : `^${converted}$`.replace(/^\^\.\*/, "");
}

/** Names the `.htaccess` file of a folder; its path is known if the folder is below that of this file. */
function htaccessOf(folder: string): string {
  return /^[\w.-]+(?:\/[\w.-]+)*$/.test(folder)
    ? quoteText(`${folder}/.htaccess`)
    : "the `.htaccess` file of that directory";
}
