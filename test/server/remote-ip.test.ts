import { expect, test } from "vitest";
import { Oracle } from "../../src/server/model/oracle.js";
import { wordsOfFact } from "../../src/server/model/unknown-facts.js";
import { applyRemoteIp } from "../../src/server/request/remote-ip.js";
import { ServerLookup } from "../../src/server/request/vhost-lookup.js";
import { loadText } from "../support/projects.js";

const header = "X-Forwarded-For";

/** Returns the header after mod_remoteip, whether the connection is known, and what is undecidable. */
function applyTo(
  lines: readonly string[],
  clientIp: string,
  value: string | undefined,
  release: "2.2" | "2.4" = "2.4",
) {
  const text = ["LoadModule remoteip_module m.so", `SetEnvIf ${header} . x`, ...lines].join("\n");
  const project = loadText(text, { kind: "server", release });
  const oracle = new Oracle(new Map());
  const request = {
    method: "GET",
    path: "/",
    clientIp,
    headers: value === undefined ? {} : { "x-forwarded-for": value },
  };
  const { main } = new ServerLookup(project.directives, release);
  const { headers = {}, hasProxy = false } = applyRemoteIp(request, main, project, oracle);
  return [Object.values(headers)[0], hasProxy, oracle.undecidable && wordsOfFact(oracle.undecidable)];
}

const base = `RemoteIPHeader ${header}`;
const internal = [base, "RemoteIPInternalProxy 127.0.0.1 10.0.0.0/8"];
const trusted = [base, "RemoteIPTrustedProxy 127.0.0.1 198.51.100.0/24"];
const unknown = `how many addresses of \`${header}\` mod_remoteip uses`;

// The live server's headers (test/live/remote-ip.live.test.ts).
test.each<[lines: readonly string[], clientIp: string, value: string | undefined, result: unknown]>([
  [[], "10.0.0.7", "10.0.0.7", ["10.0.0.7", false, undefined]],
  [[base], "203.0.113.9", undefined, [undefined, true, undefined]],
  [[base], "203.0.113.9", "203.0.113.9", [undefined, true, undefined]],
  [[base], "127.0.0.1", "10.0.0.7", ["10.0.0.7", false, undefined]],
  [[base], "2001:db8::1", "fe80::1, 2001:db8::1", ["fe80::1", true, undefined]],
  [internal, "203.0.113.9", "10.1.1.1, 203.0.113.9 , 10.0.0.1", ["10.1.1.1", true, undefined]],
  [internal, "10.0.0.7", ", 10.0.0.7", ["", true, undefined]],
  [internal, "192.0.2.1", "10.0.0.7", ["10.0.0.7", false, undefined]],
  [trusted, "203.0.113.9", "203.0.113.9,198.51.100.7", [undefined, true, undefined]],
  [internal, "10.0.0.7", "some.test", ["some.test", true, unknown]],
  [[base, "RemoteIPInternalProxy proxy.test"], "10.0.0.7", "10.0.0.7", ["10.0.0.7", true, unknown]],
  [[...internal, "RemoteIPTrustedProxy 192.0.2.1"], "10.0.0.7", "10.0.0.7", ["10.0.0.7", true, unknown]],
  [["RemoteIPProxyProtocol On"], "10.0.0.7", "10.0.0.7", ["10.0.0.7", true, undefined]],
])("with %j and the client %s, the header %j becomes %j", (lines, clientIp, value, result) => {
  expect(applyTo(lines, clientIp, value)).toEqual(result);
});

test("2.2 ignores mod_remoteip", () => {
  expect(applyTo([base], "10.0.0.7", "10.0.0.7", "2.2")).toEqual(["10.0.0.7", false, undefined]);
});
