import type { Unproved } from "../../compare/doubts.js";
import { alikeBy, moreOf } from "../alike.js";
import { differText, type Mapped } from "../map-text.js";
import { counted } from "../painter.js";
import { Places } from "../places.js";
import { namesOf, policyOf, serverTitle } from "../scope-words.js";
import { visible } from "../visible.js";
import { documentOf } from "./document.js";
import { frame } from "./frame.js";
import { type Content, type Html, html } from "./html.js";
import { opennesses, opennessNames } from "./openness.js";
import { requestForm } from "./request-form.js";
import { ScopeTree } from "./scope-tree.js";
import { plain, words } from "./words.js";

/** A map as a page. */
export interface MapPage {
  readonly mapped: Mapped;
  /** The directory that paths are relative to. */
  readonly base?: string;
  /** What the map is of, as the page names it. */
  readonly entry: string;
  /** What answers requests in the browser: a script, and the configuration as it asks for it. */
  readonly asking?: { readonly script: string; readonly data: object };
}

/** An access map as a page that stands alone: each server's scopes as a tree, and a form that answers requests. */
export function* mapPage({ mapped, base, entry, asking }: MapPage): Generator<string> {
  const { head, foot } = documentOf({ title: `Who gets in where: ${plain(entry)}`, ...asking });
  const places = new Places(base);
  yield head;
  yield `${html`<a class="skip" href="#map">To the map</a>
<header><h1>Who gets in where</h1><p class="lead"><code>${plain(entry)}</code>: ${sumOf(mapped)}</p></header>
<main>${startup(mapped, places)}${asking === undefined ? undefined : asked()}`}`;
  yield mapPiece(mapped, places, asking !== undefined).toString();
  yield "</main>\n";
  yield foot;
}

/** The map itself, without what is around it. */
export function mapPiece(mapped: Mapped, places: Places, canAsk: boolean): Html {
  const { servers, unknown } = mapped.map;
  const tree = new ScopeTree(places, mapped.releases, canAsk);
  const groups = alikeBy(servers, ({ scopes }) => policyOf(scopes));
  return html`<section id="map" tabindex="-1" aria-label="The map">
${legend()}${filter(mapped, canAsk)}
${groups.map(({ first, others }) => {
  const names = others.map((server) => namesOf(server)[0] ?? "");
  const alike =
    names.length === 0 ? undefined : html`<p class="quiet">and so it is at ${words(moreOf("host", names))}</p>`;
  return html`<h2>${plain(serverTitle(first))}</h2>${alike}${tree.server(first)}`;
})}
${doubts(unknown, places)}</section>
`;
}

function sumOf({ map, releases }: Mapped): string {
  const scopes = map.servers.flatMap((server) => server.scopes);
  const told = `${counted(map.servers.length, "server")}, ${counted(scopes.length, "kind")} of paths`;
  if (releases.length < 2) return `${told}, under ${releases.join("")}`;
  return `${told}; ${differText(scopes, map.unknown.length === 0, releases)}`;
}

/** What keeps a release from starting. */
function startup({ startup: all, releases }: Mapped, places: Places): Content {
  return all.map(({ release, findings }) => {
    const [first] = findings;
    if (first === undefined) return undefined;
    const more = findings.length > 1 ? `; ${counted(findings.length - 1, "reason")} more` : "";
    const so = releases.includes(release) ? "this is what it would be without what is refused" : "it is left out";
    const place = places.place(first.span);
    return html`<section class="card wrong error"><h2 class="first">${release} does not start with this configuration${more}: ${so}</h2>
<p>${words(first.message)}</p><p class="meta">${visible(places.path(place.file))}:${place.line.number}</p>${frame(place, 1)}</section>`;
  });
}

function asked(): Html {
  return html`<section aria-labelledby="ask-title"><h2 id="ask-title">Ask a request</h2>
<p class="quiet" id="ask-note">The configuration is carried along in this page, its secrets masked, and is asked right here: nothing is sent anywhere. What the page cannot know of the server's disk is unknown. Without a script in the browser there is the map alone.</p>
${requestForm()}</section>
`;
}

/** What the script filters the tree by. */
function filter({ map, releases }: Mapped, isScripted: boolean): Content {
  const differs = map.servers.some(({ scopes }) => scopes.some((each) => each.differs));
  if (!isScripted || !differs) return undefined;
  return html`<form id="tree-filter" class="checks" hidden><label><input type="checkbox" id="differing"> only what differs between ${releases.join(" and ")}</label></form>`;
}

function legend(): Html {
  const items = opennesses.map(
    (each) => html`<li><span class="swatch ${each}" aria-hidden="true"></span>${opennessNames[each]}</li>`,
  );
  return html`<ul class="legend" aria-label="What the colours and patterns stand for">${items}</ul>`;
}

function doubts(unknown: readonly Unproved[], places: Places): Content {
  if (unknown.length === 0) return undefined;
  const items = unknown.map(({ reason, directive, example }) => {
    const place = directive && places.place(directive.span);
    const where = place
      ? html`<span class="quiet">${visible(places.path(place.file))}:${place.line.number}</span> `
      : undefined;
    return html`<li>${where}${words(reason)}${example === undefined ? undefined : html`, such as <code>${plain(example)}</code>`}</li>`;
  });
  return html`<h2>Not known</h2><ul>${items}</ul>`;
}
