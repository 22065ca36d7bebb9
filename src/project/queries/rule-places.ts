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
  private readonly isMainTls: boolean;

  constructor(private readonly project: Project) {
    this.isMainTls = isTls(project.directives);
  }

  /** Returns where the lines of a scope run. */
  find(scope: Scope): RulePlace {
    const { place, directives } = scope;
    const isDirectory = place === "htaccess" || place === "directory";
    if (!isDirectory) {
      const isServer = place === "virtualhost" || place === "server";
      const scheme = !isServer ? undefined : this.isMainTls || isTls(directives) ? "https" : "http";
      return { isDirectory, directory: undefined, base: "", isAssumed: false, scheme };
    }
    const written = directives.findLast(({ key }) => key === "rewritebase")?.arguments[0]?.value;
    const directory = this.directoryOf(scope);
    const isAssumed = this.project.kind === "htaccess" && written === undefined;
    const isRoot = isAssumed || (directory !== undefined && this.documentRoots.has(directory));
    const base = written?.replace(/\/*$/, "/") ?? (isRoot ? "/" : undefined);
    return { isDirectory, directory, base, isAssumed, scheme: undefined };
  }

  private directoryOf({ section, content }: Scope): string | undefined {
    const { htaccess, htaccessEntry } = this.project;
    this.directories ??= new Map(htaccess.map(({ directives, directory }) => [directives, directory]));
    const written = section?.key === "<directory" ? section.arguments[0]?.value : undefined;
    return (htaccessEntry?.file.directory ?? this.directories.get(content) ?? written)?.replace(/\/$/, "");
  }

  private get documentRoots(): ReadonlySet<string> {
    this.roots ??= new Set(
      this.project.directives
        .flatMap((line) => (line.key === "<virtualhost" ? (line.children ?? []) : [line]))
        .filter(({ key }) => key === "documentroot")
        .flatMap(({ arguments: [word] }) => (word ? [word.value.replace(/\/$/, "")] : [])),
    );
    return this.roots;
  }
}

function isTls(directives: readonly Directive[]): boolean {
  return directives.some((line) => line.key === "sslengine" && line.arguments[0]?.value.toLowerCase() === "on");
}
