import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusedAtStart } from "../../../rules/refused-at-start/refused-at-start.js";
import { shadowedRule } from "../../../rules/shadowed-rule/shadowed-rule.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Release } from "../../../src/facts/release.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import type { FileTree } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { rangeOf } from "../../../src/text/source.js";
import { runCount, seedOr } from "../../support/depth.js";
import { type Lines, type LinesArbitrary, section, several } from "../../support/random/random-rules.js";
import { pick } from "../../support/random/random-texts.js";
import { lintText } from "../../support/rules.js";

const files: FileTree = { kindOf: (path) => (/^\/srv$|^\/$/.test(path) ? "directory" : "file") };

const authLines: Lines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "AuthGroupFile /etc/groups"];

/** Further lines around a section and in it, which make any effect of its rules visible. */
interface Surroundings {
  readonly outer: Lines;
  readonly inner: Lines;
}

const aroundCompat: readonly Surroundings[] = [
  { outer: ["Satisfy any", "Deny from 10.1.2.3"], inner: [] },
  { outer: ["Require valid-user"], inner: authLines },
];

const aroundRequire: readonly Surroundings[] = [
  { outer: [], inner: authLines },
  { outer: ["Require all granted"], inner: [...authLines, "AuthMerging And"] },
  { outer: ["Require all denied"], inner: [...authLines, "AuthMerging Or"] },
  { outer: ["Require valid-user"], inner: [...authLines, "AuthMerging And"] },
];

const aroundRequire22: readonly Surroundings[] = [
  { outer: [], inner: authLines },
  { outer: ["Require valid-user"], inner: [...authLines, "AuthzUserAuthoritative Off"] },
  { outer: ["Satisfy any", "Deny from all"], inner: authLines },
];

function textOf(lines: Lines, { outer, inner }: Surroundings): string {
  return [
    'DocumentRoot "/srv"',
    ...['<Directory "/">', ...outer, "</Directory>"],
    ...['<Directory "/srv">', ...inner, ...lines, "</Directory>"],
  ].join("\n");
}

function deciderOf(lines: Lines, surroundings: Surroundings, release: Release): SimulatedServer {
  const access = memoryAccess({ "/etc/httpd.conf": textOf(lines, surroundings) });
  const loaded = loadProject("/etc/httpd.conf", { access, release, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  return new SimulatedServer(loaded.value, files);
}

/** Returns requests from all clients that the lines may distinguish. */
function requestsFor(lines: Lines): readonly Request[] {
  const text = lines.join("\n");
  const one = (test: RegExp, ...values: readonly string[]) => [undefined, ...(test.test(text) ? values : [])];
  const addresses = ["203.0.113.9", "10.1.2.3", "10.1.9.9", "10.9.9.9", "10.200.1.1", "2001:db8::7", "2001:db9::1"];
  const requests: Request[] = [];
  for (const clientIp of addresses)
    for (const clientHost of one(/host|\.org/, "example.org", "www.example.org", "x.test"))
      for (const env of one(/env/, "flag", "other", "flag other"))
        for (const user of one(/user|group/, ...users))
          for (const method of one(/limit|method/i, "HEAD", "POST", "PUT"))
            requests.push({
              ...{ path: "/a.html", method: method ?? "GET", clientIp },
              ...(clientHost === undefined ? {} : { clientHost }),
              ...(env === undefined ? {} : { env: env.split(" ") }),
              ...(user === undefined ? {} : userIn(user)),
            });
  return requests;
}

const users = ["alice", "bob", "carol"].flatMap((user) => [user, `${user} in staff`, `${user} in ops`]);

function userIn(text: string): Pick<Request, "user" | "groups"> {
  const [user = "", group] = text.split(" in ");
  return { user, groups: group === undefined ? [] : [group] };
}

function answersOf(
  lines: Lines,
  surroundings: readonly Surroundings[],
  requests: readonly Request[],
  release: Release,
) {
  return surroundings.flatMap((each) => {
    const simulatedServer = deciderOf(lines, each, release);
    return requests.map((request) => `${simulatedServer.answer(request).status}`);
  });
}

/**
 * Returns the numbers of the reported lines, a container's with those of its contents. A finding may cover several lines
 * of a section, as its related locations.
 */
function reportedIn(lines: Lines, surroundings: Surroundings, release: Release): readonly (readonly number[])[] {
  const first = textOf([], surroundings).split("\n").length - 1;
  return lintText([shadowedRule], textOf(lines, surroundings), { release }).flatMap(({ span, related }) =>
    [span, ...related.filter(({ message }) => message === "same here").map((other) => other.span)].map((each) =>
      withContent(lines, rangeOf(each).start.line - 1 - first),
    ),
  );
}

function withContent(lines: Lines, number: number): readonly number[] {
  const tag = /^<(\w+)/.exec(lines[number] ?? "")?.[1];
  if (tag === undefined) return [number];
  let depth = 0;
  const numbers: number[] = [];
  for (let at = number; at < lines.length; at++) {
    numbers.push(at);
    if (lines[at]?.startsWith(`<${tag}`)) depth++;
    if (lines[at]?.startsWith(`</${tag}`) && --depth === 0) break;
  }
  return numbers;
}

const without = (lines: Lines, numbers: readonly number[]) => lines.filter((_, number) => !numbers.includes(number));

const isRejected = (lines: Lines, surroundings: Surroundings, release: Release) =>
  lintText([refusedAtStart], textOf(lines, surroundings), { release }).length > 0;

const networks = ["10.1.0.0/16", "10.0.0.0/8", "10.1.2.3", "10", "10.0.0.0/9", "10.128.0.0/9", "2001:db8::/32"];
const names = ["all", "all", ...networks, "example.org", "www.example.org", "env=flag", "env=!flag", "10.1 env=other"];
const limited = (content: LinesArbitrary) => section(pick("Limit GET", "Limit GET POST", "LimitExcept POST"), content);
const line = (name: string, words: readonly string[]): LinesArbitrary =>
  pick(...words).map((word) => [`${name} ${word}`]);

const compatLine: LinesArbitrary = fc.oneof(
  { weight: 2, arbitrary: line("Order", ["deny,allow", "allow,deny", "mutual-failure"]) },
  { weight: 4, arbitrary: line("Allow from", names) },
  { weight: 4, arbitrary: line("Deny from", names) },
  { weight: 1, arbitrary: line("Satisfy", ["any", "all"]) },
);
const compatLines = several(
  fc.oneof({ weight: 6, arbitrary: compatLine }, { weight: 1, arbitrary: limited(compatLine) }),
  2,
  5,
);

const providers = [
  ...["all granted", "all denied", "valid-user", "user alice", "user alice bob", "group staff", "group ops staff"],
  ...["host example.org", "host www.example.org", "env flag", "env flag other", "method GET", "method POST GET"],
  ...networks.map((each) => `ip ${each}`),
];
const unknown = ["local", "expr %{HTTP_HOST} == 'a'", "expr %{REMOTE_USER} == 'alice'", "forward-dns a.test", "ssl"];

function requireLines(words: readonly string[], depth = 2): LinesArbitrary {
  const allowing = line("Require", words);
  if (depth === 0) return allowing;
  const inner = fc.oneof({ weight: 3, arbitrary: allowing }, { weight: 1, arbitrary: requireLines(words, depth - 1) });
  const denying = fc.oneof(
    { weight: 2, arbitrary: line("Require not", words) },
    { weight: 1, arbitrary: section(pick("RequireNone"), several(inner, 1, 2)) },
  );
  return fc.oneof(
    { weight: 5, arbitrary: allowing },
    { weight: 2, arbitrary: section(pick("RequireAny"), several(inner, 1, 3)) },
    { weight: 3, arbitrary: section(pick("RequireAll"), several(fc.oneof(inner, inner, denying), 2, 3)) },
    { weight: 1, arbitrary: limited(several(inner, 1, 2)) },
  );
}

const words22 = [
  "valid-user",
  "user alice",
  "user alice bob",
  "user bob",
  "group staff",
  "group ops",
  "Group ops staff",
];
const lines22 = fc.oneof(
  { weight: 4, arbitrary: line("Require", words22) },
  { weight: 1, arbitrary: limited(line("Require", words22)) },
);

const seed = seedOr(20_260_801);
const numRuns = runCount(3, 30);

/** Returns whether a line must be found if it is redundant. */
const mustBeReported = (text: string) => /^(Allow|Deny|Require)\b/.test(text);

describe.each([
  ["mod_access_compat directives on 2.4", "2.4", several(compatLines, 1, 1), aroundCompat, true],
  ["mod_access_compat directives on 2.2", "2.2", several(compatLines, 1, 1), aroundCompat, true],
  ["Require on 2.4", "2.4", several(requireLines(providers), 1, 3), aroundRequire, true],
  ["Require on 2.2", "2.2", several(lines22, 2, 4), aroundRequire22, false],
  [
    "Require with unsupported providers",
    "2.4",
    several(requireLines([...providers.slice(0, 9), ...unknown]), 1, 3),
    aroundRequire,
    false,
  ],
] as const)("%s", (_, release, sections, surroundings, isComplete) => {
  test("are reported exactly if they have no effect on decisions", () => {
    let [reports, others] = [0, 0];
    const first = surroundings[0] ?? { outer: [], inner: [] };
    fc.assert(
      fc.property(sections, (lines) => {
        if (surroundings.some((each) => isRejected(lines, each, release))) return;
        const reported = reportedIn(lines, first, release);
        const requests = requestsFor(lines);
        const answersTo = (remaining: Lines) => String(answersOf(remaining, surroundings, requests, release));
        const answers = answersTo(lines);
        const removed = reported.flat();
        reports += reported.length;
        for (const each of [...reported, removed]) expect(answersTo(without(lines, each)), String(each)).toBe(answers);
        if (!isComplete) return;
        for (const [number, text] of lines.entries()) {
          // The rule accepts lines for all clients that repeat the default of the Order.
          if (removed.includes(number) || !mustBeReported(text) || /^(?:Allow|Deny) from all$/.test(text)) continue;
          // Of two equivalent lines, the later one is reported.
          const later = removed.filter((each) => each > number);
          const rest = without(lines, [...later, number]);
          const withoutLine = without(lines, [number]);
          if ([rest, withoutLine].some((remaining) => !hasRules(remaining) || isRejected(remaining, first, release)))
            continue;
          others++;
          const matters = answersTo(withoutLine) !== answers || answersTo(rest) !== answersTo(without(lines, later));
          expect({ text, matters }).toEqual({ text, matters: true });
        }
      }),
      { seed, numRuns },
    );
    expect(reports).toBeGreaterThan(numRuns / 10);
    if (isComplete) expect(others).toBeGreaterThan(numRuns / 10);
  }, 600_000);
});

/** Returns whether a line overrides inherited ones. */
function hasRules(lines: Lines): boolean {
  return lines.some((text) => /^(Order|Allow|Deny|Require)\b/.test(text));
}
