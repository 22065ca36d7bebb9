import { createHash } from "node:crypto";
import { moduleFolder } from "../support/httpd/httpd.js";
import { printLines, type ServerText } from "./configuration-tree.js";
import { diskTexts } from "./scenes.js";

/** Where a server is: its folder, and its ports. */
export interface ServerPlace {
  readonly root: string;
  readonly port: number;
  /** The port of a backend that answers all requests. */
  readonly backend: number;
  /** A port without a listener. */
  readonly closed: number;
  /** A port for lines that listen. */
  readonly spare: number;
}

/** Returns a text with the names of a place. */
function fillNames(text: string, { root, port, backend, closed, spare }: ServerPlace): string {
  return text.replace(/@(ROOT|PORT1|BACKEND|CLOSED|SPARE|MD5:[^@]*)@/g, (_, name: string) => {
    if (name.startsWith("MD5:")) return createHash("md5").update(name.slice(4)).digest("hex");
    return String({ ROOT: root, PORT1: port, BACKEND: backend, CLOSED: closed, SPARE: spare }[name]);
  });
}

/** Returns the main file of a server. @param head lines before all others */
function mainFileOf({ modules, lines }: ServerText, head: string): string {
  const loading = modules.map((name) => `LoadModule ${name}_module ${moduleFolder}/mod_${name}.so\n`);
  return `${loading.join("")}${head}${printLines(lines)}`;
}

/** Without these lines, the server would take its files from the folders it was built for, and write there. */
export const rootLines = 'ServerRoot "@ROOT@"\nDocumentRoot "@ROOT@/htdocs"\n';

/** Without a line for a module, the usual modules would count as loaded. */
const plainHead = `LoadModule mpm_event_module ${moduleFolder}/mod_mpm_event.so\n${rootLines}Listen @PORT1@\n`;

/** Returns all files of a server by absolute path: the configuration, and those on the disk. */
export function filesOfServer(server: ServerText, place: ServerPlace, head = plainHead): Record<string, string> {
  const fill = (text: string) => fillNames(text, place);
  const files: Record<string, string> = {};
  for (const [path, text] of filledDisk(place)) files[path] = text;
  for (const [path, lines] of Object.entries(server.htaccess)) files[fill(path)] = fill(printLines(lines));
  files[`${place.root}/httpd.conf`] = fill(mainFileOf(server, head));
  return files;
}

let filled: { readonly place: ServerPlace; readonly files: readonly (readonly [string, string])[] } | undefined;

/** Returns the files of the disk; those of the last place are kept. */
function filledDisk(place: ServerPlace): readonly (readonly [string, string])[] {
  if (filled?.place !== place) {
    const files = Object.entries(diskTexts).map(
      ([path, text]) => [fillNames(path, place), fillNames(text, place)] as const,
    );
    filled = { place, files };
  }
  return filled.files;
}
