import { describe, expect, test } from "vitest";
import { checkPassword, digestHashOf } from "../../src/server/access/password-hashes.js";

const longText = "long password 12345678901234567890 123456789012345678901234567890 end";

/** Hashes that `openssl passwd`, `crypt` of glibc and `htpasswd` made. */
const made: readonly (readonly [password: string, hash: string])[] = [
  ["x", "{SHA}EfatjsUqKYSrqv18O1FlA3hcIHI="],
  ["geheim äö", "$apr1$abcdefgh$RSv/JLXYbkKtCEAXKQ8uH/"],
  ["x", "$apr1$ab$eIePjsejfBGR8ITtu2z0U1"],
  ["geheim äö", "$1$abcdefgh$C2PPEGAtjE9W1BRS8eNr.1"],
  ["x", "$1$ab$e2KlfqG5YBMTjSz7XF.Eu1"],
  ["geheim äö", "$5$abcdefgh$G.zRxTfQGpLybwTOX5DQFxltnhvRgD7kaxOaHAJa8R2"],
  ["x", "$5$ab$5ydlOaPxAq0VpamGFK.BZgHF7HlR0erJsH.F7VB19f0"],
  ["abc", "$5$rounds=1200$pepper$YVEipNo1RkrdUh0FMgz0IyBPdrpLwGT7DPWz.D8XIE9"],
  ["geheim äö", "$6$abcdefgh$T1/w6U93VSxm2nU.BJ.eSVHnV/HozKGruAG2vx2v0NPDxd0hcJG.d3WOKsIh3ZRMjhBLREa/7INeBcyzmBGnD/"],
  [
    longText,
    "$6$rounds=1500$salt$5LiSW3mNCIMFzlZlgwARnu0TVHLdSXQNIB7I1fAkJR3Q4s6f9r9YwdI75EZPPlrfar8KPL2vQh4OE9wyBvN.P/",
  ],
];

const asBytes = (text: string) => Buffer.from(text).toString("latin1");

describe("checkPassword", () => {
  test.each(made)("accepts %j for %s, and nothing else", (password, hash) => {
    expect(checkPassword(hash, asBytes(password))).toBe("right");
    expect(checkPassword(hash, asBytes(`${password}x`))).toBe("wrong");
    expect(checkPassword(hash, "")).toBe("wrong");
  });

  test.each([
    ["$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC", "bcrypt"],
    ["rqXexS6ZhobKA", "DES"],
    ["$y$j9T$salt$hash", "$y$"],
    ["$6$rounds=900000$salt$x", "$6$"],
  ])("does not guess for %s", (hash, unknownScheme) => {
    expect(checkPassword(hash, "x")).toEqual({ unknownScheme });
  });
});

test("the hash of Digest has the user, the realm and the password", () => {
  expect(digestHashOf("Mufasa", "testrealm@host.com", "Circle Of Life")).toBe("939e7578ed9e3c518a452acee763bce9");
});
