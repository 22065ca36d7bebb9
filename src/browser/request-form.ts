import { parseRequest, type RequestPartNames, type RequestSpec } from "../httpd/request/request-parser.js";
import { renderAnswer } from "../report/html/decision-page.js";
import { renderMessage } from "../report/html/excerpts.js";
import { type Html, html } from "../report/html/html.js";
import { PlaceResolver } from "../report/text/source-places.js";
import type { ReleaseDecider } from "./embedded-server.js";

const formPartNames: RequestPartNames = {
  ...{
    url: "URL or path",
    method: "Method",
    absolute: "the request line",
    scheme: "Scheme",
    host: "Host",
    port: "Port",
    query: "the query",
  },
  ...{ serverIp: "Server address", clientIp: "Client address", clientHost: "Host name of the client" },
  ...{ user: "Logged-in user", groups: "Groups of this user", dbmGroups: "Groups of this user" },
  ...{ grants: "what is granted", env: "Environment variables", headers: "Other headers" },
};

/** Returns the request entered in a form of `request-form.ts`. */
export function readRequestForm(form: HTMLFormElement): RequestSpec {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? "").trim() || undefined;
  const lines = (name: string) =>
    text(name)
      ?.split(/\r?\n/)
      .filter((line) => line.trim() !== "");
  return {
    url: text("url") ?? "/",
    method: text("method")?.toUpperCase(),
    scheme: text("scheme"),
    host: text("host"),
    port: text("port"),
    serverIp: text("serverIp"),
    clientIp: text("clientIp"),
    clientHost: text("clientHost"),
    user: text("user"),
    groups: text("groups")?.split(/[\s,]+/),
    headers: lines("headers"),
    env: lines("env"),
  };
}

/** Renders the results of a request, with releases side by side, or the error in the request. */
export function renderAnswers(
  written: RequestSpec,
  answering: readonly ReleaseDecider[],
  base: string | undefined,
): Html {
  const parsed = parseRequest(written, formPartNames);
  if ("failed" in parsed) return html`<p class="card wrong error">${renderMessage(parsed.failed)}</p>`;
  const places = new PlaceResolver(base);
  const shown = answering.map(({ release, decider }) => renderAnswer(decider.decide(parsed.request), release, places));
  return html`<div class="answers">${shown}</div>`;
}
