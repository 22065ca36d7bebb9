import { inDirectory, section } from "../../support/rules.js";
import { pitfalls } from "../upgrade/pitfalls.js";
import { eachUnreported, type Fact, type Facts, reportedBy } from "./fact.js";

/** The silent access changes and the start failures, from the fixtures in the parent directory. */
const fixtures: readonly Fact[] = pitfalls.map(({ id, title, rules: [by = ""], bad, ...options }) => ({
  fact: `${id}: ${title}`,
  treatment: { by, example: bad, ...options },
}));

const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/httpd/users"];

export const knownPitfalls: Facts = {
  title: "Pitfalls observed on running servers",
  facts: [
    ...fixtures,
    ...eachUnreported("same behavior", {
      "A12: a denied address gets no password prompt":
        "403 without a password prompt: in 2.2 with `Satisfy all`, in 2.4 with `<RequireAll>`",
      "A13: RequireAny acts like Satisfy any, RequireAll prompts again":
        "`compare` proves that such pairs are equivalent, or shows the request",
    }),
    ...reportedBy("changed-behaviour", {
      "D: a blank in the query string of a RewriteRule returns 403": "RewriteRule ^/(.*)$ /index.php?q=$1 [L]\n",
      "D: a header with an underscore in its name is not passed to scripts": "RequestHeader set X_User alice\n",
      "D: SSLEngine optional is off": section("VirtualHost *:443", "SSLEngine optional"),
    }),
    ...reportedBy("modules-to-load", {
      "D: a balancer without mod_proxy_balancer returns 500":
        "LoadModule mime_module modules/mod_mime.so\nLoadModule proxy_module modules/mod_proxy.so\n<Proxy balancer://b>\nBalancerMember http://b.example.org\n</Proxy>\n",
    }),
    ...reportedBy("removed-directive", {
      "C: the Authz…Authoritative directives also fail in conditional sections": `<IfModule mod_authz_user.c>\n${inDirectory("AuthzUserAuthoritative Off")}</IfModule>\n`,
      "C: names are case-insensitive, and messages repeat them as written": "rewritelog x\n",
      "C: SSIEnableAccess was only in the manual of 2.2": inDirectory("SSIEnableAccess On"),
      "C: AuthzDBDAuthoritative was never in 2.2": inDirectory("AuthzDBDAuthoritative Off"),
    }),
    ...reportedBy("refused-at-start", {
      "C: Order takes one argument with two names": inDirectory("Order deny, allow"),
      "C: Allow takes `from` and at least one argument": inDirectory("Allow from"),
    }),
    {
      fact: "C: Satisfy and Require need AuthConfig, Order needs Limit",
      treatment: {
        by: "override-missing",
        example: `DocumentRoot "/srv"\n${inDirectory("AllowOverride Limit", "Require all granted")}`,
        files: { "/srv/.htaccess": "Require all granted\n" },
      },
    },
    ...reportedBy("misplaced-directive", {
      "C: the message about a misplaced directive names its section": inDirectory("ServerName x"),
      "C: cache directives are not allowed in `.htaccess` files, unlike the manual":
        '<Directory "/srv">\n<Limit GET>\nCacheEnable disk /\n</Limit>\n</Directory>\n',
    }),
    ...reportedBy("limit-leaves-methods-open", {
      "C: Limit protects only the methods that it names": `DocumentRoot "/srv"\n${inDirectory(
        ...authLines,
        "<Limit GET POST>",
        "Require valid-user",
        "</Limit>",
      )}`,
    }),
    ...reportedBy("undefined-variable", { "C: an undefined variable is not replaced": "Timeout ${SECONDS}\n" }),
    ...reportedBy("ignored-directive", {
      "C: NameVirtualHost and DefaultType cause a warning": "NameVirtualHost *:80\n",
    }),
    ...eachUnreported("same behavior", {
      "C: mutual-failure needs an Allow and no Deny": "`explain` and `compare` apply it for both versions",
      "C: SSIETag and SSILastModified need Limit": "the command tables of both versions agree",
    }),
    ...eachUnreported("outside the configuration", {
      "C: httpd -L of 2.2 lists only compiled-in modules": "the command tables were made with it",
      "C: messages begin with AH00526 in 2.4": "it is the form of the messages that the rules quote",
    }),
  ],
};
