import { type Html, html } from "./html.js";

/** A form field for a part of a request: its label, and the placeholder for an omitted value. */
interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}

const mainFields: readonly Field[] = [
  { name: "method", label: "Method", hint: "GET" },
  { name: "clientIp", label: "Client address", hint: "192.0.2.1" },
  { name: "user", label: "Logged-in user", hint: "none" },
  { name: "host", label: "Host", hint: "none" },
];

const moreFields: readonly Field[] = [
  { name: "groups", label: "Groups of this user", hint: "as in the group file" },
  { name: "clientHost", label: "Host name of the client", hint: "none" },
  { name: "port", label: "Port", hint: "80 or 443" },
  { name: "serverIp", label: "Server address", hint: "127.0.0.1" },
];

/** Renders the form that simulates a request, and the element for its response; hidden until a script shows it. */
export function renderRequestForm(): Html {
  return html`<form id="ask" class="card" aria-labelledby="ask-title" hidden>
<div class="request">
<div class="wide"><label class="over" for="ask-url">URL or path</label><input id="ask-url" name="url" placeholder="/" ${inputAttributes}></div>
${mainFields.map(renderField)}
</div>
<details class="more-of"><summary>More fields</summary>
<div class="request">
${moreFields.map(renderField)}
<div><label class="over" for="ask-scheme">Scheme</label><select id="ask-scheme" name="scheme"><option value="">from the URL</option><option>http</option><option>https</option></select></div>
${renderTextArea("headers", "Other headers, one per line", "Name: value")}
${renderTextArea("env", "Environment variables set before access is checked, one per line", "NAME=VALUE")}
</div></details>
<p class="buttons"><button class="main">Explain</button></p>
</form>
<div id="answer" role="status"></div>
`;
}

const inputAttributes = html`autocomplete="off" autocapitalize="off" spellcheck="false"`;

function renderField({ name, label, hint }: Field): Html {
  return html`<div><label class="over" for="ask-${name}">${label}</label><input id="ask-${name}" name="${name}" placeholder="${hint}" ${inputAttributes}></div>
`;
}

function renderTextArea(name: string, label: string, hint: string): Html {
  return html`<div class="wide"><label class="over" for="ask-${name}">${label}</label><textarea id="ask-${name}" name="${name}" rows="2" placeholder="${hint}" ${inputAttributes}></textarea></div>`;
}
