import {
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, iterateDirectives, type Project, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  granted: (line: Directive, header: string, denied: DefiniteAnswer, granted: DefiniteAnswer) => ({
    message: `a \`${header}\` header is enough for ${formatLineTitle(line)}`,
    notes: [
      describeAnswer(granted),
      `without the header, the status is ${denied.status}`,
      "clients send any header they like",
    ],
    help: [
      "require a user or a client address, such as `Require ip`; use `RemoteIPHeader` for addresses behind a proxy",
    ],
  }),
};

const labels = { sets: "the variable is set here" };

export const headerGrantsAccess = defineRule({
  id: "header-grants-access",
  title: "Access depends on a header of the client",
  group: "exposure",
  severity: "warning",
  description: "User-Agent, Referer, X-Forwarded-For or a similar header is enough to get access.",
  help: "Every client can send such a header. Require a user, an address or a client certificate as well.",
  securitySeverity: 6.5,
  references: { cwe: [290, 807] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["require", "allow"],
      *check({ line, scope, server, context: { project } }, client) {
        const headers = isForImages(scope) ? [] : findHeaders(line, project);
        const path = headers.length === 0 ? undefined : client.findPathInto(scope, server);
        const denied = path === undefined ? undefined : client.ask(server, { path });
        if (path === undefined || (denied?.status !== 401 && denied?.status !== 403)) return;
        for (const header of headers.slice(0, MAX_HEADERS)) {
          const granted = client.ask(server, { path, headers: { [header.name]: header.value } });
          if (granted?.status !== 200 || !granted.decidedBy.includes(line)) continue;
          const related = header.line === line ? [] : [{ message: labels.sets, span: header.line.span }];
          const message = messages.granted(line, header.name, denied, granted);
          yield { message, span: line.span, related, witness: witnessOf(granted) };
          return;
        }
      },
    },
  }),
});

/** A header with a value that a line tests for. */
interface TestedHeader {
  readonly name: string;
  readonly value: string;
  readonly line: Directive;
}

/** Number of headers to try: lines of other virtual hosts may set the same variable. */
const MAX_HEADERS = 10;

/** Headers that clients or proxies set for other purposes; a header of an own name may be a shared secret. */
const freeHeaders = /^(?:user-agent|referer|x-forwarded-for|x-real-ip|client-ip|x-client-ip|true-client-ip)$/i;

/** Reports whether a section protects images against use by other sites, which is not meant to deny clients. */
function isForImages({ section }: Scope): boolean {
  return /(?:^|[^a-z])(?:gif|jpe?g|png|webp|mp[34])(?![a-z])/i.test(section?.argumentText ?? "");
}

function findHeaders(line: Directive, project: Project): readonly TestedHeader[] {
  const [first = "", ...words] = line.arguments.map(({ value }) => value);
  if (line.key === "require" && first === "expr") return headersInExpression(line, words.join(" "));
  const isEnv = line.key === "require" && first === "env";
  const names = isEnv
    ? words
    : line.key === "allow"
      ? words.flatMap((word) => /^env=([^!].*)$/i.exec(word)?.[1] ?? [])
      : [];
  if (names.length === 0) return [];
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return [...iterateDirectives(project)].flatMap((each) => headersSetting(each, wanted));
}

/** Returns the header with which a SetEnvIf or BrowserMatch line sets one of some variables. @param names in lower case */
function headersSetting(line: Directive, names: ReadonlySet<string>): readonly TestedHeader[] {
  const words = line.arguments.map(({ value }) => value);
  const isAgent = line.key === "browsermatch" || line.key === "browsermatchnocase";
  if (!isAgent && line.key !== "setenvif" && line.key !== "setenvifnocase") return [];
  const [name = "", pattern = "", ...variables] = isAgent ? ["User-Agent", ...words] : words;
  if (!variables.some((each) => names.has(each.replace(/=.*/s, "").toLowerCase()))) return [];
  const value = freeHeaders.test(name) ? samplePattern(pattern) : undefined;
  return value === undefined ? [] : [{ name, value, line }];
}

const headerTest =
  /%\{(?:(?:HTTP|req):([\w-]+)|HTTP_(USER_AGENT|REFERER))\}\s*(?:={1,2}\s*(?:'([^']*)'|"([^"]*)")|=~\s*\/((?:[^/\\]|\\.)*)\/)/gi;

function headersInExpression(line: Directive, text: string): readonly TestedHeader[] {
  return [...text.matchAll(headerTest)].flatMap(([, named, usual, single, double, pattern]) => {
    const name = named ?? usual?.replace("_", "-") ?? "";
    const value = pattern === undefined ? (single ?? double) : samplePattern(pattern);
    return freeHeaders.test(name) && value ? [{ name, value, line }] : [];
  });
}
