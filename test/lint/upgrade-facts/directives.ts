import removedTable from "../../../src/facts/data/removed.json" with { type: "json" };
import { inDirectory, section } from "../../support/rules.js";
import { eachUnreported, type Facts, reportedBy, unreported } from "./fact.js";

/** Returns a server whose modules are known by its LoadModule lines, and lines that need another module. */
const loading = (modules: readonly string[], ...lines: readonly string[]) =>
  [...["mpm_prefork", ...modules].map((name) => `LoadModule ${name}_module modules/mod_${name}.so`), ...lines, ""].join(
    "\n",
  );

const root = 'DocumentRoot "/srv"';
const rules = (...lines: readonly string[]) => [root, inDirectory(...lines)];

/** Directives that 2.4 rejects (differences (a)). */
export const removedDirectives: Facts = {
  title: "Removed directives",
  facts: reportedBy(
    "removed-directive",
    Object.fromEntries(removedTable.directives.map(({ name }) => [name, `${name} x\n`])),
  ),
};

/** Directives that belong to another module (c). */
export const movedDirectives: Facts = {
  title: "Directives in another module",
  facts: [
    ...reportedBy("modules-to-load", {
      "AddOutputFilterByType: core → mod_filter": loading(["deflate"], "AddOutputFilterByType DEFLATE text/html"),
      "Allow: mod_authz_host → mod_access_compat": loading(["authz_core", "authz_host"], ...rules("Allow from all")),
      "AllowCONNECT: mod_proxy → mod_proxy_connect": loading(["proxy"], "AllowCONNECT 443"),
      "AuthName: core → mod_authn_core": loading(["authz_core"], ...rules("AuthName x")),
      "AuthnProviderAlias: mod_authn_alias → mod_authn_core": loading(
        ["authz_core", "authn_file"],
        section("AuthnProviderAlias file staff", "AuthUserFile /etc/httpd/users"),
      ),
      "AuthType: core → mod_authn_core": loading(["authz_core"], ...rules("AuthType Basic")),
      "CacheDirLength: mod_disk_cache → mod_cache_disk": loading(["authz_core", "cache"], "CacheDirLength 2"),
      "CacheDirLevels: mod_disk_cache → mod_cache_disk": loading(["authz_core", "cache"], "CacheDirLevels 2"),
      "CacheMaxFileSize: mod_disk_cache → mod_cache_disk": loading(["authz_core", "cache"], "CacheMaxFileSize 9"),
      "CacheMinFileSize: mod_disk_cache → mod_cache_disk": loading(["authz_core", "cache"], "CacheMinFileSize 1"),
      "CacheRoot: mod_disk_cache → mod_cache_disk": loading(["authz_core", "cache"], "CacheRoot /var/cache/httpd"),
      "ChrootDir: mpm_common → mod_unixd": loading(["authz_core"], "ChrootDir /srv"),
      "Deny: mod_authz_host → mod_access_compat": loading(["authz_core", "authz_host"], ...rules("Deny from all")),
      "Group: mpm_common → mod_unixd": loading(["authz_core"], "Group apache"),
      "Order: mod_authz_host → mod_access_compat": loading(["authz_core", "authz_host"], ...rules("Order allow,deny")),
      "ProxyFtpDirCharset: mod_proxy → mod_proxy_ftp": loading(["authz_core", "proxy"], "ProxyFtpDirCharset UTF-8"),
      "Require: core → mod_authz_core": loading(["authz_host"], ...rules("Require all granted")),
      "Satisfy: core → mod_access_compat": loading(["authz_core", "authz_host"], ...rules("Satisfy any")),
      "Suexec: core → mod_unixd": loading(["authz_core"], "Suexec Off"),
      "User: mpm_common → mod_unixd": loading(["authz_core"], "User apache"),
      "Example: mod_example → mod_example_hooks": loading(["authz_core"], section("Location /example", "Example")),
    }),
    ...reportedBy("renamed-directive", {
      "MaxClients: mpm_common → event": "MaxClients 256\n",
      "MaxRequestsPerChild: mpm_common → core": "MaxRequestsPerChild 4000\n",
    }),
    ...eachUnreported("same behavior", {
      "ExtendedStatus: mod_status → core": "the core is always loaded",
      "SeeRequestTail: mod_status → core": "the core is always loaded",
    }),
  ],
};

const wider =
  "Alias CacheDefaultExpire CacheDisable CacheEnable CacheIgnoreNoLastMod CacheLastModifiedFactor CacheMaxExpire CacheMaxFileSize CacheMinFileSize CacheStoreNoStore CacheStorePrivate LogLevel ProxyErrorOverride ProxyPreserveHost ScriptAlias SSLProxyCACertificateFile SSLProxyCACertificatePath SSLProxyCARevocationFile SSLProxyCARevocationPath SSLProxyCheckPeerCN SSLProxyCheckPeerExpire SSLProxyCipherSuite SSLProxyEngine SSLProxyMachineCertificateChainFile SSLProxyMachineCertificateFile SSLProxyMachineCertificatePath SSLProxyProtocol SSLProxyVerify SSLProxyVerifyDepth".split(
    " ",
  );

const documented =
  "Alias AuthDigestNcCheck CacheDefaultExpire CacheDisable CacheEnable CacheIgnoreNoLastMod CacheLastModifiedFactor CacheMaxExpire CacheMaxFileSize CacheMinFileSize CacheStoreNoStore CacheStorePrivate LDAPTrustedClientCert Limit LimitExcept LoadFile LoadModule LogLevel ProxyErrorOverride ProxyPreserveHost ProxySet ScriptAlias SSLProxyCACertificateFile SSLProxyCACertificatePath SSLProxyCARevocationFile SSLProxyCARevocationPath SSLProxyCheckPeerCN SSLProxyCheckPeerExpire SSLProxyCipherSuite SSLProxyEngine SSLProxyMachineCertificateChainFile SSLProxyMachineCertificateFile SSLProxyMachineCertificatePath SSLProxyProtocol SSLProxyVerify SSLProxyVerifyDepth".split(
    " ",
  );

const proxied = [
  "ProxyPass http://b.example.org/",
  "ProxyPassMatch http://b.example.org/",
  "ProxyPassReverse http://b.example.org/",
];

/** Valid contexts of directives (c). */
export const allowedContexts: Facts = {
  title: "Allowed contexts",
  facts: [
    ...unreported(
      "same behavior",
      "2.4 accepts it in all contexts of 2.2, and in more",
      wider.map((name) => `${name}, by the command tables`),
    ),
    ...reportedBy("misplaced-directive", {
      "LDAPTrustedClientCert, by the command tables": "LDAPTrustedClientCert CERT_BASE64 /etc/httpd/client.pem\n",
      "Limit, by the command tables": "<Limit POST>\n</Limit>\n",
      "LimitExcept, by the command tables": "<LimitExcept POST>\n</LimitExcept>\n",
      "LDAPTrustedClientCert in server": "LDAPTrustedClientCert CERT_BASE64 /etc/httpd/client.pem\n",
      "LDAPTrustedClientCert in virtualhost": section("VirtualHost *:80", "LDAPTrustedClientCert CERT_BASE64 /c.pem"),
      "Limit in server": "<Limit POST>\n</Limit>\n",
      "Limit in virtualhost": section("VirtualHost *:80", "<Limit POST>", "</Limit>"),
      "LimitExcept in server": "<LimitExcept POST>\n</LimitExcept>\n",
      "LimitExcept in virtualhost": section("VirtualHost *:80", "<LimitExcept POST>", "</LimitExcept>"),
      "MultiviewsMatch in limit": inDirectory("<Limit POST>", "MultiviewsMatch Any", "</Limit>"),
      ...Object.fromEntries(
        proxied.flatMap((line) => {
          const [name = ""] = line.split(" ");
          return [
            [`${name} in directory`, inDirectory(line)],
            [`${name} in files`, section("Files x", line)],
            [`${name} in limit`, section("Location /x", "<Limit POST>", line, "</Limit>")],
          ];
        }),
      ),
    }),
    {
      fact: "Substitute, by the command tables: FileInfo in a `.htaccess` file",
      treatment: {
        by: "override-missing",
        example: `${root}\n${inDirectory("AllowOverride Indexes", "Require all granted")}`,
        files: { "/srv/.htaccess": "Substitute s/a/b/\n" },
        modules: ["mod_substitute", "mod_authz_core"],
      },
    },
    ...unreported(
      "same behavior",
      "only the manuals differ; the command tables above show what httpd accepts",
      documented.map((name) => `${name}, by the manual`),
    ),
    ...unreported(
      "same behavior",
      "only the manuals differ; the command tables above show what httpd accepts",
      ["AuthDigestNcCheck", "LDAPTrustedClientCert", "Limit", "LimitExcept", "SSLProxyCipherSuite"].map(
        (name) => `${name}: the override class, by the manual`,
      ),
    ),
    ...unreported("same behavior", "2.2 rejects new directives", ["Newly accepted in 2.4"]),
  ],
};

/** Parsing of arguments (c). */
export const arguments24: Facts = {
  title: "Argument syntax",
  facts: [
    ...reportedBy("refused-at-start", {
      "AuthGroupFile: TAKE12 → TAKE1": inDirectory("AuthGroupFile /etc/httpd/groups standard"),
      "AuthUserFile: TAKE12 → TAKE1": inDirectory("AuthUserFile /etc/httpd/users standard"),
      "FilterProvider: RAW_ARGS → TAKE3": "FilterDeclare zip\nFilterProvider zip DEFLATE resp=Content-Type $text\n",
      "KeepAlive: TAKE1 → FLAG": "KeepAlive 5\n",
      "FilterProvider: the documented syntax":
        "FilterDeclare zip\nFilterProvider zip DEFLATE resp=Content-Type $text\n",
    }),
    ...unreported(
      "same behavior",
      "2.4 accepts all arguments of 2.2, and more",
      "AddOutputFilterByType: ITERATE2 → TAKE_ARGV|Alias: TAKE2 → TAKE12|CacheEnable: TAKE2 → TAKE12|DirectoryIndex: ITERATE → RAW_ARGS|IfDefine: TAKE1 → RAW_ARGS|IfModule: TAKE1 → RAW_ARGS|LogLevel: TAKE1 → ITERATE|ProxyErrorOverride: FLAG → ITERATE|ProxyRemote: TAKE2 → TAKE23|ProxyRemoteMatch: TAKE2 → TAKE23|ProxySCGIInternalRedirect: FLAG → TAKE1|Redirect: TAKE23 → TAKE123|RewriteMap: TAKE2 → TAKE23|ScriptAlias: TAKE2 → TAKE12|SSLCipherSuite: TAKE1 → TAKE12|SSLProxyCipherSuite: TAKE1 → TAKE12".split(
        "|",
      ),
    ),
    ...unreported(
      "same behavior",
      "only the wording of the manual differs, or it describes what 2.4 also accepts",
      "AddEncoding AddLanguage AddOutputFilterByType AddType Alias AllowCONNECT AuthLDAPBindAuthoritative AuthType CacheDisable CacheEnable CustomLog DefaultLanguage DefaultType DeflateInflateLimitRequestBody DirectoryIndex ErrorLog Files FilesMatch ForceType Header Include KeepAliveTimeout LogLevel ProxyErrorOverride ProxyFtpDirCharset ProxyPass ProxyRemote ProxyRemoteMatch ProxySCGIInternalRedirect Redirect RequestHeader RequestReadTimeout Require RewriteCond RewriteMap ScriptAlias ServerName SetHandler SSLCertificateFile SSLCertificateKeyFile SSLCipherSuite SSLHonorCipherOrder SSLInsecureRenegotiation SSLProxyCipherSuite"
        .split(" ")
        .map((name) => `${name}: the documented syntax`),
    ),
  ],
};
