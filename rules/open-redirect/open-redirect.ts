import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import type { Directive, ScopeKind } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, type Edit, quoteLike, replaceSpan, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  chosen: (line: Directive, { target }: OpenTarget, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} redirects to a host that the client chooses`,
    notes: [`${describeAnswer(answer)} with \`Location: ${toReadable(target)}${SUFFIX}\``],
    help: [`add a slash after the host: \`${toReadable(target)}/\``],
  }),
};

const fixTitle = "Add a slash after the host";

export const openRedirect = defineRule({
  id: "open-redirect",
  title: "Redirect to a host that the client chooses",
  group: "exposure",
  severity: "warning",
  description:
    "The target of a redirect does not have a slash after the host, so that the path of the request continues the host name.",
  help: "A link to your site leads to another one: `/.evil.example/` becomes `https://www.example.com.evil.example/`. Phishing mails use such links. Add a slash after the host.",
  securitySeverity: 5.4,
  references: { cwe: [601] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["redirect", "redirectpermanent", "redirecttemp", "redirectmatch", "rewriterule"],
      *check({ line, scope, server }, client) {
        const open = findOpenTarget(line, scope.place);
        const answer = open && client.ask(server, { path: `${open.start}${SUFFIX}` });
        if (open === undefined || answer === undefined || !answer.decidedBy.includes(line)) return;
        if (answer.status < 301 || answer.status > 308) return;
        const fix = createFix(fixTitle, "unsafe", addSlash(line, open));
        yield { message: messages.chosen(line, open, answer), span: line.span, witness: witnessOf(answer), ...fix };
      },
    },
  }),
});

/** Continues a host name to one that another person may own. */
const SUFFIX = ".evil.example/";

interface OpenTarget {
  /** The path before the part that is appended to the target. */
  readonly start: string;
  /** A scheme and a host. */
  readonly target: string;
}

/** Adds a slash if the path that is appended begins after one: `/old/` and `https://example.com/`. */
function addSlash(line: Directive, { start, target }: OpenTarget): Edit | undefined {
  const argument = line.arguments.find(({ value }) => value.startsWith(target));
  if (argument === undefined || !start.endsWith("/")) return undefined;
  const fixed = `${target}/${argument.value.slice(target.length)}`;
  return replaceSpan(line.spanOf(argument), quoteLike(argument, fixed));
}

const url = String.raw`(https?:\/\/[^/?#$%\s]+)`;
const wholeUrl = new RegExp(`^${url}$`, "i");
const urlWithGroup = new RegExp(String.raw`^${url}\$1$`, "i");

function findOpenTarget({ key, arguments: words }: Directive, place: ScopeKind): OpenTarget | undefined {
  const [from, to] = words.length > 2 && key.startsWith("redirect") ? words.slice(1) : words;
  const path = from?.value ?? "";
  if (key !== "redirectmatch" && key !== "rewriterule") {
    const target = wholeUrl.exec(to?.value ?? "")?.[1];
    return target !== undefined && path.endsWith("/") ? { start: path, target } : undefined;
  }
  const target = urlWithGroup.exec(to?.value ?? "")?.[1];
  const isRelative = key === "rewriterule" && place !== "server" && place !== "virtualhost";
  const literal = isRelative ? /^\^?([\w./-]*)\(\.[*+]\)/ : /^\^(\/[\w./-]*)\(\.[*+]\)/;
  const start = literal.exec(path)?.[1];
  if (target === undefined || start === undefined) return undefined;
  return { start: isRelative ? `/${start}` : start, target };
}
