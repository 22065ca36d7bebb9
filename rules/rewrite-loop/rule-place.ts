import type { Directive, Project, Scope } from "../../src/rule-api/configuration.js";

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

/** Returns where the lines of a scope run. A `.htaccess` file on its own is assumed to be in the document root. */
export function readRulePlace(scope: Scope, project: Project): RulePlace {
  const { place, directives } = scope;
  const isDirectory = place === "htaccess" || place === "directory";
  const scheme = schemeOf(scope, project);
  if (!isDirectory) return { isDirectory, directory: undefined, base: "", isAssumed: false, scheme };
  const written = directives.findLast(({ key }) => key === "rewritebase")?.arguments[0]?.value;
  const directory = directoryOf(scope, project);
  const isAssumed = project.kind === "htaccess" && written === undefined;
  const isRoot = isAssumed || (directory !== undefined && isDocumentRoot(directory, project));
  const base = written?.replace(/\/*$/, "/") ?? (isRoot ? "/" : undefined);
  return { isDirectory, directory, base, isAssumed, scheme };
}

function directoryOf({ section, content }: Scope, { htaccess, htaccessEntry }: Project): string | undefined {
  const file = htaccessEntry?.file ?? htaccess.find(({ directives }) => directives === content);
  const written = section?.key === "<directory" ? section.arguments[0]?.value : undefined;
  return (file?.directory ?? written)?.replace(/\/$/, "");
}

function isDocumentRoot(directory: string, { directives }: Project): boolean {
  return directives.some(
    ({ key, arguments: [word] }) => key === "documentroot" && word?.value.replace(/\/$/, "") === directory,
  );
}

function schemeOf({ place, directives }: Scope, project: Project): RulePlace["scheme"] {
  if (place !== "virtualhost" && place !== "server") return undefined;
  return [directives, project.directives].some(isTls) ? "https" : "http";
}

function isTls(directives: readonly Directive[]): boolean {
  return directives.some(({ key, arguments: [word] }) => key === "sslengine" && word?.value.toLowerCase() === "on");
}
