import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { effectsOfLine } from "../../config/queries/line-effects.js";
import type { Fact } from "../../facts/effects.js";
import type { Release } from "../../facts/release.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import type { Server } from "../../server/model/server.js";
import { targetOf } from "../../server/sections/section-index.js";
import { formatLine } from "../../server/trace/step.js";
import { findUserHtaccess, isInDocumentFolder, type UserHtaccess } from "../../server/walk/user-htaccess.js";
import { hasWildcard } from "../../text/wildcards.js";
import { mapPair, type Pair, type ServerPair } from "../model/server-pairs.js";
import { reasonFor, type UnprovedPart } from "../model/unproved-reasons.js";
import type { PathPartitionResult } from "./explored-requests.js";

/**
 * Returns what is not proved of the `/~name` paths of two servers because `.htaccess` files were not read. Nothing is if
 * both sides have the same lines: whatever such a file contains, both then treat it alike.
 */
export function findUnprovedUserHtaccess(pair: ServerPair, sides: Pair<Project>): UserHtaccessPart | undefined {
  const found = findUnreadUserHtaccess(pair, sides);
  return found === undefined || hasSameLines(pair.servers, sides) ? undefined : found;
}

/** Returns the part about the `/~name` paths of two servers whose `.htaccess` files were not read, if they may control access. */
export function findUnreadUserHtaccess({ servers }: ServerPair, sides: Pair<Project>): UserHtaccessPart | undefined {
  const found = mapPair(servers, (server, side) => findOpen(server, sides[side]));
  const [first] = found.flatMap((each) => each ?? []);
  return first && { reason: reasonOf(first), directive: first.by, example: "/~user" };
}

/** What is not known of the directories of users, with the UserDir line. */
interface UserHtaccessPart extends UnprovedPart {
  readonly directive: Directive;
}

/** Reports whether something else about `/~name` paths is not proved already, which no assumption on these files settles. */
export function isUserDirOpen(partition: PathPartitionResult): boolean {
  return typeof partition !== "string" && partition.inexact.some(({ directive }) => directive.key === "userdir");
}

function findOpen(server: Server, project: Project): UserHtaccess | undefined {
  const isAssumed = project.assumptions.some(({ code }) => code === "no-userdir-htaccess");
  return isAssumed ? undefined : findUserHtaccess(server, project);
}

function reasonOf({ allowedBy }: UserHtaccess) {
  if (allowedBy === undefined) return reasonFor("user-htaccess-by-default");
  const section = allowedBy.parent ? formatLine(allowedBy.parent) : "";
  return reasonFor("user-htaccess", formatLine(allowedBy), section);
}

function hasSameLines(servers: Pair<Server>, sides: Pair<Project>): boolean {
  const [before, after] = mapPair(sides, ({ release, modules, suppliedModules }) =>
    [release, modules.has("access_compat_module"), ...suppliedModules].join(" "),
  );
  if (before !== after) return false;
  const [some, others] = mapPair(servers, (server, side) =>
    server.layers.map(({ content }) => textOf(content, sides[side])).join("\n"),
  );
  return some === others;
}

/** What a line writes that no `.htaccess` file reads. */
const unreadFacts: ReadonlySet<Fact> = new Set(["process", "log", "body", "response-headers"]);

/** Returns the lines that may apply together with a `.htaccess` file in a home directory, each with the sections around it. */
function textOf(content: readonly Directive[], project: Project): string {
  const applying = content.filter((line) => line.key !== "<virtualhost" && mayApplyToUsers(line, project));
  return linesOf(applying, project.release).join("\n");
}

/** Reports whether a line of a server may apply to the directories of users. */
function mayApplyToUsers(line: Directive, project: Project): boolean {
  if (line.key === "<location") {
    const target = targetOf(line);
    return target === undefined || target.isPattern || hasWildcard(target.text) || /^\/(?:~|$)/.test(target.text);
  }
  return !isInDocumentFolder(line, project);
}

function linesOf(lines: readonly Directive[], release: Release): readonly string[] {
  return lines.flatMap((line) => {
    const { children } = line;
    if (children === undefined && isIdle(line, release)) return [];
    const text = [line.key, ...argumentValuesOf(line)].join(" ");
    return children === undefined ? [text] : [text, ...linesOf(children, release), "end"];
  });
}

function isIdle(line: Directive, release: Release): boolean {
  const writes = effectsOfLine(line, release)?.writes;
  return writes !== undefined && [...writes].every((fact) => unreadFacts.has(fact));
}
