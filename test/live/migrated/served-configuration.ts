import { isAccessLine } from "../../../src/access/rules/lines-of-24.js";
import type { Directive } from "../../../src/project/model/directive.js";
import type { Project } from "../../../src/project/model/project.js";
import { moduleFolder, packagedModules } from "../../support/httpd/httpd.js";

/** Paths in the folder of the server. */
export const served = { entry: "/httpd.conf", certificate: "/tls.crt", key: "/tls.key", errorLog: "/error.log" };

/** Directives of the process and of logs, which do not decide requests, and files of other machines. */
const omitted = new Set([
  ...["user", "group", "pidfile", "lockfile", "acceptmutex", "mutex", "scoreboardfile", "serverroot", "chrootdir"],
  ...["errorlog", "customlog", "transferlog", "coredumpdirectory", "loglevel", "rewritelog", "rewriteloglevel"],
  ...[
    "sslcertificatechainfile",
    "sslcacertificatefile",
    "sslcacertificatepath",
    "sslcarevocationfile",
    "sslrandomseed",
  ],
  ...["sslcarevocationpath", "sslsessioncache", "sslmutex", "sslciphersuite", "sslprotocol", "sslpassphrasedialog"],
  ...["sslcryptodevice", "sslopensslconfcmd", "sslstaplingcache", "sslusestapling", "jkworkersfile", "davlockdb"],
]);

/** Returns the modules that each server needs, and those of the configuration that this machine has. */
function modulesOf({ modules }: Project): readonly string[] {
  const needed = new Set([
    ...["mpm_prefork", "unixd", "authz_core", "authn_core", "authz_host"],
    ...["slotmem_shm", "socache_shmcb", "watchdog"],
  ]);
  const names = ["mpm_prefork", "cgi", ...packagedModules()];
  if (modules.has("cgid_module")) needed.add("cgi");
  if (modules.has("proxy_balancer_module")) needed.add("lbmethod_byrequests");
  const isServed = (name: string) => needed.has(name) || modules.has(`${name}_module`);
  return names.filter((name) => name !== "access_compat" && name !== "cgid" && isServed(name));
}

/** Returns the default DocumentRoot. This machine's server has that of the ServerRoot with which it was built. */
export function defaultDocumentRootOf({ serverRoot }: Project): string {
  return `${serverRoot}/htdocs`;
}

/** A configuration for this machine, as one file. */
export class ServedConfiguration {
  /** The lines that this machine's server rejects, as reported. */
  readonly dropped: string[] = [];
  private readonly rejected = new Set<Directive>();
  private lines: (Directive | undefined)[] = [];

  constructor(private readonly project: Project) {}

  /** Returns the text of the file. */
  render(): string {
    const { serverRoot } = this.project;
    const text: string[] = [];
    this.lines = [];
    const add = (line: string, of?: Directive) => {
      text.push(line);
      this.lines.push(of);
    };
    for (const name of modulesOf(this.project)) add(`LoadModule ${name}_module ${moduleFolder}/mod_${name}.so`);
    add(`ServerRoot "${serverRoot}"`);
    add(`ErrorLog ${served.errorLog}`);
    add("PidFile /run/pid");
    add("Mutex file:/tmp");
    const keys = new Set(this.project.directives.map(({ key }) => key));
    if (!keys.has("listen")) add("Listen 80");
    if (!keys.has("documentroot")) add(`DocumentRoot "${defaultDocumentRootOf(this.project)}"`);
    add("User #65534");
    add("Group #65534");
    const show = (line: Directive) => {
      const { key, name, argumentText, children } = line;
      if (omitted.has(key) || this.rejected.has(line)) return;
      if (key === "sslcertificatefile") add(`${name} ${served.certificate}`, line);
      else if (key === "sslcertificatekeyfile") add(`${name} ${served.key}`, line);
      else add(`${name} ${argumentText}`.replace(/\n/g, " "), line);
      if (children === undefined) return;
      for (const child of children) show(child);
      add(`</${name.slice(1)}>`, line);
    };
    for (const line of this.project.directives) show(line);
    return `${text.join("\n")}\n`;
  }

  /**
   * Omits the line that the server rejects.
   *
   * @param message of `httpd -t`
   * @returns whether it is a line that may be omitted: access lines are what is tested
   */
  drop(message: string): boolean {
    const line = this.lines[Number(/line (\d+) of/.exec(message)?.[1]) - 1];
    if (line === undefined || isAccessLine(line)) return false;
    this.rejected.add(line);
    this.dropped.push(`${line.name} ${line.argumentText}`);
    return true;
  }
}
