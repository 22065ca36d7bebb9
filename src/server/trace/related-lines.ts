import { pathKey } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { hasWildcard } from "../../text/wildcards.js";
import { type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { mayHaveHandler } from "../phases/handler-lookup.js";
import { mergeOptions } from "../sections/options.js";
import { canonicalizePath } from "../sections/section-index.js";
import type { VariableSetter } from "./request-steps.js";

/**
 * Returns the lines of a layer that are not access rules but contributed to the answer.
 *
 * @param setters the lines that set variables read in this pass
 */
export function findRelatedLines(layer: ConfigLayer, pass: Pass, setters: readonly VariableSetter[]): RelatedLine[] {
  const own = setters
    .filter((setter) => setter.layer === layer)
    .map(({ directive, names }) => ({ directive, clause: describeSetVariables(names, directive) }));
  const served = responseDirectives.flatMap(([key, clause]): RelatedLine[] => {
    const directive = findSetting(pass.state?.layers ?? [], key);
    if (directive === undefined || layer.setting(key) !== directive) return [];
    return [{ directive, clause: clause ?? describeHandler(directive, pass) }];
  });
  const handlers = layer.directives.filter(({ key }) => key === "addhandler");
  const added = handlers.map((directive) => ({ directive, clause: "may respond instead of a file" }));
  return [...own, ...findOptions(layer, pass), ...served, ...added];
}

/** Describes the effect of SetHandler. Without a module for its handler, httpd sends the file itself. */
function describeHandler(directive: Directive, { state }: Pass): string {
  const handler = keywordArgumentOf(directive) ?? "";
  if (handler === "none" || handler === "default-handler") return "leaves the file to httpd";
  return state && !mayHaveHandler(handler, state.project)
    ? "names a handler that no loaded module provides: httpd sends the file"
    : "responds instead of a file";
}

/**
 * Returns Options, if they decide whether the file has its own level in the directory walk and a section exists for it.
 */
function findOptions(
  layer: ConfigLayer,
  { walked, state, redirect, rewriting, next, isAuthorized }: Pass,
): RelatedLine[] {
  const clause = "affects whether `<Directory>` sections apply to the file itself";
  const isElsewhere = redirect !== undefined || rewriting.sections?.to !== undefined || next !== undefined;
  const isListing = walked?.kind === "directory" && !walked.unfollowed && isAuthorized && !isElsewhere;
  const isLevel = walked?.kind === "file" && hasSectionAt(walked.filename, state?.groups[0]?.layers ?? []);
  const isMissing =
    walked?.kind === "missing" && state !== undefined && mergeOptions(state.layers, state.project).has("multiviews");
  if (!isListing && !isLevel && !walked?.unfollowed && !isMissing) return [];
  const lines = layer.directives.filter(({ key }) => key === "options");
  return lines.map((directive) => ({
    directive,
    clause: walked?.unfollowed
      ? "sets whether httpd follows links"
      : isMissing
        ? "sets whether MultiViews looks for another file"
        : isListing
          ? "sets whether httpd may list the directory"
          : clause,
  }));
}

/** Directives that determine the response to an allowed request. */
const responseDirectives = [
  ["sethandler", undefined],
  ["directoryslash", "sets whether httpd redirects a directory to its path with a slash"],
  ["fallbackresource", "sets the response for a missing file"],
  ["acceptpathinfo", "sets whether a path may follow the file name"],
] as const;

/** Returns the effect of a line on variables, whose names httpd compares in lower case: as the line has them. */
export function describeSetVariables(names: readonly string[], by: Directive): string {
  return `sets ${names.map((name) => `\`${writtenName(name, by)}\``).join(", ")}`;
}

/** Returns a name as a line has it: `NAME`, `!NAME` or `NAME=VALUE`; unchanged if it is not written there. */
function writtenName(name: string, { arguments: words }: Directive): string {
  const written = words.map(({ value }) => value.replace(/^!/, "").slice(0, name.length + 1));
  const found = written.find((word) => word.toLowerCase().replace(/=$/, "") === name);
  return found?.replace(/=$/, "") ?? name;
}

/** A line with its effect as a clause. */
export interface RelatedLine {
  readonly directive: Directive;
  readonly clause: string;
}

/** Returns whether a Directory section may match exactly this file. */
function hasSectionAt(filename: string, servers: readonly ConfigLayer[]): boolean {
  const path = canonicalizePath(filename) ?? "";
  const depth = path.split("/").length;
  return servers.some(({ content }) =>
    content.some(({ key, arguments: [first] }) => {
      const target = key === "<directory" && first ? canonicalizePath(first.value) : undefined;
      return (
        target !== undefined &&
        target.split("/").length === depth &&
        (hasWildcard(target) || pathKey(target) === pathKey(path))
      );
    }),
  );
}
