import {
  findModuleByName,
  type Guard,
  indexDirectives,
  isWholeServer,
  listInactiveLines,
  type Project,
} from "../../src/lint/api/configuration.js";

/** The number of requests at a time that each MPM of Unix allows without a line (server/mpm_common.h, and each MPM). */
const defaultLimits: ReadonlyMap<string, number> = new Map([
  ["mpm_prefork_module", 256],
  ["mpm_worker_module", 400],
  ["mpm_event_module", 400],
]);

/** Lines that limit the requests at a time. */
const limits: readonly string[] = ["maxrequestworkers", "maxclients", "serverlimit"];

/** A section with limits for another MPM than that of the server, which has none of its own. */
export interface OtherMpmLimits {
  readonly guard: Guard;
  /** The skipped line: `MaxRequestWorkers 800`. */
  readonly line: string;
  /** The names of the MPMs: `prefork`. */
  readonly other: string;
  readonly own: string;
  readonly default: number;
}

/** Finds the section for another MPM; systems ship sections for all of them. */
export function findOtherMpmLimits(project: Project): OtherMpmLimits | undefined {
  if (!isWholeServer(project)) return undefined;
  const own = [...defaultLimits.keys()].find((mpm) => project.modules.has(mpm));
  const limit = defaultLimits.get(own ?? "");
  const index = indexDirectives(project);
  if (own === undefined || limit === undefined || limits.some((key) => index.named(key).length > 0)) return undefined;
  const mpmOf = ({ kind, negated, isUndecided, argument }: Guard) =>
    kind === "<ifmodule" && !negated && !isUndecided ? findModuleByName("2.4", argument)?.identifier : undefined;
  if (project.guards.some((guard) => mpmOf(guard) === own)) return undefined;
  for (const { key, guard, within, argument } of listInactiveLines(project)) {
    const other = mpmOf(guard);
    if (other === undefined || !defaultLimits.has(other) || guard.parent?.holds === false) continue;
    if (within.length > 0 || !/^max(?:requestworkers|clients)$/.test(key) || Number(argument) === limit) continue;
    const line = `${key === "maxclients" ? "MaxClients" : "MaxRequestWorkers"} ${argument}`;
    return { guard, line, other: nameOf(other), own: nameOf(own), default: limit };
  }
  return undefined;
}

function nameOf(identifier: string): string {
  return identifier.replace(/^mpm_|_module$/g, "");
}
