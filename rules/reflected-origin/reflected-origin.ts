import {
  type DefiniteAnswer,
  describeRequest,
  formatLineTitle,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  type HeaderLine,
  iterateDirectives,
  type Project,
  parseHeaderLine,
} from "../../src/lint/api/configuration.js";
import { defineRule, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  reflected: (line: Directive, origin: string, answer: DefiniteAnswer, hasCredentials: boolean) => ({
    message: `${formatLineTitle(line)} allows \`${toReadable(origin)}\``,
    notes: [
      `the response to ${describeRequest(answer.request)} allows this origin`,
      hasCredentials
        ? "pages of that site read responses with the cookies of its visitors"
        : "pages of that site read responses without cookies, as with `*`",
    ],
    help: ["compare the whole origin: `^https://www\\.example\\.com$`"],
  }),
};

export const reflectedOrigin = defineRule({
  id: "reflected-origin",
  title: "Any origin is allowed to read responses",
  group: "exposure",
  severity: "warning",
  description: "The Origin header of the client is copied to Access-Control-Allow-Origin, without a complete check.",
  help: "Browsers then let pages of any site read the responses, with the cookies of the user if Access-Control-Allow-Credentials is set. Compare the whole origin with a list.",
  securitySeverity: 6.5,
  references: { cwe: [942] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["header"],
      *check({ line, scope, server, context: { project } }, client) {
        const header = parseHeaderLine(line, false);
        if (header.name !== allowOrigin || !/^(?:%\{[\w-]+\}e|expr=.*origin.*)$/i.test(header.value)) return;
        const path = client.findPathInto(scope, server);
        if (path === undefined) return;
        for (const origin of listForeignOrigins(project)) {
          const answer = client.ask(server, { path, headers: { Origin: origin } });
          if (answer?.status !== 200 || valueIn(answer, header) !== origin || isOverridden(answer, header)) continue;
          const hasCredentials = listHeaders(answer).some(
            ({ name, value }) => name === allowCredentials && value === "true",
          );
          const message = messages.reflected(line, origin, answer, hasCredentials);
          yield {
            ...(hasCredentials ? {} : { severity: "info" }),
            message,
            span: line.span,
            witness: witnessOf(answer),
          };
          return;
        }
      },
    },
  }),
});

const allowOrigin = "access-control-allow-origin";
const allowCredentials = "access-control-allow-credentials";

function listHeaders({ layers }: DefiniteAnswer): readonly HeaderLine[] {
  const lines = layers.flatMap(({ directives }) => directives.filter(({ key }) => key === "header"));
  return lines.map((each) => parseHeaderLine(each, false));
}

/** Returns the value of a header in a response; undefined if the line does not apply, or if the value is unknown. */
function valueIn({ env, request }: DefiniteAnswer, { value, directive, isLimited }: HeaderLine): string | undefined {
  const condition = directive.arguments
    .map((word) => word.value)
    .findLast((word) => /^(?:env|expr)=|^early$/i.test(word));
  const [, not, variable] = /^env=(!?)(.*)$/i.exec(condition ?? "") ?? [];
  const own = /^expr=%\{(?:req|http|req_novary):origin\}$/i.test(value) ? request.headers?.["Origin"] : undefined;
  if (own !== undefined && condition === value) return own;
  if (isLimited && (variable === undefined || env.has(variable.toLowerCase()) !== (not === ""))) return undefined;
  const known = env.get(/^%\{(.*)\}e$/.exec(value)?.[1]?.toLowerCase() ?? "");
  return own ?? (typeof known === "string" ? known : undefined);
}

/** Reports whether a later line sets or removes the header. */
function isOverridden(answer: DefiniteAnswer, { directive, isAlways }: HeaderLine): boolean {
  const lines = listHeaders(answer);
  const at = lines.findIndex((each) => each.directive === directive);
  return lines.slice(at + 1).some((each) => each.name === allowOrigin && each.isAlways === isAlways);
}

/** Returns origins of foreign sites that patterns for origins may match: any one, and names that contain an own one. */
function listForeignOrigins(project: Project): readonly string[] {
  const samples = [...iterateDirectives(project)].flatMap((line) => {
    const pattern = patternFor(line);
    return (pattern === undefined ? undefined : samplePattern(pattern)) ?? [];
  });
  const extended = samples.flatMap((sample) => {
    const [, scheme = "https://", host = ""] = /^(https?:\/\/)?(.*)$/s.exec(sample) ?? [];
    // A host below an own domain may be one of its owner.
    const before = /^[\w-]+\.[a-z]+$/i.test(host) ? [`${scheme}evil-${host}`] : [];
    return [...before, `${scheme}${host}.evil.example`];
  });
  return ["https://evil.example", ...extended.filter(isOrigin)];
}

/** Returns the pattern with which a line tests the Origin header. */
function patternFor({ key, arguments: [first, second] }: Directive): string | undefined {
  const isTest =
    ((key === "setenvif" || key === "setenvifnocase") && first?.value.toLowerCase() === "origin") ||
    (key === "rewritecond" && /^%\{HTTP:Origin\}$/i.test(first?.value ?? ""));
  return isTest ? second?.value : undefined;
}

/** Reports whether browsers send a text as the origin of a page. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
