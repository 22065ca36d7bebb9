/** The modules that connect to a backend, by URL scheme. */
const modulesByScheme: Readonly<Record<string, readonly string[]>> = {
  http: ["proxy_http_module"],
  https: ["proxy_http_module"],
  ws: ["proxy_http_module", "proxy_wstunnel_module"],
  wss: ["proxy_http_module", "proxy_wstunnel_module"],
  ajp: ["proxy_ajp_module"],
  fcgi: ["proxy_fcgi_module"],
  scgi: ["proxy_scgi_module"],
  uwsgi: ["proxy_uwsgi_module"],
  ftp: ["proxy_ftp_module"],
  h2: ["proxy_http2_module"],
  h2c: ["proxy_http2_module"],
  balancer: ["proxy_balancer_module"],
  unix: ["proxy_module"],
};

/**
 * Returns the modules that connect to a backend, of which one is enough, by identifier; undefined for an unknown scheme.
 *
 * @param scheme in lower case
 */
export function findBackendModules(scheme: string): readonly string[] | undefined {
  return Object.hasOwn(modulesByScheme, scheme) ? modulesByScheme[scheme] : undefined;
}
