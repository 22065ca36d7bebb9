import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { commandArgs, commandProgram } from "../support/programs/command.js";
import { findings } from "../support/programs/command-output.js";
import { commitAll, git } from "../support/programs/scratch-repository.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

const old = "<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n";
const unclosed = "<Directory /srv>\nOptions None\n";
/** A server whose main file has an unusual name. */
const server = { "web/main.txt": 'ServerRoot "."\nInclude web/sites/*.conf\n', "web/sites/a.conf": old };
const settings = { entry: "web/main.txt", serverRoot: "." };

describe("the configuration file", () => {
  test("names the server if no path is given, also in a subdirectory", () => {
    write({ ...server, ".httpd-lint.json": settings });
    expect(findings(lint([]))).toEqual(["web/sites/a.conf:2:1: info old-access-control"]);
    expect(findings(lint([], { cwd: at("web") }))).toEqual(["sites/a.conf:2:1: info old-access-control"]);
    expect(lint(["resolve"]).stdout).toContain("order allow,deny");
  });

  test("makes a file part of the server that it names", () => {
    write({
      ...server,
      "web/sites/b.conf": "Listen ${PORT}\n",
      ".httpd-lint.json": { ...settings, defines: ["PORT=80"] },
    });
    expect(lint(["web/sites/b.conf"])).toMatchObject({ status: 0, stdout: "no findings in 1 file, 1 line\n" });
    expect(findings(lint(["web/sites/b.conf", "--no-config"]))).toEqual([]);
  });

  test("sets the severity of rules, and ignores rules in paths", () => {
    const ignores = [{ paths: ["web/sites/**"], rules: ["syntax-error"], reason: "next week" }, { paths: ["zzz/**"] }];
    const rules = { "old-access-control": "error" };
    write({ ...server, "web/sites/b.conf": unclosed, ".httpd-lint.json": { ...settings, rules, ignores } });
    const ran = lint(["--report-ignored"]);
    expect(findings(ran)).toEqual(["web/sites/a.conf:2:1: error old-access-control"]);
    expect(ran.stdout).toContain(
      "web/sites/b.conf:1:1: syntax-error is ignored by `web/sites/**` in .httpd-lint.json: next week\n",
    );
    expect(ran.stdout).toContain(".httpd-lint.json: `zzz/**` of `ignores` suppressed nothing here\n");
    expect(ran.stdout).toContain("1 error in 3 files, 8 lines; 1 ignored by the settings");
    write({ ".httpd-lint.json": { ...settings, rules: { "old-access-control": "off" }, ignores } });
    expect(lint([]).status).toBe(0);
    expect(findings(lint(["--select", "old-access-control"]))).toHaveLength(1);
  });

  test("extends another one, whose globs are relative to its folder", () => {
    const ignores = [{ paths: ["../web/sites/**"], reason: "theirs" }, { paths: ["zzz/**"] }];
    write({
      ...server,
      ".httpd-lint.json": { extends: "shared/base.json", ...settings },
      "shared/base.json": { ignores, rules: { "old-access-control": "error" } },
    });
    const ran = lint(["--report-ignored"]);
    expect(findings(ran)).toEqual([]);
    expect(ran.stdout).toContain("old-access-control is ignored by `../web/sites/**` in shared/base.json: theirs\n");
    expect(ran.stdout).toContain("shared/base.json: `zzz/**` of `ignores` suppressed nothing here\n");
    expect(findings(lint(["--no-suppressions"]))).toEqual(["web/sites/a.conf:2:1: error old-access-control"]);
  });

  test("names the files on the way to one that cannot be used", () => {
    write({
      ...server,
      ".httpd-lint.json": { extends: "shared/base.json" },
      "shared/base.json": { extends: ["none.json"] },
    });
    const chain = "httpd-lint: `.httpd-lint.json` extends `shared/base.json`, which extends";
    expect(lint([])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^httpd-lint: shared.base\.json:\d+:\d+: `none\.json` in `extends` cannot be read: .*\n/i,
      ),
    });
    expect(lint([]).stderr).toContain(`${chain} \`shared/none.json\`\n`);
    write({ "shared/base.json": { extends: "../.httpd-lint.json" } });
    expect(lint(["resolve", "web/main.txt"]).stderr).toContain("forms a cycle\n");
    expect(lint([]).stderr).toContain(`${chain} \`.httpd-lint.json\`\n`);
  });

  test("that a setting is from is named by messages", () => {
    write({
      ...server,
      ".httpd-lint.json": { extends: "base.json", ...settings },
      "base.json": { sysroot: "nowhere" },
    });
    expect(lint([]).stderr).toMatch(/nowhere` of `sysroot` in `.*base\.json` is not a directory/);
  });

  test("is overridden by flags", () => {
    write({ ...server, ".httpd-lint.json": { ...settings, release: "2.2", sysroot: "nowhere" } });
    expect(lint([])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/nowhere` of `sysroot` in `.*\.httpd-lint\.json` is not a directory/),
    });
    expect(lint(["--sysroot", "/"]).status).toBe(0);
    expect(findings(lint(["--sysroot", "/", "--release", "2.4"]))).toHaveLength(1);
  });

  test("names several servers, each with its own options", () => {
    const conf = "<IfDefine OLD>\nOrder allow,deny\n</IfDefine>\nListen 80\n";
    const servers = [
      { entry: "a/httpd.conf", defines: ["OLD"] },
      { entry: "b/httpd.conf", defines: ["NEW"] },
    ];
    write({ "a/httpd.conf": conf, "b/httpd.conf": conf, ".httpd-lint.json": { servers } });
    expect(lint([]).stdout).toContain("--> a/httpd.conf:2:1\n");
    expect(lint([]).stdout).not.toContain("b/httpd.conf:");
    expect(lint(["resolve"])).toMatchObject({
      status: 2,
      stderr:
        "httpd-lint: ENTRY is missing: `.httpd-lint.json` names several servers: `a/httpd.conf`, `b/httpd.conf`\n",
    });
    expect(lint(["resolve", "a"]).stdout).toContain("order");
    expect(lint(["resolve", "b/httpd.conf"]).stdout).not.toContain("order");
  });

  test("is reported with the position of each error if it is invalid, and nothing is checked", () => {
    write({ ...server, ".httpd-lint.json": '{\n  "entri": "x",\n  "rules": { "old-acess-control": "off" }\n}' });
    expect(lint(["web"])).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "httpd-lint: .httpd-lint.json:2:3: unknown option `entri`; did you mean `entry`?\n" +
        "httpd-lint: .httpd-lint.json:3:14: unknown rule `old-acess-control`; did you mean `old-access-control`?\n",
    });
    expect(lint(["web", "--config", "none.json"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("none.json:1:1: the file cannot be read"),
    });
    expect(lint(["web", "--no-config", "--fail-on", "info"]).status).toBe(1);
  });

  test("names the server and its expectations for `explain` and `test`", () => {
    const main =
      'ServerRoot "."\nListen 80\nDocumentRoot "/srv"\n<Location "/admin">\nRequire all denied\n</Location>\n';
    const expectations = { expectations: [{ path: "/admin", expect: 403 }] };
    write({
      "httpd.conf": main,
      "e.json": expectations,
      ".httpd-lint.json": { entry: "httpd.conf", expectations: "e.json" },
    });
    expect(lint(["explain", "/admin"]).stdout).toMatch(/^403 /);
    expect(lint(["test"])).toMatchObject({ status: 0 });
    expect(lint(["test", "e.json"])).toMatchObject({ status: 0 });
    expect(lint(["map"]).status).toBe(0);
  });
});

describe("init", () => {
  test("writes a configuration file for the other commands, and does not overwrite one", () => {
    write({ "conf/httpd.conf": `ServerRoot "/nowhere/httpd"\nInclude conf.d/*.conf\n`, "conf.d/a.conf": old });
    const ran = lint(["init"]);
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(ran.stdout).toContain(
      "found the server conf/httpd.conf\n  its ServerRoot does not exist here; relative paths start in /",
    );
    expect(findings(lint([]))).toEqual(["conf.d/a.conf:2:1: info old-access-control"]);
    expect(lint(["init"])).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("exists already; --force"),
    });
    expect(lint(["init", "--force"]).status).toBe(0);
  });

  test("finds the root of a system, and a directory of `.htaccess` files", () => {
    write({ "image/etc/httpd/conf/httpd.conf": 'ServerRoot "/etc/httpd"\n', "site/a/.htaccess": "Options None\n" });
    expect(lint(["init", "image"]).stdout).toContain(
      "found the server image/etc/httpd/conf/httpd.conf (Red Hat)\n  absolute paths are read below image\n",
    );
    expect(textOf("image/.httpd-lint.json")).toContain('"sysroot": "."');
    expect(lint(["init", "site"]).stdout).toBe(
      "found no server, but 1 fragment: site/a/.htaccess\nwrote site/.httpd-lint.json\nrun `httpd-lint` to report problems; commands that need a server take one of these files as ENTRY\n",
    );
    write({ "empty/x.txt": "" });
    expect(lint(["init", "empty"])).toMatchObject({ status: 3, stdout: "" });
  });
});

describe("a baseline", () => {
  const baseline = ["--baseline", "known.json"];

  test("suppresses known findings, reports new ones, and forgets fixed ones", () => {
    write({ "httpd.conf": old });
    expect(lint(["httpd.conf", ...baseline])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("--update-baseline creates it"),
    });
    expect(lint(["httpd.conf", ...baseline, "--update-baseline"])).toMatchObject({
      status: 0,
      stderr: "httpd-lint: `known.json` written: 1 finding (1 added, 0 removed)\n",
    });
    write({ "httpd.conf": `# moved\n\n${old}` });
    expect(lint(["httpd.conf", ...baseline]).stdout).toBe("no findings in 1 file, 6 lines; 1 known in the baseline\n");
    expect(lint(["httpd.conf", ...baseline, "--report-ignored"]).stdout).toContain(
      "httpd.conf:4:1: old-access-control is known in known.json\n",
    );
    write({ "httpd.conf": `${old}${old.replace("/srv", "/srv/new")}` });
    expect(findings(lint(["httpd.conf", ...baseline]))).toEqual(["httpd.conf:6:1: info old-access-control"]);
    write({ "httpd.conf": "Listen 80\n" });
    const gone = "httpd-lint: 1 finding in the baseline no longer occurs; remove it with --update-baseline\n";
    expect(lint(["httpd.conf", ...baseline])).toMatchObject({ status: 0, stderr: gone });
    expect(lint(["httpd.conf", ...baseline, "--disable", "old-access-control"]).stderr).toBe("");
    write({ "other.conf": "Listen 81\n" });
    expect(lint(["other.conf", ...baseline]).stderr).not.toContain("no longer");
    rmSync(at("other.conf"));
    expect(lint(["httpd.conf", ...baseline, "--update-baseline"]).stderr).toContain("0 findings (0 added, 1 removed)");
    write({ "httpd.conf": old });
    expect(lint(["httpd.conf", ...baseline, "--update-baseline"]).stderr).toContain("1 finding (1 added, 0 removed)");
    write({ "httpd.conf": old.replaceAll("/srv", "/new") });
    expect(lint(["httpd.conf", ...baseline, "--update-baseline"]).stderr).toContain("1 finding (1 added, 1 removed)");
    expect(readdirSync(scratch.path).sort()).toEqual(["httpd.conf", "known.json"]);
  });

  test("is reported and not changed if it is invalid", () => {
    write({ "httpd.conf": old, "known.json": '{ "version": 7, "findings": [] }' });
    for (const more of [[], ["--update-baseline"]]) {
      const ran = lint(["httpd.conf", ...baseline, ...more]);
      expect(ran).toMatchObject({ status: 2, stdout: "" });
      expect(ran.stderr).toMatch(
        /^httpd-lint: the baseline `known\.json` is invalid and was not changed: it has version 7, .*\n$/,
      );
    }
    expect(textOf("known.json")).toContain("7");
  });

  test("is not written if the server would load it", () => {
    write({ "httpd.conf": 'ServerRoot "."\nInclude conf.d\n', "conf.d/a.conf": old });
    const ran = lint(["httpd.conf", "--server-root", ".", "--baseline", "conf.d/known.json", "--update-baseline"]);
    expect(ran).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("`Include conf.d` in") });
    expect(readdirSync(at("conf.d"))).toEqual(["a.conf"]);
  });
});

test.each([
  ["comment", { "httpd.conf": `# httpd-lint-ignore-file old-access-control moves in May\n${old}` }],
  ["settings", { "httpd.conf": old, ".httpd-lint.json": { ignores: [{ paths: ["*.conf"], reason: "not ours" }] } }],
  ["baseline", { "httpd.conf": old, ".httpd-lint.json": { baseline: "known.json" } }],
])("JSON lists the ignored findings with the reason: %s", (kind, files) => {
  write(files);
  if (kind === "baseline") lint(["httpd.conf", "--update-baseline"]);
  const { stdout } = lint(["httpd.conf", "--report-ignored", "--format", "json"]);
  expect(validJson("check", stdout)).toMatchObject({
    findings: [],
    ignored: [{ finding: { rule: "old-access-control" }, by: { kind } }],
  });
});

describe("--no-suppressions", () => {
  const misspelled = "Optoins None\n";
  const found = "httpd.conf:2:1: error unknown-directive";

  test.each([
    ["a comment", { "httpd.conf": `# httpd-lint-ignore-file unknown-directive in May\n${misspelled}Listen 80\n` }],
    [
      "`ignores`",
      { "httpd.conf": `Listen 80\n${misspelled}`, ".httpd-lint.json": { ignores: [{ paths: ["*.conf"] }] } },
    ],
    ["a baseline", { "httpd.conf": `Listen 80\n${misspelled}`, ".httpd-lint.json": { baseline: "known.json" } }],
  ])("reports what %s suppresses", (suppressor, files) => {
    write(files);
    if (suppressor === "a baseline") lint(["httpd.conf", "--update-baseline"]);
    expect(lint(["httpd.conf"])).toMatchObject({ status: 0, stdout: expect.stringContaining("no findings") });
    const ran = lint(["httpd.conf", "--no-suppressions"]);
    expect(findings(ran)).toEqual([found]);
    expect(ran.status).toBe(1);
    expect(ran.stdout).not.toMatch(/\d (?:ignored|known)/);
    // The severities of the configuration file still apply.
    const rules = { "unknown-directive": "info" };
    write({ ".httpd-lint.json": { rules, ignores: [{ paths: ["*.conf"] }] } });
    expect(findings(lint(["httpd.conf", "--no-suppressions"]))).toEqual([found.replace("error", "info")]);
  });

  test("sorts the findings by location", () => {
    const marked = "# httpd-lint-ignore-next-line unknown-directive later\n";
    write({ "httpd.conf": `Listen 80\n${marked}Optoins A\nDirectoryIdnex b\n${marked}Timeuot 3\n` });
    const places = (ran: ReturnType<typeof lint>) => findings(ran).map((finding) => finding.split(":")[1]);
    expect(places(lint(["httpd.conf"]))).toEqual(["4"]);
    expect(places(lint(["httpd.conf", "--no-suppressions"]))).toEqual(["3", "4", "6"]);
  });

  test.each(["--baseline=known.json", "--update-baseline", "--report-ignored", "--fix", "--diff"])(
    "cannot be used with %s",
    (flag) => {
      write({ "httpd.conf": misspelled });
      const ran = lint(["httpd.conf", "--no-suppressions", flag]);
      expect(ran).toMatchObject({ status: 2, stdout: "" });
      expect(ran.stderr).toContain("--no-suppressions reports all findings and cannot be used with --");
    },
  );
});

describe("--changed-since", () => {
  test("reports changed lines and new files", () => {
    write({ "httpd.conf": old, "ö d.conf": old });
    commitAll(scratch.path);
    expect(lint([".", "--changed-since", "HEAD"])).toMatchObject({ status: 0 });
    write({
      "httpd.conf": `${old}${old.replace("/srv", "/srv/new")}`,
      "ö d.conf": `${old}\n${unclosed}`,
      "new.conf": unclosed,
    });
    const ran = lint([".", "--changed-since", "HEAD"]);
    expect(ran.status).toBe(1);
    const found = [...ran.stdout.matchAll(/^(\w+)\[.*\n *--> (.*)$/gm)].map(([, severity, place]) => [place, severity]);
    expect(found).toEqual([
      ["httpd.conf:6:1", "info"],
      ["new.conf:1:1", "error"],
      ["ö d.conf:6:1", "error"],
    ]);
    git(scratch.path, "add", "--all");
    expect(lint([".", "--changed-since", "HEAD"]).stdout).toBe(ran.stdout);
  });

  test("reports a finding whose related place was changed", () => {
    const guarded = "<Directory /srv>\nRequire all granted\nAllow from all\n</Directory>\n";
    write({ "httpd.conf": guarded.replace("Require all granted", "Options None") });
    commitAll(scratch.path);
    write({ "httpd.conf": guarded });
    expect(lint(["httpd.conf", "--changed-since", "HEAD"]).stdout).toContain(
      "2 | Require all granted\n  | ------------------- also applies",
    );
  });

  test.each([
    ["HEAD", false, /`\.` is not in a git repository/],
    ["nosuch", true, /`nosuch` of --changed-since is not a commit in the repository/],
    ["--help", true, /needs a value|is not a commit/],
  ])("reports the invalid revision %s in one line (repository: %s)", (revision, isRepository, message) => {
    write({ "httpd.conf": old });
    if (isRepository) commitAll(scratch.path);
    const ran = lint(["httpd.conf", `--changed-since=${revision}`]);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("runs no program of the repository's git configuration", () => {
    write({ "httpd.conf": old, ".gitattributes": "*.conf diff=own filter=o.w=n\n" });
    commitAll(scratch.path);
    const marker = at("ran");
    const program = at("program");
    write({ program: `#!/bin/sh\ntouch '${marker}'\ncat\n`, "httpd.conf": `${old}\n${old}` });
    chmodSync(program, 0o755);
    const hooks = at(".git/hooks/post-index-change");
    write({ ".git/hooks/post-index-change": `#!/bin/sh\ntouch '${marker}'\n` });
    chmodSync(hooks, 0o755);
    for (const name of [
      ...["core.fsmonitor", "core.pager", "diff.external", "diff.own.command", "diff.own.textconv"],
      ...["filter.o.w=n.clean", "filter.o.w=n.smudge"],
    ])
      git(scratch.path, "config", name, program);
    git(scratch.path, "config", "filter.o.w=n.required", "true");
    rmSync(marker, { force: true });
    expect(lint(["httpd.conf", "--changed-since", "HEAD"]).stdout).toMatch(/^info\[.*\n --> httpd\.conf:7:1$/m);
    expect(existsSync(marker)).toBe(false);
    // Twin: git runs them when called normally.
    git(scratch.path, "diff", "--stat", "HEAD");
    expect(existsSync(marker)).toBe(true);
  });

  test("needs git", () => {
    write({ "httpd.conf": old });
    const ran = lint(["httpd.conf", "--changed-since", "HEAD"], { env: { PATH: scratch.path } });
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining("`git` is not on the PATH") });
  });
});

/** Runs `--watch` in the folder. @param act gets a function that waits until the output contains some words */
async function watch(act: (waitFor: (words: string) => Promise<void>) => Promise<void>): Promise<void> {
  const child = spawn(commandProgram, [...commandArgs, "--watch"], { cwd: scratch.path });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = new Promise((done) => child.on("close", done));
  try {
    await act(async (words) => {
      for (let tries = 0; !output.includes(words) && tries < 400; tries++) await sleep(50);
      expect(output).toContain(words);
      output = "";
    });
  } finally {
    child.kill("SIGINT");
  }
  expect(await ended).toBe(0);
}

test("--watch checks again if the configuration file or an included file changes, and ends on Ctrl-C", async () => {
  write({ ...server, "web/sites/a.conf": "Listen 80\n", ".httpd-lint.json": settings });
  await watch(async (waitFor) => {
    await waitFor("no findings in 2 files");
    write({ "web/sites/b.conf": unclosed });
    await waitFor("--> web/sites/b.conf:1:1\n");
    rmSync(at("web/sites/b.conf"));
    await waitFor("no findings in 2 files");
    write({ "web/sites/a.conf": old });
    await waitFor("--> web/sites/a.conf:2:1\n");
    write({ ".httpd-lint.json": { ...settings, rules: { "old-access-control": "off" } } });
    await waitFor("no findings in 2 files");
  });
  expect(existsSync(at(".httpd-lint.json"))).toBe(true);
});

test("--watch checks again if a file is created or deleted in a folder that was searched", async () => {
  write({ "a.conf": "Listen 80\nServerName a\n", "sub/deeper/readme.txt": "none\n" });
  git(scratch.path, "init", "--quiet");
  await watch(async (waitFor) => {
    await waitFor("no findings in 1 file");
    write({ "sub/deeper/b.conf": unclosed });
    await waitFor("--> sub/deeper/b.conf:1:1\n");
    rmSync(at("sub/deeper/b.conf"));
    await waitFor("no findings in 1 file");
    write({ "new/.htaccess": unclosed });
    await waitFor("--> new/.htaccess:1:1\n");
  });
});

test("--watch checks again if Git's ignore rules change", async () => {
  write({ "a.conf": "Listen 80\nServerName a\n", "sub/b.conf": unclosed });
  git(scratch.path, "init", "--quiet");
  await watch(async (waitFor) => {
    await waitFor("--> sub/b.conf:1:1\n");
    write({ "sub/.gitignore": "b.conf\n" });
    await waitFor("no findings in 1 file");
    write({ "sub/.gitignore": "", ".gitignore": "a.conf\n" });
    await waitFor("--> sub/b.conf:1:1\n");
  });
});
