import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkNames, parseExpression, parseStringExpression } from "../../grammar/expression/expression.js";
import { runCount, seedOr } from "../support/depth.js";
import { httpd, liveTitle, loadModules, runHttpd } from "../support/httpd/httpd.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";
import { joined, pick } from "../support/random/random-texts.js";

const count = runCount(120, 1000);
const seed = seedOr(20260101);

const modules = ["authn_core", "ssl", "slotmem_shm", "proxy", "proxy_balancer", "proxy_hcheck"];

const variables = [
  "HTTP_HOST",
  "http_user_agent",
  "REQUEST_URI",
  "HTTPS",
  "TIME_WDAY",
  "SSL_PROTOCOL",
  "ssl_x",
  "HC_CODE",
];
const functions = ["req", "HTTP", "resp", "env", "reqenv", "req_novary", "tolower", "md5", "file", "ldap", "SSL", "hc"];
const unknown = ["FOO", "HTTP", "nope", "v", "REQUEST", "m", "lt"];
const subnets = ["10.0.0.0/8", "10.1", "1.2.3.4.", "10/8", "::1", "fe80::/10", "::ffff:1.2.3.4", "1.2.3.4/255.0.0.0"];
const oddSubnets = ["1.2.3.4/33", "1.2.3.4/0", "256.1", "host", "", "1..2", "::1/129", "1.2.3.4/ +8", "4294967297.1"];
const snippets = [
  "10",
  "a",
  "x y",
  "%",
  "$",
  "}",
  "%%",
  "\\'",
  "\\\\",
  "\\n",
  "\\101",
  "\\9",
  "\\400",
  "\\1234",
  "{",
  "#",
  "\xe9",
];
const patterns = ["^/a", "a|b", "(x)", ".", "\\.php$", "[a-z]+", "", "_", "x#y"];

const spaced = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts, fc.constantFrom(" ", "  ", "\t")).map((texts) => texts.slice(0, -1).join(texts.at(-1)));

/** Expressions, mostly ones that the server accepts. */
const {
  condition,
  test: simple,
  string,
} = fc.letrec<Record<"condition" | "test" | "word" | "string" | "argument", string>>((tie) => {
  const nameOf = (known: readonly string[]) =>
    fc.oneof({ weight: 12, arbitrary: pick(...known) }, { weight: 1, arbitrary: pick(...unknown) });
  const part = (more: readonly string[]) =>
    fc.oneof(
      { weight: 6, arbitrary: pick(...snippets.slice(0, 7), ...more) },
      { weight: 1, arbitrary: pick(...snippets) },
      { weight: 2, arbitrary: joined(pick("%{"), nameOf(variables), pick("}")) },
      { weight: 1, arbitrary: pick("$0", "$9", "$1") },
      { weight: 2, arbitrary: joined(pick("%{"), nameOf(functions), pick(":"), tie("argument"), pick("}")) },
    );
  const list = fc.oneof(
    joined(
      pick("{"),
      fc.array(tie("word"), { minLength: 1, maxLength: 3 }).map((words) => words.join(", ")),
      pick("}"),
    ),
    joined(pick("PeerExtList(", "peerextlist(", "split("), tie("word"), pick(")")),
  );
  const regex = fc.oneof(
    joined(pick("/"), pick(...patterns), pick("/", "/i", "/I", "/ i")),
    fc
      .tuple(pick(..."/#$%^,;:_?|-!.'\"a&~+("), pick(...patterns), pick("", "i", "g"))
      .map(([delimiter, pattern, flag]) => `m${delimiter}${pattern}${delimiter}${flag}`),
  );
  return {
    argument: fc.oneof(
      { depthSize: "small" },
      fc
        .array(pick("a", "X-H", " ", "%", "$", '\\"', "\\}", "\\0", '"', "{", "#"), { minLength: 0, maxLength: 3 })
        .map((texts) => texts.join("")),
      pick("User-Agent"),
      joined(pick("a", ""), part(["b"])),
    ),
    string: fc.array(part(['"', "'"]), { maxLength: 4 }).map((parts) => parts.join("")),
    word: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      pick("10", "-3", "007"),
      joined(
        pick("'"),
        fc.array(part(['"']), { maxLength: 3 }).map((parts) => parts.join("")),
        pick("'"),
      ),
      joined(
        pick('"'),
        fc.array(part(["'"]), { maxLength: 3 }).map((parts) => parts.join("")),
        pick('"'),
      ),
      joined(pick("%{"), nameOf(variables), pick("}")),
      pick("$1", "$0"),
      joined(pick("%{"), nameOf(functions), pick(":"), tie("argument"), pick("}")),
      joined(nameOf(functions), pick("(", " ("), tie("word"), pick(")")),
      joined(tie("word"), pick(".", " . "), tie("word")),
    ),
    test: fc.oneof(
      pick("true", "false"),
      joined(pick("-n ", "-z", "-T ", "-e ", "-F ", "-U", "-A ", "-x ", "-E ", "-i "), tie("word")),
      joined(pick("-R '", '-R "'), pick(...subnets, ...oddSubnets), pick("'", '"')),
      spaced(tie("word"), pick("==", "=", "!=", "<", "<=", ">", ">=", "===", "=>"), tie("word")),
      spaced(tie("word"), pick("-eq", "eq", "-ne", "ne", "-lt", "lt", "le", "gt", "-ge", "EQ"), tie("word")),
      spaced(tie("word"), pick("=~", "!~", "=~"), regex),
      spaced(tie("word"), pick("in", "-in", "-in"), list),
      spaced(tie("word"), pick("-strmatch", "-strcmatch", "-fnmatch", "-STRMATCH", "-foo"), tie("word")),
      joined(tie("word"), pick(" -ipmatch '"), pick(...subnets, ...oddSubnets), pick("'")),
    ),
    condition: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("test"),
      joined(pick("!", "! ", "not "), tie("condition")),
      joined(pick("(", "( "), tie("condition"), pick(")", " )")),
      joined(tie("condition"), pick("&&", " and ", " && ", "||", " or ", " || "), tie("condition")),
    ),
  };
});

const fragments = [..."\"'%{}$()!=~<>&|.,:/\\-_m0i# \t;\r\x0b\xe9", "%{", "m#", "-in", "and", "true", "TRUE", "1", "a"];

/** Returns expressions with a small change. */
function mutate(whole: fc.Arbitrary<string>, inserts: readonly string[]): fc.Arbitrary<string> {
  const change = { at: fc.nat(), drop: fc.nat(2), insert: fc.constantFrom("", ...inserts) };
  return fc.tuple(whole, fc.record(change)).map(([text, { at, drop, insert }]) => {
    const position = at % (text.length + 1);
    return text.slice(0, position) + insert + text.slice(position + drop);
  });
}

const moreSubnets = ["1:2:3:4:5:6:7:8", "::1.2.3.4/12", "0:0::ffff:1:2", "0010.2.3.4/8", "::1:/8"];
const subnet = mutate(pick(...subnets, ...oddSubnets, ...moreSubnets), [..."0123456789abF.:/ +-%"]);
const inSubnet = subnet.map((text) => `-R '${text}'`);

const edges = [
  ...["true /x && ", "-T 007/", "true m#", "$1 =~ m^^/a^i", "$1 =~ m_x_", "$1 =~ m_(x)_", "$1 =~ /a\\//", "$1 =~ //"],
  ...["$1 =~ /a/ig", "$1 =~ m'a'", "m/a/", "TRUE", "true AND true", "%{HTTPS}", "-n", "true)", "((true)", "!!true"],
  ...["-n '\\08'", "-n '\\377'", "-n '\\400'", "-n '\\0'", "-n 'a\\", "-n %{req:a'b}", "-n %{req:\\'}", "-n %{req:}"],
  ...["-n '%%{HTTPS}'", "-n '$$1'", "%{HTTPS}%{HTTPS} == 1", "-n 1 .2", "-n -1", "-n 'a' - 1", "-eq 1", "1 -eq1 2"],
  ...[
    "-R '10.0.0.01/8'",
    "-R '::1:'",
    "-R 10",
    '-R "10"',
    "-_ 'a'",
    "1 -eq -1",
    "1 ==-1",
    "1===1",
    "1 in {}",
    "1 in {1,}",
  ],
  ...["true\r", "true\x0b", "\xa0true", "-n '\xff'", "true and(true)", "nottrue", "not(true)", "md5 (1) in md5(1)"],
  ...[
    `-n '${"a".repeat(8191)}'`,
    `-n '${"a".repeat(8192)}'`,
    `1 =~ /${"a".repeat(8191)}/`,
    `true /${"a".repeat(8192)}`,
  ],
  `true${"&&true".repeat(4_990)}`,
  `-n 1${".1".repeat(4_990)}`,
  `${"(".repeat(256)}true${")".repeat(256)}`,
];

/** Quotes a text so that `ap_getword_conf` restores it. A line cannot contain a line feed or a literal `${`. */
function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

function fitsOnLine(text: string): boolean {
  return text !== "" && !/[\0\n]|\$\{/.test(text);
}

interface Answer {
  readonly accepted: boolean;
  readonly message: string;
}

/** Tests a text on the server. The message about a rejected text is in the last line. */
function testOnServer(folder: string, directive: (argument: string) => string, text: string): Answer {
  const configuration = join(folder, "httpd.conf");
  const head = `ServerRoot "${folder}"\nServerName localhost\nErrorLog "${folder}/error.log"\n`;
  const lines = `${head}${loadModules(["mpm_event", ...modules])}${directive(quote(text))}\n`;
  writeFileSync(configuration, lines, "latin1");
  const { status, stderr } = runHttpd(configuration);
  return { accepted: status === 0, message: stderr.trim().split("\n").at(-1) ?? "" };
}

type Parse = typeof parseExpression | typeof parseStringExpression;

/**
 * Returns our verdict if it differs from the server's. For unknown names, the server's message may end in that of any
 * lookup.
 */
function disagreement(server: Answer, text: string, parse: Parse): string | undefined {
  const parsed = parse(text);
  if (!parsed.ok) return server.accepted ? parsed.error.message : undefined;
  const unknown = checkNames(parsed.value.expression).map((error) => error.message);
  if (unknown.length === 0) return server.accepted ? undefined : "accepted";
  return unknown.some((message) => server.message.endsWith(message)) ? undefined : unknown.join(", ");
}

/** Tests each text with the server, and lists the differences. */
function compare(texts: readonly string[], directive: (argument: string) => string, parse: Parse) {
  return inScratchFolder((folder) => {
    let accepted = 0;
    const differing: { text: string; server: Answer; ours: string }[] = [];
    for (const text of texts.filter(fitsOnLine)) {
      const server = testOnServer(folder, directive, text);
      if (server.accepted) accepted++;
      // The grammar does not decide whether a regular expression compiles.
      if (server.message.endsWith("Failed to compile regular expression")) continue;
      const ours = disagreement(server, text, parse);
      if (ours !== undefined) differing.push({ text, server, ours });
    }
    return { differing, accepted };
  });
}

describe.skipIf(!httpd)(liveTitle("expressions, compared with the live server"), () => {
  const timeout = 60_000 + 200 * count;
  const inIf = (argument: string) => `<If ${argument}>\n</If>`;
  const inAuthName = (argument: string) => `<Location "/">\nAuthName ${argument}\n</Location>`;

  test("have the server's verdict in edge cases", { timeout }, () => {
    expect(compare(edges, inIf, parseExpression).differing).toEqual([]);
  });

  test.each([
    ["conditions", condition, inIf, parseExpression, 0.35],
    ["mutated conditions", mutate(simple, fragments), inIf, parseExpression, 0.35],
    ["subnets", inSubnet, inIf, parseExpression, 0.1],
    ["strings", string, inAuthName, parseStringExpression, 0.1],
    ["mutated strings", mutate(string, fragments), inAuthName, parseStringExpression, 0.1],
  ] as const)("have the server's verdict: %s", { timeout }, (name, texts, directive, parse, share) => {
    const sample = fc.sample(texts, { seed, numRuns: Math.ceil(count * share) });
    const { differing, accepted } = compare(sample, directive, parse);
    expect(differing, `${name}, seed ${seed}`).toEqual([]);
    expect(accepted).toBeGreaterThan(0);
  });
});
