import { basename } from "node:path";
import { parseFile } from "../../grammar/parser.js";
import { directiveFacts, thirdPartyDirective } from "../directives/directives.js";
import { diskAccess } from "../project/disk.js";
import { fromReadable } from "../text/source.js";

/** As many lines as it takes to tell. */
const SAMPLE = 50;

/**
 * Whether a file that was found by its name, not given, is httpd's: many programs have a `.conf`, only httpd has a
 * `.htaccess`. At least half of the first directives must be ones that httpd or a known module has.
 */
export function looksLikeHttpd(path: string): boolean {
  if (basename(path) === ".htaccess") return true;
  const content = diskAccess().read(fromReadable(path));
  // What cannot be read is reported later, not passed over.
  if ("failed" in content) return true;
  const tree = parseFile({ path, realPath: path, text: content.text.slice(0, 64 * 1024) });
  const names = [...tree.lines]
    .filter((line) => line.kind === "directive" || line.kind === "open")
    .slice(0, SAMPLE)
    .map((line) => content.text.slice(line.nameStart, line.nameEnd).replace(/>$/, ""));
  const known = names.filter((name) => isKnown(name));
  return known.length * 2 >= names.length;
}

function isKnown(name: string): boolean {
  const releases = ["2.4", "2.2"] as const;
  return (
    releases.some((release) => directiveFacts(release, name).length > 0) || thirdPartyDirective(name) !== undefined
  );
}
