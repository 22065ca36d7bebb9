import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultRules } from "../../rules/index.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Finding } from "../../src/lint/finding.js";
import { lint } from "../../src/lint/runner/lint.js";
import { samplePattern } from "../../src/proof/requests/sample-text.js";
import { loadProject } from "../../src/startup/load-project.js";
import { rangeOf } from "../../src/text/source.js";
import { httpd, loadModules, packagedModules } from "../support/httpd/httpd.js";
import { freePort } from "../support/httpd/ports.js";
import { createVariant, type Variant } from "./mistake-variants.js";

/**
 * Judges findings in `.htaccess` files with the running server: the server answers the same requests with each file and
 * with a variant of it. The finding claims that the answers are equal, or that the variant fails.
 *
 *     npx tsx test/live/judge-mistakes.ts SCRATCH LIST
 *
 * SCRATCH is an empty folder. LIST contains the path of a file on each line. The result is a JSON line for each
 * finding, and a table by rule.
 */
const [scratch = "", list = ""] = process.argv.slice(2);

const rules = defaultRules.filter(({ group }) => group === "correctness");

interface Case {
  readonly file: string;
  readonly finding: Finding;
  readonly line: number;
  readonly text: string;
  readonly variant: Variant;
  readonly paths: readonly string[];
}

function findMistakes(file: string): readonly Finding[] {
  const text = readFileSync(file, "utf8");
  const loaded = loadProject("/srv/.htaccess", { kind: "htaccess", access: memoryAccess({ "/srv/.htaccess": text }) });
  return loaded.ok ? lint(loaded.value, { rules }).findings : [];
}

/** Lists paths that the patterns of a file match, those of the line first. */
function listPaths(text: string, line: string): readonly string[] {
  const pattern = /^\s*(?:RewriteRule|RedirectMatch(?:\s+\w+)?|Redirect(?:\s+\w+)?)\s+(?:"([^"]*)"|(\S+))/gim;
  const patternsOf = (lines: string) => [...lines.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? "");
  const samples = [...patternsOf(line), ...patternsOf(text)].flatMap((each) => {
    const sample = samplePattern(each.replace(/^!/, ""));
    const plain = each.replace(/[\^$\\()*+?]/g, "");
    return [sample, plain, sample && `${sample}/x`, sample && `${sample}x`].filter((path) => path !== undefined);
  });
  const common = ["", "x", "index.html", "a/b", "latest", "1.0/x.ttl", "x.txt"];
  return [...new Set([...samples.slice(0, 4), ...common, ...samples].map((path) => path.replace(/^\/+/, "")))].slice(
    0,
    18,
  );
}

const clients = [
  { accept: "text/html", "user-agent": "Mozilla/5.0" },
  { accept: "text/turtle", "accept-language": "es" },
  { accept: "application/rdf+xml" },
  { accept: "application/ld+json", "user-agent": "", host: "www.example.org" },
  { accept: "application/xml", host: "example.org" },
];

interface Response {
  readonly status: number;
  readonly location: string;
  readonly shown: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

function sendRequest(port: number, path: string, headers: (typeof clients)[number]): Promise<Response> {
  return new Promise((resolve, reject) => {
    const url = path.replace(/[^\x21-\x7e]/g, encodeURIComponent);
    const sent = request({ host: "127.0.0.1", port, path: url, headers, agent }, (response) => {
      let body = "";
      response.setEncoding("latin1");
      response.on("data", (data: string) => {
        body += data;
      });
      response.on("end", () => {
        const { statusCode: status = 0, headers: received } = response;
        const changing = new Set([
          "date",
          "etag",
          "last-modified",
          "content-length",
          "connection",
          "keep-alive",
          "location",
        ]);
        const kept = Object.entries(received).filter(([name]) => !changing.has(name));
        const text = status < 300 || body.includes("Additionally") ? body : "";
        resolve({ status, location: received.location ?? "", shown: `${JSON.stringify(kept)} ${text}` });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

type Verdict = "right" | "wrong" | "rejected" | "not reached" | "not judged";

/** Returns a response without the parts that depend on the server and its folder. */
function normalize({ status, location, shown }: Response): string {
  return `${status} ${location.replace(/:\d{4,5}(?=\/|$)/, "").replace("/variants/", "/files/")} ${shown.replace(/(?<=at [\w.]+ Port )\d+/, "")}`;
}

/** Compares the answers of a file and of its variant. */
async function judge({ variant, paths }: Case, name: string, ports: readonly [file: number, variant: number]) {
  if (variant.expects === "nothing") return { verdict: "not judged" as Verdict };
  const urls = [...(variant.paths ?? []), ...paths].flatMap((path) => [`/${name}/${path}`, `/${name}/${path}?a=1`]);
  let isRejected = true;
  let isReached = false;
  for (const url of urls)
    for (const client of clients) {
      const [own, other] = await Promise.all([sendRequest(ports[0], url, client), sendRequest(ports[1], url, client)]);
      isRejected &&= own.status === 500;
      const shown = { url, client, own, other };
      if (variant.expects === "equal" && normalize(own) !== normalize(other))
        return { verdict: "wrong" as Verdict, shown };
      if (variant.expects === "never 402" && other.status === 402) return { verdict: "wrong" as Verdict, shown };
      if (typeof variant.expects === "function" && variant.expects(other)) isReached = true;
    }
  if (typeof variant.expects === "function") return { verdict: (isReached ? "right" : "not reached") as Verdict };
  return { verdict: (isRejected ? "rejected" : "right") as Verdict };
}

const cases: Case[] = [];
for (const file of readFileSync(list, "utf8").split("\n").filter(Boolean)) {
  for (const finding of findMistakes(file)) {
    const { text } = finding.span.file;
    const { line } = rangeOf(finding.span).start;
    const variant = createVariant(finding, text, line - 1);
    cases.push({ file, finding, line, text, variant, paths: listPaths(text, text.split("\n")[line - 1] ?? "") });
  }
}
rmSync(scratch, { recursive: true, force: true });
for (const [index, { text, variant }] of cases.entries())
  for (const [root, lines] of [
    ["files", text],
    ["variants", variant.text],
  ] as const) {
    const folder = join(scratch, root, `f${index}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, ".htaccess"), lines.replaceAll("@NAME@", `f${index}`), "latin1");
    for (const name of ["index.html", "x.txt", ...(variant.files ?? [])]) writeFileSync(join(folder, name), name);
  }
const ports = [await freePort(), await freePort()] as const;
const modules = packagedModules().filter((name) =>
  /^(?:auth\w*|alias|deflate|dir|env|expires|filter|headers|mime|rewrite|setenvif|autoindex|negotiation|access_compat|include)$/.test(
    name,
  ),
);
const usable = modules.filter((name) => !/dbd|ldap|form|fcgi|dbm|socache|anon|digest/.test(name));
const host = (root: string) => `DocumentRoot "${join(scratch, root)}"\n`;
writeFileSync(
  join(scratch, "httpd.conf"),
  `${loadModules(["mpm_event", ...usable])}ServerRoot "${scratch}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nTypesConfig /etc/mime.types\nKeepAlive On\nMaxKeepAliveRequests 0\nListen 127.0.0.1:${ports[0]}\nListen 127.0.0.1:${ports[1]}\n<Directory "${scratch}">\nAllowOverride All\nOptions All\nRequire all granted\n</Directory>\n${host("files")}<VirtualHost *:${ports[1]}>\n${host("variants")}</VirtualHost>\n`,
);
const server = spawn(httpd ?? "apache2", ["-f", join(scratch, "httpd.conf"), "-DFOREGROUND"], { stdio: "inherit" });
await sleep(2000);
const table = new Map<string, Map<Verdict, number>>();
for (const [index, each] of cases.entries()) {
  const { verdict, ...shown } = await judge(each, `f${index}`, ports);
  const { rule, message } = each.finding;
  const counts = table.get(rule) ?? new Map<Verdict, number>();
  table.set(rule, counts.set(verdict, (counts.get(verdict) ?? 0) + 1));
  process.stdout.write(`${JSON.stringify({ file: each.file, line: each.line, rule, message, verdict, ...shown })}\n`);
}
server.kill();
for (const [rule, counts] of [...table].sort())
  process.stdout.write(`${rule}: ${[...counts].map(([verdict, count]) => `${verdict} ${count}`).join(", ")}\n`);
