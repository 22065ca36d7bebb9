import type { Directive } from "../project/directive.js";
import { hasWildcard } from "../project/fnmatch.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import { documentRootOf, type Mapping, mapUrl } from "../scope/mapping.js";
import { Questions } from "../scope/questions.js";
import { readRedirect } from "../scope/redirects.js";
import { targetOf as sectionTarget } from "../scope/section-index.js";
import type { Server } from "../scope/server.js";
import { slashRulesIn, withoutDoubleSlashes } from "../scope/url.js";
import { Walks } from "../scope/walk.js";
import { wordsOf } from "../scope/words.js";
import { groupLead } from "./group-leads.js";
import { Numbers } from "./numbers.js";
import type { Uncut } from "./path-tests.js";

/** Where the URL paths lead that are mapped by one line. */
export type Lead =
  /** What follows the prefix is put behind the target. */
  | {
      readonly kind: "file" | "backend";
      readonly prefix: string;
      readonly target: string;
      /** Whether the target itself is a directory that is there for sure. */
      readonly isRoot: boolean;
    }
  /** All to one file. */
  | { readonly kind: "constant"; readonly target: string };

/** What a server makes of some URL paths: a lead, or nothing that hangs on the rest of them. */
export interface Leading {
  readonly lead: Lead | undefined;
  /** The same for paths that are led by the same line. */
  readonly key: string;
  readonly uncut: Uncut | undefined;
  /** The line, where one leads. */
  readonly by: Directive | undefined;
  /** Whether the rest of the path counts only where lines look at the URL of a backend. */
  readonly isOfBackend: boolean;
}

/** Finds out which line leads URL paths where, by one path for all that are mapped alike. */
export class Leads {
  private readonly walks: Walks;
  private readonly numbers = new Numbers<Directive>();

  constructor(private readonly project: Project) {
    this.walks = new Walks(project, { kindOf: () => "unknown" }, () => []);
  }

  of(path: string, server: Server): Leading {
    const { project } = this;
    const questions = new Questions(new Map());
    const early = this.walks.configOf(server).under("location", this.walks.locations(path, server, questions));
    const mapping = mapUrl(path, server, project, { kindOf: () => "unknown" }, questions, early);
    const key = `${mapping.kind} ${mapping.by ? this.numbers.of(mapping.by) : ""}`;
    const { by } = mapping;
    const isOfBackend = mapping.kind === "proxy" && asksOneHost(mapping.by) && !keepsEscapes(server);
    if (mapping.kind === "answered") return { lead: undefined, key, uncut: lostUncut(mapping.by), by, isOfBackend };
    const lead = mapping.kind === "proxy" ? backendLead(mapping.by) : fileLead(mapping, path, server, project);
    const isSure = mapping.kind !== "proxy" || isOfBackend;
    const isFollowed = isSure && questions.unsettled === undefined && lead && leadsTo(lead, path) === targetOf(mapping);
    if (isFollowed) return { lead, key: `${key} ${leadKey(lead)}`, uncut: undefined, by, isOfBackend };
    const { unsettled, unsettledBy: directive = mapping.by } = questions;
    // In the same words as what is said of each request for such a path.
    const reason = unsettled ?? "where it leads hangs on the path in a way that is not followed";
    return { lead: undefined, key: `${key} uncut`, uncut: directive && { reason, directive }, by, isOfBackend };
  }
}

function targetOf(mapping: Exclude<Mapping, { readonly kind: "answered" }>): string {
  return mapping.kind === "proxy" ? mapping.target : mapping.filename;
}

/** The patterns of one line may lead to several places. */
function leadKey(lead: Lead): string {
  return lead.kind === "constant" ? lead.target : `${lead.prefix} ${lead.target}`;
}

/** Whether the walk to where a lead takes a path has an end that is told. */
export function hasMark({ kind }: Lead): boolean {
  return kind !== "backend";
}

/** Where a lead takes a path. */
export function leadsTo(lead: Lead, path: string): string {
  if (lead.kind === "constant") return lead.target;
  const text = lead.target + path.slice(lead.prefix.length);
  return lead.kind === "file" ? absolutePath("/", text) : text;
}

type FileMapping = Mapping & { readonly kind: "file" };

function fileLead({ filename, by }: FileMapping, path: string, server: Server, project: Project): Lead | undefined {
  if (by === undefined || by.key === "documentroot")
    return { kind: "file", prefix: "", target: documentRootOf(server, project), isRoot: true };
  if (isInSection(by)) return { kind: "constant", target: filename };
  const [from = "", to = ""] = wordsOf(by);
  switch (by.key) {
    case "alias":
    case "scriptalias": {
      const prefix = withoutDoubleSlashes(from);
      // A part that is only dots may grow into another name.
      if (prefix.endsWith("/") && /(^|\/)\.{1,2}$/.test(to)) return undefined;
      return { kind: "file", prefix, target: absolutePath(project.serverRoot, to), isRoot: false };
    }
    case "aliasmatch":
    case "scriptaliasmatch":
      return /\$\d/.test(to)
        ? groupLead({ from, to }, path, filename, project)
        : { kind: "constant", target: filename };
    default:
      return undefined;
  }
}

function backendLead(by: Directive): Lead | undefined {
  const section = isInSection(by) ? by.parent : undefined;
  const words = wordsOf(by);
  const [from, to = ""] = section
    ? [sectionTarget(section)?.text, words[0]]
    : words[0] === "~"
      ? words.slice(1)
      : words;
  const isPattern = by.key === "proxypassmatch" || (section ? hasWildcard(from ?? "") : words[0] === "~");
  if (from === undefined || (isPattern && /\$\d/.test(to))) return undefined;
  const prefix = isPattern ? "" : withoutDoubleSlashes(from);
  return { kind: "backend", prefix, target: `proxy:${to}`, isRoot: false };
}

/** Whether the path has no part in which host a backend is asked at, or in which way. */
function asksOneHost(by: Directive): boolean {
  return wordsOf(by).some(
    (word) => word === "!" || (/^(unix:[^|]*\|)?[a-z0-9+.-]+:\/\/[^/$]+(\/|$)/i.test(word) && !isGlued(by, word)),
  );
}

/** Whether what follows is taken for a part of the host's name. */
function isGlued(by: Directive, to: string): boolean {
  if (by.key === "proxypassmatch" || /:\/\/[^/]*\//.test(to)) return false;
  const words = wordsOf(by);
  const from = isInSection(by) ? sectionTarget(by.parent ?? by)?.text : words[words.indexOf(to) - 1];
  return from?.endsWith("/") === true;
}

/** There a percent sign that is none any more may make a URL that mod_proxy refuses. */
function keepsEscapes({ layers }: Server): boolean {
  return slashRulesIn(layers).encoded === "kept";
}

function isInSection({ parent }: Directive): boolean {
  return parent !== undefined && parent.key !== "<virtualhost";
}

/** Whether a redirect is one that leads nowhere hangs on what its pattern found. */
function lostUncut(directive: Directive): Uncut | undefined {
  const to = readRedirect(directive, isInSection(directive))?.to;
  if (directive.key !== "redirectmatch" || to === undefined || !to.startsWith("$")) return undefined;
  return { reason: "whether it leads anywhere hangs on what its pattern finds", directive };
}
