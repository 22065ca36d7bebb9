import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  formatLineTitle,
  type OutsideClient,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, hasProxyFlag, parseRewriteRules } from "../../src/lint/api/configuration.js";
import { nativePath, quoteText, type Report } from "../../src/lint/api/rule.js";

export const refusedMessages = {
  noProxy: (answer: DefiniteAnswer) => ({
    message: "requests of this rule return 403: the flag `P` needs `mod_proxy`, which is not loaded",
    notes: [describeAnswer(answer), "httpd starts without a warning (AH00669)"],
    help: ["load `proxy_module` and the module for the backend, such as `proxy_http_module`"],
  }),
  proxyDenied: (line: Directive, section: Directive, answer: DefiniteAnswer) => ({
    message: `every request for the backend of ${formatLineTitle(line)} returns 403`,
    notes: [
      describeAnswer(answer),
      `${formatLineTitle(section)} also applies to the backends of \`ProxyPass\` and of rules`,
    ],
    help: ["set `ProxyRequests Off` and delete the section: clients then reach only the backends that lines name"],
  }),
  noGrant: (line: Directive, directory: string, by: Directive, answer: DefiniteAnswer) => ({
    message: `every request for a directory of \`${line.name}\` returns 403`,
    notes: [
      describeAnswer(answer),
      `${formatLineTitle(by)} applies to ${quoteText(nativePath(directory))}, and nothing grants access to it`,
    ],
    help: [`add \`Require all granted\` in a ${quoteText(`<Directory "${nativePath(directory)}">`)} section`],
  }),
};

const labels = { backend: "names the backend", denial: "denies access to it, too" };

/** Directives whose requests fail as a whole if another line, or a missing module, refuses them. */
export const refusedDirectives = ["proxypass", "proxypassmatch", "rewriterule", "virtualdocumentroot"] as const;

/** Finds lines whose requests are all refused: a client is answered, and the line that decides is for every client. */
export function* findRefusedRequests({ line, scope, server }: ExposedLine, client: OutsideClient): Generator<Report> {
  const path = pathFor(line) ?? client.findPathInto(scope, server);
  const answer = path === undefined ? undefined : client.ask(server, { path });
  if (answer === undefined || answer.status !== 403) return;
  const witness = witnessOf(answer);
  if (answer.log.includes("AH00669")) {
    yield { severity: "error", message: refusedMessages.noProxy(answer), span: line.span, witness };
    return;
  }
  const by = answer.decidedBy.find(deniesEveryone);
  const section = by?.parent;
  if (by === undefined || section === undefined) return;
  if (line.key === "virtualdocumentroot") {
    const directory = commonDirectoryOf(line);
    if (section.key !== "<directory" || directory === undefined) return;
    const message = refusedMessages.noGrant(line, directory, by, answer);
    yield { message, span: line.span, related: [{ message: labels.denial, span: by.span }], witness };
  } else if (section.key.startsWith("<proxy") && answer.backend?.by === line) {
    const message = refusedMessages.proxyDenied(line, section, answer);
    yield { message, span: by.span, related: [{ message: labels.backend, span: line.span }], witness };
  }
}

/** Returns a URL path that a line was written for; undefined for one of a section. */
function pathFor(line: Directive): string | undefined {
  const [first] = line.arguments;
  if (line.key === "virtualdocumentroot") return "/index.html";
  if (line.key === "rewriterule") {
    const [rule] = hasProxyFlag(line.argumentText) ? parseRewriteRules([line]) : [];
    return rule && !rule.isNegated ? toPath(samplePattern(rule.pattern)) : undefined;
  }
  if (first === undefined) return undefined;
  if (line.key === "proxypassmatch") return toPath(samplePattern(first.value));
  return /^\/[\w./~-]*$/.test(first.value) ? first.value : undefined;
}

function toPath(sample: string | undefined): string | undefined {
  const path = sample === undefined ? undefined : `/${sample.replace(/^\//, "")}`;
  return path !== undefined && /^\/[\w./~-]*$/.test(path) ? path : undefined;
}

/** Reports whether a line denies access, and no line of its section allows a client. */
function deniesEveryone({ key, argumentText, parent }: Directive): boolean {
  const isDenial =
    (key === "require" && /^"?all"?\s+"?denied/i.test(argumentText)) ||
    (key === "deny" && /^from\s+all$/i.test(argumentText));
  const others = parent?.children ?? [];
  return isDenial && others.every((each) => each.key !== "allow" && (each.key !== "require" || key === "require"));
}

/** Returns the directory above those of all names, which is before the first `%`. */
function commonDirectoryOf({ arguments: [word] }: Directive): string | undefined {
  const [, directory] = /^(\/[^%]*)\/[^/%]*%/.exec(word?.value ?? "") ?? [];
  return directory;
}
