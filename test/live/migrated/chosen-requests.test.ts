import { expect, test } from "vitest";
import { Random } from "../../support/random/random.js";
import { chooseRequests } from "./chosen-requests.js";
import type { SampledClass, SampledRequest } from "./sampled-requests.js";

type Kind = "file" | "directory" | "missing";

function ask(path: string, kind: Kind, more: Partial<SampledRequest["request"]> = {}): SampledRequest {
  return { request: { method: "GET", path, clientIp: "192.0.2.1", ...more }, files: new Map([[`/srv${path}`, kind]]) };
}

function classOf(...requests: SampledRequest[]): SampledClass {
  let drawn = 0;
  const draw = () => {
    const [first] = requests;
    drawn++;
    return first && ask(`${first.request.path}-${drawn}`, "file");
  };
  return { requests, draw };
}

test("all classes are used before a class is used again", () => {
  const classes = [classOf(ask("/a", "file"), ask("/a", "file", { method: "POST" })), classOf(ask("/b", "file"))];
  const { requests } = chooseRequests(classes, new Map(), 2, new Random(1));
  expect(requests.map(({ path }) => path).sort()).toEqual(["/a", "/b"]);
});

test("requests agree on files, on the names of addresses and on the groups of users", () => {
  const classes = [
    classOf(ask("/a", "file"), ask("/a", "missing", { method: "POST" })),
    classOf(ask("/a/b", "file")),
    classOf(ask("/c", "file", { clientIp: "192.0.2.2", clientHost: "x.test" })),
    classOf(ask("/d", "file", { clientIp: "192.0.2.2", clientHost: "y.test" })),
    classOf(ask("/e", "file", { user: "u", groups: ["g"] })),
    classOf(ask("/f", "file", { user: "u" })),
  ].map(({ requests }) => ({ requests, draw: () => undefined }));
  const { requests, paths } = chooseRequests(classes, new Map([["/srv", "directory"]]), 10, new Random(1));
  const chosen = new Set(requests.map(({ path }) => path));
  expect(chosen.has("/a") && chosen.has("/a/b")).toBe(false);
  expect(chosen.has("/c") && chosen.has("/d")).toBe(false);
  expect(chosen.has("/e") && chosen.has("/f")).toBe(false);
  expect(requests).toHaveLength(3);
  expect(paths).toContain("/srv/");
});

test("other paths are drawn, with the clients of any request", () => {
  const classes = [classOf(ask("/a", "file")), classOf(ask("/b", "file", { clientIp: "192.0.2.9", user: "u" }))];
  const { requests } = chooseRequests(classes, new Map(), 40, new Random(1));
  expect(requests).toHaveLength(40);
  expect(requests.some(({ path, user }) => path.startsWith("/a-") && user === "u")).toBe(true);
  expect(requests.every(({ clientIp, user }) => (clientIp === "192.0.2.9") === (user === "u"))).toBe(true);
});

test("a client of IPv6 is not combined with a request to an address of IPv4", () => {
  const classes = [classOf(ask("/a", "file")), classOf(ask("/b", "file", { clientIp: "2001:db8::1" }))];
  const { requests } = chooseRequests(classes, new Map(), 30, new Random(1));
  expect(requests.filter(({ clientIp }) => clientIp.includes(":")).map(({ path }) => path)).toEqual(["/b"]);
});
