import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findStartupErrors } from "../../src/apps/server-failure.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import table from "../../src/facts/data/versions.json" with { type: "json" };
import { findDirectiveFacts, listDirectiveNames } from "../../src/facts/directives.js";
import { listModules } from "../../src/facts/modules.js";
import { parseRelease, type Release } from "../../src/facts/release.js";
import { installConfig } from "../../src/startup/install-config.js";
import { loadProject } from "../../src/startup/load-project.js";
import { getOrCreate } from "../../src/text/collections.js";
import type { InstalledHttpd } from "../support/httpd/httpd.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";
import { plausibleUse } from "../support/random/plausible-arguments.js";
import { Random } from "../support/random/random.js";

/** A random line, in a section or not, and the module that it needs. */
interface RandomLine {
  readonly seed: number;
  readonly text: string;
  /** The names of modules for LoadModule, without the usual ones; undefined if the server lacks one. */
  readonly modules: readonly string[];
}

/** A line about which the server and `check` disagree. */
interface LineDisagreement {
  readonly seed: number;
  readonly text: string;
  /** What `check` says; empty if it accepts the line. */
  readonly predicted: string;
  /** What the server says; empty if it accepts the line. */
  readonly actual: string;
}

/** The results for one server. */
export interface LineComparison {
  readonly compared: number;
  readonly refused: number;
  /** Lines of modules that the server does not have. */
  readonly skipped: number;
  readonly disagreements: readonly LineDisagreement[];
}

/** Number of lines that the server tests at once if `check` accepts them all. */
const LINES_AT_ONCE = 40;

const values = [
  ...["On", "Off", "none", "all", "default", "5", "0", "-1", "100", "1.5", "10s", "x", "a=b", "-a", "+a", "*"],
  ...[
    "/a",
    "/srv/none",
    "a.b",
    ".ext",
    "text/plain",
    '"two words"',
    "^/a(.*)$",
    "(",
    "http://b.test/",
    "https://b.test/",
  ],
  ...[
    "www.example.com",
    "10.0.0.0/8",
    "10.0.0.1",
    "*:80",
    "80",
    "GET",
    "env=x",
    "%{HTTP_HOST}",
    "expr=true",
    "expr=%{X",
  ],
  ...[
    "-Indexes",
    "FollowSymLinks",
    "valid-user",
    "granted",
    "[L]",
    "[L,R=301]",
    "TLSv1.3",
    "DH",
    "logs/x",
    "|/bin/cat",
  ],
] as const;

/** Modules that the modules of some directives need, by the beginning of their names, in the order of loading. */
const needed: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:proxy_|lbmethod_)/, ["slotmem_shm", "proxy", "watchdog"]],
  [/^(?:lbmethod_|proxy_hcheck)/, ["proxy_balancer"]],
  [/^(?:cache_|mem_cache|disk_cache)/, ["cache"]],
  [/^dav_/, ["dav"]],
  [/^session_|^auth_form/, ["session", "request"]],
  [/^authnz_ldap/, ["ldap"]],
  [/^(?:ssl|md|tls|heart)/, ["socache_shmcb", "watchdog", "slotmem_shm"]],
  [/^(?:authn_dbd|authz_dbd|session_dbd)/, ["dbd"]],
];

/** Modules of all configurations, as far as the server has them. */
const usual = [
  "unixd",
  "log_config",
  "authz_core",
  "authz_host",
  "access_compat",
  "authn_core",
  "dir",
  "mime",
  "alias",
];

/** All names of directives of all versions; those of sections with their `<`. */
function listAllNames(): readonly string[] {
  const known = (["2.2", "2.4"] as const).flatMap((line) =>
    listDirectiveNames(line).map((name) =>
      findDirectiveFacts(line, name)[0]?.section ? `<${name.replace("<", "")}` : name,
    ),
  );
  const ofVersions = table.directives.map(([, name = ""]) => name);
  return [...new Set([...known, ...ofVersions])].sort();
}

/** The words that directives compare their arguments with, by lower-case name. */
const wordsByName = new Map<string, string[]>();
for (const [, subject = "", word = ""] of table.words) getOrCreate(wordsByName, subject, () => []).push(word);

function randomArguments(name: string, random: Random): string {
  const known = (["2.4", "2.2"] as const).flatMap((line) => findDirectiveFacts(line, name));
  const [facts] = known;
  if (facts !== undefined && random.chance(0.4))
    return plausibleUse(facts)
      .replace(/^\S+\s*/, "")
      .replace(/>[\s\S]*/, "");
  const words = wordsByName.get(name.toLowerCase()) ?? [];
  const count = random.below(4);
  const one = () =>
    words.length > 0 && random.chance(0.5) ? (words[random.below(words.length)] ?? "") : random.pick(values);
  return Array.from({ length: count }, one).join(" ");
}

const places = ["", "", "VirtualHost *:80", "Directory /srv/none", "Location /a", "Files a", "Proxy *"] as const;

/** Returns the modules that a directive of a release needs; undefined if none of its own has it. */
function modulesFor(name: string, release: Release): readonly string[] {
  const [facts] = [
    ...findDirectiveFacts(release, name),
    ...findDirectiveFacts("2.4", name),
    ...findDirectiveFacts("2.2", name),
  ];
  const own =
    facts?.module.replace(/^mod_/, "") ?? table.directives.find(([, each]) => each === name)?.[2]?.replace(/^mod_/, "");
  if (own === undefined || /^(?:core|mpm_common|beos|prefork|worker|event|mpm_\w+)$/.test(own)) return [];
  return [...needed.flatMap(([of, names]) => (of.test(own) ? names : [])), own];
}

function randomLine(seed: number, names: readonly string[], release: Release): RandomLine {
  const random = new Random(seed);
  const name = names[random.below(names.length)] ?? "Listen";
  const words = randomArguments(name, random);
  const line = name.startsWith("<") ? `${name} ${words}>\n</${name.slice(1)}>` : `${name} ${words}`;
  const place = random.pick(places);
  const [tag = ""] = place.split(" ");
  const text = place === "" ? line : `<${place}>\n${line}\n</${tag}>`;
  return { seed, text, modules: [...modulesFor(name, release), ...(tag === "Proxy" ? ["proxy"] : [])] };
}

/** Compares what a server and `check` say of random lines. @param seed that of the first line */
export function compareLines(server: InstalledHttpd, seed: number, count: number): LineComparison {
  const release = parseRelease(server.version) ?? "2.4";
  const names = listAllNames();
  const shared = new Set(readdirSync(server.modules));
  const isShared = (name: string) => shared.has(`mod_${name}.so`);
  const known = new Set(listModules(release).map(({ identifier }) => identifier.replace(/_module$/, "")));
  const lines = Array.from({ length: count }, (_, index) => randomLine(seed + index, names, release));
  // A module of this release that the server was built without says nothing.
  const usable = lines.filter(({ modules }) => modules.every((name) => isShared(name) || !known.has(name)));
  return inScratchFolder((folder) => {
    const configurationOf = (each: readonly RandomLine[]) => {
      const all = [...usual, ...each.flatMap(({ modules }) => modules)].filter(isShared);
      const mpm = ["mpm_event", "mpm_prefork"].filter(isShared).slice(0, 1);
      const loads = [...new Set([...mpm, ...all])].map(
        (name) => `LoadModule ${name}_module "${join(server.modules, `mod_${name}.so`)}"`,
      );
      const head = [
        ...loads,
        `ServerRoot "${folder}"`,
        "ServerName x.test",
        "Listen 127.0.0.1:8999",
        "ErrorLog /dev/null",
      ];
      return `${[...head, ...each.map(({ text }) => text)].join("\n")}\n`;
    };
    const path = join(folder, "httpd.conf");
    const ask = (each: readonly RandomLine[]): string => {
      writeFileSync(path, configurationOf(each), "latin1");
      const { status, stderr } = spawnSync(server.program, ["-t", "-f", path], { encoding: "latin1", timeout: 60_000 });
      return status === 0 ? "" : stderr.trim() || `status ${status}`;
    };
    const predict = (each: RandomLine): string => {
      const access = memoryAccess({ [path]: configurationOf([each]) });
      const loaded = loadProject(path, { access, kind: "server", release });
      if (!loaded.ok) return loaded.error;
      const [error] = findStartupErrors(installConfig(loaded.value.read));
      return error === undefined ? "" : `${error.rule}: ${error.message}`;
    };
    const predicted = usable.map((line) => ({ line, prediction: predict(line) }));
    const disagreements: LineDisagreement[] = [];
    const note = ({ seed: of, text }: RandomLine, prediction: string, actual: string) =>
      disagreements.push({ seed: of, text, predicted: prediction, actual });
    const findRefused = (each: readonly RandomLine[]): void => {
      const actual = each.length === 0 ? "" : ask(each);
      if (actual === "") return;
      const [only] = each;
      if (only !== undefined && each.length === 1) {
        note(only, "", actual);
        return;
      }
      const half = Math.ceil(each.length / 2);
      findRefused(each.slice(0, half));
      findRefused(each.slice(half));
    };
    const accepted = predicted.filter(({ prediction }) => prediction === "").map(({ line }) => line);
    for (let at = 0; at < accepted.length; at += LINES_AT_ONCE) findRefused(accepted.slice(at, at + LINES_AT_ONCE));
    const refused = predicted.filter(({ prediction }) => prediction !== "");
    for (const { line, prediction } of refused) {
      const actual = ask([line]);
      if (actual === "") note(line, prediction, "");
    }
    return {
      compared: usable.length,
      refused: refused.length,
      skipped: lines.length - usable.length,
      disagreements: disagreements.toSorted((a, b) => a.seed - b.seed),
    };
  });
}

/** Returns the server in a folder such as `builds/2.4.29`, or undefined if there is none. */
export function serverIn(folder: string): InstalledHttpd | undefined {
  const program = join(folder, "bin/httpd");
  if (!existsSync(program)) return undefined;
  const { stdout } = spawnSync(program, ["-v"], { encoding: "utf8" });
  const version = /Apache\/(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  return version === undefined ? undefined : { version, program, modules: join(folder, "modules") };
}
