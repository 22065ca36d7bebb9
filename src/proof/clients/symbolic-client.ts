import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import {
  isNobodysName,
  type MethodLimit,
  normalizeMethod,
  sampleMethodOf,
} from "../../server/access/clients-and-methods.js";
import type { HostRule } from "../../server/access/compat-rules.js";
import type { AuthzResult } from "../../server/access/decide-require.js";
import { checkClientProvider } from "../../server/access/provider-checks.js";
import { checksClientOnly, requiresUser } from "../../server/access/providers.js";
import { hasExpansion, type RequireLine, requireArgumentsOf } from "../../server/access/require-rules.js";
import type { RequestModel } from "../../server/model/atoms.js";
import type { MethodTest } from "../../server/model/dependency-tracker.js";
import type { ReadonlyEnvironment } from "../../server/model/environment.js";
import { environmentOf, type Request } from "../../server/model/request.js";
import { type UnknownFact, unknownFact } from "../../server/model/unknown-facts.js";
import { formatAddress, readSubnet, type Subnet } from "../../text/addresses.js";
import { ModelTracker } from "./model-tracker.js";

/**
 * A symbolic client to evaluate the rules of a section, for any URL and any placement of the section. Inputs other than
 * the client, the user and the method are unknown facts.
 */
export class SymbolicClient extends ModelTracker {
  readonly request: Request;
  readonly env: ReadonlyEnvironment;
  readonly path = "/";

  /** @param notes whether predicates read are recorded */
  constructor(model: RequestModel, notes = true) {
    // A section may apply anywhere: any variable may be set before it.
    super(model, new Set());
    const { address, host, env, method } = model;
    this.request = {
      ...{ method, path: this.path, clientIp: formatAddress(address), env: [...env] },
      ...(host === undefined ? {} : { clientHost: host }),
      ...(notes ? { tracker: this } : {}),
    };
    this.env = environmentOf(this.request);
  }

  recordMethod(read: readonly string[] | MethodTest = []): void {
    if ("key" in read) return;
    for (const name of read.map(normalizeMethod))
      this.recordPredicate({ kind: "method", name }, this.model.method === name);
  }

  /** Does nothing: either result is possible. */
  markUnknown(): void {}

  /** Does nothing: the result of a rule for a client does not depend on a file. */
  recordFileExistence(): void {}

  /** Does nothing: a section has the same sources for all its lines. */
  recordUserSource(): void {}

  /** The authenticated user. */
  get user(): string | undefined {
    const { user } = this.model;
    this.recordPredicate({ kind: "any-user" }, user !== undefined);
    return user;
  }

  isUser(name: string): boolean {
    const isNamed = this.model.user === name;
    this.recordPredicate({ kind: "user", name }, isNamed);
    return isNamed;
  }

  isInGroup(name: string): boolean {
    const isIn = this.model.groups.get("group")?.has(name) === true;
    this.recordPredicate({ kind: "group", source: "group", name }, isIn);
    return isIn;
  }

  /**
   * Evaluates a Require line.
   *
   * @param isAlias whether an AuthzProviderAlias defines its provider
   */
  check(line: RequireLine, isAlias: boolean): AuthzResult {
    const { provider } = line;
    // The value of arguments with expansions is unknown.
    if (isAlias || hasExpansion(line)) return this.checkUnknown(line);
    if (provider === "group" || provider === "dbm-group") return this.checkGroup(line, provider);
    return checkClientProvider(line, this, requiresUser(provider) ? this.user : undefined) ?? this.checkUnknown(line);
  }

  private checkGroup(line: RequireLine, source: "group" | "dbm-group"): AuthzResult {
    const { user } = this;
    if (user === undefined) return "no-user";
    // mod_authz_groupfile treats a file that it cannot open as one without groups.
    if (source === "dbm-group" && this.ask(unknownFact("dbm-group-file"))) return "error";
    const names = requireArgumentsOf(line).map(({ value }) => value);
    const groups = this.model.groups.get(source);
    const isIn = names.some((name) => groups?.has(name));
    this.recordPredicate({ kind: "any", of: names.map((name) => ({ kind: "group", source, name })) }, isIn);
    return isIn ? "granted" : "denied";
  }

  /** Returns an unknown result, which is the same for the same arguments. */
  private checkUnknown(line: RequireLine): AuthzResult {
    if (requiresUser(line.provider) && this.user === undefined) return "no-user";
    if (this.ask(grantOf(line))) return "granted";
    const isError = this.ask(unknownFact("fails", formatLine(line)));
    if (isError) return "error";
    if (checksClientOnly(line.provider)) return "denied";
    if (this.ask(unknownFact("needs-user", formatLine(line)))) return "no-user";
    return this.ask(unknownFact("is-neutral", formatLine(line))) ? "neutral" : "denied";
  }
}

/** Returns the fact that a line grants access. */
function grantOf(line: RequireLine): UnknownFact {
  return unknownFact("grants", formatLine(line));
}

function formatLine({ provider, rest }: RequireLine): string {
  return `Require ${provider} ${rest}`.trimEnd();
}

/** The result of a section's rules for a client, as far as merging can distinguish it. */
export interface SectionVerdict {
  /** A key. Results have equal keys if no merge with another section can distinguish them. */
  readonly result: string;
  /** The lines that produce the result. */
  readonly by: readonly Directive[];
}

export type SectionDecider = (client: SymbolicClient) => SectionVerdict;

/** A removable part of a section: a line, or a container with its contents. */
export interface Removable {
  readonly directive: Directive;
  /** The contents of a container. */
  readonly inner: readonly Removable[];
  /** Whether it matches a client, for example an Allow that names it. */
  readonly appliesTo: (client: SymbolicClient) => boolean;
  /**
   * Clients that it may affect, one for each argument that names a client. If it affects one of them, no proof is
   * needed.
   */
  readonly samples: readonly RequestModel[];
  /** Returns the lines, among those that produce a result, that decide if this part is deleted. */
  readonly replacementsIn: (by: readonly Directive[]) => readonly Directive[];
}

/** The rules of a section of one kind, mod_access_compat or Require. */
export interface RemovableRules {
  readonly removables: readonly Removable[];
  readonly decide: SectionDecider;
  /** Undefined if the server would reject the remaining rules, or inherit other rules instead. */
  readonly without: (directive: Directive) => RemovableRules | undefined;
}

/** A client without special properties. */
export const unknownClient: RequestModel = {
  address: { family: 4, bits: 0xcb007109n },
  host: undefined,
  env: new Set(),
  user: undefined,
  groups: new Map(),
  method: "GET",
  values: new Map(),
  files: new Map(),
  facts: new Set(),
};

/** Returns a client that an argument of an Allow or Deny line matches. */
export function sampleClientOf({ match, limits }: HostRule): RequestModel {
  const client = clientWithMethod(limits);
  switch (match.kind) {
    case "all":
      return client;
    case "env":
      return match.negated ? client : { ...client, env: new Set([match.name.toLowerCase()]) };
    case "ip":
      return { ...client, address: firstAddressOf(match.subnet) };
    case "host":
      return isNobodysName(match.name) ? client : { ...client, host: match.name.toLowerCase() };
  }
}

/** Returns clients that a Require line may allow, one for each argument. */
export function sampleClientsOf(line: RequireLine): readonly RequestModel[] {
  const client: RequestModel = { ...clientWithMethod(line.limits), facts: new Set([grantOf(line)]) };
  const words = requireArgumentsOf(line);
  return words.length === 0 ? [withUserFor(line, client)] : words.map((word) => clientFor(line, word, client));
}

function withUserFor({ provider }: RequireLine, client: RequestModel): RequestModel {
  return requiresUser(provider) ? { ...client, user: "somebody" } : client;
}

function clientFor(line: RequireLine, word: Argument, client: RequestModel): RequestModel {
  switch (line.provider) {
    case "ip": {
      const verdict = readSubnet(word.value);
      return verdict.ok ? { ...client, address: firstAddressOf(verdict.value) } : client;
    }
    case "host":
      return { ...client, host: word.value.toLowerCase() };
    case "env":
      return { ...client, env: new Set([word.value.toLowerCase()]) };
    case "user":
      return { ...client, user: word.value };
    case "group":
    case "dbm-group":
      return { ...client, user: "somebody", groups: new Map([[line.provider, new Set([word.value])]]) };
    case "method":
      return { ...client, method: word.value };
    default:
      return withUserFor(line, client);
  }
}

function clientWithMethod(limits: readonly MethodLimit[]): RequestModel {
  return { ...unknownClient, method: sampleMethodOf(limits) };
}

function firstAddressOf({ family, network }: Subnet): RequestModel["address"] {
  return { family, bits: network };
}
