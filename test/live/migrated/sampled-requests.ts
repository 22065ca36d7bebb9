import { exploreRequests } from "../../../src/compare/compare.js";
import { startExploration } from "../../../src/compare/exploration.js";
import type { RequestClass } from "../../../src/compare/explored-requests.js";
import { defaultBudget } from "../../../src/compare/model/budget.js";
import type { WalkedPath, WalkKind } from "../../../src/compare/model/path-class.js";
import { concretizeRequest } from "../../../src/compare/symbolic/probe.js";
import type { Request } from "../../../src/httpd/model/request.js";
import { generateSampleText } from "../../../src/logic/automata/shortest-texts.js";
import type { RequestModel } from "../../../src/logic/symbolic/atoms.js";
import type { Project } from "../../../src/project/model/project.js";
import { encodeUrlPath } from "../../../src/text/escaping.js";
import type { Random } from "../../support/random/random.js";

/** A request with the objects that it assumes, by path. */
export interface SampledRequest {
  readonly request: Request;
  readonly files: ReadonlyMap<string, WalkKind>;
}

/** Number of additional paths of each path class. */
const MORE_PATHS = 3;
/** Longest file name. */
const MAX_NAME = 200;

/** Returns requests of all path classes, methods and kinds of clients that a configuration distinguishes. */
export function sampleRequests(project: Project, random: Random): readonly SampledRequest[] {
  const side = { project, reading: "server" } as const;
  const exploration = startExploration(side, side, defaultBudget);
  const found: SampledRequest[] = [];
  exploreRequests(exploration, [
    {
      visitPartition: () => undefined,
      visitIncomplete: () => undefined,
      visitInstance: () => false,
      visitPathClass: (pathClass, policies) => {
        const others = Array.from({ length: MORE_PATHS }, () =>
          generateSampleText(pathClass.paths, () => random.next(), 6),
        ).flatMap((text) => (text === undefined ? [] : [pathClass.walkedIn(text)]));
        for (const { requests, policy } of policies) {
          if (policy === "too large") continue;
          for (const { when } of policy.blocks) {
            const model = policy.symbols.witness(when);
            if (model === undefined || model === "too large" || !isSendable(model)) continue;
            for (const walked of [pathClass, ...others]) found.push(concretize(requests, walked, model));
          }
        }
      },
    },
  ]);
  return found.filter(({ files }) => [...files.keys()].every((path) => path.split("/").every(isName)));
}

function isName(name: string): boolean {
  return name.length < MAX_NAME && /^[ -~]*$/.test(name);
}

/** Reports whether a client can be such: nothing but its address, name and user matters. */
function isSendable({ env, terms, values }: RequestModel): boolean {
  return env.size + terms.size + values.size === 0;
}

function concretize({ target }: RequestClass, { path, walks }: WalkedPath, model: RequestModel): SampledRequest {
  const files = new Map<string, WalkKind>(model.files);
  for (const walk of walks) if (walk) files.set(walk.filename, walk.kind);
  return { request: { ...concretizeRequest(model, target), path: encodeUrlPath(path) }, files };
}

/** Objects that requests agree on. */
export class AgreedFiles {
  private readonly kinds = new Map<string, WalkKind>();

  /** Adds the objects of a request. @returns false if they contradict those of earlier ones */
  add(files: ReadonlyMap<string, WalkKind>): boolean {
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

  /** The existing objects; a directory ends in a slash. */
  get paths(): readonly string[] {
    return [...this.kinds].flatMap(([path, kind]) =>
      kind === "missing" ? [] : [kind === "directory" ? `${path}/` : path],
    );
  }
}
