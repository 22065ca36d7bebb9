import { type DefiniteAnswer, describeRequest, samplePattern, witnessOf } from "../../src/lint/api/access.js";
import type { Argument, Directive } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText, shortenText } from "../../src/lint/api/rule.js";

const messages = {
  whole: (target: string, { request }: DefiniteAnswer, url: string) => ({
    message: `httpd adds the whole path to ${quoteText(target)}`,
    notes: [
      `${describeRequest(request)} leads to ${quoteText(shortenText(url, 80))}`,
      "without a reference such as `$1`, `ProxyPassMatch` adds all of the path",
    ],
    help: ["put the part that the backend needs in a group, and `$1` at the end of the target"],
  }),
  fileNotExempt: (path: string, url: string) => ({
    message: `requests for ${quoteText(path)} go to the backend: the exception is only for paths below it`,
    notes: [`${quoteText(path)} leads to ${quoteText(shortenText(url, 80))}`],
    help: [`use ${quoteText(path)}, without the slash at its end`],
  }),
};

const labels = { backend: "takes the request" };

/** Finds paths that a backend gets otherwise than written (modules/proxy/mod_proxy.c `ap_proxy_trans_match`). */
export const proxiedPath = defineVariant({
  id: "proxied-path",
  messages,
  check: () => ({
    exposure: {
      fromAnywhere: true,
      holding: ["proxypass", "proxypassmatch"],
      *check({ line, server }, client) {
        const file = exemptFileOf(line);
        if (file !== undefined) {
          const answer = client.ask(server, { path: file });
          const backend = answer?.backend;
          if (answer === undefined || backend === undefined || backend.by === line) return;
          yield {
            message: messages.fileNotExempt(file, backend.url),
            span: line.span,
            related: [{ message: labels.backend, span: backend.by.span }],
            witness: witnessOf(answer),
          };
        }
        const target = targetWithoutGroup(line);
        const sample = target && samplePattern(line.arguments[0]?.value ?? "");
        if (target === undefined || sample === undefined || !/^\/[\w./~-]*$/.test(sample)) return;
        const answer = client.ask(server, { path: sample });
        if (answer?.backend?.by !== line) return;
        const { url } = answer.backend;
        const own = target.value.replace(/^\w+:\/\/[^/]*/, "");
        const isRepeated = own.length > 1 && sample.startsWith(own);
        if (!isRepeated && !/^\w+:\/\/.*\/\//.test(url)) return;
        yield {
          ...(isRepeated ? {} : { severity: "info" as const }),
          message: messages.whole(target.value, answer, url),
          span: line.spanOf(target),
          witness: witnessOf(answer),
        };
      },
    },
  }),
});

/** Returns the path of a file that is written with a slash at its end in an exception. */
function exemptFileOf({ key, arguments: [path, target] }: Directive): string | undefined {
  if (key !== "proxypass" || target?.value !== "!") return undefined;
  return /^(\/[\w./~-]*\.[a-z]\w{1,4})\/$/i.exec(path?.value ?? "")?.[1];
}

/** Returns the target of a ProxyPassMatch without a reference; those of FastCGI need the whole path. */
function targetWithoutGroup({ key, arguments: [, target] }: Directive): Argument | undefined {
  const isUrl = /^(?:https?|wss?|h2c?|ajp|balancer):\/\/[^$%]*$/i.test(target?.value ?? "");
  return key === "proxypassmatch" && isUrl ? target : undefined;
}
