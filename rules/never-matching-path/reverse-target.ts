import { type Directive, stripServerName } from "../../src/lint/api/configuration.js";

/** A ProxyPassReverse line that matches no redirect of the backend, or leads it to a path of the server itself. */
export interface UnmatchedReverse {
  readonly directive: Directive;
  readonly written: string;
  /** The target of the ProxyPass line for the same path; the path of the one for the same backend if the paths differ. */
  readonly target: string;
  /** Whether the paths differ, rather than the backends. */
  readonly isPath: boolean;
  readonly proxyPass: Directive;
}

/** A line that changes the domain or the path of the cookies of a backend, and matches none. */
export type UnmatchedCookie = { readonly directive: Directive; readonly written: string } & (
  | { readonly kind: "domain" }
  | { readonly kind: "path" }
  /** The arguments are in the wrong order: the path of the backend comes first. */
  | { readonly kind: "swapped"; readonly inner: string; readonly outer: string }
);

/**
 * Yields lines for cookies of which an argument is not a domain or path of a cookie (proxy_util.c
 * `ap_proxy_cookie_reverse_map`).
 */
export function* findUnmatchedCookies(
  directives: readonly Directive[],
  passes = mappingsOf(directives, "proxypass"),
): Generator<UnmatchedCookie> {
  for (const directive of directives) {
    if (directive.key === "<location") yield* findUnmatchedCookies(directive.children ?? [], passes);
    const [first, second] = directive.arguments.map(({ value }) => value);
    if (first === undefined || second === undefined || /[$%]/.test(first + second)) continue;
    if (directive.key === "proxypassreversecookiedomain") {
      const written = [first, second].find((word) => /[/:]/.test(word));
      if (written !== undefined) yield { directive, kind: "domain", written };
    } else if (directive.key === "proxypassreversecookiepath") {
      const written = [first, second].find((word) => /^[a-z]+:\/\//i.test(word));
      if (written !== undefined) yield { directive, kind: "path", written };
      const outer = withoutSlash(first);
      const inner = withoutSlash(second);
      const isSwapped = passes.some(({ path, url }) => path === outer && pathOf(url) === inner);
      const isOfBackend = passes.some(({ url }) => pathOf(url) === outer);
      // Another line may be for the cookies of the whole backend.
      const isOther = inner === "" && directives.some((each) => each !== directive && isForAllCookies(each));
      if (isSwapped && !isOfBackend && !isOther && inner !== outer)
        yield { directive, kind: "swapped", written: first, inner: second, outer: first };
    }
  }
}

function isForAllCookies({ key, arguments: [path] }: Directive): boolean {
  return key === "proxypassreversecookiepath" && path?.value === "/";
}

/** A ProxyPassReverse line with only a path, which leads redirects of the backend to another path than requests. */
export interface MisledReverse {
  readonly directive: Directive;
  readonly proxyPass: Directive;
  /** A redirect of the backend, the path that it becomes, and the path of the same page for clients. */
  readonly redirect: string;
  readonly result: string;
  readonly expected: string;
  readonly corrected: string;
}

/**
 * Yields the lines with a path in place of a URL: httpd compares it with the path of the redirect (proxy_util.c
 * `ap_proxy_location_reverse_map`).
 */
export function* findMisledReverses(directives: readonly Directive[]): Generator<MisledReverse> {
  const passes = mappingsOf(directives, "proxypass");
  const reverses = mappingsOf(directives, "proxypassreverse");
  for (const { directive, path, written, url } of reverses) {
    const pass = url.startsWith("/") ? passes.find((each) => each.path === path) : undefined;
    const inner = pass && originOf(pass.url) ? pathOf(pass.url) : undefined;
    if (pass === undefined || inner === undefined || !`${inner}/`.startsWith(url)) continue;
    // Another line may match the redirects first.
    if (reverses.some((each) => each.directive !== directive && each.path === path)) continue;
    const result = written + `${inner}/login`.slice(url.length);
    const expected = `${path}/login`;
    if (result === expected) continue;
    const target = withoutSlash(pass.url);
    const corrected = target + (written.endsWith("/") ? "/" : "");
    yield { directive, proxyPass: pass.directive, redirect: `${target}/login`, result, expected, corrected };
  }
}

/** Returns the path of a URL without a slash at its end. */
function pathOf(url: string): string {
  return withoutSlash(url.replace(/^[a-z\d+.-]+:\/\/[^/]*/i, ""));
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}

interface Mapping {
  readonly directive: Directive;
  /** Without a slash at its end. */
  readonly path: string;
  readonly written: string;
  readonly url: string;
}

/**
 * Yields the ProxyPassReverse lines of a server whose URL is on another host, port or scheme than the backend of their path.
 * httpd compares the start of a Location header with the URL (proxy_util.c `ap_proxy_location_reverse_map`).
 */
export function* findUnmatchedReverses(directives: readonly Directive[]): Generator<UnmatchedReverse> {
  const reverses = mappingsOf(directives, "proxypassreverse");
  if (reverses.length === 0) return;
  const passes = mappingsOf(directives, "proxypass");
  const names = new Set(listNames(directives));
  for (const reverse of reverses) {
    const origin = originOf(reverse.url);
    // With ProxyPreserveHost, backends redirect to a name of this server.
    if (origin === undefined || names.has(hostOf(origin))) continue;
    const pass = passes.find(({ path }) => path === reverse.path);
    const target = pass && originOf(pass.url);
    if (pass === undefined) {
      const other = findPassOfOtherPath(reverse, passes, reverses);
      const { directive } = reverse;
      const [path, url] = directive.arguments;
      if (other && path && url)
        yield { directive, written: path.value, target: other.path, proxyPass: other.directive, isPath: true };
      continue;
    }
    if (target === undefined || target === origin) continue;
    // Another line matches the redirects of the backend, and this one those of an application that names another host.
    if (reverses.some(({ path, url }) => path === reverse.path && originOf(url) === target)) continue;
    if (passes.some(({ url }) => originOf(url) === origin)) continue;
    yield {
      directive: reverse.directive,
      written: reverse.url,
      target: pass.url,
      proxyPass: pass.directive,
      isPath: false,
    };
  }
}

/**
 * Finds the ProxyPass line of the same backend if its path is another one, and no line is for the redirects to it: the client
 * is redirected to a path that is not proxied.
 */
function findPassOfOtherPath(
  { path, url }: Mapping,
  passes: readonly Mapping[],
  reverses: readonly Mapping[],
): Mapping | undefined {
  const isSameBackend = (each: Mapping) => each.url.replace(/\/+$/, "") === url.replace(/\/+$/, "");
  const [pass, ...others] = passes.filter(isSameBackend);
  if (pass === undefined || others.length > 0) return undefined;
  const isProxied = passes.some((each) => path === each.path || path.startsWith(`${each.path}/`));
  return isProxied || reverses.some((each) => each.path === pass.path) ? undefined : pass;
}

function mappingsOf(directives: readonly Directive[], key: string, location?: string): readonly Mapping[] {
  return directives.flatMap((directive) => {
    const [first, second] = directive.arguments.map(({ value }) => value);
    if (directive.key === "<location") return mappingsOf(directive.children ?? [], key, first);
    if (directive.key !== key || first === undefined) return [];
    const [path, url] = location === undefined ? [first, second] : [location, first];
    return url === undefined ? [] : [{ directive, path: withoutSlash(path), written: path, url }];
  });
}

/** Returns scheme, host and port of the URL of an HTTP backend. */
function originOf(url: string): string | undefined {
  const [, scheme = "", host = "", port] = /^(https?):\/\/([\w.-]+|\[[\da-f:]+\])(?::(\d+))?(?:\/|$)/i.exec(url) ?? [];
  if (scheme === "") return undefined;
  const usual = scheme.toLowerCase() === "https" ? "443" : "80";
  return `${scheme.toLowerCase()}://${host.toLowerCase()}:${port ?? usual}`;
}

function hostOf(origin: string): string {
  return origin.replace(/^\w+:\/\//, "").replace(/:\d+$/, "");
}

function* listNames(directives: readonly Directive[]): Generator<string> {
  for (const { key, arguments: words } of directives)
    if (key === "servername" || key === "serveralias")
      for (const { value } of words) yield stripServerName(value).toLowerCase();
}
