import type { Project } from "../../config/model/project.js";
import type { AccessState } from "../../server/access/access-state.js";
import { rulesTransforms } from "../../server/access/upgrade-guide.js";
import { memberFilesOf } from "../../server/file-trees.js";
import { documentRootOf } from "../../server/mapping/url-mapping.js";
import type { Semantics } from "../../server/model/answer.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { prepareSimulation } from "../../server/process-request.js";
import { compareHandlers, ModelFiles, type ObservedAnswer, type ObservedSide, observe } from "../clients/observe.js";
import type { PathClass, PathWalk } from "../model/path-class.js";
import { mapPair, type Pair, type ServerPair } from "../model/server-pairs.js";
import { fileTreeOfWalk } from "../paths/applying-sections.js";
import type { ModelledRequest } from "./explored-requests.js";

/** One of the two compared configurations; its release is the project's. */
export interface Side {
  /** As installed. */
  readonly project: Project;
  readonly semantics: Semantics;
  /** Variables, in lower case, that only lines of this side set, whatever modules are loaded. */
  readonly ownVariables?: Iterable<string>;
  /** Whether clients are assumed to send paths without unnecessary escapes, as browsers do. */
  readonly readsPlainPaths?: boolean;
  /** Called with each state in which rules are evaluated, and the request that reaches it. */
  readonly watch?: (state: AccessState, request: ModelledRequest) => void;
  /**
   * For the first side: whether the other may decide differently in a state in which its rules are evaluated. If a
   * request does not reach such a state, both answers are the same, and the other side is not probed. If absent, they
   * may differ in any state, and before.
   */
  readonly mayDiffer?: (state: AccessState) => boolean;
}

/** Prepares a side for probes and replays. */
export function prepareSide(
  { project, semantics, readsPlainPaths }: Side,
  ownVariables: ReadonlySet<string>,
): ObservedSide {
  const files = new ModelFiles();
  const setup = prepareSimulation(project, files, rulesTransforms[semantics]);
  return { setup: { ...setup, files: files.outsideWalks }, files, ownVariables, readsPlainPaths };
}

/** Both sides of an exploration, and the probes of them. */
export class ObservedSides {
  readonly prepared: Pair<ObservedSide>;
  /** Password and group files of both sides: they exist. */
  private readonly memberFiles: ReadonlySet<string>;
  private readonly isOneSide: boolean;

  constructor(
    private readonly sides: Pair<Side>,
    ownVariables: ReadonlySet<string>,
  ) {
    const [one, other] = sides;
    this.isOneSide = one.project === other.project && one.semantics === other.semantics;
    this.prepared = mapPair(sides, (side) => prepareSide(side, ownVariables));
    this.memberFiles = new Set(sides.flatMap(({ project }) => [...memberFilesOf(project)]));
  }

  /** Returns the answer of each side to a modelled request, or only of the first if the other is known to be the same. */
  observe(made: ModelledRequest): readonly ObservedAnswer[] {
    const { model, target, accessCheck } = made;
    const { mayDiffer } = this.sides[0];
    let isOther = mayDiffer === undefined;
    const first = this.watched(0, made, mayDiffer && ((state) => (isOther ||= mayDiffer(state))));
    const before = observe(model, target, first, accessCheck);
    if (this.isOneSide || !isOther) return [before];
    return compareHandlers([before, observe(model, target, this.watched(1, made), accessCheck)]);
  }

  /** Returns a side that reports the states of a request. */
  private watched(side: 0 | 1, made: ModelledRequest, also?: (state: AccessState) => void): ObservedSide {
    const { watch } = this.sides[side];
    const prepared = this.prepared[side];
    if (watch === undefined && also === undefined) return prepared;
    const { setup } = prepared;
    const transform: typeof setup.transform = (rules, state) => {
      watch?.(state, made);
      also?.(state);
      return setup.transform(rules, state);
    };
    return { ...prepared, setup: { ...setup, transform } };
  }

  /** Continues with the files known on each side, of which a request walks to one. */
  useFiles(known: Pair<FileTree>, walks: PathClass["walks"]): void {
    mapPair(this.prepared, ({ files }, side) => files.takeFrom(known[side], walks[side]?.filename));
  }

  /**
   * Returns the files at a path, as far as they follow from the walk to it and the lines that name password files and
   * document roots.
   */
  knownFilesOf({ servers }: ServerPair, walk: PathWalk | undefined, side: 0 | 1): FileTree {
    const walked = fileTreeOfWalk(walk);
    const root = `${documentRootOf(servers[side], this.prepared[side].setup.project)}/`;
    return {
      kindOf: (path, mayBeFile) => {
        if (this.memberFiles.has(path)) return "file";
        const kind = walked.kindOf(path, mayBeFile);
        return kind === "unknown" && root.startsWith(`${path}/`) ? "directory" : kind;
      },
    };
  }
}
