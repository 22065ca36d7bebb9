import { expect, test } from "vitest";
import { allRules } from "../../../rules/index.js";
import { readSettings } from "../../../src/apps/settings/read.js";
import { renderStarterSettings, type StarterSettings } from "../../../src/apps/settings/starter.js";

const one = { entry: "conf/httpd.conf", serverRoot: "." };
const mapped = { entry: "httpd.conf", map: { extra: "/srv/conf/extra", 'a "b"': "/srv/web" } };
const other = { entry: 'web "2"/httpd.conf', sysroot: "image" };

test.each<[string, StarterSettings, object]>([
  ["no server", { servers: [] }, {}],
  ["one server", { servers: [one], expectations: "e.json" }, { ...one, expectations: "e.json" }],
  ["one mapped server", { servers: [mapped] }, mapped],
  ["several mapped servers", { servers: [mapped, one] }, { servers: [mapped, one] }],
  ["several servers", { schema: "s.json", servers: [one, other] }, { $schema: "s.json", servers: [one, other] }],
])("the starter configuration file is valid for %s", (_, starter, written) => {
  expect(readSettings(renderStarterSettings(starter), allRules)).toEqual({ ok: true, value: written });
});

test("the starter configuration file contains valid options in comments", () => {
  const hinted = renderStarterSettings({ servers: [one] }).replaceAll(/^ {2}\/\/ /gm, "  ");
  expect(readSettings(hinted, allRules)).toMatchObject({ value: { from: "2.2", ignores: [{}] } });
});
