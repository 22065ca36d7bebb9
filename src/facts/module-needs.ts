/** A module that another one needs. */
interface ModuleNeed {
  readonly module: string;
  /** Whether it must be loaded before: the other one uses its functions. */
  readonly isBefore?: true;
}

const before = (module: string): ModuleNeed => ({ module, isBefore: true });
const proxy = [before("proxy_module")];
const session = [before("session_module")];
const cache = [before("cache_module")];
const dav = [before("dav_module")];

/** Modules without which 2.4 does not start, by identifier: a running 2.4.71 was started with each module alone. */
const needs: Readonly<Record<string, readonly ModuleNeed[]>> = {
  auth_form_module: [{ module: "session_module" }, { module: "request_module" }],
  authnz_ldap_module: [{ module: "ldap_module" }],
  cache_disk_module: cache,
  cache_socache_module: cache,
  dav_fs_module: dav,
  dav_lock_module: dav,
  heartmonitor_module: [{ module: "slotmem_shm_module" }],
  lbmethod_bybusyness_module: [{ module: "proxy_module" }],
  lbmethod_byrequests_module: [{ module: "proxy_module" }],
  lbmethod_bytraffic_module: [{ module: "proxy_module" }],
  proxy_ajp_module: proxy,
  proxy_balancer_module: [...proxy, { module: "slotmem_shm_module" }],
  proxy_connect_module: proxy,
  proxy_express_module: proxy,
  proxy_fcgi_module: proxy,
  proxy_fdpass_module: proxy,
  proxy_ftp_module: proxy,
  proxy_hcheck_module: proxy,
  proxy_http_module: proxy,
  proxy_http2_module: proxy,
  proxy_scgi_module: proxy,
  proxy_uwsgi_module: proxy,
  proxy_wstunnel_module: proxy,
  session_cookie_module: session,
  session_crypto_module: session,
  session_dbd_module: session,
};

/** A module that another one lacks. */
export interface UnmetNeed {
  /** The position of the other one among the loaded modules. */
  readonly at: number;
  /** The identifier of the missing module. */
  readonly missing: string;
  /** The position of the missing one, if it is loaded too late. */
  readonly loadedAt: number | undefined;
  /** Whether the server stops while it reads the configuration: the other one uses functions of the missing one. */
  readonly isForFunctions: boolean;
}

/**
 * Returns what the loaded modules of a server of 2.4 lack, so that it does not start.
 *
 * @param loaded identifiers in the order of loading
 * @param isBuiltIn whether a module is part of the server itself
 */
export function findUnmetNeeds(
  loaded: readonly string[],
  isBuiltIn: (module: string) => boolean,
): readonly UnmetNeed[] {
  return loaded.flatMap((module, at) => {
    const own = Object.hasOwn(needs, module) ? (needs[module] ?? []) : [];
    return own.flatMap(({ module: missing, isBefore = false }) => {
      const position = loaded.indexOf(missing);
      if (position < 0 ? isBuiltIn(missing) : !isBefore || position < at) return [];
      return [{ at, missing, loadedAt: position < 0 ? undefined : position, isForFunctions: isBefore }];
    });
  });
}
