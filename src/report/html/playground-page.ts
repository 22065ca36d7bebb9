import { renderDocument } from "./document.js";
import { type Html, html } from "./html.js";
import { renderRequestForm } from "./request-form.js";

/** The parts of the playground that its build makes. */
export interface PlaygroundParts {
  readonly script: string;
  readonly worker: string;
  /** The titles of the examples, in the order of the data. */
  readonly titles: readonly string[];
  /** JSON values for the script. */
  readonly data: object;
  /** The licences of the included packages. */
  readonly licences: string;
}

/** Renders the playground page, which runs entirely in the browser. */
export function renderPlaygroundPage({ script, worker, titles, data, licences }: PlaygroundParts): string {
  const { head, tail } = renderDocument({ title: "httpd-lint playground", script, worker, data, style });
  const body = html`<a class="skip" href="#results">Skip to the results</a>
<header><h1>httpd-lint playground</h1>
<p class="lead">Paste a configuration of Apache httpd, or edit an example. The page sends nothing over the network and stores nothing.</p></header>
<noscript><p class="card wrong error">This page needs JavaScript.</p></noscript>
<main id="playground" hidden>
${renderFiles(titles)}
${renderResults()}
</main>
<footer><details><summary>Licenses of the included packages</summary><pre>${licences}</pre></details></footer>
`;
  return head + body.toString() + tail;
}

function renderFiles(titles: readonly string[]): Html {
  const examples = titles.map((title, index) => html`<option value="${index}">${title}</option>`);
  return html`<section class="files" aria-labelledby="files-title"><h2 id="files-title" class="first">Files</h2>
<div class="request">
<div><label class="over" for="example">Example</label><select id="example"><option value="">your files</option>${examples}</select></div>
<div><label class="over" for="release">Version</label><select id="release"><option value="2.4">httpd 2.4</option><option value="2.2">httpd 2.2</option><option value="from 2.2">httpd 2.4, upgraded from 2.2</option></select></div>
</div>
<div class="tabs" id="tabs" role="group" aria-label="Files"></div>
<div class="place"><div><label class="over" for="name">Path on the server</label><input id="name" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<p class="buttons"><label><input type="checkbox" id="main"> Main file</label><button type="button" id="add">Add a file</button><button type="button" id="remove">Remove</button></p></div>
<div id="editor"></div>
<p class="buttons"><button type="button" id="link">Create a link</button><span class="quiet" id="link-note" role="status"></span></p>
<details class="more-of"><summary>Keys of the editor</summary>
<p class="quiet" id="editor-keys">Tab leaves the editor. F8 goes to the next finding, Shift+F8 to the one before. Escape closes its notes. Alt+Enter applies the fix at the cursor. Ctrl+] and Ctrl+[ indent lines. Ctrl+F searches. On a Mac, use Cmd in place of Ctrl.</p></details>
</section>`;
}

const tabs = [
  ["findings", "Findings"],
  ["explain", "Explain"],
  ["map", "Access map"],
  ["compare", "Compare"],
  ["migrate", "Migrate"],
] as const;

function renderResults(): Html {
  const listed = tabs.map(
    ([name, title], index) =>
      html`<button type="button" role="tab" id="tab-${name}" aria-controls="panel-${name}" aria-selected="${index === 0 ? "true" : "false"}"${index === 0 ? undefined : html` tabindex="-1"`}>${title}</button>`,
  );
  return html`<section class="results" aria-labelledby="results-title" id="results" tabindex="-1"><h2 id="results-title" class="first">Results</h2>
<div class="tabs" role="tablist" aria-label="Results">${listed}</div>
<p id="state" class="quiet"></p>
<p id="announcement" class="unseen" role="status"></p>
${renderPanel("findings", renderContent("findings"))}
${renderPanel("explain", html`<h3 class="unseen" id="ask-title">Explain a request</h3>${renderRequestForm()}`)}
${renderPanel("map", renderContent("map"))}
${renderPanel(
  "compare",
  html`<div class="request card"><div><label class="over" for="side">Compare</label><select id="side"><option value="release">httpd 2.2 with httpd 2.4</option><option value="earlier">the earlier files with the current files</option></select></div>
<div class="wide" id="earlier-files" hidden><p class="quiet">The earlier files are those that you opened, unless you remember others.</p><p class="buttons"><button type="button" id="remember">Remember the current files</button></p></div></div>${renderContent("compare")}`,
)}
${renderPanel("migrate", renderContent("migrate"))}
</section>`;
}

function renderPanel(name: (typeof tabs)[number][0], content: Html): Html {
  return html`<div role="tabpanel" id="panel-${name}" aria-labelledby="tab-${name}" tabindex="0"${name === "findings" ? undefined : html` hidden`}>${content}</div>`;
}

function renderContent(name: string): Html {
  return html`<div id="content-${name}"></div>`;
}

/** The style of the playground besides that of all pages. Answers that are out of date disappear after a moment. */
const style = `
body { max-width: 110rem; padding-block: clamp(1rem, 2.5vw, 2rem) 3rem; }
main { display: grid; gap: 1.5rem 2rem; grid-template-columns: minmax(0, 1fr); margin-top: 1.25rem; }
.files, .results { min-width: 0; display: flex; flex-direction: column; gap: .75rem; }
.files > *, .results > * { margin: 0; }
#ask > .buttons { display: none; }
#editor { height: min(50vh, 30rem); border: 1px solid var(--quiet); border-radius: .55rem; overflow: visible; }
.place { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
.place > div { flex: 1 1 14rem; }
.place > .buttons { margin: 0; }
.place button { padding-inline: .8rem; font-weight: 550; }
.tabs { margin: 0; }
.files .tabs { max-height: 8rem; overflow-y: auto; }
.tabs button { padding: .3rem .7rem; min-height: 2.4rem; font-weight: 550; }
.files .tabs button { font-family: var(--mono); font-size: .82rem; }
#earlier-files > .quiet { margin: 0; }
#earlier-files > .buttons { margin-top: .8rem; }
#content-migrate > .buttons { margin: 0 0 1rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[data-outdated] > * { visibility: hidden; transition: visibility 0s .2s; }
.results h2 { margin: 1.25rem 0 .6rem; }
.results h2.first { margin: 0; }
footer { margin-top: 3rem; font-size: .9rem; color: var(--quiet); }
@media (min-width: 62rem) {
  main { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); align-items: start; }
  .files { position: sticky; top: 1rem; }
  #editor { height: calc(100vh - 27rem); min-height: 20rem; }
}
`;
