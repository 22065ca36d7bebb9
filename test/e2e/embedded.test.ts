import { describe, expect, test } from "vitest";
import { accessPitfalls } from "../support/access-pitfalls.js";
import { expectFailure, findings } from "../support/programs/command-output.js";
import { git } from "../support/programs/scratch-repository.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { lint, textOf, write } = scratch;

function writeRepository(files: Readonly<Record<string, string>>): void {
  write(files);
  git(scratch.path, "init", "--quiet");
}

const indent = (text: string, by: string) => text.replace(/^(?=.)/gm, by);
/** Escapes a text for a here-document that a shell expands. */
const escaped = (text: string) => text.replace(/[\\$`]/g, "\\$&");

/** Returns a command for each line, which writes it. */
const commands = (text: string) =>
  text.replace(/^(.*)\n/gm, (_, line: string) => `echo '${line.replaceAll("'", "'\\''")}'\n`);

/** Files of other formats by name, which contain a configuration. */
const outer: Readonly<Record<string, (text: string) => string>> = {
  "setup.sh": (text) => `set -e\ncat > /etc/apache2/sites-available/x.conf <<'EOF'\n${text}EOF\n`,
  "expanded.sh": (text) => `sudo tee -a "/etc/httpd/conf.d/$NAME.conf" >/dev/null <<EOF\n${escaped(text)}EOF\n`,
  "tabs.sh": (text) => `\tcat <<-EOF > /etc/httpd/conf.d/x.conf\n${indent(escaped(text), "\t\t")}\tEOF\n`,
  Dockerfile: (text) => `FROM httpd\nCOPY <<EOF /usr/local/apache2/conf/extra/x.conf\n${escaped(text)}EOF\n`,
  "run.dockerfile": (text) => `RUN <<EOF\ncat > /etc/x.conf <<'X'\n${text}X\nEOF\n`,
  "map.yaml": (text) => `kind: ConfigMap\ndata:\n  site.conf: |\n${indent(text, "    ")}`,
  "chart.yml": (text) => `{{- if .Values.x }}\ndata:\n  "000-default.conf": |-\n${indent(text, "    ")}{{- end }}\n`,
  "play.yml": (text) => `- copy:\n    content: |\n${indent(text, "      ")}    dest: /etc/httpd/conf.d/x.conf\n`,
  "apply.sh": (text) => `cat <<EOF | kubectl apply -f -\ndata:\n  a.conf: |\n${indent(escaped(text), "    ")}EOF\n`,
  "echo.sh": (text) => `{\n${commands(text)}} > /etc/httpd/conf.d/x.conf\n`,
  "run/Dockerfile": (text) =>
    `RUN { \\\n${commands(text).replace(/\n/g, "; \\\n")}} | tee /etc/apache2/conf-enabled/x.conf\n`,
  "loop.sh": (text) => `for x in a b; do\n${commands(text)}done > /etc/httpd/conf.d/x.conf\n`,
  "function.sh": (text) => `site() {\n${commands(text)}}\nsite > /etc/httpd/conf.d/x.conf\n`,
  "more/Dockerfile": (text) => `RUN cat >> /usr/local/apache2/conf/httpd.conf <<'EOF'\n${text}EOF\n`,
  "main.tf": (text) => `"x.conf" = <<-EOF\n${indent(text, "  ")}  EOF\n`,
  "init.pp": (text) => `file { '/etc/httpd/conf.d/x.conf':\n  content => @(END),\n${text}  | END\n}\n`,
  "init.yaml": (text) => `args:\n- |\n  cat > /etc/httpd/conf.d/x.conf <<EOF\n${indent(escaped(text), "  ")}  EOF\n`,
};

describe("the findings of a pitfall do not depend on the file around it", () => {
  test.each(Object.entries(outer))("%s", (name, around) => {
    const shift = around("\0")
      .split("\n")
      .findIndex((line) => line.includes("\0"));
    const files = Object.fromEntries(
      accessPitfalls.flatMap(({ text }, index) => [
        [`plain/${index}/x.conf`, text],
        [`outer/${index}/${name}`, around(text)],
      ]),
    );
    writeRepository(files);
    const check = (folder: string) => {
      const { stdout } = lint(["--no-config", "--format", "json", folder]);
      const { findings }: { findings: readonly { rule: string; path: string; start: { line: number } }[] } =
        JSON.parse(stdout);
      return findings;
    };
    const plain = check("plain").map(({ rule, path, start }) => `${path.split("/")[1]} ${rule} ${start.line}`);
    const inside = check("outer").map(({ rule, path, start }) => `${path.split("/")[1]} ${rule} ${start.line - shift}`);
    expect(plain.length).toBeGreaterThan(accessPitfalls.length);
    expect(inside.filter((line) => !line.includes("template-placeholder"))).toEqual(plain);
  });
});

describe("findings", () => {
  test("have the line and the column of the outer file", () => {
    writeRepository({
      Dockerfile:
        "FROM httpd\nCOPY <<EOF /etc/httpd/conf.d/x.conf\nServerName $NAME\n  Optoins \\${x}\n  Options \\$ Indexs\nEOF\n",
      "map.yaml":
        "data:\n  .htaccess: |\n    Listen 80\n  httpd.conf: |\n    Listen 80\n    Listen a.b\n  nginx.conf: |\n    server {\n    }\n",
    });
    const found = [
      "Dockerfile:3:1: info template-placeholder",
      "Dockerfile:4:3: error unknown-directive",
      "Dockerfile:5:12: error refused-at-start",
      "map.yaml:3:5: error misplaced-directive",
      "map.yaml:6:12: error refused-at-start",
    ];
    expect(findings(lint(["."]))).toEqual(found);
    expect(findings(lint(["Dockerfile", "map.yaml"]))).toEqual(found);
  });

  test("have no fixes, so that `--fix` changes nothing", () => {
    const script = outer["setup.sh"]?.("ServerNmae x\nOptions Indexes +FollowSymLinks\n") ?? "";
    writeRepository({ "setup.sh": script });
    expect(findings(lint(["setup.sh"]))).toContain("setup.sh:3:1: error unknown-directive");
    expect(lint(["setup.sh", "--fix"]).stderr).toContain("httpd-lint: nothing was fixed\n");
    expect(textOf("setup.sh")).toBe(script);
    expect(lint(["setup.sh", "--format", "json"]).stdout).not.toContain('"fix"');
  });

  test("obey the comments in the text", () => {
    writeRepository({
      "a.sh":
        "cat > x.conf <<EOF\n# httpd-lint-ignore-next-line unknown-directive\nBogus on\nListen 80\nServerName x\nEOF\n",
    });
    expect(lint(["a.sh"])).toMatchObject({
      status: 0,
      stdout: "no findings in 1 file, 5 lines; 1 ignored by comments\n",
    });
  });

  test("show the lines of the outer file", () => {
    writeRepository({ "a.yaml": "data:\n  a.conf: |\n    Listen 80\n    ServerNmae é\n" });
    expect(lint(["a.yaml"]).stdout).toContain("4 |     ServerNmae é\n  |     ^^^^^^^^^^");
  });
});

describe("text that is appended to a main file", () => {
  const target = "/usr/local/apache2/conf/httpd.conf";
  const lines = [
    "Listen 8080",
    "DocumentRoot /srv/www",
    "ServerNmae x",
    "Include conf/extra/x.conf",
    "Include sites/*.conf",
  ];
  const found = [
    "error unknown-directive",
    "info refused-at-start: the files of `Include conf/extra/x.conf` were not found",
  ];

  test.each([
    ["by a here-document", `RUN cat >> ${target} <<EOF\n${lines.join("\n")}\nEOF\n`],
    ["by commands", lines.map((line) => `RUN echo "${line}" >> ${target}\n`).join("")],
    ["by tee", `RUN ${lines.map((line) => `echo "${line}"`).join("; ")} | tee -a ${target}\n`],
  ])("is a part of a server: %s", (_, text) => {
    writeRepository({ Dockerfile: `FROM httpd:2.4\n${text.replace(/RUN (echo .*) \|/, "RUN { $1; } |")}` });
    const checked: { findings: readonly { severity: string; rule: string; message: string }[] } = JSON.parse(
      lint(["--format", "json", "."]).stdout,
    );
    const about = ({ severity, rule, message }: (typeof checked.findings)[number]) =>
      `${severity} ${rule}${rule === "refused-at-start" ? `: ${message}` : ""}`;
    expect(checked.findings.map(about)).toEqual(found);
    expect(lint(["--list-files", "."]).stdout.replace(/:\d+/, "")).toBe(
      "Dockerfile: on its own, as `usr/local/apache2/conf/httpd.conf`\n",
    );
  });

  test("is a main file if the command writes all of it", () => {
    writeRepository({ "a.sh": `echo "ServerRoot /etc/httpd" > ${target}\necho "Listen 80" >> ${target}\n` });
    expect(lint(["--list-files", "."]).stdout).toBe("a.sh:1: main file of a server\n");
  });
});

describe("a file without configuration", () => {
  test("is an error if it is named", () => {
    writeRepository({ "a.sh": "echo\n", "b.yaml": "a: b\n" });
    expectFailure(lint(["a.sh"]), 3, "no httpd configuration was found in `a.sh`");
    expectFailure(lint(["."]), 3, "no httpd configuration was found in `.`");
    expect(lint(["a.sh", "b.yaml", "--skip-unrecognized"])).toMatchObject({ status: 0 });
  });

  test("is a main file if it is named as one", () => {
    writeRepository({ "web.yml": "Listen 80\nOptoins None\n", ".httpd-lint.json": '{ "entry": "web.yml" }' });
    expect(findings(lint(["web.yml"]))).toEqual(["web.yml:2:1: error unknown-directive"]);
  });
});

test("standard input may be a file of another format", () => {
  const input = outer["map.yaml"]?.("Optoins None\nListen 80\n") ?? "";
  expect(findings(lint(["-", "--stdin-filename", "a/map.yaml"], { input }))).toEqual([
    "a/map.yaml:4:5: error unknown-directive",
  ]);
});

test("many texts are checked in threads, and results are cached", { timeout: 300_000 }, () => {
  const names = Array.from({ length: 1010 }, (_, index) => `${index}.sh`);
  const script = outer["setup.sh"]?.("Optoins None\nListen 80\n") ?? "";
  writeRepository(Object.fromEntries(names.map((name) => [name, script])));
  const first = findings(lint([".", "--jobs", "2"]));
  expect(first).toHaveLength(1010);
  expect(findings(lint([".", "--cache"]))).toEqual(first);
  expect(findings(lint([".", "--cache"]))).toEqual(first);
  write({ "7.sh": script.replace("Optoins", "Options") });
  expect(findings(lint([".", "--cache"]))).toHaveLength(1009);
});

describe("commands whose text cannot be read", () => {
  const files = {
    Dockerfile: [
      "FROM httpd",
      "RUN sed -i 's/^ServerTokens .*/ServerTokens Prodd/' /usr/local/apache2/conf/httpd.conf",
      "RUN sed -i 's/^#//' /usr/local/apache2/conf/httpd.conf && sed -i 's/^#//' /etc/nginx/nginx.conf",
      "",
    ].join("\n"),
    "setup.sh": "perl -pi -e 's/a/b/' /etc/apache2/sites-available/a.conf\n",
  };
  const unread = [
    { path: "Dockerfile", line: 3, command: "sed", target: "/usr/local/apache2/conf/httpd.conf" },
    { path: "setup.sh", line: 1, command: "perl", target: "/etc/apache2/sites-available/a.conf" },
  ];

  test("are counted and listed, and what can be read is checked", () => {
    write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`unread/${name}`, text])));
    const { stdout, stderr } = lint(["check", "unread", "--format", "json"]);
    const report = JSON.parse(stdout);
    expect(report.unreadCommands).toEqual(unread.map((each) => ({ ...each, path: `unread/${each.path}` })));
    expect(report.findings).toMatchObject([
      { path: "unread/Dockerfile", start: { line: 2 }, rule: "refused-at-start" },
    ]);
    expect(stderr).toContain(
      "httpd-lint: the texts of 2 commands were not checked: `sed` for /usr/local/apache2/conf/httpd.conf (unread/Dockerfile:3)",
    );
  });

  test("are none if all text is known, or if it is that of another program", () => {
    write({
      "known/Dockerfile": "RUN sed -i 's/^#//' /etc/nginx/nginx.conf; echo Listen 80 > /etc/apache2/ports.conf\n",
    });
    const { stdout, stderr } = lint(["check", "known", "--format", "json"]);
    expect(JSON.parse(stdout)).not.toHaveProperty("unreadCommands");
    expect(stderr).not.toContain("command");
  });
});
