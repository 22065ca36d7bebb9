import type { WalkKind } from "../../../src/proof/model/path-class.js";
import { describeRequest, type Request } from "../../../src/server/model/request.js";
import type { Random } from "../../support/random/random.js";
import type { SampledClass, SampledRequest } from "./sampled-requests.js";

/** Requests to one server. */
export interface ChosenRequests {
  readonly requests: readonly Request[];
  /** The existing objects; a directory ends in a slash. */
  readonly paths: readonly string[];
}

/** Maximum number of attempts for each missing request. */
const TRIES = 20;

/**
 * Chooses requests that agree on the existing files, and on the names and groups of their clients. All classes are used
 * in turn. Then other paths of the classes are drawn, with the clients of any request.
 *
 * @param known objects that exist in any case
 */
export function chooseRequests(
  classes: readonly SampledClass[],
  known: ReadonlyMap<string, WalkKind>,
  count: number,
  random: Random,
): ChosenRequests {
  const chosen = new AgreeingRequests(known);
  const queues = shuffle(classes, random).map(({ requests }) => shuffle(requests, random));
  while (chosen.requests.length < count && queues.some((each) => each.length > 0)) {
    for (const each of queues) {
      if (chosen.requests.length >= count) break;
      for (let next = each.pop(); next !== undefined; next = each.pop()) if (chosen.add(next)) break;
    }
  }
  const senders = classes.flatMap(({ requests }) => requests.map(({ request }) => request));
  const missing = count - chosen.requests.length;
  for (let tries = 0; tries < missing * TRIES && chosen.requests.length < count; tries++) {
    const target = classes[random.below(classes.length)]?.draw();
    const sender = senders[random.below(senders.length)];
    if (target === undefined || sender === undefined) continue;
    if (target.request.clientIp.includes(":") !== sender.clientIp.includes(":")) continue;
    chosen.add({ request: { ...targetOf(target.request), ...senderOf(sender) }, files: target.files });
  }
  return chosen;
}

function targetOf({ clientIp: _, clientHost, user, groups, dbmGroups, ...target }: Request): Omit<Request, "clientIp"> {
  return target;
}

function senderOf({ clientIp, clientHost, user, groups, dbmGroups }: Request) {
  return {
    clientIp,
    ...(clientHost === undefined ? {} : { clientHost }),
    ...(user === undefined ? {} : { user }),
    ...(groups === undefined ? {} : { groups }),
    ...(dbmGroups === undefined ? {} : { dbmGroups }),
  };
}

function shuffle<T>(list: readonly T[], random: Random): T[] {
  const keyed = list.map((each) => [random.next(), each] as const);
  return keyed.sort(([a], [b]) => a - b).map(([, each]) => each);
}

class AgreeingRequests implements ChosenRequests {
  readonly requests: Request[] = [];
  private readonly kinds = new Map<string, WalkKind>();
  /** The names of addresses, and the groups of users. */
  private readonly facts = new Map<string, string>();
  private readonly seen = new Set<string>();

  constructor(known: ReadonlyMap<string, WalkKind>) {
    this.addFiles(known);
  }

  /** @returns false if it contradicts or repeats an earlier request */
  add({ request, files }: SampledRequest): boolean {
    const { clientIp, clientHost = "", user = "", groups = [], dbmGroups, method } = request;
    const own = [
      [clientIp, clientHost],
      [`user ${user}`, groups.join(" ")],
    ] as const;
    const isAgreed = own.every(([name, fact]) => (this.facts.get(name) ?? fact) === fact);
    const text = describeRequest(request);
    if (!isAgreed || dbmGroups !== undefined || method === "CONNECT" || this.seen.has(text)) return false;
    if (!this.addFiles(files)) return false;
    this.seen.add(text);
    for (const [name, fact] of own) this.facts.set(name, fact);
    this.requests.push(request);
    return true;
  }

  get paths(): readonly string[] {
    return [...this.kinds].flatMap(([path, kind]) =>
      kind === "missing" ? [] : [kind === "directory" ? `${path}/` : path],
    );
  }

  private addFiles(files: ReadonlyMap<string, WalkKind>): boolean {
    const added = new Map<string, WalkKind>();
    for (const [path, kind] of files) {
      added.set(path, kind);
      const parents = path.split("/").slice(1, -1);
      for (let depth = 1; kind !== "missing" && depth <= parents.length; depth++)
        added.set(`/${parents.slice(0, depth).join("/")}`, "directory");
    }
    for (const [path, kind] of added) if ((this.kinds.get(path) ?? kind) !== kind) return false;
    for (const [path, kind] of added) this.kinds.set(path, kind);
    return true;
  }
}
