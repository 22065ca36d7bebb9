import type { Look, Seen, Situation } from "../logic/atoms.js";
import type { Looks, Peeked } from "../scope/looks.js";
import { environmentOf, type Request } from "../scope/request.js";
import { addressText } from "../text/address-text.js";
import { asGet } from "./limits.js";
import type { AuthzResult } from "./new-decision.js";
import { isExpanded, type RequireLine, requireWords } from "./new-rules.js";
import { checkClient } from "./provider-checks.js";
import { asksForClient, asksForUser } from "./providers.js";

/**
 * Somebody whom the rules of a section are asked about, whatever is asked for and wherever the section applies. What
 * rules look at beside the client, the user and the method may be so or otherwise: it is a condition of which nothing but
 * its words is known.
 */
export class AskedClient implements Looks {
  readonly seen: Seen[] = [];
  /** A section may stand anywhere: any variable may be set before it. */
  readonly ownVariables: ReadonlySet<string> = new Set();
  readonly request: Request;
  readonly env: ReadonlyMap<string, string>;
  readonly path = "/";

  /** @param notes whether note is taken of what is looked at */
  constructor(
    readonly situation: Situation,
    notes = true,
  ) {
    const { address, host, env, method } = situation;
    this.request = {
      ...{ method, path: this.path, clientIp: addressText(address), env: [...env] },
      ...(host === undefined ? {} : { clientHost: host }),
      ...(notes ? { looks: this } : {}),
    };
    this.env = environmentOf(this.request);
  }

  at(look: Look, value: boolean): void {
    this.seen.push({ look, value });
  }

  test(text: string): boolean {
    const value = this.situation.terms.has(text);
    this.at({ kind: "term", text }, value);
    return value;
  }

  peek(text: string): Peeked {
    return { look: { kind: "term", text }, holds: this.situation.terms.has(text) };
  }

  atMethod(names: readonly string[] = []): void {
    for (const name of names.map(asGet)) this.at({ kind: "method", name }, this.situation.method === name);
  }

  /** It is free to come out either way. */
  untold(): void {}

  /** What rules say of a client hangs on no file. */
  atPlace(): void {}

  /** Who is authenticated. */
  get user(): string | undefined {
    const { user } = this.situation;
    this.at({ kind: "any-user" }, user !== undefined);
    return user;
  }

  isUser(name: string): boolean {
    const isNamed = this.situation.user === name;
    this.at({ kind: "user", name }, isNamed);
    return isNamed;
  }

  isInGroup(name: string): boolean {
    const isIn = this.situation.groups.get("group")?.has(name) === true;
    this.at({ kind: "group", source: "group", name }, isIn);
    return isIn;
  }

  /**
   * What a Require line says.
   *
   * @param isAlias whether an AuthzProviderAlias gives its word a meaning
   */
  check(line: RequireLine, isAlias: boolean): AuthzResult {
    const { provider } = line;
    // With something to expand in its words nobody knows what they come to.
    if (isAlias || isExpanded(line)) return this.checkUnknown(line);
    if (provider === "group" || provider === "dbm-group") return this.checkGroup(line, provider);
    return checkClient(line, this, asksForUser(provider) ? this.user : undefined) ?? this.checkUnknown(line);
  }

  private checkGroup(line: RequireLine, source: "group" | "dbm-group"): AuthzResult {
    const { user } = this;
    if (user === undefined) return "no-user";
    // mod_authz_groupfile takes a file that it cannot open for one without groups.
    if (source === "dbm-group" && this.test("whether the dbm file of groups cannot be opened")) return "error";
    const names = requireWords(line).map(({ value }) => value);
    const groups = this.situation.groups.get(source);
    const isIn = names.some((name) => groups?.has(name));
    this.at({ kind: "any", of: names.map((name) => ({ kind: "group", source, name })) }, isIn);
    return isIn ? "granted" : "denied";
  }

  /** What it says may be anything, but the same for the same words. */
  private checkUnknown(line: RequireLine): AuthzResult {
    if (asksForUser(line.provider) && this.user === undefined) return "no-user";
    if (this.test(grantTerm(line))) return "granted";
    const isError = this.test(`whether \`${wordsOf(line)}\` fails`);
    if (isError) return "error";
    if (asksForClient(line.provider)) return "denied";
    if (this.test(`whether \`${wordsOf(line)}\` asks for a user`)) return "no-user";
    return this.test(`whether \`${wordsOf(line)}\` has no say`) ? "neutral" : "denied";
  }
}

/** The condition that a line grants of which nothing but its words is known. */
export function grantTerm(line: RequireLine): string {
  return `whether \`${wordsOf(line)}\` grants`;
}

function wordsOf({ provider, rest }: RequireLine): string {
  return `Require ${provider} ${rest}`.trimEnd();
}
