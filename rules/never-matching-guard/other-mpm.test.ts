import { describe, expect, test } from "vitest";
import { findingsOf, wholeServer } from "../../test/support/rules.js";
import { neverMatchingGuard } from "./never-matching-guard.js";

const check = (text: string) =>
  findingsOf([neverMatchingGuard], text).map(({ message, notes }) => [message, ...(notes ?? [])]);
const on = (...lines: readonly string[]) => wholeServer("Listen 80", ...lines);
const limits = (module: string, ...lines: readonly string[]) => [`<IfModule ${module}>`, ...lines, "</IfModule>"];

describe("limits for another MPM", () => {
  test.each([
    ["mpm_prefork_module", "MaxRequestWorkers 800", "prefork"],
    ["prefork.c", "MaxClients 500", "prefork"],
    ["mpm_worker_module", "MaxRequestWorkers 150", "worker"],
  ])("are reported: %s", (module, line, other) => {
    expect(check(on(...limits(module, "StartServers 10", line)))).toEqual([
      [
        `the limits for ${other} do not apply: the MPM of this server is event`,
        `httpd skips \`${line}\``,
        "no line limits the requests at a time for event: the default is 400",
      ],
    ]);
  });

  test("are reported with the default of prefork", () => {
    const text = on(...limits("mpm_event_module", "MaxRequestWorkers 800")).replace(
      "LoadModule mpm_event_module mod_mpm_event.so",
      "LoadModule mpm_prefork_module mod_mpm_prefork.so",
    );
    expect(check(text)).toMatchObject([
      [expect.stringContaining("is prefork"), expect.anything(), expect.stringContaining("256")],
    ]);
  });

  const skipped = limits("mpm_prefork_module", "MaxRequestWorkers 800");
  test.each([
    ["beside a section for its own", [...skipped, ...limits("mpm_event_module", "ThreadsPerChild 25")]],
    ["beside a line for each MPM", ["MaxRequestWorkers 300", ...skipped]],
    ["beside an older name", ["MaxClients 300", ...skipped]],
    ["without a limit of requests", limits("mpm_prefork_module", "StartServers 10", "MinSpareServers 5")],
    ["with the default", limits("mpm_worker_module", "MaxRequestWorkers 400")],
    ["in another section", limits("foo_module", ...skipped)],
    ["of an opposite section", limits("!mpm_event_module", "MaxRequestWorkers 800")],
    ["for another system", limits("mpm_winnt_module", "ThreadsPerChild 150", "MaxRequestWorkers 800")],
  ])("are not reported %s", (_, lines) => {
    expect(check(on(...lines)).filter(([message]) => message?.startsWith("the limits"))).toEqual([]);
  });

  test("are not reported for an MPM that is not known", () => {
    const text = on(...skipped).replace(/LoadModule mpm.*\n/, "");
    expect(check(text)).toEqual([]);
    expect(findingsOf([neverMatchingGuard], `${skipped.join("\n")}\n`, { kind: "fragment" })).toEqual([]);
  });
});
