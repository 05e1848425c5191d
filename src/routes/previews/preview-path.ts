import type { Context, Handler } from "hono";
import * as containers from "#src/domain/workspaces/containers/index.ts";
import { openPreview, type Visitor } from "#src/domain/workspaces/previews/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { AppEnv } from "#src/http/context.ts";
import { notice } from "./page.ts";
import { servePreview } from "./serve-preview.ts";
import { callerOfHeader, personOfCookie } from "./visitor.ts";

/**
 * The page may run scripts and submit forms, but has an opaque origin, so it shares nothing with the service's origin.
 */
const SANDBOX = "sandbox allow-scripts allow-forms";

const ADDRESS = /^\/preview\/(?<slug>[^/]+)\/(?<label>[^/]+)(?<rest>\/.*)?$/u;
const WITH_TOKEN = /^\/~(?<token>[^/]+)(?<path>\/.*)?$/u;

/**
 * A preview on the service's own host, at `/preview/<slug>/<label>/`, for installations without wildcard names. A page
 * with an opaque origin sends no cookies, so a person who may see a private preview is redirected to an address that
 * contains a token.
 */
export const previewPath: Handler<AppEnv> = async (c) => {
  if (!containers.hasPreviewPaths(c.env)) return sandboxed(elsewhere(c.req.raw));
  const { slug = "", label = "", rest } = ADDRESS.exec(new URL(c.req.url).pathname)?.groups ?? {};
  if (rest === undefined) return sandboxed(redirect(containers.previewPath(slug, label)));
  return sandboxed(await atPath(c, { slug, label, rest }));
};

async function atPath(
  c: Context<AppEnv>,
  { slug, label, rest }: { slug: string; label: string; rest: string },
): Promise<Response> {
  const services = c.get("services");
  const request = c.req.raw;
  if (request.method === "OPTIONS") return new Response(null, { status: 204 });
  const { token, path = "/" } = WITH_TOKEN.exec(rest)?.groups ?? {};
  const caller = await callerOfHeader(services, request);
  const visit = token === undefined ? undefined : await services.previewTokens.verify("path", token);
  const visitor: Visitor = caller ? { kind: "caller", caller } : visit && { kind: "visit", visit };
  const preview = await openPreview(services, { slug, label }, visitor);
  if (!preview) return leadIn(c, { slug, label, path: token === undefined ? rest : path });
  const base = containers.previewPath(slug, label);
  return servePreview(services, preview, request, {
    base: token === undefined ? base : `${base}~${token}/`,
    path: token === undefined ? rest : path,
    cookies: false,
    stripAuthorization: caller !== undefined,
  });
}

/** Redirects to the address with a token, for a signed-in person with a role in the project. */
async function leadIn(
  c: Context<AppEnv>,
  { slug, label, path }: { slug: string; label: string; path: string },
): Promise<Response> {
  const services = c.get("services");
  const request = c.req.raw;
  const person = request.method === "GET" ? await personOfCookie(services, request) : undefined;
  if (!person) {
    return notice(request, { status: 401, title: "Sign in first", sentence: "Not authenticated" });
  }
  const { id: projectId } = await requireProject(services, person, slug, "container.view");
  const { userId, sessionId } = person;
  const token = await services.previewTokens.issue("path", { userId, sessionId, projectId });
  return redirect(`${containers.previewPath(slug, label)}~${token}${path}${new URL(request.url).search}`);
}

function elsewhere(request: Request): Response {
  const sentence = "Previews have hosts of their own here: open the container's `url`.";
  return notice(request, { status: 404, title: "Not found", sentence });
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { Location: location } });
}

/** The same response, isolated from the origin that serves it. */
function sandboxed(response: Response): Response {
  const { status, body, webSocket } = response;
  const headers = new Headers(response.headers);
  headers.append("Content-Security-Policy", SANDBOX);
  headers.set("Referrer-Policy", "no-referrer");
  headers.delete("Service-Worker-Allowed");
  // Requests of the page itself have an opaque origin. This reveals nothing, because they carry no credentials.
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Allow-Methods", "*");
  headers.set("Access-Control-Allow-Headers", "*");
  headers.delete("Access-Control-Allow-Credentials");
  if (webSocket) return new Response(null, { status, webSocket, headers });
  return new Response(body, { status, headers });
}
