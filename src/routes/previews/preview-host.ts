import type { Context, MiddlewareHandler } from "hono";
import { containerUrl, parsePreviewHost } from "#src/domain/workspaces/containers/index.ts";
import {
  openPreview,
  type Preview,
  type PreviewAddress,
  type Visitor,
} from "#src/domain/workspaces/previews/index.ts";
import type { AppEnv } from "#src/http/context.ts";
import { prefersHtml } from "#src/http/prefers-html.ts";
import { newToken } from "#src/lib/random-token.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import { notice } from "./page.ts";
import { servePreview } from "./serve-preview.ts";
import { keptNonce, nonceCookie, sessionCookies, visitTokens } from "./visit-cookies.ts";
import { callerOfHeader } from "./visitor.ts";

/** The path to which the service sends a visitor back; it never reaches a program. */
const ENTRANCE_PATH = "/.workspace/enter";

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Serves all requests to `<slug>--<label>.<APP_DOMAIN>` as previews; the API is never reachable there. Other
 * subdomains, except the service's own name, are refused.
 */
export const previewHosts: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { hostname } = new URL(c.req.url);
  const address = parsePreviewHost(hostname, c.env.APP_DOMAIN);
  if (address) return atHost(c, address);
  if (hostname.endsWith(`.${c.env.APP_DOMAIN}`) && !ownHosts(c).includes(hostname)) {
    return notice(c.req.raw, {
      status: 404,
      title: "Not found",
      sentence: "There is nothing at this address.",
    });
  }
  return next();
};

function ownHosts({ env }: Context<AppEnv>): (string | undefined)[] {
  return [env.PUBLIC_URL, env.APP_BASE_URL].map((url) => url && new URL(url).hostname);
}

async function atHost(c: Context<AppEnv>, address: PreviewAddress): Promise<Response> {
  const services = c.get("services");
  const request = c.req.raw;
  const url = new URL(request.url);
  if (url.pathname === ENTRANCE_PATH) return enter(c, url);

  const caller = await callerOfHeader(services, request);
  const visitors = caller ? [{ kind: "caller", caller } as const] : await visitsOfCookies(c);
  const preview = await firstOpen(services, address, visitors);
  if (!preview) return leadIn(c, url);
  if (visitors[0]?.kind === "visit" && comesFromElsewhere(request, url, address, c.env.APP_DOMAIN)) {
    const sentence = "Requests from pages of another origin are refused.";
    return notice(request, { status: 403, title: "Refused", sentence });
  }
  return servePreview(services, preview, request, {
    base: "/",
    path: url.pathname,
    cookies: true,
    stripAuthorization: caller !== undefined,
  });
}

/** The visits that the browser's cookies prove; a browser may have one of its own and one in a frame. */
async function visitsOfCookies(c: Context<AppEnv>): Promise<Visitor[]> {
  const { previewTokens } = c.get("services");
  const visits = visitTokens(c.req.raw, c.env).map((token) => previewTokens.verify("cookie", token));
  return (await Promise.all(visits)).flatMap((visit) => (visit ? [{ kind: "visit", visit } as const] : []));
}

/** The preview, if one of these visitors may see it; without visitors, if everyone may. */
async function firstOpen(
  services: AppEnv["Variables"]["services"],
  address: PreviewAddress,
  visitors: readonly Visitor[],
): Promise<Preview | undefined> {
  const [visitor, ...others] = visitors;
  const preview = await openPreview(services, address, visitor);
  return preview || others.length === 0 ? preview : firstOpen(services, address, others);
}

/**
 * Whether a page of another origin makes a state-changing request with the visitor's cookies. The hosts of previews are
 * the same site, so browsers send cookies between them. Containers of one project may call each other.
 */
function comesFromElsewhere(
  request: Request,
  url: URL,
  { slug }: PreviewAddress,
  appDomain: string,
): boolean {
  const origin = request.headers.get("origin");
  const changes = !SAFE.has(request.method) || request.headers.get("upgrade") !== null;
  if (origin === null || origin === url.origin || !changes) return false;
  const asking = URL.parse(origin);
  return !asking || parsePreviewHost(asking.hostname, appDomain)?.slug !== slug;
}

/** Redirects a browser to the service, which knows whether the person is signed in; programs get a 401. */
function leadIn(c: Context<AppEnv>, url: URL): Response {
  const { raw: request } = c.req;
  if (request.method !== "GET" || !prefersHtml(request)) {
    const sentence = "Not authenticated";
    return notice(request, { status: 401, title: "Sign in first", sentence });
  }
  const nonce = keptNonce(request, c.env) ?? newToken().token;
  const query = new URLSearchParams({ host: url.host, path: url.pathname + url.search, nonce });
  const location = `${withoutSlash(c.env.PUBLIC_URL)}/api/previews/enter?${query.toString()}`;
  return redirect(location, [nonceCookie(request, c.env, nonce)]);
}

/** Receives the returning visitor. The token is valid only together with the nonce cookie that was set before. */
async function enter(c: Context<AppEnv>, url: URL): Promise<Response> {
  const { previewTokens } = c.get("services");
  const nonce = keptNonce(c.req.raw, c.env);
  const token = url.searchParams.get("token") ?? "";
  const visit = nonce === undefined ? undefined : await previewTokens.verify("entrance", token, nonce);
  if (!visit) {
    const sentence = "This link has already been used. Open the preview again.";
    return notice(c.req.raw, { status: 400, title: "Link already used", sentence });
  }
  const cookie = await previewTokens.issue("cookie", visit);
  const path = pathOnly(url.searchParams.get("path") ?? "/", url);
  return redirect(path, sessionCookies(c.req.raw, c.env, cookie, previewTokens.lifetime("cookie")));
}

/** Reduces any address to a path of this host. */
function pathOnly(path: string, base: URL): string {
  const target = URL.parse(path, base.origin);
  return target?.origin === base.origin && target.pathname !== ENTRANCE_PATH
    ? `/${target.pathname.replace(/^\/+/u, "")}${target.search}`
    : "/";
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({
    Location: location,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 302, headers });
}

/** Address of a preview's entrance, to which the service redirects a visitor. */
export function entranceUrl(
  config: { PUBLIC_URL: string; APP_DOMAIN: string },
  { slug, label }: PreviewAddress,
  query: { token: string; path: string },
): string {
  return `${containerUrl(config, slug, label)}${ENTRANCE_PATH}?${new URLSearchParams(query).toString()}`;
}
