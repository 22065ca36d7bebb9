import { z } from "zod";

/** The sizes and times of the files of a release. */
export const artifactResults = z.object({
  /** Name and version of each program. */
  with: z.array(z.string()),
  /** Bytes of each file of `npm run release-files`, by its name. */
  files: z.array(z.object({ name: z.string(), bytes: z.number() })),
  /** Starts: `check` of one host, and `node -e 0` in the same rounds, in seconds. */
  starts: z.array(z.object({ what: z.string(), seconds: z.number(), node: z.number(), atMost: z.number().optional() })),
  /** Installations of the hook by pre-commit with a warm cache of npm, in seconds. */
  hooks: z.array(z.object({ what: z.string(), seconds: z.number(), atMost: z.number().optional() })),
});

export type ArtifactResults = z.infer<typeof artifactResults>;

/** Returns the section on artifacts of docs/performance.md. */
export function artifactSection({ with: programs, files, starts, hooks }: ArtifactResults): string {
  return `## Artifacts

\`npm run bench -- --artifacts\` writes this section, from the files of \`npm run release-files\`. The figures are from ${programs.join(", ")}.

| file | size |
|---|---|
${files.map(({ name, bytes }) => `| \`${name}\` | ${(bytes / 1e6).toFixed(1)} MB |`).join("\n")}

| start: \`check\` of one host | time | \`node -e 0\` | ratio | target (at most) | |
|---|---|---|---|---|---|
${starts.map(startRow).join("\n")}

| \`pre-commit install-hooks\` with a warm cache of npm | time | target (at most) | |
|---|---|---|---|
${hooks.map(hookRow).join("\n")}`;
}

function startRow({ what, seconds, node, atMost }: ArtifactResults["starts"][number]): string {
  const ratio = seconds / node;
  return `| ${what} | ${seconds.toFixed(3)} s | ${node.toFixed(3)} s | ${ratio.toFixed(2)} | ${targetCells(ratio, atMost)} |`;
}

function hookRow({ what, seconds, atMost }: ArtifactResults["hooks"][number]): string {
  return `| ${what} | ${seconds.toFixed(1)} s | ${targetCells(seconds, atMost)} |`;
}

function targetCells(value: number, atMost: number | undefined): string {
  return atMost === undefined ? "|" : `${atMost} | ${value <= atMost ? "reached" : "not reached"}`;
}
