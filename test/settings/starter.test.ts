import { expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { readSettings } from "../../src/settings/read.js";
import { renderStarterSettings, type StarterSettings } from "../../src/settings/starter.js";

const one = { entry: "conf/httpd.conf", serverRoot: "." };
const mapped = { entry: "httpd.conf", map: { extra: "/srv/conf/extra", 'a "b"': "/srv/web" } };
const other = { entry: 'web "2"/httpd.conf', sysroot: "image" };

test.each<[string, StarterSettings, object]>([
  ["no server", { servers: [] }, {}],
  ["one server", { servers: [one], expectations: "e.json" }, { ...one, expectations: "e.json" }],
  ["one that is mapped", { servers: [mapped] }, mapped],
  ["several that are mapped", { servers: [mapped, one] }, { servers: [mapped, one] }],
  ["several", { schema: "s.json", servers: [one, other] }, { $schema: "s.json", servers: [one, other] }],
])("the first settings of %s are settings", (_, starter, written) => {
  expect(readSettings(renderStarterSettings(starter), allRules)).toEqual({ written });
});

test("the hints in them are settings, too", () => {
  const hinted = renderStarterSettings({ servers: [one] }).replaceAll(/^ {2}\/\/ /gm, "  ");
  expect(readSettings(hinted, allRules)).toMatchObject({ written: { from: "2.2", ignores: [{}] } });
});
