import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Request } from "../../../src/server/model/request.js";
import { sendAsClient } from "../../support/httpd/client-request.js";
import { httpd, loadModules, runHttpd } from "../../support/httpd/httpd.js";
import { byReading, type JudgedFinding, type SourceLines, type Verdict, verdictOn } from "./judged-finding.js";

/** The addresses of the clients; the network of this process must have them. */
export const clientIps = ["127.0.0.1", "203.0.113.9", "10.1.2.3", "172.16.0.5", "192.168.110.7"] as const;

/** Access lines of a section, and the lines that the finding claims to be equivalent. */
interface Trial {
  readonly finding: JudgedFinding;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const compat = /^(?:Order|Allow|Deny|Satisfy)\b/i;
const access = /^(?:Order|Allow|Deny|Satisfy|Require|Auth\w+)\b/i;
const container = /^<\/?(?:Limit|LimitExcept|RequireAll|RequireAny|RequireNone)\b/i;

/** Returns the lines that the finding compares, or the reason why it cannot be tested in this way. */
export function trialOf(finding: JudgedFinding, source: SourceLines): Trial | string {
  const { rule, start, message, notes, help, related } = finding;
  const opening = source.sectionsAround(start.line).findLast((number) => !container.test(source.at(number)));
  if (opening === undefined) return "not in a section";
  const { lines } = source.sectionFrom(opening);
  const numbered = lines
    .map((line, index) => ({ line, number: opening + index }))
    .slice(1, -1)
    .filter(({ line }) => access.test(line) || container.test(line));
  if (lines.slice(1, -1).some((line) => /^<(?:Files|Directory|Location)/i.test(line))) return "nested sections";
  const before = numbered.map(({ line }) => line);
  const without = (isDropped: (line: string, number: number) => boolean) =>
    numbered.filter(({ line, number }) => !isDropped(line, number)).map(({ line }) => line);
  const otherLines = new Set(
    related.filter((each) => /also has no effect/.test(each.message)).map((each) => each.start.line),
  );
  if (rule === "old-access-control" || (rule === "mixed-access-control" && help[0]?.startsWith("replace"))) {
    const text = rule === "old-access-control" ? notes[0] : help[0]?.replace(/^.*? with /, "");
    const form = formOf(text ?? "");
    return form === undefined ? "no form" : { finding, before, after: [...authLinesOf(before), ...form] };
  }
  if (rule === "redundant-host-rules" || rule === "shadowed-rule")
    return { finding, before, after: without((_, number) => number === start.line || otherLines.has(number)) };
  if (rule === "mixed-access-control" && /have no effect|has no effect/.test(message))
    return { finding, before, after: without((line) => compat.test(line)) };
  if (rule === "implicit-require-any" && /overrides/.test(message))
    return { finding, before, after: ["Require all granted"] };
  if (rule === "never-matching-name") return { finding, before, after: without((_, number) => number === start.line) };
  return "no experiment";
}

const authLinesOf = (lines: readonly string[]) => lines.filter((line) => /^Auth/i.test(line));

/** Returns the lines of a form in a message: `<RequireAny>` containing `Require local` and `Require ip 10`. */
function formOf(text: string): readonly string[] | undefined {
  if (!/^`/.test(text) || text.includes("(")) return undefined;
  const words = [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
  const opened = words.filter((word) => word.startsWith("<"));
  const closing = opened.map((word) => `</${/^<(\w+)/.exec(word)?.[1]}>`).toReversed();
  return [...opened, ...words.filter((word) => !word.startsWith("<")), ...closing];
}

/** Sends each client's requests to the lines before and after, and compares the statuses. */
export async function runTrials(
  trials: readonly Trial[],
  folder: string,
): Promise<ReadonlyMap<JudgedFinding, Verdict>> {
  const verdicts = new Map<JudgedFinding, Verdict>();
  const served: Trial[] = [];
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "users"), "bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n");
  for (const trial of trials) {
    writeFileSync(join(folder, "trial.conf"), configurationOf([trial], folder), "latin1");
    const { status, stderr } = runHttpd(join(folder, "trial.conf"));
    if (status === 0) served.push(trial);
    else verdicts.set(trial.finding, byReading(`not accepted: ${stderr.split("\n").slice(-3).join(" ")}`));
  }
  writeFileSync(join(folder, "trials.conf"), configurationOf(served, folder), "latin1");
  const server = await startServer(folder);
  try {
    for (const [index, trial] of served.entries()) verdicts.set(trial.finding, await compare(index));
  } finally {
    const ended = once(server, "exit");
    server.kill();
    await ended;
  }
  return verdicts;
}

function configurationOf(trials: readonly Trial[], folder: string): string {
  const modules = [
    "mpm_event",
    "authz_core",
    "authz_host",
    "authz_user",
    "authz_groupfile",
    "authn_core",
    "authn_file",
  ];
  const sections = trials.flatMap(({ before, after }, index) =>
    (
      [
        ["a", before],
        ["b", after],
      ] as const
    ).flatMap(([name, lines]) => {
      const directory = join(folder, "htdocs", `${name}${index}`);
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, "x.html"), "x");
      return [`<Directory "${directory}">`, ...lines.map(toOwnUsers), "</Directory>"];
    }),
  );
  return `${[
    loadModules([...modules, "auth_basic", "access_compat", "mime"]),
    ...["ServerName judged.test", `ServerRoot "${folder}"`, "Listen 8080", "PidFile pid", "ErrorLog error_log"],
    ...["TypesConfig /etc/mime.types", "HostnameLookups Off", `DocumentRoot "${folder}/htdocs"`],
    ...[`<Directory "${folder}">`, "Require all granted", "</Directory>"],
    ...sections,
  ].join("\n")}\n`;
}

/** Replaces the users of the server by those of the trial. */
function toOwnUsers(line: string): string {
  if (/^AuthUserFile\b/i.test(line)) return "AuthUserFile users";
  if (/^AuthType\b/i.test(line)) return "AuthType Basic";
  if (/^Require\s+user\b/i.test(line)) return `${line} bob`;
  return /^Auth(?:Name|BasicProvider)\b/i.test(line) || !/^Auth/i.test(line) ? line : "";
}

async function startServer(folder: string): Promise<ChildProcess> {
  const server = spawn(httpd ?? "apache2", ["-X", "-f", join(folder, "trials.conf")], { stdio: "inherit" });
  for (let wait = 0; wait < 100 && !existsSync(join(folder, "pid")); wait++) await sleep(100);
  return server;
}

async function compare(index: number): Promise<Verdict> {
  const differences: string[] = [];
  const seen = new Set<number>();
  for (const clientIp of clientIps)
    for (const user of [undefined, "bob"])
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const request = (name: string): Request => ({
          ...{ method, path: `/${name}${index}/x.html`, scheme: "http", host: "judged.test", port: 8080, headers: {} },
          ...{ clientIp, ...(user === undefined ? {} : { user }) },
        });
        const [before, after] = [await sendAsClient(request("a")), await sendAsClient(request("b"))];
        seen.add(before);
        if (before !== after) differences.push(`${method} from ${clientIp} as ${user}: ${before}, ${after}`);
      }
  return verdictOn(differences.length === 0, differences[0] ?? `equal answers: ${[...seen].join(", ")}`);
}
