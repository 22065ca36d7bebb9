import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { visibleLines } from "../../src/cli/deliver.js";
import { diskAccess } from "../../src/project/disk.js";
import { fromReadable } from "../../src/text/source.js";
import { builtCommand, type Ran, run } from "../support/command.js";
import { lintedFolder } from "../support/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

/** The built command behind what a shell does first. */
function inShell(first: string, args: string): Ran {
  return run("sh", ["-c", `${first}; "${process.execPath}" "${builtCommand}" ${args}`], { cwd: scratch.path });
}

const old = "<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n";
/** Enough for a report that no small disk takes. */
const many = "Optoins None\n".repeat(500);

describe("a disk that is full", () => {
  test.skipIf(!existsSync("/dev/full"))("is told of on standard output", () => {
    write({ "many.conf": many });
    const ran = inShell("exec >/dev/full", "check many.conf");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toBe("httpd-lint: standard output cannot be written: no space is left\n");
  });

  test("leaves what was in the file of --output, and nothing beside it", () => {
    write({ "many.conf": many, "report.txt": "the last report\n" });
    const ran = inShell("trap '' XFSZ; ulimit -f 1", "check many.conf --output report.txt");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(/^httpd-lint: `report\.txt` of --output cannot be written: it would be larger than is/);
    expect(textOf("report.txt")).toBe("the last report\n");
    expect(readdirSync(scratch.path).sort()).toEqual(["many.conf", "report.txt"]);
  });

  test("twin: with room the file is put in place, and a link stays a link", () => {
    write({ "many.conf": many, "report.txt": "the last report\n" });
    symlinkSync("report.txt", at("link.txt"));
    expect(lint(["check", "many.conf", "--output", "link.txt"])).toMatchObject({ status: 1, stdout: "", stderr: "" });
    expect(lstatSync(at("link.txt")).isSymbolicLink()).toBe(true);
    expect(textOf("report.txt")).toMatch(/500 errors in 1 file/);
  });
});

test("what is no file is written to and stays what it is", () => {
  write({ "many.conf": many });
  const ran = inShell("mkfifo pipe; cat pipe >taken & :", "check many.conf --output pipe; code=$?; wait; exit $code");
  expect(ran).toMatchObject({ status: 1, stderr: "" });
  expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  expect(textOf("taken")).toMatch(/500 errors in 1 file/);
});

test.each(["SIGINT", "SIGTERM"] as const)("%s ends a run, and the last report stays whole", async (signal) => {
  write({ "report.txt": "the last report\n" });
  const args = [builtCommand, "check", "-", "--stdin-filename", "a.conf", "--output", "report.txt"];
  // It waits for its input.
  const child = spawn(process.execPath, args, { cwd: scratch.path, stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const ended = new Promise((done) => child.on("close", (code, by) => done({ code, by, stderr })));
  child.stdin.write("Optoins None\n");
  await new Promise((later) => setTimeout(later, 1000));
  child.kill(signal);
  expect(await ended).toEqual({ code: null, by: signal, stderr: "" });
  expect(readdirSync(scratch.path)).toEqual(["report.txt"]);
  expect(textOf("report.txt")).toBe("the last report\n");
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s at any moment of `migrate --write` leaves all old or all new",
  async (signal) => {
    const parts = Array.from({ length: 30 }, (_, n) => `conf.d/${n}.conf`);
    const before = (n: number) => `<Directory /srv/${n}>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
    write({
      "httpd.conf": "ServerName x\nDocumentRoot /srv/none\nInclude conf.d/*.conf\n",
      ...Object.fromEntries(parts.map((path, n) => [path, before(n)])),
    });
    const isOld = () => parts.map((path) => textOf(path).includes("Order"));
    const states = new Set<string>();
    for (let delay = 150; !isOld().includes(false) && delay < 60_000; delay *= 1.2) {
      const args = [builtCommand, "migrate", "httpd.conf", "--write", "--quiet"];
      const child = spawn(process.execPath, args, { cwd: scratch.path, stdio: "ignore" });
      const ended = new Promise<number | null>((done) => child.on("close", done));
      await new Promise((later) => setTimeout(later, delay));
      child.kill(signal);
      const code = await ended;
      expect(new Set(isOld()).size).toBe(1);
      states.add(`${code === null ? "cut off" : "ended"}, ${isOld().includes(true) ? "old" : "new"}`);
      expect(readdirSync(at("conf.d")).sort()).toEqual(parts.map((path) => path.slice(7)).sort());
    }
    // The first is cut off long before it writes, and the last has all the time that it needs.
    expect([...states]).toContain("cut off, old");
    expect(isOld()).not.toContain(true);
  },
);

const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] as const;
const isRoot = process.getuid?.() === 0;
/** Whether an ordinary user may run the built command where it lies. */
const canDrop =
  isRoot && spawnSync(nobody[0], [...nobody.slice(1), "test", "-r", resolve("package.json")]).status === 0;

test.skipIf(isRoot && !canDrop)("a part that may not be read is told of, and the rest is checked", () => {
  write({ "httpd.conf": "Include a.conf\nInclude b.conf\n", "a.conf": "Optoins None\n", "b.conf": "Optoins None\n" });
  chmodSync(scratch.path, 0o755);
  chmodSync(at("a.conf"), 0);
  const [program, ...rest] = [...(isRoot ? nobody : []), process.execPath, builtCommand, "check", "httpd.conf"];
  const ran = run(program ?? "", rest, { cwd: scratch.path });
  expect(ran.status).toBe(1);
  expect(ran.stdout).toMatch(/^httpd\.conf:1:1: .*a\.conf` cannot be included: permission to read it is denied/m);
  expect(ran.stdout).toMatch(/^b\.conf:1:1: error: /m);
});

test.skipIf(isRoot && !canDrop)("folders that may not be read are told of, and the rest is checked", () => {
  write({
    "httpd.conf": `DocumentRoot ${scratch.path}/www\nInclude closed/*.conf\nInclude open/*.conf\n`,
    "closed/a.conf": "Optoins None\n",
    "open/a.conf": "Optoins None\n",
    "www/closed/.htaccess": "Optoins None\n",
    "www/open/.htaccess": "Optoins None\n",
  });
  chmodSync(scratch.path, 0o755);
  for (const folder of ["closed", "www/closed"]) chmodSync(at(folder), 0);
  const [program, ...rest] = [...(isRoot ? nobody : []), process.execPath, builtCommand, "check", "httpd.conf"];
  const ran = run(program ?? "", rest, { cwd: scratch.path });
  for (const folder of ["closed", "www/closed"]) chmodSync(at(folder), 0o755);
  expect(ran.status).toBe(1);
  expect(ran.stdout).toMatch(/^httpd\.conf:2:1: .*closed` .*permission to read it is denied/m);
  expect(ran.stdout).toMatch(/^httpd\.conf:1:1: .*www\/closed` cannot be listed: permission to read it is denied/m);
  expect(ran.stdout).toMatch(/^open\/a\.conf:1:1: error: /m);
  expect(ran.stdout).toMatch(/^www\/open\/\.htaccess:1:1: error: /m);
});

describe("a reader that has left before anything is written changes nothing but that", () => {
  const server =
    "ServerName x\nDocumentRoot /srv/none\n<Location /a>\nOrder allow,deny\nAllow from 10.0.0.1\n</Location>\n";
  const expected = { expectations: [{ path: "/a", expect: 403 }] };

  test.each([
    ...["text", "json", "sarif", "github", "html", "markdown", "junit"].map(
      (format) => `check httpd.conf --format ${format}`,
    ),
    "check httpd.conf --statistics",
    "resolve httpd.conf",
    "explain httpd.conf /a",
    "explain httpd.conf --requests access.log",
    "test httpd.conf expected.json",
    "compare httpd.conf",
    "compare httpd.conf other.conf",
    "map httpd.conf",
    "map httpd.conf --format html",
    "upgrade httpd.conf",
    "migrate httpd.conf",
    "rules",
    "rules unknown-directive",
    "completion",
    "--help",
  ])("%s", (command) => {
    write({
      "httpd.conf": server,
      "other.conf": server.replace("10.0.0.1", "10.0.0.2"),
      "expected.json": JSON.stringify(expected),
      "access.log": '10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 1\n',
    });
    const usual = lint(command.split(" "));
    expect(usual.stdout).not.toBe("");
    const left = run(
      "sh",
      ["-c", `{ sleep 0.2; "${process.execPath}" "${builtCommand}" ${command}; echo $? >code; } | :`],
      {
        cwd: scratch.path,
      },
    );
    expect(left.stderr).toBe(usual.stderr);
    expect(textOf("code")).toBe(`${usual.status}\n`);
  });
});

describe("nothing that a configuration names is run or called", () => {
  const naming = (marker: string) => `ServerName x.example
Listen 80
DocumentRoot "${"$"}{here}"
LoadModule rewrite_module http://127.0.0.1:9/x.so
CustomLog "|/bin/touch ${marker}" common
ErrorLog "|/bin/touch ${marker}"
SSLPassPhraseDialog "exec:/bin/touch ${marker}"
RewriteEngine On
RewriteMap run "prg:/bin/touch ${marker}"
RewriteRule ^/(.*)$ \${run:$1} [P]
ProxyPass /p http://127.0.0.1:9/
Include http://127.0.0.1:9/x.conf
<Location /a>
  AuthLDAPURL ldap://127.0.0.1:9/x
  Require host localhost.example
  Order allow,deny
  Allow from localhost.example
</Location>
`;
  const commands = ["check --from 2.2", "resolve", "explain", "compare", "map", "upgrade", "migrate"];

  test.each(commands)("by %s", (command) => {
    const [name = "", ...flags] = command.split(" ");
    const marker = at("ran");
    const log = at("forbidden");
    write({ "httpd.conf": naming(marker).replace("${here}", scratch.path) });
    const more = name === "explain" ? ["/a"] : name === "compare" ? ["httpd.conf"] : [];
    const ran = lint([name, "httpd.conf", ...more, ...flags], {
      env: { NODE_OPTIONS: `--require ${resolve("test/support/forbid-world.cjs")}`, FORBIDDEN_LOG: log },
    });
    expect([0, 1, 5]).toContain(ran.status);
    expect([existsSync(marker), existsSync(log)]).toEqual([false, false]);
  });

  test("twin: what does start a program is seen", () => {
    const log = at("forbidden");
    write({ "a.conf": old });
    lint(["check", "a.conf", "--changed-since", "HEAD"], {
      env: { NODE_OPTIONS: `--require ${resolve("test/support/forbid-world.cjs")}`, FORBIDDEN_LOG: log },
    });
    expect(readFileSync(log, "utf8")).not.toBe("");
  });
});

describe("what a terminal would obey", () => {
  const clearing = "\u001b[2J";
  const hasControls = /(?![\n\t])\p{Cc}/u;

  test.each(["text", "github", "markdown", "html", "sarif", "json"])("is in no report as %s", (format) => {
    write({ [`e${clearing}\nvil.conf`]: `${clearing}Alow\nOptions "${clearing}"\n` });
    const ran = lint(["check", `e${clearing}\nvil.conf`, "--format", format, "--from", "2.2"]);
    expect(ran.status).toBe(1);
    expect(ran.stdout).not.toMatch(hasControls);
    if (format === "github") expect(ran.stdout).toMatch(/^(?:::\w+ .*\n)+$/);
  });

  test("is in no note", () => {
    for (const args of [
      [`no${clearing}`],
      [`--${clearing}`],
      ["a.conf", "--output", `/no/${clearing}`],
      ["rules", clearing],
    ]) {
      const ran = lint(args);
      expect(ran.stderr).not.toBe("");
      expect(ran.stderr).not.toMatch(hasControls);
    }
  });

  test("is shown by name on a terminal in what is printed to the byte elsewhere", () => {
    expect(visibleLines(`\u001b[31m-a\u001b[39m\t${clearing}\u001b[8m\nb\u009b1m`)).toBe(
      "\u001b[31m-a\u001b[39m\t␛[2J␛[8m\nb\\u{9b}1m",
    );
  });
});

describe("--confine", () => {
  const secret = "Hunter2 x\n";

  test.each([
    [
      "a link to a file",
      (inside: string) => symlinkSync("../outside/secret.conf", join(inside, "link.conf")),
      "link.conf",
    ],
    ["a link to a folder", (inside: string) => symlinkSync("../outside", join(inside, "link")), "link/secret.conf"],
    ["a link and a pattern", (inside: string) => symlinkSync("../outside", join(inside, "link")), "link/*.conf"],
    ["a way up", () => {}, "../outside/secret.conf"],
    ["a way up in the middle", (inside: string) => mkdirSync(join(inside, "a")), "a/../../outside/secret.conf"],
    ["an escaped way up", () => {}, "%2e%2e/outside/secret.conf"],
    ["a pattern that goes up", () => {}, "../out*/*.conf"],
    ["a variable", () => {}, "${up}/outside/secret.conf"],
    ["a folder's name that begins alike", () => {}, "../inside2/secret.conf"],
  ])("is not left by %s", (_what, prepare, include) => {
    const main = `Define up ..\nIncludeOptional ${include}\nInclude ${include}\n`;
    write({ "inside/httpd.conf": main, "outside/secret.conf": secret, "inside2/secret.conf": secret });
    prepare(at("inside"));
    for (const command of [["check"], ["resolve"], ["map"], ["upgrade"]]) {
      const { stdout, stderr } = lint([...command, "inside/httpd.conf", "--confine", "inside"]);
      expect(stdout + stderr).not.toContain("Hunter2");
    }
    if (!include.includes("%2e")) expect(lint(["resolve", "inside/httpd.conf"]).stdout).toContain("Hunter2");
  });

  test("is not left by an absolute path, nor by what lies below a DocumentRoot", () => {
    write({ "outside/secret.conf": secret, "outside/.htaccess": secret });
    const outside = at("outside");
    write({ "inside/httpd.conf": `Include ${outside}/secret.conf\nDocumentRoot ${outside}\n` });
    expect(lint(["check", "inside/httpd.conf"]).stdout.match(/Hunter2` is no directive/g)).toHaveLength(2);
    expect(lint(["check", "inside/httpd.conf", "--confine", "inside"]).stdout).not.toContain("Hunter2");
  });

  describe("is not left by settings that were found", () => {
    const inside = (settings: object, files: Readonly<Record<string, string>> = {}) =>
      write({
        "outside/secret.conf": secret,
        "outside/secret.json": '{ "Hunter2": 1 }',
        "outside/envvars": "export UP=Hunter2\n",
        "inside/httpd.conf": "Listen 80\nServerAdmin ${UP}\n",
        "inside/.httpd-lint.json": JSON.stringify(settings),
        ...files,
      });

    test.each([
      ["envvars", "../outside/envvars"],
      ["baseline", "../outside/secret.json"],
      ["cache", "../outside/cache"],
      ["expectations", "../outside/secret.json"],
      ["files", "../outside/secret.conf"],
      ["entry", "../outside/secret.conf"],
    ])("which name %s", (name, path) => {
      inside({ entry: "httpd.conf", [name]: path });
      for (const args of [
        ["check", "inside"],
        ["test", "inside/httpd.conf"],
        ["resolve", "inside/httpd.conf"],
      ]) {
        const ran = lint([...args, "--confine", "inside"]);
        expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
        expect(ran.status).toBe(2);
      }
      const ran = lint(["check", "inside", "--confine", "inside"]);
      expect(ran.stderr).toMatch(
        new RegExp(
          `^httpd-lint: .inside/.httpd-lint.json.: .${name}. names .*, which lies outside .inside., where reading is`,
        ),
      );
      expect(existsSync(at("outside/cache"))).toBe(false);
    });

    test("which are a link", () => {
      inside({});
      renameSync(at("inside/.httpd-lint.json"), at("outside/own.json"));
      symlinkSync("../outside/secret.json", at("inside/.httpd-lint.json"));
      const ran = lint(["check", "inside", "--confine", "inside"]);
      expect(ran.status).toBe(2);
      expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
    });

    test("nor by what lies beside the main file as a link", () => {
      inside({});
      symlinkSync("../outside/envvars", at("inside/envvars"));
      symlinkSync("../outside/secret.json", at("inside/httpd-lint.expectations.json"));
      const shown = (...flags: string[]) => lint(["resolve", "inside/httpd.conf", ...flags]).stdout;
      expect(shown("--confine", "inside")).toContain("ServerAdmin ${UP}");
      expect(shown()).toContain("ServerAdmin Hunter2");
      const ran = lint(["test", "inside/httpd.conf", "--confine", "inside"]);
      expect(ran.status).toBe(3);
      expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
    });

    test("twin: the same by flags, and within", () => {
      inside(
        { entry: "httpd.conf", envvars: "own", baseline: "known.json" },
        { "inside/own": "export UP=me\n", "inside/known.json": '{ "version": 1, "findings": [] }' },
      );
      expect(lint(["resolve", "inside/httpd.conf", "--confine", "inside"]).stdout).toContain("ServerAdmin me");
      const flags = ["--confine", "inside", "--envvars", "outside/envvars"];
      expect(lint(["resolve", "inside/httpd.conf", ...flags]).stdout).toContain("ServerAdmin Hunter2");
      expect(
        lint(["resolve", "inside/httpd.conf", "--confine", "inside", "--config", "inside/.httpd-lint.json"]).status,
      ).toBe(0);
    });
  });

  test("what never ends, or never begins, beside a main file is not waited for", () => {
    write({ "httpd.conf": "Listen 80\n" });
    run("mkfifo", [at("envvars")]);
    expect(lint(["resolve", "httpd.conf"]).status).toBe(0);
    renameSync(at("envvars"), at("pipe"));
    symlinkSync("/dev/zero", at("envvars"));
    expect(lint(["resolve", "httpd.conf"]).status).toBe(0);
  });

  test("is not left while links are laid anew", async () => {
    write({ "outside/a.conf": secret, "inside/real/a.conf": "Listen 80\n" });
    const inside = at("inside");
    const swapping = `const fs = require("node:fs"); process.chdir(${JSON.stringify(inside)});
      for (let n = 0; ; n++) { fs.symlinkSync(n % 2 ? "real" : "../outside", "next"); fs.renameSync("next", "link"); }`;
    symlinkSync("real", join(inside, "link"));
    const child = spawn(process.execPath, ["-e", swapping]);
    const access = diskAccess({ confine: inside });
    const path = fromReadable(join(inside, "link/a.conf"));
    const seen = new Set<string>();
    const until = Date.now() + 1500;
    while (Date.now() < until) {
      const content = access.read(path);
      seen.add("failed" in content ? "refused" : content.text);
    }
    child.kill();
    await new Promise((ended) => child.once("close", ended));
    expect(seen).not.toContain(secret);
    expect(seen).toContain("Listen 80\n");
    expect(seen).toContain("refused");
    renameSync(join(inside, "link"), join(inside, "gone"));
  });
});

test("secrets are in no printed configuration", () => {
  const lines = ["AuthLDAPBindPassword hunter2", "SSLPassPhraseDialog exec:/bin/hunter2", "SetEnv DB_PASSWORD hunter2"];
  write({ "a.conf": `${lines.join("\n")}\nProxyPass /b http://bob:hunter2@b/\nServerName x\n` });
  const ran = lint(["resolve", "a.conf"]);
  expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  expect(ran.stdout).toContain("AuthLDAPBindPassword ********\n");
  writeFileSync(at("b.conf"), "ServerName x\n");
  expect(lint(["resolve", "b.conf"]).stdout).toContain("ServerName x\n");
});
