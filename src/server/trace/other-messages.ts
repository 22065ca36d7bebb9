import { encodeUrlPath } from "../../text/escaping.js";
import { type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { mainPassesOf, passesOf } from "../model/pass.js";
import { createInnerRequest, isMethod } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import { runPathPass } from "../phases/path-pass.js";
import { knownLevelOf, stepsOf } from "./log-level.js";
import { testsSubrequests } from "./subrequest-tests.js";

/** Reports whether the server may log other messages than those of the simulation. */
export function mayLogDifferently(outcome: RequestOutcome, setup: SimulationSetup): boolean {
  return (
    outcome.hasUnknownLog === true ||
    hasUnknownPass(outcome) ||
    testsSubrequests(setup.project) ||
    knownLevelOf(outcome) === undefined ||
    stepsOf(outcome).some(lacksSessionStore) ||
    mayLogEntries(outcome, setup)
  );
}

/**
 * Reports whether a pass has unknown messages, as for a condition in a `.htaccess` file that cannot be parsed: its message
 * depends on the parser's state.
 */
function hasUnknownPass({ pass }: RequestOutcome): boolean {
  const passes = pass ? passesOf(pass) : [];
  return passes.some(
    ({ walked, hasUnknownLog }) => hasUnknownLog || (walked?.refused && walked.refused.refusal.server === undefined),
  );
}

const sessionStores = [
  ...["sessioncookiename", "sessioncookiename2", "sessiondbdcookiename", "sessiondbdcookiename2", "sessiondbdperuser"],
];

/**
 * Reports whether sessions are on, but no module stores them: the server logs AH01815 each time that it looks for one
 * (mod_session.c `ap_session_load`).
 */
function lacksSessionStore(layers: readonly ConfigLayer[]): boolean {
  const isOn = keywordArgumentOf(findSetting(layers, "session")) === "on";
  return isOn && sessionStores.every((key) => findSetting(layers, key) === undefined);
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
