import type { TestFolder } from "./programs/test-folder.js";

/** A main server's sections: only 10.0.0.0/8 is allowed. */
export const restrictedSections = "<Directory />\nAllowOverride All\nRequire ip 10.0.0.0/8\n</Directory>\n";

/** Writes a server with its files into a folder; `www/open` is open to everybody. */
export function writeRestrictedServer({ path, write }: TestFolder, more = ""): void {
  write({
    "httpd.conf": `ServerRoot "${path}"\nDocumentRoot "www"\n${restrictedSections}${more}`,
    "www/index.html": "x\n",
    "www/open/x.txt": "x\n",
    "www/open/.htaccess": "Require all granted\n",
  });
}
