import { type Html, html } from "./html.js";

/** The parts of a request that the form asks for: what they are called, and what stands for a value left out. */
const fields = [
  { name: "url", label: "URL or path", hint: "/" },
  { name: "method", label: "Method", hint: "GET" },
  { name: "clientIp", label: "Client address", hint: "192.0.2.1, from anywhere" },
  { name: "user", label: "User, with the right password", hint: "nobody" },
  { name: "groups", label: "Groups of the user", hint: "those in the group file" },
  { name: "host", label: "Host", hint: "none" },
  { name: "port", label: "Port", hint: "80, or 443" },
  { name: "clientHost", label: "Name of the client", hint: "none" },
  { name: "serverIp", label: "Address of the server", hint: "127.0.0.1" },
] as const;

/** The form that asks a request, and the place for its answer; it needs a script, which shows it. */
export function requestForm(): Html {
  const field = ({ name, label, hint }: (typeof fields)[number]) =>
    html`<div${name === "url" ? html` class="wide"` : undefined}><label class="over" for="ask-${name}">${label}</label><input id="ask-${name}" name="${name}" placeholder="${hint}" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
`;
  return html`<form id="ask" class="card request" aria-labelledby="ask-title" hidden>
${fields.map(field)}
<div><label class="over" for="ask-scheme">Scheme</label><select id="ask-scheme" name="scheme"><option value="">as the URL says</option><option>http</option><option>https</option></select></div>
<div class="wide"><label class="over" for="ask-headers">Other headers, a line each</label><textarea id="ask-headers" name="headers" rows="2" placeholder="Name: value" autocapitalize="off" spellcheck="false"></textarea></div>
<div class="wide"><label class="over" for="ask-env">Variables set before access is checked, a line each</label><textarea id="ask-env" name="env" rows="1" placeholder="NAME=VALUE" autocapitalize="off" spellcheck="false"></textarea></div>
<div class="wide buttons"><button class="main">Ask</button></div>
</form>
<div id="answer" role="status"></div>
`;
}
