import type { RewritingCase } from "./rewriting-cases.js";

const requests = ["/x.txt", "/a/x.txt?q=1 GET X-A: Some text", "/a/b/c.html POST User-Agent: Wget/1.2"];

/** Conditions, each of which denies the requests that it matches. */
const conditions = [
  ..."-z '' && -n 'a'|-n ''|-z 'a'|-T 'no'|-T 'FALSE'|-T 'off'|-T '0'|-T ''|-T 'yes'|-T 'nope'|-T '00'".split("|"),
  ..."'a' == 'a'|'a' == 'A'|'a' = 'b'|'a' != 'b'|'a' != 'a'|'a' < 'b'|'b' < 'a'|'a' < 'a'|'a' <= 'a'|'b' <= 'a'".split(
    "|",
  ),
  ..."'b' > 'a'|'a' > 'a'|'a' >= 'a'|'a' >= 'b'|'10' < '9'|'a' < 'ab'|'10' -lt '9'|'9' -lt '10'|'9' -lt '9'".split("|"),
  ..."'9' -le '9'|'10' -le '9'|'10' -gt '9'|'9' -gt '9'|'9' -ge '9'|'8' -ge '9'|'9' -eq '09'|'9' -eq '8'".split("|"),
  ..."'9' -ne '09'|'9' -ne '8'|' 9x' -eq '9'|'x' -eq '0'|'-3' -lt '+2'|'' -eq '0'|9 -eq 9|10 eq 9|10 ne 9".split("|"),
  ..."'a' in {'a','b'}|'c' in {'a','b'}|'b' -in {'a','b'}|%{REQUEST_METHOD} in {'GET','PUT'}".split("|"),
  ..."-R '127.0.0.0/8'|-R '10.0.0.0/8'|-R '127.0.0.1'|-R '::1'|not -R '10.0.0.0/8'".split("|"),
  ..."%{REMOTE_ADDR} -ipmatch '127.0.0.0/8'|'10.1.2.3' -ipmatch '10.1.0.0/16'|'10.2.2.3' -ipmatch '10.1.0.0/16'".split(
    "|",
  ),
  ..."'abc' -strmatch 'a*c'|'ABC' -strmatch 'a*c'|'ABC' -strcmatch 'a*c'|'abd' -strcmatch 'a*c'|'a/c' -strmatch 'a*c'".split(
    "|",
  ),
  ..."'a/c' -fnmatch 'a*c'|'abc' -fnmatch 'a*c'|'abc' -fnmatch 'a?c'|'abc' -fnmatch '[a-b]bc'|'abc' -strmatch 'a?d'".split(
    "|",
  ),
  ..."'abc' =~ /b/|'abc' =~ /B/|'abc' =~ /B/i|'abc' !~ /b/|'abc' !~ /d/|'abc' =~ m#^a.c$#|'abc' =~ m/^b/".split("|"),
  ..."'abc' =~ /a(.)c/ && $1 == 'b'|'abc' =~ /a(.)c/ && $1 == 'c'|'abc' =~ /a(.)c/ && $0 == 'abc'".split("|"),
  ..."'abc' =~ /a(.)c/ && $2 == ''|$1 == ''|'abc' =~ /a(.)c/ && 'x' =~ /x/ && $1 == 'b'|'abc' !~ /(z)/ && $1 == ''".split(
    "|",
  ),
  ..."'abc' =~ /(b)/ && 'x' =~ /(x)/ && $1 == 'x'|'abc' =~ /(b)/ && 'x' !~ /(z)/ && $1 == 'b'".split("|"),
  ..."true|false|!true|not false|true && false|true && true|false \\|\\| true|false \\|\\| false|true and true|false or true"
    .split(/(?<!\\)\|/)
    .map((text) => text.replaceAll("\\|", "|")),
  ..."(true && false) \\|\\| true|true && (false \\|\\| true)|!(true && false)|!(false or true) and true"
    .split(/(?<!\\)\|/)
    .map((text) => text.replaceAll("\\|", "|")),
  ..."%{REQUEST_URI} == '/x.txt'|%{DOCUMENT_URI} =~ m#^/a/#|%{QUERY_STRING} == 'q=1'|-z %{QUERY_STRING}".split("|"),
  ..."%{REQUEST_METHOD} == 'POST'|%{REQUEST_SCHEME} == 'http'|%{REQUEST_SCHEME} == 'https'|%{HTTPS} == 'off'".split(
    "|",
  ),
  ..."%{HTTPS} == 'on'|%{IPV6} == 'off'|%{IPV6} == 'on'|%{IS_SUBREQ} == 'false'|%{IS_SUBREQ} == 'true'".split("|"),
  ..."%{SERVER_PROTOCOL} == 'HTTP/1.1'|%{SERVER_PROTOCOL} == 'HTTP/1.0'|%{THE_REQUEST} == 'GET /x.txt HTTP/1.1'".split(
    "|",
  ),
  ..."%{THE_REQUEST} =~ /q=1 HTTP/|%{SERVER_NAME} =~ /^host/|%{HTTP_HOST} =~ /^host\\d+\\.test$/|-z %{HTTP_HOST}".split(
    "|",
  ),
  ..."%{REMOTE_ADDR} == '127.0.0.1'|%{CONN_REMOTE_ADDR} == '127.0.0.1'|%{REMOTE_HOST} == '127.0.0.1'".split("|"),
  ..."-z %{REMOTE_USER}|-z %{REMOTE_IDENT}|%{REMOTE_USER} == 'bob'|%{HTTP_USER_AGENT} =~ /wget/i".split("|"),
  ..."-z %{HTTP_ACCEPT}|-z %{HTTP_COOKIE}|-z %{HTTP_REFERER}|-z %{HTTP_FORWARDED}|-z %{HTTP_PROXY_CONNECTION}".split(
    "|",
  ),
  ..."%{REQUEST_FILENAME} =~ m#htdocs/x.txt$#|%{SCRIPT_FILENAME} =~ m#/a/x.txt$#|%{request_uri} == '/x.txt'".split("|"),
  ..."req('X-A') == 'Some text'|http('x-a') == 'Some text'|%{req_novary:X-A} == 'Some text'|-z req('X-B')".split("|"),
  ..."tolower(req('X-A')) == 'some text'|toupper(%{req:X-A}) == 'SOME TEXT'|toupper('a') == 'a'".split("|"),
  ..."base64('a') == 'YQ=='|unbase64('YQ==') == 'a'|unbase64('YWI') == 'ab'|unbase64('YW!I') == 'a'|unbase64('YWI=YWI=') == 'ab'|unbase64('YWJj ZGVm') == 'abc'|unbase64('-_') == ''|unbase64('Y') == ''|unbase64('Y!W I=') == ''".split(
    "|",
  ),
  ..."md5('a') == '0cc175b9c0f1b6a831c399e269772661'|sha1('a') == '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'".split(
    "|",
  ),
  ..."-z reqenv('none')|'a' . 'b' == 'ab'|'x%{REQUEST_METHOD}y' == 'xGETy'|'%{req:X-A}!' == 'Some text!'".split("|"),
];

/** Expressions of `<If>`. */
export const conditionCases: readonly RewritingCase[] = conditions.map((condition) => ({
  lines: [`<If "${condition.replaceAll("\\", "\\\\")}">`, "Require all denied", "</If>"],
  requests,
}));

function setting(...lines: readonly string[]): RewritingCase {
  return { lines: [...lines, "<Location />", "Require env flag", "</Location>"], requests };
}

/** Variables that grant access. */
export const variableCases: readonly RewritingCase[] = [
  setting("SetEnvIf Remote_Addr ^127 flag"),
  setting("SetEnvIf Remote_Host ^127 flag"),
  setting("SetEnvIf Server_Addr ^127 flag"),
  setting("SetEnvIf Server_Addr ^10 flag"),
  setting("SetEnvIf Request_Method POST flag"),
  setting("SetEnvIf Request_Method post flag"),
  setting("SetEnvIfNoCase Request_Method post flag"),
  setting("SetEnvIf Request_Protocol 1.1 flag"),
  setting("SetEnvIf Request_Protocol 1.0 flag"),
  setting("SetEnvIf Request_URI ^/a/ flag"),
  setting("SetEnvIf Request_URI q=1 flag"),
  setting("SetEnvIf X-A text flag"),
  setting("SetEnvIf X-A TEXT flag"),
  setting("SetEnvIfNoCase X-A TEXT flag"),
  setting("SetEnvIf ^X-[AB]$ text flag"),
  setting("SetEnvIf ^X-.$ ^$ flag"),
  setting("SetEnvIf X-B ^$ flag"),
  setting("SetEnvIf X-B .+ flag"),
  setting("BrowserMatch Wget flag"),
  setting("BrowserMatch wget flag"),
  setting("BrowserMatchNoCase wget flag"),
  setting("SetEnvIf Request_URI . flag", "SetEnvIf Request_URI ^/a/ !flag"),
  setting("SetEnvIf Request_URI . flag", "SetEnvIf Request_URI ^/a/ flag=!"),
  setting("SetEnvIf Request_URI . other=yes", "SetEnvIf other yes flag"),
  setting("SetEnvIf Request_URI . other=yes", "SetEnvIf other no flag"),
  setting("SetEnvIf Request_URI . OTHER", "SetEnvIf other ^1$ FLAG"),
  setting("SetEnvIf Request_URI ^/(.)/ other=$1", "SetEnvIf other ^a$ flag"),
  setting("SetEnvIf Request_URI /a other=$0", "SetEnvIf other ^.0$ flag"),
  setting("SetEnvIf Request_URI (a) other=$1$2", "SetEnvIf other ^a$ flag"),
  setting("SetEnvIf Request_URI . other=a=b", "SetEnvIf other ^a=b$ flag"),
  setting("SetEnvIf Request_URI . other flag=", "SetEnvIf flag ^1$ more"),
  setting("SetEnvIf Request_URI ^/x one two flag"),
  setting(`SetEnvIfExpr "%{REQUEST_URI} =~ m#^/(a)/#" flag`),
  setting(`SetEnvIfExpr "%{REQUEST_URI} =~ m#^/(a)/#" other=$1`, "SetEnvIf other ^a$ flag"),
  setting("SetEnvIf X-A ^(Some)?(x)? flag=$1$2"),
  setting("SetEnvIf X-A text other=$0", "SetEnvIf other ^.0$ flag"),
  setting("SetEnvIf X-A te\\.?xt other=$0", "SetEnvIf other ^text$ flag"),
  setting("SetEnvIf Request_URI x\\.txt other=$0", "SetEnvIf other ^.0$ flag"),
  setting("SetEnvIf Request_URI . flag", "SetEnvIf X-A text !flag=x"),
  setting("SetEnvIf Request_URI . flag", "SetEnvIf X-A text !FLAG"),
  setting(
    "SetEnvIf Request_URI . FLAG=yes",
    "SetEnvIf flag ^yes$ other",
    "SetEnvIf OTHER . flag",
    "SetEnvIf X-A text !flag",
  ),
  setting("SetEnvIf ^Host$ host flag"),
  setting("SetEnvIf ^.*-A$ text flag"),
  setting("SetEnvIfNoCase ^x-a$ text flag"),
  setting("SetEnvIf ^x-a$ text flag"),
  setting("SetEnvIfExpr \"req('X-A') =~ /text/\" flag"),
  setting("SetEnvIfExpr \"req('X-A') =~ /(text)/\" a=$1 b=$0$2", "SetEnvIf b ^text$ flag"),
  setting("SetEnvIfExpr \"req('X-A') !~ /(text)/\" a=$1", "SetEnvIf a . flag"),
  setting("SetEnvIf X-A . other", "SetEnvIfExpr \"'ab' =~ /(b)/\" other", "SetEnvIf X-A ^ab$ flag"),
  setting("SetEnvIf X-A . other", "SetEnvIfExpr \"'ab' =~ /b/\" other", "SetEnvIf X-A ^ab$ flag"),
  setting("SetEnvIf X-A . other", "SetEnvIfExpr \"'ab' =~ /(c)/\" other", "SetEnvIf X-A ^$ flag"),
  setting("SetEnvIf X-A . other", "SetEnvIfExpr \"'ab' =~ /(c)/\" other", "SetEnvIf x-a text flag"),
  setting("BrowserMatch Wget/(.*) v=$1", "SetEnvIf v ^1.2$ flag"),
  setting("SetEnvIf Request_URI . flag", "UnsetEnv FLAG"),
  setting("SetEnv flag 1"),
  setting("SetEnv flag 1", "UnsetEnv flag"),
  setting("SetEnvIf Request_URI . flag", "UnsetEnv flag"),
  {
    ...setting(),
    lines: ["SetEnvIf Request_URI ^/x flag", "<Location />", "Require expr \"-n reqenv('flag')\"", "</Location>"],
  },
];

const roots = ["/x.txt", "/a", "/a/x.txt", "/al", "/al/x.txt", "/alx", "//al//x.txt", "/AL/x.txt", "/secret/x.txt"];

function leading(...lines: readonly string[]): RewritingCase {
  return { lines, requests: roots };
}

/** Lines of mod_alias that redirect. */
export const leadingCases: readonly RewritingCase[] = [
  leading("Alias /al DOCROOT/a"),
  leading("Alias /al/ DOCROOT/a/"),
  leading("Alias /al DOCROOT/a/"),
  leading("Alias /al DOCROOT/secret"),
  leading("Alias //al DOCROOT/a"),
  leading("AliasMatch ^/al(.*) DOCROOT/a$1"),
  leading("AliasMatch ^/(al)(.*) DOCROOT/secret$2"),
  leading("Alias /al DOCROOT/secret", "Alias /al/x.txt DOCROOT/x.txt"),
  leading("Alias /al/x.txt DOCROOT/x.txt", "Alias /al DOCROOT/secret"),
  leading("<Location /al>", "Alias DOCROOT/a/x.txt", "</Location>"),
  leading("Redirect /al http://y.test/"),
  leading("Redirect permanent /al http://y.test/"),
  leading("Redirect seeother /a http://y.test/"),
  leading("Redirect gone /al"),
  leading("Redirect 410 /al"),
  leading("Redirect 404 /x.txt"),
  leading("Redirect temp /al/ http://y.test/"),
  leading("Redirect 307 /al /x.txt"),
  leading("RedirectPermanent /al http://y.test/"),
  leading("RedirectTemp /a http://y.test/"),
  leading("RedirectMatch ^/al(.*) http://y.test$1"),
  leading("RedirectMatch 301 ^/a/ /x.txt"),
  leading("RedirectMatch gone ^/a"),
  leading("RedirectMatch ^/(x) to$1"),
  leading("RedirectMatch ^/(x) $1:y"),
  leading("Redirect /al http://y.test/", "Alias /al DOCROOT/a"),
  leading("Redirect /x.txt http://y.test/", "RedirectMatch 410 ^/x"),
  leading("RedirectMatch 410 ^/x", "Redirect /x.txt http://y.test/"),
  leading("<Location /al>", "Redirect http://y.test/", "</Location>"),
  leading("<Location /a>", "Redirect 303 http://y.test/", "</Location>"),
  leading("<Location /a>", "Redirect 410", "</Location>"),
  leading("<Location /a>", "Redirect gone", "</Location>"),
  leading("<Location /a>", "Redirect gone /a/x.txt", "</Location>"),
  leading("<Directory DOCROOT/a>", "Redirect /a http://y.test/", "</Directory>"),
  leading("<Directory DOCROOT/a>", "RedirectMatch 410 x", "</Directory>"),
  leading("<Directory DOCROOT/a>", "Require all denied", "Redirect /a http://y.test/", "</Directory>"),
  leading(
    "<Directory DOCROOT>",
    "Redirect /a http://y.test/",
    "</Directory>",
    "<Directory DOCROOT/a>",
    "Redirect gone /a",
    "</Directory>",
  ),
  leading("<Location /secret>", "Redirect http://y.test/", "</Location>"),
  // The target in a section is a string evaluated for each request.
  leading("<LocationMatch ^/al/(?<rest>.*)>", "Alias DOCROOT/secret/%{env:MATCH_REST}", "</LocationMatch>"),
  leading("<LocationMatch ^/al/(?<rest>.*)>", "Alias DOCROOT/a/%{env:MATCH_REST}", "</LocationMatch>"),
  leading("<Location /al>", "Alias DOCROOT/secret$1", "</Location>"),
  leading("<LocationMatch ^/al/?(?<rest>.*)>", "Redirect %{env:MATCH_REST}", "</LocationMatch>"),
  leading("<LocationMatch ^/al/?(?<rest>.*)>", "Redirect /%{env:MATCH_REST}", "</LocationMatch>"),
  leading("<LocationMatch ^/al/?(?<rest>.*)>", "Redirect 410 %{env:MATCH_REST}", "</LocationMatch>"),
  leading("<Directory DOCROOT/a>", "Redirect %{req:X-A}", "</Directory>"),
  leading("AliasPreservePath On", "<Location /al>", "Alias DOCROOT/secret", "</Location>"),
  leading("<Location /al>", "AliasPreservePath On", "Alias DOCROOT/a", "</Location>"),
  leading("<LocationMatch ^/al>", "AliasPreservePath On", "Alias DOCROOT/a", "</LocationMatch>"),
  leading("DocumentRoot DOCROOT/a"),
  leading("DocumentRoot DOCROOT/secret"),
];

/** Returns proxy lines: the backend denies the requests it receives. */
function proxying(...lines: readonly string[]): RewritingCase {
  return leading(...lines, '<Proxy "nothing://*">', "Require all denied", "</Proxy>");
}

/** Lines of mod_proxy that lead to a backend. */
export const proxyCases: readonly RewritingCase[] = [
  proxying("ProxyPass /al nothing://y.test/"),
  proxying("ProxyPass /al/ nothing://y.test/"),
  proxying("ProxyPass //al nothing://y.test/"),
  proxying("ProxyPass /a !", "ProxyPass / nothing://y.test/"),
  proxying("ProxyPass / nothing://y.test/", "ProxyPass /a !"),
  proxying("ProxyPass /al/x.txt !", "ProxyPass /al nothing://y.test/", "Alias /al DOCROOT/a"),
  proxying("ProxyPassMatch ^/al(.*) nothing://y.test$1"),
  proxying("ProxyPassMatch ^/(x) nothing://y.test"),
  proxying("ProxyPassMatch ^/x !", "ProxyPass / nothing://y.test/"),
  proxying("<Location /al>", "ProxyPass nothing://y.test/", "</Location>"),
  proxying("<Location /a*>", "ProxyPass nothing://y.test/", "</Location>"),
  proxying("<LocationMatch ^/(al|x)>", "ProxyPassMatch nothing://y.test/$1", "</LocationMatch>"),
  proxying("<Location /al>", "ProxyPass !", "</Location>", "ProxyPass / nothing://y.test/"),
  proxying("<Location />", "ProxyPass nothing://y.test/", "</Location>", "<Location /a>", "ProxyPass !", "</Location>"),
  proxying("Redirect /al http://z.test/", "ProxyPass /al nothing://y.test/"),
  leading("ProxyPass /al nothing://y.test/b", '<Proxy "nothing://y.test/b/x*">', "Require all denied", "</Proxy>"),
  leading("ProxyPass /al nothing://y.test/b", '<ProxyMatch "x.txt$">', "Require all denied", "</ProxyMatch>"),
];

const hostHeaders = [
  "[::ffff:1.2.3.4]",
  "[1.2.3.4]",
  ...["a.test", "a.test:80", "a.test:0", "a.test:65535", "a.test:65536", "a.test:", "a.test:8x", "a..test", ".test"],
  ...[
    "a.test.",
    "a.test..",
    "a/b",
    "a b",
    "a_b.test",
    "a-b",
    "-a.test",
    "10.0.0.1",
    "10.0.0",
    "10.0.0.01",
    "10.0.0.1.2",
  ],
  ...[
    "1.2.3.4:80",
    "a.1",
    "a.1b",
    "a.b1",
    "1a",
    "[::1]",
    "[::1]:80",
    "[::1",
    "[x]",
    "[1::2::3]",
    "[::1.2.3.4]",
    "[1.]",
  ],
  ...[
    "[::1]:0",
    "[]",
    "[1:2:3:4:5:6:7:8]",
    "[1:2:3:4:5:6:7:8:9]",
    "[1:2]",
    "[::ffff:1.2.3]",
    "[fe80::1%25lo]",
    "[::G]",
    "[::a]x",
    "*",
    "a.-b",
    "a,b",
    "A.TEST",
    ...[
      "a.test:8a",
      "a.test:x80",
      ":80",
      "a.test:080",
      "a.test:1",
      "[::1]x:80",
      "[::1]:",
      "[::1]:8x",
      "1.2.3.4.",
      "1.2.3.",
      "01.2.3.4",
    ],
    ...[
      "1.2.3.04",
      "1.2.3.0",
      "999.1.1.1",
      "1",
      "1.",
      "1..",
      "a.",
      "a.1.",
      "a.1x",
      "a.1x.",
      "a.-",
      "_",
      "a._b",
      "-",
      "..",
      "a..",
      "1.2.3.4x",
    ],
  ],
];

/** Host headers, some of which the server ignores. */
export const hostCases: readonly RewritingCase[] = [
  { lines: [], requests: hostHeaders.map((header) => `/x.txt GET Host: ${header}`) },
];

export const sentPaths = [
  ...["/a%2fx.txt", "/a/x.txt", "//a/x.txt", "/a//x.txt", "/a%2f%2fx.txt", "/%61/x.txt", "/a/./x.txt", "/a/b/../x.txt"],
  ...["/secret%2fx.txt", "//secret//x.txt", "/a%2e%2e/x.txt", "/a%252fx.txt"],
];
const deniedBelow = ["<Location /a/>", "Require all denied", "</Location>"];

/** Slash settings and paths, normalized before any lookup. */
export const sentCases: readonly RewritingCase[] = [
  [],
  ["AllowEncodedSlashes On"],
  ["AllowEncodedSlashes NoDecode"],
  ["AllowEncodedSlashes Off"],
  ["MergeSlashes Off"],
  ["AllowEncodedSlashes On", "MergeSlashes Off"],
].flatMap((lines) => [
  { lines, requests: sentPaths },
  { lines: [...lines, ...deniedBelow], requests: sentPaths },
  { lines: [...lines, '<LocationMatch "^/a/x">', "Require all denied", "</LocationMatch>"], requests: sentPaths },
]);

const run = ["/a/t.cgi PUT", "/a/t.cgi.txt PUT", "/a/t.txt.cgi PUT", "/a/.cgi PUT", "/a/b/t.cgi PUT", "/a/b/none.cgi"];

function handling(...lines: readonly string[]): RewritingCase {
  return { lines, requests: run };
}

/** Returns lines with requests that avoid later extensions, whose types come from a file that is not read. */
function typing(...lines: readonly string[]): RewritingCase {
  return { lines, requests: run.filter((ask) => !ask.includes(".txt ")) };
}

const below = (folder: string, line: string) => [`<Directory DOCROOT/a${folder}>`, line, "</Directory>"];

/** Handlers: programs may not run, so one that is called returns 403. */
export const handlerCases: readonly RewritingCase[] = [
  handling("AddHandler cgi-script .cgi"),
  handling("AddHandler cgi-script .cgi", "AddHandler default-handler txt"),
  handling("AddHandler default-handler .cgi", "AddHandler cgi-script TXT"),
  handling("AddHandler cgi-script .cgi", "RemoveHandler .cgi"),
  handling(...below("", "AddHandler cgi-script .cgi"), ...below("/b", "RemoveHandler .cgi")),
  handling("AddHandler cgi-script .cgi", ...below("", "RemoveHandler .cgi")),
  handling("AddHandler cgi-script .cgi", ...below("", "RemoveHandler .cgi"), ...below("/b", "AddType text/css .css")),
  handling("AddHandler cgi-script .cgi", ...below("", "AddType text/css .css"), ...below("/b", "RemoveHandler .cgi")),
  typing("AddType application/x-httpd-cgi .cgi"),
  typing("AddType application/x-httpd-cgi .cgi", ...below("/b", "RemoveType .cgi")),
  typing("AddType application/x-httpd-cgi .cgi", "RemoveType .cgi"),
  typing("RemoveType .cgi", "AddType application/x-httpd-cgi .cgi"),
  typing(...below("", "AddType application/x-httpd-cgi .cgi"), ...below("/b", "RemoveType .cgi")),
  handling("AddType application/x-httpd-cgi .cgi", "RemoveType .txt"),
  typing("AddType application/x-httpd-cgi .cgi", ...below("/b", "ForceType text/css")),
  handling(...below("/b", "ForceType application/x-httpd-cgi")),
  handling("AddHandler own .cgi", "Action own /secret/x.txt"),
  handling("AddHandler own .cgi", "Action own /x.txt"),
  handling("AddHandler own .cgi", "Action own /secret/x.txt virtual"),
  typing("AddType application/x-httpd-own .cgi", "Action application/x-httpd-own /secret/x.txt"),
  handling("Script PUT /secret/x.txt"),
  handling("Script PUT /x.txt"),
  handling("AddHandler own .cgi", "Action own /x.txt", "Script PUT /secret/x.txt"),
];
