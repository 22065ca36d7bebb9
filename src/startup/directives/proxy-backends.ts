import { type Directive, lineKeyOf, virtualHostAround } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { SectionContext } from "../../config/model/scope.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { isSince } from "../../facts/release.js";
import { getOrCreate } from "../../text/collections.js";

/** Lines that define a backend or a balancer. */
export const backendDirectives: readonly string[] = [
  ...["proxypass", "proxypassmatch", "balancermember", "<proxy", "<proxymatch"],
];

/** The backends and balancers of each server that lines have defined while httpd reads them. */
export class BackendRegistry {
  /** The URLs by the virtual host, which is empty for the main server. */
  private readonly defined = new Map<string, string[]>();

  constructor(private readonly project: Project) {}

  /** Records ProxyPass, ProxyPassMatch, BalancerMember or `<Proxy>`; an empty section counts, although it defines nothing. */
  define(line: Directive): void {
    const urls = line.arguments.flatMap(({ value }) => (/^[\w+.-]+:/.test(value) ? [normalize(value)] : []));
    getOrCreate(this.defined, serverOf(line), () => []).push(...urls);
  }

  /** Checks ProxySet outside of `<Proxy>`, which needs a backend that exists (modules/proxy/mod_proxy.c `set_proxy_param`). */
  check(line: Directive, { place, inHtaccess }: SectionContext): Refusal | undefined {
    const [word] = line.arguments;
    const isInProxy = line.parent?.key.startsWith("<proxy") ?? false;
    if (word === undefined || isInProxy || inHtaccess || place === "unknown" || !isSince(this.project.release, "2.4"))
      return undefined;
    const { value } = word;
    const server = `ProxySet can not find '${value}' ${/^balancer:/i.test(value) ? "Balancer" : "Worker"}.`;
    if (/^[\w-]+=/.test(value)) return { server, ...wordingOf("proxy-set-without-url"), span: line.span };
    // A variable may be defined elsewhere, as the backend may be in a file that is not here.
    if (/[${}%]|^unix:/i.test(value) || this.project.problems.some(({ kind }) => kind === "include")) return undefined;
    const name = normalize(value);
    const isKnown = (this.defined.get(serverOf(line)) ?? []).some((url) => name.startsWith(url) || /[${}%]/.test(url));
    return isKnown ? undefined : { server, ...wordingOf("unknown-backend", value), span: line.spanOf(word) };
  }
}

/** Returns a URL without its groups and the slash at its end, which httpd compares, but not in all cases. */
function normalize(url: string): string {
  return url
    .toLowerCase()
    .replace(/\$\d.*/s, "")
    .replace(/\/+$/, "");
}

function serverOf(line: Directive): string {
  const host = virtualHostAround(line);
  return host === undefined ? "" : lineKeyOf(host);
}
