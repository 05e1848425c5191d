import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";

/** Types of the files that the build also packs, see `local/pack-assets.ts`. */
const PACKED: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** A file of `public/`, with additional headers, packed for clients that unpack it. Throws `not_found`. */
export async function asset(
  { config }: Pick<Services, "config">,
  request: Request,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const file = (name: string) => config.ASSETS.fetch(new URL(name, request.url));
  const type = PACKED[path.slice(path.lastIndexOf(".") + 1)];
  const packed = type !== undefined && unpacks(request) ? await file(`${path}.gz`) : undefined;
  if (packed?.ok) {
    const response = new Response(packed.body, { headers: packed.headers, encodeBody: "manual" });
    return withHeaders(response, {
      "Content-Type": type ?? "",
      "Content-Encoding": "gzip",
      ...VARIES,
      ...headers,
    });
  }
  const found = await file(path);
  if (!found.ok) throw new AppError("not_found", "Not Found");
  return withHeaders(new Response(found.body, found), { ...(type !== undefined && VARIES), ...headers });
}

const VARIES = { Vary: "Accept-Encoding" };

const unpacks = (request: Request) => /\bgzip\b/u.test(request.headers.get("accept-encoding") ?? "");

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
