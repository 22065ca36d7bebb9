import type { Random } from "../../support/random/random.js";

/** Generates access-control lines for a section, correct and incorrect, as people and tools write them. */
export function randomAccessLines(random: Random): string {
  const lines = Array.from({ length: 1 + random.below(3) }, () => item(random, 0));
  return lines.join("");
}

function item(random: Random, depth: number): string {
  const roll = random.next();
  if (depth < 3 && roll < 0.2) return container(random, depth);
  if (depth < 3 && roll < 0.26) return limit(random, depth);
  // Containers have only Require lines and containers; elsewhere, all directives are generated.
  if (roll < 0.62 || depth > 0)
    return line(random, random.pick(["Require", "Require", "require", "REQUIRE"]), requirement(random));
  return random.pick([
    () => line(random, random.pick(["Allow", "Deny", "allow", "DENY"]), hosts(random)),
    () => line(random, random.pick(["Allow", "Deny"]), hosts(random)),
    () => line(random, "Order", random.pick(orders)),
    () =>
      line(random, "Satisfy", random.pick(["any", "all", "ANY", "Both", "", "any all", '"any"', "any # x", "none"])),
    () => line(random, "Options", options(random)),
    () => line(random, "AuthMerging", random.pick(["Off", "and", "OR", "xor", "", "and or", "On"])),
    () => line(random, "AuthType", random.pick(["Basic", "None", "", "Basic # x", '""'])),
    () => line(random, "AuthName", random.pick(["x", '"a b"', "a b", "", "'a b'"])),
    () => line(random, "AuthUserFile", random.pick(["users", "users standard", "", "/dev/null"])),
    () => line(random, "AuthzSendForbiddenOnFailure", random.pick(["On", "off", "yes", "", "On Off", "0"])),
  ])();
}

function container(random: Random, depth: number): string {
  const name = random.pick(["RequireAll", "RequireAll", "RequireAny", "RequireNone", "requireall"]);
  const open = random.chance(0.9) ? `<${name}>` : `<${name}${random.pick([" >", " x>", " x", ' "">', "  > ", " > x"])}`;
  const content = Array.from({ length: random.below(4) }, () => item(random, depth + 1)).join("");
  return `${open}\n${content}</${name}>\n`;
}

function limit(random: Random, depth: number): string {
  const name = random.pick(["Limit", "Limit", "LimitExcept"]);
  const methods = random.pick([
    "GET",
    "POST",
    "GET POST",
    "HEAD",
    "TRACE",
    "get",
    "PUT DELETE",
    "",
    "FOO",
    "GET HEAD",
    '"GET POST"',
  ]);
  const content = Array.from({ length: random.below(3) }, () => item(random, depth + 1)).join("");
  return `<${name}${methods ? " " : ""}${methods}>\n${content}</${name}>\n`;
}

const orders: readonly [string, ...string[]] = [
  "deny,allow",
  ...["allow,deny", "mutual-failure", "Deny,Allow", "ALLOW,DENY", '"deny,allow"', "deny, allow"],
  ...[
    "deny ,allow",
    "deny,allow # x",
    "allow",
    "",
    "deny;allow",
    "mutual_failure",
    '"deny, allow"',
    '""',
    "denny,allow",
  ],
];

function options(random: Random): string {
  const words = [
    "Indexes",
    "+Indexes",
    "-FollowSymLinks",
    "FollowSymLinks",
    "None",
    "All",
    "+None",
    "-All",
    "Nope",
    "+",
    "#",
    '""',
    "includes",
  ];
  return Array.from({ length: random.below(4) }, () => words[random.below(words.length)]).join(" ");
}

function hosts(random: Random): string {
  const from = random.pick(["from", "from", "from", "from", "from", "From", "FROM", '"from"', "form", "", "from:"]);
  const words = Array.from({ length: random.below(4) }, () => host(random));
  return [from, ...words].filter((word) => word !== "").join(" ");
}

function host(random: Random): string {
  return random.pick([
    () => address(random),
    () => address(random),
    () =>
      random.pick([
        "all",
        "ALL",
        "none",
        "*",
        "example.org",
        ".example.org",
        "a,b",
        "localhost",
        "#",
        "# x",
        "a#b",
        '""',
        '"a b"',
      ]),
    () =>
      random.pick([
        "env=X",
        "env=!X",
        "ENV=x",
        "env",
        "env=",
        "env=!",
        "env=#",
        "host:80",
        "http://x/",
        "x/8",
        "/8",
        "%{x",
      ]),
  ])();
}

function octet(random: Random): string {
  return random.pick([
    () => String(random.below(256)),
    () => String(random.below(256)),
    () => String(random.below(256)),
    () => random.pick(["0", "255", "256", "00", "010", "0000001", "", "999", "4294967297", "99999999999", "x", "-1"]),
  ])();
}

function address(random: Random): string {
  return random.pick([
    () => four(random, 4),
    () => four(random, 4),
    () => `${four(random, 1 + random.below(5))}${random.pick(["", "", "."])}`,
    () => `${four(random, random.chance(0.8) ? 4 : 1 + random.below(5))}/${mask(random)}`,
    () => `${four(random, 4)}/${four(random, random.chance(0.8) ? 4 : 3)}`,
    () => six(random),
    () => `${six(random)}/${mask(random)}`,
  ])();
}

function four(random: Random, parts: number): string {
  return Array.from({ length: parts }, () => octet(random)).join(".");
}

function mask(random: Random): string {
  return random.pick([
    () => String(random.below(35)),
    () => String(random.below(35)),
    () =>
      random.pick([
        "0",
        "32",
        "33",
        "64",
        "128",
        "129",
        "",
        "+8",
        "-8",
        "08",
        "8x",
        "0x8",
        "x",
        "8/8",
        "255",
        "99999999999999999999",
      ]),
  ])();
}

function six(random: Random): string {
  return random.pick([
    () =>
      random.pick([
        "::",
        "::1",
        "1::",
        "2001:db8::",
        "fe80::1%lo",
        "::ffff:1.2.3.4",
        "::1.2.3.4",
        "::ffff:0:0",
        "1:",
        ":1",
        ":",
        "[::1]",
        "a:b",
      ]),
    () => groups(random, 8),
    () => groups(random, 1 + random.below(10)),
    () => `${groups(random, random.below(4))}::${groups(random, random.below(5))}`,
    () => `${groups(random, 6)}:${four(random, 4)}`,
    () => `::${groups(random, random.below(4))}:${four(random, 4)}`,
  ])();
}

function groups(random: Random, count: number): string {
  const group = () =>
    random.pick(["0", "1", "ffff", "FFFF", "db8", "0000", "00001", "12345", "g", random.below(65536).toString(16)]);
  return Array.from({ length: count }, group).join(":");
}

function requirement(random: Random): string {
  const not = random.chance(0.15) ? random.pick(["not ", "NOT ", '"not" ', "not not "]) : "";
  return `${not}${random.pick([
    () =>
      `ip ${Array.from({ length: random.below(4) }, () => (random.chance(0.85) ? address(random) : host(random))).join(" ")}`,
    () => `ip ${address(random)}`,
    () =>
      `all ${random.pick(["granted", "denied", "GRANTED", "Denied", "allowed", "", '"granted"', "granted # x", "granted denied"])}`,
    () => `all ${random.pick(["granted", "denied"])}`,
    () =>
      random.pick([
        "valid-user",
        "Valid-User",
        "user",
        "user bob",
        "USER bob",
        "group",
        "Group staff",
        "group staff # x",
        "valid-user x",
      ]),
    () =>
      random.pick([
        "host example.org",
        "host",
        "host # x",
        "local",
        "local x",
        "env",
        "env X !Y",
        "forward-dns a.b",
        "file-owner",
        "dbm-group x",
      ]),
    () =>
      `method ${random.pick(["GET", "get", "GET POST", "", "FOO", "HEAD", "GET # x", '"GET POST"', '"" foo', "VERSION-CONTROL"])}`,
    () =>
      random.pick([
        "",
        "bogus",
        "bogus x",
        "ldap-user x",
        "ssl",
        "ssl on",
        "ssl-verify-client",
        "from all",
        "ALL granted",
        '"all" granted',
      ]),
    () =>
      random.pick([
        "expr true",
        "expr",
        'expr "true"',
        "not-there",
        "dbd-group x",
        "granted",
        "unix-group x",
        '""',
        "alll granted",
      ]),
  ])()}`;
}

/** Varies spacing and case as people do. */
function line(random: Random, name: string, rest: string): string {
  const indent = random.pick(["", "", "  ", "\t"]);
  const gap = random.pick([" ", " ", " ", "  ", "\t", " \\\n "]);
  return `${indent}${name}${rest === "" ? "" : gap}${rest}${random.pick(["\n", "\n", "\n", " \n", "\r\n"])}`;
}
