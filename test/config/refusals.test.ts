import { describe, expect, test } from "vitest";
import { type FileAccess, memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import { argumentTexts } from "../../src/config/refusals/argument-texts.js";
import { readingTexts } from "../../src/config/refusals/reading-texts.js";
import {
  describeRefusal,
  formatRefusal,
  mergeRefusals,
  RefusalLog,
  wordingOf,
} from "../../src/config/refusals/refusal.js";
import { loadProject } from "../../src/startup/load-project.js";
import { sourceFile } from "../../src/text/source.js";
import { load, loadText, problemsOf } from "../support/projects.js";

const span = { file: sourceFile("/a", "text"), start: 0, end: 4 };
const colon = { ...wordingOf("colon-in-variable-name", "a:b"), span };
const depending = { ...wordingOf("depends-on-variable", "a", "${b}"), span };

describe("the text of a refusal", () => {
  test("has the problem, its effect, the help, and the server's message", () => {
    expect(formatRefusal(colon)).toBe(
      "variable name `a:b` contains a `:`, so httpd will not start; use a name without `:` (httpd: \"Variable name must not contain ':'\")",
    );
    expect(formatRefusal({ ...colon, inHtaccess: true })).toContain(", so requests below this directory return 500; ");
    expect(formatRefusal(depending)).toContain("no value here, so the included directives are not checked; define it");
    expect(formatRefusal({ ...colon, server: "No.\nNever." })).toContain('(httpd: "No.\\nNever.")');
    expect(formatRefusal({ ...colon, server: "x".repeat(500) }).length).toBeLessThan(360);
  });

  test("has separate parts", () => {
    expect(describeRefusal({ ...colon, facts: ["for a reason"] })).toEqual({
      message: "variable name `a:b` contains a `:`",
      effect: "no start",
      notes: ["for a reason", "httpd reports: Variable name must not contain ':'"],
      help: ["use a name without `:`"],
    });
    expect(describeRefusal({ ...depending, inHtaccess: true })).toEqual({
      message: "`a` depends on `${b}`, which has no value here",
      notes: ["the included directives are not checked"],
      help: [depending.remedy],
    });
  });

  test("names the number of further parts that were not read", () => {
    const merged = mergeRefusals([depending, depending, depending]);
    expect(merged && describeRefusal(merged).notes.at(-1)).toBe("2 more parts were not read");
    expect(merged && formatRefusal(merged)).toMatch(/; 2 more parts were not read$/);
    expect(mergeRefusals([depending])).toEqual(depending);
  });

  test("is logged once at a position", () => {
    const log = new RefusalLog(false);
    for (const name of ["one", "two", "one"]) log.add(span, wordingOf("colon-in-variable-name", name));
    expect(log.problems.map(({ problem }) => problem.slice(14, 19))).toEqual(["`one`", "`two`"]);
  });

  test("has a stable code in lower case with hyphens", () => {
    const codes = [...Object.keys(readingTexts), ...Object.keys(argumentTexts)];
    expect(codes.filter((code) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(code))).toEqual([]);
    expect(codes.length).toBe(new Set(codes).size);
  });
});

const start = "so httpd will not start;";

// Text, and the first problem; the live tests verify that the quoted messages are the server's.
describe("messages about", () => {
  test.each([
    [
      "Define A b c\n",
      `\`Define\` does not accept 3 arguments, ${start} use \`Define parameter-name [parameter-value]\` (httpd: "Define takes 1-2 arguments, `,
    ],
    ["Define\n", `\`Define\` needs an argument, ${start} use \`Define `],
    [
      'Define "" c\n',
      `\`Define\` does not accept an empty argument, ${start} add the missing value (httpd: "Define takes 1-2 `,
    ],
    [
      "Define A b # c\n",
      `a comment cannot follow a directive on the same line, ${start} move the comment to a line of its`,
    ],
    ["LoadModule x\n", `\`LoadModule\` does not accept 1 argument, ${start} use \`LoadModule module filename\` (`],
    ["UnDefine a:b\n", `variable name \`a:b\` contains a \`:\`, ${start} use a name without \`:\` (httpd: "Var`],
    ["Use\n", `\`Use\` needs the name of a macro, ${start} add the name (httpd: "no macro defined before Use")`],
    ["Use nope\n", `undefined macro \`nope\`, ${start} define it before this line with \`<Macro>\` (httpd: "`],
    [
      "<Macro Host $n>\nListen $n\n</Macro>\nUse hots 80\n",
      `undefined macro \`hots\`, ${start} did you mean \`host\`? (httpd: "macro 'hots' undefined")`,
    ],
    [
      "<Macro Host $name @root>\nAlias /$name @root\n</Macro>\nUse Host a\n",
      `macro \`host\` takes 2 arguments, but 1 was given, ${start} use the form \`Use host $name @root\` (httpd: "`,
    ],
    [
      "<Macro m>\nListen 1\n</Macro>\nUndefMacro m\nUse m\n",
      `undefined macro \`m\`, ${start} define it before this line with \`<Macro>\` (httpd: "macro 'm' undefine`,
    ],
    ["<Macro m $a $a>\n</Macro>\n", `duplicate parameter \`$a\` of macro \`m\`, ${start} rename one of them`],
    ["<IfDefine>\n</IfDefine>\n", `\`<IfDefine>\` needs a condition, ${start} use the form \`<IfDefine NA`],
    ["<IfFile x\n</IfFile>\n", `missing \`>\` at the end of \`<IfFile>\`, ${start} add the \`>\` (httpd: "<IfFile> `],
    ["<IfVersion = x>\n</IfVersion>\n", `invalid version \`x\`, ${start} use one to three numbers separated by dots, `],
    ["<IfVersion ? 2>\n</IfVersion>\n", `unknown \`<IfVersion>\` operator \`?\`, ${start} use \`=\`, \`<\`, \`<=\`, `],
    [
      "ServerRoot /nope\n",
      `ServerRoot \`/nope\` is not a directory on this machine, ${start} correct the path, or pass`,
    ],
    [
      "Include nope.conf\n",
      `\`/etc/httpd/nope.conf\` cannot be included: it does not exist, ${start} correct the path, `,
    ],
    [
      "Include nope/*\n",
      `the directory \`/etc/httpd/nope\` cannot be listed: it does not exist, ${start} correct the pa`,
    ],
  ])("%j", (text, expected) => {
    const [first = ""] = problemsOf(loadText(text));
    expect(first.replace(/^httpd\.conf:\d+: /, "").slice(0, expected.length)).toBe(expected);
  });

  test("names that are not ASCII", () => {
    const text = "<Macro é $ü>\nListen $ü\n</Macro>\nUse é\n";
    const loaded = loadProject("/srv/Straße.conf", { access: memoryAccess({ "/srv/Straße.conf": text }) });
    const [problem] = loaded.ok ? loaded.value.problems : [];
    expect(problem?.server).toBe(
      "macro 'é' (defined on line 1 of \"/srv/Straße.conf\") used with 0 arguments instead of 1",
    );
    expect(problem?.remedy).toContain("use the form `Use é $ü`");
  });
});

describe("a ServerRoot", () => {
  test("that is missing is not reported again by an Include", () => {
    const text = "ServerRoot /nope\nInclude a.conf\nInclude conf.d/*.conf\nInclude /b\n";
    const outcomesOf = ({ problems }: Project) =>
      problems.flatMap(({ kind = "", problem }) => (kind === "passed-over" ? [kind] : [problem.slice(0, 8)]));
    expect(outcomesOf(loadText(text))).toEqual(["ServerRo", "passed-over", "passed-over", "`/b` can"]);
    expect(outcomesOf(loadText("ServerRoot /nope\nServerRoot /etc/httpd\nInclude a.conf\n"))).toHaveLength(2);
  });

  test("twin: is not reported if it exists, is relative, or is overridden", () => {
    expect(problemsOf(loadText('ServerRoot "/etc/httpd/"\n'))).toEqual([]);
    expect(problemsOf(loadText("ServerRoot etc\n"))).toEqual([]);
    expect(problemsOf(loadText("ServerRoot /nope\n", { serverRoot: "/etc/httpd" }))).toEqual([]);
  });
});

describe("files that only root can read", () => {
  const main = "/etc/httpd/httpd.conf";
  const files = memoryAccess({ [main]: "", "/etc/httpd/private/a.conf": "Listen 80\n" });
  const denied = { message: "permission to read it is denied" };
  const problems = (text: string) => {
    const access: FileAccess = {
      ...files,
      read: (path) => (path === main ? { ok: true, value: { text, realPath: path } } : { ok: false, error: denied }),
      list: () => ({ ok: false, error: denied }),
    };
    const loaded = loadProject(main, { access });
    return loaded.ok ? loaded.value.problems : [];
  };

  test("are reported without an effect on the server", () => {
    expect(
      problems("Include private/a.conf\n").map((problem) => ({
        message: formatRefusal(problem),
        server: problem.server,
      })),
    ).toEqual([
      {
        message:
          "`/etc/httpd/private/a.conf` cannot be included: permission to read it is denied, so the included directives are not checked; give httpd-lint read access",
        server: undefined,
      },
    ]);
    expect(problems("IncludeOptional private\nInclude private/*.conf\nIncludeOptional none/*\n")).toHaveLength(3);
    expect(problems("ServerRoot /closed\n")).toEqual([]);
  });
});

test("messages are those of 2.2 for this release", () => {
  const files = { "/etc/httpd/httpd.conf": "Include nope/*.conf\nInclude httpd.conf\nLoadFile\n" };
  expect(load(files, { release: "2.2" }).problems.map(({ server }) => server)).toEqual([
    "Could not open config directory /etc/httpd/nope: No such file or directory",
    "Exceeded maximum include depth of 128. You have probably a recursion somewhere.",
  ]);
});
