import { describe, expect, test } from "vitest";
import { constantCondition } from "../../rules/constant-condition/constant-condition.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findingsOf } from "../support/rules.js";

/** Attributes of SetEnvIf, and whether it finds a value for a request with all of these headers. */
const cases: readonly (readonly [attribute: string, hasValue: boolean])[] = [
  ...["HTTP_USER_AGENT", "HTTP_REFERER", "HTTP_HOST", "HTTP_COOKIE", "X_Forwarded_For"].map(
    (each) => [each, false] as const,
  ),
  ...["QUERY_STRING", "SERVER_NAME", "SERVER_PORT", "HTTPS", "DOCUMENT_ROOT"].map((each) => [each, false] as const),
  ...["REQUEST_SCHEME", "SERVER_PROTOCOL", "THE_REQUEST"].map((each) => [each, false] as const),
  ...["%{HTTP_USER_AGENT}", "%{REQUEST_URI}"].map((each) => [each, false] as const),
  ...["User-Agent", "Referer", "Host", "Cookie", "X-Forwarded-For"].map((each) => [each, true] as const),
  ...["Remote_Addr", "REQUEST_URI", "Server_Addr", "Request_Protocol", "Request_Method"].map(
    (each) => [each, true] as const,
  ),
];

const headers = { "User-Agent": "a", Referer: "b", Host: "c", Cookie: "d", "X-Forwarded-For": "192.0.2.1" };

describe.skipIf(!httpd)(liveTitle("the attributes of SetEnvIf"), () => {
  test("have a value if the rule does not report them", async () => {
    const setter = (attribute: string, index: number) => `SetEnvIf ${attribute} . v${index}`;
    const lines = cases.flatMap(([attribute], index) => [
      setter(attribute, index),
      `<Location "/${index}">`,
      `Require env v${index}`,
      "</Location>",
    ]);
    const files = Object.fromEntries(cases.map((_, index) => [`${index}`, "x"]));
    const statuses: number[] = [];
    await withRunningHttpd(
      ["authz_core", "authz_host", "setenvif"],
      lines,
      async ({ ask }) => {
        for (const index of cases.keys()) statuses.push((await ask({ path: `/${index}?q=1`, headers })).status);
      },
      files,
    );
    expect(cases.map(([attribute], index) => [attribute, statuses[index]])).toEqual(
      cases.map(([attribute, hasValue]) => [attribute, hasValue ? 200 : 403]),
    );
    const reported = cases.map(
      ([attribute], index) => findingsOf([constantCondition], `${setter(attribute, index)}\n`).length > 0,
    );
    expect(reported).toEqual(cases.map(([, hasValue]) => !hasValue));
  });
});
