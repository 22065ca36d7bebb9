import { argumentValuesOf, type ConfigLayer } from "../../httpd/model/config-layer.js";
import { Oracle } from "../../httpd/model/oracle.js";
import { createInnerRequest, isMethod } from "../../httpd/model/request.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { explainHtaccessRefusal } from "../inputs/refused-lines.js";
import { mainPassesOf, passesOf, type RequestOutcome, type SimulationSetup } from "../model/request-context.js";
import { runPathPass } from "../phases/path-pass.js";

/** Reports whether the server may log other messages than those of the simulation. */
export function mayLogOtherwise(outcome: RequestOutcome, setup: SimulationSetup): boolean {
  return (
    outcome.hasUnknownLog === true ||
    hasUnknownRefusal(outcome, setup) ||
    setsLogLevel(outcome.layers) ||
    mayLogEntries(outcome, setup)
  );
}

/** Reports whether a condition in a `.htaccess` file cannot be parsed: the message depends on the parser's state. */
function hasUnknownRefusal({ pass }: RequestOutcome, setup: SimulationSetup): boolean {
  const passes = pass ? passesOf(pass) : [];
  return passes.some(
    ({ walked }) => walked?.refused && explainHtaccessRefusal(walked.refused, setup).server === undefined,
  );
}

const logLevel: ReadonlySet<string> = new Set(["loglevel"]);

/** Levels with the messages of the default: no message about a request has the level `notice`. */
const usualLevels: ReadonlySet<string> = new Set(["warn", "notice"]);

/**
 * Reports whether a LogLevel adds or removes messages. A level without a module replaces those before it
 * (server/core.c `set_loglevel`).
 */
function setsLogLevel(layers: readonly ConfigLayer[]): boolean {
  const words = layers.flatMap((layer) => layer.pick(logLevel)).flatMap(argumentValuesOf);
  const first = words.findLastIndex((word) => !word.includes(":"));
  return words.slice(Math.max(first, 0)).some((word) => !usualLevels.has(word.replace(/^.*:/s, "").toLowerCase()));
}

/**
 * Reports whether the server may log messages about the entries of a listed directory. It makes a subrequest for each,
 * in the order of the file system (mod_autoindex.c `make_autoindex_entry`).
 */
function mayLogEntries({ answeredBy, pass, served = pass }: RequestOutcome, setup: SimulationSetup): boolean {
  const listed = pass && mainPassesOf(served ?? pass)[0];
  if (answeredBy !== "listing" || !listed?.walked || !isMethod(listed.request, "GET")) return false;
  const { path, request, server, walked } = listed;
  const entries = setup.files.list?.(walked.filename.replace(/(?<=.)\/$/, ""));
  if (entries === undefined) return true;
  return entries.some(({ name }) => {
    const oracle = new Oracle(new Map());
    const run = { setup, server, oracle, recorder: undefined };
    const own = path + name;
    const entry = runPathPass(
      run,
      createInnerRequest(request),
      { path: own, escaped: encodeUrlPath(own) },
      { outer: listed },
    );
    return entry.log.length > 0 || entry.pass.walked?.refused || oracle.answered.size > 0 || oracle.undecidable;
  });
}
