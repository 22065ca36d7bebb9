import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { httpd } from "../support/httpd/httpd.js";
import type { Command } from "./measure.js";

/** Another tool that parses configurations. */
export interface Tool {
  readonly name: string;
  readonly does: string;
  /** Undefined if it is not installed. */
  readonly reading: ((file: string) => Command) | undefined;
}

/** @param scratch a separate folder for packages that only the benchmark installs */
export function toolsBeside(scratch: string): readonly Tool[] {
  return [
    {
      name: "`httpd-lint check`",
      does: "reads the files as httpd does, and runs all default rules",
      reading: (file) => ["node", "dist/httpd-lint.js", "check", file],
    },
    {
      name: "`httpd -t`",
      does: "httpd's own syntax check",
      reading: httpd === undefined ? undefined : (file) => [httpd ?? "", "-t", "-f", file],
    },
    {
      name: "Augeas, `augtool`",
      does: "lines and sections as a tree",
      reading: runs("augtool", "--version")
        ? (file) => ["augtool", "--noautoload", "--transform", `Httpd.lns incl ${file}`, "match", "/augeas//error"]
        : undefined,
    },
    {
      name: "Perl's Config::General",
      does: "lines and sections as hashes",
      reading: runs("perl", "-MConfig::General", "-e", "1")
        ? (file) => ["perl", "-MConfig::General", "-e", perl, file]
        : undefined,
    },
    { name: "npm's `apacheconf`", does: "lines and sections as objects", reading: apacheconf(scratch) },
  ];
}

const perl = "Config::General->new(-ConfigFile => $ARGV[0], -ApacheCompatible => 1)->getall";

/**
 * It has not been maintained since 2013. This package therefore does not depend on it; the benchmark installs it
 * itself.
 */
function apacheconf(scratch: string): Tool["reading"] {
  const { status } = spawnSync("npm", ["install", "--prefix", scratch, "--no-audit", "--no-fund", "apacheconf@0.0.5"]);
  if (status !== 0) return undefined;
  const script = join(scratch, "read.cjs");
  const root = JSON.stringify(scratch);
  writeFileSync(
    script,
    `require("apacheconf")(process.argv[2], { serverRoot: ${root} }, (error) => process.exit(error ? 2 : 0));\n`,
  );
  return (file) => ["node", script, file];
}

function runs(...[command, ...args]: readonly [string, ...string[]]): boolean {
  return spawnSync(command, args).status === 0;
}
