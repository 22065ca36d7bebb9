import { allowedValues } from "../../../src/startup/directives/values.js";

/** The modules that these lines and their server need. */
export const startupModules =
  "mpm_event authn_core authz_core authn_file auth_basic auth_digest authz_user authz_host access_compat allowmethods env setenvif alias dir actions mime negotiation autoindex include rewrite headers expires filter deflate substitute usertrack userdir ssl socache_shmcb proxy proxy_http proxy_balancer slotmem_shm lbmethod_byrequests reqtimeout remoteip charset_lite ext_filter log_debug http2 md proxy_fcgi ldap lua".split(
    " ",
  );

/** Returns a line in a section that allows most directives. */
export const inDirectory = (line: string) => `<Directory /a>¶${line}¶</Directory>`;

/** Lines that the server accepts and lines that it rejects, by topic. A pilcrow separates lines that are tested together. */
export const startupLines: Readonly<Record<string, string>> = {
  "core: numbers, names and times": String.raw`
KeepAlive maybe
KeepAlive On really
KeepAliveTimeout abc
KeepAliveTimeout 5x
KeepAliveTimeout 5m
KeepAliveTimeout 5.5
KeepAliveTimeout 100ms
KeepAliveTimeout 5min
Timeout abc
LimitRequestBody 10M
LimitRequestBody -1
LimitRequestBody +5
LimitRequestBody 0x10
LimitRequestFields " -1"
LimitRequestFields abc
LimitInternalRecursion 5 0
LimitInternalRecursion 5x 5
MaxRanges 5x
MaxRanges foo
SendBufferSize abc
SendBufferSize 511
SSLVerifyDepth x
ServerName foo:99999
ServerName foo:abc
ServerName foo:
ServerName foo:80x
ServerName https://foo:0
ServerName *.example.org
ServerName foo?
ServerName a[b]
ServerName a[b
ServerName a\*b
ServerName ::1
ServerName [::1]:80
ErrorDocument 999 x
ErrorDocument abc x
ErrorDocument 418 x
ErrorDocument 404x x
ErrorDocument 00404 x
ErrorDocument 404 /a b
Error "stop here"
Error a b "c"
Error
<IfModule !mod_alias.c>¶Error "no alias"¶</IfModule>
Port 80
Port
NameVirtualHost *:80
NameVirtualHost
UserDir
UserDir disabled
AddDefaultCharset whatever
ForceType none
MaxRanges x5
LimitRequestFields x-1
ServerName foo:0
ServerName foo:1
ServerName foo:65535
ServerName foo:65536
ServerName "a b://x:80"
ServerName "a b://x:99999"
Error "a" b
Error 'a'
Error "
HttpProtocolOptions
HttpProtocolOptions Strict "" Loose
DocumentRoot ""
KeepAlive
User root
User #0
User #x
User www-data
UserDir ""`,
  "core: word lists": String.raw`
<Directory /a>¶AllowOverride Foo¶</Directory>
<Directory /a>¶AllowOverride¶</Directory>
<Directory /a>¶AllowOverride ""¶</Directory>
<Directory /a>¶AllowOverride None All¶</Directory>
<Directory /a>¶AllowOverride +All¶</Directory>
<Directory /a>¶AllowOverride FileInfo, Limit¶</Directory>
<Directory /a>¶AllowOverride fileinfo Limit=x¶</Directory>
<Directory /a>¶AllowOverride All # all of them¶</Directory>
<Directory /a>¶AllowOverride Options=Indexes,MultiViews¶</Directory>
<Directory /a>¶AllowOverride Options=Indexes,Foo¶</Directory>
<Directory /a>¶AllowOverride Options=¶</Directory>
<Directory /a>¶AllowOverride Nonfatal¶</Directory>
<Directory /a>¶AllowOverride Nonfatal=Foo¶</Directory>
<Directory /a>¶AllowOverrideList Redirect None¶</Directory>
<Directory /a>¶AllowOverrideList None¶</Directory>
<Directory /a>¶AllowOverrideList Nope¶</Directory>
<Directory /a>¶AllowMethods GET get¶</Directory>
<Directory /a>¶AllowMethods RESET¶</Directory>
<Directory /a>¶AllowMethods¶</Directory>
<Directory /a>¶Options Indexes FollowSymLinks +MultiViews¶</Directory>
<Directory /a>¶Options Index¶</Directory>
<Directory /a>¶Options -Indexes # comment¶</Directory>
FileETag foo
FileETag +None
FileETag MTime -Size
LogLevel warning
LogLevel info ssl:warn rewrite_module:trace3 mod_alias.c:error
LogLevel warn mod_alias:info
LogLevel warn nope:info
LogLevel warn ssl:
LogLevel warn ssl:loud
LogLevel trace9
LogLevel TRACE8
HttpProtocolOptions Strict Loose
SSLOptions +StdEnvVars +CompatEnvVars
SSLOptions +stdenvvars -ExportCertData
SSLProtocol all -SSLv2 -SSLv3
SSLProtocol SSLv2
SSLProtocol +TLSv1 +SSLv2
SSLProtocol All,-SSLv2
SSLProtocol TLS1.2
<VirtualHost *:80>¶<If "true">¶SSLCACertificatePath /¶</If>¶</VirtualHost>
<VirtualHost *:80>¶SSLCACertificatePath /¶</VirtualHost>
<Location /a>¶SSLCACertificatePath /¶</Location>
SSLProxyProtocol SSLv2
SSLCARevocationCheck leaf no_crl_for_cert_ok
SSLCARevocationCheck leaf foo
IndexOptions FancyIndexing foo
IndexOptions FancyIndexing,VersionSort
IndexOptions None FancyIndexing
IndexOptions FancyIndexing None
IndexOptions None +FancyIndexing
IndexOptions -None
IndexOptions NameWidth
IndexOptions -NameWidth
IndexOptions NameWidth=* DescriptionWidth=80 IconWidth=20 Charset=UTF-8
IndexOptions NameWidth=4
IndexOptions DescriptionWidth=x
IndexOptions -IconHeight=3
IndexOptions XHTML=1
IndexOrderDefault Ascending Colour
Action x /y virtual
Action x /y z
RewriteOptions inherit,ignoreinherit
RewriteOptions Inherit MaxRedirects=10
<Directory /a>¶AllowOverride Options=Indexes,¶</Directory>
<Directory /a>¶AllowOverride Options=,Foo¶</Directory>
<Directory /a>¶AllowOverride Nonfatal=All¶</Directory>
<Directory /a>¶AllowOverrideList None Redirect¶</Directory>
<Directory /a>¶AllowOverrideList NONE¶</Directory>
<Directory /a>¶AllowMethods reset GET¶</Directory>
<Directory /a>¶AllowMethods PURGE¶</Directory>
<Directory /a>¶Options Exec-CGI¶</Directory>
<Directory /a>¶Options Indexes,MultiViews¶</Directory>
<Directory /a>¶Options None¶</Directory>
<Directory /a>¶Options All¶</Directory>
<Directory /a>¶Options Indexes None¶</Directory>
<Directory /a>¶Options Indexes All¶</Directory>
<Directory /a>¶Options +All¶</Directory>
<Directory /a>¶Options -None¶</Directory>
<Directory /a>¶Options All +Indexes¶</Directory>
<Directory /a>¶Options None +Indexes -MultiViews¶</Directory>
<Directory /a>¶Options +Indexes FollowSymLinks -MultiViews¶</Directory>
<Directory /a>¶Options Indexes +MultiViews Foo-Bar¶</Directory>
FileETag None
FileETag -All
FileETag Size All
LogLevel :loud
LogLevel :info
LogLevel xtrace
SSLOptions +StdEnvVars "" foo
SSLOptions Std-EnvVars
SSLOptions
IndexOptions NameWidth=5
IndexOptions DescriptionWidth=11
IndexOptions DescriptionWidth=12
IndexOptions None NameWidth=9
IndexOptions +NameWidth
IndexOptions -IconWidth`,
  Listen: String.raw`
Listen abc
Listen 0
Listen 65535
Listen 65536
Listen 00080
Listen *:8080
Listen *
Listen 192.0.2.1
Listen 127.0.0.1:80x
Listen :80
Listen [::1]:8080
Listen [x]:8080
Listen [::1]8080
Listen [::ffff:127.0.0.1]:8080
Listen 8080 https x
Listen 8080 # x
Listen
Listen 8080¶Listen 127.0.0.1:8080¶Listen *:8080
Listen 1
Listen localhost:
Listen [::1%]:80
Listen [::1]
Listen 127.0.0.1:0
Listen 127.0.0.1:65535
Listen 127.0.0.1:65536
Listen localhost:8080¶Listen LOCALHOST:8080
Listen localhost:8080¶Listen localhost:8080
Listen [::1]:8080¶Listen [::0:1]:8080
Listen 8080 http¶Listen 8080 https`,
  sections: String.raw`
<Directory /a /b>¶</Directory>
<Directory "/a" b>¶</Directory>
<Directory "/a b">¶</Directory>
<Directory a/b>¶</Directory>
<Directory /a> # comment¶</Directory>
<Directory /a # comment>¶</Directory>
<Directory /a /b>¶Order nope¶</Directory>
<Directory ~ "a(">¶</Directory>
<Directory ~ "a" b>¶</Directory>
<DirectoryMatch ~ "a(">¶</DirectoryMatch>
<DirectoryMatch "^/a/(?<n>b)">¶</DirectoryMatch>
<DirectoryMatch a( b>¶</DirectoryMatch>
<Files a b>¶</Files>
<Files ~ "\.(php|inc$">¶</Files>
<Files "a(b">¶</Files>
<FilesMatch ~ "\.php$">¶</FilesMatch>
<FilesMatch "\.php$>¶</FilesMatch>
<FilesMatch "a(b">¶</FilesMatch>
<Location /a /b>¶</Location>
<Location ~ "*">¶</Location>
<LocationMatch ~ a>¶</LocationMatch>
<LocationMatch "[\w-.]">¶</LocationMatch>
<LocationMatch "[\w.-]">¶</LocationMatch>
<ProxyMatch "a(">¶</ProxyMatch>
<VirtualHost>¶</VirtualHost>
<VirtualHost 80>¶</VirtualHost>
<VirtualHost :80>¶</VirtualHost>
<VirtualHost *>¶</VirtualHost>
<VirtualHost *:* _default_:443>¶</VirtualHost>
<VirtualHost *:99999>¶</VirtualHost>
<VirtualHost *:80 *:0>¶</VirtualHost>
<VirtualHost 80:*>¶</VirtualHost>
<VirtualHost [00000:0::2]:8080>¶</VirtualHost>
<If "true" "false">¶</If>
<If "true">¶</If>¶<Else x>¶</Else>
<If "%{REQUEST_URI} =~ m#a(#">¶</If>
<If "%{REQUEST_URI} =~ m#a\(#i">¶</If>
<If "%{REQUEST_URI} !~ /[z-a]/ || true" x>¶</If>
<Location />¶<If true>¶</If>¶<ElseIf "-n '' && %{QUERY_STRING} =~ /+/">¶</ElseIf>¶</Location>
<VirtualHost localhost:>¶</VirtualHost>
<VirtualHost [::1%]:80>¶</VirtualHost>
<VirtualHost [::1%lo]:80>¶</VirtualHost>
<VirtualHost "a b:80">¶</VirtualHost>
<VirtualHost "a b:99999">¶</VirtualHost>
<VirtualHost *:1>¶</VirtualHost>
<VirtualHost "">¶</VirtualHost>
<Directory /a>¶<RequireAll x >¶Require all granted¶</RequireAll>¶</Directory>
<Directory /a>¶<RequireAny>¶Require all granted¶</RequireAny>¶</Directory>
<Directory>¶</Directory>
<If>¶</If>`,
  "patterns in other directives": String.raw`
AliasMatch a( /x
ScriptAliasMatch ^/cgi(.*) /x$1
SetEnvIf Request_URI a( x
SetEnvIf Request_URI "a\\" x
SetEnvIf Request_URI "^a\\" x
SetEnvIf ^X(.* b x
SetEnvIf X.y b x
SetEnvIf a b
SetEnvIf a
SetEnvIf
SetEnvIfNoCase a b ""
BrowserMatch *MSIE* x
BrowserMatch MSIE x
BrowserMatchNoCase MSIE
SetEnvIfExpr "%{REQUEST_URI} =~ /a)/" x
SetEnvIfExpr "true"
SetEnvIfExpr
<Directory /a>¶Require expr %{REQUEST_URI} =~ /a(/¶</Directory>
<Directory /a>¶Require expr "%{REQUEST_URI} =~ /a/"¶</Directory>
Substitute s/a(/b/
Substitute s|a(|b|n
Substitute s/a/b/x
Substitute s/a
Substitute a/b/
ProxyRemoteMatch a( http://x:8080
ProxyRemoteMatch a( http://x
<FilesMatch "^*">¶</FilesMatch>
<FilesMatch "a**">¶</FilesMatch>
<FilesMatch "a*+">¶</FilesMatch>
<FilesMatch "a{2,1}">¶</FilesMatch>
<FilesMatch "a{2,x}">¶</FilesMatch>
<FilesMatch "a\\">¶</FilesMatch>
<FilesMatch "(?y)">¶</FilesMatch>
<FilesMatch "(?i)a">¶</FilesMatch>
<FilesMatch "(a)\2">¶</FilesMatch>
<FilesMatch "(a)\1">¶</FilesMatch>
<FilesMatch "[z-a]">¶</FilesMatch>
<FilesMatch "[[:foo:]]">¶</FilesMatch>
<FilesMatch "[:alpha:]">¶</FilesMatch>
<FilesMatch "[]a]">¶</FilesMatch>
<FilesMatch "[]">¶</FilesMatch>
<FilesMatch "\.(jpg|png)$)">¶</FilesMatch>
<FilesMatch "c:\install">¶</FilesMatch>
Substitute s/a/b(/
Substitute s/a/b/NI
Substitute s
Substitute s//b/
SetEnvIf remote_addr a( x
SetEnvIf X-Y(Z b x
SetEnvIfNoCase Remote_Addr ^10 x
BrowserMatch a *( x
BrowserMatch MSIE
BrowserMatch
SetEnvIf a b c "" d
<If "%{REQUEST_URI} == 'a~b('">¶</If>
<If "%{REQUEST_URI} =~ m|a(|">¶</If>`,
  rewrite: String.raw`
RewriteRule ^a$
RewriteRule "^a$"
RewriteRule "^a
RewriteRule ^a\ b
RewriteRule "^a b$" "c d" [L]
RewriteRule ^a b [L,R=301]
RewriteRule ^a b [L, R=301]
RewriteRule ^a b "[L, R=301]"
RewriteRule ^a b [L,R=999]
RewriteRule ^a b [R=foo]
RewriteRule ^a b [passthru]
RewriteRule ^a b [L,]
RewriteRule ^a b []
RewriteRule ^a b [NC
RewriteRule ^a b R=301
RewriteRule ^a b # comment
RewriteRule ^a b [L] # comment
RewriteRule ^a b [dummy]
RewriteRule ^a b [BNE]
RewriteRule ^a - [E=A:"x,y"]
RewriteRule !a( b
RewriteRule ^(.*\.php$ b [X]
RewriteCond %{X}
RewriteCond %{X} a [L]
RewriteCond %{X} a [NC,OR]
RewriteCond %{X} a [NC]# comment
RewriteCond %{X} # comment
RewriteCond %{X} !a(
RewriteCond %{X} =a(
RewriteCond %{X} -ge5(
RewriteCond %{X} -d
RewriteCond %{X} -d(
RewriteCond expr "true"
RewriteEngine maybe
RewriteEngine on # comment
<Directory /a>¶RewriteBase a¶</Directory>
RewriteRule ^a b R=301]
RewriteRule ^a b "[NC" x
RewriteRule ^a b [R=299]
RewriteRule ^a b [S=999]
RewriteRule ^a b [bne=x]
RewriteRule ^a b [r]
RewriteRule ^a b [ R = 301 ]
RewriteRule ^a b [R=]
RewriteOptions Foo
RewriteOptions ""
RewriteOptions maxredirects=x
RewriteCond %{X} a
RewriteCond %{X} (
RewriteCond %{X} -U
RewriteCond %{X} -F(
RewriteCond %{X} <a(
RewriteCond EXPR true
<Directory /a>¶RewriteBase ""¶</Directory>
<Directory /a>¶RewriteBase /a¶</Directory>`,
  "redirects and aliases": String.raw`
Redirect permanent /a www.example.org
Redirect permanent /a http://www.example.org
Redirect permanent /a
Redirect gone /a
Redirect gone /a http://x
Redirect 404 /a
Redirect 301 /a /b
Redirect found /a http://x
Redirect /a http://x # comment
Redirect /a
<Location /a>¶Redirect permanent http://x¶</Location>
<Location /a>¶Redirect http://x¶</Location>
<Location /a>¶Redirect 301¶</Location>
<Location /a>¶Redirect / x¶</Location>
RedirectTemp /a b
RedirectPermanent /a /b
RedirectMatch 301 a( b
RedirectMatch 301 ^/a b
RedirectMatch 404 \.git
RedirectMatch ^/a$
Alias /a
<Location /a>¶Alias /b¶</Location>
<Location /a>¶Alias /a /b¶</Location>
ScriptAlias /a
Redirect 299 /a
Redirect 300 /a http://x
Redirect 300 /a
Redirect 399 /a http://x
Redirect 400 /a
Redirect 400 /a http://x
Redirect permanent
Redirect PERMANENT /a /b
Redirect GONE /a http://x
<Location /a>¶Redirect gone¶</Location>
<Location /a>¶Redirect permanent /a http://x¶</Location>
<VirtualHost *>¶Redirect 301¶</VirtualHost>
<VirtualHost *>¶Alias /b¶</VirtualHost>`,
  headers: String.raw`
Header foo bar
Header
Header set X
Header set X y
Header set X y z
Header set X "y" # comment
Header set "X: y"
Header always set X y env=!z
Header onerror set X y
Header set X y env=
Header unset X y z
Header unset X early
Header echo a(
Header edit X a
Header edit X a( b
Header edit* X ^a b env=x
Header set X "100% y"
Header set X 100%
Header set X "%{A}e %t %%"
Header set X %{A}
Header edit X a %Q
Header set X "expr=%{REQUEST_URI}"
Header set X y "expr=%{REQUEST_URI} =~ /a(/"
RequestHeader always set X y
RequestHeader echo X
RequestHeader set X y a b
RequestHeader set X y env=a b c
Header echo X y z
Header unset X y z a
Header echo X early
Header setifempty X y early
Header note X y expr=true
Header set X y Env=
Header edit X
Header edit X a b early
Header merge X
Header set X a(
Header set X %s
Header set X "expr=%Q"
Header onsuccess unset X`,
  "expiry, logs, proxies": String.raw`
ExpiresDefault "access plus 1 month 2 days"
ExpiresDefault "access plus 1 fortnight"
ExpiresDefault "access plus month"
ExpiresDefault "access plus 1"
ExpiresDefault "plus 1 day"
ExpiresDefault A3600
ExpiresDefault access plus 1 day
ExpiresByType text "access"
ExpiresByType text/html "now 1 m"
LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\"" x
LogFormat "%{Referer}\" %s"
LogFormat "100% "
LogFormat "%{x}"
CustomLog /dev/null "%h" env=
CustomLog /dev/null "%h" env=!x
CustomLog /dev/null "%h" x
CustomLog /dev/null "%h %"
ProxyPass /a
ProxyPass /a !
ProxyPass /a http://x retry=0 nocanon
ProxyPass /a http://x # comment
ProxyPass /a localhost:8080
ProxyPass /a 127.0.0.1:8080
ProxyPass /a /b
ProxyPass ~ a( http://x
ProxyPassMatch a( http://x
ProxyPassMatch ~ a http://x
<Location /a>¶ProxyPass http://x¶</Location>
<Location /a>¶ProxyPass /a http://x¶</Location>
<Location /a>¶ProxyPassReverse /a http://x¶</Location>
ProxyPassReverse http://x
<Directory /a>¶AuthBasicProvider File¶</Directory>
<Directory /a>¶AuthBasicProvider file ldap¶</Directory>
<Directory /a>¶AuthBasicProvider file # users¶</Directory>
<AuthnProviderAlias file Office>¶</AuthnProviderAlias>¶<Directory /a>¶AuthBasicProvider Office¶</Directory>
<AuthnProviderAlias File x>¶</AuthnProviderAlias>
<AuthnProviderAlias file x>¶</AuthnProviderAlias>¶<AuthnProviderAlias file x>¶</AuthnProviderAlias>
<AuthnProviderAlias file x>¶</AuthnProviderAlias>¶<AuthnProviderAlias file X>¶</AuthnProviderAlias>
<AuthnProviderAlias file FILE>¶</AuthnProviderAlias>
<AuthnProviderAlias nope Nope>¶</AuthnProviderAlias>
<AuthnProviderAlias file dbm>¶</AuthnProviderAlias>
<AuthnProviderAlias dbm file>¶</AuthnProviderAlias>
<AuthnProviderAlias file>¶</AuthnProviderAlias>
<AuthnProviderAlias file "">¶</AuthnProviderAlias>
ExpiresDefault "Access plus 1 fortnight"
ExpiresDefault "access plus 1 Aeon"
ExpiresDefault "access 1p day"
ExpiresDefault 'access plus "" foo'
ExpiresDefault "modification 1 mi 2 mo"
ExpiresDefault "access plus 1 m"
ExpiresDefault "never"
CustomLog /dev/null "%h" expr=
CustomLog /dev/null "%h" env=!
CustomLog /dev/null "%h" ENV=x
ProxyPass /a localhost
ProxyPass /a .
ProxyPass /a unix:/s|http://x
ProxyPass /a 10.0.0.1
ProxyPass /a -x
ProxyPass ! /static
ProxyPass ! http://a.example/
ProxyPassMatch ! ^/static
ProxySet http://h:81/ timeout=5
ProxySet timeout=5
ProxySet balancer://b timeout=5
ProxyPass /a http://h:81¶ProxySet http://h:81 timeout=5
ProxyPass /a http://h:81¶ProxySet http://h:81/b timeout=5
ProxyPass /a http://h:81/b¶ProxySet http://h:81/ timeout=5
ProxyPass /a http://h:81/b/¶ProxySet http://h:81/b/c timeout=5
ProxySet http://h:81/ timeout=5¶ProxyPass /a http://h:81/
ProxyPass /a http://h:81/¶<VirtualHost *:80>¶ProxySet http://h:81/ timeout=5¶</VirtualHost>
<VirtualHost *:80>¶ProxyPass /a http://h:81/¶ProxySet http://h:81/ timeout=5¶</VirtualHost>
<Proxy http://h:81/>¶ProxySet timeout=5¶</Proxy>¶ProxySet http://h:81/ timeout=7
ProxyPass /a balancer://b¶ProxySet balancer://b lbmethod=byrequests
<Proxy balancer://b>¶BalancerMember http://h:81¶</Proxy>¶ProxySet balancer://b timeout=5
<Location /a>¶ProxyPass http://h:81/¶ProxySet timeout=5¶</Location>
AddOutputFilterByType DEFLATE text/html
AddOutputFilterByType deflate text/html
AddOutputFilterByType DEFLAT text/html
AddOutputFilterByType INCLUDES;DEFLATE text/html
AddOutputFilterByType INCLUDES;SED text/html
AddOutputFilterByType ";DEFLATE" text/html
AddOutputFilterByType "DEFLATE,INFLATE" text/html
AddOutputFilterByType CONTENT_LENGTH text/html
AddOutputFilterByType REQTIMEOUT text/html
AddOutputFilterByType PROXY_SEND_DIR text/html
AddOutputFilterByType CACHE_SAVE_SUBREQ text/html
AddOutputFilterByType CHUNK;BYTERANGE;OLD_WRITE text/html
AddOutputFilterByType DUMPIO_OUT text/html
AddOutputFilterByType FIXUP_HEADERS_OUT text/html
AddOutputFilterByType BUCKETEER text/html
AddOutputFilterByType CASEFILTER text/html
AddOutputFilterByType MOD_SESSION_OUT text/html
AddOutputFilterByType LOGIO_TTFB_OUT text/html
AddOutputFilterByType NOPE text/html
AddOutputFilterByType NOPE
FilterDeclare X¶AddOutputFilterByType X text/html
ExtFilterDefine fix cmd=/bin/cat¶AddOutputFilterByType FIX text/html
AddOutputFilterByType FIX text/html¶ExtFilterDefine fix cmd=/bin/cat
FilterProvider c SED "%{CONTENT_TYPE} =~ m#^text/#"
FilterProvider c DEFLATE "%{CONTENT_TYPE} =~ m#^text/#"
FilterProvider c DEFLATE resp=Content-Type $text/html
<Location /a>¶AddOutputFilterByType SUBSTITUTES text/html¶</Location>
ProxyPass /a ?x
ProxyPassMatch ^/a(.*) http://x$1
ProxyPassReverse /a http://x interpolate
ProxyPassReverse http://x interpolate
<Location /a>¶ProxyPassReverse http://x interpolate¶</Location>
<Location /a>¶ProxyPass localhost¶</Location>
ProxyPass /a http://h/ timeout=0
ProxyPass /a http://h/ timeout=x
ProxyPass /a http://h/ timeout=5s
ProxyPass /a http://h/ retry=-1
ProxyPass /a http://h/ retry=0
ProxyPass /a http://h/ keepalive=yes
ProxyPass /a http://h/ KeepAlive=ON
ProxyPass /a http://h/ disablereuse=1
ProxyPass /a http://h/ foo=1
ProxyPass /a http://h/ nocanon=on
ProxyPass /a http://h/ loadfactor=0
ProxyPass /a http://h/ loadfactor=1
ProxyPass /a http://h/ loadfactor=100
ProxyPass /a http://h/ loadfactor=1.5
ProxyPass /a http://h/ loadfactor=101
ProxyPass /a http://h/ max=-1
ProxyPass /a http://h/ ttl=0
ProxyPass /a http://h/ acquire=0
ProxyPass /a http://h/ ping=0
ProxyPass /a http://h/ connectiontimeout=0
ProxyPass /a http://h/ iobuffersize=100
ProxyPass /a http://h/ flushpackets=yes
ProxyPass /a http://h/ flushwait=2000
ProxyPass /a http://h/ mapping=encoded
ProxyPass /a http://h/ mapping=Servlet
ProxyPass /a http://h/ mapping=x
ProxyPass /a http://h/ lbset=100
ProxyPass /a http://h/ stickysession=ID
ProxyPass /a http://h/ upgrade=websocket secret=x
ProxyPass /a http://h/¶ProxyPass /b http://h/ foo=1
ProxyPass /a ! timeout=0
<Location /a>¶ProxyPass http://h/ timeout=0¶</Location>
ProxyPass /a balancer://b/ timeout=0
ProxyPass /a balancer://b/ nofailover=yes
ProxyPass /a balancer://b/ stickysession=ID nofailover=On
<Proxy balancer://b>¶BalancerMember http://h loadfactor=0¶</Proxy>
<Proxy balancer://b>¶BalancerMember http://h route=a retry=0¶</Proxy>
<Proxy balancer://b>¶BalancerMember http://h foo=1¶</Proxy>
ProxyPass /a http://h:8080a/
ProxyPass /a http://h:80:81/
ProxyPass /a http://h:8080,/
ProxyPass /a "http://h:8080 /"
ProxyPass /a http://h:-1/
ProxyPass /a http://h:/
ProxyPass /a http://u:p@h:80/
ProxyPass /a http://
ProxyPass /a http:///x
ProxyPass /a http://:8080/
ProxyPass /a http://[::1:8080/
ProxyPass /a http://[::1]:80a/
ProxyPass /a http://[::1]80/
ProxyPass /a http://h[x/
ProxyPass /a http://h[x:80a/
ProxyPass /a http://h[x]:80/
ProxyRemoteMatch a( http://h:80x
ProxyRemoteMatch a( http://h:80
ProxyPass /a http//h:8080/
ProxyPass /a unix:/s
ProxyPass /a unix:/s|fcgi://h:a/
ProxyPass /a unix:/s|http:
ProxyPass /a unix:/s|http:///
ProxyPass /a balancer://b:a/
ProxyPass /a fcgi://127.0.0.1:9000var/www/
ProxyPass /a fcgi://127.0.0.1:9000/var/www/
ProxyPassMatch ^/(.*)$ http://h:80a/$1
ProxyPassMatch ^/(.*)$ http://h:8080$1
ProxyPassMatch ^/(.*)$ http://$1/
ProxyPassMatch ^/(.*)$ http://h:80a$1/
ProxyPass /a http://h:8080$1/
<Location /a>¶ProxyPass http://x:80a/¶</Location>
<Location /a>¶ProxyPass unix:/s¶</Location>
<Proxy balancer://b>¶BalancerMember http://x:80a¶</Proxy>
<Proxy balancer://b>¶BalancerMember http://x:80¶</Proxy>
<Proxy balancer://b>¶BalancerMember unix:/s¶</Proxy>
<Proxy balancer://b>¶BalancerMember http://:80¶</Proxy>
<Proxy>¶BalancerMember http://x¶</Proxy>
ProxyPass /a http://a[b/
ProxyPass /a http://a[b:x/
ProxyPass /a http://a]b:80/
ProxyPass /a http://[::1/
ProxyPass /a http://u@[::1/
ProxyPass /a http://[]/
ProxyPass /a http://[]:80/
ProxyPass /a http://[::1]:80/
ProxyPass /a http://[::1]:x/
ProxyPass /a http://[::1]x:y/
ProxyPass /a http://h?x:y`,
  "words that exclude each other, on one or several lines of a section": `
HttpProtocolOptions Strict Unsafe
HttpProtocolOptions Strict Strict Require1.0 LenientMethods
HttpProtocolOptions strict¶HttpProtocolOptions Require1.0¶HttpProtocolOptions UNSAFE
HttpProtocolOptions Allow0.9¶<VirtualHost *>¶HttpProtocolOptions Require1.0¶</VirtualHost>
HttpProtocolOptions RegisteredMethods Allow0.9 LenientMethods
HttpProtocolOptions Require1.0 Allow0.9
ForceLanguagePriority None Prefer
ForceLanguagePriority Prefer Fallback¶ForceLanguagePriority None
ForceLanguagePriority None¶ForceLanguagePriority none
ForceLanguagePriority None¶<Directory /a>¶ForceLanguagePriority Fallback¶</Directory>
ForceLanguagePriority None¶<IfModule mod_env.c>¶ForceLanguagePriority Fallback¶</IfModule>
MultiviewsMatch Handlers Filters
MultiviewsMatch Any¶MultiviewsMatch NegotiatedOnly
MultiviewsMatch Filters¶MultiviewsMatch ANY
MultiviewsMatch NegotiatedOnly Handlers
MultiviewsMatch Any Any Filters
MultiviewsMatch Any¶<Directory /a>¶MultiviewsMatch Filters¶</Directory>
<Directory /a>¶MultiviewsMatch Any¶</Directory>¶<Directory /a>¶MultiviewsMatch Handlers¶</Directory>
<Directory /a>¶MultiviewsMatch Any¶MultiviewsMatch Handlers¶</Directory>
MultiviewsMatch Foo Any¶MultiviewsMatch Filters`,
  "log formats, and removed directives": String.raw`
LogFormat "%Z %h" x
LogFormat "%{a}Q" x
LogFormat "%y" x
LogFormat "%h %^XX" x
LogFormat "%^" x
LogFormat "%^t" x
LogFormat "%h %{x}^to %^ti %^FB %I %S %c %{X}x %%Z" x
LogFormat "%!200,304{Referer}i %<s %>s %400,501{User-agent}i"
CustomLog /dev/null "%h %J"
CustomLog /dev/null common
FancyIndexing On
SSLLog x
SSLLogLevel info
MaxClients 50
DefaultType text/plain
NameVirtualHost *:80
LogFormat "%{Xyz}i" x
LogFormat "%^ ab" x
LogFormat "%{a}{bcd}i" x
LogFormat "%" x
Port`,
  Mutex: String.raw`
Mutex default
Mutex Default
Mutex foo
Mutex
Mutex none
Mutex yes
Mutex none proxy
Mutex none nope
Mutex OmitPID
Mutex pthread default
Mutex sem nope
Mutex sem rewrite-map ssl-cache
Mutex default ssl-cache foo
Mutex default foo ldap-cache
Mutex default SSL-cache
Mutex default ldap-cache
Mutex default watchdog-callback OmitPID
Mutex file:/ default
Mutex posixsem # comment
Mutex default foo ssl-cache
Mutex no
Mutex ""
Mutex default ssl-cach`,
  RequestReadTimeout: String.raw`
RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500
RequestReadTimeout foo=1
RequestReadTimeout header=x
RequestReadTimeout header=40-20
RequestReadTimeout header=40-20,MinRate=500
RequestReadTimeout header=20-0,MinRate=500
RequestReadTimeout header=20-40,minrate=500
RequestReadTimeout header=20-40, MinRate=500
RequestReadTimeout header
RequestReadTimeout header=
RequestReadTimeout header=20,MinRate=0
RequestReadTimeout header=20,foo=1
RequestReadTimeout header=20,MinRate=abc
RequestReadTimeout header=20,MinRate=-5
RequestReadTimeout handshake=5 header=20s
RequestReadTimeout header=20-
RequestReadTimeout header=20-x,MinRate=5
RequestReadTimeout header=20-30-40,MinRate=5
RequestReadTimeout header=-1
RequestReadTimeout HEADER=20 header=30
RequestReadTimeout header=20 # comment
RequestReadTimeout
RequestReadTimeout "header=20 s"
RequestReadTimeout "header= 20"
RequestReadTimeout header=+20
RequestReadTimeout header=-0
RequestReadTimeout header=20-20,MinRate=1
RequestReadTimeout header=20-21,MinRate=1`,
  "addresses of proxies": String.raw`
RemoteIPTrustedProxy 10.0.0.1 # x
RemoteIPTrustedProxy 10.0.0.0/8 10 ::1 localhost
RemoteIPTrustedProxy 10.0.0.1/33
RemoteIPTrustedProxy 10.0.0.1,10.0.0.2
RemoteIPTrustedProxy localhost/8
RemoteIPInternalProxy #x
RemoteIPInternalProxy 10.0.0.0/0
RemoteIPInternalProxy 10.0.0.1:80
RemoteIPInternalProxy "10.0.0.1 10.0.0.2"
RemoteIPProxyProtocolExceptions foo
RemoteIPProxyProtocolExceptions foo/8
RemoteIPProxyProtocolExceptions 10.0.0.1 # x
RemoteIPProxyProtocolExceptions 10.0.0.1/33
RemoteIPProxyProtocolExceptions 10.0.0.0/8 ::1`,
  RewriteMap: String.raw`
RewriteMap a int:nope
RewriteMap a int:toupper
RewriteMap a INT:unescape
RewriteMap a int:Tolower
RewriteMap a int:
RewriteMap a dbd:x
RewriteMap a fastdbd:x
RewriteMap a dbm
RewriteMap a dbmx:/y
RewriteMap a dbm=sdbm
RewriteMap a
RewriteMap a int:tolowe`,
  BalancerMember: String.raw`
BalancerMember
BalancerMember http://a
BalancerMember a=b
BalancerMember balancer://x
BalancerMember balancer://x http://a
BalancerMember http://a http://b
BalancerMember foo http://b
BalancerMember balancer:/x http://a
BalancerMember balancer://x http://a http://b
<VirtualHost *:80>¶BalancerMember http://a route=1¶</VirtualHost>
<Proxy balancer://x>¶BalancerMember¶</Proxy>
<Proxy balancer://x>¶BalancerMember http://a route=1¶</Proxy>
<Proxy "balancer://x">¶BalancerMember "http://a"¶</Proxy>
<Proxy balancer://x>¶BalancerMember lbset=1¶</Proxy>
<Proxy balancer://x>¶BalancerMember http://a http://b¶</Proxy>
<Proxy balancer://x>¶BalancerMember http://a # c¶</Proxy>
<Proxy *>¶BalancerMember http://a¶</Proxy>
<Location /A>¶BalancerMember http://a¶</Location>`,
  "character sets": String.raw`
CharsetOptions foo
CharsetOptions ImplicitAdd NoTranslateAllMimeTypes
CharsetOptions +ImplicitAdd
CharsetOptions DebugLevel=3
CharsetOptions implicitadd # c
<Directory /a>¶CharsetOptions NoFoo¶</Directory>
<Directory /a>¶ExtFilterOptions DebugLevel=1 LogStderr¶</Directory>
<Directory /a>¶ExtFilterOptions nologstderr LogStderr¶</Directory>
Mutex pthread mpm-accept`,
  "methods of sections": String.raw`
<Directory /a>¶<Limit TRACE>¶</Limit>¶</Directory>
<Directory /a>¶<LimitExcept TRACE>¶</LimitExcept>¶</Directory>
<Directory /a>¶<Limit trace>¶</Limit>¶</Directory>
<Directory /a>¶<Limit GET>¶<Limit POST>¶</Limit>¶</Limit>¶</Directory>
<Directory /a>¶<Limit GET POST>¶<Limit POST>¶</Limit>¶</Limit>¶</Directory>
<Directory /a>¶<Limit GET>¶<Limit GET>¶</Limit>¶</Limit>¶</Directory>
<Directory /a>¶<Limit GET>¶<LimitExcept GET>¶</LimitExcept>¶</Limit>¶</Directory>
<Directory /a>¶<Limit GET>¶<LimitExcept POST>¶</LimitExcept>¶</Limit>¶</Directory>
<Directory /a>¶<LimitExcept GET>¶<Limit GET>¶</Limit>¶</LimitExcept>¶</Directory>
<Directory /a>¶<LimitExcept GET>¶<Limit POST>¶</Limit>¶</LimitExcept>¶</Directory>
<Directory /a>¶<LimitExcept GET>¶<LimitExcept POST>¶</LimitExcept>¶</LimitExcept>¶</Directory>
<Directory /a>¶<LimitExcept GET>¶<LimitExcept GET>¶</LimitExcept>¶</LimitExcept>¶</Directory>
<Directory /a>¶<Limit GET>¶<Limit HEAD>¶</Limit>¶</Limit>¶</Directory>`,
  "access control": String.raw`
<Directory /a>¶Order allow,deny¶</Directory>
<Directory /a>¶Order ALLOW,Deny¶</Directory>
<Directory /a>¶Order mutual-failure¶</Directory>
<Directory /a>¶Order allow, deny¶</Directory>
<Directory /a>¶Order "allow, deny"¶</Directory>
<Directory /a>¶Order¶</Directory>
<Directory /a>¶Allow¶</Directory>
<Directory /a>¶Allow all¶</Directory>
<Directory /a>¶Allow to all¶</Directory>
<Directory /a>¶Allow FROM All¶</Directory>
<Directory /a>¶Allow from "" 10.1.2.3.4¶</Directory>
<Directory /a>¶Allow of "" 10.1.2.3.4¶</Directory>
<Directory /a>¶Allow from env=x ENV=y¶</Directory>
<Directory /a>¶Allow from example.org 10.1 10.1.¶</Directory>
<Directory /a>¶Allow from example.org/8¶</Directory>
<Directory /a>¶Allow from 10.1/8¶</Directory>
<Directory /a>¶Allow from 10.1.2.3/33¶</Directory>
<Directory /a>¶Allow from 10.1.2.3/32¶</Directory>
<Directory /a>¶Allow from ::1/128¶</Directory>
<Directory /a>¶Allow from ::1/129¶</Directory>
<Directory /a>¶Allow from 256.1.2.3¶</Directory>
<Directory /a>¶Allow from 255.1.2.3¶</Directory>
<Directory /a>¶Allow from 10.1.2.3.4/8¶</Directory>
<Directory /a>¶Allow from 10.0.0.1,10.0.0.2¶</Directory>
<Directory /a>¶Allow from 10.0.0.1;10.0.0.2¶</Directory>
<Directory /a>¶Allow from ::ffff:192.0.2.1¶</Directory>
<Directory /a>¶Allow from 2001:db8::g¶</Directory>
<Directory /a>¶Deny from x#y¶</Directory>
<Directory /a>¶Require expr¶</Directory>
<Directory /a>¶Require all granted x¶</Directory>
<Directory /a>¶Require all Denied¶</Directory>
<Directory /a>¶Require all denied #¶</Directory>
<Directory /a>¶Require all¶</Directory>
<Directory /a>¶Require ip env=x¶</Directory>
<Directory /a>¶Require ip all¶</Directory>
<Directory /a>¶Require ip 10.1.2.*¶</Directory>
<Directory /a>¶Require ip 10.0.0.1-10.0.0.9¶</Directory>
<Directory /a>¶Require ip 10.0.0.1,10.0.0.2¶</Directory>
<Directory /a>¶Require ip a_b¶</Directory>
<Directory /a>¶Require ip 10.1/8¶</Directory>
<Directory /a>¶Require method GET,POST¶</Directory>
<Directory /a>¶Require method GET PURGE¶</Directory>
<Directory /a>¶Require method¶</Directory>
<Directory /a>¶Require ssl¶</Directory>
<Directory /a>¶Require ssl on¶</Directory>
<Directory /a>¶Require ssl-verify-client¶</Directory>
<Directory /a>¶Require ssl-verify-client x¶</Directory>
<Directory /a>¶Require not¶</Directory>
<Directory /a>¶<RequireNone>¶Require not ip 10¶</RequireNone>¶</Directory>
<Directory /a>¶<RequireAny>¶Require not ip 10¶</RequireAny>¶</Directory>
<Directory /a>¶<RequireAny>¶<RequireNone>¶Require ip 10¶</RequireNone>¶</RequireAny>¶</Directory>
<Directory /a>¶<RequireAll>¶</RequireAll>¶</Directory>
<Directory /a>¶<RequireAll>¶Require all granted¶<RequireAll>¶<RequireNone>¶Require ip 10¶</RequireNone>¶</RequireAll>¶</RequireAll>¶</Directory>
<Directory /a>¶<RequireAll>¶<RequireAny>¶<RequireAll>¶Require not ip 10¶</RequireAll>¶</RequireAny>¶</RequireAll>¶</Directory>
<AuthzProviderAlias ip a 10.1.2.3.4>¶</AuthzProviderAlias>
<AuthzProviderAlias ip a "10.1.2.3.4">¶</AuthzProviderAlias>
<AuthzProviderAlias ip a 10.1 10.1.2.3.4>¶</AuthzProviderAlias>
<AuthzProviderAlias ip a>¶</AuthzProviderAlias>
<AuthzProviderAlias ip>¶</AuthzProviderAlias>
<AuthzProviderAlias nope a>¶</AuthzProviderAlias>`,
  "messages for the log": `
LogMessage x
LogMessage x hook=all
LogMessage x hook=FIXUPS
LogMessage x hook=fixup
LogMessage x hook=
LogMessage x HOOK=handler expr=true
LogMessage x foo
LogMessage x foo=1
LogMessage x "expr=%{REQUEST_URI} =~ /a(/"
LogMessage x hook=log_transaction # c`,
};

const inSections = new Set([
  "AuthBasicUseDigestAlgorithm",
  "LDAPReferrals",
  "AuthDigestAlgorithm",
  "AuthMerging",
  "ExtFilterOptions",
  "Satisfy",
]);
const suffixes: Readonly<Record<string, string>> = { IndexOrderDefault: " Name", SSLRandomSeed: " builtin" };

/** Returns lines for a directive with a fixed set of values: each word, one that it lacks, and the limits of its range. */
export function linesOfValues(name: string): readonly string[] {
  const rows = [allowedValues[name] ?? []].flat();
  return rows.flatMap(({ words = [], range, of }) => {
    const numbers = range && [range.min - 1, range.min, ...(range.max === undefined ? [] : [range.max, range.max + 1])];
    const before = typeof of !== "number" ? "" : of === 1 ? `${rows[0]?.words?.[0] ?? "/x"} ` : "/x /y ";
    return [...words, "nonsense", "-1", "0", ...(numbers ?? [])].map((word) => {
      const line = `${name} ${before}${word}${before === "" ? (suffixes[name] ?? "") : ""}`;
      return inSections.has(name) ? inDirectory(line) : line;
    });
  });
}

/** The names of the directives with a fixed set of values. */
export const namesWithValues: readonly string[] = Object.keys(allowedValues);
