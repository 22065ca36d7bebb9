import { authenticationIncomplete } from "../../rules/authentication-incomplete/authentication-incomplete.js";
import { authtypeWithoutRequire } from "../../rules/authtype-without-require/authtype-without-require.js";
import { compatPrecedence } from "../../rules/compat-precedence/compat-precedence.js";
import { compatReset } from "../../rules/compat-reset/compat-reset.js";
import { limitLeavesMethodsOpen } from "../../rules/limit-leaves-methods-open/limit-leaves-methods-open.js";
import { mixedAccessControl } from "../../rules/mixed-access-control/mixed-access-control.js";
import { overrideMissing } from "../../rules/override-missing/override-missing.js";
import { redundantHostRules } from "../../rules/redundant-host-rules/redundant-host-rules.js";
import { satisfyAny } from "../../rules/satisfy-any/satisfy-any.js";
import type { Project } from "../../src/config/model/project.js";
import { checkNameOf, type Finding } from "../../src/lint/finding.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { answerUnder } from "../../src/server/definite-answer.js";
import { createPermissiveFileTree } from "../../src/server/file-trees.js";
import { decisionClassOf } from "../../src/server/model/answer.js";
import { describeRequest, type Request } from "../../src/server/model/request.js";
import { prepareSimulation } from "../../src/server/process-request.js";
import { type Case, loadCase } from "../support/cases/recorded-cases.js";
import { canNameClients, type LiveAnswer } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { answersTo, type Place } from "./case-server.js";
import { removeCause, type Texts } from "./remove-cause.js";

/** The rules whose findings include a request. */
const rules = [
  ...[authenticationIncomplete, authtypeWithoutRequire, compatPrecedence, compatReset],
  ...[limitLeavesMethodsOpen, mixedAccessControl, overrideMissing, redundantHostRules, satisfyAny],
];

/** The results of sending the requests of findings to the real server. */
export interface Replay {
  /** Number of findings of each rule with the predicted response, and a different one without their cause. */
  readonly confirmed: Map<string, number>;
  /** Findings for which only the response with their cause was tested. */
  readonly withCauseOnly: Map<string, number>;
  /** Number of requests that cannot be sent from here, by reason. */
  readonly notSent: Map<string, number>;
  readonly disagreements: string[];
}

/** The messages that report the decision. The server writes other messages with it. */
const decisionCodes = new Set(["AH01797", "AH01630", "AH01631", "AH01629", "AH01627", "AH00027", "AH00028"]);

/** A finding with its request. */
interface WitnessedFinding {
  readonly finding: Finding;
  readonly request: Request;
  /** The response in the message: `403 AH01797`. */
  readonly expected: string;
}

/**
 * Sends the request of each finding in some recorded cases to the real server, with its cause and without.
 *
 * @param enough number of findings after which a rule is done; cases with findings of such rules only are skipped
 */
export async function replay(cases: readonly Case[], enough = Number.POSITIVE_INFINITY): Promise<Replay> {
  const sum: Replay = { confirmed: new Map(), withCauseOnly: new Map(), notSent: new Map(), disagreements: [] };
  const waiting = cases.values();
  const seen = new Map<string, number>();
  const job = async () => {
    await whileInScratchFolder(async (root) => {
      const port = await freePort();
      for (const each of waiting) {
        const { project } = loadCase(each);
        const shown = lintWithoutProofs(project, { rules }).findings.flatMap((finding) => listWitnessed(finding, sum));
        if (shown.every(({ finding }) => (seen.get(checkNameOf(finding)) ?? 0) >= enough)) continue;
        for (const { finding } of shown) add(seen, checkNameOf(finding));
        await replayCase(each, project, shown, { root, port }, sum);
      }
    });
  };
  await Promise.all([job(), job()]);
  return sum;
}

async function replayCase(
  each: Case,
  project: Project,
  shown: readonly WitnessedFinding[],
  place: Place,
  sum: Replay,
): Promise<void> {
  const context = (one: WitnessedFinding, text: string) =>
    `${each.id}: ${one.finding.rule}: ${one.finding.message}\n${JSON.stringify(one.request)}\n${text}`;

  const asExpected: WitnessedFinding[] = [];
  const answers = await answersTo(
    each,
    each.files,
    shown.map(({ request }) => request),
    (request) => listFilesFor(request, project),
    place,
  );
  for (const [index, one] of shown.entries()) {
    const answer = answers[index];
    const actual = typeof answer === "object" ? answerText(answer) : answer;
    if (actual === one.expected) asExpected.push(one);
    else sum.disagreements.push(context(one, `expected: ${one.expected}\nserver: ${actual}`));
  }

  const changed = asExpected.flatMap((one) => {
    const without = removeCause(one.finding, each.files, project);
    if (without === undefined) add(sum.withCauseOnly, checkNameOf(one.finding));
    return without ? [{ one, ...without }] : [];
  });
  for (const texts of new Set(changed.map((other) => JSON.stringify(other.texts)))) {
    const same = changed.filter((other) => JSON.stringify(other.texts) === texts);
    const without: Texts = JSON.parse(texts);
    const requests = same.map(({ one }) => one.request);
    const answered = await answersTo(each, without, requests, (request) => listFilesFor(request, project), place);
    for (const [index, { one, isAsExpected }] of same.entries()) {
      const answer = answered[index];
      if (typeof answer === "object" && isAsExpected(firstOf(one.expected), decisionClassOf(answer.status)))
        add(sum.confirmed, checkNameOf(one.finding));
      else {
        const actual = typeof answer === "object" ? answerText(answer) : answer;
        sum.disagreements.push(context(one, `with its cause: ${one.expected}\nwithout: ${actual}`));
      }
    }
  }
}

function firstOf(answer: string): string {
  return answer.split(" ")[0] ?? "";
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function listWitnessed(finding: Finding, sum: Replay): WitnessedFinding[] {
  const request = finding.witness?.request;
  if (request === undefined) return [];
  if (!canNameClients && request.clientHost !== undefined && request.clientHost !== "localhost") {
    add(sum.notSent, "clients cannot be given names here");
    return [];
  }
  return [{ finding, request, expected: expectedAnswer(finding, request) }];
}

/** Returns the response to a request that a finding reports. */
function expectedAnswer({ message, notes = [] }: Finding, request: Request): string {
  const shown = describeRequest(request);
  const text = [message, ...notes].find((each) => each.includes(shown)) ?? "";
  const answer = text.slice(text.indexOf(shown) + shown.length);
  const [, allowed, status = "", log = ""] =
    /(is allowed|returns 200)|returns (\d{3})(?: \(([^)]*)\))?/.exec(answer) ?? [];
  return allowed ? "allowed" : textOf(status, log.split(", "));
}

function answerText({ status, errorLog }: LiveAnswer): string {
  return textOf(
    decisionClassOf(status),
    errorLog.map((line) => line.slice(0, 7)),
  );
}

/** Formats a decision. */
function textOf(decided: string, codes: readonly string[]): string {
  if (decided === "allowed") return decided;
  return [decided, ...[...new Set(codes)].filter((code) => decisionCodes.has(code)).sort()].join(" ");
}

/** Returns the files and directories that a request requires; a directory ends in a slash. */
export function listFilesFor(request: Request, project: Project): readonly string[] {
  const files = createPermissiveFileTree(project);
  const { pass } = answerUnder(prepareSimulation(project, files), request);
  return [pass, ...(pass?.inner ?? [])].flatMap((each) => {
    if (each?.mapping.kind !== "file") return [];
    const { filename } = each.mapping;
    return each.walked?.kind === "directory" ? [`${filename}/`] : [filename];
  });
}
