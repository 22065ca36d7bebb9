import {
  type Argument,
  type Directive,
  findBackendModules,
  hasProxyFlag,
  isDebianLayout,
  isSince,
  type Project,
  parseRewriteWords,
} from "../../src/lint/api/configuration.js";
import { defineRule, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  missing: (module: string, url: string, effect: string, advice: string) => ({
    message: `\`${module}\` is not loaded, but the backend ${quoteText(url)} needs it`,
    notes: ["httpd starts without a warning", effect],
    help: [advice],
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
  title: "No module for a backend",
  group: "startup",
  severity: "error",
  description: "A backend whose scheme needs a module of mod_proxy that is not loaded, such as mod_proxy_http.",
  help: "mod_proxy needs a module for each scheme: mod_proxy_http for `http://`, mod_proxy_fcgi for `fcgi://`. Without it, httpd starts without a warning, and requests for the backend return 500. With `SetHandler`, httpd sends the file itself. Load the module.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => {
    const { modules, modulesAreKnown } = project;
    if (!isSince(release, "2.4") || !modulesAreKnown || modules.unknown.length > 0 || !modules.has("proxy_module"))
      return {};
    return {
      byWords({ key }) {
        const backend = backendsByDirective.get(key);
        return (
          backend &&
          ((directive) => {
            const url = backend.findUrl(directive);
            const module = url && findMissingModule(url.value, project);
            if (url === undefined || module === undefined) return;
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
  ["proxypass", { effect: "request", findUrl: findProxyPassUrl }],
  ["proxypassmatch", { effect: "request", findUrl: findProxyPassUrl }],
  ["rewriterule", { effect: "request", findUrl: findRuleUrl }],
  ["sethandler", { effect: "handler", findUrl: findHandlerUrl }],
]);
