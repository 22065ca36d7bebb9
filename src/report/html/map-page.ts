import type { Finding } from "../../lint/finding.js";
import type { Unproved } from "../../proof/model/comparison.js";
import { formatNumber } from "../../text/words.js";
import { formatAlikeHosts } from "../comparisons/alike-hosts.js";
import { formatDifferingCount, formatFailingCount, formatMapSize, type MapReport } from "../comparisons/map-report.js";
import { formatServerTitle, groupServers } from "../comparisons/map-words.js";
import { describeFailure } from "../text/failure-words.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { renderDocument } from "./document.js";
import { formatPlainText, renderAssumptions, renderExcerpt, renderMessage } from "./excerpts.js";
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
  readonly simulator?: { readonly script: string; readonly data: object };
}

/**
 * Renders an access map as a self-contained page: each server's scopes as a tree, and a form for simulating requests.
 */
export function* renderMapPage({ mapped, base, entry, simulator }: MapPageInput): Generator<string> {
  const { head, tail } = renderDocument({ title: `Access map: ${formatPlainText(entry)}`, ...simulator });
  const places = new PlaceResolver(base);
  yield head;
  yield `${html`<a class="skip" href="#map">Skip to the map</a>
<header><h1>Access map</h1><p class="lead"><code>${formatPlainText(entry)}</code>: ${sumOf(mapped)}</p></header>
<main>${renderMapStartup(mapped, places)}${simulator === undefined ? undefined : renderRequestSection()}`}`;
  yield renderAccessMap(mapped, places, simulator !== undefined).toString();
  yield "</main>\n";
  yield tail;
}

/** Renders only the map, without the page around it. */
export function renderAccessMap(mapped: MapReport, places: PlaceResolver, hasSimulator: boolean): Html {
  const { servers, unknown } = mapped.map;
  const tree = new ScopeTree(places, mapped.releases, hasSimulator);
  return html`<section id="map" tabindex="-1" aria-label="Access map">
${renderLegend()}${renderFilter(mapped, hasSimulator)}
${groupServers(servers).map((group) => {
  const alike = formatAlikeHosts(group, true).map((each) => html`<p class="quiet">Same for ${renderMessage(each)}</p>`);
  return html`<h2>${formatPlainText(formatServerTitle(group.server))}</h2>${alike}${tree.server(group.server)}`;
})}
${renderUnproved(unknown, places)}</section>
`;
}

function sumOf({ map, releases }: MapReport): string {
  const scopes = map.servers.flatMap((server) => server.scopes);
  const size = formatMapSize(map.servers);
  const failing = formatFailingCount(scopes, releases);
  if (releases.length < 2) return `${size}, under ${releases.join("")}${failing}`;
  return `${size}; ${formatDifferingCount(scopes, map.unknown.length === 0, releases)}${failing}`;
}

/** Renders the findings that prevent releases from starting, each with the effect on the map. */
export function renderMapStartup({ startup, releases, assumptions }: MapReport, places: PlaceResolver): Content {
  const last = startup.findLast(({ findings }) => findings.length > 0);
  return startup.map((each) => {
    const { release, findings } = each;
    const isShown = releases.includes(release);
    const note = isShown ? "The map ignores the rejected lines." : `The map omits ${release}.`;
    return renderStartup(
      release,
      findings,
      html`${note}${isShown && each === last ? renderAssumptions(" It", assumptions) : undefined}`,
      places,
    );
  });
}

/** Renders the findings that prevent a release from starting. */
export function renderStartup(
  release: string,
  findings: readonly Finding[],
  note: Content,
  places: PlaceResolver,
): Content {
  const [first] = findings;
  if (first === undefined) return undefined;
  const which = findings.length > 1 ? ` (first of ${formatNumber(findings.length)} reasons)` : "";
  const place = places.place(first.span);
  return html`<section class="card wrong error"><h2 class="first">${release} ${describeFailure(first)} with this configuration${which}</h2>
<p>${note}</p><p>${renderMessage(first.message)}</p><p class="meta">${makeVisible(places.path(place.file))}:${place.line.number}</p>${renderExcerpt(place, 1)}</section>`;
}

function renderRequestSection(): Html {
  return html`<section aria-labelledby="ask-title"><h2 id="ask-title">Explain a request</h2>
<p class="quiet" id="ask-note">This page contains the configuration, with secrets masked, and simulates the request in the browser. It sends nothing over the network. Files of the server that are not recorded in this page are unknown. Without JavaScript, the page shows only the map.</p>
${renderRequestForm()}</section>
`;
}

/** Renders the controls for the script's filters of the tree. */
function renderFilter({ map, releases }: MapReport, isScripted: boolean): Content {
  const differs = map.servers.some(({ scopes }) => scopes.some((each) => each.differs));
  if (!isScripted || !differs) return undefined;
  return html`<form id="tree-filter" class="checks" hidden><label><input type="checkbox" id="differing"> Only differences between ${releases.join(" and ")}</label></form>`;
}

function renderLegend(): Html {
  const items = opennessLevels.map(
    (each) => html`<li><span class="swatch ${each}" aria-hidden="true"></span>${opennessNames[each]}</li>`,
  );
  return html`<ul class="legend" aria-label="Legend">${items}</ul>`;
}

/** Renders the unknown parts, each with its line; nothing if there are none. */
export function renderUnproved(unknown: readonly Unproved[], places: PlaceResolver): Content {
  if (unknown.length === 0) return undefined;
  const items = unknown.map(({ reason, directive, example }) => {
    const place = directive && places.place(directive.span);
    const where = place
      ? html`<span class="quiet">${makeVisible(places.path(place.file))}:${place.line.number}</span> `
      : undefined;
    return html`<li>${where}${renderMessage(reason)}${example === undefined ? undefined : html` (e.g. <code>${formatPlainText(example)}</code>)`}</li>`;
  });
  return html`<h2>Unknown</h2><ul>${items}</ul>`;
}
