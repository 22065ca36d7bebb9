import type { AccessMap, MappedScope } from "../compare/access-map.js";
import type { Finding } from "../engine/finding.js";
import { counted, type Look } from "./painter.js";
import { ScopeText } from "./scope-text.js";
import { Teller } from "./teller.js";

/** A map to be shown. */
export interface Mapped {
  readonly map: AccessMap;
  /** The releases that it is of, in the order of what is told of each. */
  readonly releases: readonly string[];
  /** What keeps one of the releases from starting, which is not mapped then, or the only one that is. */
  readonly startup: readonly { readonly release: string; readonly findings: readonly Finding[] }[];
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/** An access map for people: each server with its scopes, who gets in there, and where 2.2 and 2.4 differ. */
export function* mapText({ map, releases, startup }: Mapped, look: Look): Generator<string> {
  const teller = new Teller(look);
  for (const { release, findings } of startup) {
    if (findings.length === 0) continue;
    const isShown = releases.includes(release);
    const so = isShown ? "this is what it would be without what is refused" : "it is left out";
    yield `${teller.refusal(release, findings, so)}\n`;
  }
  yield* new ScopeText(teller, releases).servers(map.servers);
  if (map.unknown.length > 0) yield `\n${teller.doubts("not known", map.unknown)}`;
  yield sum(map, releases);
}

/** How much was told, and how much of it differs. */
function sum({ servers, unknown }: AccessMap, releases: readonly string[]): string {
  const scopes = servers.flatMap((server) => server.scopes);
  const told = `${counted(servers.length, "server")}, ${counted(scopes.length, "kind")} of paths`;
  const isWhole = unknown.length === 0;
  if (releases.length < 2 || (scopes.length === 0 && !isWhole)) return `\n${told}\n`;
  return `\n${told}; ${differText(scopes, isWhole, releases)}\n`;
}

/** How many kinds of paths differ. @param isWhole whether nothing is left out */
export function differText(scopes: readonly MappedScope[], isWhole: boolean, releases: readonly string[]): string {
  const different = scopes.filter(({ differs }) => differs).length;
  const between = `between ${releases.join(" and ")}`;
  if (different === 0) return `none differs${isWhole ? "" : " as far as is known"} ${between}`;
  return `${different} of them ${different === 1 ? "differs" : "differ"} ${between}`;
}
