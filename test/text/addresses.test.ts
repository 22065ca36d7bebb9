import { describe, expect, test } from "vitest";
import { readSubnet } from "../../src/text/addresses.js";

const show = (text: string): string => {
  const verdict = readSubnet(text);
  if (!verdict.ok) return verdict.error;
  const { family, network, mask } = verdict.value;
  return `${family} ${network.toString(16)} ${mask.toString(16)}`;
};

const badAddress = "The specified IP address is invalid.";
const badMask = "The specified network mask is invalid.";

/** Each was tested on a running server. */
describe("parseSubnet as in APR", () => {
  test.each([
    ["10.1.2.3", "4 a010203 ffffffff"],
    ["010.1.2.3", "4 a010203 ffffffff"],
    ["10", "4 a000000 ff000000"],
    ["10.1.", "4 a010000 ffff0000"],
    ["1.2.3.4.", "4 1020304 ffffffff"],
    ["4294967297", "4 1000000 ff000000"],
    ["10.1.2.3/8", "4 a000000 ff000000"],
    ["10.1.2.3/+8", "4 a000000 ff000000"],
    ["10.1.2.3/ 8", "4 a000000 ff000000"],
    ["10.1.2.3/255.0.255.0", "4 a000200 ff00ff00"],
    ["10.1.2.3/0.0.0.0", "4 0 0"],
    ["::", `6 0 ${"f".repeat(32)}`],
    ["1::", `6 1${"0".repeat(28)} ${"f".repeat(32)}`],
    ["00001::", `6 1${"0".repeat(28)} ${"f".repeat(32)}`],
    ["2001:db8::1/32", `6 20010db8${"0".repeat(24)} ffffffff${"0".repeat(24)}`],
    ["::1.2.3.4", `6 1020304 ${"f".repeat(32)}`],
    ["1:2:3:4:5:6:7:8:", `6 10002000300040005000600070008 ${"f".repeat(32)}`],
  ])("returns the network of %s", (text, expected) => {
    expect(show(text)).toBe(expected);
  });

  test.each([
    ...[
      "127/8",
      "127.0.0/24",
      "127/x",
      "256",
      "1..2",
      ".1",
      "1.2.3.4.5",
      "1.2.3.4./8",
      "99999999999",
      "0000000000000000000001.2",
    ],
    ...[
      "::ffff:1.2.3.4",
      "::FFFF:0:0",
      "fe80::1%lo",
      "12345::",
      "1::2::3",
      "1:",
      ":",
      "a:b",
      "host:80",
      "[::1]",
      "http://x",
    ],
  ])("returns no address for %s", (text) => {
    expect(show(text)).toBe(badAddress);
  });

  test.each([
    "1.2.3.4/0",
    "1.2.3.4/33",
    "1.2.3.4/",
    "1.2.3.4/255.0",
    "1.2.3.4/x",
    "::1/129",
    "::1/255.0.0.0",
    "1.2.3.4/8/8",
  ])("reports a wrong mask in %s", (text) => {
    expect(show(text)).toBe(badMask);
  });

  test.each(["example.org", "all", "10.1.2.x", "", "#", "x/8", "/8", "127.0.0.*", "a,b", " 10.1.2.3"])(
    "%j looks like none",
    (text) => {
      expect(show(text)).toBe("not-an-address");
    },
  );
});
