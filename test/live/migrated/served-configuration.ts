import { resolvePath, stripTrailingSlash } from "../../../src/config/files/paths.js";
import type { Directive } from "../../../src/config/model/directive.js";
import { findModule, LoadedModules } from "../../../src/config/model/modules.js";
import type { Project } from "../../../src/config/model/project.js";
import { iterateDirectives, removeDirectives } from "../../../src/config/queries/directive-tree.js";
import { findDirectiveFacts } from "../../../src/facts/directives.js";
import { listCompiledInModules } from "../../../src/facts/modules.js";
import type { Release } from "../../../src/facts/release.js";
import { isAccessLine } from "../../../src/server/access/lines-of-24.js";
import { moduleFolder, packagedModules } from "../../support/httpd/httpd.js";

/** Paths in the folder of the server. */
export const served = { certificate: "/tls.crt", key: "/tls.key", errorLog: "/error.log" };

/** Directives about the process and logs, which do not affect answers, and about files of other machines. */
const omitted = new Set([
  ...["user", "group", "pidfile", "lockfile", "acceptmutex", "mutex", "scoreboardfile", "serverroot", "chrootdir"],
  ...["errorlog", "customlog", "transferlog", "coredumpdirectory", "loglevel", "rewritelog", "rewriteloglevel"],
  ...["sslcertificatechainfile", "sslcacertificatefile", "sslcacertificatepath", "sslcarevocationfile"],
  ...["sslcarevocationpath", "sslsessioncache", "sslmutex", "sslciphersuite", "sslprotocol", "sslpassphrasedialog"],
  ...["maxrequestsperchild", "maxconnectionsperchild", "listen", "defaultruntimedir"],
  ...["sslrandomseed", "sslcryptodevice", "sslopensslconfcmd", "sslstaplingcache", "sslusestapling", "davlockdb"],
]);

/** Modules that the server needs in any case. */
const needed = [
  ...["mpm_prefork", "unixd", "authz_core", "authn_core", "authz_host", "slotmem_shm", "socache_shmcb", "watchdog"],
];

/** Modules of 2.2 whose functions are in other modules of 2.4. */
const modulesOf22 = ["authz_default", "authn_default", "authn_alias", "authz_host"];

/** The lines that both the server and the simulator omit, because this machine's server rejects them. */
export class OmittedLines {
  private readonly rejected = new Set<string>();
  private readonly modules: LoadedModules;
  /** The modules of the server, by short name; without mod_access_compat. */
  readonly served: readonly string[];

  constructor({ modules, modulesAreKnown }: Project) {
    const names = new Set(needed);
    // The simulator assumes that programs run if it does not know the modules.
    if (!modulesAreKnown) names.add("cgi");
    if (modules.has("cgid_module")) names.add("cgi");
    if (modules.has("proxy_balancer_module")) names.add("lbmethod_byrequests");
    const isServed = (name: string) => names.has(name) || modules.has(`${name}_module`);
    this.served = ["mpm_prefork", "cgi", ...packagedModules()].filter(
      (name) => name !== "access_compat" && name !== "cgid" && isServed(name),
    );
    this.modules = new LoadedModules("2.4", listCompiledInModules("2.4"));
    for (const name of [...this.served, "access_compat", "log_config", "version", "logio"]) this.modules.add(name);
  }

  /** Reports whether a line is omitted in all places. */
  has(directive: Directive): boolean {
    return this.rejected.has(wordingOf(directive)) || this.isOfMissingModule(directive);
  }

  /** @returns whether the line may be omitted, because it is not an access line */
  reject(directive: Directive): boolean {
    if (isAccessLine(directive)) return false;
    this.rejected.add(wordingOf(directive));
    return true;
  }

  /** Lists the omitted lines, without duplicates. */
  listIn(project: Project): readonly string[] {
    return [...new Set([...iterateDirectives(project)].filter((line) => this.has(line)).map(wordingOf))];
  }

  /** Returns a configuration without these lines, and without the modules that this machine does not have. */
  removeFrom(project: Project): Project {
    const lines = new Set([...iterateDirectives(project)].filter((line) => this.has(line)));
    const modules = new LoadedModules(project.release, listCompiledInModules(project.release));
    const available = new Set([...this.served, "access_compat", ...modulesOf22].map((name) => `${name}_module`));
    for (const identifier of project.modules.listIdentifiers())
      if (available.has(identifier) || isBuiltIn(project.release, identifier)) modules.add(identifier);
    if (this.served.includes("cgi")) modules.add("cgi");
    return { ...removeDirectives(project, lines), modules, modulesAreKnown: true };
  }

  private isOfMissingModule(directive: Directive): boolean {
    if (isAccessLine(directive) || omitted.has(directive.key)) return false;
    const facts = findDirectiveFacts("2.4", directive.key);
    return !facts.some((each) => this.modules.provides(each));
  }
}

/** Returns lines with which the server listens at each port of the configuration, at all of its addresses. */
function listenLinesOf(directives: readonly Directive[]): readonly string[] {
  const protocols = new Map<string, string>();
  for (const { key, arguments: words } of directives) {
    const [address, protocol] = key === "listen" ? words.map(({ value }) => value) : [];
    const port = /\d+$/.exec(address ?? "")?.[0];
    if (port !== undefined) protocols.set(port, protocol ?? protocols.get(port) ?? "");
    for (const { value } of key === "<virtualhost" ? words : []) {
      const ofHost = /:(\d+)$/.exec(value)?.[1];
      if (ofHost !== undefined && !protocols.has(ofHost)) protocols.set(ofHost, "");
    }
  }
  if (protocols.size === 0) protocols.set("80", "");
  return [...protocols].map(([port, protocol]) => `Listen [::]:${port} ${protocol}`.trim());
}

/** Replaces paths on Windows drives with the paths that the simulator uses for them. */
function nameDrivesAsFolders(text: string): string {
  return text.replace(/(^|[\s"'])([a-z]):[/\\]/gi, "$1/$2:/");
}

function wordingOf({ name, argumentText }: Directive): string {
  return `${name.toLowerCase()} ${argumentText}`;
}

const builtIn = new Set(["core", "so", "http", "log_config", "logio", "version", "watchdog", "unixd", "mpm_prefork"]);

/** Reports whether each server has the module, also if this machine has no file of it. */
function isBuiltIn(release: Release, identifier: string): boolean {
  return (
    builtIn.has(identifier.replace(/_module$/, "")) || findModule(release, identifier)?.name.startsWith("mpm_") === true
  );
}

/** Returns the default DocumentRoot below the ServerRoot; this machine's server has another built-in default. */
function defaultDocumentRootOf({ serverRoot }: Project): string {
  return `${serverRoot}/htdocs`;
}

/** Returns the directories that the server needs to start, without trailing slashes. */
export function documentRootsOf(project: Project): readonly string[] {
  const named = [...iterateDirectives(project)].flatMap(({ key, arguments: [word] }) =>
    key === "documentroot" && word !== undefined
      ? [stripTrailingSlash(resolvePath(project.serverRoot, word.value))]
      : [],
  );
  return [...new Set([defaultDocumentRootOf(project), ...named])];
}

/** A configuration for this machine, as one file. */
export class ServedConfiguration {
  private lines: (Directive | undefined)[] = [];

  /** @param extraModules modules in addition to those of `without` */
  constructor(
    private readonly project: Project,
    private readonly without: OmittedLines,
    private readonly extraModules: readonly string[],
    /** The path of the file. */
    readonly entry: string,
  ) {}

  /** Returns the text of the file. */
  render(): string {
    const { serverRoot, directives } = this.project;
    const text: string[] = [];
    this.lines = [];
    for (const name of [...this.without.served, ...this.extraModules])
      text.push(`LoadModule ${name}_module ${moduleFolder}/mod_${name}.so`);
    text.push(
      `ServerRoot "${serverRoot}"`,
      `ErrorLog ${served.errorLog}`,
      "PidFile /run/pid",
      "DefaultRuntimeDir /run",
      "Mutex file:/tmp",
    );
    const keys = new Set(directives.filter((line) => !this.without.has(line)).map(({ key }) => key));
    text.push(...listenLinesOf(directives));
    if (!keys.has("documentroot")) text.push(`DocumentRoot "${defaultDocumentRootOf(this.project)}"`);
    text.push("User #65534", "Group #65534");
    // A certificate alone enables TLS at some ports, which the simulator does not know.
    if (this.without.served.includes("ssl") && !keys.has("sslengine")) text.push("SSLEngine off");
    this.lines.length = text.length;
    for (const { line, of } of this.linesOf(directives)) {
      text.push(line);
      this.lines.push(of);
    }
    return `${text.join("\n")}\n`;
  }

  /** Returns the text of each `.htaccess` file, by directory. */
  renderHtaccess(): ReadonlyMap<string, string> {
    return new Map(
      this.project.htaccess.map(({ directory, directives }) => {
        const lines = [...this.linesOf(directives)].map(({ line }) => `${line}\n`);
        return [directory, lines.join("")];
      }),
    );
  }

  /**
   * Omits the line that the server rejects, and all lines with the same text.
   *
   * @param message of `httpd -t`
   */
  drop(message: string): boolean {
    const line = this.lines[Number(/line (\d+) of/.exec(message)?.[1]) - 1];
    return line !== undefined && this.without.reject(line);
  }

  private *linesOf(directives: readonly Directive[]): Generator<{ line: string; of: Directive }> {
    for (const of of directives) {
      const { key, name, argumentText, children } = of;
      if (omitted.has(key) || this.without.has(of)) continue;
      if (key === "sslcertificatefile") yield { line: `${name} ${served.certificate}`, of };
      else if (key === "sslcertificatekeyfile") yield { line: `${name} ${served.key}`, of };
      else yield { line: `${name} ${nameDrivesAsFolders(argumentText)}`.replace(/\n/g, " "), of };
      if (children === undefined) continue;
      yield* this.linesOf(children);
      yield { line: `</${name.slice(1)}>`, of };
    }
  }
}
