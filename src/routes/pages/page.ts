import { z } from "zod";
import { endpoint, type Endpoint } from "#src/http/endpoint.ts";
import { asset } from "../asset.ts";

/** A page runs scripts of its own origin and connects to no other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A page that `console/build.ts` builds out of `console/account`, at an address that mails, providers and the desktop app use. */
export function page(operationId: string, path: string, file: string, summary: string): Endpoint {
  return endpoint({
    operationId,
    method: "get",
    path,
    tag: "Pages",
    summary,
    access: "public",
    response: { status: 200, schema: z.string(), mediaType: "text/html" },
    // The address of an asset is without `.html`.
    handler: async ({ services, request }) =>
      asset(services, request, `/app/account/${file}`, { "Content-Security-Policy": POLICY }),
  });
}
