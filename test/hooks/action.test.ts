import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isDeep, sampleOf } from "../support/depth.js";
import { ensureBuilt, type Ran, run } from "../support/programs/command.js";
import { type ScratchFolder, scratchFolder, writeFiles } from "../support/programs/scratch-folder.js";
import { copyProject } from "../support/programs/scratch-repository.js";

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const action: Action = parse(readFileSync("action.yml", "utf8"));
const { steps } = action.runs;
const [build, check, upload, comment] = steps;

let runner: ScratchFolder;
let workspace: string;
let actionFolder: string;

beforeAll(ensureBuilt);

beforeEach(() => {
  runner = scratchFolder();
  workspace = join(runner.path, "workspace");
  actionFolder = join(runner.path, "action");
  for (const folder of [workspace, actionFolder, join(runner.path, "temp")]) mkdirSync(folder);
  writeFiles(workspace, {
    "conf/httpd.conf": "Include sites/*.conf\n",
    "conf/sites/a.conf": "Optoins None\n",
    "two words/.htaccess": "Order allow,deny\n",
  });
});

afterEach(() => runner.dispose());

interface StepResult extends Ran {
  readonly outputs: Readonly<Record<string, string>>;
}

/** Runs a step's script as the runner does: from a file, with `bash -eo pipefail`, in the workspace. */
function runStep(
  step: Step | undefined,
  givenInputs: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
): StepResult {
  const script = join(runner.path, "step.sh");
  const output = join(runner.path, "output");
  writeFileSync(script, step?.run ?? "");
  writeFileSync(output, "");
  const inputs = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])),
    ...givenInputs,
  };
  const filled = Object.entries(step?.env ?? {}).map(([name, value]) => [name, fillInputs(value, inputs)]);
  const ran = run("bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", script], {
    cwd: workspace,
    env: {
      ...Object.fromEntries(filled),
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_ACTION_PATH: actionFolder,
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: "owner/name",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_WORKSPACE: workspace,
      RUNNER_TEMP: join(runner.path, "temp"),
      ...environment,
    },
  });
  const lines = readFileSync(output, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return {
    ...ran,
    outputs: Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    ),
  };
}

function fillInputs(value: string, inputs: Readonly<Record<string, string | undefined>>): string {
  return value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => {
    const input = inputs[name];
    if (input === undefined) throw new Error(`the action has no input ${name}`);
    return input;
  });
}

interface Sarif {
  readonly runs: readonly {
    readonly automationDetails?: { readonly id: string };
    readonly results: readonly {
      readonly ruleId: string;
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
      }[];
    }[];
  }[];
}

function readSarif(path: string | undefined): Sarif {
  return JSON.parse(readFileSync(path ?? "", "utf8"));
}

describe("the steps", () => {
  test("are shell scripts and one upload", () => {
    expect(action.runs.using).toBe("composite");
    const [, , uploading] = steps.map((step) => step.shell ?? step.uses);
    expect(steps.map((step) => step.shell)).toEqual(["bash", "bash", undefined, "bash"]);
    expect(uploading).toMatch(/^github\/codeql-action\/upload-sarif@[0-9a-f]{40}$/);
  });

  test("run the linter once", () => {
    const script = (check?.run ?? "").replace(/^\s*#.*$/gm, "");
    expect(script.match(/dist\/httpd-lint\.js/g)).toHaveLength(1);
  });

  test("contain no inputs in their scripts, which would execute them", () => {
    for (const step of steps) expect(step.run ?? "").not.toContain("${{");
  });

  test("upload the SARIF file, regardless of the result of the check", () => {
    expect(upload?.if).toBe("always() && inputs.upload == 'true' && steps.lint.outputs.sarif-file != ''");
    expect(upload?.with?.["sarif_file"]).toBe("${{ steps.lint.outputs.sarif-file }}");
    expect(check?.id).toBe("lint");
  });

  test("set every output, and use every input", () => {
    const text = readFileSync("action.yml", "utf8");
    for (const name of Object.keys(action.inputs)) expect(text).toContain(`inputs.${name}`);
    for (const [name, output] of Object.entries(action.outputs))
      expect(output.value).toBe(`\${{ steps.lint.outputs.${name} }}`);
  });
});

describe("the comment", () => {
  /** A `gh` that keeps the comments of a pull request in files, and filters them with jq as `gh api` does. */
  const gh = `#!/bin/bash
set -e
method=GET; query=; body=
while [ $# -gt 0 ]; do
  case "$1" in
    --method) method=$2; shift ;;
    --jq) query=$2; shift ;;
    --field) body=$(cat "\${2#body=@}"; echo x); shift ;;
    api | --paginate | --silent) ;;
    *) path=$1 ;;
  esac
  shift
done
echo "$method $path" >> "$STORE/calls"
case "$method" in
  GET) jq -r "$query" "$STORE/comments.json" ;;
  *) printf %s "\${body%x}" > "$STORE/$method.md" ;;
esac
`;
  let environment: Readonly<Record<string, string>>;

  beforeEach(() => {
    symlinkSync(resolve("dist"), join(actionFolder, "dist"));
    writeFiles(runner.path, { "bin/gh": gh, "comments.json": "[]" });
    chmodSync(join(runner.path, "bin/gh"), 0o755);
    environment = {
      PATH: `${join(runner.path, "bin")}${delimiter}${process.env["PATH"] ?? ""}`,
      STORE: runner.path,
      GITHUB_REPOSITORY: "owner/name",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_SHA: "abc123",
      NUMBER: "7",
    };
  });

  /** Runs the step of the comment after the check. */
  function commentOn(other: Readonly<Record<string, string>> = {}): StepResult {
    const { outputs } = runStep(check, {}, environment);
    const step = { ...comment, name: "Comment", env: {} };
    return runStep(step, {}, { ...environment, COMMENT_FILE: outputs["comment-file"] ?? "", ...other });
  }
  const calls = () => readFileSync(join(runner.path, "calls"), "utf8").trimEnd().split("\n");

  test("is written once, with links to the lines of the commit", () => {
    expect(commentOn()).toMatchObject({ status: 0, stdout: "" });
    expect(calls()).toEqual([
      "GET repos/owner/name/issues/7/comments?per_page=100",
      "POST repos/owner/name/issues/7/comments",
    ]);
    const text = readFileSync(join(runner.path, "POST.md"), "utf8");
    expect(text).toMatch(/^<!-- httpd-lint httpd-lint -->\n### httpd-lint: \d findings\n/);
    expect(text).toContain("(https://github.com/owner/name/blob/abc123/conf/sites/a.conf#L1)");
    expect(text).toContain("/blob/abc123/two%20words/.htaccess#L1)");
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
  });

  test("is changed by a later run, but not if another user or category wrote it", () => {
    const marker = "<!-- httpd-lint httpd-lint -->";
    const comments = [
      { id: 1, user: { type: "User" }, body: `${marker}\nstolen` },
      { id: 2, user: { type: "Bot" }, body: "<!-- httpd-lint other -->\n" },
      { id: 3, user: { type: "Bot" }, body: `text\n${marker}\n` },
    ];
    writeFiles(runner.path, { "comments.json": JSON.stringify(comments) });
    commentOn();
    expect(calls().at(-1)).toBe("POST repos/owner/name/issues/7/comments");
    const own = { id: 4, user: { type: "Bot" }, body: `${marker}\r\nold` };
    writeFiles(runner.path, { "comments.json": JSON.stringify([...comments, own]) });
    commentOn();
    expect(calls().at(-1)).toBe("PATCH repos/owner/name/issues/comments/4");
    expect(readFileSync(join(runner.path, "PATCH.md"), "utf8")).toContain("### httpd-lint: ");
  });

  test.each([true, false])("is left out if the check wrote none (with an empty file: %s)", (exists) => {
    const file = join(runner.path, "empty.md");
    if (exists) writeFileSync(file, "");
    const other = [{ id: 1, user: { type: "Bot" }, body: "\nof another bot" }];
    writeFiles(runner.path, { "comments.json": JSON.stringify(other) });
    expect(commentOn({ COMMENT_FILE: file })).toMatchObject({ status: 0, stdout: expect.stringMatching(/^::notice /) });
    expect(existsSync(join(runner.path, "calls"))).toBe(false);
  });

  test("is left out without a pull request, and is only written on request", () => {
    expect(commentOn({ NUMBER: "" })).toMatchObject({ status: 0 });
    expect(existsSync(join(runner.path, "calls"))).toBe(false);
    expect(comment?.if).toBe("always() && inputs.comment == 'true' && steps.lint.outputs.comment-file != ''");
    expect(action.inputs["comment"]?.default).toBe("false");
  });

  test("describes every input in the guide", () => {
    const page = readFileSync("docs/ci.md", "utf8");
    for (const name of Object.keys(action.inputs)) expect(page).toContain(`| \`${name}\` | `);
    for (const name of Object.keys(action.outputs)) expect(page).toContain(`| \`${name}\` | `);
  });
});

describe("the check", () => {
  beforeEach(() => symlinkSync(resolve("dist"), join(actionFolder, "dist")));

  test("annotates, writes SARIF and fails on findings", () => {
    const ran = runStep(check);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toContain("::error file=conf/sites/a.conf,line=1,");
    expect(ran.stdout).toContain("::notice file=two words/.htaccess,line=1,");
    expect(ran.outputs).toEqual({
      "exit-code": "1",
      "sarif-file": join(runner.path, "temp/httpd-lint.sarif"),
      "comment-file": join(runner.path, "temp/httpd-lint-comment.md"),
    });
    const [sarif] = readSarif(ran.outputs["sarif-file"]).runs;
    expect(sarif?.results.map((result) => result.locations[0]?.physicalLocation.artifactLocation.uri).sort()).toEqual([
      "conf/sites/a.conf",
      "two%20words/.htaccess",
    ]);
    expect(sarif?.automationDetails?.id).toMatch(/^httpd-lint\b/);
  });

  test("passes and writes an empty log without findings, so that alerts close", () => {
    rmSync(join(workspace, "conf/sites/a.conf"));
    writeFiles(workspace, { "conf/httpd.conf": "Listen 80\n" });
    const ran = runStep(check, { "min-severity": "warning" });
    expect(ran).toMatchObject({ status: 0, stdout: "", outputs: { "exit-code": "0" } });
    expect(readSarif(ran.outputs["sarif-file"]).runs[0]?.results).toEqual([]);
  });

  test("uses its inputs", () => {
    const ran = runStep(check, {
      paths: "conf\n\ntwo words/.htaccess\n",
      args: "--disable unknown-directive\n  --release 2.4",
      from: "2.2",
      "min-severity": "info",
      category: "front end",
      "sarif-file": "result.sarif",
    });
    expect(ran.status).toBe(1);
    expect(ran.outputs).toMatchObject({ "exit-code": "1", "sarif-file": "result.sarif" });
    const [sarif] = readSarif(join(workspace, "result.sarif")).runs;
    const ruleIds = sarif?.results.map((result) => result.ruleId);
    expect(ruleIds).toContain("old-access-control");
    expect(ruleIds).not.toContain("unknown-directive");
    expect(sarif?.automationDetails?.id).toMatch(/^front end\b/);
  });

  test("passes with exit-zero, and still annotates", () => {
    const ran = runStep(check, { "exit-zero": "true" });
    expect(ran).toMatchObject({ status: 0, outputs: { "exit-code": "0" } });
    expect(ran.stdout).toContain("::error file=conf/sites/a.conf,line=1,");
  });

  test("fails without a file to upload if it cannot run", () => {
    const missing = runStep(check, { paths: "nowhere" });
    expect(missing).toMatchObject({ status: 3, outputs: { "exit-code": "3" } });
    expect(missing.outputs["sarif-file"]).toBeUndefined();
    expect(missing.stderr).toContain("nowhere` cannot be read");
    expect(missing.stdout).toContain("::error title=httpd-lint::");
    expect(runStep(check, { args: "--bogus" })).toMatchObject({ status: 2, outputs: { "exit-code": "2" } });
  });

  test("executes nothing from an input", () => {
    const evil = '$(touch stolen) `touch stolen`; touch stolen "; touch stolen #';
    const names = ["paths", "args", "category", "from", "release", "min-severity", "exit-zero", "sarif-file"];
    for (const name of sampleOf(names, 2)) {
      runStep(check, { [name]: evil });
      expect(existsSync(join(workspace, "stolen"))).toBe(false);
    }
  });

  test.each(["x.sarif\nexit-code=0", "x.sarif\r\nstolen=1", "\nstolen=1"])(
    "rejects a sarif-file with a line break, which would add outputs: %j",
    (file) => {
      const ran = runStep(check, { "sarif-file": file });
      expect(ran).toMatchObject({ status: 2, outputs: { "exit-code": "2" } });
      expect(Object.keys(ran.outputs)).toEqual(["exit-code"]);
    },
  );

  test.each([
    "--output stolen",
    "--output=stolen",
    "--output.x=stolen",
    "--format json",
    "--format=json",
    "--report sarif=stolen",
    "--category x",
    "--disable unknown-directive -- conf",
    "--confine /",
    "--confine=..",
    "--source-url https://evil.test",
  ])("rejects args that change the location of results or what may be read: %s", (args) => {
    const ran = runStep(check, { args });
    expect(ran).toMatchObject({ status: 2, outputs: { "exit-code": "2" } });
    expect(ran.stdout).toMatch(/^::error title=httpd-lint::the input args cannot contain --output/);
    expect(existsSync(join(workspace, "stolen"))).toBe(false);
  });

  describe("of a pull request that names files outside the workspace", () => {
    const secret = "Hunter2";

    beforeEach(() => {
      mkdirSync(join(runner.path, "out"));
      writeFiles(join(runner.path, "out"), { "secret.txt": `${secret} on\n`, "conf/httpd.conf": `${secret} on\n` });
    });

    /** Checks that a run shows nothing of the secret, and creates no file outside. */
    function expectConfined(inputs: Readonly<Record<string, string>> = {}): StepResult {
      const ran = runStep(check, inputs);
      expect(ran.stdout + ran.stderr).not.toContain(secret);
      expect(readdirSync(join(runner.path, "out")).sort()).toEqual(["conf", "secret.txt"]);
      expect(readFileSync(join(runner.path, "out/secret.txt"), "utf8")).toBe(`${secret} on\n`);
      const written = join(runner.path, "temp/httpd-lint.sarif");
      if (existsSync(written)) expect(readFileSync(written, "utf8")).not.toContain(secret);
      return ran;
    }

    const outside = ["../out/secret.txt", "conf/../../out/secret.txt", "link/secret.txt", "linked.txt"];
    const named = ["entry", "baseline", "cache", "envvars", "expectations", "files", "serverRoot", "sysroot", "map"];

    test.each(named)("refuses `%s` of its configuration file", (key) => {
      symlinkSync("../out", join(workspace, "link"));
      symlinkSync("../out/secret.txt", join(workspace, "linked.txt"));
      for (const path of [...outside, join(runner.path, "out/secret.txt")]) {
        const value = key === "map" ? { [path]: "/etc/httpd/httpd.conf" } : path;
        writeFiles(workspace, { ".httpd-lint.json": JSON.stringify({ [key]: value }) });
        const ran = expectConfined();
        expect(ran).toMatchObject({ status: 2, outputs: { "exit-code": "2" } });
        expect(ran.stderr).toContain(`\`${key}\` names`);
        expect(ran.stderr).toContain("which is outside");
      }
    });

    test.each(["cache", "baseline"])("refuses `%s` that is a link to a new file, or below a linked folder", (key) => {
      symlinkSync("../out/new", join(workspace, "dangling"));
      symlinkSync("dangling", join(workspace, "twice"));
      symlinkSync("../out", join(workspace, "link"));
      for (const path of ["../out/new", "dangling", "twice", "link/new", "link/a/new"]) {
        writeFiles(workspace, { ".httpd-lint.json": JSON.stringify({ [key]: path }) });
        expect(expectConfined()).toMatchObject({ status: 2 });
      }
    });

    test("ignores `confine` of its configuration file, and refuses servers outside", () => {
      writeFiles(workspace, {
        ".httpd-lint.json": JSON.stringify({ confine: "..", servers: [{ entry: "../out/conf/httpd.conf" }] }),
      });
      expect(expectConfined()).toMatchObject({ status: 2 });
      writeFiles(workspace, { ".httpd-lint.json": JSON.stringify({ confine: ".." }) });
      writeFiles(workspace, { "conf/httpd.conf": "Include ../../out/secret.txt\nInclude ../../out/*\n" });
      expect(expectConfined().stdout).toContain("outside of the --confine directory");
    });

    test.each(["--config", "--baseline", "--envvars", "--cache-location"])(
      "refuses a link in the workspace that %s names",
      (flag) => {
        symlinkSync("../out/secret.txt", join(workspace, "linked.txt"));
        symlinkSync("../out/new", join(workspace, "dangling"));
        for (const path of ["linked.txt", "dangling"]) {
          const ran = expectConfined({ args: `${flag} ${path}` });
          expect(ran).toMatchObject({ status: 2, outputs: { "exit-code": "2" } });
          expect(ran.stderr).toContain("is a link to a file outside");
        }
      },
    );

    test("does not write results through a link", () => {
      symlinkSync("../out/secret.txt", join(workspace, "result.sarif"));
      symlinkSync("../out/new.sarif", join(workspace, "dangling.sarif"));
      for (const name of ["result.sarif", "dangling.sarif"])
        expect(expectConfined({ "sarif-file": name })).toMatchObject({ status: 2 });
    });

    test("reads links, includes and paths outside only if its input `confine` permits it", () => {
      symlinkSync("../../../out/secret.txt", join(workspace, "conf/sites/b.conf"));
      expectConfined({ paths: "../out" });
      expectConfined();
      const ran = runStep(check, { confine: runner.path });
      expect(ran.stdout).toContain(secret);
    });

    test("twin: reads files inside, named in any way", () => {
      symlinkSync("conf", join(workspace, "link"));
      writeFiles(workspace, {
        ".httpd-lint.json": JSON.stringify({ entry: "link/../conf/httpd.conf", cache: "link/cache" }),
      });
      expect(expectConfined({ args: "--envvars link/httpd.conf" })).toMatchObject({ status: 1 });
      expect(existsSync(join(workspace, "conf/cache"))).toBe(true);
    });
  });

  test("treats no input as a flag", () => {
    for (const name of sampleOf(["category", "from", "release", "min-severity"], 2)) {
      runStep(check, { [name]: "--output", "sarif-file": "own.sarif" });
      runStep(check, { [name]: "--output=stolen", "sarif-file": "own.sarif" });
    }
    expect(readdirSync(workspace)).not.toContain("--output");
    expect(existsSync(join(workspace, "stolen"))).toBe(false);
  });

  test("accepts a path that begins with a dash, and does not expand patterns", () => {
    writeFiles(workspace, { "-x.conf": "Optoins None\n" });
    expect(runStep(check, { paths: "-x.conf" }).stdout).toContain("file=-x.conf,line=1");
    expect(runStep(check, { paths: "*.conf" }).status).toBe(3);
  });
});

/**
 * Creates a folder with an `npm` wrapper that reuses the packages of this checkout, and passes everything else to npm.
 * `npm ci` itself has set up this checkout, and pre-commit's tests run another installation.
 */
function createNpmWrapper(): string {
  const bin = join(runner.path, "bin");
  const npm = run("sh", ["-c", "command -v npm"]).stdout.trim();
  const script = `[ "$*" = "ci --no-audit --no-fund" ] || exit 9
ln -s "${resolve("node_modules")}" node_modules
exec "${npm}" run prepare`;
  writeFiles(bin, { npm: `#!/bin/sh\n${script}\n` });
  chmodSync(join(bin, "npm"), 0o755);
  return bin;
}

describe("the build", () => {
  test("does not change a bundle", () => {
    writeFiles(actionFolder, { "dist/httpd-lint.js": "// the bundle\n" });
    expect(runStep(build)).toMatchObject({ status: 0, stdout: "" });
  });

  test.runIf(isDeep)("creates the bundle in a checkout of the source", { timeout: 300_000 }, () => {
    copyProject(actionFolder);
    const ran = runStep(build, {}, { PATH: `${createNpmWrapper()}${delimiter}${process.env["PATH"] ?? ""}` });
    expect({ status: ran.status, stderr: ran.status === 0 ? "" : ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(runStep(check).status).toBe(1);
  });
});
