import { hasWildcard } from "../../text/wildcards.js";
import { pathKey, toAbsolutePath } from "../files/paths.js";
import type { Directive } from "../model/directive.js";
import type { Project } from "../model/project.js";
import type { Scope } from "../model/scope.js";

/** Where the lines of a scope run. */
export interface RulePlace {
  readonly isDirectory: boolean;
  /** The directory without a slash at the end, if it is known. */
  readonly directory: string | undefined;
  /** The URL path that the paths of rules are relative to, with a slash at the end; undefined if it is unknown. */
  readonly base: string | undefined;
  /** Whether the base is an assumption about a `.htaccess` file on its own. */
  readonly isAssumed: boolean;
  /** The scheme of all requests; undefined if both are possible. */
  readonly scheme: "http" | "https" | undefined;
}

/** Finds where the lines of scopes run. A `.htaccess` file on its own is assumed to be in the document root. */
export class RulePlaces {
  private roots: ReadonlySet<string> | undefined;
  private directories: ReadonlyMap<Scope["content"], string> | undefined;
  private readonly mainLines: TlsLines;

  constructor(private readonly project: Project) {
    this.mainLines = findTlsLines(project.directives);
  }

  /** Returns where the lines of a scope run. */
  find(scope: Scope): RulePlace {
    const { place, directives } = scope;
    const isDirectory = place === "htaccess" || place === "directory";
    if (!isDirectory) {
      const isServer = place === "virtualhost" || place === "server";
      const scheme = isServer ? schemeOf({ ...this.mainLines, ...findTlsLines(directives) }) : undefined;
      return { isDirectory, directory: undefined, base: "", isAssumed: false, scheme };
    }
    const written = directives.findLast(({ key }) => key === "rewritebase")?.arguments[0]?.value;
    const directory = this.directoryOf(scope);
    const isAssumed = this.project.kind === "htaccess" && written === undefined;
    const isRoot = isAssumed || (directory !== undefined && this.documentRoots.has(keyOf(directory)));
    const base = written?.replace(/\/*$/, "/") ?? (isRoot ? "/" : undefined);
    return { isDirectory, directory, base, isAssumed, scheme: undefined };
  }

  private directoryOf({ section, content }: Scope): string | undefined {
    const { htaccess, htaccessEntry } = this.project;
    this.directories ??= new Map(htaccess.map(({ directives, directory }) => [directives, directory]));
    const [word, other] = section?.key === "<directory" ? section.arguments : [];
    const written = word && !other && !hasWildcard(word.value) ? word.value : undefined;
    return (htaccessEntry?.file.directory ?? this.directories.get(content) ?? written)?.replace(/\/$/, "");
  }

  private get documentRoots(): ReadonlySet<string> {
    this.roots ??= new Set(
      this.project.directives
        .flatMap((line) => (line.key === "<virtualhost" ? (line.children ?? []) : [line]))
        .filter(({ key }) => key === "documentroot")
        .flatMap(({ arguments: [word] }) => (word ? [keyOf(word.value).replace(/\/$/, "")] : [])),
    );
    return this.roots;
  }
}

/** Returns a text that is equal for the spellings of a path. */
function keyOf(written: string): string {
  return pathKey(toAbsolutePath(written) ?? written);
}

/** The lines of a server that decide whether it answers TLS. */
interface TlsLines {
  readonly engine?: Directive;
  readonly certificate?: Directive;
}

function findTlsLines(directives: readonly Directive[]): TlsLines {
  const engine = directives.findLast(({ key }) => key === "sslengine");
  const certificate = directives.findLast(({ key }) => key === "sslcertificatefile");
  return { ...(engine && { engine }), ...(certificate && { certificate }) };
}

/**
 * Returns the scheme of the requests that a server receives. If it has a certificate but no SSLEngine line, its address
 * decides.
 */
function schemeOf({ engine, certificate }: TlsLines): RulePlace["scheme"] {
  if (engine) return engine.arguments[0]?.value.toLowerCase() === "on" ? "https" : "http";
  return certificate ? undefined : "http";
}
