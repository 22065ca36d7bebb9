import {
  type Argument,
  type Directive,
  findBackendModules,
  hasProxyFlag,
  isDebianLayout,
  type Project,
  parseRewriteWords,
} from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, shortenText } from "../../src/lint/api/rule.js";
import { findBareTarget, findUnusableTarget, type TargetReader, type UnusableTarget } from "./unusable-target.js";

/** How long a target may be in a header. */
const MAX_SHOWN = 40;

const messages = {
  missing: (module: string, url: string, effect: string, advice: string) => ({
    message: `\`${module}\` is not loaded, but the backend ${quoteText(url)} needs it`,
    notes: ["httpd starts without a warning", effect],
    help: [advice],
  }),
  sent: (target: string, remedy: string) => ({
    message: `${quoteText(shortenText(target, MAX_SHOWN))} is not a backend: httpd sends the files themselves`,
    notes: ["httpd starts without a warning", "clients get files as they are, such as the source of scripts"],
    help: [remedy],
  }),
  toItself: (target: string, remedy: string) => ({
    message: `${quoteText(shortenText(target, MAX_SHOWN))} has no scheme: the request goes to this server`,
    notes: [`httpd takes it for a path: the backend is ${quoteText(`http://SERVERNAME/${shortenText(target, 40)}`)}`],
    help: [remedy],
  }),
  noHandler: (target: string) => ({
    message: `no module of mod_proxy is for the scheme of ${quoteText(shortenText(target, MAX_SHOWN))}`,
    notes: ["httpd starts without a warning", effects.request],
    help: ["use a scheme such as `http://` or `fcgi://`"],
  }),
  malformed: (target: string, status: number, code: string, remedy: string) => ({
    message: `requests for ${quoteText(shortenText(target, MAX_SHOWN))} return ${status}`,
    notes: ["httpd starts without a warning", `it cannot use the URL as a backend (${code})`],
    help: [remedy],
  }),
};

const effects = {
  request: "requests for the backend return 500 (AH01144)",
  /** The balancer has no worker that can be used (test/live/startup.live.test.ts). */
  member: "the balancer does not use this member, and without any other it returns 503 (AH00934)",
  handler: "httpd sends the file itself, such as the source of a script",
};

const advices = {
  enable: (module: string) => `run \`a2enmod ${module.replace(/_module$/, "")}\``,
  load: (module: string) => `add a \`LoadModule\` line for \`${module}\``,
};

const labels = { needsModuleToo: "also needs the module" };

export const missingProxyModule = defineRule({
  id: "missing-proxy-module",
  title: "Backend that httpd cannot use",
  group: "startup",
  severity: "error",
  description:
    "A backend whose scheme needs a module of mod_proxy that is not loaded, such as mod_proxy_http, or whose URL httpd cannot read.",
  help: "mod_proxy needs a module for each scheme: mod_proxy_http for `http://`, mod_proxy_fcgi for `fcgi://`. Without it, or with a URL without a scheme, httpd starts without a warning, and requests for the backend fail. With `SetHandler`, httpd sends the file itself. Load the module, or correct the URL.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => {
    const { modules, modulesAreKnown } = project;
    if (release !== "2.4") return {};
    const lists = modulesAreKnown && modules.unknown.length === 0 && modules.has("proxy_module");
    return {
      byWords({ key }) {
        const backend = backendsByDirective.get(key);
        return (
          backend &&
          ((directive) => {
            const [word] = directive.arguments;
            const bare = backend.reader === "handler" && word ? findBareTarget(word) : undefined;
            if (word && bare) report({ message: messageFor(bare), span: directive.spanOf(word) });
            const url = backend.findUrl(directive);
            if (url === undefined) return;
            const unusable = backend.reader && findUnusableTarget(url, backend.reader);
            if (unusable) {
              // A module that is not known may be for the scheme.
              if (unusable.kind !== "no handler" || (lists && !modules.hasAnyThirdParty()))
                report({ message: messageFor(unusable), span: directive.spanOf(url) });
              return;
            }
            const module = lists ? findMissingModule(url.value, project) : undefined;
            if (module === undefined) return;
            const advice = (isDebianLayout(project) ? advices.enable : advices.load)(module);
            report({
              message: messages.missing(module, url.value, effects[backend.effect], advice),
              span: directive.spanOf(url),
              cause: { key: `${module} ${backend.effect}`, module, also: labels.needsModuleToo },
            });
          })
        );
      },
    };
  },
});

function messageFor(unusable: UnusableTarget) {
  const { kind, target, remedy } = unusable;
  const corrected = `use ${quoteText(remedy ?? "proxy:fcgi://HOST:PORT")}`;
  switch (kind) {
    case "sent":
      return messages.sent(target, corrected);
    case "to itself":
      return messages.toItself(target, corrected);
    case "no handler":
      return messages.noHandler(target);
    case "malformed":
      return messages.malformed(
        target,
        unusable.status,
        unusable.code,
        remedy?.startsWith("use ") ? remedy : corrected,
      );
  }
}

/** Returns the usual module for a URL; undefined if one for its scheme is loaded, or the scheme is unknown. */
function findMissingModule(url: string, { modules }: Project): string | undefined {
  // The part before the pipe is a socket.
  const [, scheme = ""] = /^(?:unix:[^|]*\|)?([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? [];
  const able = findBackendModules(scheme.toLowerCase()) ?? [];
  return able.some((each) => modules.has(each)) ? undefined : able[0];
}

/** A directive that names a backend. */
interface BackendDirective {
  readonly effect: keyof typeof effects;
  /** How httpd reads the target; undefined if nothing is known of targets that it cannot use. */
  readonly reader?: TargetReader;
  readonly findUrl: (directive: Directive) => Argument | undefined;
}

const findProxyPassUrl: BackendDirective["findUrl"] = ({ arguments: words }) =>
  words.slice(0, 3).find(({ value }) => /^[a-z][a-z0-9+.-]*:/i.test(value));

const findRuleUrl: BackendDirective["findUrl"] = ({ argumentText }) =>
  hasProxyFlag(argumentText) ? parseRewriteWords(argumentText)?.[1] : undefined;

const findHandlerUrl: BackendDirective["findUrl"] = ({ arguments: [word] }) =>
  word && /^proxy:/i.test(word.value) ? { ...word, value: word.value.slice("proxy:".length) } : undefined;

const backendsByDirective: ReadonlyMap<string, BackendDirective> = new Map([
  ["balancermember", { effect: "member", findUrl: findProxyPassUrl }],
  ["proxypass", { effect: "request", reader: "pass", findUrl: findProxyPassUrl }],
  ["proxypassmatch", { effect: "request", reader: "pass", findUrl: findProxyPassUrl }],
  ["rewriterule", { effect: "request", reader: "rule", findUrl: findRuleUrl }],
  ["sethandler", { effect: "handler", reader: "handler", findUrl: findHandlerUrl }],
]);
