import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { run } from "../support/programs/command.js";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = ".github/workflows";
const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, "utf8")] as const));

describe.each([...texts])("%s", (_, text) => {
  const workflow: Workflow = parse(text);
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("pins the actions that it uses by digest, with their versions", () => {
    const uses = text.match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const use of uses) expect(use).toMatch(/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("gives jobs only read permission by default", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
  });

  test("contains valid shell scripts without inserted values", () => {
    for (const { run: script } of steps) {
      if (script === undefined) continue;
      expect(script).not.toContain("${{");
      expect(run("bash", ["-n", "-c", script]), script).toMatchObject({ status: 0, stderr: "" });
    }
  });
});

test("the release job that can publish installs no packages", () => {
  const release: Workflow = parse(texts.get("release.yml") ?? "");
  const canWrite = ({ permissions = {} }: Job) => Object.values(permissions).includes("write");
  const writing = Object.values(release.jobs).filter(canWrite);
  expect(writing).toHaveLength(1);
  const scripts = writing.flatMap(({ steps }) => steps.flatMap((step) => step.run ?? []));
  expect(scripts.filter((script) => /npm (?:ci|install|run)|npx|apt/.test(script))).toEqual([]);
  expect(scripts.some((script) => script.includes("npm publish --provenance"))).toBe(true);
});
