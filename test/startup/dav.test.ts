import { expect, test } from "vitest";
import { findRefusals } from "../../src/startup/validate.js";
import { loadText } from "../support/projects.js";

/** Returns the problems of `Dav` with some modules loaded, besides those that every server has. */
function problems(value: string, ...modules: readonly string[]): readonly string[] {
  const loaded = ["mpm_event", "authz_core", ...modules].map((each) => `LoadModule ${each}_module ${each}.so\n`);
  const text = `${loaded.join("")}<Location /dav>\nDav ${value}\n</Location>\n`;
  return findRefusals(loadText(text, { kind: "server" })).startup.map(({ problem }) => problem);
}

/** The verdicts are those of `apache2 -t` (2.4.71). */
test.each([
  ["On", ["dav"], ["`Dav` needs `dav_fs_module`, which is not loaded"]],
  ["filesystem", ["dav"], ["`Dav` needs `dav_fs_module`, which is not loaded"]],
  ["FileSystem", ["dav", "dav_fs"], ["unknown DAV provider `FileSystem`"]],
  ["On", ["dav", "dav_fs"], []],
  ["off", ["dav"], []],
  ["svn", ["dav", "dav_svn"], []],
  // A module that is not known may have any provider.
  ["own", ["dav", "own_dav"], []],
])("Dav %s with %j", (value, modules, expected) => {
  expect(problems(value, ...modules)).toEqual(expected);
});
