import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, hasProxyFlag } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, type Edit, quoteLike, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  chosen: (line: Directive, url: string, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} lets clients choose the backend`,
    notes: [`${describeAnswer(answer)} from \`${url}\``],
    help: ["end the host of the target with a slash, and name the host instead of taking it from the request"],
  }),
};

const fixTitle = "Add a slash after the host";

export const requestChosenBackend = defineRule({
  id: "request-chosen-backend",
  title: "Backend that the client chooses",
  group: "exposure",
  severity: "error",
  description:
    "A part of the request becomes the host of the URL that the server requests, so that clients choose the host.",
  help: "Clients reach hosts of the internal network through the server. Without a slash after the host of the target, the path of the request continues the host name: with `/app/@evil.example/`, the host is `evil.example`, and `backend` its user.",
  securitySeverity: 9.1,
  references: { cwe: [918] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["proxypass", "proxypassmatch", "rewriterule"],
      *check({ line, server }, client) {
        const start = findStart(line);
        if (start === undefined) return;
        for (const request of [
          { path: `${start}@${HOST}/` },
          { path: `${start}${HOST}/` },
          { path: `${start}/${HOST}/` },
          { path: `${start}index.html`, host: HOST },
        ]) {
          // The client chooses a host that exists.
          const answers = client.askAll(server, request);
          const answer = answers.find(({ answeredBy }) => answeredBy === "backend");
          const { backend } = answer ?? {};
          if (!answer || !backend || hostOf(backend.url) !== HOST || answers.some((each) => each.backend?.by !== line))
            continue;
          const fix = createFix(fixTitle, "unsafe", addSlash(line));
          yield {
            message: messages.chosen(line, backend.url, answer),
            span: line.span,
            witness: witnessOf(answer),
            ...fix,
          };
          return;
        }
      },
    },
  }),
});

/** Adds a slash after a fixed host if the path that is appended begins after one: `/app/` and `http://backend`. */
function addSlash(line: Directive): Edit | undefined {
  const [from, to] = line.arguments;
  const [, host, rest] = /^([a-z\d]+:\/\/[^/?#$%]+)(\$1)?$/i.exec(to?.value ?? "") ?? [];
  const isAfterSlash =
    rest === undefined ? from?.value.endsWith("/") : /^\^?\/(?:[\w.-]+\/)*\(\.[*+]\)/.test(from?.value ?? "");
  if (to === undefined || host === undefined || !isAfterSlash) return undefined;
  const fixed = `${host}/${rest ?? ""}`;
  return replaceSpan(line.spanOf(to), quoteLike(to, fixed));
}

/** A host that only a request can name: reserved for documentation. */
const HOST = "evil.example";

/** Returns the beginning of the paths that a line matches; undefined if its target cannot vary in its host. */
function findStart({ key, arguments: [from, to], argumentText }: Directive): string | undefined {
  const authority = /^(?:https?|wss?|ajp|fcgi|scgi|uwsgi|h2c?):\/\/([^/?#]*)/i.exec(to?.value ?? "")?.[1];
  if (from === undefined || authority === undefined) return undefined;
  if (key === "proxypass") return from.value.endsWith("/") && to?.value.endsWith(authority) ? from.value : undefined;
  if (key === "rewriterule" && !hasProxyFlag(argumentText)) return undefined;
  return /[$%]/.test(authority) ? (/^\^?(\/[\w./-]*)/.exec(from.value)?.[1] ?? "/") : undefined;
}

function hostOf(url: string): string | undefined {
  return /^[a-z\d]+:\/\/(?:[^/?#]*@)?([^/?#:]*)/i.exec(url)?.[1];
}
