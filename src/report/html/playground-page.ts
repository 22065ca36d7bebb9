import { renderDocument } from "./document.js";
import { html } from "./html.js";
import { renderRequestForm } from "./request-form.js";

/** Renders the playground page, which runs entirely in the browser. @param script the playground's script */
export function renderPlaygroundPage(script: string): string {
  const { head, foot } = renderDocument({ title: "httpd-lint playground", script });
  const body = html`<a class="skip" href="#results">Skip to the results</a>
<header><h1>httpd-lint playground</h1>
<p class="lead">Paste a configuration of Apache httpd. The page sends nothing over the network and stores nothing.</p></header>
<noscript><p class="card wrong error">This page needs JavaScript.</p></noscript>
<main id="playground" hidden>
<section aria-labelledby="files-title"><h2 id="files-title">Files</h2>
<div class="card">
<div class="tabs" id="tabs" role="group" aria-label="Files"></div>
<div class="request">
<div class="wide"><label class="over" for="name">Path on the server</label><input id="name" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<div class="wide"><label class="over" for="text">Contents</label><textarea id="text" rows="16" autocomplete="off" autocapitalize="off" spellcheck="false"></textarea></div>
</div>
<p class="buttons"><label><input type="checkbox" id="main"> Main file</label><button type="button" id="remove">Remove this file</button><button type="button" id="add">Add a file</button><button type="button" id="link">Create a link</button></p>
<p class="quiet" id="link-note" role="status"></p>
</div></section>
<section aria-labelledby="do-title"><h2 id="do-title">Commands</h2>
<div class="card">
<div class="request">
<div><label class="over" for="release">Version</label><select id="release"><option value="2.4">httpd 2.4</option><option value="2.2">httpd 2.2</option><option value="from 2.2">httpd 2.4, upgraded from 2.2</option></select></div>
<div><label class="over" for="side">Compare with</label><select id="side"><option value="release">the other version</option><option value="text">other contents of this file</option></select></div>
<div class="wide" id="other-place" hidden><label class="over" for="other">Other contents of this file</label><textarea id="other" rows="10" autocomplete="off" autocapitalize="off" spellcheck="false"></textarea></div>
</div>
<p class="buttons"><button type="button" class="main" data-do="check">Check</button><button type="button" data-do="map">Access map</button><button type="button" data-do="compare">Compare</button><button type="button" data-do="migrate">Migrate to Require</button></p>
</div></section>
<section aria-labelledby="ask-title"><h2 id="ask-title">Explain a request</h2>
${renderRequestForm()}</section>
<section aria-labelledby="results-title" id="results" tabindex="-1"><h2 id="results-title">Results</h2>
<p id="working" role="status" class="quiet"></p>
<div id="result"></div></section>
</main>
`;
  return head + body.toString() + foot;
}
