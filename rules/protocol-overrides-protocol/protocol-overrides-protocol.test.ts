import { expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { protocolOverridesProtocol } from "./protocol-overrides-protocol.js";

const check = (text: string) => findingsOf([protocolOverridesProtocol], text);
const summarize = (text: string) => check(text).map(({ message, notes = [] }) => [message, ...notes].join(" | "));

test("reports a protocol without a sign", () => {
  expect(check("SSLProtocol TLSv1.2 TLSv1.3")).toEqual([
    {
      rule: "protocol-overrides-protocol",
      severity: "warning",
      at: "1:21-1:28",
      text: "TLSv1.3",
      message: "`TLSv1.3` overrides the protocols before it in `SSLProtocol`",
      notes: ["`TLSv1.2` has no effect (AH02532)"],
      help: ["use `+TLSv1.3` to add the protocol"],
      related: [],
    },
  ]);
});

test.each([
  [
    "SSLProxyProtocol all -SSLv3 TLSv1.2",
    "`TLSv1.2` overrides the protocols before it in `SSLProxyProtocol` | `all` and `-SSLv3` have no effect (AH02532)",
  ],
  [
    "SSLProtocol +tlsv1.2 ALL",
    "`ALL` overrides the protocols before it in `SSLProtocol` | `+tlsv1.2` has no effect (AH02532)",
  ],
])("reports %s", (text, header) => {
  expect(summarize(text)).toEqual([header]);
});

test.each([
  "SSLProtocol -all TLSv1.2",
  "SSLProtocol -all +TLSv1.2 +TLSv1.3",
  "SSLProtocol TLSv1.2 +TLSv1.3",
  "SSLProtocol all -SSLv3",
  "SSLProtocol -SSLv2 all",
  "SSLProtocol TLSv1.2 TLSv2",
])("does not report %s", (text) => {
  expect(check(text)).toEqual([]);
});
