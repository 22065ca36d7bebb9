import { inDirectory, section } from "../../support/rules.js";
import { eachUnreported, type Facts, reportedBy, unreported } from "./fact.js";

const server = 'Listen 80\nDocumentRoot "/srv"\n';
const tls = (...lines: readonly string[]) => server + section("VirtualHost *:443", "SSLEngine on", ...lines);
const backends = (...lines: readonly string[]) => server + section("VirtualHost *:443", "SSLProxyEngine on", ...lines);

/** Defaults that changed (d). */
export const changedDefaults: Facts = {
  title: "Changed defaults",
  facts: [
    ...reportedBy("changed-default", {
      "AllowOverride: All → None": server,
      "CacheDirLevels: 3 → 2": `${server}CacheRoot /var/cache/httpd\n`,
      "DefaultType: text/plain → none": server,
      "EnableSendfile: On → Off": server,
      "ExtendedStatus: Off → Off, and On with a status page":
        server + section("Location /status", "SetHandler server-status"),
      "FileETag: INode MTime Size → MTime Size": server,
      "LimitRequestBody: 0 → 1073741824": `${server}ScriptAlias /cgi-bin/ /srv/cgi-bin/\n`,
      "MaxMemFree: 0 → 2048": server,
      "MaxRequestsPerChild, now MaxConnectionsPerChild: 10000 → 0": server,
      "Options: All → FollowSymlinks": `${server}AddHandler cgi-script .cgi\n`,
      "RequestReadTimeout: no limit → limits": `LoadModule reqtimeout_module modules/mod_reqtimeout.so\n${server}`,
      "SSLProtocol: all → all -SSLv3": tls(),
      "SSLProxyCheckPeerCN: off → on": backends(),
      "SSLProxyCheckPeerExpire: off → on": backends(),
      "SSLProxyProtocol: all → all -SSLv3": backends(),
      "TimeOut: 300 → 60": server,
    }),
    ...eachUnreported("same behavior", {
      "AuthDigestNcCheck: Off → (none given)": "it is off by default",
      "CGIDScriptTimeout: Timeout when unset → when unset or 0":
        "in 2.2, only the newest edition of the manual has this directive",
      "DeflateInflateRatioBurst: 3": "only the wording of the manual differs",
      "DeflateInflateRatioLimit: 200": "only the wording of the manual differs",
      "DocumentRoot: with quotes": "only the wording of the manual differs",
      "ExpiresActive: (none given) → Off": "it is off by default",
      "ExtFilterOptions: DebugLevel=0 NoLogStderr → NoLogStderr":
        "neither version logs anything; 2.4 rejects DebugLevel",
      "FallbackResource: None → disabled": "only the wording of the manual differs",
      "ImapMenu: (none given) → formatted": "the source of both versions has formatted",
      "SSLHonorCipherOrder: (none given) → off": "it is off by default",
      "CharsetOptions: DebugLevel=0 NoImplicitAdd → ImplicitAdd":
        "both versions start with ImplicitAdd, unlike the manual of 2.2; 2.4 rejects DebugLevel",
      "ScriptSock: logs/cgisock → cgisock":
        "httpd creates it at each start, in the folder of the logs or the runtime files",
    }),
    ...eachUnreported("no configuration can show it", {
      "MaxClients: see the manual → (none given)":
        "it depends on the MPM in both versions, and has no effect below the limit",
      "SSLCipherSuite: a list → DEFAULT": "the effect of both lists depends on the OpenSSL of the build",
      "SSLProxyCipherSuite: a list → a shorter list": "the effect of both lists depends on the OpenSSL of the build",
    }),
  ],
};

const load = (...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");

/** Modules (e). */
export const modules: Facts = {
  title: "Modules",
  facts: [
    ...reportedBy("removed-module", {
      "removed: mod_authn_alias": load("authn_alias"),
      "removed: mod_authn_default": load("authn_default"),
      "removed: mod_authz_default": load("authz_default"),
      "removed: mod_disk_cache": load("disk_cache"),
      "removed: mod_example": load("example"),
      "removed: mod_mem_cache": load("mem_cache"),
      "renamed: mod_disk_cache → mod_cache_disk": load("disk_cache"),
      "renamed: mod_example → mod_example_hooks": load("example"),
      "merged: mod_authn_alias → mod_authn_core": load("authn_alias"),
    }),
    ...reportedBy("modules-to-load", {
      "split: Order, Allow and Deny from mod_authz_host to mod_access_compat":
        load("mpm_prefork", "authz_core", "authz_host") + inDirectory("Order allow,deny"),
      "split: Require and Satisfy from the core to mod_authz_core and mod_access_compat":
        load("mpm_prefork", "authz_host") + inDirectory("Require all granted"),
      "split: AuthType and AuthName to mod_authn_core":
        load("mpm_prefork", "authz_core") + inDirectory("AuthType Basic"),
      "split: User, Group, ChrootDir and Suexec to mod_unixd": `${load("mpm_prefork", "authz_core")}User apache\n`,
      "split: AddOutputFilterByType to mod_filter": `${load("mpm_prefork", "authz_core", "deflate")}AddOutputFilterByType DEFLATE text/html\n`,
      "split: AllowCONNECT to mod_proxy_connect": `${load("mpm_prefork", "authz_core", "proxy")}AllowCONNECT 443\n`,
      "split: ProxyFtpDirCharset to mod_proxy_ftp": `${load("mpm_prefork", "authz_core", "proxy")}ProxyFtpDirCharset UTF-8\n`,
      "split: balancing methods to mod_lbmethod_*": `${load("mpm_prefork", "authz_core", "proxy", "proxy_balancer", "slotmem_shm")}<Proxy balancer://b>\nBalancerMember http://b.example.org\n</Proxy>\n`,
      "split: caches of mod_ssl to mod_socache_*": `${load("mpm_prefork", "authz_core", "ssl")}SSLSessionCache shmcb:/run/cache(512000)\n`,
      "split: an MPM is a module": load("authz_core"),
      "split: the balancer's shared memory to mod_slotmem_shm": load(
        "mpm_prefork",
        "authz_core",
        "proxy",
        "proxy_balancer",
        "lbmethod_byrequests",
      ),
    }),
    ...unreported("no configuration can show it", "no configuration of 2.2 uses them", ["new modules"]),
    ...unreported("outside the configuration", "2.4 does not support them", ["platforms: BeOS, TPF and older ones"]),
  ],
};

const file = "/etc/httpd/";

/** Other changes that the manual's upgrade page names (f). */
export const otherChanges: Facts = {
  title: "Other changes in the manual",
  facts: [
    ...reportedBy("modules-to-load", {
      "load-balancer algorithms are modules": `${load("mpm_prefork", "authz_core", "proxy", "proxy_balancer", "slotmem_shm")}<Proxy balancer://b>\nBalancerMember http://b.example.org\n</Proxy>\n`,
      "missing modules show as Invalid command": `${load("mpm_prefork")}${inDirectory("Require all granted")}`,
    }),
    ...reportedBy("removed-directive", {
      "the *Authoritative directives were removed": inDirectory("AuthzUserAuthoritative Off"),
      "Mutex replaces AcceptMutex, LockFile, RewriteLock and SSLMutex": "AcceptMutex sem\n",
      "LogLevel replaces RewriteLog and RewriteLogLevel": `RewriteLog ${file}rewrite.log\n`,
    }),
    ...reportedBy("dbm-group", {
      "mod_authz_dbm has its own authorization providers": inDirectory(
        "AuthType Basic",
        "AuthName x",
        "AuthUserFile /etc/httpd/users",
        "AuthDBMGroupFile /etc/httpd/groups",
        "Require group staff",
      ),
    }),
    ...reportedBy("old-access-control", {
      "Order, Allow, Deny and Satisfy are in mod_access_compat": inDirectory("Order allow,deny", "Allow from all"),
    }),
    ...reportedBy("ignored-directive", {
      "DefaultType has no effect": "DefaultType text/plain\n",
      "NameVirtualHost has no effect": "NameVirtualHost *:80\n",
    }),
    ...reportedBy("changed-default", {
      "AllowOverride None, EnableSendfile Off, FileETag without the inode": server,
      "mod_reqtimeout sets limits when it is loaded": `LoadModule reqtimeout_module modules/mod_reqtimeout.so\n${server}`,
      "SSLProxyCheckPeerCN and SSLProxyCheckPeerExpire are on": backends(),
    }),
    ...reportedBy("refused-at-start", {
      "KeepAlive takes only On and Off": "KeepAlive 5\n",
      "FilterProvider takes an expression": "FilterDeclare zip\nFilterProvider zip DEFLATE resp=Content-Type $text\n",
      "mod_ssl does not support SSLv2": "SSLProtocol SSLv2\n",
    }),
    {
      fact: "mod_charset_lite and mod_ext_filter do not support DebugLevel",
      treatment: {
        by: "refused-at-start",
        example: inDirectory("CharsetOptions DebugLevel=1"),
        modules: ["mod_charset_lite"],
      },
    },
    ...reportedBy("misplaced-directive", {
      "LDAPTrustedClientCert is only allowed in directories":
        "LDAPTrustedClientCert CERT_BASE64 /etc/httpd/client.pem\n",
    }),
    ...reportedBy("changed-behaviour", {
      "mod_dav_fs has a different lock database":
        "DavLockDB /var/lib/dav/locks\n<Location /dav>\nDav On\n</Location>\n",
      "CacheIgnoreURLSessionIdentifiers takes whole names": `${server}CacheEnable disk /\nCacheIgnoreURLSessionIdentifiers id\n`,
      "CacheEnable / does not apply to a forward proxy": `${server}ProxyRequests On\nCacheEnable disk /\n`,
      "SSI has a different expression language, with separate settings": `${server}${inDirectory("Options Includes", "AddOutputFilter INCLUDES .shtml")}`,
      "mod_proxy_scgi computes PATH_INFO differently": `${server}ProxyPass /app scgi://127.0.0.1:4000/\n`,
      "mod_ssl checks CRLs only if configured": tls(`SSLCARevocationFile ${file}crl.pem`),
      "mod_ssl formats *_DN differently": tls(
        section("Location /x", "SSLRequire %{SSL_CLIENT_S_DN} =~ m#^/C=DE/#").trimEnd(),
      ),
      "mod_substitute rejects lines above 1 MB": inDirectory(
        "AddOutputFilterByType SUBSTITUTE text/html",
        "Substitute s/a/b/",
      ),
      "mod_dumpio logs at trace7": "LogLevel debug\nDumpIOInput On\n",
      "piped logs run without a shell": 'CustomLog "|/usr/bin/gzip -c >> /var/log/httpd/access.gz" common\n',
      "multi-language error documents need the new expressions": `${server}${inDirectory("Options IncludesNOEXEC", "AddOutputFilter INCLUDES .html")}`,
    }),
    ...reportedBy("renamed-directive", {
      "MaxRequestsPerChild and MaxClients have new names": "MaxClients 256\n",
    }),
    ...reportedBy("third-party-module", {
      "third-party modules must be rebuilt": "LoadModule jk_module modules/mod_jk.so\n",
    }),
    ...reportedBy("removed-module", {
      "AuthnProviderAlias is in mod_authn_core": load("authn_alias"),
    }),
    ...eachUnreported("outside the configuration", {
      "shared modules are the default of the build":
        "`upgrade --config-nice` reports the options of a recorded build that 2.4 does not accept",
      "htpasswd hashes with MD5 everywhere": "it is a separate program; existing files work as before",
    }),
    ...eachUnreported("no configuration can show it", {
      "mod_autoindex reads titles of .xhtml files, too":
        "the contents of the files are not in the configuration, and a listing only gains titles",
      "mod_deflate skips responses that would grow": "it depends on the length of each response; only its size differs",
    }),
  ],
};
