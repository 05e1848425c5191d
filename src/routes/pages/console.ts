import { z } from "zod";
import { endpoint, type Endpoint } from "#src/http/endpoint.ts";
import { asset } from "../asset.ts";
import { consolePolicy } from "./console-policy.ts";

/** Stands in the built page where an answer has its nonce. */
const NONCE_PLACE = "STYLE-NONCE";

/** The one page of the console, at every address below `/app`: its scripts show what the address names. */
function consolePage(operationId: string, path: string, summary: string): Endpoint {
  return endpoint({
    operationId,
    method: "get",
    path,
    tag: "Pages",
    summary,
    access: "public",
    response: { status: 200, schema: z.string(), mediaType: "text/html" },
    async handler({ services, request }) {
      // Static assets have the address of a folder for its index.html.
      const page = await asset(services, new Request(request.url), "/app/");
      const nonce = crypto.randomUUID();
      return new Response((await page.text()).replaceAll(NONCE_PLACE, nonce), {
        headers: {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": consolePolicy(services.config, nonce),
          "Cache-Control": "no-store",
        },
      });
    },
  });
}

const consoleFile = endpoint({
  operationId: "getConsoleFile",
  method: "get",
  path: "/app/assets/:console_file{[\\w.-]+}",
  tag: "Pages",
  summary: "Get a console file",
  description: "Its name changes with its content, so browsers keep it.",
  access: "public",
  params: z.object({ console_file: z.string() }),
  refusals: [404],
  response: { status: 200, schema: z.string(), mediaType: "text/javascript" },
  handler: async ({ services, request, params }) =>
    asset(services, request, `/app/assets/${params.console_file}`, {
      "Cache-Control": "public, max-age=31536000, immutable",
    }),
});

/** The console: people use the service in a browser. */
export const consoleEndpoints: readonly Endpoint[] = [
  consolePage("getConsole", "/app", "Get the console"),
  consoleFile,
  // The name of a file in an address may have a newline.
  consolePage("getConsolePage", "/app/:console_path{[\\s\\S]+}", "Get a console page"),
];
