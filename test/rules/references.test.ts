import { expect, test } from "vitest";
import { directoryListing } from "../../rules/directory-listing/directory-listing.js";
import { exposedPrivateFile } from "../../rules/exposed-private-file/exposed-private-file.js";
import { missingHsts } from "../../rules/missing-hsts/missing-hsts.js";
import { namedFileFetchable } from "../../rules/named-file-fetchable/named-file-fetchable.js";
import { obsoleteTlsDirective } from "../../rules/obsolete-tls-directive/obsolete-tls-directive.js";
import { openForwardProxy } from "../../rules/open-forward-proxy/open-forward-proxy.js";
import { symlinkLeavesRoot } from "../../rules/symlink-leaves-root/symlink-leaves-root.js";
import { unprotectedHandler } from "../../rules/unprotected-handler/unprotected-handler.js";
import { weakTlsCipher } from "../../rules/weak-tls-cipher/weak-tls-cipher.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { type Given, lintText, onServer, section, wholeServer } from "../support/rules.js";

/** A rule, a server with one finding of it, and the recommendations of the CIS benchmark that the server violates. */
type ReferenceCase = readonly [name: string, rule: RuleDefinition, text: string, cis: readonly string[], given?: Given];

const granted = section('Directory "/srv"', "Require all granted");
const withFile = (...paths: readonly string[]): Given => ({
  files: Object.fromEntries(["/srv/index.html", ...paths].map((path) => [path, "x"])),
});
const listing = ["mod_authz_core", "mod_autoindex", "mod_dir"];
const page = (handler: string) => onServer(section("Location /page", `SetHandler ${handler}`));
const tls = (line: string) =>
  wholeServer("Listen 443", "SSLEngine On", "SSLCertificateFile cert.pem", "SSLProtocol -all +TLSv1.2", line);

const cases: readonly ReferenceCase[] = [
  ["a Git repository", exposedPrivateFile, onServer(granted), ["5.11"], withFile("/srv/.git/config")],
  ["a Subversion working copy", exposedPrivateFile, onServer(granted), ["5.12"], withFile("/srv/.svn/wc.db")],
  ["a Mercurial repository", exposedPrivateFile, onServer(granted), [], withFile("/srv/.hg/hgrc")],
  ["a password file", exposedPrivateFile, onServer(granted), ["5.10"], withFile("/srv/.htpasswd")],
  ["a backup", exposedPrivateFile, onServer(granted), ["5.13"], withFile("/srv/a.bak")],
  ["a log", namedFileFetchable, onServer(granted, 'ErrorLog "/srv/error.log"\n'), []],
  ["a key", namedFileFetchable, onServer(granted, 'SSLCertificateKeyFile "/srv/a.key"\n'), ["7.3"]],
  ["the status page", unprotectedHandler, page("server-status"), ["2.4"]],
  ["the information page", unprotectedHandler, page("server-info"), ["2.8"]],
  ["the balancer manager", unprotectedHandler, page("balancer-manager"), []],
  [
    "the forward proxy",
    openForwardProxy,
    onServer("ProxyRequests On\n"),
    [],
    { modules: ["mod_authz_core", "mod_proxy", "mod_proxy_http", "mod_rewrite"] },
  ],
  [
    "a listing of the document root",
    directoryListing,
    onServer(section('Directory "/srv"', "Require all granted", "Options Indexes")),
    ["2.5", "5.2"],
    { files: { "/srv/a.txt": "" }, modules: listing },
  ],
  [
    "a listing of another directory",
    directoryListing,
    onServer(granted, section('Directory "/srv/a"', "Options Indexes")),
    ["2.5"],
    { ...withFile("/srv/a/x.txt"), modules: listing },
  ],
  [
    "a link in the document root",
    symlinkLeavesRoot,
    onServer(granted, section('Directory "/keys"', "Require all denied")),
    ["5.2"],
    { ...withFile("/keys/a"), links: { "/srv/b": "/keys" } },
  ],
  ["compression", obsoleteTlsDirective, tls("SSLCompression On"), ["7.7"]],
  ["renegotiation", obsoleteTlsDirective, tls("SSLInsecureRenegotiation On"), ["7.6"]],
  ["a chain file", obsoleteTlsDirective, tls("SSLCertificateChainFile chain.pem"), []],
  ["3DES as the only weakness", weakTlsCipher, tls("SSLCipherSuite DES-CBC3-SHA"), ["7.8"]],
  ["a cipher without forward secrecy", weakTlsCipher, tls("SSLCipherSuite AES128-SHA"), ["7.12"]],
  [
    "a short time of Strict-Transport-Security",
    missingHsts,
    tls('Header always set Strict-Transport-Security "max-age=600"'),
    [],
  ],
];

test.each(cases.map(([name, rule, text, cis, given = {}]) => [name, { rule, text, cis, given }] as const))(
  "a finding has the CIS recommendations for %s",
  (_, each) => {
    const { rule, text, cis, given } = each;
    const findings = lintText([rule], text, given);
    expect(findings.map(({ references }) => references?.cis)).toEqual([cis]);
    expect(rule.references?.cis).toEqual(expect.arrayContaining([...cis]));
  },
);
