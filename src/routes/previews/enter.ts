import { z } from "zod";
import { parsePreviewHost } from "#src/domain/workspaces/containers/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import { askFrame } from "./ask-frame.ts";
import { entranceUrl } from "./preview-host.ts";
import { isFramed } from "./visit-cookies.ts";
import { personOfCookie } from "./visitor.ts";

export const enterPreview = endpoint({
  operationId: "enterPreview",
  method: "get",
  path: "/api/previews/enter",
  summary: "Enter a private preview",
  description: "Redirects a signed-in browser to the preview, with a token that only this browser can use.",
  tag: "Previews",
  // Public, because a visitor who is not signed in is redirected to the sign-in page.
  access: "public",
  query: z.object({
    host: text({ min: 1, max: 300 }).describe("Host of the preview"),
    path: text({ min: 1, max: 8_000 }).default("/"),
    nonce: text({ min: 1, max: 200 }).describe("What the browser keeps on the preview's host"),
  }),
  refusals: [400, 404],
  response: { status: 303, schema: z.null() },
  async handler({ services, request, query: { host, path, nonce } }) {
    const address = parsePreviewHost(host, services.config.APP_DOMAIN);
    if (!address) throw new AppError("invalid_input", "This is not the host of a preview");
    const person = await personOfCookie(services, request);
    if (!person) {
      if (isFramed(request)) return askFrame();
      const { pathname, search } = new URL(request.url);
      return new Reply(null, {
        Location: `/login?${new URLSearchParams({ next: pathname + search }).toString()}`,
      });
    }
    const { id: projectId } = await requireProject(services, person, address.slug, "container.view");
    const { userId, sessionId } = person;
    const token = await services.previewTokens.issue("entrance", { userId, sessionId, projectId }, nonce);
    return new Reply(null, {
      Location: entranceUrl(services.config, address, { token, path }),
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
    });
  },
});
