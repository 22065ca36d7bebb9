import { describe, expect, it } from "vitest";
import { checkPassword, digestHashOf } from "../../../src/server/access/password-hashes.js";

/** Hashes of `pass word` with the salt `saltsalt`, as `openssl passwd` and `openssl dgst` print them. */
const hashes = [
  "$apr1$saltsalt$qYpLAVWkBvXFyDme7.oc1/",
  "$1$saltsalt$1K7dkhtbTNVUwUicA5kOT1",
  "$5$saltsalt$9Wp9Qw4Ze8Jxq5F1Z3UnS47KFhc8AqhCRyxFDa8e660",
  "$6$saltsalt$cc1KsgmlKYtCcnNH8.sv7Fe8mca8fAso5fHlNrb1VZa5WYQ.L3ChTcx06ID.LoaXZAf9CZNraK43XCp7LxKHl1",
  "{SHA}2oguq15ANCGsJCWKX31fllwpyEk=",
];

describe("a stored password", () => {
  it.each(hashes)("%s is compared with the password of a request", (hash) => {
    expect(checkPassword(hash, "pass word")).toBe("right");
    expect(checkPassword(hash, "pass  word")).toBe("wrong");
    expect(checkPassword(hash, "")).toBe("wrong");
    expect(checkPassword(`${hash.slice(0, -1)}x`, "pass word")).toBe("wrong");
  });

  it.each(["$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC", "$7$x", "rqXexS6ZhobKA", ""])(
    "with the hash %s is not known",
    (hash) => {
      expect(checkPassword(hash, "pass word")).toHaveProperty("unknownScheme");
    },
  );
});

it("the hash of a digest is that of the user, the realm and the password", () => {
  // RFC 2617, section 3.5.
  expect(digestHashOf("Mufasa", "testrealm@host.com", "Circle Of Life")).toBe("939e7578ed9e3c518a452acee763bce9");
});
