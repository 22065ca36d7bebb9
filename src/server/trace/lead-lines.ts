import type { Directive } from "../../config/model/directive.js";
import type { Span } from "../../text/source.js";
import { findSetting } from "../model/config-layer.js";
import { mainPassesOf, type Pass, passesOf } from "../model/pass.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import { missesOfHosts } from "./host-misses.js";
import { overrideLinesOf } from "./htaccess-steps.js";

/** Lines that only grant access. */
const accessNames: ReadonlySet<string> = new Set(["require", "order", "allow", "deny", "satisfy"]);

/** Lines of a `.htaccess` file that may answer for a file that does not exist. */
const mappingNames: ReadonlySet<string> = new Set(["rewriterule", "fallbackresource"]);

/**
 * Returns the line that leads to a result that access control does not explain: another virtual host than the one with the
 * name, a `.htaccess` file that is not read, MultiViews, a rewrite rule, or the mapping to a file that does not exist. None if
 * the deciding lines explain the result.
 */
export function leadLinesOf(
  { pass, status, by }: RequestOutcome,
  { servers, project }: SimulationSetup,
): readonly Span[] {
  if (!pass?.isAuthorized || (status !== 200 && status !== 404) || by.some(({ key }) => !accessNames.has(key)))
    return [];
  const [host] = missesOfHosts(pass, servers, project).filter(({ isClose }) => isClose);
  if (host) return [host.by ?? pass.server.section].flatMap((line) => line?.span ?? []);
  const [line] = [
    ...(status === 404 ? [unreadFile(pass)] : []),
    variantLine(pass),
    lastRule(pass),
    missingFile(pass, status),
  ].filter((each) => each !== undefined);
  return line ? [line.span] : [];
}

/** The AllowOverride line because of which a `.htaccess` file with such lines is not read. */
function unreadFile(pass: Pass): Directive | undefined {
  for (const each of passesOf(pass))
    for (const { file, verdict, level } of each.walked?.htaccess ?? [])
      if (verdict.kind === "ignored" && file.directives.some(({ key }) => mappingNames.has(key)))
        return overrideLinesOf(each, level)[0];
  return undefined;
}

function variantLine(pass: Pass): Directive | undefined {
  const found = mainPassesOf(pass).find(({ variant }) => variant?.walked);
  return found && findSetting(found.state?.layers ?? [], "options");
}

/** The last rule that leads to another URL. */
function lastRule(pass: Pass): Directive | undefined {
  return mainPassesOf(pass).find(({ next }) => next?.by.key === "rewriterule")?.next?.by;
}

function missingFile(pass: Pass, status: number): Directive | undefined {
  const [last = pass] = mainPassesOf(pass);
  return status === 404 ? last.mapping.by : undefined;
}
