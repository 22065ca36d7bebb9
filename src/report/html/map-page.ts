import type { Unproved } from "../../compare/model/comparison.js";
import { formatDifferingCount, type MapReport } from "../comparisons/map-text.js";
import { formatServerTitle, scopePolicyOf, serverAddressNamesOf } from "../comparisons/map-words.js";
import { PlaceResolver } from "../text/source-places.js";
import { formatCount, formatMore, groupByKey } from "../text/text-printer.js";
import { makeVisible } from "../text/visible-text.js";
import { renderDocument } from "./document.js";
import { formatPlainText, renderExcerpt, renderMessage } from "./excerpts.js";
import { type Content, type Html, html } from "./html.js";
import { renderRequestForm } from "./request-form.js";
import { opennessLevels, opennessNames, ScopeTree } from "./scope-tree.js";

/** A map to be rendered as a page. */
export interface MapPageInput {
  readonly mapped: MapReport;
  /** The directory that paths are relative to. */
  readonly base?: string;
  /** The subject of the map, as shown on the page. */
  readonly entry: string;
  /** The simulator for the browser: a script, and the configuration that it uses. */
  readonly asking?: { readonly script: string; readonly data: object };
}

/**
 * Renders an access map as a self-contained page: each server's scopes as a tree, and a form for simulating requests.
 */
export function* renderMapPage({ mapped, base, entry, asking }: MapPageInput): Generator<string> {
  const { head, foot } = renderDocument({ title: `Who gets in where: ${formatPlainText(entry)}`, ...asking });
  const places = new PlaceResolver(base);
  yield head;
  yield `${html`<a class="skip" href="#map">To the map</a>
<header><h1>Who gets in where</h1><p class="lead"><code>${formatPlainText(entry)}</code>: ${sumOf(mapped)}</p></header>
<main>${renderStartup(mapped, places)}${asking === undefined ? undefined : renderRequestSection()}`}`;
  yield renderAccessMap(mapped, places, asking !== undefined).toString();
  yield "</main>\n";
  yield foot;
}

/** Renders only the map, without the page around it. */
export function renderAccessMap(mapped: MapReport, places: PlaceResolver, canAsk: boolean): Html {
  const { servers, unknown } = mapped.map;
  const tree = new ScopeTree(places, mapped.releases, canAsk);
  const groups = groupByKey(servers, ({ scopes }) => scopePolicyOf(scopes));
  return html`<section id="map" tabindex="-1" aria-label="The map">
${renderLegend()}${renderFilter(mapped, canAsk)}
${groups.map(({ first, others }) => {
  const names = others.map((server) => serverAddressNamesOf(server)[0] ?? "");
  const alike =
    names.length === 0
      ? undefined
      : html`<p class="quiet">and so it is at ${renderMessage(formatMore("host", names))}</p>`;
  return html`<h2>${formatPlainText(formatServerTitle(first))}</h2>${alike}${tree.server(first)}`;
})}
${renderUnproved(unknown, places)}</section>
`;
}

function sumOf({ map, releases }: MapReport): string {
  const scopes = map.servers.flatMap((server) => server.scopes);
  const told = `${formatCount(map.servers.length, "server")}, ${formatCount(scopes.length, "kind")} of paths`;
  if (releases.length < 2) return `${told}, under ${releases.join("")}`;
  return `${told}; ${formatDifferingCount(scopes, map.unknown.length === 0, releases)}`;
}

/** Renders the findings that prevent a release from starting. */
function renderStartup({ startup: all, releases }: MapReport, places: PlaceResolver): Content {
  return all.map(({ release, findings }) => {
    const [first] = findings;
    if (first === undefined) return undefined;
    const more = findings.length > 1 ? `; ${formatCount(findings.length - 1, "reason")} more` : "";
    const so = releases.includes(release) ? "this is what it would be without what is refused" : "it is left out";
    const place = places.place(first.span);
    return html`<section class="card wrong error"><h2 class="first">${release} does not start with this configuration${more}: ${so}</h2>
<p>${renderMessage(first.message)}</p><p class="meta">${makeVisible(places.path(place.file))}:${place.line.number}</p>${renderExcerpt(place, 1)}</section>`;
  });
}

function renderRequestSection(): Html {
  return html`<section aria-labelledby="ask-title"><h2 id="ask-title">Ask a request</h2>
<p class="quiet" id="ask-note">The configuration is carried along in this page, its secrets masked, and is asked right here: nothing is sent anywhere. What the page cannot know of the server's disk is unknown. Without a script in the browser there is the map alone.</p>
${renderRequestForm()}</section>
`;
}

/** Renders the controls for the script's filters of the tree. */
function renderFilter({ map, releases }: MapReport, isScripted: boolean): Content {
  const differs = map.servers.some(({ scopes }) => scopes.some((each) => each.differs));
  if (!isScripted || !differs) return undefined;
  return html`<form id="tree-filter" class="checks" hidden><label><input type="checkbox" id="differing"> only what differs between ${releases.join(" and ")}</label></form>`;
}

function renderLegend(): Html {
  const items = opennessLevels.map(
    (each) => html`<li><span class="swatch ${each}" aria-hidden="true"></span>${opennessNames[each]}</li>`,
  );
  return html`<ul class="legend" aria-label="What the colours and patterns stand for">${items}</ul>`;
}

function renderUnproved(unknown: readonly Unproved[], places: PlaceResolver): Content {
  if (unknown.length === 0) return undefined;
  const items = unknown.map(({ reason, directive, example }) => {
    const place = directive && places.place(directive.span);
    const where = place
      ? html`<span class="quiet">${makeVisible(places.path(place.file))}:${place.line.number}</span> `
      : undefined;
    return html`<li>${where}${renderMessage(reason)}${example === undefined ? undefined : html`, such as <code>${formatPlainText(example)}</code>`}</li>`;
  });
  return html`<h2>Not known</h2><ul>${items}</ul>`;
}
