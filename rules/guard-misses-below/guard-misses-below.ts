import {
  defineExposureRule,
  describeAnswer,
  findDenial,
  formatLineTitle,
  type OutsideAnswer,
  type OutsideClient,
  type OutsideServer,
} from "../../src/rule-api/access.js";
import { type Directive, hasWildcard, type Scope } from "../../src/rule-api/configuration.js";
import { toReadable } from "../../src/rule-api/rule.js";

const messages = {
  missed: (section: Directive, denied: OutsideAnswer, below: OutsideAnswer, remedy: string) => ({
    message: `${formatLineTitle(section)} does not protect the URLs below it`,
    notes: [describeAnswer(denied), describeAnswer(below)],
    help: [remedy],
  }),
};

const assumedFile = (answer: OutsideAnswer) => `this assumes that \`${toReadable(answer.file ?? "")}\` exists`;

export const guardMissesBelow = defineExposureRule({
  id: "guard-misses-below",
  title: "Access rules that miss the URLs below",
  severity: "error",
  description: "A section denies a URL by a wildcard, pattern or condition, and allows the URLs below it.",
  help: 'Wildcards and patterns are compared with the whole URL. `<Location "/*/private">` does not apply to `/a/private/x`. End the pattern in `(/|$)`, or use `<Location>` without wildcards.',
  securitySeverity: 7.5,
  references: { cwe: [425] },
  tags: ["access-control", "security"],
  messages,
  holding: ["require", "deny"],
  *check(exposed, client) {
    const { scope, server } = exposed;
    const { section } = scope;
    const path = section && comparesWholeUrl(scope, section) ? client.findPathInto(scope, server) : undefined;
    if (section === undefined || path === undefined || path === "/") return;
    const denied = findDenial(exposed, client, { path });
    const below = denied && findBelow(denied, path.replace(/\/$/, ""), scope, server, client);
    if (denied === undefined || below === undefined) return;
    const { answer, isAssumed } = below;
    yield {
      message: messages.missed(section, denied, answer, remedyFor(scope, section)),
      span: section.span,
      notes: isAssumed ? [assumedFile(answer)] : [],
      witness: answer.witness,
    };
  },
});

/** Returns whether a section compares the whole URL: by wildcards, a pattern, or a condition. */
function comparesWholeUrl({ place }: Scope, { key, arguments: [first], argumentText }: Directive): boolean {
  if (place === "if") return /REQUEST_URI/i.test(argumentText);
  if (place !== "location" || first === undefined) return false;
  return key === "<locationmatch" || first.value === "~" || hasWildcard(first.value);
}

function remedyFor({ place }: Scope, { key, arguments: [first] }: Directive): string {
  if (place === "if") return "use `<Location>`, which also applies to the URLs below its path";
  return key === "<locationmatch" || first?.value === "~"
    ? "end the pattern in `(/|$)` instead of `$`"
    : "use `<LocationMatch>` with a pattern that ends in `(/|$)`, and `[^/]+` instead of `*`";
}

interface AnswerBelow {
  readonly answer: OutsideAnswer;
  readonly isAssumed: boolean;
}

/** Returns a request below a denied path with a granted answer: from the same backend, program or directory. */
function findBelow(
  { file, backend }: OutsideAnswer,
  path: string,
  scope: Scope,
  server: OutsideServer,
  client: OutsideClient,
): AnswerBelow | undefined {
  const ask = (name: string, files: "assumed" | "disk") => {
    const answer = client.ask(server, { path: `${path}/${name}` }, files);
    return answer?.status === 200 ? { answer, isAssumed: files === "assumed" && backend === undefined } : undefined;
  };
  const last = path.slice(path.lastIndexOf("/"));
  if (backend !== undefined) {
    const below = hasExtension.test(last) && !program.test(last) ? undefined : ask("x", "assumed");
    return below?.answer.backend?.by === backend.by ? below : undefined;
  }
  if (file === undefined || scope.directives.some(({ key }) => targetLines.has(key))) return undefined;
  const name = file.replace(/\/(?:index\.html)?$/, "");
  switch (client.disk?.kindOf(name) ?? "unknown") {
    case "missing":
      return undefined;
    case "directory": {
      const found = client.findFileIn(name);
      const below = found && ask(found.slice(name.length + 1), "disk");
      return below && below.answer.file === found ? below : undefined;
    }
    case "file": {
      const below = ask("x", "disk");
      return below?.answer.answeredBy === "program" ? below : undefined;
    }
    case "unknown": {
      const below = hasExtension.test(last) ? undefined : ask("index.html", "assumed");
      return below?.answer.file === `${name}/index.html` ? below : undefined;
    }
  }
}

/** Lines that answer the URL of the section only, not those below it. */
const targetLines: ReadonlySet<string> = new Set(["sethandler", "proxypass", "proxypassmatch"]);

const hasExtension = /^\/.+\./;
const program = /\.(?:php|cgi|pl|py)$/;
