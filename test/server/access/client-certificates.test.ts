import { describe, expect, test } from "vitest";
import { UNNAMED_SUBJECT } from "../../../src/server/access/client-certificates.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { load } from "../../support/projects.js";

const modules = "authn_core authz_core authn_file auth_basic auth_digest authz_user ssl authz_groupfile".split(" ");
const basic = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];

/** Returns the result of a request over TLS to a section of a server that asks for a certificate in the handshake. */
function answerOf(
  lines: readonly string[],
  { verify = "optional", scheme = "https" as "http" | "https", user = "" } = {},
) {
  const main = [
    ...['DocumentRoot "/srv"', `SSLVerifyClient ${verify}`, "<Location /a>", ...lines, "</Location>"],
    "",
  ].join("\n");
  const project = load({ "/etc/httpd/httpd.conf": main }, { kind: "server", modules });
  const request = { method: "GET", path: "/a", clientIp: "192.0.2.7", scheme, ...(user === "" ? {} : { user }) };
  const { status, unknown, alternatives, logsMayDiffer } = answer(project, request, {
    files: createListedFiles(["/srv/a", "/etc/users", "/etc/groups"]),
  });
  const statuses = [...new Set(alternatives.map((each) => each.status))].sort();
  return { statuses: alternatives.length > 0 ? statuses : [status], unknown, logsMayDiffer };
}

const presents = "whether the client presents a certificate";
const isUser = "whether the certificate's subject is a user with the password `password`";

/** test/live/client-certificates.live.test.ts compares these answers with a running server. */
describe("SSLOptions FakeBasicAuth", () => {
  const fake = ["SSLOptions +FakeBasicAuth", ...basic];
  test("the subject of the certificate is the user", () => {
    expect(answerOf([...fake, "Require valid-user"])).toEqual({
      ...{ statuses: [200, 401], unknown: [presents, isUser], logsMayDiffer: true },
    });
  });
  test("the handshake requires a certificate", () => {
    expect(answerOf([...fake, "Require valid-user"], { verify: "require" })).toMatchObject({
      ...{ statuses: [200, 401], unknown: [isUser] },
    });
  });
  test("the credentials of the client do not count", () => {
    const { statuses, unknown } = answerOf([...fake, "Require user bob"], { verify: "require", user: "bob" });
    expect([statuses, unknown]).toEqual([[401], [isUser]]);
  });
  test("a Require line names the subject", () => {
    const { statuses, unknown } = answerOf([...fake, "Require user /CN=a"], { verify: "require" });
    expect([statuses, unknown[0]]).toEqual([[200, 401], "whether the client's certificate names the user `/CN=a`"]);
  });
  test.each<[string, Parameters<typeof answerOf>[1], number, readonly string[]]>([
    ["no certificate is requested", { verify: "none" }, 401, fake],
    ["the request is without TLS", { scheme: "http" }, 401, fake],
    ["the option is off again", {}, 401, [...fake, "SSLOptions -FakeBasicAuth"]],
    ["another option replaces it", {}, 401, [...fake, "SSLOptions StdEnvVars"]],
  ])("no user if %s", (_, options, status, lines) => {
    expect(answerOf([...lines, "Require valid-user"], options)).toEqual({
      ...{ statuses: [status], unknown: [], logsMayDiffer: false },
    });
  });
  test("the type Digest does not take them", () => {
    const digest = ["SSLOptions +FakeBasicAuth", ...basic, "AuthType Digest"];
    expect(answerOf([...digest, "Require valid-user"], { verify: "require", user: "bob" }).statuses).toEqual([401]);
  });
});

describe("SSLUserName", () => {
  const named = ["SSLUserName SSL_CLIENT_S_DN_CN"];
  const has = "whether the client's certificate has `SSL_CLIENT_S_DN_CN`";
  test("allows a user without AuthType", () => {
    expect(answerOf([...named, "Require valid-user"])).toEqual({
      ...{ statuses: [200, 500], unknown: [has], logsMayDiffer: true },
    });
  });
  test("denies another user with 403", () => {
    const { statuses, unknown } = answerOf([...named, "Require user bob"]);
    expect([statuses, unknown]).toEqual([
      [200, 403, 500],
      [has, "whether the client's certificate names the user `bob`"],
    ]);
  });
  test("leaves the groups of a subject open", () => {
    const { unknown } = answerOf([...named, "AuthGroupFile /etc/groups", "Require group staff"]);
    expect(unknown).toContain(`whether \`${UNNAMED_SUBJECT}\` is in the group \`staff\``);
  });
  test("has no effect without a certificate or without TLS", () => {
    expect(answerOf([...named, "Require valid-user"], { verify: "none" }).statuses).toEqual([500]);
    expect(answerOf([...named, ...basic, "Require valid-user"], { scheme: "http" }).statuses).toEqual([401]);
  });
  test("the value of a variable that is not of a certificate is not known", () => {
    const { unknown } = answerOf(["SSLUserName SSL_PROTOCOL", "Require valid-user"], { verify: "none" });
    expect(unknown).toEqual(["the user that `SSLUserName SSL_PROTOCOL` sets"]);
  });
});
