import { expect, test } from "vitest";
import { Random } from "../../support/random/random.js";
import { chooseRequests } from "./chosen-requests.js";
import type { SampledClass, SampledRequest } from "./sampled-requests.js";

type Kind = "file" | "directory" | "missing";

function sampledRequest(path: string, kind: Kind, more: Partial<SampledRequest["request"]> = {}): SampledRequest {
  return { request: { method: "GET", path, clientIp: "192.0.2.1", ...more }, files: new Map([[`/srv${path}`, kind]]) };
}

function classOf(...requests: SampledRequest[]): SampledClass {
  let drawn = 0;
  const draw = () => {
    const [first] = requests;
    drawn++;
    return first && sampledRequest(`${first.request.path}-${drawn}`, "file");
  };
  return { requests, draw };
}

test("uses all classes before it uses a class again", () => {
  const classes = [
    classOf(sampledRequest("/a", "file"), sampledRequest("/a", "file", { method: "POST" })),
    classOf(sampledRequest("/b", "file")),
  ];
  const { requests } = chooseRequests(classes, new Map(), 2, new Random(1));
  expect(requests.map(({ path }) => path).sort()).toEqual(["/a", "/b"]);
});

test("chooses requests that agree on files, names of addresses and groups of users", () => {
  const classes = [
    classOf(sampledRequest("/a", "file"), sampledRequest("/a", "missing", { method: "POST" })),
    classOf(sampledRequest("/a/b", "file")),
    classOf(sampledRequest("/c", "file", { clientIp: "192.0.2.2", clientHost: "x.test" })),
    classOf(sampledRequest("/d", "file", { clientIp: "192.0.2.2", clientHost: "y.test" })),
    classOf(sampledRequest("/e", "file", { user: "u", groups: ["g"] })),
    classOf(sampledRequest("/f", "file", { user: "u" })),
  ].map(({ requests }) => ({ requests, draw: () => undefined }));
  const { requests, paths } = chooseRequests(classes, new Map([["/srv", "directory"]]), 10, new Random(1));
  const chosen = new Set(requests.map(({ path }) => path));
  expect(chosen.has("/a") && chosen.has("/a/b")).toBe(false);
  expect(chosen.has("/c") && chosen.has("/d")).toBe(false);
  expect(chosen.has("/e") && chosen.has("/f")).toBe(false);
  expect(requests).toHaveLength(3);
  expect(paths).toContain("/srv/");
});

test("draws other paths, with the clients of any request", () => {
  const classes = [
    classOf(sampledRequest("/a", "file")),
    classOf(sampledRequest("/b", "file", { clientIp: "192.0.2.9", user: "u" })),
  ];
  const { requests } = chooseRequests(classes, new Map(), 40, new Random(1));
  expect(requests).toHaveLength(40);
  expect(requests.some(({ path, user }) => path.startsWith("/a-") && user === "u")).toBe(true);
  expect(requests.every(({ clientIp, user }) => (clientIp === "192.0.2.9") === (user === "u"))).toBe(true);
});

test("does not combine an IPv6 client with a request to an IPv4 address", () => {
  const classes = [
    classOf(sampledRequest("/a", "file")),
    classOf(sampledRequest("/b", "file", { clientIp: "2001:db8::1" })),
  ];
  const { requests } = chooseRequests(classes, new Map(), 30, new Random(1));
  expect(requests.filter(({ clientIp }) => clientIp.includes(":")).map(({ path }) => path)).toEqual(["/b"]);
});
