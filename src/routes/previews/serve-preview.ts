import { effectivePort, isStatic } from "#src/domain/workspaces/containers/index.ts";
import { staticFile, type Preview } from "#src/domain/workspaces/previews/index.ts";
import { toProgram, toVisitor } from "#src/http/preview-headers.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { Services } from "#src/services.ts";
import { notice } from "./page.ts";

/** Where a preview appears among the service's addresses. */
interface Place {
  /** Path of the preview's root, with a slash at both ends; `/` on its own host. */
  base: string;
  /** The path to request from the program, with its leading slash. */
  path: string;
  /** Whether the program may set and read cookies here. */
  cookies: boolean;
  /** Whether `Authorization` was for the service, and is not passed on. */
  stripAuthorization: boolean;
}

/** The largest status that a Response accepts; a program can send any. */
const MAX_STATUS = 599;

/** Serves a request to a preview that its visitor may see: from the container's program, or from its files. */
export async function servePreview(
  services: Pick<Services, "workspaces" | "log">,
  { container, project }: Preview,
  request: Request,
  place: Place,
): Promise<Response> {
  if (container.deploymentMode === "external") {
    return notice(request, {
      status: 404,
      title: "Not here",
      sentence: "This container runs outside this service.",
    });
  }
  const isStarting = project.wanted === "running" || container.status === "starting";
  if (isStarting && container.status !== "running") {
    const sentence = "The project is starting. This page reloads automatically.";
    return notice(request, { status: 503, title: "Starting", sentence, refreshSeconds: 2 });
  }
  if (project.status !== "running" || container.status !== "running") {
    const sentence = "The project is not running. A member of the project can start it.";
    return notice(request, { status: 503, title: "Not running", sentence });
  }
  const runtime = services.workspaces.runtime(project.id);
  try {
    return isStatic(container, runtime)
      ? await serveFile(runtime, container, request, place)
      : await serveProgram(runtime, effectivePort(container), request, place);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    services.log.warn("preview failed", { project_id: project.id, container_id: container.id, cause: error });
    const sentence = "The program in this container does not respond. Its log may show why.";
    return notice(request, { status: 502, title: "No response", sentence, refreshSeconds: 5 });
  }
}

async function serveProgram(
  runtime: ProjectRuntime,
  port: number,
  request: Request,
  { base, path, cookies, stripAuthorization }: Place,
): Promise<Response> {
  const url = new URL(request.url);
  const inside = new URL(`http://localhost:${port}${path}${url.search}`);
  const headers = toProgram(request.headers, { url, port, stripAuthorization });
  if (!cookies) headers.delete("cookie");
  const { method } = request;
  // `Request` rejects a body with these methods, so it is dropped.
  const body = method === "GET" || method === "HEAD" ? null : request.body;
  const answer = await runtime.fetchPort(
    port,
    new Request(inside, { method, headers, body, redirect: "manual", signal: request.signal }),
  );
  const answered = toVisitor(answer.headers, { cookies });
  const location = answered.get("location");
  if (location !== null) answered.set("location", outside(location, inside, base));
  const { status, webSocket } = answer;
  if (status > MAX_STATUS) throw new AppError("unavailable", `The program answered with status ${status}`);
  if (webSocket) return new Response(null, { status: 101, webSocket, headers: answered });
  return new Response(answer.body, { status, headers: answered });
}

/** A program's redirect, as an address that the visitor can reach. */
function outside(location: string, inside: URL, base: string): string {
  const target = URL.parse(location, inside);
  if (!target || target.origin !== inside.origin) return location;
  return `${base}${relative(target.pathname)}${target.search}${target.hash}`;
}

/** A path without leading slashes: a second slash after the base would make it another host's address. */
function relative(path: string): string {
  return path.replace(/^\/+/u, "");
}

async function serveFile(
  runtime: ProjectRuntime,
  container: Preview["container"],
  request: Request,
  { base, path }: Place,
): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
  }
  const found = await staticFile(runtime, await shownDirectory(runtime, container), path);
  if (found === undefined) {
    return notice(request, { status: 404, title: "Not found", sentence: "There is no such file." });
  }
  if (found === "redirect") {
    const location = `${base}${relative(path)}/${new URL(request.url).search}`;
    return new Response(null, { status: 302, headers: { Location: location } });
  }
  const headers = { ETag: found.etag, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" };
  const isSame =
    request.headers
      .get("if-none-match")
      ?.split(/\s*,\s*/u)
      .includes(found.etag) ?? false;
  if (isSame || request.method === "HEAD") await found.body.cancel();
  if (isSame && found.status === 200) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : found.body, {
    status: found.status,
    headers: { ...headers, "Content-Type": found.contentType, "Content-Length": String(found.size) },
  });
}

/** The build's output directory if it exists; otherwise the container's directory. */
async function shownDirectory(
  runtime: ProjectRuntime,
  { directory, outputDirectory }: Preview["container"],
): Promise<string> {
  if (!outputDirectory) return directory;
  const output = directory === "" ? outputDirectory : `${directory}/${outputDirectory}`;
  return (await runtime.stat(output))?.kind === "directory" ? output : directory;
}
