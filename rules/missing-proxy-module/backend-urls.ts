import { type Argument, type Directive, hasProxyFlag, parseRewriteWords } from "../../src/lint/api/configuration.js";

type UrlFinder = (directive: Directive) => Argument | undefined;

const findProxyPassUrl: UrlFinder = ({ arguments: words }) =>
  words.slice(0, 3).find(({ value }) => /^[a-z][a-z0-9+.-]*:/i.test(value));

const findRuleUrl: UrlFinder = ({ argumentText }) =>
  hasProxyFlag(argumentText) ? parseRewriteWords(argumentText)?.[1] : undefined;

const findHandlerUrl: UrlFinder = ({ arguments: [word] }) =>
  word && /^proxy:/i.test(word.value) ? { ...word, value: word.value.slice("proxy:".length) } : undefined;

const urlFinders = {
  balancermember: findProxyPassUrl,
  proxypass: findProxyPassUrl,
  proxypassmatch: findProxyPassUrl,
  rewriterule: findRuleUrl,
  sethandler: findHandlerUrl,
};

/** The directives that name a backend. */
export type BackendKey = keyof typeof urlFinders;

export const isBackendKey = (key: string): key is BackendKey => Object.hasOwn(urlFinders, key);

/** Returns the word with the URL of a backend; its value is without `proxy:`. */
export function findBackendUrl(directive: Directive): Argument | undefined {
  return isBackendKey(directive.key) ? urlFinders[directive.key](directive) : undefined;
}

/** The keys of the directives that name a backend. */
export const backendKeys: readonly string[] = Object.keys(urlFinders);

/** Returns the host and port of a URL with a scheme of HTTP or WebSocket, and whether it uses TLS. */
export function readBackendPort(url: string): { readonly port: string; readonly usesTls: boolean } | undefined {
  const [, scheme = "", authority] = /^(https?|wss?|h2c?):\/\/([^/?#$%]+)/i.exec(url) ?? [];
  if (authority === undefined) return undefined;
  const usesTls = /^(?:https|wss|h2)$/i.test(scheme);
  const port = /:\d+$/.test(authority) ? authority : `${authority}:${usesTls ? 443 : 80}`;
  return { port: port.toLowerCase(), usesTls };
}
