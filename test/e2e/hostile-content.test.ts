import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { commandArgs, commandProgram, run } from "../support/programs/command.js";
import { commitAll } from "../support/programs/scratch-repository.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, write } = lintedFolder();

describe("a repository that blocks git", () => {
  test("makes --changed-since fail with a message", { timeout: 150_000 }, () => {
    write({ "httpd.conf": "Listen 80\n" });
    commitAll(at("."));
    write({ "httpd.conf": "Listen 81\n" });
    run("mkfifo", [at(".gitattributes")]);
    const ran = lint(["httpd.conf", "--changed-since", "HEAD"], { programTimeout: 1000 });
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain("git did not finish within 60 seconds");
  });
});

describe("log commands of CI systems", () => {
  // The patterns that the runners of GitHub and Azure match.
  const command = /##\[[a-z]|##vso\[|^\s*::[a-z-]+[^:]*::/im;

  test("are escaped in contents", () => {
    write({ "httpd.conf": "Nonsense ##[error]x ##vso[task.setvariable variable=a]b ::add-mask::c\n" });
    const { stdout } = lint(["httpd.conf"]);
    expect(stdout).toContain("#♯[error]x #♯vso[task");
    expect(stdout).not.toMatch(command);
  });

  test("are escaped in file names", () => {
    write({ "::stop-commands::x.conf": "Optoins None\n", "##[add-mask]y.conf": "Optoins None\n" });
    for (const format of ["text", "markdown"]) {
      const { stdout, stderr } = lint(["::stop-commands::x.conf", "##[add-mask]y.conf", "--format", format]);
      expect(stdout).toContain("stop-commands");
      expect(stdout + stderr).not.toMatch(command);
    }
    const { stderr } = lint(["::stop-commands::none", "##[add-mask]none"]);
    expect(stderr).toContain("none");
    expect(stderr).not.toMatch(command);
  });

  test("do not include addresses and banners, which are not escaped", () => {
    write({ "httpd.conf": "Listen [::1]:80\n##### [ Section ] #####\nNonsense ::1\n" });
    const { stdout } = lint(["httpd.conf"]);
    expect(stdout).toContain("Nonsense ::1");
  });
});

describe("a map page", () => {
  test("shows no control characters of names and paths, and keeps other characters", () => {
    const name = "a\u001b[31m\u0007≠b";
    write({
      "httpd.conf": `Listen 80
DocumentRoot /srv
<VirtualHost *:80>
ServerName "${name}"
<Location "/p\u001b≠?token=Hunter2">
Deny from all
Satisfy any
</Location>
</VirtualHost>
`,
    });
    for (const [command, format] of [
      ["map", "html"],
      ["map", "text"],
      ["audit", "html"],
      ["audit", "text"],
    ] as const) {
      const written = lint([command, "httpd.conf", "--format", format]).stdout;
      const stdout = written.replace(/<script>.*<\/script>/s, "");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the page must not contain them
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(stdout).toContain("a␛[31m␇≠b");
      // The text of the page itself is not altered.
      if (command === "map" && format === "html") expect(stdout).toContain("›");
      expect(stdout).not.toContain("Hunter2");
    }
    for (const command of ["map", "audit"]) {
      const { stdout } = lint([command, "httpd.conf", "--format", "json"]);
      expect(stdout).toContain("≠b");
      expect(stdout).not.toContain("â");
      expect(stdout).not.toContain("Hunter2");
    }
  });
});

describe("masked secrets", () => {
  test("do not change the words of a message", () => {
    write({ "httpd.conf": "SetEnv DB_PASS p@ss word\n" });
    const { stdout } = lint(["httpd.conf"]);
    expect(stdout).toContain("takes 1 or 2 arguments");
    expect(stdout).not.toMatch(/p@ss|`word`|DB_PASS.*word/);
  });

  test("replace quoted words", () => {
    write({ "httpd.conf": "AuthLDAPBindPassword hunter secret\nAuthLDAPBindPasword hunters\n" });
    const { stdout } = lint(["httpd.conf"]);
    expect(stdout).not.toContain("hunter");
  });
});

describe("the language server", () => {
  const framed = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };

  test.each([
    ["a negative length", 'Content-Length: -7\r\n\r\n{"a":1}'],
    ["a length that is not a number", "Content-Length: x\r\n\r\n{}"],
    ["no length", "Content-Type: x\r\n\r\n{}"],
    ["a length that exceeds every document", "Content-Length: 99999999999999\r\n\r\n{}"],
    ["no end", "x".repeat(20_000)],
    ["a second length", "Content-Length: 2\r\nContent-Length: 400\r\n\r\n{}"],
    ["no field", '{"jsonrpc":"2.0","id":9,"method":"shutdown"}'],
  ])("answers after an invalid header: %s", { timeout: 60_000 }, async (_what, broken) => {
    const server = spawn(commandProgram, [...commandArgs, "lsp", "--stdio"], { cwd: at(".") });
    let [answers, notes] = ["", ""];
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      answers += text;
      if (answers.includes('"id":2')) server.stdin.end();
    });
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      notes += text;
    });
    const ended = new Promise((done) => server.once("close", done));
    const limit = setTimeout(() => server.kill(), 30_000);
    server.stdin.write(
      framed({ id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } }),
    );
    server.stdin.write(broken);
    server.stdin.write(framed({ id: 2, method: "shutdown" }));
    await ended;
    clearTimeout(limit);
    expect(answers).toContain('"id":1');
    expect(answers).toContain('"id":2');
    expect(answers).toContain('"id":null,"error":{"code":-32700');
    expect(notes).toMatch(
      /^httpd-lint: ignored a message from the editor: (?:the end of its|its) header (?:is missing|has )/,
    );
  });
});
