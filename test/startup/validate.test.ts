import { expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { loadProject } from "../../src/startup/load-project.js";
import { findRefusals, type RefusalReport } from "../../src/startup/validate.js";

function refusalsOf(text: string, files: Readonly<Record<string, string>> = {}): RefusalReport {
  const loaded = loadProject("/httpd.conf", { access: memoryAccess({ ...files, "/httpd.conf": text }) });
  if (!loaded.ok) throw new Error(loaded.error);
  return findRefusals(loaded.value);
}

test("errors have the order of the server: inner lines before their container, and negative containers last", () => {
  const text = [
    "<Directory /a>",
    "<RequireAll>",
    "Require not ip 10",
    "</RequireAll>",
    "</Directory>",
    "<Directory /b>",
    "<RequireNone>",
    "Require Bogus",
    "Order nope",
    "</RequireNone>",
    "Order nope",
    "</Directory>",
    "",
  ].join("\n");
  expect(refusalsOf(text).startup.map(({ code, server, directive }) => [code, server, directive.name])).toEqual([
    ["unknown-authorization-provider", "Unknown Authz provider: Bogus", "Require"],
    ["require-none-without-effect", "<RequireNone> directive has no effect in <RequireAny> directive", "<RequireNone"],
    ["unknown-order", "unknown order", "order"],
    ["only-negations", "<RequireAll> directive contains only negative authorization directives", "<RequireAll"],
  ]);
});

test("errors in `.htaccess` files are separate, and consider the aliases and methods of the main file", () => {
  const main = [
    'DocumentRoot "/www"',
    "RegisterHttpMethod PURGE",
    "<AuthzProviderAlias ip office 10.1>",
    "</AuthzProviderAlias>",
    "",
  ].join("\n");
  const htaccess =
    "Require office\n<Limit PURGE>\nRequire method PURGE\n</Limit>\n<Limit BAN>\nRequire all nobody\n</Limit>\n";
  const refusals = refusalsOf(`${main}\n`, { "/www/.htaccess": htaccess });
  expect(refusals.startup).toEqual([]);
  expect(refusals.htaccess.map(({ server }) => server)).toEqual([
    "Could not register method 'BAN' for <Limit from .htaccess configuration",
    "Argument for 'Require all' must be 'granted' or 'denied'",
  ]);
});

test("a RequireAll of negative rules is accepted next to a positive one", () => {
  const lines = [
    "<RequireAll>",
    "Require all granted",
    "<RequireAll>",
    "Require not ip 10",
    "</RequireAll>",
    "</RequireAll>",
  ];
  expect(refusalsOf(`<Directory /a>\n${lines.join("\n")}\n</Directory>\n`).startup).toEqual([]);
});

test("a RequireAll that contains only RequireNone is rejected as negative", () => {
  const lines = ["<RequireAll>", "<RequireNone>", "Require ip 10", "</RequireNone>", "</RequireAll>"];
  expect(refusalsOf(`<Directory /a>\n${lines.join("\n")}\n</Directory>\n`).startup).toMatchObject([
    { code: "only-negations", logNumber: "AH01624" },
  ]);
});

test("a surplus argument of ProxyPass is a parameter, or a path in a section", () => {
  const codesOf = (text: string) => refusalsOf(text).startup.map(({ code }) => code);
  expect(codesOf("ProxyPass /a http://b/ x:80\n")).toEqual(["invalid-proxy-parameter"]);
  expect(codesOf("<Location /a>\nProxyPass http://b/ x:80\n</Location>\n")).toEqual(["invalid-proxy-parameter"]);
  expect(codesOf("<Location /a>\nProxyPass /a http://b/\n</Location>\n")).toEqual(["proxy-path-in-section"]);
  expect(codesOf("<Location /a>\nProxyPass http://b/ retry=0\n</Location>\n")).toEqual([]);
});

test.each(["<Limit GET>", "<LimitExcept GET>"])(
  "%s does not check the arguments of a line it does not allow",
  (opening) => {
    const within = (line: string) =>
      refusalsOf(`<Directory /a>\n${opening}\n${line}\n</${/\w+/.exec(opening)?.[0]}>\n</Directory>\n`).startup;
    // httpd -t: "MultiviewsMatch cannot occur within <Limit> or <LimitExcept> section", which misplaced.ts reports.
    expect(within("MultiviewsMatch Bogus")).toEqual([]);
    expect(within("Options Bogus").map((each) => each.directive.name)).toEqual(["Options"]);
    expect(refusalsOf("<Directory /a>\nMultiviewsMatch Bogus\n</Directory>\n").startup).toHaveLength(1);
  },
);
