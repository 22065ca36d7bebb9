import type { Directive } from "../../config/model/directive.js";
import type { ClientAccess, MappedScope, MappedServer } from "../../proof/model/mapped-access.js";
import { formatLine } from "../../server/trace/step.js";
import { toReadable } from "../../text/source.js";
import {
  describeClientAccess,
  formatExamplePaths,
  formatScopeDetails,
  isFailing,
  namedWordsOf,
  scopeRulesOf,
} from "../comparisons/map-words.js";
import type { NamedWords } from "../comparisons/path-examples.js";
import type { PlaceResolver, SourcePlace } from "../text/source-places.js";
import { type EqualGroup, formatMore, groupByKey } from "../text/text-printer.js";
import { makeVisible } from "../text/visible-text.js";
import { formatPlainLine, formatPlainText, renderExcerpt, renderLines, renderMessage } from "./excerpts.js";
import { type Content, type Html, html } from "./html.js";

/** Degrees of openness, the most open first. */
export const opennessLevels = ["open", "limited", "password", "closed", "failing"] as const;
export type Openness = (typeof opennessLevels)[number];

/** Display names of the degrees. */
export const opennessNames: Readonly<Record<Openness, string>> = {
  open: "every client",
  limited: "some clients, or under conditions",
  password: "with a login",
  closed: "no client",
  failing: "requests fail",
};

/** Returns the degree to which a scope is open to clients. */
export function opennessOf(access: ClientAccess): Openness {
  const { allowed, others } = access;
  if (isFailing(access)) return "failing";
  if (others.length === 0) return "open";
  if (allowed.length === 0) return "closed";
  return allowed.every(({ users }) => users.length > 0) ? "password" : "limited";
}

/** Returns the degree under the last of the releases, which is the target version. */
function latestOpennessOf({ who }: MappedScope): Openness {
  const last = who.at(-1);
  return last === undefined ? "closed" : opennessOf(last);
}

/** Limit of the lines shown of a section. */
const MAX_LINES = 16;

/** Equivalent scopes, with the branches whose paths are below theirs. */
interface Branch {
  readonly scope: EqualGroup<MappedScope>;
  readonly below: Branch[];
}

/** Renders the scopes of a server as a tree by path: each can be expanded to its access and the deciding lines. */
export class ScopeTree {
  /** @param releases the releases shown, in order; hasSimulator whether the page has a form for requests */
  constructor(
    private readonly places: PlaceResolver,
    private readonly releases: readonly string[],
    private readonly hasSimulator: boolean,
  ) {}

  server(server: MappedServer): Html {
    const [entryPoint] = server.entryPoints;
    const host = entryPoint?.host ?? "";
    return this.branches(buildScopeTree(groupByKey(server.scopes, scopeRulesOf)), {
      host,
      port: String(entryPoint?.port ?? ""),
      scheme: entryPoint?.scheme ?? "",
      ip: entryPoint?.serverIp ?? "",
      names: namedWordsOf(server),
    });
  }

  private branches(branches: readonly Branch[], context: ServerContext): Html {
    return html`<ul class="scopes">${branches.map((each) => this.branch(each, context))}</ul>`;
  }

  private branch({ scope: { first, others }, below }: Branch, context: ServerContext): Html {
    const openness = latestOpennessOf(first);
    return html`<li class="scope" data-differs="${first.differs ? "yes" : "no"}"><details><summary class="${openness}"><span class="swatch" aria-hidden="true"></span><span>${this.title(first, context.names)}</span><span class="openness">${this.summarizeAccess(first)}</span></summary>
<div class="body">${this.renderAccess(first)}${renderEqualScopes(others)}${first.sections.map((section) => this.section(section))}${this.ask(first, context)}</div></details>
${below.length > 0 ? this.branches(below, context) : undefined}</li>
`;
  }

  private title(scope: MappedScope, names: NamedWords): Html {
    const paths = formatExamplePaths(scope.examples, names).replaceAll("`", "");
    return html`<span class="path">${formatPlainText(paths)}</span><span class="quiet">${formatScopeDetails(scope)}</span>`;
  }

  /** Renders the degree of openness; for each release if they differ. */
  private summarizeAccess({ who, differs, isUnsure }: MappedScope): Html {
    const names = who.map((each) => opennessNames[opennessOf(each)]);
    const [first, last] = [names[0] ?? "", names.at(-1) ?? ""];
    const [from, to] = [this.releases[0] ?? "", this.releases.at(-1) ?? ""];
    const unsure = isUnsure ? "not fully known: " : "";
    if (!differs) return html`${unsure}${last}`;
    if (first === last) return html`${unsure}${last}, <span class="differs">differs: ${from} ${"≠"} ${to}</span>`;
    return html`${unsure}<span class="differs">${from}:</span> ${first}, <span class="differs">${to}:</span> ${last}`;
  }

  private renderAccess({ who, differs }: MappedScope): Html {
    const side = (each: ClientAccess, title: string) => {
      const openness = opennessOf(each);
      return html`<div class="side"><h3>${title}: ${opennessNames[openness]}</h3><p>${renderMessage(describeClientAccess(each))}</p></div>`;
    };
    const shown = differs ? who : who.slice(0, 1);
    const titleOf = (index: number) => (differs ? (this.releases[index] ?? "") : this.releases.join(" and "));
    return html`<div class="sides">${shown.map((each, index) => side(each, titleOf(index)))}</div>`;
  }

  /** Renders a section with its lines, or a line outside of sections with its context lines. */
  private section(directive: Directive): Html {
    const { places } = this;
    const from = places.place(directive.span);
    const title = html`<h3><code>${formatPlainLine(formatLine(directive))}</code> <span class="quiet">${makeVisible(places.path(from.file))}:${from.line.number}</span></h3>`;
    return html`${title}${directive.children ? renderLines(from, this.end(directive, from), MAX_LINES) : renderExcerpt(from, 2)}`;
  }

  /** Returns the closing line of a section: the one after the last line of its content. */
  private end(section: Directive, from: SourcePlace): SourcePlace {
    const spans = descendants(section).filter(({ span }) => span.file === from.file && span.start >= from.start);
    const last = spans.reduce((end, { span }) => Math.max(end, span.end), from.end);
    const lineFeed = from.file.text.indexOf("\n", last);
    return this.places.place({
      file: from.file,
      start: lineFeed < 0 ? last : lineFeed + 1,
      end: lineFeed < 0 ? last : lineFeed + 1,
    });
  }

  private ask({ examples: [path = "/"], methods }: MappedScope, context: ServerContext): Content {
    if (!this.hasSimulator) return undefined;
    const [method = ""] = methods;
    return html`<p class="buttons ask" hidden><button type="button" data-url="${formatPlainText(path)}" data-method="${/^[A-Z]+$/.test(method) ? method : ""}" data-host="${formatPlainText(toReadable(context.host))}" data-port="${context.port}" data-scheme="${context.scheme}" data-server-ip="${context.ip}">Explain a request here</button></p>`;
  }
}

/** The server that a scope belongs to: its address, and the words in the lines that decide access to it. */
interface ServerContext {
  readonly host: string;
  readonly port: string;
  readonly scheme: string;
  readonly ip: string;
  readonly names: NamedWords;
}

function renderEqualScopes(others: readonly MappedScope[]): Content {
  if (others.length === 0) return undefined;
  const paths = others.map(({ examples: [example = ""] }) => `\`${example}\``);
  return html`<p>Same for ${renderMessage(formatMore("path", paths, true))}</p>`;
}

function descendants(section: Directive): Directive[] {
  return (section.children ?? []).flatMap((child) => [child, ...descendants(child)]);
}

/** Nests each scope below the one with the longest path prefix. */
function buildScopeTree(scopes: readonly EqualGroup<MappedScope>[]): readonly Branch[] {
  const top: Branch[] = [];
  const open: { readonly path: string; readonly branch: Branch }[] = [];
  for (const scope of scopes) {
    const [path = "/"] = scope.first.examples;
    const branch: Branch = { scope, below: [] };
    while (open.length > 0 && !isBelow(path, open.at(-1)?.path ?? "")) open.pop();
    (open.at(-1)?.branch.below ?? top).push(branch);
    open.push({ path, branch });
  }
  return top;
}

function isBelow(path: string, other: string): boolean {
  return path !== other && path.startsWith(other.replace(/\/?$/, "/"));
}
