import type http from "node:http";
import { pipeline } from "node:stream/promises";
import { BINARY, contentTypeOf } from "#src/lib/content-types.ts";
import { subdomainOf } from "./cloudflare/account.ts";
import type { HostingParts } from "./parts.ts";
import type { DeployedFile, Deployment, Site } from "./records.ts";

const SUFFIX = ".localhost";
const PATH_PREFIX = "/_sites/";

/** Where a site is shown below the stand-in's own address, it must not act as the stand-in's page. */
const SANDBOX = "sandbox allow-scripts";

/** What people see at an address. */
interface Shown {
  site: Site;
  deployment: Deployment;
}

/** Whether a host name may be that of a site: names below `localhost` lead to this machine alone. */
export function isSiteName(hostname: string): boolean {
  return hostname.endsWith(SUFFIX);
}

/** Serves the host name of a site; returns false for the stand-in's own. */
export async function serveHost(
  parts: HostingParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  const hostname = URL.parse(`http://${request.headers.host ?? ""}`)?.hostname ?? "";
  if (!isSiteName(hostname)) return false;
  const shown = at(parts, hostname.slice(0, -SUFFIX.length));
  await serve(parts, request, response, { shown, path: url.pathname, base: "", headers: {} });
  return true;
}

/** Serves a site below `/_sites/`, sandboxed; returns false for other addresses. */
export async function servePath(
  parts: HostingParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  if (!url.pathname.startsWith(PATH_PREFIX)) return false;
  const [, label = "", path = ""] = /^\/_sites\/([^/]+)(\/.*)?$/u.exec(url.pathname) ?? [];
  const base = `${PATH_PREFIX}${label}`;
  if (path === "" && label !== "") {
    response.writeHead(308, { location: `${base}/` }).end();
    return true;
  }
  // Its pages have an origin of their own, from which module scripts are read across origins.
  const headers = { "content-security-policy": SANDBOX, "access-control-allow-origin": "*" };
  await serve(parts, request, response, { shown: at(parts, label), path, base, headers });
  return true;
}

/** Finds what is shown at a host label: a site's live deployment, a deployment's own address, or a Worker's. */
function at({ store, clock }: HostingParts, label: string): Shown | undefined {
  const own = store.deploymentAt(label);
  if (own) {
    const site = store.sites().find(({ id }) => id === own.site);
    return site && store.phase(own, clock()) === "ready" ? { site, deployment: own } : undefined;
  }
  const [, script, subdomain] = /^([^.]+)\.([^.]+)$/u.exec(label) ?? [];
  const site =
    script === undefined
      ? store.siteAt(label)
      : store
          .sites("cloudflare")
          .find(({ name, account }) => name === script && subdomainOf(account) === subdomain);
  const deployment = site?.live === undefined ? undefined : store.deployment(site.live);
  // A Worker is at workers.dev once that is switched on.
  const isHidden = site?.provider === "cloudflare" && site.details["enabled"] !== true;
  return site && deployment && !isHidden ? { site, deployment } : undefined;
}

async function serve(
  parts: HostingParts,
  { method = "GET", headers: sent }: http.IncomingMessage,
  response: http.ServerResponse,
  {
    shown,
    path,
    base,
    headers,
  }: { shown: Shown | undefined; path: string; base: string; headers: Readonly<Record<string, string>> },
): Promise<void> {
  if (!shown) {
    sendText(response, 404, "There is no such site", headers);
    return;
  }
  if (method !== "GET" && method !== "HEAD") {
    sendText(response, 405, "The stand-in serves files only", { ...headers, allow: "GET, HEAD" });
    return;
  }
  const found = find(parts, shown, path);
  if (found === undefined) {
    sendText(response, 404, "Not found", headers);
    return;
  }
  if ("redirect" in found) {
    response.writeHead(308, { ...headers, location: `${base}${found.redirect}` }).end();
    return;
  }
  const { file, status } = found;
  const etag = `"${file.blob.slice(0, 32)}"`;
  const fields = {
    "content-type": file.type ?? contentTypeOf(file.path) ?? BINARY,
    "cache-control": "public, max-age=0, must-revalidate",
    "x-content-type-options": "nosniff",
    etag,
    ...headers,
  };
  if (status === 200 && sent["if-none-match"] === etag) {
    response.writeHead(304, fields).end();
    return;
  }
  response.writeHead(status, { ...fields, "content-length": file.size });
  if (method === "HEAD") response.end();
  else await pipeline(parts.files.stream(file.blob), response);
}

function find(
  { store }: HostingParts,
  { site, deployment }: Shown,
  pathname: string,
): { file: DeployedFile; status: number } | { redirect: string } | undefined {
  const path = decoded(pathname).replace(/^\/+/u, "");
  const get = (each: string) =>
    store.file(deployment.id, deployment.root === "" ? each : `${deployment.root}/${each}`);
  const isFolder = path === "" || path.endsWith("/");
  const file = isFolder ? get(`${path}index.html`) : (get(path) ?? get(`${path}.html`));
  if (file) return { file, status: 200 };
  if (!isFolder && get(`${path}/index.html`)) return { redirect: `/${path}/` };
  const fallback = site.details["notFound"] === "single-page-application" ? get("index.html") : undefined;
  if (fallback) return { file: fallback, status: 200 };
  const missing = get("404.html");
  return missing && { file: missing, status: 404 };
}

function sendText(
  response: http.ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  response
    .writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      ...headers,
    })
    .end(`${text}\n`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
