import { describe, expect, test } from "vitest";
import { findingsOf, section } from "../../test/support/rules.js";
import { ignoredDirective } from "./ignored-directive.js";

const check = (text: string) =>
  findingsOf([ignoredDirective], text, { kind: "fragment" }).map(({ text: line, help }) => [line, ...(help ?? [])]);
const host = (...lines: readonly string[]) => section("VirtualHost *:80", "ServerName shop.example", ...lines);
const daemon = "WSGIDaemonProcess shop python-path=/srv/shop threads=5";
const application = "WSGIScriptAlias / /srv/shop/wsgi.py";

describe("processes of mod_wsgi that run no application", () => {
  test.each([
    ["in a virtual host", host(daemon, application)],
    ["with a pattern", host(daemon, "WSGIScriptAliasMatch ^/(.*) /srv/shop/wsgi.py")],
    ["with another application group", host(daemon, `${application} application-group=%{GLOBAL}`)],
    ["in the main server", `${daemon}\n${application}\n`],
    [
      "beside another virtual host",
      host(daemon, application) +
        section("VirtualHost *:80", "ServerName b.example", "WSGIDaemonProcess b", "WSGIProcessGroup b", application),
    ],
  ])("are reported %s", (_, text) => {
    expect(check(text)).toEqual([[daemon, "add `WSGIProcessGroup shop`"]]);
  });

  test.each([
    ["with a group in the host", host(daemon, application, "WSGIProcessGroup shop")],
    [
      "with a group in a section",
      host(daemon, application, "<Directory /srv/shop>", "WSGIProcessGroup shop", "</Directory>"),
    ],
    ["with a group of the alias", host(daemon, `${application} process-group=shop application-group=%{GLOBAL}`)],
    [
      "with a group of a script",
      host(daemon, application, "WSGIImportScript /srv/shop/wsgi.py process-group=shop application-group=x"),
    ],
    ["with a variable", host(daemon, application, "WSGIProcessGroup %{ENV:GROUP}")],
    ["with a group of the main server", `WSGIProcessGroup shop\n${host(daemon, application)}`],
    ["without an application", host(daemon)],
    ["for another virtual host", `${daemon}\n${host(application, "WSGIProcessGroup shop")}`],
    [
      "that must run it",
      host(daemon, application, "WSGIRestrictEmbedded On").replace(/^/, "WSGIRestrictEmbedded On\n"),
    ],
    ["of an application without processes", host(application)],
  ])("are not reported %s", (_, text) => {
    expect(check(text)).toEqual([]);
  });
});
