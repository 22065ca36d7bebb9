import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Editor } from "../support/programs/editor.js";
import { templateHosts } from "./fleet-hosts.js";

const KEYS = 10;
/** The rule whose findings need a comparison of both releases. */
const PROVED = "upgrade-changes-access";

/** A virtual host that 2.2 and 2.4 answer differently. */
const differingHost = `<VirtualHost *:8099>
    ServerName differing.example.org
    DocumentRoot "/srv/differing"
    <Directory "/srv/differing">
        Order deny,allow
        Deny from all
    </Directory>
    <Location "/plans">
        Satisfy any
    </Location>
</VirtualHost>
`;

/**
 * Returns the median time in milliseconds from a key press to the findings of proofs, in an editor with a server of 2.2
 * with 100 virtual hosts.
 *
 * @param folder an existing folder
 */
export async function measureProofLatency(folder: string): Promise<number> {
  const file = join(folder, "httpd.conf");
  const text = templateHosts(100, folder) + differingHost;
  writeFileSync(file, text);
  writeFileSync(join(folder, ".httpd-lint.json"), '{ "from": "2.2" }\n');
  const editor = await Editor.start({ folder });
  try {
    const uri = pathToFileURL(file).href;
    const isProved = () => editor.diagnostics(uri, (all) => all.some(({ code }) => code === PROVED));
    editor.open(uri, text);
    await isProved();
    const place = { line: text.split("\n").length >> 1, character: 0 };
    const times: number[] = [];
    for (let key = 0; key < KEYS; key++) {
      const start = performance.now();
      editor.edit(uri, { start: place, end: place }, key === 0 ? "\n" : "#");
      await isProved();
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[KEYS >> 1] ?? Number.NaN;
  } finally {
    await editor.shutdown();
  }
}
