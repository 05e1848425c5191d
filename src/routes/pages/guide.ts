import { z } from "zod";
import { endpoint, type Endpoint } from "#src/http/endpoint.ts";
import { asset } from "../asset.ts";

/** The pages have no script, and load one stylesheet of their own origin. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface GuideFile {
  summary: string;
  description?: string;
  mediaType: string;
  /** The file's name without `.html`; by default that of the address. */
  file?: string;
}

/** A file of `public/guide`, which `local/guide` builds out of `docs/guide`. */
function guideFile(
  operationId: string,
  path: string,
  { summary, description, mediaType, file }: GuideFile,
): Endpoint {
  return endpoint({
    operationId,
    method: "get",
    path,
    tag: "Pages",
    summary,
    ...(description !== undefined && { description }),
    access: "public",
    params: z.object({ guide_page: z.string().default(file ?? "") }),
    refusals: [404],
    response: { status: 200, schema: z.string(), mediaType },
    handler: async ({ services, request, params: { guide_page: page } }) => {
      const type = page.endsWith(".md") ? "text/markdown" : mediaType;
      return asset(services, request, `/guide/${page}`, {
        "Content-Type": `${type}; charset=utf-8`,
        "Content-Security-Policy": POLICY,
      });
    },
  });
}

/** The guide, for people as pages and for language models as text. */
export const guideEndpoints: readonly Endpoint[] = [
  // Static assets have the address of a folder for its index.html.
  guideFile("getGuide", "/guide", { summary: "Get the guide", mediaType: "text/html", file: "" }),
  guideFile("getGuidePage", "/guide/:guide_page{[a-z-]+(?:\\.md)?}", {
    summary: "Get a guide page",
    description: "With `.md` behind the name, the page as Markdown.",
    mediaType: "text/html",
  }),
  guideFile("getGuideStylesheet", "/guide/style.css", {
    summary: "Get the guide's stylesheet",
    mediaType: "text/css",
    file: "style.css",
  }),
  guideFile("getGuideForModels", "/llms.txt", {
    summary: "Get the guide for models",
    description: "The form of https://llmstxt.org.",
    mediaType: "text/plain",
    file: "llms.txt",
  }),
];
