import { existsSync } from "node:fs";
import { type AllowingChange, findAllowingChange, type NoChange } from "../../../proof/allow/allow.js";
import { describeRemedy } from "../../../report/answers/access-remedy.js";
import { renderAnswerJson } from "../../../report/answers/answer-json.js";
import { isDeniedByAccess, renderAnswerText } from "../../../report/answers/answer-text.js";
import {
  type LoggedAnswer,
  LoggedCounts,
  renderLoggedJson,
  renderLoggedText,
} from "../../../report/answers/logged-requests.js";
import { sortProblems } from "../../../report/answers/problems.js";
import { expectAnswer, renderCurlCommands } from "../../../report/answers/sent-request.js";
import {
  type AllowReport,
  isOfProxy,
  limitToAskedClient,
  renderAllowJson,
  renderAllowText,
} from "../../../report/comparisons/allow-report.js";
import { type OutputFormat, outputFormats, type Renderers } from "../../../report/formats.js";
import { joinClauses } from "../../../report/text/assumption-words.js";
import { SimulatedServer } from "../../../server/answer.js";
import { withPassword } from "../../../server/file-trees.js";
import type { Answer, Semantics } from "../../../server/model/answer.js";
import { type Request, type TlsClient, tlsVersions } from "../../../server/model/request.js";
import { remedyOfFact } from "../../../server/model/unknown-facts.js";
import {
  DEFAULT_CLIENT_IP,
  parseRequest,
  type RequestPartNames,
  type RequestSpec,
} from "../../../server/request/request-parser.js";
import type { Result } from "../../../text/result.js";
import { findLineAdvice, isQuick } from "../../line-advice.js";
import { answerOtherReadings } from "../../other-readings.js";
import { readLoggedRequests } from "../inputs/access-log.js";
import { formatFlag, listFlag, switchFlag, textFlag } from "../inputs/flags.js";
import {
  collectAssumptions,
  collectUnnotedAssumptions,
  type LoadedServer,
  loadServer,
  type ServerFlags,
} from "../inputs/load-server.js";
import { type LogLine, openLog } from "../inputs/log-lines.js";
import { chooseServer, type ServerChoice, withChosenRelease } from "../inputs/project-settings.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { defineCommand } from "./command.js";
import { type ReportFlags, runServerCommand, type ServerReport, textStyleOf, withServer } from "./server-command.js";
import {
  curlFlag,
  entryArgument,
  filesFlag,
  findCurlConflict,
  mainFlags,
  readingFlag,
  readingFlags,
  resultFlags,
} from "./shared-flags.js";

/** The flags that describe a request and its client. */
interface RequestFlags extends Omit<RequestSpec, "url" | "groups" | "dbmGroups" | "headers"> {
  readonly group?: readonly string[] | undefined;
  readonly header?: readonly string[] | undefined;
  readonly cookie?: readonly string[] | undefined;
  /** `version=1.2`, `certificate=none`, `subject=/CN=alice`. */
  readonly tls?: readonly string[] | undefined;
}

interface ExplainFlags extends ServerFlags, RequestFlags, ReportFlags {
  readonly url?: string | undefined;
  /** An access log instead of one request. */
  readonly requests?: string | undefined;
  readonly all: boolean;
  readonly allow: boolean;
  readonly curl: boolean;
  readonly changed: boolean;
  readonly reading: Semantics;
  readonly format: OutputFormat<"explain">;
}

type ExplainRenderers = Renderers<"explain", () => Iterable<string>>;

export const explainCommand = defineCommand({
  describe: "Show how a request is handled, and why",
  arguments: {
    entry: entryArgument,
    url: { type: "string", value: "URL-OR-PATH", describe: "URL, or path with an optional query" },
  },
  flags: {
    ...readingFlags,
    reading: readingFlag,
    ...mainFlags,
    files: filesFlag("Files that exist on the server"),
    method: textFlag("Request", "METHOD", "Method (default: GET)"),
    absolute: {
      ...switchFlag("Request", "Send the whole URL in the request line, as clients of a forward proxy do"),
      default: undefined,
    },
    scheme: textFlag("Request", "http|https", "Scheme of the URL, if it is only a path"),
    host: textFlag("Request", "NAME", "Host header; selects the virtual host"),
    port: textFlag("Request", "PORT", "Port of the server"),
    "server-ip": textFlag("Request", "ADDRESS", "IP address of the server (default: 127.0.0.1)"),
    query: textFlag("Request", "QUERY", "Query string, if the URL has none"),
    header: listFlag("Request", "'NAME: VALUE'", "Additional header"),
    cookie: listFlag("Request", "NAME=VALUE", "Cookie"),
    "client-ip": textFlag(
      "Request",
      "ADDRESS",
      `IP address of the client, after mod_remoteip (default: ${DEFAULT_CLIENT_IP})`,
    ),
    "peer-ip": textFlag(
      "Request",
      "ADDRESS",
      "IP address that connects, before mod_remoteip; the client is the one that it determines",
    ),
    "client-host": textFlag("Request", "NAME", "Host name of the client, confirmed by forward and reverse DNS"),
    user: textFlag(
      "Request",
      "NAME[:PASSWORD]",
      "User who logs in; with a password, which is checked with the password file, or with the right one",
    ),
    group: listFlag("Request", "NAME", "Group of the user (default: those in the group file)"),
    grants: listFlag("Request", "'PROVIDER WORDS'", "Require line that is granted elsewhere: 'ldap-group cn=staff'"),
    tls: listFlag(
      "Request",
      "PART=VALUE",
      "Client of a TLS connection: version=1.2, certificate=none or =verified, subject=/CN=alice, name=HOST (SNI) or =none",
    ),
    env: listFlag("Request", "NAME[=VALUE]", "Environment variable that is set before access is checked"),
    requests: textFlag("Request", "LOG", "Read requests from an access log, or - for standard input"),
    format: formatFlag(outputFormats.explain),
    ...resultFlags,
    all: switchFlag("Output", "Show everything: all steps and possible responses, and all lines that do not apply"),
    allow: switchFlag("Output", "Show the smallest change that allows this client, as a patch; nothing is written"),
    curl: curlFlag,
    changed: switchFlag("Output", "With --requests: show only decisions that differ from the log"),
  },
  handler: (flags) =>
    withServer(assignArguments(withUserOfHeader(flags)), (server) => runExplain(withChosenRelease(server))),
});

/** Returns the flags with the user of an `Authorization: Basic` header (RFC 7617) as with `--user`. */
function withUserOfHeader<T extends Pick<ExplainFlags, "user" | "header">>(flags: T): T {
  const { user, header = [] } = flags;
  const basic = header.filter((line) => BASIC_HEADER.test(line));
  const [, encoded] = BASIC_HEADER.exec(basic[0] ?? "") ?? [];
  const login = encoded === undefined ? "" : Buffer.from(encoded, "base64").toString("utf8");
  if (user !== undefined || basic.length !== 1 || !/^[^:]+:/.test(login)) return flags;
  return { ...flags, user: login, header: header.filter((line) => line !== basic[0]) };
}

const BASIC_HEADER = /^authorization:\s*basic\s+([A-Za-z0-9+/]+=*)\s*$/i;

/** Resolves the arguments: a single one is the URL if the configuration file names the server. */
function assignArguments<T extends ServerChoice & Pick<ExplainFlags, "url" | "requests">>(flags: T): T {
  const { entry, url, requests } = flags;
  if (entry === undefined || url !== undefined || requests !== undefined) return flags;
  const withoutEntry = { ...flags, entry: undefined, url: entry };
  return !chooseServer(withoutEntry).ok && existsSync(entry) ? flags : withoutEntry;
}

const flagNames: RequestPartNames = {
  url: "URL-OR-PATH",
  method: "--method",
  absolute: "--absolute",
  scheme: "--scheme",
  host: "--host",
  port: "--port",
  serverIp: "--server-ip",
  clientIp: "--client-ip",
  peerIp: "--peer-ip",
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
function runExplain(flags: ExplainFlags): CommandResult {
  const { url, requests } = flags;
  if (url !== undefined && requests !== undefined)
    return createFailure(exitCodes.usage, "URL-OR-PATH and --requests cannot be used together");
  if (requests === "-" && flags.entry === "-")
    return createFailure(
      exitCodes.usage,
      "ENTRY and --requests cannot both be standard input; name a file for one of them",
    );
  const conflict = flags.curl && flags.allow ? "--curl and --allow cannot be used together" : findCurlConflict(flags);
  if (conflict !== undefined) return createFailure(exitCodes.usage, conflict);
  if (flags.allow && requests !== undefined)
    return createFailure(exitCodes.usage, "--allow is for one request and cannot be used with --requests");
  if (requests !== undefined) return explainLog(flags, requests);
  if (url === undefined)
    return createFailure(exitCodes.usage, "URL-OR-PATH is missing: name the URL or path to explain");
  const parsed = parseRequest(requestFromFlags(flags, url), flagNames);
  if (!parsed.ok) return createFailure(exitCodes.usage, parsed.error);
  const tls = readTlsClient(flags.tls ?? []);
  if (!tls.ok) return createFailure(exitCodes.usage, tls.error);
  if (flags.tls !== undefined && parsed.value.scheme === "http")
    return createFailure(exitCodes.usage, "--tls requires the scheme `https`");
  const request: Request =
    flags.tls === undefined ? parsed.value : { ...parsed.value, scheme: "https", tls: tls.value };
  const withFiles = (server: LoadedServer): LoadedServer => ({ ...server, files: filesOf(flags, server) });
  const placed = { ...flags, requestPath: request.path };
  return runServerCommand(placed, [placed], ([server]) => explainOne(placed, withFiles(server), request), "unstarted");
}

/** Reads the parts of the client in a TLS handshake. */
function readTlsClient(parts: readonly string[]): Result<TlsClient, string> {
  let client: TlsClient = {};
  for (const part of parts) {
    const [name = "", value = ""] = part.split(/=(.*)/s);
    const version = tlsVersions.find((each) => each === value);
    const certificate = (["none", "verified"] as const).find((each) => each === value);
    if (name === "version" && version) client = { ...client, version };
    else if (name === "certificate" && certificate) client = { ...client, certificate };
    else if (name === "name" && isHandshakeName(value))
      client = { ...client, serverName: value === "none" ? "" : value.toLowerCase() };
    else if (name === "subject" && /^(?:\/[^/=]+=[^/]+)+$/.test(value)) client = { ...client, subject: value };
    else return { ok: false, error: `\`${part}\` of --tls is invalid: expected ${tlsParts}` };
  }
  if (client.subject !== undefined && client.certificate === "none")
    return { ok: false, error: "a subject of --tls requires a certificate" };
  return { ok: true, value: client.subject === undefined ? client : { ...client, certificate: "verified" } };
}

const tlsParts = "version=1.0 to 1.3, certificate=none, certificate=verified, subject=/CN=NAME, name=HOST or name=none";

/** Reports whether a client can send a text as the name of the server in a handshake: addresses are not allowed. */
function isHandshakeName(text: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)*\.?$/.test(text) && !/^[\d.]+$/.test(text);
}

/** Returns the files of a server, with the check of the password that follows the name of the user. */
function filesOf({ user }: RequestFlags, { files }: LoadedServer): LoadedServer["files"] {
  const colon = user?.indexOf(":") ?? -1;
  return user === undefined || colon < 0 ? files : withPassword(files, user.slice(colon + 1));
}

function requestFromFlags(flags: RequestFlags, url: string): RequestSpec {
  const { method, absolute, scheme, host, port, serverIp, clientIp, peerIp, clientHost, user, grants, query, env } =
    flags;
  const { header = [], cookie } = flags;
  const name = user?.replace(/:.*/s, "");
  return {
    ...{ url, method, absolute, scheme, host, port, serverIp, clientIp, peerIp, clientHost, grants, query, env },
    user: name,
    groups: flags.group?.flatMap((list) => list.split(",")),
    headers: cookie === undefined ? header : [...header, `Cookie: ${cookie.join("; ")}`],
  };
}

function explainOne(flags: ExplainFlags, server: LoadedServer, request: Request): ServerReport {
  const { project, files, startup } = server;
  const assumptions = collectAssumptions(server);
  const simulatedServer = new SimulatedServer(project, files, flags.reading);
  const completed = simulatedServer.withClientOf(simulatedServer.completeRequest(request));
  if (completed === undefined) return reportUnknownClient(request);
  if (flags.allow) return allowOne(flags, server, completed, simulatedServer.answer(completed));
  const answer = simulatedServer.answer(completed);
  const isText = flags.format === "text" && !flags.curl && startup.length === 0;
  const advice = isText ? findLineAdvice(project, files, answer) : [];
  const others =
    isQuick(project) && startup.length === 0
      ? answerOtherReadings(project, request.path, answer, (other) =>
          new SimulatedServer(other, files, flags.reading).answer(completed),
        )
      : [];
  const asked = { answer, startup, assumptions, advice, others, showsAll: flags.all };
  // A change for the default client would allow an address that nobody asked about.
  const hasRemedy =
    isText &&
    !hasDefaultClient(flags) &&
    !isOfProxy(completed) &&
    isDeniedByAccess(answer) &&
    answer.class === "403" &&
    sortProblems(asked).first.length === 0;
  const ofUnknown =
    isText && project.kind === "server" ? answer.unknownFacts.flatMap((fact) => remedyOfFact(fact) ?? []) : [];
  const remedy = hasRemedy && isQuick(project) ? describeRemedy(findChange(flags, server, completed)) : ofUnknown;
  const explained = { ...asked, remedy };
  // Notes state the other assumptions.
  const shown = { ...explained, assumptions: collectUnnotedAssumptions(server) };
  const style = textStyleOf(flags);
  const renderers: ExplainRenderers = {
    text: () => (flags.curl ? renderCurlCommands([expectAnswer(answer)]) : renderAnswerText(shown, style)),
    json: () => renderAnswerJson(explained, style.base),
  };
  const codeOfAnswer = answer.class === "unknown" ? exitCodes.unknown : exitCodes.clean;
  return {
    pieces: renderers[flags.format](),
    notes: completed.port === request.port ? [] : [describeEndpoint(completed)],
    exitCode: startup.length > 0 && !flags.exitZero ? exitCodes.findings : codeOfAnswer,
  };
}

/** Reports whether no flag names the client. */
function hasDefaultClient({ clientIp, peerIp }: ExplainFlags): boolean {
  return clientIp === undefined && peerIp === undefined;
}

/** Reports that mod_remoteip may determine any client. */
function reportUnknownClient({ peerIp }: Request): ServerReport {
  const note = `httpd-lint: the client that mod_remoteip determines for ${peerIp} is not known: it depends on a list in a file, on a name, or on the PROXY protocol; name it with --client-ip`;
  return { pieces: [], notes: [note], exitCode: exitCodes.unknown };
}

/** Finds the smallest change that allows one request. */
function findChange(flags: ExplainFlags, server: LoadedServer, request: Request): AllowingChange | NoChange {
  const { project, files, startup } = server;
  const texts = [...project.files.values()].map(({ source }) => [source.realPath, source.text] as const);
  // Standard input is not on the disk.
  const unsaved = new Map(flags.entry === "-" ? texts : []);
  const again = (changed: ReadonlyMap<string, string>) => {
    const loaded = loadServer({ ...flags, overlay: new Map([...unsaved, ...changed]) }, "unstarted");
    if (!loaded.ok) return undefined;
    const { project, startup } = loaded.value;
    return { project, files: filesOf(flags, loaded.value), errors: startup.length };
  };
  const source = { project, files, errors: startup.length, semantics: flags.reading, again };
  return findAllowingChange(source, request);
}

/** Shows the smallest change that allows one request. */
function allowOne(flags: ExplainFlags, server: LoadedServer, request: Request, answer: Answer): ServerReport {
  const about = { answer, isDefaultClient: hasDefaultClient(flags) };
  const found = limitToAskedClient(findChange(flags, server, request), about);
  const report: AllowReport = {
    ...{ ...about, found },
    assumptions: collectAssumptions(server),
  };
  const style = textStyleOf(flags);
  const renderers: ExplainRenderers = {
    text: () => renderAllowText(report, style),
    json: () => renderAllowJson(report, style.base),
  };
  const codes = { unknown: exitCodes.unknown, allowed: exitCodes.clean } as const;
  const failed = typeof found === "string" ? exitCodes.findings : exitCodes.clean;
  return {
    pieces: renderers[flags.format](),
    exitCode: found === "unknown" || found === "allowed" ? codes[found] : failed,
  };
}

/** Returns the note on the port and the scheme that a request without them gets. */
function describeEndpoint({ port, scheme = "http" }: Request): string {
  return `httpd-lint: this configuration does not listen on port 80, so the request uses \`${scheme}\` and port ${port}; --scheme and --port choose others`;
}

/** Flags for properties that a log records itself. */
const singleRequestFlags = ["method", "absolute", "clientIp", "peerIp", "clientHost", "user", "query"] as const;

function explainLog(flags: ExplainFlags, path: string): CommandResult {
  const surplus = singleRequestFlags.find((name) => flags[name] !== undefined);
  if (surplus !== undefined)
    return createFailure(
      exitCodes.usage,
      `${flagNames[surplus]} cannot be used with --requests, because the log records it`,
    );
  if (flags.tls !== undefined)
    return createFailure(exitCodes.usage, "--tls is for one request and cannot be used with --requests");
  // Groups may be given without a user and then apply to all users.
  const defaults = parseRequest({ ...requestFromFlags(flags, "/"), user: "x" }, flagNames);
  if (!defaults.ok) return createFailure(exitCodes.usage, defaults.error);
  const log = openLog(path);
  if (!log.ok)
    return createFailure(exitCodes.unreadable, `the log \`${path}\` of --requests cannot be read: ${log.error}`);
  return runServerCommand(
    flags,
    [flags],
    ([server]) => explainLoggedRequests(flags, server, log.value, defaults.value),
    "unstarted",
  );
}

function explainLoggedRequests(
  flags: ExplainFlags,
  server: LoadedServer,
  lines: Iterable<LogLine>,
  defaults: Request,
): ServerReport {
  const { project, files, startup } = server;
  const assumptions = collectAssumptions(server);
  const { reading: semantics, changed: onlyChanged } = flags;
  const simulatedServer = new SimulatedServer(project, files, semantics);
  const counts = new LoggedCounts();
  const answers = answerLoggedRequests(lines, simulatedServer, defaults);
  const input = { answers, counts, semantics, onlyChanged, release: project.release, assumptions };
  const style = textStyleOf(flags);
  const renderers: ExplainRenderers = {
    text: () => renderLoggedText(input, style),
    json: () => renderLoggedJson(input, style.base),
  };
  return {
    pieces: renderers[flags.format](),
    notes: describeStartupErrors(startup, assumptions),
    // Known only after all output is written.
    get exitCode() {
      if (counts.different > 0 || startup.length > 0) return exitCodes.findings;
      if (counts.requests === 0 && counts.unread > 0) return exitCodes.unreadable;
      return counts.unknown > 0 ? exitCodes.unknown : exitCodes.clean;
    },
  };
}

/**
 * Returns a one-line note for standard error: the first error that prevents startup, the number of others, and what is
 * assumed instead.
 */
function describeStartupErrors(startup: LoadedServer["startup"], assumptions: readonly string[]): string[] {
  const [first] = startup;
  if (first === undefined) return [];
  const more = startup.length > 1 ? ` (and ${startup.length - 1} more)` : "";
  const assumed = assumptions.length === 0 ? "" : `; assuming that ${joinClauses(assumptions)}`;
  return [`httpd-lint: the server does not start with this configuration: ${first.message}${more}${assumed}`];
}

function* answerLoggedRequests(
  lines: Iterable<LogLine>,
  simulatedServer: SimulatedServer,
  template: Request,
): Generator<LoggedAnswer> {
  const { method, path, query, clientIp, clientHost, user, ...defaults } = template;
  for (const each of readLoggedRequests(lines, defaults)) {
    const { line } = each;
    if (each.ok) {
      const { request } = each.value;
      const needsHost = simulatedServer.needsHost(request);
      yield { line, ...each.value, answer: simulatedServer.answer(request), needsHost };
    } else yield { line, failed: each.error };
  }
}
