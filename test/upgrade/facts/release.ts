import { inDirectory, section } from "../../support/rules.js";
import { eachUntold, type Facts, toldBy, untold } from "./fact.js";

const server = 'Listen 80\nDocumentRoot "/srv"\n';
const tls = (...lines: readonly string[]) => server + section("VirtualHost *:443", "SSLEngine on", ...lines);
const backends = (...lines: readonly string[]) => server + section("VirtualHost *:443", "SSLProxyEngine on", ...lines);

/** Defaults that changed (d). */
export const changedDefaults: Facts = {
  title: "Defaults that changed",
  facts: [
    ...toldBy("changed-default", {
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
    ...eachUntold("both servers answer alike", {
      "AuthDigestNcCheck: Off → (none given)": "it is off where nothing sets it",
      "CGIDScriptTimeout: Timeout when unset → when unset or 0":
        "2.2 knows no such directive but in its manual's newest edition",
      "DeflateInflateRatioBurst: 3": "the manual words it otherwise",
      "DeflateInflateRatioLimit: 200": "the manual words it otherwise",
      "DocumentRoot: with quotes": "the manual words it otherwise",
      "ExpiresActive: (none given) → Off": "it is off where nothing sets it",
      "ExtFilterOptions: DebugLevel=0 NoLogStderr → NoLogStderr":
        "nothing is logged in either; DebugLevel itself is refused",
      "FallbackResource: None → disabled": "the manual words it otherwise",
      "ImapMenu: (none given) → formatted": "the source of both has formatted",
      "SSLHonorCipherOrder: (none given) → off": "it is off where nothing sets it",
      "CharsetOptions: DebugLevel=0 NoImplicitAdd → ImplicitAdd":
        "both begin with ImplicitAdd, whatever the manual of 2.2 says; DebugLevel itself is refused",
      "ScriptSock: logs/cgisock → cgisock":
        "it is made anew at each start, in the folder of the logs or the runtime files",
    }),
    ...eachUntold("no configuration can show it", {
      "MaxClients: see the manual → (none given)":
        "it depends on the MPM in both, and a server that is not full shows nothing of it",
      "SSLCipherSuite: a list → DEFAULT":
        "what either list comes to is up to the OpenSSL that the server is built with",
      "SSLProxyCipherSuite: a list → a shorter list":
        "what either list comes to is up to the OpenSSL that the server is built with",
    }),
  ],
};

const load = (...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");

/** Modules (e). */
export const modules: Facts = {
  title: "Modules",
  facts: [
    ...toldBy("removed-module", {
      "gone: mod_authn_alias": load("authn_alias"),
      "gone: mod_authn_default": load("authn_default"),
      "gone: mod_authz_default": load("authz_default"),
      "gone: mod_disk_cache": load("disk_cache"),
      "gone: mod_example": load("example"),
      "gone: mod_mem_cache": load("mem_cache"),
      "renamed: mod_disk_cache → mod_cache_disk": load("disk_cache"),
      "renamed: mod_example → mod_example_hooks": load("example"),
      "merged: mod_authn_alias → mod_authn_core": load("authn_alias"),
    }),
    ...toldBy("modules-to-load", {
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
      "split: ways to balance to mod_lbmethod_*": `${load("mpm_prefork", "authz_core", "proxy", "proxy_balancer", "slotmem_shm")}<Proxy balancer://b>\nBalancerMember http://b.example.org\n</Proxy>\n`,
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
    ...untold("no configuration can show it", "no configuration of 2.2 names it", ["new modules"]),
    ...untold("outside the configuration", "2.4 is not built for them", ["platforms: BeOS, TPF and older ones"]),
  ],
};

const file = "/etc/httpd/";

/** Other changes that the manual's upgrade page names (f). */
export const otherChanges: Facts = {
  title: "Other changes that the manual names",
  facts: [
    ...toldBy("modules-to-load", {
      "load-balancer algorithms are modules": `${load("mpm_prefork", "authz_core", "proxy", "proxy_balancer", "slotmem_shm")}<Proxy balancer://b>\nBalancerMember http://b.example.org\n</Proxy>\n`,
      "missing modules show as Invalid command": `${load("mpm_prefork")}${inDirectory("Require all granted")}`,
    }),
    ...toldBy("removed-directive", {
      "the *Authoritative switches are gone": inDirectory("AuthzUserAuthoritative Off"),
      "Mutex takes the place of AcceptMutex, LockFile, RewriteLock and SSLMutex": "AcceptMutex sem\n",
      "LogLevel takes the place of RewriteLog and RewriteLogLevel": `RewriteLog ${file}rewrite.log\n`,
    }),
    ...toldBy("dbm-group", {
      "mod_authz_dbm has words of its own": inDirectory(
        "AuthType Basic",
        "AuthName x",
        "AuthUserFile /etc/httpd/users",
        "AuthDBMGroupFile /etc/httpd/groups",
        "Require group staff",
      ),
    }),
    ...toldBy("old-access-control", {
      "Order, Allow, Deny and Satisfy are mod_access_compat's": inDirectory("Order allow,deny", "Allow from all"),
    }),
    ...toldBy("ignored-directive", {
      "DefaultType has no effect": "DefaultType text/plain\n",
      "NameVirtualHost has no effect": "NameVirtualHost *:80\n",
    }),
    ...toldBy("changed-default", {
      "AllowOverride None, EnableSendfile Off, FileETag without the inode": server,
      "mod_reqtimeout limits as soon as it is loaded": `LoadModule reqtimeout_module modules/mod_reqtimeout.so\n${server}`,
      "SSLProxyCheckPeerCN and SSLProxyCheckPeerExpire are on": backends(),
    }),
    ...toldBy("refused-at-start", {
      "KeepAlive takes On and Off alone": "KeepAlive 5\n",
      "FilterProvider takes an expression": "FilterDeclare zip\nFilterProvider zip DEFLATE resp=Content-Type $text\n",
      "mod_ssl has no SSLv2": "SSLProtocol SSLv2\n",
    }),
    {
      fact: "mod_charset_lite and mod_ext_filter have no DebugLevel",
      told: {
        by: "refused-at-start",
        example: inDirectory("CharsetOptions DebugLevel=1"),
        modules: ["mod_charset_lite"],
      },
    },
    ...toldBy("misplaced-directive", {
      "LDAPTrustedClientCert is for directories alone": "LDAPTrustedClientCert CERT_BASE64 /etc/httpd/client.pem\n",
    }),
    ...toldBy("changed-behaviour", {
      "mod_dav_fs has another lock database": "DavLockDB /var/lib/dav/locks\n",
      "CacheIgnoreURLSessionIdentifiers takes whole names": `${server}CacheEnable disk /\nCacheIgnoreURLSessionIdentifiers id\n`,
      "CacheEnable / is not for a forward proxy": `${server}ProxyRequests On\nCacheEnable disk /\n`,
      "SSI has another language, and its settings stand apart": `${server}${inDirectory("Options Includes", "AddOutputFilter INCLUDES .shtml")}`,
      "mod_proxy_scgi works PATH_INFO out in another way": `${server}ProxyPass /app scgi://127.0.0.1:4000/\n`,
      "mod_ssl checks CRLs when told to": tls(`SSLCARevocationFile ${file}crl.pem`),
      "mod_ssl writes *_DN in another form": tls(
        section("Location /x", "SSLRequire %{SSL_CLIENT_S_DN} =~ m#^/C=DE/#").trimEnd(),
      ),
      "mod_substitute refuses lines above 1 MB": inDirectory(
        "AddOutputFilterByType SUBSTITUTE text/html",
        "Substitute s/a/b/",
      ),
      "mod_dumpio logs at trace7": "LogLevel debug\nDumpIOInput On\n",
      "piped logs have no shell": 'CustomLog "|/usr/bin/gzip -c >> /var/log/httpd/access.gz" common\n',
      "multi-language error documents need the new expressions": `${server}${inDirectory("Options IncludesNOEXEC", "AddOutputFilter INCLUDES .html")}`,
    }),
    ...toldBy("renamed-directive", {
      "MaxRequestsPerChild and MaxClients have new names": "MaxClients 256\n",
    }),
    ...toldBy("third-party-module", {
      "third-party modules are built anew": "LoadModule jk_module modules/mod_jk.so\n",
    }),
    ...toldBy("removed-module", {
      "AuthnProviderAlias lives in mod_authn_core": load("authn_alias"),
    }),
    ...eachUntold("outside the configuration", {
      "shared modules are the default of the build":
        "`upgrade --config-nice` tells what of a recorded build cannot be taken over",
      "htpasswd hashes with MD5 everywhere":
        "it is a program beside the server; files that are there are read as before",
    }),
    ...eachUntold("no configuration can show it", {
      "mod_autoindex reads titles of .xhtml files, too":
        "what the files hold is not in the configuration, and a listing gains no more than a title",
      "mod_deflate leaves out what would grow": "it hangs on each answer's length; nothing but its size differs",
    }),
  ],
};
