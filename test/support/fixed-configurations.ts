/** A configuration that 2.2 accepts and 2.4 rejects or ignores, with the result of the fixes. */
export interface FixedConfiguration {
  readonly before: string;
  readonly after: string;
}

const inDirectory = (...lines: readonly string[]) => `<Directory /srv>\n${lines.join("\n")}\n</Directory>\n`;

const pairs: readonly (readonly [before: string, after: string])[] = [
  ["KeepAlive 5\n", "KeepAlive On\n"],
  ["KeepAlive yes\n", "KeepAlive On\n"],
  ["KeepAlive 0\n", "KeepAlive Off\n"],
  [inDirectory("AuthUserFile /x standard"), inDirectory("AuthUserFile /x")],
  [inDirectory('AuthGroupFile "/x y" "standard"'), inDirectory('AuthGroupFile "/x y"')],
  [inDirectory("  Allow from 10.1.2.3 # office"), inDirectory("  # office", "  Allow from 10.1.2.3")],
  [inDirectory("Allow from 10.1.2.3 #office"), inDirectory("#office", "Allow from 10.1.2.3")],
  [inDirectory("Require valid-user\nOrder deny,allow # x"), inDirectory("Require valid-user\n# x\nOrder deny,allow")],
  [inDirectory("Options Indexes +FollowSymLinks"), inDirectory("Options Indexes FollowSymLinks")],
  [
    inDirectory("AllowOverride None", "Options Indexes +FollowSymLinks"),
    inDirectory("AllowOverride None", "Options Indexes FollowSymLinks"),
  ],
  [inDirectory("Options -Indexes FollowSymLinks"), inDirectory("Options FollowSymLinks")],
  [inDirectory("Options Indexes -Indexes"), inDirectory("Options None")],
  [inDirectory("options +ExecCGI Indexes ExecCGI"), inDirectory("options Indexes ExecCGI")],
  [inDirectory("Require Valid-User"), inDirectory("Require valid-user")],
  [inDirectory("Require USER bob"), inDirectory("Require user bob")],
  ["SSLSessionCache shm:/tmp/scache(512000)\n", "SSLSessionCache shmcb:/tmp/scache(512000)\n"],
  ["SSLSessionCache shmht:/tmp/scache\n", "SSLSessionCache shmcb:/tmp/scache\n"],
  [inDirectory("CharsetOptions DebugLevel=3"), "<Directory /srv>\n</Directory>\n"],
  [inDirectory("CharsetOptions DebugLevel=3 ImplicitAdd"), inDirectory("CharsetOptions ImplicitAdd")],
  [inDirectory("ExtFilterOptions LogStderr  DebugLevel=1"), inDirectory("ExtFilterOptions LogStderr")],
  ["FilterProvider x DEFLATE resp=Content-Type $text/\n", 'FilterProvider x DEFLATE "%{CONTENT_TYPE} =~ m#text/#i"\n'],
  [
    "FilterProvider x DEFLATE Content-Type text/html\n",
    'FilterProvider x DEFLATE "%{CONTENT_TYPE} =~ m#^text/html$#i"\n',
  ],
  [
    "FilterProvider x DEFLATE req=Accept-Encoding !$gzip\n",
    'FilterProvider x DEFLATE "!(%{req:Accept-Encoding} =~ m#gzip#i)"\n',
  ],
  [
    "FilterProvider x DEFLATE Content-Types text/html\n",
    'FilterProvider x DEFLATE "%{resp:Content-Types} =~ m#^text/html$#i"\n',
  ],
  ["FilterProvider x DEFLATE env=zip *\n", 'FilterProvider x DEFLATE "-n %{reqenv:zip}"\n'],
  ["FilterProvider x DEFLATE Handler /^(a|b)$/\n", 'FilterProvider x DEFLATE "%{HANDLER} =~ m#^(a|b)$#"\n'],
  ["FilterProvider x DEFLATE Content-Length >4000\n", 'FilterProvider x DEFLATE "%{resp:Content-Length} -gt 4000"\n'],
  ["Listen 127.0.0.1:8095\nListen 127.0.0.1:8095\n", "Listen 127.0.0.1:8095\n"],
  ["<Limit GET POST>\n\n</Limit>\nUser nobody\n", "User nobody\n"],
  [
    "<VirtualHost *:8095>\n  <LimitExcept GET>\n  </LimitExcept>\n</VirtualHost>\n",
    "<VirtualHost *:8095>\n</VirtualHost>\n",
  ],
  [
    "  LDAPTrustedClientCert CERT_BASE64 /etc/hostname\n",
    '  <Location "/">\n      LDAPTrustedClientCert CERT_BASE64 /etc/hostname\n  </Location>\n',
  ],
  ["NameVirtualHost *:8095\n", ""],
  ["DefaultType text/plain\n", "DefaultType none\n"],
];

export const fixedConfigurations: readonly FixedConfiguration[] = pairs.map(([before, after]) => ({ before, after }));

/** Configurations that 2.2 accepts, too, and only their authors can correct. */
export const unfixableConfigurations: readonly string[] = [
  // A nested section would inherit `+Indexes`, which the section itself does not have.
  inDirectory("Options +Indexes FollowSymLinks"),
  inDirectory("Options -Indexes Indexes"),
  inDirectory("Options Indexes +IncludesNOEXEC"),
  inDirectory("Options Indexes +FollowSymLinks", "Options +ExecCGI"),
  inDirectory("AuthUserFile /x other"),
  inDirectory("Require Valid_User"),
  inDirectory("Allow from 10.1.2.3 # off\\\nice"),
  inDirectory("ProxyPass http://127.0.0.1:1/"),
  inDirectory("CharsetOptions Debug"),
  inDirectory("ExtFilterOptions XDebugLevel=1"),
  "FilterProvider x DEFLATE resp=Content-Length <4000\n",
  "FilterProvider x DEFLATE foo=Content-Type *\n",
  "FilterProvider x DEFLATE Content-Type$ *\n",
  "Listen 127.0.0.1:8095\nListen 127.0.0.1:8095 https\n",
  "FilterProvider x DEFLATE Content-Type /a\\.b/\n",
  "<Limit GET>\n# all\n</Limit>\n",
];
