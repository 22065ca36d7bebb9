import { allRules, defaultRules } from "../../rules/index.js";
import type { Project } from "../config/model/project.js";
import { isSince } from "../facts/release.js";
import type { Finding } from "../lint/finding.js";
import { lintWithoutProofs } from "../lint/runner/lint.js";
import { lacksRequire } from "../server/access/providers.js";

/** Returns the errors in the main files that prevent the server from starting. */
export function findStartupErrors(project: Project): readonly Finding[] {
  const htaccess = new Set(project.htaccess.map(({ tree }) => tree.source));
  const rules = defaultRules.filter(({ severity }) => severity === "error");
  return lintWithoutProofs(project, { rules, ruleIds: rules.map(({ id }) => id) }).findings.filter(
    ({ severity, effect, span }) => severity === "error" && effect === "no start" && !htaccess.has(span.file),
  );
}

/**
 * Returns the modules, by identifier, that 2.4 needs for a 2.2 configuration; `upgrade` adds their LoadModule lines.
 */
export function findModulesToLoad(project: Project): readonly string[] {
  return listSupplied(findModuleFindings(project));
}

function findModuleFindings(project: Project): readonly Finding[] {
  const rules = defaultRules.filter(({ suppliesModules }) => suppliesModules);
  const ruleIds = allRules.map(({ id }) => id);
  return lintWithoutProofs(project, { rules, ruleIds, from: "2.2" }).findings;
}

function listSupplied(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.flatMap(({ supplies = [] }) => supplies))];
}

/** A configuration, and the findings that keep its server from answering. */
export interface SuppliedServer<T> {
  readonly loaded: T;
  /** Why the server answers no request; empty if it does. */
  readonly findings: readonly Finding[];
}

/**
 * Loads a server that answers no request again, with the modules that it lacks: a view of its errors would look as if nobody
 * had access. Other servers stay as they are.
 *
 * @param config as read
 * @param startup the findings that prevent it from starting
 * @param loadWith loads it as if it had more modules; undefined if that is impossible
 */
export function supplyModules<T>(
  config: Project,
  startup: readonly Finding[],
  loaded: T,
  loadWith: (modules: readonly string[]) => T | undefined,
): SuppliedServer<T> {
  const failure = findServerFailure(config, startup);
  if (failure === undefined) return { loaded, findings: [] };
  const { findings, modules } = failure;
  return { loaded: (modules.length === 0 ? undefined : loadWith(modules)) ?? loaded, findings };
}

/** Why a server answers no request, and what it lacks. */
export interface ServerFailure {
  /** The findings that prevent it from starting, or that make all requests fail. */
  readonly findings: readonly Finding[];
  /** The missing modules, by identifier; loading them may not be enough. */
  readonly modules: readonly string[];
}

/**
 * Returns why a server does not start, or fails every request, as 2.4 does without mod_authz_core (server/request.c
 * `ap_process_request_internal`, AH00025). Undefined if it answers requests.
 *
 * @param startup the findings that prevent it from starting
 */
export function findServerFailure(project: Project, startup: readonly Finding[]): ServerFailure | undefined {
  if (startup.length === 0 && !lacksRequire(project)) return undefined;
  const findings = isSince(project.release, "2.4") && project.kind === "server" ? findModuleFindings(project) : [];
  const reasons = startup.length > 0 ? startup : findings;
  return reasons.length === 0 ? undefined : { findings: reasons, modules: listSupplied(findings) };
}
