import { compatDirectiveNames } from "../../src/rule-api/access.js";
import type { Argument, Directive, Scope } from "../../src/rule-api/configuration.js";
import { defineRule, quoteText, toReadable } from "../../src/rule-api/rule.js";

export const neverMatchingSection = defineRule({
  id: "never-matching-section",
  title: "A section that applies to nothing",
  severity: "warning",
  description:
    "A `<Location>`, `<Directory>`, `<Files>` or `<Limit>` with a path, a name or a method that no request can have.",
  help: "The server takes the section, compares and finds nothing by it, without a word: access control in it protects nothing. A URL path and a directory begin with `/`, a URL path has no host and no query in it, a file's name no `/`, and methods are written in capitals.",
  tags: ["access-control", "correctness", "security"],
  securitySeverity: 7,
  check: ({ release, report }) => {
    const ofWholeUrls: (readonly [Directive, SectionFault])[] = [];
    let isForwardProxy = false;
    const tell = (section: Directive, { word, why, remedy }: SectionFault) => {
      const isAccess = holdsAccess(section);
      const effect = isAccess ? "the access control in it protects nothing" : "what stands in it has no effect";
      report({
        ...(isAccess ? { severity: "error" } : {}),
        message: `${why}, so \`${toReadable(section.name)} ${toReadable(section.argumentText.trim())}\` applies to no request and ${effect}; ${remedy}`,
        span: section.spanOf(word),
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

interface SectionFault {
  readonly word: Argument;
  readonly why: string;
  readonly remedy: string;
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
  if (url) {
    const remedy = `write ${quoteText(url[1] ?? "/")}`;
    return { word, why: "`<Location>` compares the URL path without the host", remedy, isWholeUrl: true };
  }
  const query = /^(\/[^?]*)\?[^=&/?]+=[^/]*$/.exec(value);
  if (query) {
    const path = query[1] ?? "/";
    const remedy = `write ${quoteText(path)}, and ask for the query with \`<If "%{QUERY_STRING} =~ …">\` in it`;
    return {
      word,
      why: "`<Location>` compares the URL path without the query, and `?` stands for a character",
      remedy,
    };
  }
  // `*` is valid for OPTIONS requests; a wildcard with a slash may match an empty prefix.
  if (value === "" || value === "*" || value.startsWith("/")) return undefined;
  if (/[*?[]/.test(value) && value.includes("/")) return undefined;
  const isWildcard = /[*?[]/.test(value);
  const why = isWildcard ? "a URL path begins with `/`, which no wildcard stands for" : "a URL path begins with `/`";
  return {
    word,
    why,
    remedy: isWildcard ? "write it as a pattern, with `<LocationMatch>`" : `write ${quoteText(`/${value}`)}`,
  };
}

function directory([word, ...more]: readonly Argument[]): SectionFault | undefined {
  if (word === undefined || more.length > 0) return undefined;
  const { value } = word;
  // Windows drives, backends of 1.3, and values that may match everything.
  if (value === "" || value === "*" || value.startsWith("/") || /^[a-z]+:/i.test(value)) return undefined;
  const remedy = "write the whole path, which the ServerRoot is not put in front of";
  return { word, why: "a directory's path begins with `/`", remedy };
}

function files([word, ...more]: readonly Argument[]): SectionFault | undefined {
  if (word === undefined || more.length > 0 || !word.value.includes("/")) return undefined;
  const slash = word.value.lastIndexOf("/");
  const [folder, name] = [word.value.slice(0, slash), word.value.slice(slash + 1)];
  const remedy =
    name === ""
      ? "write a `<Directory>` section"
      : `write \`<Files>\` with ${quoteText(name)} in a \`<Directory>\` section for ${folder === "" ? "its folder" : quoteText(folder)}`;
  return { word, why: "`<Files>` compares the name of a file, and no `/` stands in one", remedy };
}

/** Checks the method names: they are case-sensitive, and a name in lower case is a separate method. */
function limit(words: readonly Argument[]): SectionFault | undefined {
  const [first, ...others] = words.filter(({ value }) => methods.has(value.toUpperCase()) && !methods.has(value));
  if (first === undefined || others.length + 1 < words.length) return undefined;
  const written = words.map(({ value }) => value);
  return {
    word: first,
    why: `case counts in the names of methods, and clients send ${quoteText(first.value.toUpperCase())}`,
    remedy: `write ${quoteText(written.join(" ").toUpperCase())}`,
  };
}

const methods: ReadonlySet<string> = new Set(
  "GET HEAD PUT POST DELETE CONNECT OPTIONS TRACE PATCH PROPFIND".split(" "),
);

const accessNames: ReadonlySet<string> = new Set([...compatDirectiveNames, "require", "sslrequiressl", "sslrequire"]);

function holdsAccess({ children = [] }: Directive): boolean {
  return children.some((each) => accessNames.has(each.key) || holdsAccess(each));
}
