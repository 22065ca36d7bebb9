import type { RequestModel } from "../../server/model/atoms.js";
import type { Request } from "../../server/model/request.js";
import { renameFact } from "../../server/model/unknown-facts.js";
import { formatAddress, formatNetwork, isInSubnet, parseAddress, type Subnet } from "../../text/addresses.js";
import type { Assumptions } from "../model/comparison.js";
import type { PathWalk } from "../model/path-class.js";
import type { EntryPoint } from "../model/server-pairs.js";
import { wordPattern } from "./expression-constants.js";
import type { HostShape } from "./host-constants.js";

/** The parts of a request that may contain constants; without a client for the target of a probe. */
type RequestTexts = Pick<Request, "path"> &
  Partial<Pick<Request, "clientIp" | "clientHost" | "user" | "groups" | "dbmGroups" | "query" | "headers">>;

type Constants = Pick<HostShape, "words" | "subnets">;

/** A one-to-one map from the constants of one host to those of another with the same text. */
export class Renaming {
  /** The words that differ. */
  readonly changed: readonly (readonly [from: string, to: string])[];

  private constructor(
    private readonly words: ReadonlyMap<string, string>,
    private readonly subnets: readonly (readonly [from: Subnet, to: Subnet])[],
  ) {
    this.changed = [...words].filter(([from, to]) => from !== to);
  }

  /** Returns the renaming between two shapes with the same text; undefined if it is not one-to-one, or not apart. */
  static between(from: Constants, to: Constants): Renaming | undefined {
    const words = mapOneToOne(from.words, to.words);
    const lowerCase = mapOneToOne(from.words.map(toLower), to.words.map(toLower));
    if (words === undefined || lowerCase === undefined) return undefined;
    // A word of one host that means something else in the other would need a third name.
    for (const [word, image] of lowerCase) if (word !== image && lowerCase.has(image)) return undefined;
    const subnets = from.subnets.map((subnet, index) => [subnet, to.subnets[index] ?? subnet] as const);
    return new Renaming(words, subnets);
  }

  get changesNetworks(): boolean {
    return this.subnets.some(([from, to]) => from.network !== to.network);
  }

  /**
   * Reports whether the networks of both hosts are nested alike, within each other and with other networks. The sizes of
   * the networks are the same, so a one-to-one map of addresses then exists that maps each network to its image.
   */
  nestsAlike(others: readonly Subnet[]): boolean {
    const { subnets } = this;
    return subnets.every(
      ([from, to], index) =>
        others.every((other) => relationOf(from, other) === relationOf(to, other)) &&
        subnets.slice(0, index).every(([a, b]) => relationOf(from, a) === relationOf(to, b)),
    );
  }

  /** Returns a text with its words renamed. */
  text(text: string): string {
    return text.replace(wordPattern, (word) => this.words.get(word) ?? word);
  }

  /** Reports whether a text contains a constant that is different in the other host. */
  affects(text: string): boolean {
    if (this.text(text) !== text) return true;
    return this.subnets.some(([from, to]) => from.network !== to.network && text.includes(formatNetwork(from)));
  }

  /** Returns a request with renamed constants to another entry point. */
  request<T extends RequestTexts>(request: T, entryPoint: EntryPoint | undefined): T {
    const { clientIp, clientHost, user, groups, dbmGroups, query, headers } = request;
    const renamed = (text: string) => this.text(text);
    return {
      ...request,
      ...entryPoint,
      path: this.text(request.path),
      ...(clientIp === undefined ? {} : { clientIp: this.address(clientIp) }),
      ...(clientHost === undefined ? {} : { clientHost: this.text(clientHost) }),
      ...(user === undefined ? {} : { user: this.text(user) }),
      ...(groups === undefined ? {} : { groups: groups.map(renamed) }),
      ...(dbmGroups === undefined ? {} : { dbmGroups: dbmGroups.map(renamed) }),
      ...(query === undefined ? {} : { query: this.text(query) }),
      ...(headers === undefined
        ? {}
        : { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.text(value)])) }),
    };
  }

  /** Returns the walk to the renamed file. */
  walk(walk: PathWalk | undefined): PathWalk | undefined {
    return walk && { ...walk, filename: this.text(walk.filename) };
  }

  /** Returns a model of the renamed client, with the renamed files and facts. */
  model(model: RequestModel): RequestModel {
    const { address, host, user, groups } = model;
    const renamed = (texts: ReadonlySet<string>) => new Set([...texts].map((text) => this.text(text)));
    return {
      ...model,
      ...this.assumptions(model),
      address: parseAddress(this.address(formatAddress(address))) ?? address,
      host: host === undefined ? undefined : this.text(host),
      user: user === undefined ? undefined : this.text(user),
      groups: new Map([...groups].map(([source, names]) => [source, renamed(names)])),
    };
  }

  assumptions({ files, facts }: Assumptions): Assumptions {
    return {
      files: new Map([...files].map(([path, kind]) => [this.text(path), kind])),
      facts: new Set([...facts].map((fact) => renameFact(fact, (text) => this.text(text)))),
    };
  }

  /** Returns the address at the same place in the image of the smallest network around it. */
  address(text: string): string {
    const address = parseAddress(text);
    if (address === undefined) return text;
    const enclosing = this.subnets.filter(([from]) => isInSubnet(address, from));
    const [smallest] = enclosing.toSorted(([a], [b]) => (a.mask > b.mask ? -1 : a.mask < b.mask ? 1 : 0));
    if (smallest === undefined) return text;
    const [{ mask }, to] = smallest;
    return formatAddress({ family: address.family, bits: to.network | (address.bits & ~mask) });
  }
}

function toLower(word: string): string {
  return word.toLowerCase();
}

/** Returns the map between two lists; undefined if an element has two partners. */
function mapOneToOne(from: readonly string[], to: readonly string[]): ReadonlyMap<string, string> | undefined {
  const there = new Map<string, string>();
  const back = new Map<string, string>();
  for (const [index, word] of from.entries()) {
    const image = to[index] ?? "";
    if ((there.get(word) ?? image) !== image || (back.get(image) ?? word) !== word) return undefined;
    there.set(word, image);
    back.set(image, word);
  }
  return there;
}

type Relation = "equal" | "inside" | "around" | "apart";

/** Networks of leading bits are disjoint, or one contains the other. */
function relationOf(a: Subnet, b: Subnet): Relation {
  if (a.family !== b.family) return "apart";
  const shared = a.mask & b.mask;
  if ((a.network & shared) !== (b.network & shared)) return "apart";
  return a.mask === b.mask ? "equal" : a.mask > b.mask ? "inside" : "around";
}
