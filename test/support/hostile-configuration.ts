import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromReadable } from "../../src/text/source.js";
import { scratchFolder } from "./programs/scratch-folder.js";

/** Secrets in a configuration: none of them may appear in a page. */
export const secret = "hunter2";

/**
 * Returns a configuration full of text that a page might execute, interpret or disclose. @param root folder of its
 * documents
 */
export function hostileConfiguration(root: string): string {
  const run = "window.ran=1";
  return `ServerName "x.example"
Listen 80
DocumentRoot "${root}"
# <script>${run}</script> --> ]]> \u2028 \u2029 \u001b[31m \u202e \u0000 ${"\u00ff"}
Alias2 "<!-- <script>${run}</script>"
<Directory "${root}">
    Order deny,allow
    Deny from "</script><script>${run}</script>"
    Alow from "'\\"><img src=x onerror=${run}>"
    Require all granted
</Directory>
<Location "/<img src=x onerror=${run}>">
    Require user "</script><script>${run}</script>"
    AuthName "javascript:${run}"
</Location>
<Location "/[click](javascript:${run})&lt;script&gt;">
    Order allow,deny
</Location>
Redirect /a "javascript:${run}"
RewriteRule "^/</title><script>${run}</script>" "-" [F
AuthLDAPBindPassword ${secret}
SSLPassPhraseDialog exec:/bin/${secret}
SessionCryptoPassphrase ${secret}
Oder deny,allow
DBDParams "host=db,pass=${secret}"
SetEnv DB_PASSWORD ${secret}
ProxyPass "/b" "http://bob:${secret}@backend.example/"
ProxyRemote "*" "http://bob:${secret}@proxy.example:8080"
ProxyPass "/t" "ajp://tomcat.example/" secret=${secret}
`;
}

/** Writes that configuration to the disk, including invalid UTF-8. */
export function hostileFolder(): { readonly main: string; readonly folder: string; readonly remove: () => void } {
  const { path: folder, dispose: remove } = scratchFolder();
  const root = join(folder, "www");
  mkdirSync(join(root, "<script>window.ran=1<"), { recursive: true });
  writeFileSync(join(root, ".htaccess"), "Order allow,deny\n# </script><script>window.ran=1</script>\n");
  const main = join(folder, "httpd.conf");
  const bytes = fromReadable(hostileConfiguration(root)).replace("\u00c3\u00bf", "\u00ff\u00fe");
  writeFileSync(main, Buffer.from(bytes, "latin1"));
  return { main, folder, remove };
}
