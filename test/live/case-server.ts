import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Request } from "../../src/server/model/request.js";
import { CASE_ROOT, type Case, modulesOf } from "../support/cases/recorded-cases.js";
import { loadModules } from "../support/httpd/httpd.js";
import { askInTurn, canNameClients, type LiveAnswer } from "../support/httpd/live-requests.js";
import { writeFiles } from "../support/programs/scratch-folder.js";
import type { Texts } from "./remove-cause.js";

/** The location at which a server starts for a case. */
export interface Place {
  readonly root: string;
  readonly port: number;
}

/**
 * Returns the server's responses to requests with some configuration; if it does not start, the reason for each.
 *
 * @param filesFor the files and directories that exist for a request; a directory ends in a slash
 */
export async function answersTo(
  each: Case,
  texts: Texts,
  givenRequests: readonly Request[],
  filesFor: (request: Request, id: number) => readonly string[],
  { root, port }: Place,
): Promise<readonly (LiveAnswer | string)[]> {
  const requests = withOwnUsers(givenRequests);
  const relocate = (text: string) =>
    text.replaceAll(CASE_ROOT, root).replaceAll(`^${dirname(CASE_ROOT)}/`, `^${dirname(root)}/`);
  const write = (path: string, text: string) => writeFiles(root, { [path]: text }, "latin1");
  const variables = [...new Set(requests.flatMap(({ env = [] }) => env))];
  const main = [headFor(each, port), ...variables.map((name, index) => `SetEnvIf Variable-${index} . "${name}"`)];
  const prepare = (id: number) => {
    for (const folder of ["htdocs", "other"]) rmSync(join(root, folder), { recursive: true, force: true });
    for (const folder of ["htdocs", "other"]) mkdirSync(join(root, folder));
    for (const [path, text] of Object.entries(texts)) if (path !== "httpd.conf") write(path, relocate(text));
    const { clientIp, clientHost, ...request } = requests[id] ?? { method: "GET", path: "/", clientIp: "" };
    write("hosts", `127.0.0.1 localhost\n${clientHost === undefined ? "" : `${clientIp} ${clientHost}\n`}`);
    for (const path of filesFor({ ...request, clientIp }, id))
      if (path.endsWith("/")) mkdirSync(relocate(path), { recursive: true });
      else if (path.startsWith(`${CASE_ROOT}/`)) {
        // A folder of other requests may be a file for this one.
        rmSync(relocate(path), { recursive: true, force: true });
        write(path.slice(CASE_ROOT.length + 1), "x\n");
      }
  };
  rmSync(root, { recursive: true, force: true });
  write("httpd.conf", relocate(`${main.join("\n")}\n${texts["httpd.conf"] ?? ""}`));
  writeMembers(requests, write, root);
  prepare(0);
  const sent = requests.map((request, id) => ({
    address: "127.0.0.1",
    port,
    text: renderRequest(request, id, variables),
  }));
  const answers = await askInTurn(root, sent, prepare, canNameClients ? join(root, "hosts") : undefined);
  return "refused" in answers ? givenRequests.map(() => answers.refused) : answers.answers;
}

function headFor(each: Case, port: number): string {
  const modules = modulesOf(each).filter((name) => !/^mpm_|^version$/.test(name));
  return [
    `${loadModules(["mpm_event", ...modules])}ServerName x.test`,
    ...[`ServerRoot "${CASE_ROOT}"`, `Listen 127.0.0.1:${port}`, "PidFile pid", "Mutex posixsem"],
    ...["TypesConfig /dev/null", "ServerLimit 1", "StartServers 1", "ThreadsPerChild 16", "MaxRequestWorkers 16"],
    ...["ErrorLog error.log", 'ErrorLogFormat "#%{Request-Id}i %M"'],
    // The access-log line follows the error-log lines: if it exists, they are complete.
    ...["<IfModule log_config_module>", 'CustomLog access.log "#%{Request-Id}i %>s"', "</IfModule>"],
    ...["RemoteIPHeader Client-Ip", "RemoteIPInternalProxy 127.0.0.1"],
  ].join("\n");
}

/** Renames users, so that each user has the same groups for all requests to the server. */
function withOwnUsers(requests: readonly Request[]): readonly Request[] {
  const groups = (request: Request) => JSON.stringify([request.groups, request.dbmGroups]);
  return requests.map((request) => {
    const first = requests.find(({ user }) => user === request.user);
    if (request.user === undefined || first === undefined || groups(first) === groups(request)) return request;
    return { ...request, user: `${request.user}${requests.indexOf(request)}` };
  });
}

function writeMembers(requests: readonly Request[], write: (path: string, text: string) => void, root: string): void {
  const users = [...new Set(requests.map(({ user }) => user).filter((user) => user !== undefined))];
  const groupsOf = (name: "groups" | "dbmGroups") =>
    users.map((user) => [user, requests.find((request) => request.user === user)?.[name] ?? []] as const);
  write("conf/htpasswd", users.map((user) => `${user}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join(""));
  write(
    "conf/htgroup",
    groupsOf("groups")
      .flatMap(([user, names]) => names.map((name) => `${name}: ${user}\n`))
      .join(""),
  );
  // A named file exists, even without members.
  const members = [["nobody", ["none"]] as const, ...groupsOf("dbmGroups").filter(([, names]) => names.length > 0)];
  write("conf/members", members.map(([user, names]) => `${user} ${names.join(",")}\n`).join(""));
  spawnSync("httxt2dbm", ["-i", join(root, "conf/members"), "-o", join(root, "conf/groups.dbm")]);
}

function renderRequest(request: Request, id: number, variables: readonly string[]): string {
  const { method, path, query, host, user, clientIp, env = [], headers = {} } = request;
  const target = query === undefined ? path : `${path}?${query}`;
  const lines = [
    `${method} ${target} HTTP/${host === undefined ? "1.0" : "1.1"}`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    ...(user === undefined ? [] : [`Authorization: Basic ${btoa(`${user}:secret`)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...env.map((name) => `Variable-${variables.indexOf(name)}: 1`),
    ...[`Client-Ip: ${clientIp}`, `Request-Id: ${id}`, "Connection: close", "", ""],
  ];
  return lines.join("\r\n");
}
