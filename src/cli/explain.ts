import { inChunks } from "../report/chunks.js";
import { decisionJson } from "../report/decision-json.js";
import { decisionText } from "../report/decision-text.js";
import { type LoggedAnswer, LoggedCounts, loggedJson, loggedText } from "../report/logged.js";
import type { Look } from "../report/painter.js";
import type { Request } from "../scope/request.js";
import { type PartNames, readRequest, type WrittenRequest } from "../scope/written-request.js";
import { Decider } from "../simulate/decide.js";
import type { Reading } from "../simulate/decision.js";
import { loggedRequests } from "./access-log.js";
import { exitCodes } from "./exit-codes.js";
import { type LogLine, openLog } from "./log-lines.js";
import { withMaskedValues } from "./masked-values.js";
import { failure, type Outcome } from "./outcome.js";
import { filesReadBy, type LoadedServer, loadServer, type ServerFlags } from "./server.js";

/** The ways in which an explanation is written. */
export const explainFormats = ["text", "json"] as const;

/** The flags that say what is asked for, and by whom. */
export interface RequestFlags extends Omit<WrittenRequest, "url" | "groups" | "dbmGroups" | "headers"> {
  readonly group?: readonly string[] | undefined;
  readonly header?: readonly string[] | undefined;
}

export interface ExplainFlags extends ServerFlags, RequestFlags {
  readonly url?: string | undefined;
  /** An access log in place of one request. */
  readonly requests?: string | undefined;
  readonly changed: boolean;
  readonly reading: Reading;
  readonly format: (typeof explainFormats)[number];
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

const flagNames: PartNames = {
  url: "URL-OR-PATH",
  method: "--method",
  scheme: "--scheme",
  host: "--host",
  port: "--port",
  serverIp: "--server-ip",
  clientIp: "--client-ip",
  clientHost: "--client-host",
  user: "--user",
  groups: "--group",
  dbmGroups: "--group",
  grants: "--grants",
  env: "--env",
  headers: "--header",
  query: "--query",
};

/** Says what one request gets and why, or what each request of an access log gets. */
export function explain(flags: ExplainFlags): Outcome {
  const { url, requests } = flags;
  if (url !== undefined && requests !== undefined)
    return failure(exitCodes.usage, "URL-OR-PATH and --requests exclude each other");
  if (requests === "-" && flags.entry === "-")
    return failure(exitCodes.usage, "ENTRY and --requests cannot both be standard input; name a file for one of them");
  if (requests !== undefined) return explainLog(flags, requests);
  if (url === undefined) return failure(exitCodes.usage, "URL-OR-PATH is missing: say what is asked for");
  const asked = readRequest(writtenBy(flags, url), flagNames);
  if ("failed" in asked) return failure(exitCodes.usage, asked.failed);
  const server = loadServer(flags);
  return "failed" in server ? server.failed : explainOne(flags, server, asked.request);
}

function writtenBy(flags: RequestFlags, url: string): WrittenRequest {
  const { method, scheme, host, port, serverIp, clientIp, clientHost, user, grants, query, env } = flags;
  return {
    ...{ url, method, scheme, host, port, serverIp, clientIp, clientHost, user, grants, query, env },
    ...{ groups: flags.group?.flatMap((list) => list.split(",")), headers: flags.header },
  };
}

function explainOne(flags: ExplainFlags, server: LoadedServer, request: Request): Outcome {
  const { project, files, startup, notes, assumptions } = server;
  const decision = new Decider(project, files, flags.reading).decide(request);
  const explained = { decision, startup, assumptions };
  const look = lookOf(flags);
  const output = flags.format === "json" ? decisionJson(explained, look.base) : decisionText(explained, look);
  const isUnknown = decision.class === "unknown" ? exitCodes.unknown : exitCodes.clean;
  return {
    output: withMaskedValues(output, [server]),
    read: filesReadBy(server),
    notes,
    exitCode: startup.length > 0 && !flags.exitZero ? exitCodes.findings : isUnknown,
  };
}

/** How results look, by the flags. */
export function lookOf({ colour, width }: Pick<ExplainFlags, "colour" | "width">): Look & { readonly base: string } {
  return { base: process.cwd(), colour, ...(width === undefined ? {} : { width }) };
}

/** Flags that say what a log says itself. */
const ofOneRequest = ["method", "clientIp", "clientHost", "user", "query"] as const;

function explainLog(flags: ExplainFlags, path: string): Outcome {
  const surplus = ofOneRequest.find((name) => flags[name] !== undefined);
  if (surplus !== undefined)
    return failure(exitCodes.usage, `${flagNames[surplus]} is what the log of --requests says`);
  // Groups may be said of all users there are.
  const defaults = readRequest({ ...writtenBy(flags, "/"), user: "x" }, flagNames);
  if ("failed" in defaults) return failure(exitCodes.usage, defaults.failed);
  const log = openLog(path);
  if ("failed" in log)
    return failure(exitCodes.unreadable, `the log \`${path}\` of --requests cannot be read: ${log.failed}`);
  const server = loadServer(flags);
  return "failed" in server ? server.failed : loggedOutcome(flags, server, log.lines, defaults.request);
}

function loggedOutcome(
  flags: ExplainFlags,
  server: LoadedServer,
  lines: Iterable<LogLine>,
  defaults: Request,
): Outcome {
  const { project, files, startup, notes, assumptions } = server;
  const { reading, changed: onlyChanged, format } = flags;
  const decider = new Decider(project, files, reading);
  const counts = new LoggedCounts();
  const answers = answersTo(lines, decider, defaults);
  const input = { answers, counts, reading, onlyChanged, release: project.release, assumptions };
  const look = lookOf(flags);
  const pieces = format === "json" ? loggedJson(input, look.base) : loggedText(input, look);
  return {
    output: inChunks(withMaskedValues(pieces, [server])),
    read: filesReadBy(server),
    notes: [...notes, ...startupNotes(startup)],
    // Known when all is written.
    get exitCode() {
      if (counts.different > 0 || startup.length > 0) return flags.exitZero ? exitCodes.clean : exitCodes.findings;
      if (counts.requests === 0 && counts.unread > 0) return exitCodes.unreadable;
      return counts.unknown > 0 ? exitCodes.unknown : exitCodes.clean;
    },
  };
}

/** One line on standard error for each thing that keeps the server from starting: the first, and how many more. */
function startupNotes(startup: LoadedServer["startup"]): string[] {
  const [first] = startup;
  if (first === undefined) return [];
  const more = startup.length > 1 ? ` (and ${startup.length - 1} more)` : "";
  return [`httpd-lint: the server does not start with this configuration: ${first.message}${more}`];
}

function* answersTo(lines: Iterable<LogLine>, decider: Decider, asked: Request): Generator<LoggedAnswer> {
  const { method, path, query, clientIp, clientHost, user, ...defaults } = asked;
  for (const each of loggedRequests(lines, defaults))
    yield "failed" in each ? each : { ...each, decision: decider.decide(each.request) };
}
