import type { Request } from "../../httpd/model/request.js";
import { parseRequest, type RequestPartNames, type RequestSpec } from "../../httpd/request/request-parser.js";
import { renderDecisionJson } from "../../report/decisions/decision-json.js";
import { renderDecisionText } from "../../report/decisions/decision-text.js";
import {
  type LoggedAnswer,
  LoggedCounts,
  renderLoggedJson,
  renderLoggedText,
} from "../../report/decisions/logged-requests.js";
import { joinIntoChunks } from "../../report/index.js";
import type { TextStyle } from "../../report/text/text-printer.js";
import { Decider } from "../../simulate/decide.js";
import type { Reading } from "../../simulate/model/decision.js";
import { readLoggedRequests } from "../inputs/access-log.js";
import {
  collectFilesRead,
  type LoadedServer,
  loadServer,
  maskServerVariables,
  type ServerFlags,
} from "../inputs/load-server.js";
import { type LogLine, openLog } from "../inputs/log-lines.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";

/** Output formats of an explanation. */
export const explainFormats = ["text", "json"] as const;

/** The flags that describe a request and its client. */
export interface RequestFlags extends Omit<RequestSpec, "url" | "groups" | "dbmGroups" | "headers"> {
  readonly group?: readonly string[] | undefined;
  readonly header?: readonly string[] | undefined;
}

export interface ExplainFlags extends ServerFlags, RequestFlags {
  readonly url?: string | undefined;
  /** An access log instead of one request. */
  readonly requests?: string | undefined;
  readonly changed: boolean;
  readonly reading: Reading;
  readonly format: (typeof explainFormats)[number];
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

const flagNames: RequestPartNames = {
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

/** Explains the result of one request, or shows the result of each request of an access log. */
export function runExplain(flags: ExplainFlags): CommandResult {
  const { url, requests } = flags;
  if (url !== undefined && requests !== undefined)
    return createFailure(exitCodes.usage, "URL-OR-PATH and --requests exclude each other");
  if (requests === "-" && flags.entry === "-")
    return createFailure(
      exitCodes.usage,
      "ENTRY and --requests cannot both be standard input; name a file for one of them",
    );
  if (requests !== undefined) return explainLog(flags, requests);
  if (url === undefined) return createFailure(exitCodes.usage, "URL-OR-PATH is missing: say what is asked for");
  const asked = parseRequest(requestFromFlags(flags, url), flagNames);
  if ("failed" in asked) return createFailure(exitCodes.usage, asked.failed);
  const server = loadServer(flags);
  return "failed" in server ? server.failed : explainOne(flags, server, asked.request);
}

function requestFromFlags(flags: RequestFlags, url: string): RequestSpec {
  const { method, scheme, host, port, serverIp, clientIp, clientHost, user, grants, query, env } = flags;
  return {
    ...{ url, method, scheme, host, port, serverIp, clientIp, clientHost, user, grants, query, env },
    ...{ groups: flags.group?.flatMap((list) => list.split(",")), headers: flags.header },
  };
}

function explainOne(flags: ExplainFlags, server: LoadedServer, request: Request): CommandResult {
  const { project, files, startup, notes, assumptions } = server;
  const decision = new Decider(project, files, flags.reading).decide(request);
  const explained = { decision, startup, assumptions };
  const look = textStyleOf(flags);
  const output =
    flags.format === "json" ? renderDecisionJson(explained, look.base) : renderDecisionText(explained, look);
  const isUnknown = decision.class === "unknown" ? exitCodes.unknown : exitCodes.clean;
  return {
    output: maskServerVariables(output, [server]),
    read: collectFilesRead(server),
    notes,
    exitCode: startup.length > 0 && !flags.exitZero ? exitCodes.findings : isUnknown,
  };
}

/** Returns the output style that the flags select. */
export function textStyleOf({
  colour,
  width,
}: Pick<ExplainFlags, "colour" | "width">): TextStyle & { readonly base: string } {
  return { base: process.cwd(), colour, ...(width === undefined ? {} : { width }) };
}

/** Flags for properties that a log records itself. */
const singleRequestFlags = ["method", "clientIp", "clientHost", "user", "query"] as const;

function explainLog(flags: ExplainFlags, path: string): CommandResult {
  const surplus = singleRequestFlags.find((name) => flags[name] !== undefined);
  if (surplus !== undefined)
    return createFailure(exitCodes.usage, `${flagNames[surplus]} is what the log of --requests says`);
  // Groups may be given without a user and then apply to all users.
  const defaults = parseRequest({ ...requestFromFlags(flags, "/"), user: "x" }, flagNames);
  if ("failed" in defaults) return createFailure(exitCodes.usage, defaults.failed);
  const log = openLog(path);
  if ("failed" in log)
    return createFailure(exitCodes.unreadable, `the log \`${path}\` of --requests cannot be read: ${log.failed}`);
  const server = loadServer(flags);
  return "failed" in server ? server.failed : explainLoggedRequests(flags, server, log.lines, defaults.request);
}

function explainLoggedRequests(
  flags: ExplainFlags,
  server: LoadedServer,
  lines: Iterable<LogLine>,
  defaults: Request,
): CommandResult {
  const { project, files, startup, notes, assumptions } = server;
  const { reading, changed: onlyChanged, format } = flags;
  const decider = new Decider(project, files, reading);
  const counts = new LoggedCounts();
  const answers = decideLoggedRequests(lines, decider, defaults);
  const input = { answers, counts, reading, onlyChanged, release: project.release, assumptions };
  const look = textStyleOf(flags);
  const pieces = format === "json" ? renderLoggedJson(input, look.base) : renderLoggedText(input, look);
  return {
    output: joinIntoChunks(maskServerVariables(pieces, [server])),
    read: collectFilesRead(server),
    notes: [...notes, ...describeStartupErrors(startup)],
    // Known only after all output is written.
    get exitCode() {
      if (counts.different > 0 || startup.length > 0) return flags.exitZero ? exitCodes.clean : exitCodes.findings;
      if (counts.requests === 0 && counts.unread > 0) return exitCodes.unreadable;
      return counts.unknown > 0 ? exitCodes.unknown : exitCodes.clean;
    },
  };
}

/** Returns a one-line note for standard error: the first error that prevents startup, and the number of others. */
function describeStartupErrors(startup: LoadedServer["startup"]): string[] {
  const [first] = startup;
  if (first === undefined) return [];
  const more = startup.length > 1 ? ` (and ${startup.length - 1} more)` : "";
  return [`httpd-lint: the server does not start with this configuration: ${first.message}${more}`];
}

function* decideLoggedRequests(lines: Iterable<LogLine>, decider: Decider, asked: Request): Generator<LoggedAnswer> {
  const { method, path, query, clientIp, clientHost, user, ...defaults } = asked;
  for (const each of readLoggedRequests(lines, defaults))
    yield "failed" in each ? each : { ...each, decision: decider.decide(each.request) };
}
