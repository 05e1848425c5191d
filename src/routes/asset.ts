import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";

/** A file of `public/`, with additional headers. Throws `not_found`. */
export async function asset(
  { config }: Pick<Services, "config">,
  request: Request,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const found = await config.ASSETS.fetch(new URL(path, request.url));
  if (!found.ok) throw new AppError("not_found", "Not Found");
  const response = new Response(found.body, found);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
