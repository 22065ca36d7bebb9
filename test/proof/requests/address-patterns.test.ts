import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressesMatching, parseAddressPattern } from "../../../src/proof/requests/address-patterns.js";
import { addressBitAt, networksOf } from "../../../src/proof/requests/address-sets.js";
import { Diagrams } from "../../../src/proof/requests/bdd.js";
import { formatAddress, formatNetwork, parseAddress } from "../../../src/text/addresses.js";

/** Returns the networks that a pattern matches; undefined if they are unknown. */
function networks(pattern: string, ignoreCase = false): readonly string[] | undefined {
  const read = parseAddressPattern(pattern, ignoreCase);
  if (read?.ofIpv6 === undefined) return undefined;
  const diagrams = new Diagrams(100_000);
  const set = addressesMatching(diagrams, read);
  if (set === "too large") return ["too large"];
  const found = networksOf(diagrams, set, 100);
  return found === "too large" ? ["too many"] : found.map(formatNetwork);
}

describe("returns the networks that a pattern matches", () => {
  test.each([
    [String.raw`^10\.`, ["10.0.0.0/8"]],
    [String.raw`^192\.168\.`, ["192.168.0.0/16"]],
    [String.raw`^(10|127)\.`, ["10.0.0.0/8", "127.0.0.0/8"]],
    [String.raw`^10\.1\.2\.3$`, ["10.1.2.3"]],
    [String.raw`^172\.(1[6-9]|2\d|3[01])\.`, ["172.16.0.0/12"]],
    [String.raw`^\d+\.\d+\.\d+\.0$`, ["too many"]],
    ["^[^:]+$", ["0.0.0.0/0"]],
    [String.raw`^(?!\d{1,2}\.|1\d\d\.|2[0-4]\d\.)`, ["250.0.0.0/7", "252.0.0.0/6", "::/0"]],
    [":", ["::/0"]],
    ["no address", []],
    ["", ["0.0.0.0/0", "::/0"]],
  ])("%s", (pattern, expected) => {
    expect(networks(pattern)).toEqual(expected);
  });

  test("if an unescaped dot matches more digits", () => {
    expect(networks("^10.1.2.3$")).toEqual(["10.1.2.3"]);
    expect(networks(String.raw`^10.1\.`)).toEqual(["10.1.0.0/16"]);
    // 2001:db8:10:0:0:… also contains it.
    expect(networks("10.0.0")).toBeUndefined();
  });

  test("but not for a pattern that distinguishes IPv6 addresses or is unsupported", () => {
    expect(networks("^2001:db8:")).toBeUndefined();
    expect(networks(String.raw`^(?>10)\.`)).toBeUndefined();
  });

  test("which contain exactly the addresses whose text matches", () => {
    const patterns = [
      String.raw`^1\d?\.`,
      String.raw`^[0-9.]*\.25[0-5]$`,
      String.raw`^[^.:]*\.0\.`,
      String.raw`^[^:]*7\.7`,
      "^[1-9][0-9.]*$",
    ];
    const octet = fc.integer({ min: 0, max: 255 });
    const address = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join("."));
    fc.assert(
      fc.property(fc.constantFrom(...patterns), address, (pattern, text) => {
        const read = parseAddressPattern(pattern, false);
        const client = parseAddress(text);
        if (read === undefined || client === undefined) throw new Error("not parsed");
        const diagrams = new Diagrams(100_000);
        const set = addressesMatching(diagrams, read);
        if (set === "too large") throw new Error("too large");
        expect(formatAddress(client)).toBe(text);
        expect(diagrams.evaluate(set, (level) => addressBitAt(client, level))).toBe(new RegExp(pattern).test(text));
      }),
    );
  });
});
