import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { MessageText } from "../../src/lint/finding.js";
import { DuplicateGrouper } from "../../src/lint/root-causes.js";
import { defineRule, type RuleDefinition, type SimpleRule } from "../../src/lint/rule.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { fromBytes } from "../../src/text/bytes.js";
import { toReadable } from "../../src/text/source.js";
import { runCount } from "../support/depth.js";
import { findingsOf, lintText } from "../support/rules.js";

/** Returns a rule that reports every directive of a name. */
function reportingRule(id: string, name: string, extra: Partial<SimpleRule> = {}): SimpleRule {
  return {
    id,
    title: id,
    group: "syntax",
    severity: "warning",
    description: id,
    help: id,
    check: ({ report }) => ({
      directives: {
        [name]: (directive) => report({ message: `${id} at ${directive.name}`, span: directive.nameSpan }),
      },
    }),
    ...extra,
  };
}

describe("lint", () => {
  test("sorts findings by position, and removes duplicates", () => {
    const files = { "/etc/httpd/a": "Listen 1\n" };
    const seen = findingsOf(
      [reportingRule("b", "listen"), reportingRule("a", "listen")],
      "Include a\nInclude a\nListen 2\n",
      {
        files,
      },
    );
    expect(seen.map(({ rule, at }) => `${rule} ${at}`)).toEqual(["a 1:1-1:7", "b 1:1-1:7", "a 3:1-3:7", "b 3:1-3:7"]);
  });

  test("accepts a message as a header, or in parts", () => {
    const rule = (message: MessageText) =>
      reportingRule("r", "listen", {
        check: ({ report }) => ({
          directives: { listen: ({ span }) => report({ message, span, notes: ["seen here"] }) },
        }),
      });
    const [plain] = lintText([rule("port is open")], "Listen 80\n");
    expect(plain).toMatchObject({ message: "port is open", notes: ["seen here"] });
    expect(plain).not.toHaveProperty("help");
    const parts = { message: "port is open", notes: ["clients connect"], help: ["close it"], label: "this port" };
    expect(lintText([rule(parts)], "Listen 80\n")).toMatchObject([
      { ...parts, notes: ["clients connect", "seen here"] },
    ]);
    const rejected = { message: "port is open", effect: "no start" } as const;
    expect(lintText([rule(rejected)], "Listen 80\n")).toMatchObject([
      { ...rejected, notes: ["httpd will not start", "seen here"] },
    ]);
  });

  test("keeps the message and adds a note if one finding covers many lines", () => {
    const message = { message: "port is open", help: ["close it"] };
    const rule = reportingRule("r", "listen", {
      check: ({ report }) => {
        const alike = new DuplicateGrouper();
        return {
          directives: {
            listen: (line) => report({ message, span: line.span, cause: alike.causeOf(line, message, undefined) }),
          },
        };
      },
    });
    const hosts = "<VirtualHost *>\nListen 80\n</VirtualHost>\n".repeat(2);
    expect(lintText([rule], hosts)).toMatchObject([
      { message: "port is open", help: ["close it"], notes: ["the same applies to 1 more line"] },
    ]);
  });

  test("reports only the more specific rule on a line", () => {
    const rules = [
      reportingRule("specific", "listen", { supersedes: ["general"] }),
      reportingRule("general", "listen"),
      reportingRule("other", "listen"),
    ];
    expect(findingsOf(rules, "Listen 80\n").map((finding) => finding.rule)).toEqual(["other", "specific"]);
    expect(
      findingsOf(
        [reportingRule("specific", "options", { supersedes: ["general"] }), reportingRule("general", "listen")],
        "Listen 80\n",
      ),
    ).toHaveLength(1);
  });

  test("runs the rules about upgrades only with --from 2.2", () => {
    const rules = [reportingRule("up", "listen", { upgradeOnly: true })];
    expect(findingsOf(rules, "Listen 80\n")).toEqual([]);
    expect(findingsOf(rules, "Listen 80\n", { from: "2.2" })).toHaveLength(1);
  });

  test("reports a line of a macro at its definition, and relates the use", () => {
    const text = "<Macro m $p>\n  # port\n  Listen $p\n</Macro>\n\nUse m 80\n";
    expect(findingsOf([reportingRule("r", "listen")], text)).toMatchObject([
      { at: "3:3-3:12", related: ["httpd.conf:6:1: the macro `m` is used here"] },
    ]);
  });

  test("visits sections, .htaccess files and their lines, each with its scope", () => {
    const places: string[] = [];
    const rule = defineRule({
      ...reportingRule("r", "listen"),
      check: () => ({
        directives: () => (directive, scope) => places.push(`${directive.name} in ${scope.place}`),
        scope: {
          holding: ["options", "<files", "require"],
          visit: (scope) =>
            places.push(`end of ${scope.place}: ${scope.directives.map((each) => each.name).join(" ")}`),
        },
      }),
    });
    const files = { "/srv/.htaccess": "Options None\n" };
    findingsOf(
      [rule],
      "DocumentRoot /srv\n<Directory />\n<Limit GET>\nRequire all denied\n</Limit>\n<Files x>\n</Files>\n</Directory>\n",
      { files },
    );
    expect(places).toEqual([
      "DocumentRoot in server",
      "<Directory in server",
      "<Limit in directory",
      "Require in directory",
      "<Files in directory",
      "end of directory: <Limit Require <Files",
      "Options in htaccess",
      "end of htaccess: Options",
    ]);
  });
});

describe("findings with one cause", () => {
  const header = { before: "wrong, with ", one: "1 others", several: " others" };
  const cause = { key: "missing", header, also: "here, too" };
  const rule = defineRule({
    ...reportingRule("r", "listen"),
    check: ({ report }) => ({
      directives: { listen: ({ span }) => report({ message: "wrong", span, cause }) },
    }),
  });
  const seen = (text: string, ...more: RuleDefinition[]) =>
    findingsOf([rule, ...more], text).map(({ at, message: words, related }) => [at, words, ...related]);

  test("are reported at the first line", () => {
    expect(seen("Listen 1\nListen 2\n")).toEqual([["1:1-1:9", "wrong, with 1 others", "httpd.conf:2:1: here, too"]]);
    expect(seen("Listen 1\n")).toEqual([["1:1-1:9", "wrong"]]);
    expect(seen("Listen 1\n".repeat(9))[0]).toHaveLength(5);
  });

  test("have the header of the first, with a note about the others, if the cause has no header", () => {
    const parts = { label: "no port", notes: ["httpd listens nowhere"], help: ["set a port"] };
    const quiet = defineRule({
      ...reportingRule("r", "listen"),
      check: ({ report }) => ({
        directives: {
          listen: ({ span }) =>
            report({ message: { message: "wrong", ...parts }, span, cause: { key: "x", also: "this one, too" } }),
        },
      }),
    });
    const reported = (text: string) => findingsOf([quiet], text);
    expect(reported("Listen 1\nListen 2\n")).toMatchObject([
      {
        ...{ message: "wrong", label: "no port", help: ["set a port"], related: ["httpd.conf:2:1: this one, too"] },
        notes: ["httpd listens nowhere", "the same applies to 1 more line"],
      },
    ]);
    expect(reported("Listen 1\n")).toMatchObject([{ message: "wrong", ...parts }]);
    expect(reported("Listen 1\n".repeat(3))[0]?.notes?.at(-1)).toBe("the same applies to 2 more lines");
  });

  test("have up to a thousand places in machine-readable formats", () => {
    const further = (lines: number) => lintText([rule], "Listen 1\n".repeat(lines))[0]?.additionalLocations;
    expect(further(4)).toBeUndefined();
    expect(further(6)?.map(({ message: words, span }) => [words, span.start])).toEqual([
      ["here, too", 36],
      ["here, too", 45],
    ]);
    expect(further(1001)).toHaveLength(997);
    expect(further(1002)).toHaveLength(997);
    expect(lintText([rule], "Listen 1\n".repeat(1002))[0]?.message).toBe("wrong, with 1001 others");
  });

  test("do not count suppressed and superseded findings", () => {
    expect(seen("# httpd-lint-ignore-next-line r\nListen 1\nListen 2\n")).toEqual([["3:1-3:9", "wrong"]]);
    const better = reportingRule("better", "options", { supersedes: ["r"] });
    expect(seen("Listen 1\nListen 2\n", better)).toHaveLength(1);
  });

  test("have one fix for each title, in which shared edits occur once", () => {
    const fixing = defineRule({
      ...reportingRule("f", "listen"),
      check: ({ report }) => ({
        directives: {
          listen({ span, arguments: [port] }) {
            const { file, start } = span;
            const own = { span: { file, start, end: start }, text: "#" };
            const common = { span: { file, start: 0, end: 0 }, text: "# mended\n" };
            const title = port?.value === "3" ? "other" : "comment out";
            report({ message: "wrong", span, cause, fix: { title, safety: "unsafe", edits: [common, own] } });
          },
        },
      }),
    });
    const [finding, ...more] = lintText([fixing], "\nListen 1\nListen 2\nListen 3\n");
    expect(more).toEqual([]);
    const edits = finding?.fix?.edits.map(({ span, text }) => [span.start, text]);
    expect(edits).toEqual([
      [0, "# mended\n"],
      [1, "#"],
      [10, "#"],
    ]);
  });

  test("are reported at the first of the requested files", () => {
    const files = { "/a": "Include b\nListen 1\n", "/b": "Listen 2\nListen 3\n" };
    const loaded = loadProject("/a", { kind: "server", access: memoryAccess(files) });
    if (!loaded.ok) throw new Error(loaded.error);
    const reported = (only: string) =>
      lintWithoutProofs(loaded.value, { rules: [rule], only: new Set([only]) }).findings.map((each) => each.message);
    expect(reported("/a")).toEqual(["wrong"]);
    expect(reported("/b")).toEqual(["wrong, with 1 others"]);
  });
});

describe("ignore comments", () => {
  const rules = [reportingRule("noisy", "listen"), reportingRule("loud", "listen")];

  test("cover the next line with a directive", () => {
    const text = "# httpd-lint-ignore-next-line noisy known\n\n# more\nListen 1\nListen 2\n";
    expect(findingsOf(rules, text).map(({ rule, at }) => `${rule} ${at}`)).toEqual([
      "loud 4:1-4:7",
      "loud 5:1-5:7",
      "noisy 5:1-5:7",
    ]);
  });

  test("cover several rules, or the whole file", () => {
    expect(findingsOf(rules, "#httpd-lint-ignore-next-line noisy,loud\nListen 1\n")).toEqual([]);
    expect(findingsOf(rules, "Listen 1\n# httpd-lint-ignore-file noisy,loud why\nListen 2\n")).toEqual([]);
    const files = { "/etc/httpd/a": "# httpd-lint-ignore-file noisy,loud\nListen 1\n" };
    expect(findingsOf(rules, "Include a\nListen 2\n", { files })).toHaveLength(2);
  });

  test("cover a section", () => {
    const section = "# httpd-lint-ignore-next-section noisy,loud\n<IfModule core.c>\nListen 1\n</IfModule>\n";
    expect(findingsOf(rules, section)).toEqual([]);
    expect(findingsOf(rules, `${section}Listen 2\n`).map(({ rule, at }) => `${rule} ${at}`)).toEqual([
      "loud 5:1-5:7",
      "noisy 5:1-5:7",
    ]);
  });

  test("cover a line with its continuations", () => {
    expect(findingsOf(rules, "# httpd-lint-ignore-next-line noisy,loud\nListen \\\n 80\n")).toEqual([]);
  });
});

test("names of built-in properties of objects are not rules", () => {
  expect(
    findingsOf(defaultRules, "__proto__ x\n<constructor>\n</constructor>\ntoString\n").map(({ rule }) => rule),
  ).toEqual(Array.from({ length: 3 }, () => "unknown-directive"));
});

test("every rule accepts any bytes, for both releases", () => {
  const words = [
    "<Directory />",
    "__proto__ x",
    "constructor",
    "<__proto__>",
    "</Directory>",
    "<If \"%{X} == 'y'\">",
    "</If>",
    "Order deny,allow",
    "Require not ip 1",
    "Deny from",
    "<RequireAll>",
    "</RequireAll>",
    "AuthDBMGroupFile x",
    "Require group a",
    "\\",
    "\n",
    "\n",
    "\n",
    '"',
    "${X}",
    "<IfModule mod_x>",
    "</IfModule>",
    "\0",
    "\xff",
    " ",
    ">",
    "Use m a",
    "<Macro m $a>",
    "</Macro>",
    "Include /etc/httpd/*",
  ];
  const text = fc.oneof(
    fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join("")),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => fromBytes(bytes)),
  );
  fc.assert(
    fc.property(
      text,
      fc.constantFrom("2.2" as const, "2.4" as const),
      fc.constantFrom("server" as const, "fragment" as const, "htaccess" as const),
      (input, release, kind) => {
        const access = memoryAccess({ "/etc/httpd/httpd.conf": toReadable(input) });
        const loaded = loadProject("/etc/httpd/httpd.conf", { access, release, kind });
        if (!loaded.ok) throw new Error(loaded.error);
        for (const finding of lintWithoutProofs(loaded.value, { rules: defaultRules, from: "2.2" }).findings) {
          const { start, end, file } = finding.span;
          expect(finding.message).not.toMatch(/[\n\r]/);
          expect(start >= 0 && start <= end && end <= file.text.length).toBe(true);
        }
      },
    ),
    { numRuns: runCount(300, 1500), seed: 4 },
  );
});
