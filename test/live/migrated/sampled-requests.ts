import type { Project } from "../../../src/config/model/project.js";
import { concretizeRequest } from "../../../src/proof/clients/observe.js";
import { exploreRequests } from "../../../src/proof/compare/compare.js";
import { startExploration } from "../../../src/proof/compare/exploration.js";
import type { RequestClass } from "../../../src/proof/compare/explored-requests.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { WalkedPath, WalkKind } from "../../../src/proof/model/path-class.js";
import { generateSampleText } from "../../../src/regex/automata/shortest-texts.js";
import type { RequestModel } from "../../../src/server/model/atoms.js";
import type { Request } from "../../../src/server/model/request.js";
import { encodeUrlPath } from "../../../src/text/escaping.js";
import type { Random } from "../../support/random/random.js";

/** A request with the objects that it assumes, by path. */
export interface SampledRequest {
  readonly request: Request;
  readonly files: ReadonlyMap<string, WalkKind>;
}

/** Longest file name. */
const MAX_NAME = 200;
/** Maximum number of steps. The sample of a large server omits path classes. */
const MAX_STEPS = 20_000_000;
/** Maximum number of requests of the sample, before others are drawn. */
const MAX_SAMPLED = 40_000;
/** Approximate length of drawn paths. */
const MAX_LENGTH = 12;

/** The requests to the paths of one class. */
export interface SampledClass {
  /** A request for each method and class of clients that the configuration distinguishes, all to the same path. */
  readonly requests: readonly SampledRequest[];
  /** Returns one of them with a random path of the class; undefined if it is not found. */
  readonly draw: () => SampledRequest | undefined;
}

/** Returns requests for all path classes, methods and classes of clients that a configuration distinguishes. */
export function sampleRequests(project: Project, random: Random): readonly SampledClass[] {
  const side = { project, semantics: "server" } as const;
  const exploration = startExploration(side, side, { ...defaultBudget, steps: MAX_STEPS });
  const found: SampledClass[] = [];
  let count = 0;
  exploreRequests(exploration, [
    {
      visitPartition: () => undefined,
      visitIncomplete: () => undefined,
      visitInstance: () => false,
      visitPathClass: (pathClass, policies) => {
        if (count > MAX_SAMPLED) return;
        const clients: { readonly requests: RequestClass; readonly model: RequestModel }[] = [];
        for (const { requests, policy } of policies) {
          if (policy === "too large") continue;
          for (const { when } of policy.blocks) {
            const model = policy.symbols.witness(when);
            if (model !== undefined && model !== "too large" && isSendable(model)) clients.push({ requests, model });
          }
        }
        count += clients.length;
        const requests = clients.map((client) => concretize(client, pathClass)).filter(hasNames);
        const draw = () => {
          const client = clients[random.below(clients.length)];
          const text = generateSampleText(pathClass.paths, () => random.next(), 4 + random.below(MAX_LENGTH));
          const drawn = client && text !== undefined ? concretize(client, pathClass.walkedIn(text)) : undefined;
          return drawn && hasNames(drawn) ? drawn : undefined;
        };
        found.push({ requests, draw });
      },
    },
  ]);
  return found;
}

function hasNames({ files }: SampledRequest): boolean {
  return [...files.keys()].every((path) => path.split("/").every(isName));
}

function isName(name: string): boolean {
  return name.length < MAX_NAME && /^[ -~]*$/.test(name);
}

/** Reports whether a client can send the request: it depends only on the client's address, name and user. */
function isSendable({ env, facts, values }: RequestModel): boolean {
  return env.size + facts.size + values.size === 0;
}

function concretize(
  { requests: { target }, model }: { readonly requests: RequestClass; readonly model: RequestModel },
  { path, walks }: WalkedPath,
): SampledRequest {
  const files = new Map<string, WalkKind>(model.files);
  for (const walk of walks) if (walk) files.set(walk.filename, walk.kind);
  return { request: { ...concretizeRequest(model, target), path: encodeUrlPath(path) }, files };
}
