import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { findModuleByName } from "../../../src/facts/modules.js";
import { httpd, loadModules, moduleFolder, packagedModules, runHttpd } from "../../support/httpd/httpd.js";
import { run } from "../../support/programs/command.js";
import {
  byReading,
  confirmed,
  type JudgedFinding,
  refuted,
  type SourceLines,
  type Verdict,
  verdictOn,
} from "./judged-finding.js";

/** Judges a finding by a start of the server, in a separate folder. */
export type StartExperiment = (finding: JudgedFinding, source: SourceLines, folder: string) => Verdict;

/** The modules of httpd's own package, with the MPM of 2.2. */
const ownModules = ["mpm_prefork", "cgi", ...packagedModules().filter((name) => name !== "cgid")].filter((name) =>
  findModuleByName("2.4", `${name}_module`),
);

interface Start {
  readonly isAccepted: boolean;
  readonly output: string;
}

/** Tests lines in a server with all of httpd's modules, except some. */
function testLines(
  folder: string,
  lines: readonly string[],
  { without = [], named = true }: { readonly without?: readonly string[]; readonly named?: boolean } = {},
): Start {
  for (const path of ["modules", "libexec", "lib/apache"]) linkModules(folder, path);
  mkdirSync(join(folder, "logs"), { recursive: true });
  const main = join(folder, "judged.conf");
  const head = [
    loadModules(ownModules.filter((name) => !without.includes(name))),
    `ServerRoot "${folder}"`,
    "ErrorLog logs/error_log",
    `DocumentRoot "${folder}"`,
    ...(named ? ["ServerName judged.test"] : []),
  ];
  writeFileSync(main, `${[...head, ...lines].join("\n")}\n`, "latin1");
  const { status, stderr } = runHttpd(main);
  return { isAccepted: status === 0, output: stderr.replaceAll(`${folder}/`, "") };
}

function linkModules(folder: string, path: string): void {
  const link = join(folder, path);
  if (existsSync(link)) return;
  mkdirSync(join(link, ".."), { recursive: true });
  symlinkSync(moduleFolder, link);
}

const shortNameOf = (identifier: string) => identifier.replace(/^mod_|_module$/g, "");
const firstLineOf = ({ output }: Start) =>
  output.split("\n").find((line) => line !== "" && !/AH00526|AH00111/.test(line)) ?? "";
const reportedBy = ({ notes }: JudgedFinding) =>
  notes.map((note) => /^httpd reports: (.*)/.exec(note)?.[1]).find((text) => text !== undefined);
const normalizeText = (text: string) => text.replace(/\\(.)/g, "$1").replace(/[\s"'`]+/g, " ");

/** The line is rejected with the reported text, and the rest is accepted without it. */
const rejected: StartExperiment = (finding, source, folder) => {
  const { start, end, message } = finding;
  const text = reportedBy(finding);
  const [, missing] =
    /needs (?:third-party module )?`?(?:mod_)?(\w+?)(?:_module)?`?, which is not loaded/.exec(message) ?? [];
  const without = missing === undefined ? [] : [shortNameOf(missing)];
  const mpm = without.some((name) => name.startsWith("mpm_")) ? [loadModules(["mpm_event"]).trim()] : [];
  const lines = [...mpm, ...source.inContext(start.line)];
  const isSection = /^<\w/.test(source.at(start.line));
  const whole = isSection ? [...source.sectionFrom(start.line).lines] : undefined;
  const given = testLines(folder, whole ? source.inContext(start.line, whole) : lines, { without });
  const rest = testLines(folder, [...mpm, ...source.inContext(start.line, [])], { without });
  const isSame = text === undefined || normalizeText(given.output).includes(normalizeText(text));
  const evidence = `${end.line}: ${firstLineOf(given)}`;
  if (given.isAccepted) return refuted(`accepted: ${lines.join(" ")}`);
  if (!isSame) return refuted(`another message: ${evidence}`);
  return rest.isAccepted ? confirmed(evidence) : byReading(`also rejected without the line:  ${firstLineOf(rest)}`);
};

/** The file that the message names is missing, and the server does not start without it. */
const missingFile: StartExperiment = ({ message }, _, folder) => {
  const [, path] = /^(?:the directory |ServerRoot |the files of )?`([^`]+)`/.exec(message) ?? [];
  if (path === undefined) return byReading("no path");
  const written = /^Include\s/i.test(path)
    ? path
    : message.startsWith("ServerRoot")
      ? `ServerRoot "${path}"`
      : /cannot be listed/.test(message)
        ? `Include "${path}/*.conf"`
        : `Include "${path}"`;
  const start = testLines(folder, [written]);
  return verdictOn(!start.isAccepted, firstLineOf(start));
};

const refusedAtStart: StartExperiment = (finding, source, folder) => {
  const isOfFile = /does not exist|missing file|is not a directory on this machine|not on this machine/.test(
    finding.message,
  );
  return (isOfFile ? missingFile : rejected)(finding, source, folder);
};

/** The file of the module is missing, and the modules to load instead exist. */
const removedModule: StartExperiment = (finding, source, folder) => {
  const line = source.at(finding.start.line);
  const start = testLines(folder, [line]);
  const successors = [...finding.help.join().matchAll(/`(\w+_module)`/g)].map(([, name = ""]) => shortNameOf(name));
  const builtIn = listBuiltIn();
  const isAvailable = (name: string) =>
    existsSync(join(moduleFolder, `mod_${name}.so`)) || builtIn.includes(`mod_${name}.c`);
  const absent = successors.filter((name) => !isAvailable(name));
  const text = reportedBy(finding);
  const isSame = text === undefined || start.output.includes(text);
  return verdictOn(!start.isAccepted && isSame && absent.length === 0, `${firstLineOf(start)}; instead: ${successors}`);
};

/** The server starts with a warning that has the number in the finding. */
const warned: StartExperiment = (finding, source, folder) => {
  const { notes, start, related } = finding;
  const number = /AH\d{5}/.exec(notes.join())?.[0];
  const before = related.filter(({ message }) => /first|loaded here/.test(message));
  const lines = [
    ...before.map((line) => source.elsewhere(line.path).at(line.start.line)),
    ...source.inContext(start.line),
  ];
  const result = testLines(folder, lines);
  if (!result.isAccepted) return byReading(firstLineOf(result));
  return verdictOn(number !== undefined && result.output.includes(number), firstLineOf(result));
};

/** The server without ServerName warns. */
const unnamed: StartExperiment = (_, __, folder) => {
  const { output } = testLines(folder, [], { named: false });
  return verdictOn(output.includes("AH00558"), output.split("\n")[0] ?? "");
};

/** 2.4 accepts the old and the new name. */
const renamed: StartExperiment = ({ message, start }, source, folder) => {
  const [, oldName = "", newName = ""] = /`(\w+)` was renamed to `(\w+)`/.exec(message) ?? [];
  const line = source.at(start.line);
  const results = [line, line.replace(new RegExp(oldName, "i"), newName)].map((each) => testLines(folder, [each]));
  return verdictOn(
    results.every(({ isAccepted }) => isAccepted),
    results.map(firstLineOf).join("; "),
  );
};

/** The build of this machine has each of the modules built in. */
const builtIn: StartExperiment = ({ message, notes, start }, source, folder) => {
  const list = listBuiltIn();
  const named = [...`${message} ${notes.join(" ")}`.matchAll(/`(\w+)_module`/g)].map(([, name]) => name);
  const absent = named.filter((name) => !list.includes(`mod_${name}.c`));
  const result = testLines(folder, [source.at(start.line)]);
  return verdictOn(absent.length === 0 && !result.isAccepted, firstLineOf(result));
};

/** The module is not one of httpd's own: neither its file nor its name. */
const thirdParty: StartExperiment = ({ message, start }, source, folder) => {
  const line = source.at(start.line);
  if (!/^LoadModule\s/i.test(line)) {
    const result = testLines(folder, source.inContext(start.line));
    return verdictOn(!result.isAccepted && result.output.includes("Invalid command"), firstLineOf(result));
  }
  const file = basename(line.split(/\s+/)[2]?.replaceAll('"', "") ?? "");
  const [, identifier = ""] = /`(\w+)`/.exec(message) ?? [];
  const name = file.replace(/^mod_|\.(?:so|dll)$/g, "");
  const isOwn = findModuleByName("2.4", `${name}_module`) ?? findModuleByName("2.4", identifier);
  return verdictOn(isOwn === undefined, `${identifier} in ${file}`);
};

/** The server does not start without each module, and accepts the line that needs it with the module. */
const modulesToLoad: StartExperiment = ({ notes }, _, folder) => {
  const needs = notes.flatMap((note) => {
    const [, module, use] =
      /`(\w+)_module` (?:is needed for|\(needed for) (.*?)\)?(?:, unless it is built in)?$/.exec(note) ?? [];
    return module === undefined ? [] : [{ module, use: /^`([^`]+)`/.exec(use ?? "")?.[1] ?? "" }];
  });
  const failed = needs.filter(({ module, use }) => !isNeeded(module, use, folder));
  return verdictOn(
    needs.length > 0 && failed.length === 0,
    `${needs.length} modules; not needed: ${JSON.stringify(failed)}`,
  );
};

/** Lines that need a module, for directives that need arguments or a section. */
const uses: Readonly<Record<string, string>> = {
  AuthType: "<Location />\nAuthType Basic\n</Location>",
  AuthUserFile: "<Location />\nAuthUserFile x\n</Location>",
  Dav: "<Location />\nDav On\n</Location>",
  DavLockDB: "DavLockDB x",
  DirectoryIndex: "DirectoryIndex x",
  LogFormat: "LogFormat x",
  TypesConfig: "TypesConfig /etc/mime.types",
  User: "User nobody",
  ScriptAlias: "ScriptAlias /x /x",
  BrowserMatch: "BrowserMatch x y",
  Order: "<Location />\nOrder allow,deny\n</Location>",
  Require: "<Location />\nRequire all granted\n</Location>",
  AddOutputFilterByType: "AddOutputFilterByType DEFLATE text/html",
  MinSpareServers: "MinSpareServers 3",
};

/** Whether the server needs a module for a use, which is the same for all findings. */
const needed = new Map<string, boolean>();

function isNeeded(module: string, use: string, folder: string): boolean {
  const key = `${module} ${use}`;
  const known = needed.get(key);
  if (known !== undefined) return known;
  const result = tryWithout(module, use, folder);
  needed.set(key, result);
  return result;
}

function tryWithout(module: string, use: string, folder: string): boolean {
  // These are built in on this machine.
  if (!existsSync(join(moduleFolder, `mod_${module}.so`))) return listBuiltIn().includes(`mod_${module}.c`);
  if (/^mpm_/.test(module)) return testLines(folder, [], { without: ["mpm_prefork"] }).output.includes("AH00534");
  if (module === "authz_core" && use === "") return returns500(folder);
  if (module === "slotmem_shm") {
    const others = ["mpm_prefork", "authz_core", "proxy", "proxy_balancer"];
    return !keepsRunning(folder, others) && keepsRunning(folder, [...others, module]);
  }
  const [, type] = /^AuthType (\w+)/.exec(use) ?? [];
  if (type !== undefined) return module === `auth_${type.toLowerCase()}`;
  const line = /^Require (?:user|group|valid)/.test(use) ? `<Location />\n${use}\n</Location>` : (uses[use] ?? use);
  const dependents: Readonly<Record<string, readonly string[]>> = { dav: ["dav_fs", "dav_lock"] };
  const without = [module, ...(dependents[module] ?? [])];
  return !testLines(folder, [line], { without }).isAccepted && testLines(folder, [line]).isAccepted;
}

const listening = ["Listen 8088", "PidFile judged.pid", "Mutex posixsem", "User nobody", "Group nogroup"];

/** Returns whether a server with only some modules runs for five seconds. */
function keepsRunning(folder: string, modules: readonly string[]): boolean {
  testLines(folder, listening, { without: ownModules.filter((name) => !modules.includes(name)) });
  const { error } = spawnSync(httpd ?? "apache2", ["-X", "-f", join(folder, "judged.conf")], { timeout: 5000 });
  return error !== undefined;
}

/** Returns whether the server without mod_authz_core returns 500 for a file. */
function returns500(folder: string): boolean {
  const own = ["mpm_prefork", "dir"];
  for (const path of [join(folder, ".."), folder]) chmodSync(path, 0o755);
  writeFileSync(join(folder, "x.html"), "x");
  testLines(folder, listening, { without: ownModules.filter((name) => !own.includes(name)) });
  const main = join(folder, "judged.conf");
  const script = `apache2 -X -f ${main} & sleep 2; curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8088/x.html; kill $!; wait`;
  return run("sh", ["-c", script]).stdout === "500";
}

function listBuiltIn(): string {
  return run(httpd ?? "apache2", ["-l"]).stdout;
}

/** `SSLv2` is not a protocol of 2.4. */
const obsoleteTls: StartExperiment = ({ message, start }, source, folder) => {
  const line = source.at(start.line);
  const given = testLines(folder, [line]);
  if (!message.includes("SSLv2")) return byReading(given.isAccepted ? "accepted" : firstLineOf(given));
  const positive = testLines(folder, ["SSLProtocol +SSLv2"]);
  return verdictOn(given.isAccepted && !positive.isAccepted, firstLineOf(positive));
};

/** The experiment of each rule about the start. */
export const startExperiments: Readonly<Record<string, StartExperiment>> = {
  "refused-at-start": refusedAtStart,
  "removed-directive": rejected,
  "unknown-directive": rejected,
  "access-compat-not-loaded": (finding, source, folder) =>
    rejected({ ...finding, message: "needs mod_access_compat, which is not loaded" }, source, folder),
  "misplaced-directive": rejected,
  "removed-module": removedModule,
  "ignored-directive": warned,
  "warned-at-start": warned,
  "missing-server-name": unnamed,
  "renamed-directive": renamed,
  "built-in-module": builtIn,
  "third-party-module": thirdParty,
  "modules-to-load": modulesToLoad,
  "obsolete-tls-directive": obsoleteTls,
};
