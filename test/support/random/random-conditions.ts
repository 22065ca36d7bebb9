import fc from "fast-check";
import { joined, pick } from "./random-texts.js";

type Texts = fc.Arbitrary<string>;

/** Values that a condition may read, each with values that some requests have. */
const lookedAt: readonly (readonly [word: string, values: readonly string[]])[] = [
  ["%{HTTP:X-A}", ["a", "b", "10.1.2.3", ""]],
  ["req('X-B')", ["On", "off", "a"]],
  ["%{req_novary:X-A}", ["a"]],
  ["reqenv('flag')", ["1", "", "a"]],
  ["%{reqenv:MATCH_FIRST}", ["a", "d", "al"]],
  ["reqenv('MATCH_NAME')", ["index", "x", "page"]],
  ["%{REQUEST_URI}", ["/a/x.txt", "/", "/a/b/"]],
  ["%{REMOTE_ADDR}", ["10.1.2.3", "127.0.0.1"]],
  ["%{QUERY_STRING}", ["", "q=1"]],
  ["%{REQUEST_METHOD}", ["GET", "POST"]],
  ["%{REQUEST_SCHEME}", ["http"]],
  ["%{REQUEST_FILENAME}", ["@ROOT@/htdocs/a/x.txt", "@ROOT@/htdocs/"]],
  ["%{HTTP_HOST}", ["a.test", "b.test"]],
  ["%{SERVER_NAME}", ["a.test", "x.test", "b.test"]],
  ["%{SERVER_PORT}", ["@PORT1@", "80"]],
  ["%{IS_SUBREQ}", ["true", "false"]],
  ["%{HTTP_USER_AGENT}", ["curl/8", "Mozilla"]],
  ["%{HTTPS}", ["on", "off"]],
  ["%{THE_REQUEST}", ["GET / HTTP/1.1"]],
  ["%{SERVER_PROTOCOL}", ["HTTP/1.1", "INCLUDED"]],
  ["tolower(%{HTTP:X-B})", ["on"]],
  ["toupper(%{HTTP:X-A})", ["A"]],
  ["md5(%{HTTP:X-A})", ["0cc175b9c0f1b6a831c399e269772661"]],
  ["base64(%{HTTP:X-A})", ["YQ=="]],
];

const withValue = fc
  .constantFrom(...lookedAt)
  .chain(([word, values]) => fc.tuple(fc.constant(word), fc.constantFrom(...values)));
const word: Texts = fc.constantFrom(...lookedAt).map(([each]) => each);
const quoted = (text: string) => `'${text}'`;

const patterns = [
  "/^a/",
  "m#^/a/#",
  "/^10\\./",
  "/./",
  "/B$/i",
  "m#/([^/]+)$#",
  "/^(.)/",
  "/x|y/",
  "m#^@ROOT@/htdocs/a#",
];
const subnets = ["10.0.0.0/8", "10.1", "127.0.0.0/8", "2001:db8::/32", "192.0.2.7", "::1"];

const test: Texts = fc.oneof(
  { weight: 1, arbitrary: pick("true", "false") },
  {
    weight: 4,
    arbitrary: fc
      .tuple(withValue, pick("==", "!=", "=", "<", ">="))
      .map(([[left, value], operator]) => `${left} ${operator} ${quoted(value)}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(withValue, pick("a", "b", ""))
      .map(([[left, value], other]) => `${left} -in { ${quoted(other)}, ${quoted(value)} }`),
  },
  { weight: 3, arbitrary: joined(word, pick(" =~ ", " !~ "), pick(...patterns)) },
  // A pattern's match is used later in the same condition.
  { weight: 1, arbitrary: joined(word, pick(" =~ m#^/?([a-z]+)# && $1 == "), pick("'a'", "'index'", "'on'")) },
  {
    weight: 1,
    arbitrary: joined(
      word,
      pick(" =~ /^(.)(.)?/ && "),
      pick("'$1$2'", "$2", "'x$1'"),
      pick(" == 'a'", " =~ /^x?[a1]/"),
    ),
  },
  { weight: 1, arbitrary: joined(pick("%{REMOTE_ADDR} -ipmatch ", "-R "), pick(...subnets).map(quoted)) },
  { weight: 1, arbitrary: joined(pick("-n ", "-z ", "-T "), word) },
  {
    weight: 1,
    arbitrary: joined(
      word,
      pick(" -strmatch ", " -strcmatch ", " -fnmatch "),
      pick("'*a*'", "'/?/*'", "'A'", "'[ab]'", "'1?.*'"),
    ),
  },
  {
    weight: 1,
    arbitrary: joined(
      pick("'1' ", "%{SERVER_PORT} ", "%{HTTP:X-A} "),
      pick("-eq", "-lt", "gt", "-ne"),
      pick(" 10", " 1", " 081"),
    ),
  },
  { weight: 1, arbitrary: joined(word, pick(" . "), word, pick(" =~ /ao/", " == 'a'", " != '1'")) },
);

/** Conditions that mostly hold for some requests and not for others. */
export const condition: Texts = fc.oneof(
  { weight: 5, arbitrary: test },
  {
    weight: 1,
    arbitrary: joined(
      pick("! ", "!"),
      test.map((each) => `(${each})`),
    ),
  },
  { weight: 1, arbitrary: joined(test, pick(" && ", " || ", " and "), test) },
);

/** A condition that may also read the user: only useful for Require expr. */
export const userCondition: Texts = fc.oneof(
  { weight: 3, arbitrary: condition },
  {
    weight: 1,
    arbitrary: pick("%{REMOTE_USER} == 'alice'", "-n %{REMOTE_USER}", "%{REMOTE_USER} != 'bob'", "-z %{REMOTE_USER}"),
  },
);

/** Quotes a text as a single argument. */
export function inQuotes(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
