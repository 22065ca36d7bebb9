/** A server for Windows as a distribution lays it out, in a folder of this machine. */
export interface WindowsLayout {
  readonly name: string;
  /** The path of the folder on the server. */
  readonly drive: string;
  /** The main file, relative to the folder. */
  readonly main: string;
  /** Its files, relative to the folder. */
  readonly files: Readonly<Record<string, string>>;
}

const usual = [
  ...[
    "access_compat",
    "alias",
    "allowmethods",
    "auth_basic",
    "authn_core",
    "authn_file",
    "authz_core",
    "authz_groupfile",
  ],
  ...["authz_host", "authz_user", "autoindex", "cgi", "dir", "env", "log_config", "mime", "negotiation", "setenvif"],
];

const load = (...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");

/** The sections that the main files of all of them have. */
const guardedLines = `<IfModule unixd_module>
    User daemon
    Group daemon
</IfModule>
<IfModule dir_module>
    DirectoryIndex index.php index.html
</IfModule>
<Files ".ht*">
    Require all denied
</Files>
<IfModule log_config_module>
    LogFormat "%h %l %u %t \\"%r\\" %>s %b" common
    <IfModule logio_module>
        LogFormat "%h %t \\"%r\\" %>s %b %I %O" combinedio
    </IfModule>
    CustomLog "logs/access.log" common
</IfModule>
<IfModule cgid_module>
    #Scriptsock cgisock
</IfModule>
<IfModule mime_module>
    TypesConfig conf/mime.types
    AddType application/x-gzip .gz .tgz
</IfModule>
<IfModule proxy_html_module>
    Include conf/extra/proxy-html.conf
</IfModule>
<IfModule ssl_module>
    SSLRandomSeed startup builtin
    SSLRandomSeed connect builtin
</IfModule>
`;

const closedRoot = `<Directory />
    AllowOverride none
    Require all denied
</Directory>
`;

const proxyHtml = "ProxyHTMLLinks a href\nProxyHTMLLinks img src longdesc usemap\nProxyHTMLEvents onclick onload\n";

const workers = `<IfModule mpm_winnt_module>
    ThreadsPerChild 150
    MaxConnectionsPerChild 0
</IfModule>
<IfModule !mpm_netware_module>
    PidFile "logs/httpd.pid"
</IfModule>
`;

const openFolder = (path: string) => `<Directory "${path}">
    Options FollowSymLinks
    AllowOverride None
    Require all granted
</Directory>
`;

/** Handlers of PHP for names that end in its extension. */
const php = '<FilesMatch "\\.php$">\n    SetHandler application/x-httpd-php\n</FilesMatch>\n';

const xampp: WindowsLayout = {
  name: "XAMPP",
  drive: "C:/xampp",
  main: "apache/conf/httpd.conf",
  files: {
    "apache/conf/httpd.conf": `Define SRVROOT "C:/xampp/apache"
ServerRoot "C:/xampp/apache"
Listen 80
${load(...usual, "headers", "proxy", "proxy_ajp", "rewrite", "socache_shmcb", "ssl", "status")}ServerName localhost:80
${closedRoot}DocumentRoot "C:/xampp/htdocs"
${openFolder("c:/XAMPP/htdocs")}ErrorLog "logs/error.log"
${guardedLines}<IfModule alias_module>
    ScriptAlias /cgi-bin/ "C:/xampp/cgi-bin/"
</IfModule>
${openFolder("C:\\\\xampp\\\\cgi-bin").replace("FollowSymLinks", "None")}Include conf/extra/httpd-mpm.conf
Include "conf/extra/httpd-xampp.conf"
Include "conf\\\\extra\\\\HTTPD-Vhosts.conf"
<IfModule proxy_module>
    <IfModule proxy_ajp_module>
        Include "conf/extra/httpd-ajp.conf"
    </IfModule>
</IfModule>
AcceptFilter http none
`,
    "apache/conf/extra/httpd-mpm.conf": workers,
    "apache/conf/extra/proxy-html.conf": proxyHtml,
    "apache/conf/extra/httpd-xampp.conf": `<IfModule env_module>
    SetEnv MIBDIRS "C:/xampp/php/extras/mibs"
    SetEnv PHPRC "\\\\xampp\\\\php"
</IfModule>
LoadFile "C:/xampp/php/php8ts.dll"
LoadModule php_module "C:/xampp/php/php8apache2_4.dll"
${php}<IfModule alias_module>
    Alias /phpmyadmin "C:/xampp/phpMyAdmin/"
    <Directory "c:/xampp/PHPMYADMIN">
        AllowOverride AuthConfig
        Require local
        ErrorDocument 403 /forbidden.html
    </Directory>
</IfModule>
`,
    "apache/conf/extra/httpd-vhosts.conf": `<VirtualHost *:80>
    ServerName shop.localhost
    DocumentRoot "C:/xampp/htdocs/shop"
    ErrorLog "logs/shop-error.log"
    <IfModule rewrite_module>
        RewriteEngine On
        RewriteRule ^/old$ /new
    </IfModule>
</VirtualHost>
`,
    "apache/conf/extra/httpd-ajp.conf": `<IfFile "C:/xampp/tomcat/conf/server.xml">
    ProxyPass /examples ajp://127.0.0.1:8009/examples
</IfFile>
`,
    "htdocs/index.php": "<?php\n",
    "htdocs/forbidden.html": "<p>Only from this machine</p>\n",
    "htdocs/shop/forbidden.html": "<p>Only from this machine</p>\n",
    "htdocs/shop/index.php": "<?php\n",
  },
};

const wampServer: WindowsLayout = {
  name: "WampServer",
  drive: "c:/wamp64",
  main: "bin/apache/apache2.4.54.2/conf/httpd.conf",
  files: {
    "bin/apache/apache2.4.54.2/conf/httpd.conf": `Define APACHE24 Apache2.4
Define VERSION_APACHE 2.4.54.2
Define INSTALL_DIR c:/wamp64
Define APACHE_DIR \${INSTALL_DIR}/bin/apache/apache\${VERSION_APACHE}
Define SRVROOT \${INSTALL_DIR}/bin/apache/apache\${VERSION_APACHE}
ServerRoot "\${SRVROOT}"
Listen 0.0.0.0:80
${load(...usual)}ServerName localhost:80
${closedRoot}DocumentRoot "\${INSTALL_DIR}/www"
<Directory "\${INSTALL_DIR}/www/">
    Options +FollowSymLinks
    AllowOverride None
    Require local
</Directory>
ErrorLog "\${INSTALL_DIR}/logs/apache_error.log"
${guardedLines.replace('"logs/access.log"', '"${INSTALL_DIR}/logs/access.log"')}Include conf/extra/httpd-vhosts.conf
Include "\${INSTALL_DIR}/alias/*"
`,
    "bin/apache/apache2.4.54.2/conf/extra/proxy-html.conf": proxyHtml,
    "bin/apache/apache2.4.54.2/conf/extra/httpd-vhosts.conf": `<VirtualHost *:80>
    ServerName localhost
    DocumentRoot "\${INSTALL_DIR}/www"
    <Directory "\${INSTALL_DIR}/WWW/">
        Options +FollowSymLinks
        AllowOverride None
        Require local
    </Directory>
</VirtualHost>
`,
    "alias/adminer.conf": `Alias /adminer "\${INSTALL_DIR}/apps/adminer4.8.1/"
<Directory "\${INSTALL_DIR}/apps/adminer4.8.1/">
    Options +FollowSymLinks
    <IfDefine APACHE24>
        Require local
    </IfDefine>
    <IfDefine !APACHE24>
        Order Deny,Allow
        Deny from all
        Allow from localhost ::1 127.0.0.1
    </IfDefine>
</Directory>
`,
    "www/index.php": "<?php\n",
  },
};

const laragon: WindowsLayout = {
  name: "Laragon",
  drive: "D:/laragon",
  main: "bin/apache/httpd-2.4.54-win64-VS16/conf/httpd.conf",
  files: {
    "bin/apache/httpd-2.4.54-win64-VS16/conf/httpd.conf": `Define SRVROOT "D:/laragon/bin/apache/httpd-2.4.54-win64-VS16"
ServerRoot "\${SRVROOT}"
Listen 80
${load(...usual, "headers", "rewrite", "socache_shmcb", "ssl", "vhost_alias")}ServerName localhost
${closedRoot}DocumentRoot "D:/laragon/www"
<Directory "D:/laragon/www">
    Options FollowSymLinks
    AllowOverride None
    Require local
</Directory>
ErrorLog "logs/error.log"
${guardedLines}IncludeOptional "D:/laragon/etc/apache2/alias/*.conf"
IncludeOptional "D:/laragon/etc/apache2/sites-enabled/*.conf"
Include "D:/laragon/etc/apache2/mod_php.conf"
`,
    "bin/apache/httpd-2.4.54-win64-VS16/conf/extra/proxy-html.conf": proxyHtml,
    "etc/apache2/alias/redis.conf": `Alias /redis "D:/laragon/etc/apps/redis/"
<Directory "D:/laragon/etc/apps/redis/">
    AllowOverride None
    Require local
</Directory>
`,
    "etc/apache2/mod_php.conf": `LoadModule php_module "D:/laragon/bin/php/php-8.1.10-Win32-vs16-x64/php8apache2_4.dll"
PHPIniDir "D:/laragon/bin/php/php-8.1.10-Win32-vs16-x64"
<IfModule mime_module>
    <FilesMatch "\\.php$">
        SetHandler application/x-httpd-php
    </FilesMatch>
</IfModule>
`,
    "etc/apache2/sites-enabled/auto.shop.test.conf": `Define ROOT "D:/laragon/www/shop/"
Define SITE "shop.test"
<VirtualHost *:80>
    DocumentRoot "\${ROOT}"
    ServerName \${SITE}
    ServerAlias *.\${SITE}
    <Directory "\${ROOT}">
        AllowOverride None
        Require all granted
    </Directory>
    <IfModule headers_module>
        Header set X-Frame-Options SAMEORIGIN
    </IfModule>
</VirtualHost>
`,
    "www/shop/index.php": "<?php\n",
  },
};

const bitnami: WindowsLayout = {
  name: "Bitnami",
  drive: "D:/Bitnami/wampstack-8.1.2-0",
  main: "apache2/conf/httpd.conf",
  files: {
    "apache2/conf/httpd.conf": `ServerRoot "D:/Bitnami/wampstack-8.1.2-0/apache2"
Listen 80
${load(...usual, "filter", "headers", "proxy", "proxy_fcgi", "socache_shmcb", "ssl", "version")}ServerName localhost:80
${closedRoot}DocumentRoot "D:/Bitnami/wampstack-8.1.2-0/apache2/htdocs"
${openFolder("D:\\\\Bitnami\\\\wampstack-8.1.2-0/apache2/htdocs")}ErrorLog "logs/error.log"
${guardedLines}Include "conf/extra/httpd-default.conf"
Include "D:/Bitnami/wampstack-8.1.2-0/apache2/conf/bitnami/bitnami.conf"
`,
    "apache2/conf/extra/proxy-html.conf": proxyHtml,
    "apache2/conf/extra/httpd-default.conf":
      "Timeout 60\nKeepAlive On\nUseCanonicalName Off\nAccessFileName .htaccess\n",
    "apache2/conf/bitnami/bitnami.conf": `<IfVersion < 2.3>
    NameVirtualHost *:80
</IfVersion>
<VirtualHost _default_:80>
    DocumentRoot "D:/Bitnami/wampstack-8.1.2-0/apache2/htdocs"
    <Directory "D:/Bitnami/wampstack-8.1.2-0/apache2/htdocs">
        Options FollowSymLinks
        AllowOverride None
        <IfVersion < 2.3>
            Order allow,deny
            Allow from all
        </IfVersion>
        <IfVersion >= 2.3>
            Require all granted
        </IfVersion>
    </Directory>
    ErrorDocument 503 /503.html
    Include "D:/Bitnami/wampstack-8.1.2-0/apache2/conf/bitnami/bitnami-apps-prefix.conf"
</VirtualHost>
<IfModule !ssl_module>
    LoadModule ssl_module modules/mod_ssl.so
</IfModule>
`,
    "apache2/conf/bitnami/bitnami-apps-prefix.conf":
      'Include "D:/Bitnami/wampstack-8.1.2-0/apps/shop/conf/httpd-prefix.conf"\n',
    "apps/shop/conf/httpd-prefix.conf": `Alias /shop/ "D:\\\\Bitnami\\\\wampstack-8.1.2-0\\\\apps\\\\shop\\\\htdocs/"
Alias /shop "D:/Bitnami/wampstack-8.1.2-0/apps/shop/htdocs"
Include "d:/bitnami/wampstack-8.1.2-0/Apps/shop/conf/httpd-app.conf"
`,
    "apps/shop/conf/httpd-app.conf": `<IfDefine USE_PHP_FPM>
    <Proxy "fcgi://127.0.0.1:9000" timeout=300>
    </Proxy>
</IfDefine>
<Directory "D:/Bitnami/wampstack-8.1.2-0/apps/shop/htdocs">
    AllowOverride None
    <IfVersion >= 2.3>
        Require all granted
    </IfVersion>
    <IfModule headers_module>
        Header set X-Content-Type-Options nosniff
    </IfModule>
</Directory>
`,
    "apache2/htdocs/index.html": "<p>Here</p>\n",
    "apache2/htdocs/503.html": "<p>Later</p>\n",
  },
};

const apacheLounge: WindowsLayout = {
  name: "Apache Lounge",
  drive: "C:/Apache24",
  main: "conf/httpd.conf",
  files: {
    "conf/httpd.conf": `Define SRVROOT "c:/Apache24"
ServerRoot "\${SRVROOT}"
Listen 80
${load(...usual, "socache_shmcb", "ssl")}ServerName www.example.com:80
${closedRoot}DocumentRoot "\${SRVROOT}/htdocs"
${openFolder("${SRVROOT}/htdocs")}ErrorLog "logs/error.log"
${guardedLines}<IfModule headers_module>
    RequestHeader unset Proxy early
</IfModule>
Include conf/extra/httpd-mpm.conf
Include conf/extra/httpd-ahssl.conf
`,
    "conf/extra/httpd-mpm.conf": workers,
    "conf/extra/proxy-html.conf": proxyHtml,
    "conf/extra/httpd-ahssl.conf": `Listen 443 https
SSLSessionCache "shmcb:\${SRVROOT}/logs/ssl_scache(512000)"
SSLProtocol -all +TLSv1.2 +TLSv1.3
SSLCipherSuite ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256
<VirtualHost _default_:443>
    ServerName www.example.com:443
    DocumentRoot "\${SRVROOT}/htdocs"
    SSLEngine on
    SSLCertificateFile "\${SRVROOT}/conf/ssl/server.crt"
    SSLCertificateKeyFile "\${SRVROOT}/conf/ssl/server.key"
    <IfModule headers_module>
        Header always set Strict-Transport-Security "max-age=63072000"
    </IfModule>
</VirtualHost>
`,
    "htdocs/index.html": "<p>Here</p>\n",
  },
};

/** Small servers in the layouts of the distributions for Windows, with what matters for reading them. */
export const windowsLayouts: readonly WindowsLayout[] = [xampp, wampServer, laragon, bitnami, apacheLounge];
