import { renderDocument } from "./document.js";
import { html } from "./html.js";
import { renderRequestForm } from "./request-form.js";

/** Renders the playground page, which runs entirely in the browser. @param script the playground's script */
export function renderPlaygroundPage(script: string): string {
  const { head, foot } = renderDocument({ title: "httpd-lint playground", script });
  const body = html`<a class="skip" href="#results">To the results</a>
<header><h1>httpd-lint playground</h1>
<p class="lead">Paste the configuration of an Apache httpd. It stays in this page: nothing is sent anywhere, and nothing is kept.</p></header>
<noscript><p class="card wrong error">This page works by a script, and the browser runs none.</p></noscript>
<main id="playground" hidden>
<section aria-labelledby="files-title"><h2 id="files-title">Files</h2>
<div class="card">
<div class="tabs" id="tabs" role="group" aria-label="Files"></div>
<div class="request">
<div class="wide"><label class="over" for="name">Path of this file on the server</label><input id="name" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<div class="wide"><label class="over" for="text">What it holds</label><textarea id="text" rows="16" autocomplete="off" autocapitalize="off" spellcheck="false"></textarea></div>
</div>
<p class="buttons"><label><input type="checkbox" id="main"> the main file</label><button type="button" id="remove">Remove this file</button><button type="button" id="add">Add a file</button><button type="button" id="link">Make a link to this</button></p>
<p class="quiet" id="link-note" role="status"></p>
</div></section>
<section aria-labelledby="do-title"><h2 id="do-title">What to do</h2>
<div class="card">
<div class="request">
<div><label class="over" for="release">Read by</label><select id="release"><option value="2.4">httpd 2.4</option><option value="2.2">httpd 2.2</option><option value="from 2.2">httpd 2.4, coming from 2.2</option></select></div>
<div><label class="over" for="side">Compare with</label><select id="side"><option value="release">the other release</option><option value="text">another text of the file above</option></select></div>
<div class="wide" id="other-place" hidden><label class="over" for="other">The other text of the file above</label><textarea id="other" rows="10" autocomplete="off" autocapitalize="off" spellcheck="false"></textarea></div>
</div>
<p class="buttons"><button type="button" class="main" data-do="check">Check</button><button type="button" data-do="map">Who gets in where</button><button type="button" data-do="compare">Compare</button><button type="button" data-do="migrate">Migrate to Require</button></p>
</div></section>
<section aria-labelledby="ask-title"><h2 id="ask-title">Ask a request</h2>
${renderRequestForm()}</section>
<section aria-labelledby="results-title" id="results" tabindex="-1"><h2 id="results-title">Results</h2>
<p id="working" role="status" class="quiet"></p>
<div id="result"></div></section>
</main>
`;
  return head + body.toString() + foot;
}
