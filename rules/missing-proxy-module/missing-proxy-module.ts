import { formatLineTitle } from "../../src/lint/api/access.js";
import {
  type Argument,
  type Directive,
  findBackendModules,
  isDebianLayout,
  isSince,
  type Project,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineRule,
  quoteLike,
  quoteShort,
  quoteText,
  type Report,
  replaceSpan,
} from "../../src/lint/api/rule.js";
import { findProxyFault, type ProxyFault } from "./backend-faults.js";
import { type BackendKey, findBackendUrl, isBackendKey } from "./backend-urls.js";
import { findScriptPath, scriptPathMessages } from "./script-path.js";
import {
  findBareTarget,
  findUnusableTarget,
  messageForTarget,
  type TargetReader,
  targetMessages,
} from "./unusable-target.js";

const messages = {
  missing: (module: string, url: string, effect: string, advice: string) => ({
    message: `\`${module}\` is not loaded, but the backend ${quoteText(url)} needs it`,
    notes: ["httpd starts without a warning", effect],
    help: [advice],
    addsLines: true as const,
  }),
};

const backendMessages = {
  noTls: (url: string, isPart: boolean) => ({
    message: `the backend ${quoteShort(url, 48)} needs \`SSLProxyEngine On\``,
    notes: [
      "httpd starts without a warning, and requests for the backend return 500 (AH01961)",
      ...(isPart ? ["another file may turn it on for all virtual hosts"] : []),
    ],
    help: ["add `SSLProxyEngine On` to the virtual host"],
    addsLines: true as const,
  }),
  /** `SSLProxyEngine On` does not help: a port of a backend accepts either TLS or plain requests. */
  plainPort: (url: string, line: string, corrected: string) => ({
    message: `the backend ${quoteShort(url, 36)} uses TLS, but another line uses its port without`,
    notes: [
      `${line} uses the same port without TLS`,
      "without `SSLProxyEngine On`, requests for the backend return 500 (AH01961); with it, the TLS handshake fails",
    ],
    help: [`use ${quoteText(corrected)}`],
  }),
  noMember: (name: string, similar: string | undefined, isRule: boolean) => ({
    message: `the balancer ${quoteText(name)} has no members`,
    notes: [`httpd starts without a warning, and requests return ${isRule ? "500 (AH01144)" : "503 (AH01171)"}`],
    help: [
      similar === undefined
        ? `add a ${quoteText(`<Proxy balancer://${name}>`)} section with \`BalancerMember\` lines`
        : `use ${quoteText(`balancer://${similar}`)}, which has members`,
    ],
  }),
  noRoute: (name: string, isPart: boolean) => ({
    message: `\`stickysession\` has no effect: no member of the balancer ${quoteText(name)} has a \`route\``,
    notes: [
      "httpd compares the end of the session with the `route` of the members, and selects any member if none is equal",
      ...(isPart ? ["assuming that no other file sets a `route`"] : []),
    ],
    help: ["add `route=NAME`, with a different name, to each `BalancerMember`"],
  }),
  pathTwice: (path: string, corrected: string) => ({
    message: `the path ${quoteShort(path, 30)} is added before the whole path of each script`,
    notes: [
      `with \`SetHandler\`, httpd adds the path of the file, such as ${quoteText(`${path.replace(/\/+$/, "")}/srv/www/index.php`)}`,
      "PHP-FPM returns 404 with `File not found.`",
    ],
    help: [`use ${quoteText(`proxy:${corrected}`)}`],
  }),
};

const backendFixTitles = { path: "Delete the path of the URL", plain: "Use the scheme without TLS" };

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

const labels = {
  needsModuleToo: "also needs the module",
  alsoNeedsTls: "also needs it",
  plain: "uses the port without TLS",
};

export const missingProxyModule = defineRule({
  id: "missing-proxy-module",
  title: "Backend lacks what it needs",
  group: "startup",
  severity: "error",
  description:
    "A backend whose scheme needs a module that is not loaded, a URL that httpd cannot use, an https backend without SSLProxyEngine, a balancer without members, or PHP-FPM with a path.",
  help: "mod_proxy needs a module for each scheme: mod_proxy_http for `http://`, mod_proxy_fcgi for `fcgi://`. Without it, httpd starts without a warning, and requests for the backend return 500. With `SetHandler`, httpd sends the file itself. Load the module. A backend by https also needs SSLProxyEngine, and a balancer needs members with its name.",
  tags: ["correctness"],
  messages: { ...messages, ...backendMessages, ...scriptPathMessages, ...targetMessages },
  check: ({ project, release, report }) => {
    const { modules, modulesAreKnown } = project;
    if (!isSince(release, "2.4")) return {};
    const areModulesKnown = modulesAreKnown && modules.unknown.length === 0 && modules.has("proxy_module");
    return {
      exposure: { fromAnywhere: true, onFragments: true, holding: ["proxypassmatch"], check: findScriptPath },
      directives({ key }) {
        const backend = isBackendKey(key) ? backendsByDirective[key] : undefined;
        return (
          backend &&
          ((directive) => {
            const [word] = directive.arguments;
            const bare = backend.reader === "handler" && word ? findBareTarget(word) : undefined;
            if (word && bare) report({ message: messageForTarget(bare), span: directive.spanOf(word) });
            const url = findBackendUrl(directive);
            if (url === undefined) return;
            // A handler is shown as written.
            const written = backend.reader === "handler" ? `proxy:${url.value}` : url.value;
            const unusable = backend.reader && findUnusableTarget(url, backend.reader);
            if (unusable) {
              // A module that is not known may be for the scheme.
              if (unusable.kind !== "no handler" || (areModulesKnown && !modules.hasAnyThirdParty()))
                report({ message: messageForTarget({ ...unusable, target: written }), span: directive.spanOf(url) });
              return;
            }
            const module = areModulesKnown ? findMissingModule(url.value, project) : undefined;
            const fault = module === undefined ? findProxyFault(directive, url, project) : undefined;
            if (fault) report(reportFault(directive, url, fault));
            if (module === undefined) return;
            const advice = (isDebianLayout(project) ? advices.enable : advices.load)(module);
            report({
              message: messages.missing(module, written, effects[backend.effect], advice),
              span: directive.spanOf(url),
              cause: { key: `${module} ${backend.effect}`, module, also: labels.needsModuleToo },
            });
          })
        );
      },
    };
  },
});

function reportFault(directive: Directive, url: Argument, fault: ProxyFault): Report {
  const span = directive.spanOf(url);
  switch (fault.kind) {
    case "plain port": {
      const message = backendMessages.plainPort(url.value, formatLineTitle(fault.plain), fault.corrected);
      const edit = replaceSpan(span, quoteLike(url, fault.corrected));
      return {
        severity: fault.isPart ? "warning" : "error",
        message,
        span,
        related: [{ message: labels.plain, span: fault.plain.span }],
        ...createFix(backendFixTitles.plain, "unsafe", edit),
      };
    }
    case "no TLS":
      return {
        severity: fault.isPart ? "warning" : "error",
        message: backendMessages.noTls(url.value, fault.isPart),
        span,
        cause: { key: `no TLS ${virtualHostAround(directive)?.span.start ?? ""}`, also: labels.alsoNeedsTls },
      };
    case "no member":
      return {
        severity: "warning",
        message: backendMessages.noMember(fault.name, fault.similar, directive.key === "rewriterule"),
        span,
      };
    case "no route":
      return { severity: "warning", message: backendMessages.noRoute(fault.name, fault.isPart), span };
    case "path twice": {
      const edit = replaceSpan(span, quoteLike(url, `proxy:${fault.corrected}`));
      const message = backendMessages.pathTwice(fault.path, fault.corrected);
      return { severity: "warning", message, span, ...createFix(backendFixTitles.path, "unsafe", edit) };
    }
  }
}

/** Returns the usual module for a URL; undefined if one for its scheme is loaded, or the scheme is unknown. */
function findMissingModule(url: string, { modules }: Project): string | undefined {
  // The part before the pipe is a socket.
  const [, scheme = ""] = /^(?:unix:[^|]*\|)?([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? [];
  const able = findBackendModules(scheme.toLowerCase()) ?? [];
  return able.some((each) => modules.has(each)) ? undefined : able[0];
}

/** What is known of a directive that names a backend. */
interface BackendDirective {
  readonly effect: keyof typeof effects;
  /** How httpd reads the target; undefined if nothing is known of targets that it cannot use. */
  readonly reader?: TargetReader;
}

const backendsByDirective: Readonly<Record<BackendKey, BackendDirective>> = {
  balancermember: { effect: "member" },
  proxypass: { effect: "request", reader: "pass" },
  proxypassmatch: { effect: "request", reader: "pass" },
  rewriterule: { effect: "request", reader: "rule" },
  sethandler: { effect: "handler", reader: "handler" },
};
