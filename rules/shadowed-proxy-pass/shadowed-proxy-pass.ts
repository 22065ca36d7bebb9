import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, hasWildcard, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule, moveLinesBefore, type Report } from "../../src/lint/api/rule.js";

const messages = {
  shadowed: (line: Directive, by: Directive, answer: DefiniteAnswer, isInSection: boolean) => ({
    message: `${formatLineTitle(line)} never applies: another ProxyPass is used`,
    notes: [`${formatLineTitle(by)} matches the same requests`, `${describeAnswer(answer)} from the backend`],
    help: [
      isInSection
        ? "move this section after the other one: the last matching `<Location>` is used"
        : "move this line before the other one: the first matching ProxyPass is used",
    ],
  }),
};

const fixTitle = "Move this line before the other one";

const labels = { by: "is used instead" };

export const shadowedProxyPass = defineRule({
  id: "shadowed-proxy-pass",
  title: "ProxyPass after one that always applies",
  group: "exposure",
  severity: "warning",
  description:
    "Another ProxyPass matches all requests of this one first, so that an excluded path is passed to the backend.",
  help: "The first matching ProxyPass of a server is used, and the last one of Location sections. Put exceptions with `!` and longer paths first; in Location sections, put them last.",
  securitySeverity: 5.3,
  references: { cwe: [288] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["proxypass"],
      *check({ line, scope, server }, client) {
        const path = pathOf(line, scope);
        const answer = path === undefined ? undefined : client.ask(server, { path });
        const by = answer?.answeredBy === "backend" ? answer.backend?.by : undefined;
        if (answer === undefined || by === undefined || by === line || by.key !== "proxypass") return;
        const text = messages.shadowed(line, by, answer, scope.place === "location");
        yield {
          message: text,
          span: line.span,
          related: [{ message: labels.by, span: by.span }],
          witness: witnessOf(answer),
          ...createMove(line, by),
        };
      },
    },
  }),
});

/** Moves a line before another one of the same server; nothing for lines in other files or sections. */
function createMove(line: Directive, before: Directive): Pick<Report, "fix"> {
  if (line.span.file !== before.span.file || line.parent !== before.parent || isInLocation(line)) return {};
  const edits = moveLinesBefore(line.span, before.span);
  return edits ? { fix: { title: fixTitle, safety: "unsafe", edits } } : {};
}

function isInLocation({ parent }: Directive): boolean {
  return parent?.key.startsWith("<location") === true;
}

/** Returns a path that a line matches; undefined for a pattern. */
function pathOf({ arguments: words }: Directive, { place, section }: Scope): string | undefined {
  const isOwn = place === "location";
  const from =
    isOwn && section?.key === "<location" ? section.arguments[0]?.value : isOwn ? undefined : words[0]?.value;
  if (from === undefined || !from.startsWith("/") || hasWildcard(from) || /[$%]/.test(from)) return undefined;
  return from.endsWith("/") ? `${from}index.html` : from;
}
