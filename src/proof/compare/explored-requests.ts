import type { BudgetExceeded } from "../../regex/budget.js";
import type { RequestModel } from "../../server/model/atoms.js";
import type { FileTree } from "../../server/model/file-tree.js";
import type { AccessCheckOnly } from "../../server/model/simulation-setup.js";
import type { ProbeTarget } from "../clients/observe.js";
import type { ClientPolicy } from "../clients/policy.js";
import type { PathClass, PathPartition } from "../model/path-class.js";
import type { Pair, ServerPair } from "../model/server-pairs.js";
import type { TemplateInstance } from "./host-templates.js";

/** A set of requests: paths of one class, by one method, to servers that the same requests reach on both sides. */
export interface RequestClass {
  readonly pair: ServerPair;
  readonly pathClass: PathClass;
  readonly target: ProbeTarget;
  /** Existing files on each side. */
  readonly knownFiles: Pair<FileTree>;
}

/** The access policy for some requests. */
export interface RequestClassPolicy {
  readonly requests: RequestClass;
  readonly policy: ClientPolicy | BudgetExceeded;
}

/** The path classes of a server pair; "out of steps" if the steps of the exploration are used up. */
export type PathPartitionResult = PathPartition | BudgetExceeded | "out of steps";

/** A request to probe: paths, files and clients as one model. */
export interface ModelledRequest {
  readonly target: ProbeTarget;
  readonly walks: PathClass["walks"];
  readonly model: RequestModel;
  /** Set if the probe ends after the access check. */
  readonly accessCheck?: AccessCheckOnly | undefined;
}

/** Receives the results of an exploration, in order. */
export interface ExplorationVisitor {
  /** Called before the first request to a pair of servers. */
  startPair?(pair: ServerPair): void;
  visitPartition(pair: ServerPair, partition: PathPartitionResult): void;
  /** Receives the policies of one of the pair's path classes, for each method. */
  visitPathClass(pathClass: PathClass, policies: readonly RequestClassPolicy[]): void;
  /** Called when the steps are used up: the pair's remaining path classes are not explored. */
  visitIncomplete(pair: ServerPair): void;
  /**
   * Receives a pair for which the results of another hold, with its constants renamed.
   *
   * @returns whether the results are taken over; otherwise the pair is explored
   */
  visitInstance(instance: TemplateInstance): boolean;
}
