import { type Directive, virtualHostAround } from "../../src/lint/api/configuration.js";

/** Lines that do nothing, or fail, without another line. */
interface Need {
  /** A name, or a name with one of its words. */
  readonly lines: readonly string[];
  /** Each of these is enough; the first is the usual one. */
  readonly companions: readonly string[];
  readonly effect: string;
  readonly help: string;
  /** Whether a virtual host that has the line has the other one, too, so that a part of a server is enough. */
  readonly isOfHost?: boolean;
}

const outputFilterLines = ["SetOutputFilter", "AddOutputFilterByType", "AddOutputFilter", "FilterProvider"];
const filterLines = (filter: string) => outputFilterLines.map((name) => `${name} ${filter}`);
const variableLines = (variable: string) =>
  ["SetEnv", "SetEnvIf", "SetEnvIfNoCase", "SetEnvIfExpr", "BrowserMatch", "BrowserMatchNoCase", "RewriteRule"].map(
    (name) => `${name} ${variable}`,
  );

/** Each was tried without its companion. */
const needs: readonly Need[] = [
  {
    lines: ["CacheEnable disk"],
    companions: ["CacheRoot"],
    effect: "mod_cache_disk stores nothing: each request logs AH00703",
    help: "add `CacheRoot` with a directory that httpd may write to",
  },
  {
    lines: ["CacheEnable socache"],
    companions: ["CacheSocache"],
    effect: "mod_cache_socache stores nothing",
    help: "add `CacheSocache shmcb`, and load `socache_shmcb_module`",
  },
  {
    lines: ["CacheDefaultExpire", "CacheMaxExpire", "CacheIgnoreHeaders"],
    companions: ["CacheEnable"],
    effect: "mod_cache stores nothing",
    help: "add `CacheEnable disk /`",
  },
  {
    lines: ["Dav On", "Dav filesystem"],
    companions: ["DavLockDB"],
    effect: "requests with PUT and LOCK return 500 (AH00623)",
    help: "add `DavLockDB` with a file in a directory that httpd may write to",
  },
  {
    lines: ["Substitute"],
    companions: filterLines("SUBSTITUTE"),
    effect: "httpd replaces text only in responses that pass the filter `SUBSTITUTE`",
    help: "add `AddOutputFilterByType SUBSTITUTE text/html`",
    isOfHost: true,
  },
  {
    lines: variableLines("rate-limit"),
    companions: filterLines("RATE_LIMIT"),
    effect: "httpd limits only responses that pass the filter `RATE_LIMIT`",
    help: "add `SetOutputFilter RATE_LIMIT`",
    isOfHost: true,
  },
  {
    lines: filterLines("RATE_LIMIT"),
    companions: variableLines("rate-limit"),
    effect: "the filter limits nothing without the variable `rate-limit`",
    help: "add `SetEnv rate-limit` with the number of KiB/s",
    isOfHost: true,
  },
  {
    lines: ["ProxyHTMLURLMap"],
    companions: ["ProxyHTMLEnable On", ...filterLines("proxy-html")],
    effect: "httpd rewrites links only in responses that pass the filter `proxy-html`",
    help: "add `ProxyHTMLEnable On`",
    isOfHost: true,
  },
  {
    lines: ["CheckCaseOnly On"],
    companions: ["CheckSpelling On"],
    effect: "mod_speling corrects nothing",
    help: "add `CheckSpelling On`",
  },
  {
    lines: ["CookieName", "CookieExpires", "CookieDomain", "CookieStyle"],
    companions: ["CookieTracking On"],
    effect: "mod_usertrack sends no cookie",
    help: "add `CookieTracking On`",
  },
  {
    lines: ["SessionCookieName", "SessionCookieName2", "SessionEnv On", "SessionHeader", "SessionMaxAge"],
    companions: ["Session On"],
    effect: "mod_session loads no session",
    help: "add `Session On`",
  },
  {
    lines: ["RemoteIPInternalProxy", "RemoteIPInternalProxyList", "RemoteIPTrustedProxy", "RemoteIPTrustedProxyList"],
    companions: ["RemoteIPHeader", "RemoteIPProxyProtocol On"],
    effect: "httpd takes the address of the proxy for that of the client",
    help: "add `RemoteIPHeader X-Forwarded-For`",
  },
  {
    lines: ["AddDescription", "AddIcon", "AddIconByType", "AddIconByEncoding", "DefaultIcon"],
    companions: ["IndexOptions FancyIndexing", "IndexOptions HTMLTable"],
    effect: "listings of directories show only names",
    help: "add `IndexOptions FancyIndexing`",
  },
];

/** A line, and what it lacks. */
export interface MissingCompanion extends Pick<Need, "effect" | "help"> {
  readonly line: Directive;
  /** As written in the table: `CacheEnable disk`. */
  readonly title: string;
  readonly companion: string;
}

/** The names of lines that need others, and of those, in lower case. */
export const companionKeys: ReadonlySet<string> = new Set(
  needs.flatMap(({ lines, companions }) => [...lines, ...companions].map((title) => keyOf(title))),
);

/** The names of lines with one of their words that the table has, in lower case. */
const knownTitles: ReadonlySet<string> = new Set(
  needs.flatMap(({ lines, companions }) => [...lines, ...companions].map((title) => title.toLowerCase())),
);

/** Collects lines of a server, and finds those without the line that they need. */
export class Companions {
  private readonly found = new Map<string, Directive>();

  add(line: Directive): void {
    const { key } = line;
    // A list of filters has semicolons, and a variable has its value after it.
    const words = line.arguments.flatMap(({ value }) => [value, ...value.split(/[;=:,[\]]+/)]);
    const titles = words.map((word) => `${key} ${word.toLowerCase().replace(/^\+/, "")}`);
    for (const title of [key, ...titles])
      if (knownTitles.has(title) && !this.found.has(title)) this.found.set(title, line);
  }

  /** @param isWhole whether no other file may have the lines of a server; without it, only those of virtual hosts are judged */
  find(isWhole: boolean): readonly MissingCompanion[] {
    return needs.flatMap(({ lines, companions, effect, help, isOfHost = false }) => {
      const has = (title: string) => this.found.has(title.toLowerCase());
      const title = lines.find(has);
      const line = title && this.found.get(title.toLowerCase());
      const [companion = ""] = companions;
      if (title === undefined || !line || companions.some(has)) return [];
      return isWhole || (isOfHost && virtualHostAround(line) !== undefined)
        ? [{ line, title, companion, effect, help }]
        : [];
    });
  }
}

function keyOf(title: string): string {
  return title.toLowerCase().replace(/ .*/, "");
}
