import { z } from "zod";
import { endpoint, Reply } from "#src/http/endpoint.ts";

export const home = endpoint({
  operationId: "redirectToConsole",
  method: "get",
  path: "/",
  tag: "Pages",
  summary: "Redirect to the console",
  description: "The console asks to sign in.",
  access: "public",
  response: { status: 303, schema: z.null() },
  handler: () => Promise.resolve(new Reply(null, { Location: "/app" })),
});
