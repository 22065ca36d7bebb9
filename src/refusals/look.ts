import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Standing } from "../project/standing.js";
import type { Memory } from "./memory.js";
import type { Fault } from "./refusal.js";

/** What there is to know of a directive beside its words. */
export interface Look {
  readonly project: Project;
  readonly memory: Memory;
  readonly standing: Standing;
}

/** Looks at the words of a directive whose number is right; undefined where the server takes them. */
export type Check = (directive: Directive, look: Look) => Fault | undefined;

/**
 * Whether the server knows a path for where a directive stands: in a section but VirtualHost, and in `.htaccess` files;
 * undefined at the top of a fragment, which may stand in any of these.
 */
export function hasPath({ standing }: Look): boolean | undefined {
  if (standing.inHtaccess) return true;
  if (standing.place === "unknown") return undefined;
  return standing.place !== "server" && standing.place !== "virtualhost";
}

/** Runs checks one after the other, as the server does. */
export function inTurn(...checks: readonly Check[]): Check {
  return (directive, look) => {
    for (const check of checks) {
      const fault = check(directive, look);
      if (fault) return fault;
    }
    return undefined;
  };
}
